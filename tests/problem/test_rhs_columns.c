/* Right-hand sides and starts of several columns: column 0 is what one column gives, and each other
 * one what its own options give; or the columns of a file. */
#include "problem/rhs.h"

#include "base/random.h"
#include "matrices.h"
#include "options.h"
#include "problem/start.h"
#include "support.h"

#include <stdio.h>
#include <string.h>

enum { N = 6, COLUMNS = 3 };

static struct csr A;

static void make_matrix(void)
{
    static double upper[N * (N + 1) / 2];
    for (int k = 0; k < N * (N + 1) / 2; k++)
        upper[k] = 1.0 / (k + 1);
    test_matrix_from_dense(N, upper, CSR_SYMMETRIC, &A);
}

/* The columns of `all` are what the other options give, `of[]` with "%d" for the column. */
static void expect_columns(struct options all, const char *type, const char *of, int first)
{
    double B[COLUMNS][N], b[N];
    struct error error;
    expect_ok(rhs_fill(&all, &A, 0.5, COLUMNS, B[0], &error), &error);
    for (int j = 0; j < COLUMNS; j++) {
        char text[32];
        snprintf(text, sizeof text, of, first + j);
        struct options one = test_options(COMPONENT_RHS, type, text,
                                          strcmp(type, "solution") ? NULL : "x=random", NULL);
        expect_ok(rhs_fill(&one, &A, 0.5, 1, b, &error), &error);
        ck_assert_mem_eq(B[j], b, sizeof b);
        options_free(&one);
    }
    options_free(&all);
}

