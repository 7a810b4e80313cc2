/* M^-1 of multigrid: the trials of preconditioners, positive definite, and what it says of its
 * costs. */
#include "made.h"
#include "support.h"

#include "matrices.h"
#include "options.h"
#include "precondition/multigrid/coarsening.h"
#include "precondition/preconditioned.h"
#include "solver/solve.h"
#include "spaces.h"
#include "study/preconditioner_trials.h"

#include <math.h>
#include <string.h>

static const char *const ways[] = {"aggregates=auto", "aggregates=matching"};

/* M^-1 over cpu_csr, with a coarsest matrix of 8 rows. */
struct made {
    struct space *space;
    struct linear_operator spmv, M;
};

static void make(const struct csr *A, const char *aggregates, const char *other, struct made *made)
{
    struct error error;
    struct options options =
        test_options(COMPONENT_PRECONDITIONER, "multigrid", "coarsest=8", aggregates, other, NULL);
    made->space = test_space(SPACE_CPU, REDUCTIONS_REPRODUCIBLE, 2);
    expect_ok(operator_create(kernel_find("cpu_csr"), A, NULL, made->space, &made->spmv, &error),
              &error);
    expect_ok(preconditioner_create(&options, A, NULL, &made->spmv, &made->M, &error), &error);
    options_free(&options);
}

static void destroy(struct made *made)
{
    operator_destroy(&made->M);
    operator_destroy(&made->spmv);
    made->space->operations->destroy(made->space);
}

/* z = M^-1 r, over NaN; the dot product is that of the space. */
static void apply(struct made *made, const double *r, double *z)
{
    struct error error;
    double dot = NAN;
    for (int64_t i = 0; i < made->M.n; i++)
        z[i] = NAN;
    expect_ok(operator_apply_dot(&made->M, r, z, &dot, &error), &error);
    ck_assert(dot == ordered_dot(made->M.n, r, z));
}

