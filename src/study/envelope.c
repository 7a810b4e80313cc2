#include "study/envelope.h"

#include "base/memory.h"
#include "study/comparison.h"

#include <math.h>
#include <stdbool.h>

static bool is_below(double a, double b)
{
    return !isnan(a) && (isnan(b) || a < b);
}

enum status envelope_take(struct envelope *envelope, int64_t iteration, double residual,
                          struct error *error)
{
    if (iteration >= envelope->count) {
        enum status status =
            memory_grow((void **)&envelope->rows, &envelope->capacity, iteration + 1,
                        sizeof *envelope->rows, "the envelope of the residuals", error);
        if (status)
            return status;
        envelope->rows[iteration] = (struct envelope_row){0, residual, residual};
        envelope->count = iteration + 1;
    }
    struct envelope_row *row = &envelope->rows[iteration];
    row->runs++;
    if (is_below(residual, row->lowest))
        row->lowest = residual;
    if (is_below(row->highest, residual))
        row->highest = residual;
    return STATUS_OK;
}

int64_t envelope_first_difference(const struct envelope *envelope, int64_t runs)
{
    for (int64_t k = 0; k < envelope->count; k++) {
        const struct envelope_row *row = &envelope->rows[k];
        if (row->runs < runs || is_below(row->lowest, row->highest))
            return k;
    }
    return -1;
}

int64_t envelope_first_apart(const struct envelope *envelope, double relative)
{
    for (int64_t k = 0; k < envelope->count; k++)
        if (difference_relative(envelope->rows[k].highest, envelope->rows[k].lowest) >= relative)
            return k;
    return -1;
}

void envelope_free(struct envelope *envelope)
{
    memory_free(envelope->rows);
    *envelope = (struct envelope){0};
}
