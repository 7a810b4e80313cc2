#include "space/ranks/ranks.h"

#include "base/cuda_part.h"
#include "base/memory.h"
#include "space/find.h"
#include "space/sum/sum_order.h"

#include <string.h>

static struct ranks *this_of(struct space *space)
{
    return (struct ranks *)space;
}

struct space *ranks_enter(struct ranks *ranks)
{
    const struct ranks *whose = ranks->whose ? ranks->whose : ranks;
    ranks->real->ended = whose->base.ended;
    return ranks->real;
}

struct partition *ranks_partition(const struct space *space)
{
    struct ranks *ranks = ranks_of(space);
    return ranks ? &ranks->partition : NULL;
}

int64_t ranks_first_row(const struct space *space)
{
    const struct partition *of = ranks_partition(space);
    return of ? partition_first(of) : 0;
}

int64_t ranks_rows(const struct space *space, int64_t n)
{
    const struct partition *of = ranks_partition(space);
    return of ? partition_rows(of) : n;
}

/* --- vectors ---------------------------------------------------------------------------------- */

static const struct ranks_block *block_of(const struct ranks *ranks, const void *address)
{
    const char *at = address;
    for (int64_t k = 0; k < ranks->blocks_count; k++)
        if (at >= ranks->blocks[k].own && at < ranks->blocks[k].own + ranks->blocks[k].bytes)
            return &ranks->blocks[k];
    return NULL;
}

void ranks_make_room(struct ranks *ranks, int64_t before, int64_t after)
{
    before = sum_tiles(before) * SUM_TILE; /* own rows have the alignment of a vector */
    ranks->before = before > ranks->before ? before : ranks->before;
    ranks->after = after > ranks->after ? after : ranks->after;
}

bool ranks_has_room(const struct ranks *ranks, const void *vector, int columns, int64_t before,
                    int64_t after)
{
    const struct ranks_block *block = block_of(ranks, vector);
    int64_t rows = partition_rows(&ranks->partition) + after;
    int64_t row = block ? columns * (int64_t)block->size : 0;
    return block && block->columns >= columns && vector == block->own &&
           block->own - block->memory >= before * row && block->bytes >= rows * row;
}

/* So many elements and those before them, which are a block of so many columns. */
static enum status add_block(struct ranks *ranks, int64_t before, int64_t own, int columns,
                             size_t size, const char *what, void **memory, struct error *error)
{
    void *made = NULL;
    *memory = NULL;
    enum status status =
        memory_grow((void **)&ranks->blocks, &ranks->blocks_capacity, ranks->blocks_count + 1,
                    sizeof *ranks->blocks, "the vectors", error);
    if (!status)
        status =
            ranks->real->operations->allocate(ranks->real, before + own, size, what, &made, error);
    if (status)
        return status;
    struct ranks_block block = {made, (char *)made + before * (int64_t)size, own * (int64_t)size,
                                size, columns};
    ranks->blocks[ranks->blocks_count++] = block;
    *memory = block.own;
    return STATUS_OK;
}

static enum status add_columns(struct ranks *ranks, int columns, size_t size, const char *what,
                               void **memory, struct error *error)
{
    int64_t own = partition_rows(&ranks->partition) + ranks->after;
    own += own == 0; /* a rank without rows knows its vectors too */
    return add_block(ranks, ranks->before * columns, own * columns, columns, size, what, memory,
                     error);
}

/* Several vectors together are as long as they are asked for, and of each the first elements are
 * used. */
static enum status ranks_vectors(struct space *space, int64_t count, size_t size, const char *what,
                                 void **memory, struct error *error)
{
    struct ranks *ranks = this_of(space);
    return count == ranks->partition.n ? add_columns(ranks, 1, size, what, memory, error)
                                       : add_block(ranks, 0, count, 0, size, what, memory, error);
}

enum status ranks_multivector(struct space *space, int64_t n, int columns, size_t size,
                              const char *what, void **made, struct error *error)
{
    const struct space_operations *of = space->operations;
    *made = NULL;
    if (ranks_of(space))
        return add_columns(this_of(space), columns, size, what, made, error);
    return (of->vectors ? of->vectors : of->allocate)(space, n * columns, size, what, made, error);
}

static void ranks_release(struct space *space, void *memory)
{
    struct ranks *ranks = this_of(space);
    for (int64_t k = 0; k < ranks->blocks_count; k++)
        if (ranks->blocks[k].own == memory) {
            memory = ranks->blocks[k].memory;
            ranks->blocks[k] = ranks->blocks[--ranks->blocks_count];
            break;
        }
    ranks->real->operations->release(ranks->real, memory);
}

