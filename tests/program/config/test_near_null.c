/* Coordinates and vectors that a config names: what the matrix gets of them, and files that are
 * refused. */
#include "program/config/near_null.h"

#include "program/config/system.h"
#include "support.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NODES = 6, N = 3 * NODES };

static struct error error;

/* A Matrix Market array. */
static const char *array(const char *name, int64_t rows, int64_t columns, const double *values)
{
    char text[1 << 14];
    int at = snprintf(text, sizeof text, "%%%%MatrixMarket matrix array real general\n%d %d\n",
                      (int)rows, (int)columns);
    for (int64_t j = 0; j < columns; j++)
        for (int64_t i = 0; i < rows; i++)
            at += snprintf(text + at, sizeof text - (size_t)at, "%.17g\n", values[i * columns + j]);
    return temporary_file(name, text, -1);
}

/* NumPy's, in C's order. */
static const char *npy(const char *name, int64_t rows, int64_t columns, const double *values)
{
    char file[1 << 14] = "\x93NUMPY\x01";
    memset(file + 10, ' ', 118);
    int length =
        snprintf(file + 10, 118, "{'descr': '<f8', 'fortran_order': False, 'shape': (%d, %d), }",
                 (int)rows, (int)columns);
    file[8] = 118;
    file[10 + length] = ' ';
    file[127] = '\n';
    memcpy(file + 128, values, (size_t)(rows * columns) * sizeof *values);
    return temporary_file(name, file, 128 + rows * columns * (int64_t)sizeof *values);
}

static void draw(uint64_t *state, int64_t count, double *values)
{
    for (int64_t k = 0; k < count; k++)
        values[k] = test_random(state) - 0.5;
}

static void expect_same(const struct near_null *found, const struct near_null *wanted)
{
    ck_assert(found->n == wanted->n && found->block == wanted->block &&
              found->count == wanted->count);
    ck_assert_mem_eq(found->values, wanted->values,
                     (size_t)(found->n * found->count) * sizeof *found->values);
}

