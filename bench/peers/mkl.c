/* MKL's side of the contests of bench/products.sh.
 *
 *     mkl product THREADS plain|optimized [KEY=VALUE]... CONFIG
 *
 * The full matrix in CSR, with 32-bit offsets. plain: as it is; optimized: after
 * mkl_sparse_optimize with the hint that many products follow, which may keep another form of it.
 * Its threads are those of OpenMP. */
#include "base/clock.h"
#include "base/memory.h"
#include "bench/support/contest.h"
#include "matrix/csr.h"

#include <mkl_service.h>
#include <mkl_spblas.h>

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct matrix_descr general = {.type = SPARSE_MATRIX_TYPE_GENERAL};

struct competitor {
    struct contest contest;
    bool optimized;
    struct csr full;
    MKL_INT *offsets; /* [n + 1] */
    sparse_matrix_t A;
};

static double batch(void *context, int64_t times)
{
    struct competitor *own = context;
    struct contest *contest = &own->contest;
    double begin = 0;
    for (int64_t k = -1; k < times; k++) {
        if (k == 0)
            begin = clock_seconds();
        if (mkl_sparse_d_mv(SPARSE_OPERATION_NON_TRANSPOSE, 1, own->A, general, contest->x, 0,
                            contest->result) != SPARSE_STATUS_SUCCESS)
            return NAN;
    }
    return (clock_seconds() - begin) / (double)times;
}

static enum status check(sparse_status_t result, const char *what, struct error *error)
{
    return result == SPARSE_STATUS_SUCCESS
               ? STATUS_OK
               : error_set(error, STATUS_INPUT, "MKL: %s: status %d", what, (int)result);
}

static enum status create(struct competitor *own, struct error *error)
{
    struct csr *full = &own->full;
    enum status status = csr_expand(&own->contest.system.A, full, error);
    if (status)
        return status;
    if (full->nnz > INT_MAX)
        return error_set(error, STATUS_CONFIG, "more entries than an int can count");
    own->offsets = memory_array(full->n + 1, sizeof *own->offsets, "the offsets", error);
    if (!own->offsets)
        return STATUS_MEMORY;
    for (int64_t i = 0; i <= full->n; i++)
        own->offsets[i] = (MKL_INT)full->offsets[i];
    mkl_set_num_threads(own->contest.threads);
    status = check(mkl_sparse_d_create_csr(&own->A, SPARSE_INDEX_BASE_ZERO, (MKL_INT)full->n,
                                           (MKL_INT)full->n, own->offsets, own->offsets + 1,
                                           full->columns, full->values),
                   "create", error);
    if (!status && own->optimized)
        status =
            check(mkl_sparse_set_mv_hint(own->A, SPARSE_OPERATION_NON_TRANSPOSE, general, 1000000),
                  "hint", error);
    if (!status && own->optimized)
        status = check(mkl_sparse_optimize(own->A), "optimize", error);
    return status;
}

static enum status compete(struct competitor *own, int argc, char *argv[], struct error *error)
{
    struct contest *contest = &own->contest;
    enum status status = contest_open(argc, argv, contest, error);
    if (!status && contest->cg)
        status = error_set(error, STATUS_CONFIG, "MKL's solver is not compared");
    if (!status)
        status = create(own, error);
    if (status)
        return status;
    contest_drop_matrix(contest);
    MKLVersion version;
    char library[64];
    mkl_get_version(&version);
    snprintf(library, sizeof library, "MKL %d.%d", version.MajorVersion, version.UpdateVersion);
    double bytes =
        12.0 * (double)own->full.nnz + 4.0 * (double)contest->n + 16.0 * (double)contest->n;
    return contest_compete(contest, library, bytes, batch, own, error);
}

int main(int argc, char *argv[])
{
    struct error error;
    struct competitor own = {0};
    if (argc < 5) {
        fprintf(stderr, "usage: mkl product THREADS plain|optimized [KEY=VALUE]... CONFIG\n");
        return 2;
    }
    own.optimized = strcmp(argv[3], "optimized") == 0;
    argv[3] = argv[2]; /* what the contest reads stands together */
    argv[2] = argv[1];
    argv[1] = argv[0];
    enum status status = compete(&own, argc - 1, argv + 1, &error);
    if (own.A)
        mkl_sparse_destroy(own.A);
    memory_free(own.offsets);
    csr_free(&own.full);
    contest_close(&own.contest);
    return contest_end(status, &error);
}
