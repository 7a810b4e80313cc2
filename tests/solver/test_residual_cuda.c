/* The true residual on a GPU: the bits of the host, over every test matrix and in whole solves; and
 * a diagonal that is inverted there. Without a device nothing is run, and it says why. */
#include "made.h"
#include "support.h"

#include "base/cuda_part.h"
#include "cuda_device.h"
#include "matrices.h"
#include "matrix/implicit_rows.h"
#include "options.h"
#include "solver/method.h"
#include "solver/residual.h"
#include "solver/solve.h"
#include "space/trials.h"
#include "space/vector_norm.h"
#include "spaces.h"
#include "spmv/device_csr.h"
#include "spmv/preconditioner.h"

#include <math.h>
#include <string.h>

/* On the device twice, lest the second find what the first left: with A there and on the host. */
static void compare(struct space *space, const struct csr *A, double shift, const double *b,
                    const double *x, const char *name)
{
    bool suits = false;
    struct error error;
    struct csr brought;
    expect_ok(device_csr_bring(space, A, &brought, &error), &error);
    double here, *b_device = b ? put(space, A->n, b) : NULL, *x_device = put(space, A->n, x);
    expect_ok(residual_norm(space->threads, A, shift, b, x, &here, &error), &error);
    for (int times = 0; times < 2; times++) {
        double there = -1;
        const struct csr *from = times == 0 ? A : &brought;
        expect_ok(CUDA_PART(residual_norm_cuda)(space, from, shift, b_device, x_device, &suits,
                                                &there, &error),
                  &error);
        ck_assert_msg(suits, "%s", name);
        ck_assert_msg((isnan(there) && isnan(here)) || !memcmp(&there, &here, sizeof here),
                      "%s: %a instead of %a", name, there, here);
    }
    device_csr_free(&brought);
    space_release(space, b_device);
    space_release(space, x_device);
}

START_TEST(the_bits_of_the_host)
{
    if (!cuda_device_is_there())
        return;
    uint64_t state = test_seed();
    struct space *space = test_space(SPACE_CUDA, REDUCTIONS_REPRODUCIBLE, 2);
    for (int m = 0; m < test_matrices_count; m++)
        for (enum csr_kind kind = CSR_SYMMETRIC; kind <= CSR_SKEW; kind++) {
            struct csr A;
            const char *name = test_matrices[m].name;
            test_matrix_build(&test_matrices[m], kind, &state, &A);
            double *b = vector(A.n), *x = vector(A.n);
            randomise(b, A.n, &state);
            randomise(x, A.n, &state);
            compare(space, &A, 0, b, x, name);
            compare(space, &A, 0.3, b, x, name);
            compare(space, &A, -2, NULL, x, name);
            x[test_random_below(&state, A.n)] = test_random_below(&state, 2) ? NAN : INFINITY;
            compare(space, &A, 0, b, x, name);
            memory_free(b);
            memory_free(x);
            csr_free(&A);
        }
    space->operations->destroy(space);
}
END_TEST

/* b alone is the residual: from what is smallest to what is largest, and nothing at all. */
START_TEST(every_size_and_scale)
{
    static const int64_t sizes[] = {1, 2, 255, 256, 257, 8191, 8192, 8193, 100003};
    static const int exponents[] = {-1060, -538, 0, 500, 980};
    if (!cuda_device_is_there())
        return;
    uint64_t state = test_seed();
    struct space *space = test_space(SPACE_CUDA, REDUCTIONS_REPRODUCIBLE, 2);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        int64_t n = sizes[s];
        struct csr A;
        double *ones = vector(n), *b = vector(n), *x = vector(n);
        for (int64_t i = 0; i < n; i++) {
            ones[i] = 1;
            x[i] = 0;
        }
        diagonal(n, ones, &A);
        compare(space, &A, 0, x, x, "zeros");
        for (size_t e = 0; e < sizeof exponents / sizeof *exponents; e++) {
            for (int64_t i = 0; i < n; i++)
                b[i] = ldexp(2 * test_random(&state) - 1, exponents[e]);
            compare(space, &A, 0, b, x, "a scale");
        }
        csr_free(&A);
        memory_free(ones);
        memory_free(b);
        memory_free(x);
    }
    space->operations->destroy(space);
}
END_TEST

