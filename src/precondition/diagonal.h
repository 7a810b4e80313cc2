/* The inverse of a diagonal. */
#ifndef PRECONDITION_DIAGONAL_H
#define PRECONDITION_DIAGONAL_H

#include "matrix/csr.h"
#include "space/space.h"

#include <stdbool.h>
#include <stdint.h>

/* Elements that are taken for 0: their inverse is 0, and they are not wrong. Where from > until
 * there are none. */
struct diagonal_nothing {
    double from, until;
};

struct diagonal_options {
    struct diagonal_nothing nothing;
    bool singles;     /* the inverse is */
    bool looks_right; /* for positive entries right of the diagonal */
};

extern const struct diagonal_options diagonal_plain; /* doubles; no element is taken for 0 */

struct diagonal_found {
    int64_t wrong;    /* the first row that is wrong; n: there is none */
    double value;     /* its a_ii */
    double largest;   /* of all a_ii */
    int64_t positive; /* 0: no entry right of the diagonal is above 0, or it was not looked for */
};

/* inverse_i = 1 / a_ii, in doubles or singles; a row is wrong in which it is not above 0 and
 * finite. A on the host or in the memory of the space; inverse[n] in the space. Errors:
 * STATUS_MEMORY, STATUS_DEVICE. */
enum status diagonal_invert(struct space *space, const struct csr *A,
                            const struct diagonal_options *options, void *inverse,
                            struct diagonal_found *found, struct error *error);

/* *value = a_ii of that row, also of an A in the memory of a space. Errors: STATUS_DEVICE. */
enum status diagonal_value(const struct csr *A, int64_t row, double *value, struct error *error);

/* STATUS_CONFIG: the preconditioner has no inverse of that row's diagonal entry, `value`. */
enum status diagonal_fault(const char *name, const struct csr *A, int64_t row, double value,
                           struct error *error);

#endif
