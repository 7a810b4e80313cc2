/* Random vectors side by side, with NaN in all places that are not to be used. */
#ifndef TESTS_SOLVER_PANELS_H
#define TESTS_SOLVER_PANELS_H

#include "solver/lanczos/basis_products.h"

struct panels {
    struct panel V; /* [places]: a column more than V.count, and a stride above n */
    int64_t n, places;
    double *w; /* [n], and one behind it */
    double *c; /* [V.count], and one behind it: NaN */
    double *S; /* [V.count * V.count] */
};

/* The caller calls panels_free. */
struct panels panels_create(int64_t n, int64_t count, uint64_t *state);
struct panels panels_copy(const struct panels *panels);
void panels_free(struct panels *panels);

#endif
