/* The matrices that most tests take. */
#ifndef TESTS_MADE_H
#define TESTS_MADE_H

#include "problem/generators.h"

/* problem_create of problem_poisson3d, and of problem_fe_sheet or problem_fe_cube. */
enum status poisson3d_create(const struct poisson3d *poisson, struct csr *A, struct error *error);
enum status fe_mesh_create(const struct fe_mesh *mesh, struct csr *A, struct error *error);

#endif
