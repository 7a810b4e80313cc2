#include "space/cuda_joining.h"

#include "base/memory.h"
#include "space/cuda_pass.cuh"
#include "space/partition.h"
#include "space/ranks.h"

static const char what[] = "the sums of the ranks";

/* Tiles and groups of this rank, and which groups several ranks have. */
static void describe(const struct partition *of, struct cuda_joined *made)
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

static enum status fill(struct space_cuda *space, struct exchange *exchange, struct error *error)
{
    struct cuda_joining *joining = space->joining;
    struct cuda_joined *own = &joining->joined;
    int64_t doubles = 2 * CUDA_JOINED_SUMS * cuda_joined_doubles(own) +
                      2 * (int64_t)own->ranks * CUDA_EXACT_WORDS;
    unsigned long long none[CUDA_JOINED_SUMS + 1] = {};
    enum status status = cuda_window_create(space, exchange, doubles * (int64_t)sizeof(double),
                                            0xff, what, &joining->slots, error);
    for (int r = 0; r < exchange->count && !status; r++)
        own->slots[r] = (double *)joining->slots.of[r];
    if (!status)
        status = cuda_put(space, none, CUDA_JOINED_SUMS + 1, sizeof *none, what,
                          (void **)&own->turns, error);
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
    cuda->joining = (struct cuda_joining *)memory_zeros(1, sizeof *cuda->joining, what, error);
    if (!cuda->joining)
        return STATUS_MEMORY;
    describe(of, &cuda->joining->joined);
    struct cuda_sum sum; /* its slots are there before one rank waits for another */
    enum status status = cuda_sum_prepare(cuda, partition_rows(of), CUDA_JOINED_SUMS, &sum, error);
    if (!status && space->reductions == REDUCTIONS_EXACT)
        status = cuda_exact_prepare(cuda, error);
    return status ? status : fill(cuda, of->exchange, error);
}

void cuda_joining_destroy(struct space_cuda *space)
{
    struct cuda_joining *joining = space->joining;
    if (!joining)
        return;
    cuda_window_destroy(space, &joining->slots);
    cuda_free(space, joining->joined.turns);
    memory_free(joining);
    space->joining = NULL;
}

__global__ static void __launch_bounds__(CUDA_JOINED_THREADS)
    join_kernel(struct cuda_sum sum, const __grid_constant__ struct cuda_joined joined,
                const int64_t *ended, double *result)
{
    __shared__ struct cuda_joined_terms terms;
    if (cuda_is_over(ended))
        return;
    cuda_joined_send<plain_sum>(sum, joined, 0);
    if (blockIdx.x > 0)
        return;
    plain_sum total = cuda_joined_take<plain_sum>(sum, joined, 0, terms);
    if (threadIdx.x == 0)
        *result = total.value();
}

enum status cuda_sum_join(struct space_cuda *space, const struct cuda_sum *sum, double *result,
                          struct error *error)
{
    join_kernel<<<cuda_joined_blocks(sum->joined), CUDA_JOINED_THREADS, 0, space->stream>>>(
        *sum, *sum->joined, space->base.ended, result);
    return cuda_check_launch(what, error);
}

/* --- exact sums ------------------------------------------------------------------------------- */

/* No limb is so large that its word would be that of an empty slot. */
__device__ static double word_of(int64_t limb)
{
    return __longlong_as_double((long long)(limb + (INT64_C(1) << 62)));
}

__device__ static int64_t limb_of(double word)
{
    return (int64_t)__double_as_longlong(word) - (INT64_C(1) << 62);
}

/* A thread a word: it sends that of this rank to all, and adds those of all. */
__global__ static void __launch_bounds__(CUDA_THREADS)
    exact_join_kernel(struct cuda_exact_total *total,
                      const __grid_constant__ struct cuda_joined joined, const int64_t *ended,
                      double *result)
{
    __shared__ struct cuda_exact_block block;
    if (cuda_is_over(ended))
        return;
    int j = threadIdx.x;
    int64_t turn = (int64_t)(joined.turns[CUDA_JOINED_SUMS] % 2);
    int64_t begins = 2 * CUDA_JOINED_SUMS * cuda_joined_doubles(&joined) +
                     turn * joined.ranks * CUDA_EXACT_WORDS + j;
    if (j < CUDA_EXACT_WORDS) {
        int64_t own = j < EXACT_LIMBS ? total->limbs[j] : total->special, all = 0;
        for (int r = 0; r < joined.ranks; r++)
            cuda_slot_write_away(joined.slots[r] + begins + joined.rank * CUDA_EXACT_WORDS,
                                 word_of(own));
        for (int r = 0; r < joined.ranks; r++) {
            double word;
            cuda_slots_take_away<1>(joined.slots[joined.rank] + begins + r * CUDA_EXACT_WORDS,
                                    &word);
            all = j < EXACT_LIMBS ? all + limb_of(word) : all | limb_of(word);
        }
        if (j < EXACT_LIMBS)
            total->limbs[j] = all;
        else
            total->special = (unsigned int)all;
    }
    __syncthreads();
    if (j == 0)
        joined.turns[CUDA_JOINED_SUMS]++;
    cuda_exact_round(&block, total, result);
}

enum status cuda_exact_join(struct space_cuda *space, const int64_t *ended, double *result,
                            struct error *error)
{
    exact_join_kernel<<<1, CUDA_THREADS, 0, space->stream>>>(
        (struct cuda_exact_total *)space->exact.memory, space->joining->joined, ended, result);
    return cuda_check_launch(what, error);
}
