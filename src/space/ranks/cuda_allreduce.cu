#include "space/ranks/cuda_allreduce.h"

#include "base/memory.h"
#include "space/cuda/cuda_pass.cuh"
#include "space/ranks/nccl.h"
#include "space/ranks/partition.h"
#include "space/ranks/ranks.h"

static const char what[] = "the sums of the ranks";

/* The tiles and groups of this rank, and the groups of several ranks. */
static void describe(const struct partition *of, struct cuda_allreduce *made)
{
    const struct exchange *exchange = of->exchange;
    *made = {};
    made->ranks = exchange->count;
    made->rank = exchange->rank;
    made->tiles = sum_tiles(of->n);
    made->groups = sum_tiles(made->tiles);
    made->first = sum_tiles(partition_first(of));
    int64_t end = sum_tiles(partition_first(of) + partition_rows(of));
    made->own = end - made->first;
    made->first_group = sum_tiles(made->first);
    made->last_group = end == made->tiles ? made->groups : end / SUM_TILE;
    for (int r = 1; r < exchange->count; r++) {
        int64_t border = sum_tiles(of->begin[r]), group = border / SUM_TILE;
        bool known = made->shared_count > 0 && made->shared[made->shared_count - 1] == group;
        if (border % SUM_TILE != 0 && !known)
            made->shared[made->shared_count++] = group;
    }
}

/* By NCCL: the slots of this rank, all empty, and room for those of all that are used at once. */
static enum status take_own(struct space_cuda *space, struct cuda_allreduce_setup *joining,
                            int64_t doubles, struct error *error)
{
    const struct cuda_allreduce *of = &joining->joined;
    int64_t sums = CUDA_ALLREDUCE_SUMS * cuda_allreduce_doubles(of);
    int64_t most = sums > CUDA_EXACT_WORDS ? sums : CUDA_EXACT_WORDS;
    enum status status = nccl_link_array(space, doubles, &joining->own, error);
    if (!status)
        status = nccl_link_array(space, of->ranks * most, &joining->gathered, error);
    if (!status)
        status = cuda_check(
            cudaMemsetAsync(joining->own, 0xff, (size_t)doubles * sizeof(double), space->stream),
            what, error);
    return status
               ? status /* once with the largest size, because no connection can be made during a
                           recording */
               : nccl_link_gather(space, space->link, joining->own, most, joining->gathered, error);
}

static enum status fill(struct space_cuda *space, struct exchange *exchange, struct error *error)
{
    struct cuda_allreduce_setup *joining = space->joining;
    struct cuda_allreduce *own = &joining->joined;
    int64_t doubles = 2 * CUDA_ALLREDUCE_SUMS * cuda_allreduce_doubles(own) +
                      2 * (int64_t)own->ranks * CUDA_EXACT_WORDS;
    unsigned long long none[CUDA_ALLREDUCE_SUMS + 1] = {};
    enum status status =
        space->link ? take_own(space, joining, doubles, error)
                    : peer_memory_create(space, exchange, doubles * (int64_t)sizeof(double), 0xff,
                                         what, &joining->slots, error);
    for (int r = 0; r < exchange->count && !status; r++)
        own->slots[r] = space->link ? joining->own : (double *)joining->slots.of[r];
    own->gathered = joining->gathered;
    if (!status)
        status = cuda_put(space, none, CUDA_ALLREDUCE_SUMS + 1, sizeof *none, what,
                          (void **)&own->turns, error);
    if (!status)
        status = cuda_put(space, none, 1, sizeof *none, what, (void **)&joining->fork.ended, error);
    return status;
}

enum status space_cuda_join(struct space *space, const struct partition *of, struct error *error)
{
    struct space_cuda *cuda = space_cuda_of(space);
    space_enter(space);
    if (of->exchange->count > CUDA_RANKS)
        return error_set(error, STATUS_UNAVAILABLE, "at most %d ranks have a GPU each", CUDA_RANKS);
    if (space->reductions == REDUCTIONS_ATOMIC || space->reductions == REDUCTIONS_BLAS)
        return error_set(error, STATUS_CONFIG,
                         "several ranks with a GPU each promise bits: reductions are reproducible, "
                         "compensated or exact, not %s",
                         reductions_name(space->reductions));
    int most = of->exchange->count - 1; /* that have a whole tile */
    if (sum_tiles(of->n) <= most)
        return error_set(error, STATUS_CONFIG,
                         "%d ranks with a GPU each want %d rows at least, and there are %lld",
                         most + 1, most * SUM_TILE + 1, (long long)of->n);
    struct cuda_allreduce_setup *made =
        (struct cuda_allreduce_setup *)memory_zeros(1, sizeof *made, what, error);
    if (!made)
        return STATUS_MEMORY;
    made->before = cuda->joining;
    cuda->joining = made;
    enum status status =
        cuda->link ? STATUS_OK : nccl_link_create(cuda, of->exchange, &cuda->link, error);
    if (status)
        return status;
    describe(of, &cuda->joining->joined);
    struct cuda_sum sum; /* its slots exist before a rank waits for another */
    status = cuda_sum_prepare(cuda, partition_rows(of), CUDA_ALLREDUCE_SUMS, &sum, error);
    if (!status && space->reductions == REDUCTIONS_EXACT)
        status = cuda_exact_prepare(cuda, error);
    return status ? status : fill(cuda, of->exchange, error);
}
CUDA_PUT(space_cuda_join)

bool space_cuda_sends_alike(const struct space *space)
{
    return ((const struct space_cuda *)space)->link;
}
CUDA_PUT(space_cuda_sends_alike)

