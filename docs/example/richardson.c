/* Two steps of Richardson's iteration from 0 (Saad, Iterative Methods for Sparse Linear Systems,
 * 2nd ed. 2003, section 4.2.1), which are
 *
 *     z = (2 / omega) r - A r / omega^2
 *
 * so M^-1 = s(A) with 1 - t s(t) = (1 - t / omega)^2: M is positive definite if all eigenvalues of
 * A lie below 2 omega.
 *
 * An example for docs/preconditioners.md: this file, and PRECONDITIONER(richardson) in
 * src/precondition/preconditioners.def. */
#include "base/memory.h"
#include "precondition/chebyshev_pass.h"
#include "spmv/preconditioner.h"

#include <math.h>
#include <stdio.h>

struct richardson_options {
    double omega; /* 0: set-up takes a bound of the eigenvalues */
};

struct richardson {
    struct linear_operator *spmv;
    double omega, *y; /* y[n], in the space: A r */
};

static void destroy(void *state)
{
    struct richardson *made = state;
    if (made)
        space_release(made->spmv->space, made->y);
    memory_free(made);
}

static enum status apply(void *state, const struct operands *operands, struct error *error)
{
    const struct richardson *made = state;
    const double *r = operands->x;
    double omega = made->omega;
    struct chebyshev_pass sum = {.c = {0, 0, 2 / omega, -1 / (omega * omega)},
                                 .v = {r, r, r, made->y},
                                 .z = operands->y,
                                 .dot = operands->dot};
    enum status status = operator_apply(made->spmv, r, made->y, error);
    if (status)
        return status;
    return space_run(made->spmv->space, &chebyshev_pass, made->spmv->n, &sum, error);
}

static const struct operator_table table = {.apply = apply, .destroy = destroy};

/* The largest sum |a_i1| + ... + |a_in|, which no eigenvalue exceeds. */
static enum status bound(const struct csr *A, double *largest, struct error *error)
{
    double *sums = memory_zeros(A->n, sizeof *sums, "the sums of the rows", error);
    if (!sums)
        return STATUS_MEMORY;
    for (int64_t i = 0; i < A->n; i++)
        for (int64_t k = A->offsets[i]; k < A->offsets[i + 1]; k++) {
            sums[i] += fabs(A->values[k]);
            if (A->columns[k] != i)
                sums[A->columns[k]] += fabs(A->values[k]);
        }
    for (int64_t i = 0; i < A->n; i++)
        *largest = fmax(*largest, sums[i]);
    memory_free(sums);
    return STATUS_OK;
}

static enum status setup(const void *options, const struct csr *A, const int32_t *number,
                         struct linear_operator *spmv, struct linear_operator *made,
                         struct error *error)
{
    struct space *space = spmv->space;
    struct richardson *state = made->state =
        memory_zeros(1, sizeof *state, "the preconditioner", error);
    enum status status = STATUS_OK;
    (void)number; /* nothing is drawn for a row */
    if (!state)
        return STATUS_MEMORY;
    made->table = &table;
    *state = (struct richardson){.spmv = spmv,
                                 .omega = ((const struct richardson_options *)options)->omega};
    if (!(state->omega > 0))
        status = bound(A, &state->omega, error);
    if (status)
        return status;
    if (!(state->omega > 0 && isfinite(state->omega)))
        return error_set(error, STATUS_CONFIG,
                         "preconditioner richardson: omega = %g, the bound of A's eigenvalues, is "
                         "not above 0, or not finite",
                         state->omega);
    made->products = 1;
    made->bytes_per_apply = spmv->bytes_per_apply + (space->reductions == REDUCTIONS_BLAS ? 5 : 3) *
                                                        A->n * (int64_t)sizeof(double);
    snprintf(made->description, sizeof made->description, "omega %.6g", state->omega);
    return space_vector(space, A->n, "a product of the preconditioner", &state->y, error);
}

static int64_t setup_bytes(const void *options, const struct csr *A)
{
    (void)options;
    return A->n * (int64_t)sizeof(double);
}

static const struct parameter parameters[] = {
    {"omega", "more than half of A's largest eigenvalue; left out: a bound of it", NULL,
     TAKES_REAL(struct richardson_options, omega, 0, 1e150), .above = true, .optional = true},
    {0}};

const struct preconditioner preconditioner_richardson = {
    .component = {COMPONENT_PRECONDITIONER, "richardson", "two steps of Richardson's iteration",
                  parameters, sizeof(struct richardson_options)},
    .setup_bytes = setup_bytes,
    .setup = setup,
};
