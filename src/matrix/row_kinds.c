#include "matrix/row_kinds.h"

#include "base/memory.h"

#include <string.h>

/* The kinds of an axis get numbers in the order in which they occur; at[place] = step number. */
static void list_axis(const struct csr *A, int axis, int step, struct row_kinds *kinds)
{
    int number[CSR_KINDS_MAX];
    memset(number, -1, sizeof number);
    for (int64_t place = 0; place < kinds->n[axis]; place++) {
        int *own = &number[A->maker->kinds->kind(A->maker_options, axis, place)];
        if (*own < 0) {
            *own = kinds->count[axis]++;
            kinds->first[axis][*own] = place;
        }
        kinds->often[axis][*own]++;
        kinds->at[axis][place] = (uint16_t)(step * *own);
    }
}

enum status row_kinds_create(const struct csr *A, struct row_kinds *kinds, struct error *error)
{
    *kinds = (struct row_kinds){0};
    int64_t *n = kinds->n;
    A->maker->kinds->sizes(A->maker_options, n);
    kinds->at[0] =
        memory_array(n[0] + n[1] + n[2], sizeof *kinds->at[0], "the kinds of rows", error);
    if (!kinds->at[0])
        return STATUS_MEMORY;
    kinds->at[1] = kinds->at[0] + n[0];
    kinds->at[2] = kinds->at[1] + n[1];
    for (int axis = 0, step = 1; axis < 3; step *= kinds->count[axis++])
        list_axis(A, axis, step, kinds);
    return STATUS_OK;
}

void row_kinds_free(struct row_kinds *kinds)
{
    memory_free(kinds->at[0]);
    *kinds = (struct row_kinds){0};
}

int row_kinds_count(const struct row_kinds *kinds)
{
    return kinds->count[0] * kinds->count[1] * kinds->count[2];
}

int64_t row_kinds_first(const struct row_kinds *kinds, int kind, int64_t *often)
{
    int64_t row = 0, stride = 1;
    *often = 1;
    for (int axis = 0; axis < 3; axis++) {
        int own = kind % kinds->count[axis];
        kind /= kinds->count[axis];
        row += stride * kinds->first[axis][own];
        *often *= kinds->often[axis][own];
        stride *= kinds->n[axis];
    }
    return row;
}