static enum status ranks_allocate(struct space *space, int64_t count, size_t size, const char *what,
                                  void **memory, struct error *error)
{
    struct space *real = this_of(space)->real;
    return real->operations->allocate(real, count, size, what, memory, error);
}

/* --- to the host and back --------------------------------------------------------------------- */

static enum status expect_whole(const struct ranks *ranks, const struct ranks_block *block,
                                int64_t bytes, struct error *error)
{
    if (bytes == ranks->partition.n * (int64_t)block->size)
        return STATUS_OK;
    return error_set(error, STATUS_UNAVAILABLE,
                     "of a vector over ranks neither parts nor several at once are copied");
}

static enum status ranks_upload(struct space *space, int64_t bytes, const void *host, void *memory,
                                struct error *error)
{
    struct ranks *ranks = this_of(space);
    const struct ranks_block *block = block_of(ranks, memory);
    const struct partition *partition = &ranks->partition;
    enum status status = block ? expect_whole(ranks, block, bytes, error) : STATUS_OK;
    if (status)
        return status;
    if (block) {
        host = (const char *)host + partition_first(partition) * (int64_t)block->size;
        bytes = partition_rows(partition) * (int64_t)block->size;
    }
    return ranks->real->operations->upload(ranks->real, bytes, host, memory, error);
}

enum status ranks_gather(struct ranks *ranks, const void *own, size_t size, void *all,
                         struct error *error)
{
    struct exchange *exchange = ranks->partition.exchange;
    int64_t *begin =
        memory_array(exchange->count + 1, sizeof *begin, "the rows of the ranks", error);
    if (!begin)
        return STATUS_MEMORY;
    for (int r = 0; r <= exchange->count; r++)
        begin[r] = ranks->partition.begin[r] * (int64_t)size;
    enum status status = exchange->operations->gather(exchange, own, begin, all, error);
    memory_free(begin);
    return status;
}

double ranks_exchange_seconds(const struct space *space)
{
    const struct ranks *ranks = ranks_of(space);
    bool on_host = ranks && ranks->real->operations->kind == SPACE_CPU;
    return on_host ? ranks->partition.exchange->seconds : 0;
}

enum status ranks_sum(struct ranks *ranks, int count, int64_t *values, struct error *error)
{
    void *all;
    enum status status =
        partition_gather(&ranks->partition, values, (size_t)count * sizeof *values, &all, error);
    for (int r = 0; r < ranks->partition.exchange->count && !status; r++)
        for (int k = 0; k < count; k++)
            values[k] = (r == 0 ? 0 : values[k]) + ((int64_t *)all)[r * count + k];
    return status;
}

enum status ranks_max(struct space *space, int64_t *value, struct error *error)
{
    struct ranks *ranks = ranks_of(space);
    void *all;
    enum status status =
        ranks ? partition_gather(&ranks->partition, value, sizeof *value, &all, error) : STATUS_OK;
    for (int r = 0; ranks && !status && r < ranks->partition.exchange->count; r++) {
        int64_t of_rank = ((int64_t *)all)[r];
        *value = of_rank > *value ? of_rank : *value;
    }
    return status;
}

enum status ranks_join_found(struct ranks *ranks, struct found *found, struct error *error)
{
    void *all;
    enum status status =
        ranks ? partition_gather(&ranks->partition, found, sizeof *found, &all, error) : STATUS_OK;
    if (status || !ranks)
        return status;
    *found = (struct found){{-INFINITY, -INFINITY}, 0};
    for (int r = 0; r < ranks->partition.exchange->count; r++) {
        const struct found *of_rank = (const struct found *)all + r;
        for (int k = 0; k < 2; k++)
            found_most(found, k, of_rank->most[k]);
        found->sum += of_rank->sum;
    }
    return STATUS_OK;
}

/* For numbers that are not negative, the order of the bits is that of the values. */
static enum status agree_by_bits(struct space *space, int sign, double *value, struct error *error)
{
    int64_t bits;
    memcpy(&bits, value, sizeof bits);
    bits *= sign;
    enum status status = ranks_max(space, &bits, error);
    bits *= sign;
    memcpy(value, &bits, sizeof bits);
    return status;
}

enum status ranks_largest(struct space *space, double *value, struct error *error)
{
    return agree_by_bits(space, 1, value, error);
}

enum status ranks_least(struct space *space, double *value, struct error *error)
{
    return agree_by_bits(space, -1, value, error);
}

