/* The factorised sparse approximate inverse: its rows against their definition in higher precision,
 * how patterns grow, an apply, and what is refused. */
#include "support.h"

#include "base/random.h"
#include "base/threads.h"
#include "matrices.h"
#include "options.h"
#include "precondition/fsai_rows.h"
#include "precondition/preconditioned.h"
#include "precondition/transposed_rows.h"
#include "solver/solve.h"
#include "spaces.h"

#include <math.h>
#include <string.h>

static struct preconditioned_history history;

enum { TRIED = 6 };
static const struct fsai_growth tried[TRIED] = {{1, 64, 0},   {1, 5, 0},     {5, 4, 0.01},
                                                {8, 2, 0.05}, {12, 5, 1e-4}, {3, 1, 0}};

static void make(const struct csr *A, struct fsai_growth growth, struct csr *G,
                 struct fsai_found *found)
{
    struct error error;
    expect_ok(fsai_make_rows(A, 0, A->n, growth, G, found, &error), &error);
    ck_assert_int_eq(found->wrong, A->n);
}

/* w = sum over row i of G of |G_ij| a_jj^{1/2} */
static long double weight(const struct csr *A, const struct csr *G, int64_t i)
{
    long double w = 0;
    for (int64_t k = G->offsets[i]; k < G->offsets[i + 1]; k++)
        w += fabsl((long double)G->values[k]) *
             sqrtl((long double)A->values[A->offsets[G->columns[k]]]);
    return w;
}

/* Row i of G A, from A in long double. */
static void multiply(const struct csr *G, int64_t i, const long double *dense, long double *row)
{
    for (int64_t j = 0; j < G->n; j++)
        row[j] = 0;
    for (int64_t k = G->offsets[i]; k < G->offsets[i + 1]; k++)
        for (int64_t j = 0; j < G->n; j++)
            row[j] += (long double)G->values[k] * dense[G->columns[k] * G->n + j];
}

/* Row i has its m entries left of the diagonal from L L' = S + E, S being A on the row's columns
 * and i, with |E_jk| <= gamma_{m+2} (a_jj a_kk)^{1/2}, as row j of L has the norm a_jj^{1/2} but
 * for rounding (Higham 2002, theorem 10.3), and from (L + D)' g = -y, |D| <= gamma_m |L|. So
 *     |(G A)_ij| <= 3 gamma_{m+3} a_jj^{1/2} w  on the pattern,
 *     |(G A G')_ii - 1| <= 3 gamma_{m+3} w^2
 * to first order, with the roundings of G. 5 (m + 3) u covers the second order and the reference.
 */
static void check_row(const struct csr *A, const struct csr *G, int64_t i, const long double *row)
{
    int64_t begin = G->offsets[i], end = G->offsets[i + 1] - 1;
    long double w = weight(A, G, i), bound = 5 * (long double)(end - begin + 3) * 0x1p-53L * w;
    long double form = 0;
    ck_assert_int_eq(G->columns[end], i);
    ck_assert(G->values[end] > 0);
    for (int64_t k = begin; k <= end; k++)
        form += row[G->columns[k]] * (long double)G->values[k];
    ck_assert_msg(fabsl(form - 1) <= bound * w, "row %d: %Lg instead of 1, bound %Lg", (int)i, form,
                  bound * w);
    for (int64_t k = begin; k < end; k++) {
        int64_t j = G->columns[k];
        ck_assert_int_lt(j, k + 1 < end ? G->columns[k + 1] : i);
        ck_assert_msg(fabsl(row[j]) <= bound * sqrtl((long double)A->values[A->offsets[j]]),
                      "row %d, column %d: %Lg instead of 0, bound %Lg", (int)i, (int)j, row[j],
                      bound);
    }
}