START_TEST(each_column_has_its_own)
{
    make_matrix();
    expect_columns(test_options(COMPONENT_RHS, "random", "seed=7", NULL), "random", "seed=%d", 7);
    expect_columns(test_options(COMPONENT_RHS, "unit", "row=2", NULL), "unit", "row=%d", 2);
    expect_columns(test_options(COMPONENT_RHS, "solution", "seed=7", "x=random", NULL), "solution",
                   "seed=%d", 7);
    csr_free(&A);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

START_TEST(equal_columns_are_made)
{
    static const char *const types[] = {"ones", "solution"};
    double B[COLUMNS][N], b[N];
    struct error error;
    make_matrix();
    for (int k = 0; k < 2; k++) {
        struct options rhs = test_options(COMPONENT_RHS, types[k], NULL);
        expect_ok(rhs_fill(&rhs, &A, 0, COLUMNS, B[0], &error), &error);
        expect_ok(rhs_fill(&rhs, &A, 0, 1, b, &error), &error);
        for (int j = 0; j < COLUMNS; j++)
            ck_assert_mem_eq(B[j], b, sizeof b);
        options_free(&rhs);
    }
    csr_free(&A);
}
END_TEST

START_TEST(a_unit_column_beyond_the_last_row_is_refused)
{
    double B[COLUMNS][N];
    struct error error;
    make_matrix();
    struct options rhs = test_options(COMPONENT_RHS, "unit", "row=5", NULL);
    expect_error(rhs_fill(&rhs, &A, 0, COLUMNS, B[0], &error), STATUS_CONFIG, &error,
                 "rhs.columns = 3", "leaves 2", NULL);
    options_free(&rhs);
    csr_free(&A);
}
END_TEST

/* The largest seed is followed by some other one. */
START_TEST(the_largest_seed_has_columns)
{
    static double B[COLUMNS][N];
    rhs_draw(INT64_MAX, N, &(struct rhs_part){COLUMNS, 0, N}, B[0]);
    ck_assert_mem_ne(B[0], B[1], sizeof B[0]);
}
END_TEST

/* --- files ------------------------------------------------------------------------------------ */

static const char array[] = "%%MatrixMarket matrix array real general\n3 2\n1\n2\n3\n4\n5\n6\n";
static const char entries[] = "%%MatrixMarket matrix coordinate integer general\n3 2 4\n"
                              "3 2 7\n1 1 1\n3 2 1\n2 1 -4\n";
static const char row[] = "%%MatrixMarket matrix array real general\n1 3\n1\n2\n3\n";

static struct options file_of(enum component_kind kind, const char *text)
{
    char path[400];
    snprintf(path, sizeof path, "path=%s", temporary_file("b.mtx", text, -1));
    return test_options(kind, "file", path, NULL);
}

START_TEST(columns_of_a_file)
{
    static const struct {
        const char *text;
        int64_t columns;
        double B[2][3];
    } cases[] = {{array, 2, {{1, 2, 3}, {4, 5, 6}}},
                 {entries, 2, {{1, -4, 0}, {0, 0, 8}}},
                 {row, 1, {{1, 2, 3}}},
                 {"1 4\n2 5\n3 6\n", 2, {{1, 2, 3}, {4, 5, 6}}}};
    struct csr three = {.kind = CSR_SYMMETRIC, .n = 3, .width = 3};
    struct error error;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct options rhs = file_of(COMPONENT_RHS, cases[k].text);
        int64_t columns;
        double B[2][3] = {{0}};
        expect_ok(rhs_columns(&rhs, 3, 0, &columns, &error), &error);
        ck_assert_int_eq(columns, cases[k].columns);
        expect_ok(rhs_columns(&rhs, 3, columns, &columns, &error), &error);
        expect_ok(rhs_fill(&rhs, &three, 0, columns, B[0], &error), &error);
        ck_assert_mem_eq(B, cases[k].B, (size_t)columns * sizeof B[0]);
        expect_error(rhs_columns(&rhs, 3, 5, &columns, &error), STATUS_CONFIG, &error,
                     "rhs.columns = 5", "b.mtx has", NULL);
        if (k < 3)
            expect_error(rhs_columns(&rhs, 4, 0, &columns, &error), STATUS_INPUT, &error,
                         "must have 4 rows, one column for each vector", NULL);
        options_free(&rhs);
    }
    struct options rhs = file_of(COMPONENT_RHS, array);
    double b[3];
    expect_error(rhs_fill(&rhs, &three, 0, 1, b, &error), STATUS_INPUT, &error,
                 "3 x 2, but must be 1 vector of 3 entries", NULL);
    options_free(&rhs);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

START_TEST(too_many_columns_are_refused)
{
    char text[128];
    int64_t columns;
    struct error error;
    snprintf(text, sizeof text, "%%%%MatrixMarket matrix coordinate real general\n3 %d 1\n1 1 1\n",
             RHS_COLUMNS_MOST + 1);
    struct options rhs = file_of(COMPONENT_RHS, text);
    expect_error(rhs_columns(&rhs, 3, 0, &columns, &error), STATUS_INPUT, &error, "b.mtx",
                 "1025 columns, and at most 1024", NULL);
    options_free(&rhs);
}
END_TEST

START_TEST(what_is_made_has_as_many_as_are_wanted)
{
    int64_t columns;
    struct error error;
    struct options rhs = test_options(COMPONENT_RHS, "random", NULL);
    expect_ok(rhs_columns(&rhs, 3, 0, &columns, &error), &error);
    ck_assert_int_eq(columns, 1);
    expect_ok(rhs_columns(&rhs, 3, 1024, &columns, &error), &error);
    ck_assert_int_eq(columns, 1024);
    options_free(&rhs);
}
END_TEST

START_TEST(a_start_is_of_each_column_or_of_all)
{
    struct error error;
    double X[2][3], wanted[3];
    struct options start = file_of(COMPONENT_START, array);
    expect_ok(start_fill_part(&start, 3, &(struct rhs_part){2, 0, 3}, X[0], &error), &error);
    ck_assert_mem_eq(X, ((double[2][3]){{1, 2, 3}, {4, 5, 6}}), sizeof X);
    expect_error(start_fill_part(&start, 3, &(struct rhs_part){3, 0, 3}, X[0], &error),
                 STATUS_INPUT, &error, "b.mtx: has 2 columns, and the right-hand side has 3", NULL);
    options_free(&start);
    start = file_of(COMPONENT_START, row);
    expect_ok(start_fill_part(&start, 3, &(struct rhs_part){2, 0, 3}, X[0], &error), &error);
    ck_assert_mem_eq(X, ((double[2][3]){{1, 2, 3}, {1, 2, 3}}), sizeof X);
    options_free(&start);
    start = test_options(COMPONENT_START, "random", "seed=4", NULL);
    expect_ok(start_fill_part(&start, 3, &(struct rhs_part){2, 0, 3}, X[0], &error), &error);
    for (int j = 0; j < 2; j++) {
        random_vector(4 + j, 3, wanted);
        ck_assert_mem_eq(X[j], wanted, sizeof wanted);
    }
    options_free(&start);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

static enum status attempt(void *rhs, struct error *error)
{
    struct csr three = {.kind = CSR_SYMMETRIC, .n = 3, .width = 3};
    int64_t columns;
    double B[2][3];
    enum status status = rhs_columns(rhs, 3, 0, &columns, error);
    return status ? status : rhs_fill(rhs, &three, 0, columns, B[0], error);
}

START_TEST(failures)
{
    struct options rhs = file_of(COMPONENT_RHS, entries);
    walk_allocation_failures(attempt, &rhs);
    options_free(&rhs);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {each_column_has_its_own,
                            equal_columns_are_made,
                            a_unit_column_beyond_the_last_row_is_refused,
                            the_largest_seed_has_columns,
                            columns_of_a_file,
                            too_many_columns_are_refused,
                            what_is_made_has_as_many_as_are_wanted,
                            a_start_is_of_each_column_or_of_all,
                            failures,
                            NULL};
    return suite_of("problem/rhs_columns", tests);
}
