#include "program/report/ritz_values.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

enum {
    COLUMNS = 96,
    LARGEST = 1000 /* vectors of a basis */
};

/* The eigenvalues of T of size m count m^2; so many take some seconds. */
static const double MOST_WORK = 1e8;

/* How far the file's extreme Ritz values may be from those of T, over ||A||. */
static const double SAME = 1e-10;

static bool read_options(const struct summary *summary, struct eigen_options *options)
{
    json_t *eigen = json_object_get(json_object_get(summary->json, "solver"), "eigen");
    json_int_t count, restart;
    const char *which;
    if (json_unpack(eigen, "{s:I s:s s:F s:I}", "count", &count, "which", &which, "tolerance",
                    &options->tolerance, "restart", &restart) != 0)
        return false;
    int place = 0;
    while (eigen_which_names[place] && strcmp(eigen_which_names[place], which) != 0)
        place++;
    if (!eigen_which_names[place] || count < 1 || count > LARGEST / 2 || restart < 0)
        return false;
    options->count = count;
    options->which = (enum eigen_which)place;
    options->restart = restart;
    int64_t most = ritz_restart(options, summary->n), wanted = ritz_wanted(options, summary->n);
    return most >= 2 && most <= LARGEST && (most >= wanted + 2 || most == summary->n);
}

enum status ritz_values_begin(const struct summary *summary, int64_t iterations,
                              struct ritz_values *values, struct error *error)
{
    struct eigen_options options = {0};
    *values = (struct ritz_values){.ended = !read_options(summary, &options),
                                   .every = (iterations - 1) / COLUMNS + 1};
    if (values->ended)
        return STATUS_OK;
    enum status status = ritz_begin(&values->T, &options, summary->n, error);
    if (!status)
        values->border = memory_array(values->T.most, sizeof(double), "a border", error);
    return status || values->border ? status : STATUS_MEMORY;
}

void ritz_values_free(struct ritz_values *values)
{
    ritz_free(&values->T);
    memory_free(values->border);
    memory_free(values->points);
    *values = (struct ritz_values){0};
}

static enum status take_points(struct ritz_values *values, int64_t iteration, struct error *error)
{
    const struct ritz *T = &values->T;
    enum status status =
        memory_grow((void **)&values->points, &values->capacity, values->count + T->size,
                    sizeof *values->points, "the Ritz values", error);
    for (int64_t i = 0; i < T->size && !status; i++)
        values->points[values->count++] = (struct ritz_point){
            .iteration = iteration, .theta = T->theta[i], .converged = ritz_has_converged(T, i)};
    return status;
}

enum status ritz_values_take(struct ritz_values *values, int64_t iteration, double alpha,
                             double beta, double low, double high, struct error *error)
{
    struct ritz *T = &values->T;
    enum status status = STATUS_OK;
    if (values->ended)
        return STATUS_OK;
    if (T->size == T->most) {
        status = ritz_vectors(T, error);
        if (!status)
            ritz_restart_basis(T, false, values->border);
    }
    if (!status)
        status = ritz_append(T, alpha, beta, error);
    if (status)
        return status;
    int64_t size = T->size, wanted = T->low + T->high;
    double apart = fmax(fabs(T->theta[0] - low), fabs(T->theta[size - 1] - high));
    bool same = apart <= SAME * T->norm;
    bool found = size >= wanted && ritz_converged(T) == wanted && ritz_can_be_locked(T);
    values->work += (double)(size * size);
    values->ended = !same || found || values->work > MOST_WORK;
    if (!same)
        return STATUS_OK;
    values->last = iteration;
    bool shown = iteration % values->every == 0 || values->ended;
    return shown ? take_points(values, iteration, error) : STATUS_OK;
}
