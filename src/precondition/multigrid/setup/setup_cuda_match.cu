/* Aggregates by matching in the memory of a device: matching.c, with its bits. */
#include "precondition/multigrid/setup/setup_cuda_match.cuh"

#include "precondition/multigrid/setup/matching.h"
#include "spmv/device_csr.h"

/* --- both triangles --------------------------------------------------------------------------- */

__global__ static void __launch_bounds__(THREADS) list_entries(const struct expansion by)
{
    int64_t i = own_row();
    if (i < by.upper.n)
        expansion_list(&by, i);
}

__global__ static void __launch_bounds__(THREADS) mirror_entries(const struct expansion by)
{
    int64_t p = own_row();
    if (p < by.upper.nnz)
        expansion_mirror(&by, p);
}

__global__ static void __launch_bounds__(THREADS) finish_rows(const struct expansion by)
{
    int64_t i = own_row();
    if (i < by.upper.n)
        expansion_finish(&by, i);
}

enum status setup_cuda_expand(struct workplace *work, const struct csr *A, struct error *error)
{
    struct expansion *by = &work->expansion;
    unsigned int rows = blocks_for(A->n), entries = blocks_for(A->nnz);
    by->upper = *A;
    by->columns = work->columns[0];
    by->order = work->order[0];
    list_entries<<<rows, THREADS, 0, work->stream>>>(*by);
    enum status status = cuda_check_launch(what_matching, error);
    if (!status)
        status = sort_pairs(work, work->columns, work->order, A->nnz, bits_for((uint64_t)A->n - 1),
                            error);
    if (status)
        return status;
    by->columns = work->columns[0];
    by->order = work->order[0];
    by->full.kind = CSR_GENERAL;
    by->full.n = by->full.width = A->n;
    by->full.nnz = 2 * A->nnz - A->n;
    mirror_entries<<<entries, THREADS, 0, work->stream>>>(*by);
    finish_rows<<<rows, THREADS, 0, work->stream>>>(*by);
    return cuda_check_launch(what_matching, error);
}

/* --- one pass --------------------------------------------------------------------------------- */

__global__ static void __launch_bounds__(THREADS)
    take_diagonal(const struct csr A, double *diagonal)
{
    int64_t i = own_row();
    if (i < A.n)
        diagonal[i] = A.values[A.offsets[i]];
}

__global__ static void __launch_bounds__(THREADS)
    weigh_rows(const struct graph graph, const double *diagonal, int64_t block)
{
    int64_t i = own_row();
    if (i < graph.both.n)
        graph_weigh(&graph, diagonal, block, i);
}

/* So many threads to a node: all of a warp stay, for they exchange what they find. */
enum { LANES = 8 };

__global__ static void __launch_bounds__(THREADS) propose(const struct graph graph)
{
    int64_t i = own_row() / LANES;
    int lane = threadIdx.x % LANES;
    struct proposal best = {FREE, 0};
    if (i < graph.both.n && graph.mate[i] == FREE)
        best = graph_propose(&graph, i, lane, LANES);
    for (int apart = LANES / 2; apart > 0; apart /= 2) {
        struct proposal other;
        other.to = __shfl_xor_sync(~0u, best.to, apart);
        other.weight = __shfl_xor_sync(~0u, best.weight, apart);
        best = graph_better(i, best, other);
    }
    if (i < graph.both.n && lane == 0)
        graph.best[i] = best.to;
}

__global__ static void __launch_bounds__(THREADS) accept(const struct graph graph)
{
    int64_t i = own_row();
    if (i < graph.both.n)
        graph_accept(&graph, i);
}

struct leading {
    const int32_t *mate;
    int64_t n;

    __device__ int32_t operator()(int64_t i) const
    {
        return i < n && graph_leads(mate, i);
    }
};