START_TEST(rows_are_what_they_are_defined_as)
{
    static long double row[2000];
    uint64_t state = test_seed();
    for (int t = 0; t < test_matrices_count; t++) {
        struct csr A, G;
        struct fsai_found found;
        test_matrix_build_positive(&test_matrices[t], &state, &A);
        long double *dense = dense_of(&A);
        for (int u = 0; u < 3; u++) {
            int k = (2 * t + u) % TRIED;
            make(&A, tried[k], &G, &found);
            ck_assert_int_eq(found.ended, 0);
            for (int64_t i = 0; i < A.n; i++) {
                ck_assert_int_le(G.offsets[i + 1] - G.offsets[i] - 1,
                                 tried[k].looks * tried[k].step);
                multiply(&G, i, dense, row);
                check_row(&A, &G, i, row);
            }
            csr_free(&G);
        }
        memory_free(dense);
        csr_free(&A);
    }
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

static bool has(const struct csr *G, int64_t i, int64_t j)
{
    return csr_find_entry(G, i, j) >= 0;
}

/* The columns that a look adds to those of G, in `next`, against all gains |r_j| over
 * (a_jj psi)^{1/2}, which are |(G A)_ij| / a_jj^{1/2}. A gain is off by less than `off`: as in
 * check_row, and by the sum of n terms. */
static void check_look(const struct csr *A, const struct csr *G, const struct csr *next,
                       struct fsai_growth growth, int64_t i, const long double *row)
{
    long double off = 5 * (long double)(A->n + 67) * 0x1p-53L * weight(A, G, i);
    long double least_taken = INFINITY, most_left = 0;
    int64_t taken = 0;
    for (int64_t j = 0; j < i; j++) {
        long double gain = fabsl(row[j]) / sqrtl((long double)A->values[A->offsets[j]]);
        ck_assert(!has(G, i, j) || has(next, i, j));
        if (has(G, i, j))
            continue;
        if (has(next, i, j)) {
            least_taken = gain < least_taken ? gain : least_taken;
            taken++;
        } else
            most_left = gain > most_left ? gain : most_left;
    }
    ck_assert_int_le(taken, growth.step);
    ck_assert(least_taken >= (long double)growth.threshold - off);
    ck_assert(least_taken >= most_left - 2 * off);
    ck_assert(taken == growth.step || most_left <= (long double)growth.threshold + off);
}

/* Where no row is LONGEST and a table holds all columns. A look more keeps what the looks before
 * took. */
START_TEST(a_look_takes_the_largest_gains)
{
    static long double row[FSAI_LONGEST];
    uint64_t state = test_seed();
    int compared = 0;
    for (int t = 0; t < test_matrices_count; t++) {
        struct csr A, G, next;
        struct fsai_found found;
        test_matrix_build_positive(&test_matrices[t], &state, &A);
        long double *dense = A.n <= FSAI_LONGEST ? dense_of(&A) : NULL;
        for (int k = 1; k < TRIED && dense; k++) {
            struct fsai_growth growth = {1 + (t + k) % 3, tried[k].step, tried[k].threshold};
            make(&A, growth, &G, &found);
            growth.looks++;
            make(&A, growth, &next, &found);
            for (int64_t i = 0; i < A.n; i++) {
                multiply(&G, i, dense, row);
                check_look(&A, &G, &next, growth, i, row);
            }
            compared++;
            csr_free(&next);
            csr_free(&G);
        }
        memory_free(dense);
        csr_free(&A);
    }
    ck_assert_int_gt(compared, 10);
}
END_TEST

/* Of columns with equal gains the lesser ones are taken. */
START_TEST(ties_go_to_lesser_columns)
{
    double upper[10 * 11 / 2], *value = upper;
    for (int i = 0; i < 10; i++)
        for (int j = i; j < 10; j++)
            *value++ = i == j ? 4 : j == 9 ? -0.25 : 0;
    struct csr A, G;
    struct fsai_found found;
    test_matrix_from_dense(10, upper, CSR_SYMMETRIC, &A);
    make(&A, (struct fsai_growth){1, 4, 0.01}, &G, &found);
    ck_assert_int_eq(G.offsets[10] - G.offsets[9], 5);
    for (int k = 0; k < 4; k++)
        ck_assert_int_eq(G.columns[G.offsets[9] + k], k);
    csr_free(&G);
    csr_free(&A);
}
END_TEST

START_TEST(threads_change_no_bit)
{
    static const int threads[] = {1, 2, 3, 7};
    uint64_t state = test_seed();
    int before = test_threads(1);
    for (int t = 0; t < test_matrices_count; t++) {
        struct csr A, G, other;
        struct fsai_found found;
        test_matrix_build_positive(&test_matrices[t], &state, &A);
        for (int k = 0; k < 4; k++) {
            test_threads(threads[k]);
            make(&A, tried[2], k == 0 ? &G : &other, &found);
            if (k == 0)
                continue;
            ck_assert(csr_hash(&G) == csr_hash(&other));
            csr_free(&other);
        }
        csr_free(&G);
        csr_free(&A);
    }
    test_threads(before);
}
END_TEST

static void chains(const struct csr *R, bool singles, const double *x, double *y)
{
    for (int64_t i = 0; i < R->n; i++) {
        double s = 0;
        for (int64_t k = R->offsets[i]; k < R->offsets[i + 1]; k++)
            s = fma(singles ? (double)(float)R->values[k] : R->values[k], x[R->columns[k]], s);
        y[i] = s;
    }
}

START_TEST(an_apply_is_two_products)
{
    static double r[2000], z[2000], t[2000], wanted[2000];
    uint64_t state = test_seed();
    for (int m = 0; m < test_matrices_count; m++) {
        struct csr A, G, transposed;
        struct fsai_found found;
        struct error error;
        double dot;
        test_matrix_build_positive(&test_matrices[m], &state, &A);
        for (int64_t i = 0; i < A.n; i++)
            r[i] = 2 * test_random(&state) - 1;
        make(&A, (struct fsai_growth){5, 4, 0.01}, &G, &found);
        expect_ok(transposed_rows(&G, &transposed, &error), &error);
        for (int singles = 0; singles < 2; singles++) {
            struct options options =
                test_options(COMPONENT_PRECONDITIONER, "fsai",
                             singles ? "precision=float" : "precision=double", NULL);
            apply_once(&options, 1 + m % 3, &A, r, z, &dot);
            chains(&G, singles, r, t);
            chains(&transposed, singles, t, wanted);
            ck_assert_mem_eq(z, wanted, (size_t)A.n * sizeof *z);
            ck_assert(dot == ordered_dot(A.n, r, z));
            options_free(&options);
        }
        csr_free(&transposed);
        csr_free(&G);
        csr_free(&A);
    }
}
END_TEST

/* With all columns left of a row's diagonal G is the inverse of Cholesky's factor, and M is A. */
START_TEST(a_full_pattern_takes_one_iteration)
{
    static double b[FSAI_MOST + 1], x[FSAI_MOST + 1];
    uint64_t state = test_seed();
    for (int64_t n = 1; n <= FSAI_MOST + 1; n += 4) {
        double upper[(FSAI_MOST + 1) * (FSAI_MOST + 2) / 2], *value = upper;
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = i; j < n; j++)
                *value++ = i == j ? 80 : 2 * test_random(&state) - 1;
        struct csr A;
        test_matrix_from_dense(n, upper, CSR_SYMMETRIC, &A);
        random_vector(n, n, b);
        struct preconditioned choice = {.kernel = "cpu_csr",
                                        .tolerance = 1e-12,
                                        .options = test_options(COMPONENT_PRECONDITIONER, "fsai",
                                                                "looks=1", "step=64", "threshold=0",
                                                                NULL)};
        solve_preconditioned(&choice, &A, b, &history, x);
        options_free(&choice.options);
        ck_assert_int_eq(history.result.reason, REASON_CONVERGED);
        ck_assert_int_eq(history.result.iterations, 1);
        csr_free(&A);
    }
}
END_TEST

