/* librsb's side of the contests of bench/products.sh: its symmetric recursive blocks, autotuned for
 * this product and number of threads.
 *
 *     librsb product THREADS [KEY=VALUE]... CONFIG */
#include "base/clock.h"
#include "base/memory.h"
#include "bench/support/contest.h"

#include <rsb.h>

#include <math.h>
#include <stdio.h>

static const rsb_time_t TUNING_SECONDS = 20;
enum { TUNING_ROUNDS = 5 };

struct librsb {
    struct contest contest;
    struct rsb_mtx_t *A;
};

static rsb_err_t multiply(struct librsb *librsb)
{
    const double one = 1, zero = 0;
    return rsb_spmv(RSB_TRANSPOSITION_N, &one, librsb->A, librsb->contest.x, 1, &zero,
                    librsb->contest.result, 1);
}

static double batch(void *context, int64_t times)
{
    struct librsb *librsb = context;
    /* beta = 0 may multiply what is there, so no NaN may be */
    for (int64_t i = 0; i < librsb->contest.n; i++)
        librsb->contest.result[i] = 0;
    rsb_err_t failed = multiply(librsb);
    double begin = clock_seconds();
    for (int64_t k = 0; k < times; k++)
        failed |= multiply(librsb);
    return failed ? NAN : (clock_seconds() - begin) / (double)times;
}

/* Its offsets are 32 bits wide. */
static enum status create(struct librsb *librsb, struct error *error)
{
    const struct csr *A = &librsb->contest.system.A;
    if (A->nnz > INT32_MAX)
        return error_set(error, STATUS_CONFIG, "more entries than librsb's indices can count");
    rsb_coo_idx_t *offsets = memory_array(A->n + 1, sizeof *offsets, "the offsets", error);
    if (!offsets)
        return STATUS_MEMORY;
    for (int64_t i = 0; i <= A->n; i++)
        offsets[i] = (rsb_coo_idx_t)A->offsets[i];
    rsb_err_t failed = RSB_ERR_NO_ERROR;
    librsb->A = rsb_mtx_alloc_from_csr_const(
        A->values, offsets, A->columns, (rsb_nnz_idx_t)A->nnz, RSB_NUMERICAL_TYPE_DOUBLE,
        (rsb_coo_idx_t)A->n, (rsb_coo_idx_t)A->n, 0, 0, RSB_FLAG_UPPER_SYMMETRIC, &failed);
    memory_free(offsets);
    if (!librsb->A || failed)
        return error_set(error, STATUS_MEMORY, "librsb failed to set up");
    const double one = 1, zero = 0;
    failed = rsb_tune_spmm(&librsb->A, NULL, NULL, TUNING_ROUNDS, TUNING_SECONDS,
                           RSB_TRANSPOSITION_N, &one, NULL, 1, RSB_FLAG_WANT_COLUMN_MAJOR_ORDER,
                           librsb->contest.x, 0, &zero, librsb->contest.result, 0);
    return failed ? error_set(error, STATUS_MEMORY, "librsb failed to tune") : STATUS_OK;
}

/* The values, the indices that it has chosen, and x and y once. */
static double byte_model(const struct librsb *librsb)
{
    size_t index_bytes = 0;
    rsb_mtx_get_info(librsb->A, RSB_MIF_INDEX_STORAGE_IN_BYTES__TO__SIZE_T, &index_bytes);
    return 8.0 * (double)librsb->contest.system.A.nnz + (double)index_bytes +
           16.0 * (double)librsb->contest.n;
}

static enum status compete(struct librsb *librsb, int argc, char *argv[], struct error *error)
{
    struct contest *contest = &librsb->contest;
    enum status status = contest_open(argc, argv, contest, error);
    if (!status && contest->cg)
        status = error_set(error, STATUS_CONFIG, "librsb has no solver");
    rsb_int_t threads = contest->threads;
    if (!status && (rsb_lib_init(RSB_NULL_INIT_OPTIONS) ||
                    rsb_lib_set_opt(RSB_IO_WANT_EXECUTING_THREADS, &threads)))
        status = error_set(error, STATUS_UNAVAILABLE, "librsb does not start");
    if (!status)
        status = create(librsb, error);
    if (status)
        return status;
    double bytes = byte_model(librsb);
    contest_drop_matrix(contest);
    return contest_compete(contest, "librsb " RSB_LIBRSB_VER_STRING, bytes, batch, librsb, error);
}

int main(int argc, char *argv[])
{
    struct error error;
    struct librsb librsb = {0};
    enum status status = compete(&librsb, argc, argv, &error);
    rsb_mtx_free(librsb.A);
    rsb_lib_exit(RSB_NULL_EXIT_OPTIONS);
    contest_close(&librsb.contest);
    return contest_end(status, &error);
}
