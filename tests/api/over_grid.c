#include "api/over_grid.h"

#include "support.h"

#include "solver/solve.h"
#include "spmv/kernel.h"

#include <string.h>

static int32_t offsets[HANDLES_N + 1], columns[4 * HANDLES_N];
static double entries[4 * HANDLES_N];

void handles_prepare(void)
{
    struct csr A;
    if (offsets[HANDLES_N])
        return;
    grid(HANDLES_SIDE, 100, &A);
    for (int i = 0; i <= HANDLES_N; i++)
        offsets[i] = (int32_t)A.offsets[i];
    memcpy(columns, A.columns, (size_t)A.nnz * sizeof *columns);
    memcpy(entries, A.values, (size_t)A.nnz * sizeof *entries);
    csr_free(&A);
}

enum cgs_status handles_create(const char *const *kernel, const char *const *solver, int threads,
                               struct handles *made, struct cgs_error *error)
{
    handles_prepare();
    struct cgs_context_options options = {.size = sizeof options, .threads = threads};
    struct cgs_matrix_data data = {.size = sizeof data,
                                   .n = HANDLES_N,
                                   .offsets = cgs_int32(offsets, HANDLES_N + 1),
                                   .columns = cgs_int32(columns, offsets[HANDLES_N]),
                                   .values = cgs_vector(entries, offsets[HANDLES_N]),
                                   .part = CGS_UPPER};
    *made = (struct handles){NULL};
    enum cgs_status status = cgs_context_create(&options, &made->context, error);
    if (!status)
        status = cgs_matrix_create(made->context, &data, &made->A, error);
    if (!status)
        status = cgs_operator_create(made->A, kernel, &made->kernel, error);
    if (!status)
        status = cgs_solver_create(made->kernel, solver, &made->solver, error);
    return status;
}

void handles_destroy(struct handles *handles)
{
    cgs_solver_destroy(handles->solver);
    cgs_operator_destroy(handles->kernel);
    cgs_matrix_destroy(handles->A);
    cgs_context_destroy(handles->context);
}

struct cgs_array vec(const double *v)
{
    return cgs_vector(v, HANDLES_N);
}

struct cgs_array grid_array(const double *v, int64_t count, int64_t row_stride,
                            int64_t column_stride)
{
    return (struct cgs_array){(void *)(uintptr_t)v, HANDLES_N,     count,
                              row_stride,           column_stride, .type = CGS_DOUBLE};
}

void expect(enum cgs_status status, const struct cgs_error *error)
{
    expect_ok((enum status)status, (const struct error *)error);
}

enum cgs_status no_cuda_here(void)
{
    return kernel_unavailable(kernel_find("cuda_csr_vector")) ? CGS_UNAVAILABLE : CGS_BAD_OPTION;
}