/* The first node's axes decide where both shapes fit the rows. */
START_TEST(files_become_vectors)
{
    uint64_t state = test_seed();
    double values[N * NEAR_NULL_MAX];
    struct near_null found, wanted;
    for (int d = 2; d <= 3; d++)
        for (int file = 0; file < 2; file++) {
            draw(&state, N, values);
            struct near_null_wanted wants = {
                .coordinates = (file ? npy : array)("coordinates", N / d, d, values)};
            expect_ok(near_null_read(&wants, N, &found, &error), &error);
            expect_ok(near_null_rigid_body(N / d, d, values, &wanted, &error), &error);
            expect_same(&found, &wanted);
            near_null_free(&found);
            near_null_free(&wanted);
        }
    for (int count = 1; count <= NEAR_NULL_MAX; count++) {
        draw(&state, N * count, values);
        struct near_null_wanted wants = {
            NEAR_NULL_FILE, .vectors = (count % 2 ? npy : array)("vectors", N, count, values)};
        expect_ok(near_null_read(&wants, N, &found, &error), &error);
        expect_ok(near_null_of(N, 1, count, values, &wanted, &error), &error);
        expect_same(&found, &wanted);
        near_null_free(&found);
        near_null_free(&wanted);
    }
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

static void refused(const char *coordinates, const char *vectors, int64_t n, const char *says)
{
    struct near_null found;
    struct near_null_wanted wants = {NEAR_NULL_AUTO, coordinates, vectors};
    expect_error(near_null_read(&wants, n, &found, &error), STATUS_INPUT, &error,
                 coordinates ? coordinates : vectors, says, NULL);
    ck_assert(!found.values && memory_live() == 0);
}

START_TEST(files_are_refused)
{
    double values[N * (NEAR_NULL_MAX + 1)];
    uint64_t state = test_seed();
    draw(&state, N * (NEAR_NULL_MAX + 1), values);
    refused("/nowhere/c.npy", NULL, N, "cannot read");
    refused(NULL, "/nowhere/v.npy", N, "cannot read");
    refused(array("c", N - 1, 3, values), NULL, N, "must have 9 x 2 or 6 x 3 numbers");
    refused(npy("c", NODES, 2, values), NULL, N, "must have 9 x 2 or 6 x 3 numbers");
    refused(npy("c", 3, 4, values), NULL, N, "must have 9 x 2 or 6 x 3 numbers");
    refused(npy("c", 3, 3, values), NULL, 8, "must have 4 x 2 numbers");
    refused(npy("c", 3, 2, values), NULL, 9, "must have 3 x 3 numbers");
    refused(npy("c", 3, 3, values), NULL, 7, "the matrix has 7 rows");
    refused(NULL, npy("v", N - 1, 3, values), N, "18");
    refused(NULL, array("v", N + 1, 3, values), N, "18");
    refused(NULL, npy("v", N, NEAR_NULL_MAX + 1, values), N, "has 13 columns");
    refused(NULL, npy("v", N, 0, values), N, "has no columns");
    values[4] = NAN;
    refused(npy("c", NODES, 3, values), NULL, N, "nan");
    refused(NULL, npy("v", N, 2, values), N, "nan");
    for (int i = 0; i < N; i++) {
        values[2 * i] = 1;
        values[2 * i + 1] = 0;
    }
    refused(NULL, npy("v", N, 2, values), N, "near-null vector 2 is 0");
}
END_TEST

static enum status attempt(void *context, struct error *why)
{
    struct near_null found;
    enum status status = near_null_read(context, N, &found, why);
    near_null_free(&found);
    return status;
}

START_TEST(every_allocation_may_fail)
{
    double values[N];
    uint64_t state = test_seed();
    draw(&state, N, values);
    struct near_null_wanted wants = {.coordinates = npy("c", NODES, 3, values)};
    walk_allocation_failures(attempt, &wants);
    wants = (struct near_null_wanted){.vectors = array("v", N, 1, values)};
    walk_allocation_failures(attempt, &wants);
}
END_TEST

/* --- a system --------------------------------------------------------------------------------- */

static enum status read_config(const char *preconditioner, struct settings *settings)
{
    char text[1024];
    snprintf(text, sizeof text,
             "problem = { type = \"grid2d\"; n = [6, 3]; };"
             "solver = { preconditioner = { type = \"multigrid\"; %s }; };"
             "kernels = ( \"cpu_sym\" );",
             preconditioner);
    return settings_read(temporary_file("a.cfg", text, -1), NULL, 0, settings, &error);
}

/* A system has it, in whatever numbering, and no other one. */
START_TEST(a_system_has_it)
{
    double values[N];
    uint64_t state = test_seed();
    struct near_null wanted;
    draw(&state, N, values);
    expect_ok(near_null_rigid_body(NODES, 3, values, &wanted, &error), &error);
    for (int k = 0; k < 3; k++) {
        char keys[512];
        struct settings settings;
        struct linear_system system;
        snprintf(keys, sizeof keys,
                 k < 2 ? "near_null = \"rigid_body\"; coordinates = \"%s\";" : "",
                 npy("c", NODES, 3, values));
        expect_ok(read_config(keys, &settings), &error);
        settings.problem.reorder = k == 1 ? REORDER_RCM : REORDER_NONE;
        expect_ok(
            system_load(&settings.problem, &settings.solver, &settings.study, &system, &error),
            &error);
        if (k < 2)
            expect_same(system.A.near_null, &wanted);
        else
            ck_assert_ptr_null(system.A.near_null);
        system_free(&system);
        settings_free(&settings);
    }
    near_null_free(&wanted);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

START_TEST(files_are_looked_for)
{
    struct settings settings;
    expect_ok(read_config("vectors = \"/nowhere/v.npy\";", &settings), &error);
    ck_assert_str_eq(system_file(&settings.problem, &settings.solver, 0), "/nowhere/v.npy");
    expect_error(system_check_files(&settings.problem, &settings.solver, NULL, &error),
                 STATUS_INPUT, &error, "/nowhere/v.npy", NULL);
    settings_free(&settings);
}
END_TEST

START_TEST(keys_that_contradict_each_other)
{
    static const char *const cases[][2] = {
        {"coordinates = \"c\"; vectors = \"v\";", "preconditioner.coordinates: vectors are"},
        {"near_null = \"constant\"; coordinates = \"c\";",
         "preconditioner.coordinates: only near_null = \"rigid_body\""},
        {"near_null = \"file\"; coordinates = \"c\";", "preconditioner.coordinates: only"},
        {"near_null = \"constant\"; vectors = \"v\";",
         "preconditioner.vectors: only near_null = \"file\""},
        {"near_null = \"rigid_body\"; vectors = \"v\";", "preconditioner.vectors: only"},
        {"near_null = \"file\";", "preconditioner.near_null: vectors must name the file"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct settings settings;
        enum status status = read_config(cases[k][0], &settings);
        expect_error(status, STATUS_CONFIG, &error, cases[k][1], NULL);
    }
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {files_become_vectors,
                            files_are_refused,
                            every_allocation_may_fail,
                            a_system_has_it,
                            files_are_looked_for,
                            keys_that_contradict_each_other,
                            NULL};
    return suite_of("program/config/near_null", tests);
}