static const struct poisson3d trials[] = {
    {{9, 8, 7}, {1, 1, 1}, 1, 0.5, POISSON3D_DIRICHLET},
    {{25, 1, 31}, {1, 0.3, 1e-3}, 1e4, 0.1, POISSON3D_DIRICHLET},
    {{16, 21, 20}, {1, 1, 1}, 1e3, 0, POISSON3D_DIRICHLET}};
enum { TRIALS = 3 };

static void make(const struct poisson3d *poisson, bool maker, struct csr *A)
{
    struct error error;
    expect_ok(poisson3d_create(poisson, A, &error), &error);
    A->maker = maker ? problem_poisson3d.maker : NULL;
    A->maker_options = poisson;
}

/* Confirmed on the device, where A's rows can be made there, and on the host; with a diagonal from
 * there, and from the host; and with an A that is not stored. */
START_TEST(solves_are_the_same)
{
    static const struct choice choices[] = {
        {"cuda_sym_bitwise", REDUCTIONS_REPRODUCIBLE, 1e-9, SOLVE_ROWS - 1, &method_cg, .shift = 0},
        {"cuda_sym_bitwise", REDUCTIONS_REPRODUCIBLE, 1e-15, 40, &method_cg, .shift = 0},
        {"cuda_sym_bitwise", REDUCTIONS_REPRODUCIBLE, 1e-9, SOLVE_ROWS - 1, &method_cg,
         .preconditioner = "jacobi"},
        {"cuda_sym_bitwise", REDUCTIONS_REPRODUCIBLE, 1e-9, SOLVE_ROWS - 1, &method_minres,
         .shift = 0},
        {"cuda_sym_bitwise", REDUCTIONS_REPRODUCIBLE, 1e-9, SOLVE_ROWS - 1, &method_minres,
         .preconditioner = "jacobi"}};
    static struct outcome here, there;
    if (!cuda_device_is_there())
        return;
    for (int t = 0; t < TRIALS; t++)
        for (size_t c = 0; c < sizeof choices / sizeof *choices; c++) {
            struct csr A, makes;
            make(&trials[t], false, &A);
            make(&trials[t], true, &makes);
            double *b = randoms(A.n, 5);
            struct choice stays = choices[c];
            stays.there = true;
            solve(choices[c], &A, b, &here);
            solve(stays, &A, b, &there);
            ck_assert(!memcmp(here.x, there.x, (size_t)A.n * sizeof *here.x));
            for (int stored = 1; stored >= 0; stored--) {
                solve(choices[c], &makes, b, &there);
                ck_assert_int_eq(here.result.reason, there.result.reason);
                ck_assert(!memcmp(&here.result.true_residual, &there.result.true_residual,
                                  sizeof(double)));
                ck_assert(!memcmp(here.x, there.x, (size_t)A.n * sizeof *here.x));
                csr_free(&makes);
                makes = csr_made(CSR_SYMMETRIC, A.n, problem_poisson3d.maker, (void *)&trials[t]);
            }
            memory_free(b);
            csr_free(&A);
        }
}
END_TEST

/* The rows of a rank, wherever they begin: norms over them are the host's. */
START_TEST(some_rows_at_a_time)
{
    if (!cuda_device_is_there())
        return;
    struct space *space = test_space(SPACE_CUDA, REDUCTIONS_REPRODUCIBLE, 2);
    for (int t = 0; t < TRIALS; t++) {
        struct csr A;
        struct error error;
        make(&trials[t], true, &A);
        double *b = randoms(A.n, 5), *x = randoms(A.n, 6), *r = vector(A.n), norm, wanted;
        int64_t cuts[] = {0, A.n / 5, A.n / 5 + 1, A.n - 7, A.n};
        for (int k = 0; k < 4; k++) {
            bool suits = false;
            expect_ok(CUDA_PART(residual_rows_cuda)(space, &A, cuts[k], cuts[k + 1], 0.3, b, x,
                                                    &suits, r + cuts[k], &error),
                      &error);
            ck_assert(suits);
        }
        norm = vector_norm(space->threads, A.n, r);
        expect_ok(residual_norm(space->threads, &A, 0.3, b, x, &wanted, &error), &error);
        ck_assert(norm == wanted);
        memory_free(b);
        memory_free(x);
        memory_free(r);
        csr_free(&A);
    }
    space->operations->destroy(space);
}
END_TEST

