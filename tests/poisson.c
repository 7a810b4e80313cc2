#include "poisson.h"

#include "problem/problem.h"

enum status poisson3d_create(const struct poisson3d *poisson, struct csr *A, struct error *error)
{
    enum status status = problem_check(&problem_poisson3d, poisson, error);
    return status ? status : problem_store(&problem_poisson3d, poisson, A, error);
}