/* *size = the size of an element of a vector, of which only the own rows are copied, to *own. */
static enum status download(struct ranks *ranks, int64_t bytes, const void *memory, void *host,
                            size_t *size, char **own, struct error *error)
{
    const struct space_operations *real = ranks->real->operations;
    const struct ranks_block *block = block_of(ranks, memory);
    enum status status = block ? expect_whole(ranks, block, bytes, error) : STATUS_OK;
    if (status)
        return status;
    *size = block ? block->size : 0;
    *own = (char *)host + partition_first(&ranks->partition) * (int64_t)*size;
    if (block)
        bytes = partition_rows(&ranks->partition) * (int64_t)*size;
    return real->download(ranks->real, bytes, memory, *own, error);
}

static enum status ranks_download(struct space *space, int64_t bytes, const void *memory,
                                  void *host, struct error *error)
{
    struct ranks *ranks = this_of(space);
    size_t size;
    char *own;
    enum status status = download(ranks, bytes, memory, host, &size, &own, error);
    return status || !size ? status : ranks_gather(ranks, own, size, host, error);
}

enum status ranks_download_own(struct space *space, int64_t n, const double *v, double *host,
                               struct error *error)
{
    struct ranks *ranks = ranks_of(space);
    size_t size;
    char *own;
    return ranks && space == &ranks->base
               ? download(ranks, n * (int64_t)sizeof *v, v, host, &size, &own, error)
               : space_download(space, n, v, host, error);
}

/* --- passes ----------------------------------------------------------------------------------- */

struct space *ranks_begin_sums(struct ranks *ranks, int64_t before)
{
    struct space *real = ranks_enter(ranks);
    real->partition = &ranks->partition;
    real->tiles_before = sum_tiles(before);
    return real;
}

enum status ranks_end_sums(struct ranks *ranks, enum status status)
{
    ranks->real->partition = NULL;
    return status;
}

/* A pass over vectors of n elements, or multivectors, runs over the own rows; its sums are over all
 * ranks. */
static int64_t begin_pass(struct ranks *ranks, int64_t n)
{
    int64_t all = ranks->partition.n;
    if (n == all)
        ranks_begin_sums(ranks, 0);
    else
        ranks_enter(ranks);
    return n % all == 0 ? partition_rows(&ranks->partition) * (n / all) : n;
}

static enum status ranks_run(struct space *space, const struct pass *pass, int64_t n,
                             const void *work, struct error *error)
{
    struct ranks *ranks = this_of(space);
    int64_t rows = begin_pass(ranks, n);
    return ranks_end_sums(ranks, space_run(ranks->real, pass, rows, work, error));
}

static enum status ranks_run_columns(struct space *space, const struct pass *pass, int64_t n,
                                     const struct pass_columns *columns, struct error *error)
{
    struct ranks *ranks = this_of(space);
    int64_t rows = begin_pass(ranks, n);
    return ranks_end_sums(ranks, space_run_columns(ranks->real, pass, rows, columns, error));
}

/* --- the real space's ------------------------------------------------------------------------- */

/* The share of this rank; replicated arrays are not known here. */
static enum status ranks_fits(struct space *space, int64_t bytes, const char *what,
                              struct error *error)
{
    const struct ranks *ranks = this_of(space);
    struct space *real = ranks->real;
    double share = (double)partition_rows(&ranks->partition) / (double)ranks->partition.n;
    return real->operations->fits(real, (int64_t)(share * (double)bytes), what, error);
}

enum status ranks_barrier(struct ranks *ranks, enum status status, struct error *error)
{
    int64_t none = 0;
    bool on_device = ranks->real->operations->kind == SPACE_CUDA;
    return status || !on_device ? status : ranks_sum(ranks, 1, &none, error);
}

static enum status ranks_allocate_shared(struct space *space, int64_t bytes, const char *what,
                                         void **shared, struct error *error)
{
    struct ranks *ranks = this_of(space);
    struct space *real = ranks->real;
    return ranks_barrier(ranks, real->operations->allocate_shared(real, bytes, what, shared, error),
                         error);
}

static void ranks_release_shared(struct space *space, void *shared)
{
    struct space *real = this_of(space)->real;
    real->operations->release_shared(real, shared);
}

static enum status ranks_record(struct space *space, space_work *work, void *context, int times,
                                struct error *error)
{
    struct ranks *ranks = this_of(space);
    struct space *real = ranks->real;
    return ranks_barrier(ranks, real->operations->record(real, work, context, times, error), error);
}

static enum status ranks_replay(struct space *space, struct error *error)
{
    struct space *real = ranks_enter(this_of(space));
    return real->operations->replay(real, error);
}

static enum status ranks_replay_timed(struct space *space, int64_t times, double *seconds,
                                      struct error *error)
{
    struct space *real = ranks_enter(this_of(space));
    return real->operations->replay_timed(real, times, seconds, error);
}