static int64_t iterations(const struct csr *A, const double *b, struct options options)
{
    static double x[SOLVE_N];
    struct preconditioned choice = {.kernel = "cpu_csr", .tolerance = 1e-8, .options = options};
    solve_preconditioned(&choice, A, b, &history, x);
    options_free(&options);
    ck_assert_int_eq(history.result.reason, REASON_CONVERGED);
    return history.result.iterations;
}

START_TEST(it_takes_half_of_jacobi_s_iterations)
{
    static double b[SOLVE_N];
    for (int k = 0; k < 2; k++) {
        struct csr A;
        grid(22, k ? 1e4 : 1, &A);
        random_vector(k, A.n, b);
        int64_t its = iterations(&A, b, test_options(COMPONENT_PRECONDITIONER, "fsai", NULL));
        int64_t jacobi = iterations(&A, b, preconditioner_tried(1));
        ck_assert_msg(2 * its < jacobi, "%d and %d iterations", (int)its, (int)jacobi);
        csr_free(&A);
    }
}
END_TEST

/* The options are freed. */
static void expect_fault(const struct csr *A, struct options options, const char *first,
                         const char *second)
{
    struct error error;
    struct preconditioned choice = {.kernel = "cpu_csr", .tolerance = 0.1, .options = options};
    double b[64] = {0}, x[64];
    expect_error(try_preconditioned(&choice, A, b, &history, x, &error), STATUS_CONFIG, &error,
                 "preconditioner fsai: ", first, second, NULL);
    options_free(&options);
}

