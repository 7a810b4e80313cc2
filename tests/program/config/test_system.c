/* problem.reorder: the same system in another numbering, solved to the same solution. */
#include "program/config/system.h"

#include "csr_check.h"
#include "options.h"
#include "support.h"

#include "base/hash.h"
#include "solver/cg/cg.h"
#include "solver/solve.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KERNELS " kernels = ( \"cpu_sym\" );"

/* The system that the config names; reordered or not. The caller frees it. */
static struct linear_system load(const char *text, const char *reorder)
{
    char override[64];
    snprintf(override, sizeof override, "problem.reorder=%s", reorder);
    struct settings_override overrides[] = {{.text = override}};
    struct settings settings;
    struct linear_system system;
    struct error error;
    const char *config = temporary_file("system.cfg", text, -1);
    expect_ok(settings_read(config, overrides, 1, &settings, &error), &error);
    expect_ok(system_load(&settings.problem, &settings.solver, &settings.study, &system, &error),
              &error);
    expect_ok(csr_check(&system.A, &error), &error);
    settings_free(&settings);
    return system;
}

static const char *const configs[] = {
    "problem = { type = \"fe_sheet\"; n = [17, 19]; unknowns = 2; diagonals = \"random\";"
    " numbering = \"random\"; shift = 0.1; }; rhs = { type = \"random\"; };" KERNELS,
    "problem = { type = \"fe_cube\"; n = 9; unknowns = 1; diagonals = \"random\";"
    " numbering = \"random\"; shift = 1e-2; }; rhs = { type = \"solution\"; x = \"random\"; "
    "};" KERNELS,
    "problem = { type = \"poisson3d\"; n = [11, 7, 9]; jump = 100; };"
    " rhs = { type = \"solution\"; }; solver = { start = { type = \"random\"; }; };" KERNELS,
    "problem = { type = \"poisson3d\"; n = [40, 8, 2]; anisotropy = [1, 0, 0]; };" KERNELS,
    "problem = { type = \"poisson3d\"; n = 1; };" KERNELS,
};

enum { CONFIGS = sizeof configs / sizeof *configs };

/* b is that of the problem's own numbering, bit for bit. */
static void expect_same_system(const struct linear_system *plain,
                               const struct linear_system *reordered)
{
    struct error error;
    int64_t n = plain->A.n;
    struct csr permuted;
    double *b = memory_array(n, sizeof *b, "b", &error);
    ck_assert(b && !plain->number && reordered->number);
    vector_permute_back(n, reordered->number, reordered->b, b);
    ck_assert_mem_eq(b, plain->b, (size_t)n * sizeof *b);
    ck_assert(!plain->x0 == !reordered->x0 && plain->start_hash == reordered->start_hash);
    if (plain->x0) {
        vector_permute_back(n, reordered->number, reordered->x0, b);
        ck_assert_mem_eq(b, plain->x0, (size_t)n * sizeof *b);
        ck_assert_uint_eq(plain->start_hash, test_hash_vector(plain->x0, n));
    }
    ck_assert(plain->rhs_norm == reordered->rhs_norm);
    ck_assert_uint_eq(plain->matrix_hash, csr_hash(&plain->A));
    ck_assert_uint_eq(plain->rhs_hash, test_hash_vector(plain->b, n));
    ck_assert_uint_eq(reordered->matrix_hash, plain->matrix_hash);
    ck_assert_uint_eq(reordered->rhs_hash, plain->rhs_hash);
    expect_ok(csr_permute(&plain->A, reordered->number, &permuted, &error), &error);
    ck_assert_mem_eq(permuted.offsets, reordered->A.offsets, (size_t)(n + 1) * sizeof(int64_t));
    ck_assert_mem_eq(permuted.columns, reordered->A.columns, (size_t)permuted.nnz * 4);
    ck_assert_mem_eq(permuted.values, reordered->A.values, (size_t)permuted.nnz * sizeof(double));
    ck_assert_int_eq(reordered->reordering.before.bandwidth, csr_distances(&plain->A).bandwidth);
    ck_assert_int_eq(reordered->reordering.after.bandwidth, csr_distances(&permuted).bandwidth);
    ck_assert(reordered->reordering.seconds > 0 && plain->reordering.seconds == 0);
    csr_free(&permuted);
    memory_free(b);
}