/* map[n]: the pairs of rows, or, behind the first pass, of the rows that map has so far. */
__global__ static void __launch_bounds__(THREADS)
    map_rows(int64_t n, const int32_t *mate, const int32_t *numbers, int64_t block, bool first,
             int32_t *map)
{
    int64_t i = own_row();
    if (i >= n)
        return;
    int64_t row = first ? i : map[i];
    map[i] = row == IN_NO_AGGREGATE ? IN_NO_AGGREGATE : graph_aggregate(mate, numbers, block, row);
}

__global__ static void __launch_bounds__(THREADS) map_nodes(int64_t n, int64_t block, int32_t *map)
{
    int64_t i = own_row();
    if (i < n)
        map[i] = (int32_t)(i / block);
}

/* Each node's block as one entry, the sum of its squares. */
static enum status sum_squares(struct workplace *work, const struct csr *A, int64_t block,
                               struct csr *nodes, struct error *error)
{
    map_nodes<<<blocks_for(A->n), THREADS, 0, work->stream>>>(A->n, block, work->map);
    enum status status = cuda_check_launch(what_matching, error);
    return status ? status
                  : setup_cuda_sum(work, NULL, A, true, work->map, A->n / block, nodes, error);
}

/* The pairs of A's nodes of `block` rows: mate and numbers, and how many rows they make. room: for
 * the nodes. */
static enum status pair(struct workplace *work, const struct csr *A, int64_t block,
                        struct csr *room, int64_t *count, struct error *error)
{
    int32_t sum = 0;
    enum status status = block > 1 ? sum_squares(work, A, block, room, error) : STATUS_OK;
    A = block > 1 ? room : A;
    if (!status)
        status = setup_cuda_expand(work, A, error);
    if (status)
        return status;
    unsigned int rows = blocks_for(A->n);
    struct graph *graph = &work->graph;
    graph->both = work->expansion.full;
    take_diagonal<<<rows, THREADS, 0, work->stream>>>(*A, work->diagonal);
    weigh_rows<<<rows, THREADS, 0, work->stream>>>(*graph, work->diagonal, block);
    for (int round = 0; round < MATCHING_ROUNDS; round++) {
        propose<<<blocks_for(A->n * LANES), THREADS, 0, work->stream>>>(*graph);
        accept<<<rows, THREADS, 0, work->stream>>>(*graph);
    }
    status = cuda_check_launch(what_matching, error);
    if (!status)
        status = number(work, leading{graph->mate, A->n}, A->n, &sum, error);
    *count = sum * block;
    return status;
}

static enum status map_pairs(const struct workplace *work, int64_t n, int64_t block, bool first,
                             int32_t *map, struct error *error)
{
    map_rows<<<blocks_for(n), THREADS, 0, work->stream>>>(n, work->graph.mate, work->numbers, block,
                                                          first, map);
    return cuda_check_launch(what_matching, error);
}

/* --- the lists of the aggregates -------------------------------------------------------------- */

__global__ static void __launch_bounds__(THREADS)
    list_rows(const struct aggregates made, uint32_t *keys, uint32_t *rows)
{
    int64_t i = own_row();
    if (i >= made.n)
        return;
    keys[i] = made.map[i] == IN_NO_AGGREGATE ? (uint32_t)made.count : (uint32_t)made.map[i];
    rows[i] = (uint32_t)i;
}

/* No aggregate is empty; rows in none stand at the end. */
__global__ static void __launch_bounds__(THREADS)
    take_lists(const struct aggregates made, const uint32_t *keys, const uint32_t *rows)
{
    int64_t p = own_row();
    if (p >= made.n)
        return;
    made.members[p] = (int32_t)rows[p];
    if (p == 0 || keys[p - 1] != keys[p])
        made.offsets[keys[p]] = (int32_t)p;
    if (p == made.n - 1 && keys[p] != (uint32_t)made.count)
        made.offsets[made.count] = (int32_t)made.n;
}

