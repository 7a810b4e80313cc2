/* Rows that are made in a device's memory are those of the host. Without a device nothing is run,
 * and it says why. */
#include "support.h"

#include "cuda_device.h"
#include "problem/fe_mesh.h"
#include "problem/poisson3d.h"
#include "problem/problem.h"
#include "spaces.h"
#include "spmv/csr_there.h"

static const struct poisson3d trials[] = {{{9, 8, 7}, {1, 1, 1}, 1, 0},
                                          {{31, 1, 5}, {1, 0.3, 1e-3}, 1e4, 0.1},
                                          {{1, 1, 40}, {2, 1, 1}, 1, 0},
                                          {{16, 12, 20}, {1, 0, 3}, 1e-3, -1},
                                          {{64, 64, 64}, {1, 1, 1}, 1e6, 0}};

/* A as the host has made it, by the problem with these options. */
static void expect_rows(struct space *space, const struct problem *problem, const void *options,
                        struct csr *A)
{
    struct error error;
    struct csr there, back;
    A->maker = problem->maker;
    A->maker_options = options;
    ck_assert(A->maker);
    expect_ok(csr_there_bring(space, A, &there, &error), &error);
    expect_ok(csr_there_fetch(space, &there, &back, &error), &error);
    ck_assert(csr_hash(A) == csr_hash(&back));
    csr_there_free(space, &there);
    csr_free(&back);
    csr_free(A);
}

START_TEST(poisson_has_the_rows_of_the_host)
{
    if (!cuda_device_is_there())
        return;
    struct space *space = test_space(SPACE_CUDA, REDUCTIONS_REPRODUCIBLE, 2);
    for (size_t t = 0; t < sizeof trials / sizeof *trials; t++) {
        struct error error;
        struct csr A;
        expect_ok(poisson3d_create(&trials[t], &A, &error), &error);
        expect_rows(space, &problem_poisson3d, &trials[t], &A);
    }
    space->operations->destroy(space);
}
END_TEST

START_TEST(meshes_have_the_rows_of_the_host)
{
    if (!cuda_device_is_there())
        return;
    static const int64_t boxes[][3] = {{9, 8, 7}, {31, 17, 0}, {1, 1, 1}, {2, 1, 9}, {20, 21, 22}};
    uint64_t state = test_seed();
    struct space *space = test_space(SPACE_CUDA, REDUCTIONS_REPRODUCIBLE, 2);
    for (size_t b = 0; b < sizeof boxes / sizeof *boxes; b++)
        for (int64_t unknowns = 1; unknowns <= FE_MESH_UNKNOWNS_MAX; unknowns++) {
            struct error error;
            struct csr A;
            struct fe_mesh mesh = {{boxes[b][0], boxes[b][1], boxes[b][2]},
                                   unknowns,
                                   1e-3 + test_random(&state),
                                   (int64_t)(state >> 1),
                                   unknowns % 2 ? FE_MESH_REGULAR : FE_MESH_RANDOM_DIAGONALS,
                                   FE_MESH_NATURAL};
            expect_ok(fe_mesh_create(&mesh, &A, &error), &error);
            expect_rows(space, mesh.n[2] ? &problem_fe_cube : &problem_fe_sheet, &mesh, &A);
        }
    space->operations->destroy(space);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {poisson_has_the_rows_of_the_host, meshes_have_the_rows_of_the_host,
                            NULL};
    return suite_of("spmv/there_cuda", tests);
}