static void ranks_forget(struct space *space)
{
    struct space *real = this_of(space)->real;
    real->operations->forget(real);
}

static int ranks_replay_times(const struct space *space, int64_t n)
{
    const struct space *real = ((const struct ranks *)space)->real;
    return real->operations->replay_times(real, n);
}

static enum status ranks_poll(struct space *space, struct error *error)
{
    struct space *real = this_of(space)->real;
    return real->operations->poll(real, error);
}

static void ranks_destroy(struct space *space)
{
    struct ranks *ranks = this_of(space);
    if (!ranks)
        return;
    if (ranks->real && !ranks->whose)
        ranks->real->operations->destroy(ranks->real);
    partition_free(&ranks->partition);
    memory_free(ranks->blocks);
    memory_free(ranks);
}

static void ranks_enter_device(struct space *space)
{
    space_enter(this_of(space)->real);
}

/* The name and the kind are the real space's. */
static const struct space_operations ranks_operations = {.enter = ranks_enter_device,
                                                         .fits = ranks_fits,
                                                         .allocate = ranks_allocate,
                                                         .vectors = ranks_vectors,
                                                         .release = ranks_release,
                                                         .upload = ranks_upload,
                                                         .download = ranks_download,
                                                         .run = ranks_run,
                                                         .run_columns = ranks_run_columns,
                                                         .allocate_shared = ranks_allocate_shared,
                                                         .release_shared = ranks_release_shared,
                                                         .record = ranks_record,
                                                         .replay = ranks_replay,
                                                         .replay_timed = ranks_replay_timed,
                                                         .forget = ranks_forget,
                                                         .replay_times = ranks_replay_times,
                                                         .poll = ranks_poll,
                                                         .destroy = ranks_destroy};

static enum status join_devices(struct ranks *ranks, struct error *error)
{
    return ranks->real->operations->kind == SPACE_CUDA
               ? CUDA_PART(space_cuda_join)(ranks->real, &ranks->partition, error)
               : STATUS_OK;
}

/* As a space of the real one's kind. */
static void appear(struct ranks *ranks)
{
    const struct space_operations *real = ranks->real->operations;
    ranks->base = *ranks->real;
    ranks->operations = ranks_operations;
    ranks->operations.name = real->name;
    ranks->operations.kind = real->kind;
    ranks->base.operations = &ranks->operations;
    ranks->base.ranks = ranks;
}

enum status space_ranks_create(enum space_kind kind, const struct space_options *options,
                               struct space **made, struct error *error)
{
    struct space_options alone = *options;
    alone.exchange = NULL;
    struct ranks *ranks = memory_zeros(1, sizeof *ranks, "the space of a rank", error);
    *made = NULL;
    if (!ranks)
        return STATUS_MEMORY;
    enum status status = space_create(kind, &alone, &ranks->real, error);
    if (!status)
        status = partition_create(options->exchange, options->rows, &ranks->partition, error);
    if (!status)
        status = join_devices(ranks, error);
    if (status) {
        ranks_destroy(&ranks->base);
        return status;
    }
    appear(ranks);
    *made = &ranks->base;
    return STATUS_OK;
}

enum status ranks_subspace(struct ranks *ranks, struct partition *partition, struct ranks **made,
                           struct error *error)
{
    *made = memory_zeros(1, sizeof **made, "the space of a rank", error);
    if (!*made) {
        partition_free(partition);
        return STATUS_MEMORY;
    }
    (*made)->real = ranks->real;
    (*made)->whose = ranks;
    (*made)->partition = *partition;
    *partition = (struct partition){0};
    appear(*made);
    (*made)->base.ended = NULL;
    return STATUS_OK;
}

static bool lends_sums(const struct ranks *ranks)
{
    return ranks && ranks->whose && ranks->real->operations->kind == SPACE_CUDA;
}

enum status ranks_lend_sums(struct ranks *subspace, struct error *error)
{
    if (!lends_sums(subspace))
        return STATUS_OK;
    return ranks_barrier(
        subspace, CUDA_PART(space_cuda_join)(subspace->real, &subspace->partition, error), error);
}

enum status ranks_return_sums(struct ranks *subspace, enum status status, struct error *error)
{
    if (!lends_sums(subspace))
        return status;
    status = ranks_barrier(subspace, status, error);
    CUDA_PART(space_cuda_leave)(subspace->real);
    return status;
}

bool ranks_need_matching_launches(const struct space *space)
{
    const struct ranks *ranks = ranks_of(space);
    return ranks && ranks->real->operations->kind == SPACE_CUDA &&
           CUDA_PART(space_cuda_sends_alike)(ranks->real);
}

struct ranks *ranks_of(const struct space *space)
{
    return space->ranks;
}