/* In double and single precision. */
START_TEST(it_holds)
{
    static const char *const others[] = {"degree=4", "degree=6", "correction=1"};
    struct error error;
    struct trials_found found;
    struct trials_options how = {.seed = test_seed(), .quick = test_is_slow()};
    for (int k = 0; k < 12; k++) {
        struct options options =
            test_options(COMPONENT_PRECONDITIONER, "multigrid", "coarsest=8", ways[k % 2],
                         others[k / 2 % 3], k < 6 ? NULL : "precision=float", NULL);
        expect_ok(preconditioner_try(options.component, &options, kernel_find("cpu_csr"), &how,
                                     &found, &error),
                  &error);
        ck_assert_msg(!*found.broken, "%s: %s", found.trial, found.broken);
        options_free(&options);
    }
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* An element by a unit vector: M^-1 of a small matrix as a whole has Cholesky's factors. */
START_TEST(it_is_positive_definite)
{
    enum { N = 90 };
    static double m[N][N];
    uint64_t state = test_seed();
    struct error error;
    for (int k = 0; k < 4; k++) {
        struct csr A;
        struct made made;
        struct fe_mesh mesh = {{6, 5, 3},      1, 0.01, (int64_t)(state >> 1), FE_MESH_REGULAR,
                               FE_MESH_NATURAL};
        expect_ok(fe_mesh_create(&mesh, &A, &error), &error);
        ck_assert_int_eq(A.n, N);
        make(&A, ways[k % 2], k < 2 ? NULL : "correction=2", &made);
        for (int j = 0; j < N; j++) {
            double unit[N] = {0};
            unit[j] = 1;
            apply(&made, unit, m[j]);
        }
        for (int j = 0; j < N; j++) {
            for (int i = 0; i < j; i++)
                m[j][j] -= m[j][i] * m[j][i];
            ck_assert_msg(m[j][j] > 0, "pivot %d is %g", j, m[j][j]);
            m[j][j] = sqrt(m[j][j]);
            for (int i = j + 1; i < N; i++) {
                for (int p = 0; p < j; p++)
                    m[i][j] -= m[i][p] * m[j][p];
                m[i][j] /= m[j][j];
            }
        }
        destroy(&made);
        csr_free(&A);
        state += 77;
    }
}
END_TEST

/* Six vectors and the lists of the aggregates of each level; the matrix and the kernel's form of it
 * below the first, of which neither takes more than twice a csr; the inverse of the last one. */
static int64_t most_bytes(const struct operator_levels *levels)
{
    int64_t last = levels->level[levels->count - 1].rows, bytes = 8 * last * last;
    for (int k = 0; k < levels->count; k++) {
        int64_t rows = levels->level[k].rows, entries = levels->level[k].entries;
        bytes += rows * (6 * 8 + 3 * 4) + 16;
        bytes += k > 0 ? 3 * (12 * entries + 8 * rows) + 4096 : 0;
    }
    return bytes;
}

/* As many products as steps of two smoothings, less the first from 0, and one residual. What it
 * holds are at least the vectors of the first level. */
START_TEST(costs_are_counted)
{
    static const char *const degrees[] = {"degree=2", "degree=4", "degree=16"};
    static const int64_t products[] = {4, 8, 32};
    uint64_t state = test_seed();
    for (int t = 0; t < test_matrices_count; t++) {
        struct csr A;
        test_matrix_build_positive(&test_matrices[t], &state, &A);
        for (int k = 0; k < 6; k++) {
            struct made made;
            struct options options = preconditioner_tried(PRECONDITIONERS_OF_ONE_LEVEL);
            make(&A, ways[k / 3], degrees[k % 3], &made);
            int64_t foretold = preconditioner_memory_bytes(&options, &A);
            bool one = strncmp(made.M.description, "1 level,", 8) == 0;
            options_free(&options);
            int64_t most = most_bytes(&made.M.levels);
            ck_assert_msg(made.M.memory_bytes >= 32 * A.n && made.M.memory_bytes <= most,
                          "%s holds %d bytes, of at most %d", test_matrices[t].name,
                          (int)made.M.memory_bytes, (int)most);
            ck_assert_int_ge(foretold, 32 * A.n);
            if (!one)
                ck_assert_int_eq(made.M.products, products[k % 3]);
            ck_assert_int_ge(made.M.bytes_per_apply, made.M.products * made.spmv.bytes_per_apply);
            ck_assert_int_gt(made.M.bytes_per_apply, 16 * A.n);
            ck_assert(one || A.n > 8);
            destroy(&made);
        }
        csr_free(&A);
    }
}
END_TEST

/* Of a chain with couplings above 0, of which a matching keeps too many rows. */
START_TEST(a_stalled_coarsening_is_said)
{
    struct csr A;
    struct made made;
    make_unmatched(500, &A);
    make(&A, ways[1], NULL, &made);
    ck_assert_ptr_nonnull(strstr(made.M.description, ": coarsening stalled"));
    destroy(&made);
    csr_free(&A);
    make_poisson(500, 1, 1, &A);
    make(&A, ways[1], NULL, &made);
    ck_assert_ptr_null(strstr(made.M.description, "stalled"));
    destroy(&made);
    csr_free(&A);
}
END_TEST

static void expect_said(const struct csr *A, const char *way, const char *other, const char *said,
                        const char *aggregates)
{
    struct made made;
    make(A, way, other, &made);
    const struct operator_levels *levels = &made.M.levels;
    ck_assert_msg(strstr(made.M.description, said) != NULL, "\"%s\" is not in \"%s\"", said,
                  made.M.description);
    ck_assert_int_gt(levels->count, 1);
    ck_assert_str_eq(levels->level[0].aggregates, aggregates);
    ck_assert(levels->level[0].distance >= 2 || strcmp(aggregates, "roots") != 0);
    ck_assert_ptr_null(levels->level[levels->count - 1].aggregates);
    destroy(&made);
}

START_TEST(the_choice_of_aggregates_is_said)
{
    uint64_t state = test_seed();
    struct csr A, shuffled;
    struct near_null near_null;
    make_poisson(12, 11, 10, &A);
    expect_said(&A, "aggregates=auto", NULL, " of a grid (A shows it), ", "grid");
    expect_said(&A, "aggregates=grid", NULL, " of a grid (as asked), ", "grid");
    expect_said(&A, "aggregates=matching", NULL, " by matching (as asked), ", "matching");
    expect_said(&A, "transfer=smoothed", NULL, " by smoothed aggregation (as asked), ", "roots");
    make_shuffled(&A, &state, &shuffled);
    expect_said(&shuffled, "aggregates=auto", NULL, " by matching (A shows no grid), ", "matching");
    csr_free(&shuffled);
    csr_free(&A);
    make_phases(&(struct phases){{10, 11, 9}, 1, 1e6, 1}, &state, &A);
    expect_said(&A, "aggregates=auto", NULL, " by matching (boxes of its grid would be torn), ",
                "matching");
    csr_free(&A);
    make_springs(12, 6, 6, &A, &near_null);
    A.near_null = &near_null;
    expect_said(&A, "aggregates=auto", NULL,
                " by smoothed aggregation (a near-null space is known), aggregates enlarged on ",
                "roots");
    near_null_free(&near_null);
    csr_free(&A);
}
END_TEST

/* Cells that nothing couples along one axis end as rows of zeros. */
START_TEST(fsai_refuses_rows_of_rounding)
{
    struct error error;
    struct csr A;
    struct linear_operator spmv, M;
    struct poisson3d poisson = {{9, 8, 150}, {1, 1, 0}, 1, 0, POISSON3D_NEUMANN};
    expect_ok(poisson3d_create(&poisson, &A, &error), &error);
    struct space *space = test_space(SPACE_CPU, REDUCTIONS_REPRODUCIBLE, 2);
    struct options options =
        test_options(COMPONENT_PRECONDITIONER, "multigrid", "smoother=fsai", NULL);
    expect_ok(operator_create(kernel_find("cpu_csr"), &A, NULL, space, &spmv, &error), &error);
    expect_error(preconditioner_create(&options, &A, NULL, &spmv, &M, &error), STATUS_CONFIG,
                 &error, "0 but for rounding", "jacobi", NULL);
    options_free(&options);
    operator_destroy(&spmv);
    space->operations->destroy(space);
    csr_free(&A);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {it_holds,
                            it_is_positive_definite,
                            costs_are_counted,
                            a_stalled_coarsening_is_said,
                            the_choice_of_aggregates_is_said,
                            fsai_refuses_rows_of_rounding,
                            NULL};
    return suite_of("precondition/multigrid/multigrid", tests);
}
