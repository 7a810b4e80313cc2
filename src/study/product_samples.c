/* Sampled products. X has n rows, Y `width`, and Y follows X in memory. */
#include "base/cuda_part.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/multiversion.h"
#include "matrix/sddmm.h"
#include "study/product_columns.h"
#include "study/product_table.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

/* ---- makers ---------------------------------------------------------------------------------- */

static const char *never(void)
{
    return NULL;
}

/* What any kernel of a GPU says. */
static const char *without_gpu(void)
{
    return kernel_unavailable(kernel_find("cuda_csr_scalar"));
}

static enum status by_cusparse(struct space *space, const struct csr *pattern, int64_t columns,
                               struct sddmm *made, struct error *error)
{
    return CUDA_PART(cusparse_sddmm_create)(space, pattern, columns, made, error);
}

const struct product_sampler product_samplers[] = {
    {"cpu_sddmm", SPACE_CPU, true, never, sddmm_create},
    {"cuda_sddmm", SPACE_CUDA, true, without_gpu, sddmm_create},
    {"cusparse_sddmm", SPACE_CUDA, false, without_gpu, by_cusparse},
    {0}};

/* ---- on the host ----------------------------------------------------------------------------- */

struct samples {
    const struct csr *pattern;
    struct threads *threads;
    int64_t columns, place; /* Y's first element, after X */
    double *vectors, *values;
};

/* Where Y begins: a GPU loads 16 bytes at once. */
static int64_t place_of_y(int64_t n, int64_t columns)
{
    return (columns_elements(n, columns) + COLUMNS_AT_ONCE - 1) / COLUMNS_AT_ONCE * COLUMNS_AT_ONCE;
}

static int64_t elements(const struct csr *A, int64_t columns)
{
    return place_of_y(A->n, columns) + columns_elements(A->width, columns);
}

static int64_t vector_bytes(const struct csr *A, int64_t columns)
{
    return (elements(A, columns) + A->nnz) * (int64_t)sizeof(double);
}

static void end(struct product_host *host)
{
    struct samples *samples = host->own;
    if (samples) {
        memory_free(samples->vectors);
        memory_free(samples->values);
    }
    memory_free(samples);
    *host = (struct product_host){0};
}

static enum status draw(struct samples *samples, int64_t seed, struct error *error)
{
    const struct csr *A = samples->pattern;
    int64_t columns = samples->columns, longest = A->n > A->width ? A->n : A->width;
    double *column = memory_array(longest, sizeof *column, "a column of X", error);
    if (!column)
        return STATUS_MEMORY;
    product_columns_draw(A->n, columns, seed, column, samples->vectors);
    product_columns_draw(A->width, columns, (int64_t)((uint64_t)seed + (uint64_t)columns), column,
                         samples->vectors + samples->place);
    memory_free(column);
    return STATUS_OK;
}

static enum status begin(struct product_bench *bench, const struct csr *A, int64_t columns,
                         int64_t more, struct product_host *host, struct error *error)
{
    int64_t size = elements(A, columns);
    struct samples *samples = memory_array(1, sizeof *samples, "the samples", error);
    *host = (struct product_host){.own = samples};
    if (!samples)
        return STATUS_MEMORY;
    *samples = (struct samples){.pattern = A,
                                .threads = product_bench_threads(bench),
                                .columns = columns,
                                .place = place_of_y(A->n, columns)};
    enum status status = memory_fits((double)(vector_bytes(A, columns) + more),
                                     "a bench of sampled products", error);
    if (!status) {
        samples->vectors = memory_zeros(size, sizeof(double), "X and Y", error);
        samples->values = memory_array(A->nnz, sizeof(double), "the samples", error);
        status = samples->vectors && samples->values ? STATUS_OK : STATUS_MEMORY;
    }
    if (!status)
        status = draw(samples, bench->rule.seed, error);
    host->x = samples->vectors;
    host->y = samples->values;
    host->x_elements = size;
    host->y_elements = A->nnz;
    if (status)
        end(host);
    return status;
}

static uint64_t hash(struct product_host *host)
{
    const struct samples *samples = host->own;
    return hash_vector(samples->threads, samples->values, samples->pattern->nnz);
}

/* ---- judging --------------------------------------------------------------------------------- */

/* One sample: what it is to be. */
struct wanted {
    struct compensated negative; /* -x_i . y_j */
    double size;                 /* |x_i| . |y_j| */
    double ordered;              /* in the order of matrix/sddmm.h */
};

/* One lane of that order. */
struct lane {
    struct compensated negative;
    double size, ordered;
};

static inline void add_lanes(const struct lane lanes[SDDMM_LANES], struct wanted *wanted)
{
    double s[SDDMM_LANES];
    for (int l = 0; l < SDDMM_LANES; l++) {
        const struct lane *lane = &lanes[l];
        wanted->negative =
            compensated_add(wanted->negative, lane->negative.sum, lane->negative.error);
        wanted->size += lane->size;
        s[l] = lane->ordered;
    }
    for (int h = SDDMM_LANES / 2; h >= 1; h /= 2)
        for (int l = 0; l < h; l++)
            s[l] = s[l] + s[l + h];
    wanted->ordered = s[0] + 0;
}

