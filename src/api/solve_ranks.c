/* A solve over ranks: redistributes b, x0 and x from the caller's rows to those of the space, and
 * back. */
#include "api/ranks.h"
#include "api/solve.h"
#include "space/ranks/rank_vector.h"

#include <math.h>

/* In the space's distribution (space/ranks/rank_vector.h). */
struct vectors {
    double *b, *x0, *x;
};

static enum status create(const struct partition *parts, bool starts, struct vectors *made,
                          struct error *error)
{
    size_t size = sizeof(double);
    *made = (struct vectors){.b = rank_vector_create(parts, parts->n, size, "b", error)};
    if (made->b)
        made->x = rank_vector_create(parts, parts->n, size, "x", error);
    if (made->x && starts)
        made->x0 = rank_vector_create(parts, parts->n, size, "x0", error);
    return made->x && (made->x0 || !starts) ? STATUS_OK : STATUS_MEMORY;
}

/* Whether ||b|| is finite and not 0; else a solve from x_0 has no relative tolerance. */
static enum status has_norm(const struct cgs_context *context, const double *b, int64_t rows,
                            bool *has, struct error *error)
{
    int64_t found[2] = {0, 0}; /* nonzero elements, and elements that are not finite */
    for (int64_t i = 0; i < rows; i++) {
        found[0] += b[i] != 0;
        found[1] += !isfinite(b[i]);
    }
    enum status status = api_ranks_sum(context, &found[0], error);
    if (!status)
        status = api_ranks_sum(context, &found[1], error);
    *has = found[0] > 0 && found[1] == 0;
    return status;
}

static enum status solve_column(struct cgs_solver *solver, const struct api_system *system,
                                int64_t j, const struct vectors *of, struct solver_result *found,
                                struct error *error)
{
    const struct api_division *rows = api_division_of(solver->kernel);
    int64_t given = api_given_rows(solver->kernel), first = partition_first(&rows->parts);
    bool from_x0 = false;
    const double *b = system->b + j * given, *x0 = system->x0 ? system->x0 + j * given : NULL;
    enum status status = api_division_take(rows, b, of->b + first, error);
    if (!status && system->starts)
        status = has_norm(solver->kernel->context, b, given, &from_x0, error);
    if (!status && from_x0)
        status = api_division_take(rows, x0, of->x0 + first, error);
    const struct api_system own = {
        .columns = 1, .b = of->b, .x0 = from_x0 ? of->x0 : NULL, .x = of->x};
    if (!status)
        status = api_solve_part(solver, &own, j, found, error);
    return status ? status : api_division_give(rows, of->x + first, system->x + j * given, error);
}

enum status api_solve_over_ranks(struct cgs_solver *solver, const struct api_system *system,
                                 struct solver_result *found, struct error *error)
{
    const struct partition *parts = &api_division_of(solver->kernel)->parts;
    struct vectors vectors;
    enum status status = create(parts, system->starts, &vectors, error);
    for (int64_t j = 0; j < system->columns && !status; j++)
        status = solve_column(solver, system, j, &vectors, &found[j], error);
    rank_vector_free(parts, parts->n, sizeof(double), vectors.b);
    rank_vector_free(parts, parts->n, sizeof(double), vectors.x0);
    rank_vector_free(parts, parts->n, sizeof(double), vectors.x);
    return status;
}