static enum status list(struct workplace *work, struct space *space, struct aggregates *made,
                        struct error *error)
{
    enum status status = cuda_array(space_cuda_of(space), made->count + 1, sizeof *made->offsets,
                                    what_matching, (void **)&made->offsets, error);
    if (!status)
        status = cuda_array(space_cuda_of(space), made->n, sizeof *made->members, what_matching,
                            (void **)&made->members, error);
    if (!status) {
        list_rows<<<blocks_for(made->n), THREADS, 0, work->stream>>>(*made, work->columns[0],
                                                                     work->order[0]);
        status = cuda_check_launch(what_matching, error);
    }
    if (!status)
        status = sort_pairs(work, work->columns, work->order, made->n,
                            bits_for((uint64_t)made->count), error);
    if (status)
        return status;
    take_lists<<<blocks_for(made->n), THREADS, 0, work->stream>>>(*made, work->columns[0],
                                                                  work->order[0]);
    return cuda_check_launch(what_matching, error);
}

/* --- memory ----------------------------------------------------------------------------------- */

/* Arrays one behind the other, from `memory` on; NULL: only to learn how much they take. */
struct layout {
    char *memory;
    size_t bytes;

    template <typename Element> void put(Element **array, int64_t count)
    {
        bytes = (bytes + 255) / 256 * 256;
        *array = memory ? (Element *)(memory + bytes) : NULL;
        bytes += (size_t)count * sizeof **array;
    }

    void put(struct csr *A, int64_t n, int64_t nnz)
    {
        put(&A->offsets, n + 1);
        put(&A->columns, nnz);
        put(&A->values, nnz);
    }
};

static size_t lay_out(struct workplace *work, int64_t n, int64_t nnz)
{
    struct layout at = {work->memory, 0};
    for (int k = 0; k < 2; k++)
        at.put(&work->passes[k], n, nnz);
    at.put(&work->map, n);
    at.put(&work->numbers, nnz + 1);
    at.put(&work->library, (int64_t)work->cub_bytes);
    struct layout terms = at;
    at.put(&work->expansion.full, n, 2 * nnz - n);
    at.put(&work->expansion.rows, nnz);
    at.put(&work->expansion.ends, n);
    for (int k = 0; k < 2; k++) {
        at.put(&work->columns[k], nnz);
        at.put(&work->order[k], nnz);
        terms.put(&work->places[k], nnz);
        terms.put(&work->terms[k], nnz);
    }
    at.put(&work->graph.weights, 2 * nnz - n);
    at.put(&work->graph.mate, n);
    at.put(&work->graph.best, n);
    at.put(&work->diagonal, n);
    return at.bytes > terms.bytes ? at.bytes : terms.bytes;
}

static size_t cub_bytes(int64_t n, int64_t nnz)
{
    size_t sort = sort_bytes<uint32_t, uint32_t>(nnz), sums = setup_cuda_sum_bytes(nnz);
    size_t numbers = number_bytes<struct leading>(n);
    size_t most = sort > sums ? sort : sums;
    return most > numbers ? most : numbers;
}

/* Entries are counted in 32 bits. */
int64_t setup_cuda_match_bytes(const struct csr *A)
{
    if (A->nnz >= INT32_MAX)
        return -1;
    struct workplace work = {};
    work.cub_bytes = cub_bytes(A->n, A->nnz);
    int64_t lists = 3 * A->n * (int64_t)sizeof(int32_t);
    return (int64_t)lay_out(&work, A->n, A->nnz) + csr_bytes(A) + lists;
}

static enum status take_workplace(struct space *space, const struct csr *A, struct workplace *work,
                                  struct error *error)
{
    work->stream = space_cuda_of(space)->stream;
    work->cub_bytes = cub_bytes(A->n, A->nnz);
    size_t bytes = lay_out(work, A->n, A->nnz);
    enum status status = cuda_array(space_cuda_of(space), (int64_t)bytes, 1, what_matching,
                                    (void **)&work->memory, error);
    if (!status)
        lay_out(work, A->n, A->nnz);
    return status;
}