START_TEST(what_has_no_inverse_is_refused)
{
    static const double bad[] = {0, -3, 0x1p-1060};
    static const char *const shown[] = {" 0 on the diagonal", "-3 on the diagonal",
                                        "whose inverse overflows"};
    double values[50];
    struct csr A;
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < 50; i++)
            values[i] = i < 40 ? 2 : bad[k];
        diagonal(50, values, &A);
        expect_fault(&A, test_options(COMPONENT_PRECONDITIONER, "fsai", NULL), "row 41 ", shown[k]);
        csr_free(&A);
    }
    for (int i = 0; i < 50; i++)
        values[i] = i < 30 ? 2 : i % 2 ? 1e-90 : 1e90;
    diagonal(50, values, &A);
    expect_fault(&A, test_options(COMPONENT_PRECONDITIONER, "fsai", "precision=float", NULL),
                 "row 31 of G leaves the range of single precision", "float");
    csr_free(&A);
    struct error error;
    struct options options = test_options(COMPONENT_PRECONDITIONER, "fsai", "looks=13", NULL);
    expect_ok(options_set(&options, "step", "4", &error), &error);
    expect_ok(options_check(&options, &error), &error);
    expect_ok(options_set(&options, "step", "5", &error), &error);
    expect_error(options_check(&options, &error), STATUS_CONFIG, &error, "step",
                 "times looks must be at most 64", NULL);
    options_free(&options);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* The leading 2 x 2 matrix is indefinite: row 2 stays at its diagonal. The other matrix has two
 * equal rows: the third one takes no column that gives the form 0. */
START_TEST(a_pivot_ends_a_row)
{
    static const double upper[] = {1, 2, 0, 1, 0, 1}, singular[] = {1, 0.5, 1, 1, 0.5, 1};
    struct csr A, G;
    struct fsai_found found;
    test_matrix_from_dense(3, upper, CSR_SYMMETRIC, &A);
    make(&A, tried[2], &G, &found);
    ck_assert_int_eq(found.ended, 1);
    ck_assert_int_eq(G.nnz, 3);
    for (int i = 0; i < 3; i++)
        ck_assert(G.values[i] == 1);
    csr_free(&G);
    struct options options = test_options(COMPONENT_PRECONDITIONER, "fsai", NULL);
    struct space *space = test_space(SPACE_CPU, REDUCTIONS_REPRODUCIBLE, 1);
    struct linear_operator spmv, M;
    struct error error;
    expect_ok(operator_create(kernel_find("cpu_csr"), &A, NULL, space, &spmv, &error), &error);
    expect_ok(preconditioner_create(&options, &A, NULL, &spmv, &M, &error), &error);
    ck_assert_str_eq(M.description, "1.00 entries a row of G; a pivot ended 1 row");
    operator_destroy(&M);
    operator_destroy(&spmv);
    space->operations->destroy(space);
    options_free(&options);
    csr_free(&A);
    test_matrix_from_dense(3, singular, CSR_SYMMETRIC, &A);
    make(&A, tried[2], &G, &found);
    ck_assert_int_eq(found.ended, 1);
    ck_assert_int_eq(G.nnz, 4);
    ck_assert(G.columns[1] == 0 && G.columns[3] == 2);
    csr_free(&G);
    csr_free(&A);
}
END_TEST

static enum status make_once(void *context, struct error *error)
{
    struct csr G;
    struct fsai_found found;
    const struct csr *A = context;
    enum status status = fsai_make_rows(A, 0, A->n, tried[2], &G, &found, error);
    ck_assert(!status || !G.offsets);
    csr_free(&G);
    return status;
}

START_TEST(a_failed_allocation_is_told)
{
    uint64_t state = test_seed();
    struct csr A;
    test_matrix_build_positive(&test_matrices[0], &state, &A);
    walk_allocation_failures(make_once, &A);
    csr_free(&A);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {rows_are_what_they_are_defined_as,
                            a_look_takes_the_largest_gains,
                            ties_go_to_lesser_columns,
                            threads_change_no_bit,
                            an_apply_is_two_products,
                            a_full_pattern_takes_one_iteration,
                            it_takes_half_of_jacobi_s_iterations,
                            what_has_no_inverse_is_refused,
                            a_pivot_ends_a_row,
                            a_failed_allocation_is_told,
                            NULL};
    return suite_of("precondition/fsai", tests);
}
