#include "precondition/diagonal.h"

#include "base/memory.h"
#include "space/define_pass.h"

#include <inttypes.h>
#include <math.h>

struct inversion {
    struct csr A;
    double *doubles; /* or NULL: */
    float *singles;
    struct diagonal_nothing nothing;
    bool looks_right;
};

/* The greatest n - i of a wrong row i, and the greatest a_ii; sum: as diagonal_found.positive. */
FIND_AT(inverting, inversion)
{
    const struct csr_row row = csr_row_at(&work->A, i);
    double a = row.values[0];
    bool nothing = a >= work->nothing.from && a <= work->nothing.until;
    double inverse = nothing ? 0 : 1 / a;
    if (work->doubles)
        work->doubles[i] = inverse;
    else
        work->singles[i] = (float)inverse;
    found_most(found, 1, a);
    if (!nothing && !(a > 0 && (work->doubles ? isfinite(inverse) : isfinite((float)inverse))))
        found_most(found, 0, (double)(work->A.n - i));
    for (int64_t k = 1; work->looks_right && !found->sum && k < row.count; k++)
        found->sum = !(row.values[k] <= 0);
}

FIND(find_inverse, inverting, inversion, "the diagonal")

#ifndef __CUDACC__
enum status diagonal_value(const struct csr *A, int64_t row, double *value, struct error *error)
{
    int64_t place;
    if (!A->offsets) /* it has codes on a device, and its arrays on the host */
        A = A->host;
    struct space *space = A->space;
    if (!space) {
        *value = A->values[A->offsets[row]];
        return STATUS_OK;
    }
    enum status status =
        space->operations->download(space, sizeof place, A->offsets + row, &place, error);
    return status ? status : space_download(space, 1, A->values + place, value, error);
}

enum status diagonal_fault(const char *name, const struct csr *A, int64_t row, double value,
                           struct error *error)
{
    return error_set(error, STATUS_CONFIG,
                     "preconditioner %s: row %" PRId64 " has %g on the diagonal, %s", name, row + 1,
                     ldexp(value, A->exponent),
                     value > 0 ? "whose inverse overflows" : "which must be above 0");
}

const struct diagonal_options diagonal_plain = {.nothing = {1, 0}};

enum status diagonal_invert(struct space *space, const struct csr *A,
                            const struct diagonal_options *options, void *inverse,
                            struct diagonal_found *found, struct error *error)
{
    struct found looked;
    bool singles = options->singles;
    size_t size = singles ? sizeof(float) : sizeof(double);
    bool moves = !A->space && space->operations->kind != SPACE_CPU;
    void *made = moves ? memory_array(A->n, size, "the diagonal", error) : inverse;
    if (!made)
        return STATUS_MEMORY;
    struct inversion work = {*A, singles ? NULL : made, singles ? made : NULL, options->nothing,
                             options->looks_right};
    enum status status = space_find(A->space, &find_inverse, A->n, &work, &looked, error);
    if (!status && moves)
        status = space->operations->upload(space, A->n * (int64_t)size, made, inverse, error);
    if (moves)
        memory_free(made);
    if (status)
        return status;
    bool is_wrong = looked.most[0] > 0;
    *found = (struct diagonal_found){.wrong = is_wrong ? A->n - (int64_t)looked.most[0] : A->n,
                                     .largest = looked.most[1],
                                     .positive = looked.sum > 0};
    return is_wrong ? diagonal_value(A, found->wrong, &found->value, error) : STATUS_OK;
}
#endif
