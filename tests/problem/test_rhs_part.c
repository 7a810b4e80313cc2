/* Of any right-hand side, and of x_0, some rows are made alone: those of the whole, and no others
 * are written. */
#include "support.h"

#include "base/memory.h"
#include "matrix/implicit_rows.h"
#include "options.h"
#include "problem/generators.h"
#include "problem/rhs.h"
#include "problem/start.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SIDE = 9, N = SIDE * SIDE * SIDE, COLUMNS = 2 };
static const double SHIFT = 0.25;

/* The same numbers as columns in a Matrix Market file, and in NumPy's two orders. */
static void write_files(char paths[3][300], double *X)
{
    static char text[1 << 16], array[128 + COLUMNS * N * sizeof(double)];
    int length = snprintf(text, sizeof text, "%%%%MatrixMarket matrix array real general\n%d %d\n",
                          N, COLUMNS);
    for (int k = 0; k < COLUMNS * N; k++)
        length += snprintf(text + length, sizeof text - (size_t)length, "%.17g\n", X[k]);
    snprintf(paths[0], sizeof paths[0], "path=%s", temporary_file("x.mtx", text, length));
    for (int fortran = 0; fortran < 2; fortran++) {
        memset(array, ' ', 128);
        memcpy(array, "\x93NUMPY\x01\x00\x76\x00", 10);
        length =
            snprintf(array + 10, 118, "{'descr': '<f8', 'fortran_order': %s, 'shape': (%d, %d), }",
                     fortran ? "True" : "False", N, COLUMNS);
        array[10 + length] = ' ';
        array[127] = '\n';
        for (int i = 0; i < N; i++)
            for (int j = 0; j < COLUMNS; j++)
                memcpy(array + 128 + (fortran ? j * N + i : i * COLUMNS + j) * 8, &X[j * N + i], 8);
        snprintf(paths[1 + fortran], sizeof paths[0], "path=%s",
                 temporary_file(fortran ? "f.npy" : "c.npy", array, sizeof array));
    }
}

/* Its parts of random rows, over NaN, against all. */
static void expect_parts(const struct options *made, const struct csr *A, uint64_t *state)
{
    static double all[COLUMNS * N], some[COLUMNS * N];
    bool is_rhs = made->component->kind == COMPONENT_RHS;
    struct error error;
    expect_ok(is_rhs ? rhs_fill(made, A, SHIFT, COLUMNS, all, &error)
                     : start_fill_part(made, N, &(struct rhs_part){COLUMNS, 0, N}, all, &error),
              &error);
    for (int trial = 0; trial < 20; trial++) {
        struct rhs_part part = {.columns = COLUMNS, .first = test_random_below(state, N + 1)};
        part.last = part.first + test_random_below(state, N + 1 - part.first);
        for (int k = 0; k < COLUMNS * N; k++)
            some[k] = NAN;
        expect_ok(is_rhs ? rhs_fill_part(made, A, SHIFT, &part, some, &error)
                         : start_fill_part(made, N, &part, some, &error),
                  &error);
        for (int k = 0; k < COLUMNS * N; k++) {
            bool in = k % N >= part.first && k % N < part.last;
            ck_assert_msg(in ? memcmp(&some[k], &all[k], sizeof *all) == 0 : isnan(some[k]),
                          "%s, rows %d to %d: element %d is %a, of all %a", made->component->name,
                          (int)part.first, (int)part.last, k, some[k], all[k]);
        }
    }
}

static void try_one(struct options made, const struct csr *A, uint64_t *state)
{
    expect_parts(&made, A, state);
    options_free(&made);
}

START_TEST(parts_are_those_of_the_whole)
{
    struct poisson3d poisson = {{SIDE, SIDE, SIDE}, {1, 1, 1}, 10, 0, POISSON3D_DIRICHLET};
    struct options problem = {&problem_poisson3d.component, &poisson};
    uint64_t state = test_seed();
    double X[COLUMNS * N];
    char paths[3][300];
    struct csr A;
    struct error error;
    for (int k = 0; k < COLUMNS * N; k++)
        X[k] = test_random(&state) - 0.5;
    write_files(paths, X);
    for (int stored = 0; stored < 2; stored++) {
        expect_ok(problem_shape(&problem, &A, &error), &error);
        if (stored)
            expect_ok(csr_store(&A, &error), &error);
        try_one(test_options(COMPONENT_RHS, "ones", NULL), &A, &state);
        try_one(test_options(COMPONENT_RHS, "random", "seed=5", NULL), &A, &state);
        try_one(test_options(COMPONENT_RHS, "unit", "row=300", NULL), &A, &state);
        try_one(test_options(COMPONENT_RHS, "solution", NULL), &A, &state);
        try_one(test_options(COMPONENT_RHS, "solution", "x=random", "seed=3", NULL), &A, &state);
        csr_free(&A);
    }
    struct csr shape = {.kind = CSR_SYMMETRIC, .n = N, .width = N};
    for (int f = 0; f < 3; f++) {
        try_one(test_options(COMPONENT_RHS, "file", paths[f], NULL), &shape, &state);
        try_one(test_options(COMPONENT_START, "file", paths[f], NULL), &shape, &state);
    }
    try_one(test_options(COMPONENT_START, "random", "seed=9", NULL), &shape, &state);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* The b of a matrix whose rows are made is that of the stored one. */
START_TEST(a_known_solution_needs_no_stored_matrix)
{
    static double made[COLUMNS * N], stored[COLUMNS * N];
    struct poisson3d poisson = {{SIDE, SIDE, SIDE}, {1, 2, 0.5}, 10, 0, POISSON3D_DIRICHLET};
    struct options problem = {&problem_poisson3d.component, &poisson};
    struct options rhs = test_options(COMPONENT_RHS, "solution", "x=random", NULL);
    struct csr A;
    struct error error;
    expect_ok(problem_shape(&problem, &A, &error), &error);
    expect_ok(rhs_fill(&rhs, &A, SHIFT, COLUMNS, made, &error), &error);
    expect_ok(csr_store(&A, &error), &error);
    expect_ok(rhs_fill(&rhs, &A, SHIFT, COLUMNS, stored, &error), &error);
    ck_assert_mem_eq(made, stored, sizeof made);
    csr_free(&A);
    options_free(&rhs);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

Suite *suite(void)
{
    Suite *made = suite_create("problem/rhs_part");
    TCase *tests = tcase_of("all");
    tcase_add_test(tests, parts_are_those_of_the_whole);
    tcase_add_test(tests, a_known_solution_needs_no_stored_matrix);
    suite_add_tcase(made, tests);
    return made;
}
