#include "problem/rhs.h"

#include "base/memory.h"
#include "base/random.h"

#include <inttypes.h>
#include <math.h>

static void fill(int64_t n, double value, double *v)
{
    for (int64_t i = 0; i < n; i++)
        v[i] = value;
}

enum status rhs_fill(const struct rhs *rhs, const struct csr *A, double shift, double *b,
                     struct error *error)
{
    if (rhs->type == RHS_ONES) {
        fill(A->n, 1, b);
    } else if (rhs->type == RHS_UNIT) {
        if (rhs->row < 1 || rhs->row > A->n)
            return error_set(error, STATUS_CONFIG,
                             "rhs.row = %" PRId64 ": the matrix has the rows 1 to %" PRId64,
                             rhs->row, A->n);
        fill(A->n, 0, b);
        b[rhs->row - 1] = 1;
    } else if (rhs->type == RHS_RANDOM) {
        random_vector(rhs->seed, A->n, b);
    } else if (rhs->type == RHS_SOLUTION) {
        double *x = memory_array(A->n, sizeof *x, "the known solution", error);
        if (!x)
            return STATUS_MEMORY;
        if (rhs->solution == SOLUTION_ONES)
            fill(A->n, 1, x);
        else
            random_vector(rhs->seed, A->n, x);
        csr_multiply(A, x, b);
        for (int64_t i = 0; i < A->n && shift != 0; i++)
            b[i] = fma(shift, x[i], b[i]);
        memory_free(x);
    } else {
        return error_set(error, STATUS_CONFIG, "the right-hand side of a file is read, not filled");
    }
    return STATUS_OK;
}
