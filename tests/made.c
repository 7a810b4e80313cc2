#include "made.h"

enum status poisson3d_create(const struct poisson3d *poisson, struct csr *A, struct error *error)
{
    return problem_create(&problem_poisson3d, poisson, A, error);
}

enum status fe_mesh_create(const struct fe_mesh *mesh, struct csr *A, struct error *error)
{
    return problem_create(mesh->n[2] ? &problem_fe_cube : &problem_fe_sheet, mesh, A, error);
}
