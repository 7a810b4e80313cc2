/* The rows of a system in the numbering that the settings want (problem.reorder). */
#include "program/config/system.h"

#include "base/clock.h"
#include "base/memory.h"
#include "matrix/permute.h"
#include "matrix/rcm.h"
#include "program/config/metis_numbering.h"

static enum status make_numbering(const struct problem_settings *problem, const struct csr *A,
                                  int32_t *number, struct error *error)
{
    return problem->reorder == REORDER_METIS ? metis_numbering(A, problem->parts, number, error)
                                             : rcm_numbering(A, number, error);
}

enum status system_renumber_matrix(const struct problem_settings *problem, struct csr *A,
                                   struct error *error)
{
    int32_t *number = memory_array(A->n, sizeof *number, "the matrix's numbering", error);
    struct csr permuted = {0};
    enum status status = number ? make_numbering(problem, A, number, error) : STATUS_MEMORY;
    if (!status)
        status = csr_permute(A, number, &permuted, error);
    memory_free(number);
    if (status)
        return status;
    csr_free(A);
    *A = permuted;
    return STATUS_OK;
}

/* *v[columns][n], unless it is NULL, in that numbering. */
static enum status renumber_vectors(int64_t n, int64_t columns, const int32_t *number, double **v,
                                    struct error *error)
{
    if (!*v)
        return STATUS_OK;
    double *permuted =
        memory_array(n, (size_t)columns * sizeof *permuted, "a vector of the system", error);
    if (!permuted)
        return STATUS_MEMORY;
    for (int64_t j = 0; j < columns; j++)
        vector_permute(n, number, *v + j * n, permuted + j * n);
    memory_free(*v);
    *v = permuted;
    return STATUS_OK;
}

/* A, b and x0 in the numbering that system->number holds. */
static enum status renumber(struct linear_system *system, struct error *error)
{
    struct csr A;
    enum status status = csr_permute(&system->A, system->number, &A, error);
    if (status)
        return status;
    csr_free(&system->A);
    system->A = A;
    int64_t columns = system->columns;
    status = renumber_vectors(A.n, columns, system->number, &system->b, error);
    return status ? status : renumber_vectors(A.n, columns, system->number, &system->x0, error);
}

enum status system_renumber(const struct problem_settings *problem, struct linear_system *system,
                            struct error *error)
{
    if (system->A.n == system->A.width) /* another one is refused */
        csr_pattern_make(&system->A, &system->reordering.pattern_before);
    double begin = clock_seconds();
    system->reordering.before = csr_distances(&system->A);
    system->number =
        memory_array(system->A.n, sizeof *system->number, "the system's numbering", error);
    if (!system->number)
        return STATUS_MEMORY;
    enum status status = make_numbering(problem, &system->A, system->number, error);
    if (!status)
        status = renumber(system, error);
    if (status)
        return status;
    system->reordering.after = csr_distances(&system->A);
    system->reordering.seconds = clock_seconds() - begin;
    csr_pattern_make(&system->A, &system->reordering.pattern_after);
    return STATUS_OK;
}