/* The last one. */
static void leave(struct space_cuda *space)
{
    struct cuda_allreduce_setup *joining = space->joining;
    if (joining->slots.ranks > 0)
        peer_memory_destroy(space, &joining->slots);
    nccl_link_free(space, joining->own);
    nccl_link_free(space, joining->gathered);
    cuda_free(space, joining->joined.turns);
    cuda_free(space, joining->fork.ended);
    space->joining = joining->before;
    memory_free(joining);
}

void space_cuda_leave(struct space *space)
{
    struct space_cuda *cuda = space_cuda_of(space);
    space_enter(space);
    if (cuda->joining && cuda->joining->before)
        leave(cuda);
}
CUDA_PUT(space_cuda_leave)

void cuda_allreduce_setup_destroy(struct space_cuda *space)
{
    while (space->joining)
        leave(space);
    nccl_link_destroy(space, space->link);
    space->link = NULL;
}

__global__ static void __launch_bounds__(CUDA_ALLREDUCE_THREADS)
    join_kernel(struct cuda_sum sum, const __grid_constant__ struct cuda_allreduce joined,
                enum cuda_allreduce_part part, const int64_t *ended, double *result)
{
    __shared__ struct cuda_allreduce_terms terms;
    if (cuda_is_over(ended))
        return;
    if (part != JOINED_TAKES)
        cuda_allreduce_send<plain_sum>(sum, joined, 0);
    if (blockIdx.x > 0 || part == JOINED_SENDS)
        return;
    plain_sum total = cuda_allreduce_take<plain_sum>(sum, joined, 0, terms);
    if (threadIdx.x == 0)
        *result = total.value();
}

enum status cuda_sum_join(struct space_cuda *space, const struct cuda_sum *sum, double *result,
                          struct error *error)
{
    auto launch = [&](const struct cuda_allreduce &joined, enum cuda_allreduce_part part,
                      unsigned int blocks) {
        join_kernel<<<blocks, CUDA_ALLREDUCE_THREADS, 0, space->stream>>>(
            *sum, joined, part, space->base.ended, result);
    };
    return cuda_allreduce_launch(space, sum->joined, 0, cuda_allreduce_doubles(sum->joined), what,
                                 launch, error);
}

/* --- exact sums ------------------------------------------------------------------------------- */

/* No limb is large enough for the word of an empty slot. */
__device__ static double word_of(int64_t limb)
{
    return __longlong_as_double((long long)(limb + (INT64_C(1) << 62)));
}

__device__ static int64_t limb_of(double word)
{
    return (int64_t)__double_as_longlong(word) - (INT64_C(1) << 62);
}

/* After the slots of other sums. */
CGSOLVE_HOST_AND_DEVICE static int64_t exact_begins(const struct cuda_allreduce *of)
{
    return 2 * CUDA_ALLREDUCE_SUMS * cuda_allreduce_doubles(of);
}

/* A thread for each word: it sends the word of this rank to all, and adds the words of all. */
__global__ static void __launch_bounds__(CUDA_THREADS)
    exact_join_kernel(struct cuda_exact_total *total,
                      const __grid_constant__ struct cuda_allreduce joined,
                      enum cuda_allreduce_part part, const int64_t *ended, double *result)
{
    __shared__ struct cuda_exact_block block;
    if (cuda_is_over(ended))
        return;
    int j = threadIdx.x, rank = joined.gathered ? 0 : joined.rank;
    int64_t turn = joined.gathered ? 0 : (int64_t)(joined.turns[CUDA_ALLREDUCE_SUMS] % 2);
    int64_t begins = exact_begins(&joined) + turn * joined.ranks * CUDA_EXACT_WORDS + j;
    if (j < CUDA_EXACT_WORDS) {
        int64_t own = j < EXACT_LIMBS ? total->limbs[j] : total->special, all = 0;
        for (int r = 0; r < joined.ranks && part != JOINED_TAKES; r++)
            cuda_slot_write_away(joined.slots[r] + begins + rank * CUDA_EXACT_WORDS, word_of(own));
        if (part == JOINED_SENDS)
            return;
        for (int r = 0; r < joined.ranks; r++) {
            double word;
            if (joined.gathered)
                word = joined.gathered[r * joined.stride + j];
            else
                cuda_slots_take_away<1>(joined.slots[joined.rank] + begins + r * CUDA_EXACT_WORDS,
                                        &word);
            all = j < EXACT_LIMBS ? all + limb_of(word) : all | limb_of(word);
        }
        if (j < EXACT_LIMBS)
            total->limbs[j] = all;
        else
            total->special = (unsigned int)all;
    }
    if (part == JOINED_SENDS)
        return;
    __syncthreads();
    if (j == 0)
        joined.turns[CUDA_ALLREDUCE_SUMS]++;
    cuda_exact_round(&block, total, result);
}

enum status cuda_exact_join(struct space_cuda *space, const int64_t *ended, double *result,
                            struct error *error)
{
    const struct cuda_allreduce *of = &space->joining->joined;
    auto launch = [&](const struct cuda_allreduce &joined, enum cuda_allreduce_part part,
                      unsigned int) {
        exact_join_kernel<<<1, CUDA_THREADS, 0, space->stream>>>(
            (struct cuda_exact_total *)space->exact.memory, joined, part, ended, result);
    };
    return cuda_allreduce_launch(space, of, exact_begins(of), CUDA_EXACT_WORDS, what, launch,
                                 error);
}
