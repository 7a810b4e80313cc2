#include "study/comparison.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

/* The doubles from 0 to infinity, numbered in their order: IEEE 754 orders them as their bits. */
static int64_t place_of(double value)
{
    int64_t place;
    memcpy(&place, &value, sizeof place);
    return place;
}

static bool is_same(double a, double b)
{
    return isnan(a) || isnan(b) ? isnan(a) && isnan(b) : place_of(a) == place_of(b);
}

int64_t difference_ulps(double a, double b)
{
    if (is_same(a, b))
        return 0;
    if (isnan(a) || isnan(b))
        return INT64_MAX;
    int64_t distance = place_of(a) - place_of(b);
    return distance < 0 ? -distance : distance;
}

double difference_relative(double history, double reference)
{
    if (is_same(history, reference))
        return 0;
    if (!isfinite(history) || !isfinite(reference) || reference == 0)
        return INFINITY;
    return fabs(history - reference) / fabs(reference);
}

static bool passes(const struct comparison_rule *rule, double history, double reference)
{
    switch (rule->mode) {
    case COMPARISON_BITWISE:
        break;
    case COMPARISON_ULPS:
        return difference_ulps(history, reference) <= rule->ulps;
    case COMPARISON_RELATIVE:
        return difference_relative(history, reference) <= rule->relative;
    }
    return is_same(history, reference);
}

struct comparison comparison_begin(int64_t count)
{
    const struct residual_pair none = {.iteration = -1};
    return (struct comparison){-1, count - 1, none, none, none, 0, false};
}

/* Two residuals that are not the same. */
static void take_difference(const struct comparison_rule *rule, struct residual_pair pair,
                            struct comparison *made)
{
    const struct residual_pair *farthest = &made->farthest;
    if (made->first_bits.iteration < 0)
        made->first_bits = pair;
    if (farthest->iteration < 0 || difference_relative(pair.history, pair.reference) >
                                       difference_relative(farthest->history, farthest->reference))
        made->farthest = pair;
    if (!passes(rule, pair.history, pair.reference) && made->failures++ == 0)
        made->first = pair;
}

void comparison_take(const struct comparison_rule *rule, double history, const double *reference,
                     struct comparison *made)
{
    int64_t iteration = ++made->history, longer = iteration - made->reference;
    made->counts_pass = (longer < 0 ? -longer : longer) <= rule->iterations;
    if (longer > 0 || is_same(history, reference[iteration]))
        return;
    take_difference(rule, (struct residual_pair){iteration, history, reference[iteration]}, made);
}

bool comparison_passes(const struct comparison *comparison)
{
    return comparison->failures == 0 && comparison->counts_pass;
}

/* ---- the residuals of several runs ----------------------------------------------------------- */

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
