/* Null spaces of matrices in the memory of a GPU: those that the host finds, bit for bit. Without a
 * device nothing is run, and it says why. */
#include "support.h"

#include "cuda_device.h"
#include "matrix/implicit_rows.h"
#include "problem/generators.h"
#include "problem/problem.h"
#include "solver/cg/cg.h"
#include "solver/singular.h"
#include "spaces.h"
#include "spmv/device_csr.h"

#include <string.h>

static void expect_same(const struct null_space *found, const struct null_space *wanted)
{
    ck_assert_int_eq(found->dimension, wanted->dimension);
    ck_assert_int_eq(found->components, wanted->components);
    ck_assert_int_eq(found->width, wanted->width);
    for (int64_t i = 0; i < wanted->n; i++) {
        ck_assert_int_eq(null_space_component(found, i), null_space_component(wanted, i));
        for (int64_t v = 0; v < wanted->width; v++) {
            double a = null_space_value(found, i, v), b = null_space_value(wanted, i, v);
            ck_assert_mem_eq(&a, &b, sizeof a);
        }
    }
}

/* On the device, with and without the matrix on the host beside it; and on the host, or made by the
 * device. */
static void expect_found(struct space *space, const struct csr *A)
{
    for (int k = 0; k < 6; k++) {
        struct error error;
        struct csr brought = {0};
        struct null_space found, wanted;
        const struct solver_options options = {
            .method = &method_cg, .null_space = k % 2 ? NULL_SPACE_PROJECT : NULL_SPACE_AUTO};
        expect_ok(null_space_find(A, NULL, k % 2, &wanted, &error), &error);
        if (k < 4)
            expect_ok(device_csr_bring(space, A, &brought, &error), &error);
        if (k < 2)
            brought.host = NULL;
        expect_ok(singular_find(space, k < 4 ? &brought : A, NULL, &options, false, &found, &error),
                  &error);
        expect_same(&found, &wanted);
        null_space_free(&found);
        null_space_free(&wanted);
        device_csr_free(&brought);
    }
}

START_TEST(null_spaces_are_those_of_the_host)
{
    static const struct poisson3d boxes[] = {
        {{40, 37, 29}, {1, 1, 1}, 1, 0, POISSON3D_NEUMANN},
        {{40, 37, 29}, {1, 0.3, 1e-3}, 1e4, 0, POISSON3D_NEUMANN},
        {{40, 37, 5}, {1, 1, 0}, 1, 0, POISSON3D_NEUMANN},
        {{40, 37, 29}, {1, 1, 1}, 1, 1e-9, POISSON3D_NEUMANN},
        {{40, 37, 29}, {1, 1, 1}, 1, 0, POISSON3D_DIRICHLET},
        {{1, 1, 1}, {1, 1, 1}, 1, 0, POISSON3D_NEUMANN}};
    if (!cuda_device_is_there())
        return;
    struct space *space = test_space(SPACE_CUDA, REDUCTIONS_REPRODUCIBLE, 2);
    for (size_t k = 0; k < sizeof boxes / sizeof *boxes; k++) {
        struct error error;
        const int64_t *n = boxes[k].n;
        struct csr A =
            csr_made(CSR_SYMMETRIC, n[0] * n[1] * n[2], problem_poisson3d.maker, &boxes[k]);
        expect_ok(csr_store(&A, &error), &error);
        expect_found(space, &A);
        csr_free(&A);
    }
    for (int k = 0; k < 2; k++) {
        struct error error;
        struct csr A;
        struct near_null modes;
        struct elasticity3d body = {{5, 6, 7}, ELASTICITY3D_CUBE,
                                    {1, 1, 1}, 0.3,
                                    1,         k ? ELASTICITY3D_CLAMPED : ELASTICITY3D_FREE};
        const struct options options = {&problem_elasticity3d.component, &body};
        expect_ok(problem_create(&problem_elasticity3d, &body, &A, &error), &error);
        expect_ok(problem_near_null(&options, &modes, &error), &error);
        A.near_null = &modes;
        expect_found(space, &A);
        near_null_free(&modes);
        csr_free(&A);
    }
    space->operations->destroy(space);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {null_spaces_are_those_of_the_host, NULL};
    return suite_of("solver/singular_cuda", tests);
}
