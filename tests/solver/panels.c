#include "solver/panels.h"

#include "support.h"

#include <math.h>
#include <string.h>

static double *array(int64_t count)
{
    struct error error;
    double *made = memory_array(count, sizeof *made, "a test vector", &error);
    ck_assert_ptr_nonnull(made);
    for (int64_t i = 0; i < count; i++)
        made[i] = NAN;
    return made;
}

static void randomise(double *v, int64_t n, uint64_t *state)
{
    for (int64_t i = 0; i < n; i++)
        v[i] = ldexp(2 * test_random(state) - 1, (int)(i % 7) - 3);
}

struct panels panels_create(int64_t n, int64_t count, uint64_t *state)
{
    struct panels made = {.n = n};
    int64_t stride = n + 1 + test_random_below(state, 20);
    made.places = (count + 1) * stride;
    made.V = (struct panel){array(made.places), stride, count};
    made.w = array(n + 1);
    made.c = array(count + 1);
    made.S = array(count * count);
    for (int64_t k = 0; k < count; k++)
        randomise(made.V.values + k * stride, n, state);
    randomise(made.w, n, state);
    randomise(made.S, count * count, state);
    return made;
}

static void copy(int64_t count, const double *of, double **made)
{
    *made = array(count);
    memcpy(*made, of, (size_t)count * sizeof *of);
}

struct panels panels_copy(const struct panels *panels)
{
    struct panels made = *panels;
    int64_t count = panels->V.count;
    copy(panels->places, panels->V.values, &made.V.values);
    copy(panels->n + 1, panels->w, &made.w);
    copy(count + 1, panels->c, &made.c);
    copy(count * count, panels->S, &made.S);
    return made;
}

void panels_free(struct panels *panels)
{
    memory_free(panels->V.values);
    memory_free(panels->w);
    memory_free(panels->c);
    memory_free(panels->S);
}