START_TEST(the_same_system_is_solved)
{
    static struct outcome plain, other;
    static double x[SOLVE_N];
    for (int c = 0; c < CONFIGS; c++) {
        struct linear_system one = load(configs[c], "none"), two = load(configs[c], "rcm");
        int64_t n = one.A.n;
        expect_same_system(&one, &two);
        solve(standard, &one.A, one.b, &plain);
        solve(standard, &two.A, two.b, &other);
        expect_reason(REASON_CONVERGED, &plain);
        expect_reason(REASON_CONVERGED, &other);
        int64_t more = llabs(plain.result.iterations - other.result.iterations);
        ck_assert_msg(10 * more <= plain.result.iterations, "config %d: %d and %d iterations", c,
                      (int)plain.result.iterations, (int)other.result.iterations);
        vector_permute_back(n, two.number, other.x, x);
        double largest = 0, apart = 0;
        for (int64_t i = 0; i < n; i++) {
            largest = fmax(largest, fabs(plain.x[i]));
            apart = fmax(apart, fabs(plain.x[i] - x[i]));
        }
        ck_assert_msg(apart <= 1e-7 * largest, "config %d: %g of %g", c, apart, largest);
        system_free(&one);
        system_free(&two);
    }
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

START_TEST(threads_do_not_matter)
{
    for (int c = 0; c < CONFIGS; c++) {
        test_threads(1);
        struct linear_system one = load(configs[c], "rcm");
        for (int threads = 2; threads <= 7; threads += 5) {
            test_threads(threads);
            struct linear_system other = load(configs[c], "rcm");
            ck_assert_mem_eq(one.number, other.number, (size_t)one.A.n * sizeof *one.number);
            ck_assert_mem_eq(one.A.values, other.A.values,
                             (size_t)one.A.nnz * sizeof *one.A.values);
            ck_assert_mem_eq(one.b, other.b, (size_t)one.A.n * sizeof *one.b);
            system_free(&other);
        }
        system_free(&one);
    }
}
END_TEST

static enum status attempt(void *context, struct error *error)
{
    struct linear_system system;
    const struct settings *settings = context;
    enum status status =
        system_load(&settings->problem, &settings->solver, &settings->study, &system, error);
    if (!status)
        system_free(&system);
    return status;
}

/* With a preconditioner that uses it, in either numbering of A's rows. */
START_TEST(an_elastic_body_has_its_rigid_motions)
{
    static const struct {
        const char *problem, *preconditioner, *reorder;
        bool has;
    } cases[] = {{"elasticity3d", "multigrid", "none", true},
                 {"elasticity3d", "multigrid", "rcm", true},
                 {"elasticity3d", "jacobi", "none", false},
                 {"poisson3d", "multigrid", "none", false}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        char text[256];
        struct settings settings;
        struct linear_system system;
        struct near_null near_null;
        struct error error;
        snprintf(text, sizeof text,
                 "problem = { type = \"%s\"; n = [5, 4, 3]; reorder = \"%s\"; };"
                 "solver = { preconditioner = { type = \"%s\"; }; };" KERNELS,
                 cases[c].problem, cases[c].reorder, cases[c].preconditioner);
        const char *config = temporary_file("elastic.cfg", text, -1);
        expect_ok(settings_read(config, NULL, 0, &settings, &error), &error);
        expect_ok(
            system_load(&settings.problem, &settings.solver, &settings.study, &system, &error),
            &error);
        const struct near_null *found = system.A.near_null;
        ck_assert(found == (cases[c].has ? &system.near_null : NULL));
        expect_ok(problem_near_null(&settings.problem.matrix, &near_null, &error), &error);
        if (found) {
            ck_assert(found->n == system.A.n && found->block == 3 && found->count == 6);
            ck_assert_mem_eq(found->values, near_null.values, (size_t)(6 * found->n) * 8);
        }
        near_null_free(&near_null);
        if (cases[c].has)
            walk_allocation_failures(attempt, &settings);
        system_free(&system);
        settings_free(&settings);
    }
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

static enum status attempt_any(void *context, struct error *error)
{
    struct linear_system system;
    const struct settings *settings = context;
    enum status status = system_load_any(&settings->problem, 0, &system, error);
    if (!status)
        system_free(&system);
    return status;
}

START_TEST(every_failed_allocation_is_survived)
{
    struct settings settings = {
        .problem.matrix = test_options(COMPONENT_PROBLEM, "fe_cube", "n=3, 4, 5", "unknowns=2",
                                       "diagonals=random", "numbering=random", NULL),
        .problem.reorder = REORDER_RCM,
        .problem.rhs = test_options(COMPONENT_RHS, "solution", "x=random", NULL),
        .problem.start = test_options(COMPONENT_START, "random", NULL),
        .solver.options.method = &method_cg,
    };
    for (settings.problem.rhs_columns = 0; settings.problem.rhs_columns < 4;
         settings.problem.rhs_columns += 3) {
        walk_allocation_failures(attempt, &settings);
        walk_allocation_failures(attempt_any, &settings);
    }
    settings_free(&settings);
}
END_TEST

static enum status load_matrix(const char *problem, struct csr *A, struct error *error)
{
    struct matrix_market_report file;
    struct settings settings;
    expect_ok(settings_read(temporary_file("matrix.cfg", problem, -1), NULL, 0, &settings, error),
              error);
    enum status status = system_load_matrix(&settings.problem, A, &file, error);
    settings_free(&settings);
    return status;
}

static void load_any(const char *config, struct linear_system *system)
{
    struct settings settings;
    struct error error;
    expect_ok(settings_read(temporary_file("any.cfg", config, -1), NULL, 0, &settings, &error),
              &error);
    expect_ok(system_load_any(&settings.problem, settings.solver.options.shift, system, &error),
              &error);
    settings_free(&settings);
}

/* The bench's matrix is that of a solve, in either numbering; and any other that a file holds. */
START_TEST(matrices_for_products)
{
    struct csr A;
    struct error error;
    for (int k = 0; k < CONFIGS; k++)
        for (int rcm = 0; rcm < 2; rcm++) {
            struct linear_system system = load(configs[k], rcm ? "rcm" : "none");
            char text[600];
            snprintf(text, sizeof text, "%.*s reorder = \"%s\"; %s",
                     (int)(strchr(configs[k], '}') - configs[k]), configs[k], rcm ? "rcm" : "none",
                     strchr(configs[k], '}'));
            expect_ok(load_matrix(text, &A, &error), &error);
            ck_assert_uint_eq(csr_hash(&A), csr_hash(&system.A));
            csr_free(&A);
            struct linear_system any;
            load_any(text, &any);
            ck_assert_uint_eq(csr_hash(&any.A), csr_hash(&system.A));
            ck_assert_mem_eq(any.b, system.b, (size_t)system.A.n * sizeof *system.b);
            ck_assert(!any.number == !system.number);
            system_free(&any);
            system_free(&system);
        }
    char path[256], text[600];
    snprintf(path, sizeof path, "%s",
             temporary_file("g.mtx",
                            "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 2 1\n"
                            "2 1 1.0001\n",
                            -1));
    static const struct {
        const char *keys;
        enum status status;
        enum csr_kind kind;
    } cases[] = {{"", STATUS_OK, CSR_GENERAL},
                 {"reorder = \"rcm\";", STATUS_CONFIG, CSR_GENERAL},
                 {"asymmetry = 1e-3;", STATUS_OK, CSR_SYMMETRIC},
                 {"asymmetry = 1e-9;", STATUS_INPUT, CSR_SYMMETRIC}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        snprintf(text, sizeof text, "problem = { type = \"mtx\"; path = \"%s\"; %s };" KERNELS,
                 path, cases[k].keys);
        enum status status = load_matrix(text, &A, &error);
        ck_assert_int_eq(status, cases[k].status);
        ck_assert(status ? !A.offsets : A.kind == cases[k].kind);
        csr_free(&A);
    }
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* A solve takes it as symmetric and tells of the mean; a product leaves it as it is. */
START_TEST(what_rounding_leaves)
{
    char text[600], said[600] = "";
    snprintf(text, sizeof text, "problem = { type = \"mtx\"; path = \"%s\"; };" KERNELS,
             temporary_file("g.mtx",
                            "%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 1\n2 2 1\n"
                            "1 2 1e-13\n",
                            -1));
    struct linear_system system = load(text, "none"), any;
    ck_assert(system.A.kind == CSR_SYMMETRIC && system.A.values[1] == 5e-14);
    ck_assert(system.file.averaged_pairs == 1 && system.file.asymmetry == 1e-13);
    system_free(&system);
    load_any(text, &any);
    ck_assert(any.A.kind == CSR_GENERAL && any.A.values[1] == 1e-13);
    system_free(&any);
    struct settings settings;
    struct error error;
    struct matrix_market_report met = {
        .field = "real", .symmetry = "general", .averaged_pairs = 1, .asymmetry = 1e-13};
    expect_ok(settings_read(temporary_file("g.cfg", text, -1), NULL, 0, &settings, &error), &error);
    FILE *stream = fmemopen(said, sizeof said, "w");
    problem_describe(&settings.problem.matrix, &met, stream);
    fclose(stream);
    settings_free(&settings);
    ck_assert_ptr_nonnull(strstr(said, "1 pair replaced by their mean (asymmetry up to 1e-13)"));
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* A matrix by structure is what its settings say; a general one is not for conjugate gradients. */
START_TEST(matrices_by_structure)
{
    static const struct {
        const char *keys;
        int64_t n, full;
    } wanted[] = {
        {"type = \"fe_brick\"; n = [4, 3, 2]; unknowns = 2;", 48, 4 * 10 * 7 * 4},
        {"type = \"lattice4d\"; n = [3, 3, 3, 2];", 648, 40 * 648},
        {"type = \"grid2d\"; n = [5, 4];", 20, 20 + 2 * (4 * 4 + 8)},
        {"type = \"power_law\"; n = 100; mean = 5; deviation = 0; longest = 9;", 100, 0},
        {"type = \"feature_graph\"; n = 100; near = 2; far = 0;", 100, 500},
        {"type = \"chains\"; n = 100; cuts = 0; branches = 0;", 100, 298},
        {"type = \"stand_in\"; name = \"qcd\"; scale = 0.03;", 1296, 40 * 1296},
    };
    for (size_t k = 0; k < sizeof wanted / sizeof *wanted; k++) {
        char text[256];
        snprintf(text, sizeof text, "problem = { %s };" KERNELS, wanted[k].keys);
        struct linear_system system = load(text, "none");
        ck_assert_int_eq(system.A.n, wanted[k].n);
        if (wanted[k].full > 0)
            ck_assert_int_eq(csr_nnz_full(&system.A), wanted[k].full);
        system_free(&system);
    }
    struct settings settings;
    struct linear_system system;
    struct error error;
    const char *config = temporary_file(
        "general.cfg", "problem = { type = \"chains\"; n = 9; kind = \"general\"; };" KERNELS, -1);
    expect_ok(settings_read(config, NULL, 0, &settings, &error), &error);
    expect_error(system_load(&settings.problem, &settings.solver, &settings.study, &system, &error),
                 STATUS_INPUT, &error, "problem.kind = \"general\"", "conjugate gradients", NULL);
    settings_free(&settings);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* Column j of b and x_0 is the b and x_0 of the same system with seed + j, in either numbering. */
START_TEST(columns_are_those_of_single_systems)
{
    enum { COLUMNS = 3 };
    static const char format[] =
        "problem = { type = \"fe_sheet\"; n = [7, 9]; numbering = \"random\"; };"
        "rhs = { type = \"random\"; seed = %d; columns = %d; };"
        "solver = { start = { type = \"random\"; seed = %d; }; };" KERNELS;
    char text[400];
    for (int rcm = 0; rcm < 2; rcm++) {
        snprintf(text, sizeof text, format, 5, COLUMNS, 20);
        struct linear_system all = load(text, rcm ? "rcm" : "none");
        int64_t n = all.A.n;
        double largest = 0;
        ck_assert_int_eq(all.columns, COLUMNS);
        for (int j = 0; j < COLUMNS; j++) {
            snprintf(text, sizeof text, format, 5 + j, 1, 20 + j);
            struct linear_system one = load(text, rcm ? "rcm" : "none");
            ck_assert_int_eq(one.columns, 1);
            ck_assert_mem_eq(all.b + j * n, one.b, (size_t)n * sizeof *one.b);
            ck_assert_mem_eq(all.x0 + j * n, one.x0, (size_t)n * sizeof *one.x0);
            ck_assert(all.rhs_norms[j] == one.rhs_norm && one.rhs_norms[0] == one.rhs_norm);
            ck_assert_uint_ne(all.rhs_hash, one.rhs_hash);
            largest = fmax(largest, one.rhs_norm);
            system_free(&one);
        }
        ck_assert(all.rhs_norm == largest);
        system_free(&all);
    }
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {columns_are_those_of_single_systems,
                            an_elastic_body_has_its_rigid_motions,
                            the_same_system_is_solved,
                            threads_do_not_matter,
                            every_failed_allocation_is_survived,
                            matrices_for_products,
                            what_rounding_leaves,
                            matrices_by_structure,
                            NULL};
    return suite_of("program/config/system", tests);
}
