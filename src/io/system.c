#include "io/system.h"

#include "base/clock.h"
#include "base/memory.h"
#include "solver/residual.h"

static enum status load_matrix(const struct problem_settings *problem, struct linear_system *system,
                               struct error *error)
{
    switch (problem->type) {
    case PROBLEM_POISSON3D:
        return poisson3d_create(&problem->poisson3d, &system->A, error);
    case PROBLEM_FE_SHEET:
    case PROBLEM_FE_CUBE:
        return fe_mesh_create(&problem->fe_mesh, &system->A, error);
    case PROBLEM_MTX:
        return matrix_market_read(problem->path, problem->asymmetry, &system->A, &system->file,
                                  error);
    }
    return error_set(error, STATUS_CONFIG, "problem.type: unknown");
}

/* Conjugate gradients take symmetric matrices; the reader has seen to it that only a skew-symmetric
 * file gives another kind. */
static enum status check_kind(const struct problem_settings *problem, const struct csr *A,
                              struct error *error)
{
    if (A->kind == CSR_SYMMETRIC)
        return STATUS_OK;
    return error_set(error, STATUS_INPUT,
                     "%s: the matrix is skew-symmetric, so p . A p = 0 for every p and conjugate "
                     "gradients cannot take a step",
                     problem->path);
}

enum status system_load(const struct settings *settings, struct linear_system *system,
                        struct error *error)
{
    *system = (struct linear_system){0};
    double begin = clock_seconds();
    enum status status = load_matrix(&settings->problem, system, error);
    system->seconds = clock_seconds() - begin;
    if (!status)
        status = check_kind(&settings->problem, &system->A, error);
    if (!status) {
        system->b = memory_array(system->A.n, sizeof *system->b, "the right-hand side", error);
        status = system->b ? STATUS_OK : STATUS_MEMORY;
    }
    if (!status && settings->rhs.type == RHS_FILE)
        status = matrix_market_read_vector(settings->rhs.path, system->A.n, system->b, error);
    else if (!status)
        status = rhs_fill(&settings->rhs, &system->A, system->b, error);
    if (status)
        system_free(system);
    else
        system->rhs_norm = vector_norm(system->A.n, system->b);
    return status;
}

void system_free(struct linear_system *system)
{
    csr_free(&system->A);
    memory_free(system->b);
    *system = (struct linear_system){0};
}
