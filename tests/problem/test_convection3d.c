/* The matrix of convection against its text and its spectrum, and what is refused. */
#include "csr_check.h"
#include "support.h"

#include "problem/generators.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

static struct csr create(struct convection3d convection)
{
    struct error error;
    struct csr A;
    expect_ok(problem_create(&problem_convection3d, &convection, &A, &error), &error);
    expect_ok(csr_check(&A, &error), &error);
    ck_assert_int_eq(A.kind, CSR_SKEW);
    ck_assert_int_eq(A.n, convection.n[0] * convection.n[1] * convection.n[2]);
    return A;
}

/* A[row][column] by the text of problem/convection3d.c. */
static double entry(const struct convection3d *convection, int64_t row, int64_t column)
{
    int64_t strides[] = {1, convection->n[0], convection->n[0] * convection->n[1]};
    for (int axis = 0; axis < 3; axis++) {
        bool next = row / strides[axis] % convection->n[axis] + 1 < convection->n[axis];
        if (column == row + strides[axis] && next)
            return convection->velocity[axis];
    }
    return 0;
}

START_TEST(all_small_boxes)
{
    static const double velocities[][3] = {{1, 1, 1}, {-2, 0.5, 0}, {0, 0, 3}, {0, -1, 1e-3}};
    for (int code = 0; code < 4 * 64; code++) {
        struct convection3d convection = {{1 + code % 4, 1 + code / 4 % 4, 1 + code / 16 % 4}, {0}};
        memcpy(convection.velocity, velocities[code / 64], sizeof convection.velocity);
        struct csr A = create(convection);
        for (int64_t i = 0; i < A.n; i++) {
            int64_t k = A.offsets[i];
            ck_assert(A.columns[k] == i && A.values[k] == 0);
            k++;
            for (int64_t j = i + 1; j < A.n; j++)
                if (entry(&convection, i, j) != 0) {
                    ck_assert(k < A.offsets[i + 1] && A.columns[k] == j);
                    ck_assert(A.values[k] == entry(&convection, i, j));
                    k++;
                }
            ck_assert_int_eq(k, A.offsets[i + 1]);
        }
        csr_free(&A);
    }
}
END_TEST

/* v = product over the axes of i^(index + 1) sin(pi m (index + 1) / (n + 1)), i^2 = -1, has the
 * eigenvalue 2 i sum w cos(pi m / (n + 1)); every sine and cosine is off by about an ulp. */
static double expect_mode(const struct convection3d *convection, const struct csr *A,
                          const int64_t mode[3])
{
    enum { MOST = 128 };
    double parts[2][MOST], images[2][MOST], sum = 0, total = 0;
    for (int64_t row = 0; row < A->n; row++) {
        double complex v = 1;
        int64_t rest = row;
        for (int a = 0; a < 3; a++) {
            int64_t place = rest % convection->n[a] + 1;
            static const double complex powers[] = {1, I, -1, -I};
            v *= powers[place % 4] *
                 sin(PI * (double)(mode[a] * place) / (double)(convection->n[a] + 1));
            rest /= convection->n[a];
        }
        parts[0][row] = creal(v);
        parts[1][row] = cimag(v);
    }
    for (int a = 0; a < 3; a++) {
        sum += convection->velocity[a] * cos(PI * (double)mode[a] / (double)(convection->n[a] + 1));
        total += fabs(convection->velocity[a]);
    }
    csr_multiply(A, parts[0], images[0]);
    csr_multiply(A, parts[1], images[1]);
    for (int64_t row = 0; row < A->n; row++) {
        ck_assert_double_eq_tol(images[0][row], -2 * sum * parts[1][row], 64 * DBL_EPSILON * total);
        ck_assert_double_eq_tol(images[1][row], 2 * sum * parts[0][row], 64 * DBL_EPSILON * total);
    }
    return fabs(sum);
}