/* --- a level ---------------------------------------------------------------------------------- */

/* One map more, of n rows in `count` aggregates. */
static enum status keep_pass(struct space_cuda *space, const int32_t *pairs, int64_t n,
                             int64_t count, struct passes *kept, struct error *error)
{
    struct aggregates *pass = &kept->of[kept->count++];
    *pass = {};
    pass->n = n;
    pass->count = count;
    enum status status =
        cuda_array(space, n, sizeof *pass->map, what_matching, (void **)&pass->map, error);
    if (status)
        return status;
    return cuda_check(cudaMemcpyAsync(pass->map, pairs, (size_t)n * sizeof *pairs,
                                      cudaMemcpyDeviceToDevice, space->stream),
                      what_matching, error);
}

/* One pass from A, whose rows are those of the level where it is the first, to *coarse. */
static enum status pass_from(struct workplace *work, struct space *space, const struct csr *A,
                             int64_t block, int pass, bool last, struct aggregates *made,
                             struct csr *coarse, struct passes *kept, struct error *error)
{
    bool first = pass == 0;
    int32_t *pairs = first ? made->map : work->map;
    struct csr room = work->passes[pass % 2];
    enum status status = pair(work, A, block, &room, &made->count, error);
    if (!status)
        status = map_pairs(work, made->n, block, first, made->map, error);
    if (!status && !first)
        status = map_pairs(work, A->n, block, true, pairs, error);
    if (!status && kept)
        status = keep_pass(space_cuda_of(space), pairs, A->n, made->count, kept, error);
    if (status || made->count == 0)
        return status;
    return setup_cuda_sum(work, last ? space : NULL, A, false, pairs, made->count, coarse, error);
}

enum status setup_cuda_match(struct space *space, const struct csr *A, int passes,
                             const struct rescaling *by, struct aggregates *made,
                             struct csr *coarse, struct passes *kept, struct error *error)
{
    struct workplace work = {};
    const struct csr *from = A;
    made->n = made->count = A->n;
    enum status status = take_workplace(space, A, &work, error);
    if (!status)
        status = cuda_array(space_cuda_of(space), made->n, sizeof *made->map, what_matching,
                            (void **)&made->map, error);
    for (int pass = 0; pass < passes && !status && made->count > 0; pass++) {
        bool last = pass + 1 == passes;
        struct csr *to = last ? coarse : &work.passes[pass % 2];
        status = pass_from(&work, space, from, by->block, pass, last, made, to, kept, error);
        from = to;
    }
    if (!status && made->count > 0)
        status = list(&work, space, made, error);
    if (!status && made->count > 0)
        status = setup_cuda_rescale(&work, space, by, coarse, error);
    cuda_free(space_cuda_of(space), work.memory);
    return status;
}

/* --- the same with other values --------------------------------------------------------------- */

enum status setup_cuda_match_again(struct space *space, const struct csr *A,
                                   const struct rescaling *by, const struct aggregates *made,
                                   const struct passes *passes, struct csr *coarse,
                                   struct error *error)
{
    struct workplace work = {};
    const struct csr *from = A;
    int count = passes->count > 0 ? passes->count : 1;
    enum status status = take_workplace(space, A, &work, error);
    for (int pass = 0; pass < count && !status; pass++) {
        bool last = pass + 1 == count;
        const struct aggregates *pairs = passes->count > 0 ? &passes->of[pass] : made;
        struct csr *to = last ? coarse : &work.passes[pass % 2];
        status = setup_cuda_sum(&work, last ? space : NULL, from, false, pairs->map, pairs->count,
                                to, error);
        from = to;
    }
    if (!status)
        status = setup_cuda_rescale(&work, space, by, coarse, error);
    cuda_free(space_cuda_of(space), work.memory);
    return status;
}