MULTIVERSION static void want(const struct samples *samples, int64_t i, int64_t j,
                              struct wanted *wanted)
{
    const struct csr *A = samples->pattern;
    const double *Y = samples->vectors + samples->place;
    struct lane lanes[SDDMM_LANES] = {0};
    for (int64_t first = 0; first < samples->columns; first += COLUMNS_AT_ONCE) {
        int64_t left = samples->columns - first;
        int64_t count = left < COLUMNS_AT_ONCE ? left : COLUMNS_AT_ONCE;
        int64_t stride = columns_stride(count);
        const double *x = samples->vectors + first * A->n + i * stride;
        const double *y = Y + first * A->width + j * stride;
        for (int64_t c = 0; c < count; c++) {
            struct lane *lane = &lanes[c % SDDMM_LANES];
            lane->negative = compensated_add_product(lane->negative, -x[c], y[c]);
            lane->size += fabs(x[c] * y[c]);
            lane->ordered = fma(x[c], y[c], lane->ordered);
        }
    }
    *wanted = (struct wanted){0};
    add_lanes(lanes, wanted);
}

/* What is found in some rows. */
struct found {
    struct product_error error;
    int64_t others;      /* samples with other bits than those of the order */
    int64_t row, column; /* the first of them */
};

static void judge_row(const struct samples *samples, int64_t i, struct found *found)
{
    const struct csr *A = samples->pattern;
    for (int64_t k = A->offsets[i]; k < A->offsets[i + 1]; k++) {
        struct wanted wanted;
        double value = samples->values[k];
        want(samples, i, A->columns[k], &wanted);
        double bound = product_bound(samples->columns, wanted.size, false);
        double share = product_share_of_bound(value, wanted.negative, bound);
        if (share > found->error.worst)
            found->error = (struct product_error){share, i, A->columns[k]};
        if (memcmp(&value, &wanted.ordered, sizeof value) != 0 && found->others++ == 0) {
            found->row = i;
            found->column = A->columns[k];
        }
    }
}

static void join(struct found *all, const struct found *mine)
{
    const struct product_error *error = &mine->error;
    if (error->worst > all->error.worst ||
        (error->row >= 0 && error->worst == all->error.worst && error->row < all->error.row))
        all->error = *error;
    if (mine->others > 0 && (all->others == 0 || mine->row < all->row)) {
        all->row = mine->row;
        all->column = mine->column;
    }
    all->others += mine->others;
}

struct judging {
    const struct samples *samples;
    pthread_mutex_t lock; /* of all that is found */
    struct found found;
};

static void judge_rows(void *context, int64_t begin, int64_t end)
{
    struct judging *judging = context;
    struct found mine = {.error.row = -1};
    for (int64_t i = begin; i < end; i++)
        judge_row(judging->samples, i, &mine);
    pthread_mutex_lock(&judging->lock);
    join(&judging->found, &mine);
    pthread_mutex_unlock(&judging->lock);
}

static enum status judge(struct product_host *host, const struct product_contestant *contestant,
                         struct product_result *result, struct error *error)
{
    (void)error;
    const struct samples *samples = host->own;
    struct judging judging = {samples, PTHREAD_MUTEX_INITIALIZER, {.error.row = -1}};
    const struct found *found = &judging.found;
    threads_take(samples->threads, samples->pattern->n, 64, judge_rows, &judging);
    product_result_add(result, found->error);
    if (!contestant->sampler->bitwise || found->others == 0)
        return STATUS_OK;
    result->verdict = PRODUCT_FAIL;
    snprintf(result->reason, sizeof result->reason,
             "%" PRId64 " of %" PRId64 " values have other bits than the written order has, first "
             "row %" PRId64 ", column %" PRId64,
             found->others, samples->pattern->nnz, found->row + 1, found->column + 1);
    return STATUS_OK;
}

/* ---- in a space ------------------------------------------------------------------------------ */

static int64_t setup_bytes(const struct csr *A, const struct product_contestant *contestant)
{
    return contestant->sampler->space == SPACE_CPU ? 0 : A->nnz * (int64_t)sizeof *A->columns;
}

static void destroy(void *product)
{
    if (product)
        sddmm_destroy(product);
    memory_free(product);
}

static enum status set_up(const struct csr *A, const struct product_contestant *contestant,
                          struct space *space, void **product, struct error *error)
{
    struct sddmm *made = memory_zeros(1, sizeof *made, "sampled products", error);
    *product = made;
    if (!made)
        return STATUS_MEMORY;
    enum status status = contestant->sampler->create(space, A, contestant->columns, made, error);
    if (!status)
        return STATUS_OK;
    memory_free(made);
    *product = NULL;
    return status;
}

static enum status enter(void *product, const struct csr *A,
                         const struct product_contestant *contestant, struct product_result *result,
                         enum precision *vectors, struct error *error)
{
    (void)error;
    const struct sddmm *made = product;
    result->precision = *vectors = PRECISION_DOUBLE;
    result->flops = 2 * (double)A->nnz * (double)contestant->columns;
    result->bytes = made->bytes_per_apply;
    result->memory_bytes = made->memory_bytes;
    return STATUS_OK;
}

static enum status multiply(void *product, const struct product_vectors *v, struct error *error)
{
    const struct sddmm *made = product;
    return sddmm_apply(made, v->x, v->x + place_of_y(made->n, made->columns), v->y, error);
}

/* A number, because cuSPARSE may read it (cusparse_sddmm_create), and one that no sample is
 * near to. */
const struct product_table product_samples = {
    .poison = 0x1p100,
    .vector_bytes = vector_bytes,
    .setup_bytes = setup_bytes,
    .begin = begin,
    .end = end,
    .set_up = set_up,
    .destroy = destroy,
    .enter = enter,
    .multiply = multiply,
    .hash = hash,
    .judge = judge,
};
