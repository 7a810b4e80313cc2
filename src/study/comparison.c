#include "study/comparison.h"

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

double difference_relative(double here, double reference)
{
    if (is_same(here, reference))
        return 0;
    if (!isfinite(here) || !isfinite(reference) || reference == 0)
        return INFINITY;
    return fabs(here - reference) / fabs(reference);
}

static bool passes(const struct comparison_rule *rule, double here, double reference)
{
    switch (rule->mode) {
    case COMPARISON_BITWISE:
        break;
    case COMPARISON_ULPS:
        return difference_ulps(here, reference) <= rule->ulps;
    case COMPARISON_RELATIVE:
        return difference_relative(here, reference) <= rule->relative;
    }
    return is_same(here, reference);
}

struct comparison comparison_make(const struct comparison_rule *rule, const double *here,
                                  int64_t here_count, const double *reference,
                                  int64_t reference_count)
{
    const struct residual_pair none = {.iteration = -1};
    struct comparison made = {here_count - 1, reference_count - 1, none, none, none, 0, true};
    double distance = 0;
    for (int64_t k = 0; k < here_count && k < reference_count; k++) {
        struct residual_pair pair = {k, here[k], reference[k]};
        if (is_same(here[k], reference[k]))
            continue;
        if (made.first_bits.iteration < 0)
            made.first_bits = pair;
        if (made.farthest.iteration < 0 || difference_relative(here[k], reference[k]) > distance) {
            made.farthest = pair;
            distance = difference_relative(here[k], reference[k]);
        }
        if (passes(rule, here[k], reference[k]))
            continue;
        if (made.failures++ == 0)
            made.first = pair;
    }
    int64_t longer = made.here - made.reference;
    made.counts_pass = (longer < 0 ? -longer : longer) <= rule->iterations;
    return made;
}

bool comparison_passes(const struct comparison *comparison)
{
    return comparison->failures == 0 && comparison->counts_pass;
}