/* b stays on the device where it confirms, and nowhere else. */
START_TEST(who_confirms)
{
    if (!cuda_device_is_there())
        return;
    struct space *space = test_space(SPACE_CUDA, REDUCTIONS_REPRODUCIBLE, 2);
    for (int maker = 0; maker < 2; maker++) {
        struct csr A;
        struct error error;
        struct linear_operator spmv;
        struct solver *solver;
        struct solver_options options = {
            .method = &method_cg, .tolerance = 1e-6, .max_iterations = 5};
        make(&trials[0], maker, &A);
        double *b = randoms(A.n, 5);
        expect_ok(operator_create(kernel_find("cuda_sym_bitwise"), &A, NULL, space, &spmv, &error),
                  &error);
        expect_ok(solver_begin(&spmv, &A, b, NULL, &options, NULL, &solver, &error), &error);
        ck_assert_int_eq(solver->b_device != NULL, maker);
        solver_free(solver);
        operator_destroy(&spmv);
        csr_free(&A);
        memory_free(b);
    }
    space->operations->destroy(space);
}
END_TEST

static enum status diagonal_of(const struct csr *A, struct space *space, double *inverse,
                               struct error *error)
{
    struct linear_operator spmv, M = {0};
    struct options options = test_options(COMPONENT_PRECONDITIONER, "jacobi", NULL);
    double *r = vector(A->n);
    for (int64_t i = 0; i < A->n; i++)
        r[i] = 1;
    expect_ok(operator_create(kernel_find("cuda_sym_bitwise"), A, NULL, space, &spmv, error),
              error);
    enum status status = preconditioner_create(&options, A, NULL, &spmv, &M, error);
    if (!status) {
        double *r_there = put(space, A->n, r), *z = put(space, A->n, inverse);
        expect_ok(operator_apply(&M, r_there, z, error), error);
        expect_ok(space_download(space, A->n, z, inverse, error), error);
        space_release(space, r_there);
        space_release(space, z);
    }
    operator_destroy(&M);
    operator_destroy(&spmv);
    options_free(&options);
    memory_free(r);
    return status;
}

/* The inverse of the diagonal; and the same sentence about a row that has none. */
START_TEST(a_diagonal_is_inverted_there)
{
    static const struct poisson3d wrong = {{8, 8, 8}, {1, 1, 1}, 1, -6, POISSON3D_DIRICHLET};
    if (!cuda_device_is_there())
        return;
    struct space *space = test_space(SPACE_CUDA, REDUCTIONS_REPRODUCIBLE, 2);
    for (int t = 0; t < TRIALS; t++) {
        struct csr A;
        struct error error;
        make(&trials[t], true, &A);
        double *inverse = vector(A.n);
        expect_ok(diagonal_of(&A, space, inverse, &error), &error);
        for (int64_t i = 0; i < A.n; i++)
            ck_assert(inverse[i] == 1 / A.values[A.offsets[i]]);
        csr_free(&A);
        memory_free(inverse);
    }
    struct error errors[2];
    for (int maker = 0; maker < 2; maker++) {
        struct csr A;
        make(&wrong, maker, &A);
        double *inverse = vector(A.n);
        expect_error(diagonal_of(&A, space, inverse, &errors[maker]), STATUS_CONFIG, &errors[maker],
                     "row 1 ", NULL);
        csr_free(&A);
        memory_free(inverse);
    }
    ck_assert_str_eq(errors[0].text, errors[1].text);
    space->operations->destroy(space);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {the_bits_of_the_host,
                            every_size_and_scale,
                            solves_are_the_same,
                            who_confirms,
                            a_diagonal_is_inverted_there,
                            some_rows_at_a_time,
                            NULL};
    return suite_of("solver/residual_cuda", tests);
}
