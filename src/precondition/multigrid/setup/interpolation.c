#include "precondition/multigrid/setup/interpolation.h"

#include "precondition/multigrid/setup/interpolation_rows.h"
#include "space/rows.h"

#include <string.h>

/* The arrays of P, in one order. */
enum { ARRAYS = 6 };
struct array {
    void **of;
    int64_t bytes;
};

static void arrays_of(struct interpolation *P, int64_t element, struct array arrays[ARRAYS])
{
    int64_t index = (int64_t)sizeof(int32_t);
    const struct array all[ARRAYS] = {
        {&P->values, P->blocks * P->block * P->width * element},
        {(void **)&P->offsets, (P->fine + 1) * (int64_t)sizeof *P->offsets},
        {(void **)&P->columns, P->blocks * index},
        {(void **)&P->nodes, P->blocks * index},
        {(void **)&P->order, P->blocks * index},
        {(void **)&P->begins, (P->coarse + 2) * index}};
    memcpy(arrays, all, sizeof all);
}

static enum status round_values(struct interpolation *P, struct error *error)
{
    struct rounding by = {.from = P->values};
    int64_t count = P->blocks * P->block * P->width;
    enum status status = rows_array(P->space, count, sizeof *by.rounded, "the interpolation",
                                    (void **)&by.rounded, error);
    if (!status)
        status = rows_run(P->space, &pass_rounding, count, &by, error);
    rows_release(P->space, P->values);
    P->values = by.rounded;
    return status;
}

enum status interpolation_keep(struct space *space, bool single, struct interpolation *made,
                               struct interpolation *kept, struct error *error)
{
    enum status status = single ? round_values(made, error) : STATUS_OK;
    if (status)
        return status;
    *kept = *made;
    if (made->space || space->operations->kind == SPACE_CPU) {
        *made = (struct interpolation){0};
        return STATUS_OK;
    }
    struct array from[ARRAYS], to[ARRAYS];
    kept->space = space;
    arrays_of(made, single ? sizeof(float) : sizeof(double), from);
    arrays_of(kept, 0, to);
    for (int k = 0; k < ARRAYS; k++)
        *to[k].of = NULL;
    for (int k = 0; k < ARRAYS && !status; k++) {
        status = rows_array(space, from[k].bytes, 1, "the interpolation", to[k].of, error);
        if (!status)
            status = space->operations->upload(space, from[k].bytes, *from[k].of, *to[k].of, error);
    }
    return status;
}

int64_t interpolation_bytes(const struct interpolation *P, int64_t element)
{
    struct interpolation copy = *P;
    struct array arrays[ARRAYS];
    int64_t bytes = 0;
    arrays_of(&copy, element, arrays);
    for (int k = 0; k < ARRAYS && P->blocks > 0; k++)
        bytes += arrays[k].bytes;
    return bytes;
}

void interpolation_free(struct interpolation *P)
{
    struct array arrays[ARRAYS];
    arrays_of(P, 0, arrays);
    for (int k = 0; k < ARRAYS; k++)
        rows_release(P->space, *arrays[k].of);
    *P = (struct interpolation){0};
}
