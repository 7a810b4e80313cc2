#include "io/system.h"

#include "base/clock.h"
#include "base/hash.h"
#include "base/memory.h"
#include "matrix/permute.h"
#include "matrix/rcm.h"
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
    case PROBLEM_NETWORK:
        return network_create(&problem->network, &system->A, error);
    case PROBLEM_TIED:
        return tied_create(&problem->tied, &system->A, error);
    case PROBLEM_LAYERS:
        return layers_create(&problem->layers, &system->A, error);
    case PROBLEM_FE_BRICK:
        return fe_brick_create(&problem->fe_brick, &problem->pattern, &system->A, error);
    case PROBLEM_LATTICE4D:
        return lattice4d_create(&problem->lattice4d, &problem->pattern, &system->A, error);
    case PROBLEM_GRID2D:
        return grid2d_create(&problem->grid2d, &problem->pattern, &system->A, error);
    case PROBLEM_POWER_LAW:
        return power_law_create(&problem->power_law, &problem->pattern, &system->A, error);
    case PROBLEM_CHAINS:
        return chains_create(&problem->chains, &problem->pattern, &system->A, error);
    case PROBLEM_STAND_IN:
        return stand_in_create(&problem->stand_in, &problem->pattern, &system->A, error);
    case PROBLEM_CONVECTION3D:
        return convection3d_create(&problem->convection3d, &system->A, error);
    case PROBLEM_MTX:
        return matrix_market_read(problem->path, problem->asymmetry, &system->A, &system->file,
                                  error);
    }
    return error_set(error, STATUS_CONFIG, "problem.type: unknown");
}

/* Whether the method takes the matrix, in a sentence that begins with where the matrix is from. */
static enum status check_kind(const struct settings *settings, const struct csr *A,
                              struct error *error)
{
    const struct problem_settings *problem = &settings->problem;
    struct error why;
    if (solver_takes(&settings->solver, A, &why) == STATUS_OK)
        return STATUS_OK;
    if (problem->type == PROBLEM_MTX)
        return error_set(error, STATUS_INPUT, "%s: %s", problem->path, why.text);
    if (A->kind == CSR_GENERAL)
        return error_set(error, STATUS_INPUT, "problem.kind = \"general\": %s", why.text);
    return error_set(error, STATUS_CONFIG, "problem.type = \"%s\": %s",
                     problem_type_name(problem->type), why.text);
}

static enum status renumber_matrix(struct csr *A, struct error *error)
{
    int32_t *number = memory_array(A->n, sizeof *number, "the matrix's numbering", error);
    struct csr permuted = {0};
    enum status status = number ? rcm_numbering(A, number, error) : STATUS_MEMORY;
    if (!status)
        status = csr_permute(A, number, &permuted, error);
    memory_free(number);
    if (status)
        return status;
    csr_free(A);
    *A = permuted;
    return STATUS_OK;
}

enum status system_load_matrix(const struct problem_settings *problem, struct csr *A,
                               struct matrix_market_report *file, struct error *error)
{
    struct linear_system system = {0};
    *A = (struct csr){0};
    *file = (struct matrix_market_report){0};
    enum status status = STATUS_OK;
    if (problem->type == PROBLEM_MTX && problem->asymmetry == 0)
        status = matrix_market_read_any(problem->path, &system.A, &system.file, error);
    else
        status = load_matrix(problem, &system, error);
    if (!status && problem->reorder == REORDER_RCM)
        status = renumber_matrix(&system.A, error);
    if (status) {
        csr_free(&system.A);
        return status;
    }
    *A = system.A;
    *file = system.file;
    return STATUS_OK;
}

/* A and b in the numbering that system->number holds. */
static enum status renumber(struct linear_system *system, struct error *error)
{
    struct csr A;
    enum status status = csr_permute(&system->A, system->number, &A, error);
    if (status)
        return status;
    csr_free(&system->A);
    system->A = A;
    double *b = memory_array(A.n, sizeof *b, "the right-hand side", error);
    if (!b)
        return STATUS_MEMORY;
    vector_permute(A.n, system->number, system->b, b);
    memory_free(system->b);
    system->b = b;
    return STATUS_OK;
}

static enum status reorder(struct linear_system *system, struct error *error)
{
    double begin = clock_seconds();
    system->reordering.before = csr_distances(&system->A);
    system->number =
        memory_array(system->A.n, sizeof *system->number, "the system's numbering", error);
    if (!system->number)
        return STATUS_MEMORY;
    enum status status = rcm_numbering(&system->A, system->number, error);
    if (!status)
        status = renumber(system, error);
    if (status)
        return status;
    system->reordering.after = csr_distances(&system->A);
    system->reordering.seconds = clock_seconds() - begin;
    return STATUS_OK;
}

enum status system_load(const struct settings *settings, struct linear_system *system,
                        struct error *error)
{
    *system = (struct linear_system){0};
    double begin = clock_seconds();
    enum status status = load_matrix(&settings->problem, system, error);
    system->seconds = clock_seconds() - begin;
    if (!status)
        status = check_kind(settings, &system->A, error);
    if (!status) {
        system->b = memory_array(system->A.n, sizeof *system->b, "the right-hand side", error);
        status = system->b ? STATUS_OK : STATUS_MEMORY;
    }
    if (!status && settings->rhs.type == RHS_FILE)
        status = matrix_market_read_vector(settings->rhs.path, system->A.n, system->b, error);
    else if (!status)
        status = rhs_fill(&settings->rhs, &system->A, settings->solver.shift, system->b, error);
    if (!status) {
        system->rhs_norm = vector_norm(system->A.n, system->b);
        system->matrix_hash = csr_hash(&system->A);
        system->rhs_hash = hash_vector(system->b, system->A.n);
    }
    if (!status && settings->problem.reorder == REORDER_RCM)
        status = reorder(system, error);
    if (status)
        system_free(system);
    return status;
}

void system_free(struct linear_system *system)
{
    csr_free(&system->A);
    memory_free(system->b);
    memory_free(system->number);
    *system = (struct linear_system){0};
}
