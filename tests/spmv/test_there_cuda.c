/* Rows that are made in a device's memory are those of the host. Without a device nothing is run,
 * and it says why. */
#include "support.h"

#include "cuda_device.h"
#include "problem/poisson3d.h"
#include "problem/problem.h"
#include "spaces.h"
#include "spmv/csr_there.h"

static const struct poisson3d trials[] = {{{9, 8, 7}, {1, 1, 1}, 1, 0},
                                          {{31, 1, 5}, {1, 0.3, 1e-3}, 1e4, 0.1},
                                          {{1, 1, 40}, {2, 1, 1}, 1, 0},
                                          {{16, 12, 20}, {1, 0, 3}, 1e-3, -1},
                                          {{64, 64, 64}, {1, 1, 1}, 1e6, 0}};

START_TEST(poisson_has_the_rows_of_the_host)
{
    if (!cuda_device_is_there())
        return;
    struct space *space = test_space(SPACE_CUDA, REDUCTIONS_REPRODUCIBLE, 2);
    for (size_t t = 0; t < sizeof trials / sizeof *trials; t++) {
        struct error error;
        struct csr A, there, back;
        expect_ok(poisson3d_create(&trials[t], &A, &error), &error);
        A.maker = problem_poisson3d.maker;
        A.maker_options = &trials[t];
        ck_assert(A.maker);
        expect_ok(csr_there_bring(space, &A, &there, &error), &error);
        expect_ok(csr_there_fetch(space, &there, &back, &error), &error);
        ck_assert(csr_hash(&A) == csr_hash(&back));
        csr_there_free(space, &there);
        csr_free(&back);
        csr_free(&A);
    }
    space->operations->destroy(space);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {poisson_has_the_rows_of_the_host, NULL};
    return suite_of("spmv/there_cuda", tests);
}
