#include "program/config/complaints.h"

#include "problem/grid.h"

static const char too_many_rows[] = "the product of the sizes passes 2147483647 rows";

const char *sizes_complaint(const struct settings *settings)
{
    return grid_rows(settings->problem.poisson3d.n) < 0 ? too_many_rows : NULL;
}

const char *convection_complaint(const struct settings *settings)
{
    return grid_rows(settings->problem.convection3d.n) < 0 ? too_many_rows : NULL;
}

const char *velocity_complaint(const struct settings *settings)
{
    const double *velocity = settings->problem.convection3d.velocity;
    return velocity[0] == 0 && velocity[1] == 0 && velocity[2] == 0 ? "not every component can be 0"
                                                                    : NULL;
}

const char *network_complaint(const struct settings *settings)
{
    return grid_rows(settings->problem.network.n) < 0 ? too_many_rows : NULL;
}

const char *tied_nodes_complaint(const struct settings *settings)
{
    return tied_complaint(settings->problem.tied.n);
}

const char *layers_rows_complaint(const struct settings *settings)
{
    return layers_rows(&settings->problem.layers) < 0 ? too_many_rows : NULL;
}

const char *joined_complaint(const struct settings *settings)
{
    return layers_complaint(&settings->problem.layers);
}

const char *weights_complaint(const struct settings *settings)
{
    const double *weights = settings->problem.poisson3d.weights;
    return weights[0] == 0 && weights[1] == 0 && weights[2] == 0 ? "not every weight can be 0"
                                                                 : NULL;
}

const char *nodes_complaint(const struct settings *settings)
{
    return fe_mesh_rows(&settings->problem.fe_mesh) < 0
               ? "the product of the sizes and of problem.unknowns passes 2147483647 rows"
               : NULL;
}

const char *rows_complaint(const struct settings *settings)
{
    return pattern_complaint(&settings->problem.pattern);
}

const char *brick_complaint(const struct settings *settings)
{
    return fe_brick_complaint(&settings->problem.fe_brick, &settings->problem.pattern);
}

const char *lattice_complaint(const struct settings *settings)
{
    return lattice4d_rows(settings->problem.lattice4d.n) < 0
               ? "the first three must be at least 3, the last one even, and twelve times their "
                 "product at most 2147483647"
               : NULL;
}

const char *grid_complaint(const struct settings *settings)
{
    return grid2d_rows(settings->problem.grid2d.n) < 0 ? too_many_rows : NULL;
}

const char *lengths_complaint(const struct settings *settings)
{
    return power_law_complaint(&settings->problem.power_law, &settings->problem.pattern);
}

const char *name_complaint(const struct settings *settings)
{
    return stand_in_complaint(&settings->problem.stand_in, &settings->problem.pattern);
}

const char *bounds_complaint(const struct settings *settings)
{
    const struct preconditioner_options *given = &settings->preconditioner;
    return given->low > 0 && given->high > 0 && !(given->low < given->high)
               ? "must lie below solver.preconditioner.high"
               : NULL;
}

const char *solution_complaint(const struct settings *settings)
{
    return settings->solution != SOLUTION_NONE && !solver_finds_vector(&settings->solver)
               ? "solver.method = \"lanczos\" has eigenvectors instead, which eigen.vectors = true "
                 "writes"
               : NULL;
}