/* Every eigenvector of boxes with their smallest |eigenvalue| / 2: 0 on the singular ones of the
 * header. */
START_TEST(every_mode_is_an_eigenvector)
{
    static const struct {
        struct convection3d convection;
        bool singular;
    } boxes[] = {{{{4, 4, 2}, {1, 1, 1}}, true},     {{{6, 6, 3}, {1, 1, 1}}, true},
                 {{{3, 3, 3}, {1, 2, -3}}, true},    {{{4, 2, 5}, {1, 1, 1}}, false},
                 {{{4, 6, 2}, {1, 1, 1}}, false},    {{{2, 2, 2}, {1, 1, 1}}, false},
                 {{{4, 4, 2}, {1, 0.5, 0.3}}, false}};
    for (size_t k = 0; k < sizeof boxes / sizeof *boxes; k++) {
        const struct convection3d *convection = &boxes[k].convection;
        struct csr A = create(*convection);
        double least = 1e9;
        int64_t mode[3];
        for (mode[2] = 1; mode[2] <= convection->n[2]; mode[2]++)
            for (mode[1] = 1; mode[1] <= convection->n[1]; mode[1]++)
                for (mode[0] = 1; mode[0] <= convection->n[0]; mode[0]++)
                    least = fmin(least, expect_mode(convection, &A, mode));
        ck_assert_msg(boxes[k].singular ? least < 1e-15 : least > 1e-3, "box %d: %g", (int)k,
                      least);
        csr_free(&A);
    }
}
END_TEST

START_TEST(threads_do_not_matter)
{
    struct convection3d convection = {{31, 17, 23}, {1, -0.1, 3}};
    test_threads(1);
    struct csr A = create(convection);
    test_threads(7);
    struct csr B = create(convection);
    ck_assert_int_eq(A.nnz, B.nnz);
    ck_assert_mem_eq(A.offsets, B.offsets, (size_t)(A.n + 1) * sizeof *A.offsets);
    ck_assert_mem_eq(A.columns, B.columns, (size_t)A.nnz * sizeof *A.columns);
    ck_assert_mem_eq(A.values, B.values, (size_t)A.nnz * sizeof *A.values);
    csr_free(&A);
    csr_free(&B);
}
END_TEST

static void expect_refused(struct convection3d convection, const char *text, const char *value)
{
    struct error error = {""};
    struct csr A;
    expect_error(problem_create(&problem_convection3d, &convection, &A, &error), STATUS_CONFIG,
                 &error, text, value, NULL);
    ck_assert_int_eq(memory_live(), 0);
}

START_TEST(what_makes_no_matrix_is_refused)
{
    expect_refused((struct convection3d){{0, 4, 4}, {1, 1, 1}}, "problem.n", "not 0");
    expect_refused((struct convection3d){{1291, 1291, 1291}, {1, 1, 1}}, "problem.n", "1291");
    expect_refused((struct convection3d){{4, 4, 4}, {0, 0, 0}}, "problem.velocity",
                   "not every component can be 0");
    expect_refused((struct convection3d){{4, 4, 4}, {1, -1e101, 1}}, "problem.velocity", "-1e+101");
    expect_refused((struct convection3d){{4, 4, 4}, {1, NAN, 1}}, "problem.velocity", "nan");
}
END_TEST

static enum status attempt(void *context, struct error *error)
{
    struct csr A;
    enum status status = problem_create(&problem_convection3d, context, &A, error);
    csr_free(&A);
    return status;
}

START_TEST(every_failed_allocation_is_survived)
{
    struct convection3d convection = {{4, 3, 2}, {1, 1, 1}};
    walk_allocation_failures(attempt, &convection);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {all_small_boxes,
                            every_mode_is_an_eigenvector,
                            threads_do_not_matter,
                            what_makes_no_matrix_is_refused,
                            every_failed_allocation_is_survived,
                            NULL};
    return suite_of("problem/convection3d", tests);
}
