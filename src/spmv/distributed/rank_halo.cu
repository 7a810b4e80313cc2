/* Rows of other ranks by GPUs, which write to each other's memory. A rank's device sends x of the
 * rows that others want into slots there (space/ranks/cuda_allreduce.cuh), and takes what comes
 * into its own, in one launch. Slots are used by turns: what a rank sends next but one comes when
 * this one has taken what came before, for it has sent in between. That holds where who sends to a
 * rank hears from it, as A's pattern is symmetric, or where all ranks have met in between.
 *
 * In a recording that goes on beside the end of the sums of the pass before, which has made x.
 *
 * Where they do not reach it, a rank's device sends into slots of its own, NCCL takes these to the
 * others' (space/ranks/nccl.h), and a second launch takes what has come. */
#include "spmv/distributed/rank_halo.h"

#include "base/memory.h"
#include "space/cuda/cuda_fork.h"
#include "space/ranks/cuda_allreduce.cuh"
#include "space/ranks/nccl.h"
#include "space/ranks/peer_memory.h"

#include <algorithm>

namespace
{

/* Where ranks share a device, few blocks wait: a kernel of the rank that they wait for may want
 * complete processors, or a cluster of them. */
enum { THREADS = 256, FEW = 2 };

const char what[] = "x of other ranks' rows";

/* By value into the kernel. */
struct halo_device {
    int ranks, rank;
    int64_t own, below;           /* local rows */
    int64_t sent, around;         /* rows that others want; local rows of others, empty ones too */
    unsigned int senders, takers; /* blocks that send, and that wait */
    int64_t begin[CUDA_RANKS];    /* where those that each rank wants begin in `wanted` */
    /* [sent]: own rows; NULL: consecutive ones for each rank, from wanted_first on */
    const int32_t *wanted;
    int64_t wanted_first[CUDA_RANKS];
    /* [around]: where it comes, or -1: the row is empty; NULL: they come in their order */
    const int32_t *place;
    /* Of each rank its slots, [2][length], and which row comes first of those that this one sends.
     * By NCCL this rank's own, [length], for what it sends to each, and for what comes from all. */
    double *slots[CUDA_RANKS];
    int64_t length[CUDA_RANKS], first[CUDA_RANKS];
    unsigned int *turns; /* [blocks]: every block counts for itself; NULL: by NCCL */
};

__device__ int rank_that_wants(const halo_device &halo, int64_t k)
{
    int r = 0;
    while (r + 1 < halo.ranks && k >= halo.begin[r + 1])
        r++;
    return r;
}

__device__ double *slots_of(const halo_device &halo, int rank, unsigned int turn)
{
    return halo.slots[rank] + turn * halo.length[rank];
}

/* Singles travel as the doubles that they are. */
template <typename Real>
__device__ void send(const halo_device &halo, unsigned int turn, int64_t k, const Real *x)
{
    if (k >= halo.sent)
        return;
    int r = rank_that_wants(halo, k);
    int64_t of_rank = k - halo.begin[r];
    int64_t own = halo.wanted ? halo.wanted[k] : halo.wanted_first[r] + of_rank;
    cuda_slot_write_away(slots_of(halo, r, turn) + halo.first[r] + of_rank,
                         (double)x[halo.below + own]);
}

template <typename Real>
__device__ void take(const halo_device &halo, unsigned int turn, int64_t k, Real *x)
{
    int64_t row = k < halo.below ? k : k + halo.own, place = halo.place ? halo.place[k] : k;
    double taken = 0;
    if (place >= 0)
        cuda_slots_take_away<1>(slots_of(halo, halo.rank, turn) + place, &taken);
    x[row] = (Real)taken;
}

/* Blocks that send come before those that wait; by NCCL each have a launch, from block `first` on.
 * */
template <typename Real>
__global__ void __launch_bounds__(THREADS)
    bring_kernel(const __grid_constant__ struct halo_device halo, unsigned int first, Real *x,
                 const int64_t *ended)
{
    if (cuda_is_over(ended))
        return;
    unsigned int block = first + blockIdx.x, senders = halo.senders;
    unsigned int turn = halo.turns ? halo.turns[block] % 2 : 0;
    if (block < senders)
        send(halo, turn, (int64_t)block * THREADS + threadIdx.x, x);
    else
        for (int64_t k = (int64_t)(block - senders) * THREADS + threadIdx.x; k < halo.around;
             k += (int64_t)halo.takers * THREADS)
            take(halo, turn, k, x);
    __syncthreads();
    if (threadIdx.x == 0 && halo.turns)
        halo.turns[block]++;
}

struct halo {
    struct rank_halo base;    /* first */
    struct peer_memory slots; /* zeroed by NCCL */
    double *out, *in;         /* and NULL otherwise */
    struct halo_device device;
    int32_t *wanted, *place;
    unsigned int *turns, blocks;
};

struct space_cuda *space_of(const struct halo *halo)
{
    return space_cuda_of(halo->base.ranks->real);
}

/* What this rank sends, and what comes, by NCCL. */
enum status swap(const struct halo *halo, struct error *error)
{
    const struct ghost_rows *reach = halo->base.reach;
    struct nccl_link_piece out[CUDA_RANKS], in[CUDA_RANKS];
    for (int r = 0; r < halo->device.ranks; r++) {
        int64_t from = reach->wanted_begin[r], to = reach->given_begin[r];
        out[r] = {halo->out + from, reach->wanted_begin[r + 1] - from};
        in[r] = {halo->in + to, reach->given_begin[r + 1] - to};
    }
    return nccl_link_swap(space_of(halo), space_of(halo)->link, out, in, error);
}

/* So many blocks, from `first` on. */
template <typename Real>
enum status launch(const struct halo *halo, unsigned int first, unsigned int blocks, Real *x,
                   const int64_t *ended, struct error *error)
{
    if (blocks == 0)
        return STATUS_OK;
    bring_kernel<Real>
        <<<blocks, THREADS, 0, space_of(halo)->stream>>>(halo->device, first, x, ended);
    return cuda_check_launch(what, error);
}

template <typename Real>
enum status bring_by_link(const struct halo *halo, Real *x, const int64_t *ended,
                          struct error *error)
{
    unsigned int senders = halo->device.senders;
    enum status status = launch(halo, 0, senders, x, ended, error);
    if (!status)
        status = swap(halo, error);
    return status ? status : launch(halo, senders, halo->blocks - senders, x, ended, error);
}

/* Beside the end of the sums that come before it, where it follows these at once. */
template <typename Real>
enum status bring_by_window(const struct halo *halo, Real *x, const int64_t *ended,
                            struct error *error)
{
    struct space_cuda *space = space_of(halo);
    bool forked;
    enum status status = cuda_fork_begin(space, &forked, error);
    if (!status)
        status =
            launch(halo, 0, halo->blocks, x, forked ? space->joining->fork.ended : ended, error);
    return status || !forked ? status : cuda_fork_end(space, error);
}

template <typename Real> enum status bring_of(struct rank_halo *given, Real *x, struct error *error)
{
    const struct halo *halo = (const struct halo *)given;
    const int64_t *ended = ranks_enter(given->ranks)->ended;
    return (space_of(halo)->link ? bring_by_link<Real> : bring_by_window<Real>)(halo, x, ended,
                                                                                error);
}

/* columns: 1 */
enum status bring(struct rank_halo *given, int columns, bool singles, void *x, struct error *error)
{
    (void)columns;
    return singles ? bring_of(given, (float *)x, error) : bring_of(given, (double *)x, error);
}

void destroy(struct rank_halo *given)
{
    struct halo *halo = (struct halo *)given;
    if (!halo)
        return;
    struct space_cuda *space = space_of(halo);
    space_enter(&space->base);
    if (halo->slots.ranks > 0)
        peer_memory_destroy(space, &halo->slots);
    nccl_link_free(space, halo->out);
    nccl_link_free(space, halo->in);
    cuda_free(space, halo->turns);
    cuda_free(space, halo->wanted);
    cuda_free(space, halo->place);
    memory_free(halo);
}

const struct rank_halo_table table = {.bring = bring, .prepare = NULL, .destroy = destroy};

/* --- making one ------------------------------------------------------------------------------- */

unsigned int blocks_for(int64_t count)
{
    return (unsigned int)((count + THREADS - 1) / THREADS);
}

/* The places of the local rows of other ranks, by row. */
enum status put_places(struct halo *halo, int64_t around, struct error *error)
{
    const struct ghost_rows *reach = halo->base.reach;
    int64_t given = reach->given_begin[halo->base.ranks->partition.exchange->count];
    int32_t *place = (int32_t *)memory_array(around + 1, sizeof *place, what, error);
    if (!place)
        return STATUS_MEMORY;
    for (int64_t k = 0; k < around; k++)
        place[k] = -1;
    for (int64_t k = 0; k < given; k++) {
        int64_t row = reach->given[k];
        place[row < reach->below ? row : row - reach->own] = (int32_t)k;
    }
    enum status status =
        cuda_put(space_of(halo), place, around, sizeof *place, what, (void **)&halo->place, error);
    memory_free(place);
    return status;
}

enum status put_lists(struct halo *halo, int64_t sent, int64_t around, struct error *error)
{
    struct space_cuda *space = space_of(halo);
    const int32_t *wanted = halo->base.reach->wanted;
    enum status status =
        wanted ? cuda_put(space, wanted, sent, sizeof *wanted, what, (void **)&halo->wanted, error)
               : STATUS_OK;
    if (!status && wanted)
        status = put_places(halo, around, error);
    if (!status)
        status = cuda_array(space, halo->blocks, sizeof *halo->turns, what, (void **)&halo->turns,
                            error);
    return status ? status
                  : cuda_check(cudaMemsetAsync(halo->turns, 0, halo->blocks * sizeof *halo->turns,
                                               space->stream),
                               what, error);
}

/* By NCCL: slots of this rank for what goes, and empty ones for what comes. */
enum status take_own(struct halo *halo, int64_t sent, int64_t comes, struct error *error)
{
    struct space_cuda *space = space_of(halo);
    enum status status = nccl_link_array(space, sent, &halo->out, error);
    return status ? status : nccl_link_array(space, comes, &halo->in, error);
}

/* begins[ranks][ranks + 1]: where the rows that each rank gets from each begin. */
enum status make(struct halo *halo, const int64_t *begins, struct error *error)
{
    struct space_cuda *space = space_of(halo);
    const struct ghost_rows *reach = halo->base.reach;
    struct exchange *exchange = halo->base.ranks->partition.exchange;
    struct cuda_sum sum; /* of a product: its slots are there before one rank waits for another */
    int ranks = exchange->count;
    struct halo_device own = {.ranks = ranks,
                              .rank = exchange->rank,
                              .own = reach->own,
                              .below = reach->below,
                              .sent = reach->wanted_begin[ranks],
                              .around = reach->below + reach->above,
                              .senders = blocks_for(reach->wanted_begin[ranks])};
    int64_t slots = 2 * reach->given_begin[ranks];
    enum status status = cuda_sum_prepare(space, own.own + own.around, 1, &sum, error);
    if (!status)
        status = space->link ? take_own(halo, own.sent, reach->given_begin[ranks], error)
                             : peer_memory_create(space, exchange, slots * (int64_t)sizeof(double),
                                                  0xff, what, &halo->slots, error);
    own.takers = blocks_for(own.around);
    if (halo->slots.shares)
        own.takers = std::min(own.takers, (unsigned int)FEW);
    halo->blocks = own.senders + own.takers;
    if (!status)
        status = put_lists(halo, own.sent, own.around, error);
    own.wanted = halo->wanted;
    own.place = halo->place;
    own.turns = space->link ? NULL : halo->turns;
    for (int r = 0; r < ranks && !status; r++) {
        const int64_t *of_rank = begins + r * (int64_t)(ranks + 1);
        own.begin[r] = reach->wanted_begin[r];
        own.wanted_first[r] = reach->wanted_first ? reach->wanted_first[r] : 0;
        if (space->link) {
            own.slots[r] = halo->out + own.begin[r];
            own.length[r] = reach->wanted_begin[r + 1] - own.begin[r];
            continue;
        }
        own.slots[r] = (double *)halo->slots.of[r];
        own.length[r] = of_rank[ranks];
        own.first[r] = of_rank[exchange->rank];
    }
    if (space->link) { /* nothing goes from a rank to itself */
        own.slots[own.rank] = halo->in;
        own.length[own.rank] = reach->given_begin[ranks];
    }
    halo->device = own;
    return status;
}

} // namespace

enum status rank_halo_cuda_create(struct ranks *ranks, const struct ghost_rows *reach,
                                  struct rank_halo **made, struct error *error)
{
    struct exchange *exchange = ranks->partition.exchange;
    int64_t count = exchange->count;
    struct halo *halo = (struct halo *)memory_zeros(1, sizeof *halo, what, error);
    *made = NULL;
    if (!halo)
        return STATUS_MEMORY;
    halo->base = {&table, ranks, reach};
    space_enter(ranks->real);
    int64_t *begins = (int64_t *)memory_array(count * (count + 1), sizeof *begins, what, error);
    enum status status =
        begins ? exchange_gather_each(exchange, reach->given_begin,
                                      (count + 1) * (int64_t)sizeof *begins, begins, error)
               : STATUS_MEMORY;
    if (!status)
        status = make(halo, begins, error);
    memory_free(begins);
    if (status)
        destroy(&halo->base);
    else
        *made = &halo->base;
    return status;
}
CUDA_PUT(rank_halo_cuda_create)
