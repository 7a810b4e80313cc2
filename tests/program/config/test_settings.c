/* Configs that are right: keys, defaults, settings.cfg, --help. How values are written is in
 * test_values.c, the messages of wrong configs are in test_faults.c and test_syntax.c, --set is in
 * test_override.c. */
#include "program/config/configs.h"

#include "options.h"
#include "solver/cg/cg.h"
#include "support.h"

#include "solver/cg/cg.h"
#include "solver/minres/minres.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

START_TEST(defaults)
{
    struct settings settings = read_with(PROBLEM KERNELS, NULL);
    ck_assert_str_eq(settings.problem.matrix.component->name, "poisson3d");
    for (int axis = 0; axis < 3; axis++) {
        ck_assert_int_eq(PROBLEM_AS(poisson3d, settings)->n[axis], 4);
        ck_assert(PROBLEM_AS(poisson3d, settings)->weights[axis] == 1);
    }
    ck_assert(PROBLEM_AS(poisson3d, settings)->jump == 1);
    ck_assert_int_eq(settings.problem.reorder, REORDER_NONE);
    ck_assert_int_eq(settings.problem.parts, 0);
    ck_assert_str_eq(settings.problem.rhs.component->name, "ones");
    ck_assert_ptr_eq(settings.solver.options.method, &method_cg);
    ck_assert(settings.solver.options.tolerance == 1e-8);
    ck_assert_int_eq(settings.solver.options.max_iterations, 10000);
    ck_assert_int_eq(settings.solver.reductions, REDUCTIONS_REPRODUCIBLE);
    ck_assert_int_eq(settings.study.repeats, 1);
    ck_assert_int_eq(settings.study.threads, 0);
    ck_assert(settings.study.devices[0] == 0 && settings.study.devices[1] == -1);
    ck_assert_str_eq(settings.output.directory, "results");
    ck_assert_ptr_null(settings.reference.history);
    ck_assert_int_eq(settings.study.trace.every, 0);
    ck_assert_uint_eq(settings.study.trace.vectors, 1u << VECTOR_R | 1u << VECTOR_X);
    ck_assert_int_eq(settings.study.trace.keep, TRACE_HASH);
    ck_assert_int_eq(settings.bench.operation, PRODUCT_SPMV);
    ck_assert_int_eq(settings.bench.columns[0], 0);
    ck_assert_int_eq(settings.bench.rounds, 11);
    ck_assert_int_eq(settings.bench.products, 0);
    ck_assert(settings.bench.seconds == 0.01);
    ck_assert_int_eq(settings.bench.cold, SWITCH_UNSET);
    ck_assert_int_eq(settings.bench.seed, 1);
    ck_assert(!settings.bench.baseline && !settings.bench.csv);
    ck_assert_int_eq(settings.study.kernels_count, 1);
    ck_assert_ptr_eq(settings.study.kernels[0].kernel, kernel_find("cpu_sym"));
    ck_assert_str_eq(settings.study.kernels[0].label, "cpu_sym");
    expect_round_trip(settings);
}
END_TEST

START_TEST(every_key)
{
    struct settings settings = read_with(
        "# a comment\n"
        "problem = { type = \"poisson3d\"; n = [64, 32, 0x10]; anisotropy = (1, 1, 0.01);\n"
        "  jump = 1e4 }; // another\n"
        "rhs = { type = \"solution\", x = \"random\", seed = 7 };\n"
        "solver : { method = \"cg\"; tolerance = .5e-9; max_iterations = 3000000000;\n"
        "  reductions = \"comp\" /* adjacent texts are one */ \"ensated\"; };\n"
        "kernels = ( { name = \"cpu_sym_bitwise\"; label = \"small\"; form = \"general\"; "
        "compress = \"never\"; },\n"
        "  \"cpu_sym_bitwise\", { chunk = 77L; name = \"cpu_sym_atomic\"; label = \"a b'c\" } );\n"
        "repeats = 8; threads = 2;\n"
        "trace = { every = 5; vectors = [\"q\", \"r\"]; keep = \"values\"; };\n"
        "bench = { operation = \"spmm\"; columns = [1, 128, 33]; rounds = 9; products = 4; seconds "
        "= 0.5; cold = true; seed = 3;\n"
        "  baseline = \"small\"; csv = \"a b.csv\"; };\n"
        "output = { directory = \"results/quick\\\"start\"; }",
        NULL);
    ck_assert_int_eq(PROBLEM_AS(poisson3d, settings)->n[0], 64);
    ck_assert_int_eq(PROBLEM_AS(poisson3d, settings)->n[1], 32);
    ck_assert_int_eq(PROBLEM_AS(poisson3d, settings)->n[2], 16);
    ck_assert(PROBLEM_AS(poisson3d, settings)->weights[1] == 1);
    ck_assert(PROBLEM_AS(poisson3d, settings)->weights[2] == 0.01);
    ck_assert(PROBLEM_AS(poisson3d, settings)->jump == 1e4);
    ck_assert_str_eq(settings.problem.rhs.component->name, "solution");
    expect_option(&settings.problem.rhs, "solution", "x", "random");
    expect_option(&settings.problem.rhs, "solution", "seed", "7");
    ck_assert(settings.solver.options.tolerance == .5e-9);
    ck_assert_int_eq(settings.solver.options.max_iterations, INT64_C(3000000000));
    ck_assert_int_eq(settings.solver.reductions, REDUCTIONS_COMPENSATED);
    ck_assert_int_eq(settings.study.repeats, 8);
    ck_assert_int_eq(settings.study.threads, 2);
    ck_assert_int_eq(settings.study.trace.every, 5);
    ck_assert_uint_eq(settings.study.trace.vectors, 1u << VECTOR_R | 1u << VECTOR_Q);
    ck_assert_int_eq(settings.study.trace.keep, TRACE_VALUES);
    ck_assert_int_eq(settings.bench.operation, PRODUCT_SPMM);
    ck_assert_mem_eq(settings.bench.columns, ((const int64_t[BENCH_COLUMNS]){1, 128, 33}),
                     sizeof settings.bench.columns);
    ck_assert_int_eq(settings.bench.rounds, 9);
    ck_assert_int_eq(settings.bench.products, 4);
    ck_assert(settings.bench.seconds == 0.5);
    ck_assert_int_eq(settings.bench.cold, SWITCH_ON);
    ck_assert_int_eq(settings.bench.seed, 3);
    ck_assert_str_eq(settings.bench.baseline, "small");
    ck_assert_str_eq(settings.bench.csv, "a b.csv");
    ck_assert_str_eq(settings.output.directory, "results/quick\"start");
    ck_assert_int_eq(settings.study.kernels_count, 3);
    ck_assert_str_eq(settings.study.kernels[0].label, "small");
    ck_assert_int_eq(settings.study.kernels[0].options.values[0], 3);
    ck_assert_int_eq(settings.study.kernels[0].options.values[1], 1);
    ck_assert_int_eq(settings.study.kernels[1].options.values[0], 0);
    ck_assert_str_eq(settings.study.kernels[1].label, "cpu_sym_bitwise");
    ck_assert_int_eq(settings.study.kernels[1].options.values[1],
                     kernel_defaults(kernel_find("cpu_sym_bitwise")).values[0]);
    ck_assert_str_eq(settings.study.kernels[2].label, "a b'c");
    ck_assert_int_eq(settings.study.kernels[2].options.values[0], 77);
    expect_round_trip(settings);
}
END_TEST

/* The overrides alone, as `cgsolve bench` has them. */
START_TEST(no_file)
{
    static const struct settings_override overrides[] = {
        {.text = "problem={type=\"mtx\";path=\"a\\\"b\";}"},
        {.text = "kernels=(\"cpu_csr\",\"cpu_sym\")"}};
    struct settings settings;
    struct error error;
    expect_ok(settings_read(NULL, overrides, 2, &settings, &error), &error);
    ck_assert_str_eq(options_file(&settings.problem.matrix, 0, NULL), "a\"b");
    ck_assert_int_eq(settings.study.kernels_count, 2);
    expect_round_trip(settings);
    expect_error(settings_read(NULL, overrides, 1, &settings, &error), STATUS_CONFIG, &error,
                 "the command line: kernels is missing", NULL);
}
END_TEST

START_TEST(matrix_file)
{
    struct settings settings =
        read_with("problem = { type = \"mtx\"; path = \"plate.mtx.gz\"; asymmetry = 0.1;"
                  " reorder = \"rcm\"; };\n"
                  "rhs = { type = \"file\"; path = \"b.mtx\"; };\n" KERNELS,
                  NULL);
    ck_assert_str_eq(settings.problem.matrix.component->name, "mtx");
    ck_assert_str_eq(options_file(&settings.problem.matrix, 0, NULL), "plate.mtx.gz");
    expect_option(&settings.problem.matrix, "mtx", "asymmetry", "0.1");
    ck_assert_int_eq(settings.problem.reorder, REORDER_RCM);
    ck_assert_str_eq(settings.problem.rhs.component->name, "file");
    ck_assert_str_eq(options_file(&settings.problem.rhs, 0, NULL), "b.mtx");
    expect_round_trip(settings);
}
END_TEST

/* n is a list of two or of three, and unknowns has a default of its own, by the type. */
START_TEST(finite_elements)
{
    static const struct {
        const char *keys;
        const char *type;
        struct fe_mesh mesh;
    } wanted[] = {
        {"type = \"fe_sheet\"; n = [30, 20];", "fe_sheet", {{30, 20, 0}, 5, 1e-3, .seed = 1}},
        {"type = \"fe_sheet\"; n = 7; unknowns = 3;", "fe_sheet", {{7, 7, 0}, 3, 1e-3, .seed = 1}},
        {"type = \"fe_cube\"; n = (3, 4, 5L);", "fe_cube", {{3, 4, 5}, 4, 1e-3, .seed = 1}},
        {"type = \"fe_cube\"; n = 6; shift = 2e-5; seed = 9; unknowns = 8;",
         "fe_cube",
         {{6, 6, 6}, 8, 2e-5, .seed = 9}},
        {"type = \"fe_cube\"; n = 6; diagonals = \"random\"; numbering = \"random\";",
         "fe_cube",
         {{6, 6, 6}, 4, 1e-3, 1, FE_MESH_RANDOM_DIAGONALS, FE_MESH_RANDOM_NUMBERING}},
    };
    for (size_t k = 0; k < sizeof wanted / sizeof *wanted; k++) {
        char text[256];
        snprintf(text, sizeof text, "problem = { %s };" KERNELS, wanted[k].keys);
        struct settings settings = read_with(text, NULL);
        ck_assert_str_eq(settings.problem.matrix.component->name, wanted[k].type);
        ck_assert_mem_eq(PROBLEM_AS(fe_mesh, settings), &wanted[k].mesh, sizeof wanted[k].mesh);
        expect_round_trip(settings);
    }
}
END_TEST

START_TEST(elastic_bodies)
{
    static const struct {
        const char *keys;
        struct elasticity3d body;
    } wanted[] = {
        {"", {{8, 0, 0}, ELASTICITY3D_CUBE, {1, 1, 1}, 0.25, 1, ELASTICITY3D_CLAMPED}},
        {"shape = \"plate\"; n = 4;",
         {{4, 0, 0}, ELASTICITY3D_PLATE, {1, 1, 1}, 0.25, 1, ELASTICITY3D_CLAMPED}},
        {"n = [4]; shape = \"beam\"; spacing = 0.5;",
         {{4, 0, 0}, ELASTICITY3D_BEAM, {0.5, 0.5, 0.5}, 0.25, 1, ELASTICITY3D_CLAMPED}},
        {"n = [4, 5, 6]; spacing = [1, 2, 0.1]; poisson_ratio = -0.3; jump = 1e3;",
         {{4, 5, 6}, ELASTICITY3D_CUBE, {1, 2, 0.1}, -0.3, 1e3, ELASTICITY3D_CLAMPED}},
        {"n = [4, 5, 6]; support = \"free\";",
         {{4, 5, 6}, ELASTICITY3D_CUBE, {1, 1, 1}, 0.25, 1, ELASTICITY3D_FREE}},
    };
    for (size_t k = 0; k < sizeof wanted / sizeof *wanted; k++) {
        char text[256];
        snprintf(text, sizeof text, "problem = { type = \"elasticity3d\"; %s };" KERNELS,
                 wanted[k].keys);
        struct settings settings = read_with(text, NULL);
        ck_assert_mem_eq(PROBLEM_AS(elasticity3d, settings), &wanted[k].body,
                         sizeof wanted[k].body);
        expect_round_trip(settings);
    }
}
END_TEST

START_TEST(skew_systems)
{
    struct settings settings = read_with(
        "problem = { type = \"convection3d\"; n = [4, 6, 8]; velocity = [1, -0.5, 0]; };\n"
        "solver = { method = \"skew\"; shift = -0.25; };\n" KERNELS,
        NULL);
    static const struct convection3d convection = {{4, 6, 8}, {1, -0.5, 0}};
    ck_assert_str_eq(settings.problem.matrix.component->name, "convection3d");
    ck_assert_mem_eq(PROBLEM_AS(convection3d, settings), &convection, sizeof convection);
    ck_assert_ptr_eq(settings.solver.options.method, &method_skew);
    ck_assert(settings.solver.options.shift == -0.25);
    expect_round_trip(settings);
    settings = read_with("problem = { type = \"poisson3d\"; n = 9; shift = -2.5; };\n"
                         "solver = { method = \"minres\"; };\n" KERNELS,
                         NULL);
    ck_assert(PROBLEM_AS(poisson3d, settings)->shift == -2.5 && settings.solver.options.shift == 0);
    expect_round_trip(settings);
}
END_TEST

START_TEST(networks)
{
    static const struct {
        const char *keys;
        struct network network;
    } wanted[] = {
        {"n = 9;", {{9, 9, 9}, 8, 0, 1e-6, 1}},
        {"n = [3, 4, 5]; decades = 0; ground = 2; scaling = 7; seed = 3;", {{3, 4, 5}, 0, 7, 2, 3}},
    };
    for (size_t k = 0; k < sizeof wanted / sizeof *wanted; k++) {
        char text[256];
        snprintf(text, sizeof text, "problem = { type = \"network\"; %s };" KERNELS,
                 wanted[k].keys);
        struct settings settings = read_with(text, NULL);
        ck_assert_str_eq(settings.problem.matrix.component->name, "network");
        ck_assert_mem_eq(PROBLEM_AS(network, settings), &wanted[k].network,
                         sizeof wanted[k].network);
        expect_round_trip(settings);
    }
}
END_TEST

START_TEST(tied_nodes_and_layers)
{
    struct settings settings =
        read_with("problem = { type = \"tied\"; n = 10; ground = 2.5; };" KERNELS, NULL);
    ck_assert_str_eq(settings.problem.matrix.component->name, "tied");
    struct tied tied = {10, 2.5, 1};
    ck_assert_mem_eq(PROBLEM_AS(tied, settings), &tied, sizeof tied);
    expect_round_trip(settings);
    settings = read_with("problem = { type = \"layers\"; n = [3, 20]; };"
                         "rhs = { type = \"unit\"; row = 4; };" KERNELS,
                         NULL);
    ck_assert_str_eq(settings.problem.matrix.component->name, "layers");
    struct layers layers = {{3, 20}, 16};
    ck_assert_mem_eq(PROBLEM_AS(layers, settings), &layers, sizeof layers);
    expect_option(&settings.problem.rhs, "unit", "row", "4");
    expect_round_trip(settings);
}
END_TEST

/* Matrices by structure: each with its own keys, and those that all of them share. */
START_TEST(matrices_by_structure)
{
    struct settings settings =
        read_with("problem = { type = \"fe_brick\"; n = [4, 5, 6]; };" KERNELS, NULL);
    ck_assert_str_eq(settings.problem.matrix.component->name, "fe_brick");
    static const struct fe_brick plain = {
        {4, 5, 6}, 3, 1, {1, 1}, .pattern = {.shift = 1, .seed = 1}};
    ck_assert_mem_eq(PROBLEM_AS(fe_brick, settings), &plain, sizeof plain);
    expect_option(&settings.problem.matrix, "fe_brick", "shift", "1.0");
    expect_option(&settings.problem.matrix, "fe_brick", "seed", "1");
    expect_round_trip(settings);
    settings =
        read_with("problem = { type = \"fe_brick\"; n = 7; unknowns = 6; reach = 2; density = "
                  "[0.25, 0.5]; hubs = 0.125; fixed = 0.5; numbering = \"random\"; shift = "
                  "0.01; seed = 9; };" KERNELS,
                  NULL);
    static const struct fe_brick other = {{7, 7, 7},
                                          6,
                                          2,
                                          {0.25, 0.5},
                                          0.125,
                                          0.5,
                                          FE_BRICK_RANDOM_LINES,
                                          {.shift = 0.01, .seed = 9}};
    ck_assert_mem_eq(PROBLEM_AS(fe_brick, settings), &other, sizeof other);
    expect_option(&settings.problem.matrix, "fe_brick", "shift", "0.01");
    expect_option(&settings.problem.matrix, "fe_brick", "seed", "9");
    expect_round_trip(settings);
    settings = read_with("problem = { type = \"lattice4d\"; n = [3, 4, 5, 6]; };" KERNELS, NULL);
    static const struct lattice4d lattice = {{3, 4, 5, 6}, {.shift = 1, .seed = 1}};
    ck_assert_mem_eq(PROBLEM_AS(lattice4d, settings), &lattice, sizeof lattice);
    expect_round_trip(settings);
    settings = read_with("problem = { type = \"grid2d\"; n = [3, 4]; kind = \"general\"; rows = "
                         "\"equal\"; };" KERNELS,
                         NULL);
    static const struct grid2d grid = {{3, 4}, {PATTERN_GENERAL, PATTERN_EQUAL, 1, 1}};
    ck_assert_mem_eq(PROBLEM_AS(grid2d, settings), &grid, sizeof grid);
    expect_option(&settings.problem.matrix, "grid2d", "kind", "general");
    expect_option(&settings.problem.matrix, "grid2d", "rows", "equal");
    expect_round_trip(settings);
    settings = read_with("problem = { type = \"power_law\"; n = 10000; };" KERNELS, NULL);
    static const struct power_law law = {10000, 8, 16, 1000, 0.5, 1, 0, 0, {.shift = 1, .seed = 1}};
    ck_assert_mem_eq(PROBLEM_AS(power_law, settings), &law, sizeof law);
    expect_round_trip(settings);
    settings = read_with(
        "problem = { type = \"chains\"; n = 100; numbering = \"random\"; };" KERNELS, NULL);
    static const struct chains chains = {100, 0.098, 0.163, CHAINS_RANDOM, {.shift = 1, .seed = 1}};
    ck_assert_mem_eq(PROBLEM_AS(chains, settings), &chains, sizeof chains);
    expect_round_trip(settings);
    settings = read_with(
        "problem = { type = \"stand_in\"; name = \"harbor\"; scale = 0.5; };" KERNELS, NULL);
    static const struct stand_in stand_in = {STAND_IN_HARBOR, 0.5, {.shift = 1, .seed = 1}};
    ck_assert_mem_eq(PROBLEM_AS(stand_in, settings), &stand_in, sizeof stand_in);
    expect_round_trip(settings);
}
END_TEST

/* The group may be left out; with it, the history must be given, and the tolerance by the mode. */
START_TEST(reference_history)
{
    struct settings settings =
        read_with(PROBLEM KERNELS "reference = { history = \"r.csv\"; };", NULL);
    ck_assert_str_eq(settings.reference.history, "r.csv");
    ck_assert_int_eq(settings.reference.rule.mode, COMPARISON_BITWISE);
    ck_assert_int_eq(settings.reference.rule.iterations, 0);
    expect_round_trip(settings);
    settings = read_with(PROBLEM KERNELS "reference = { history = \"r.csv\"; mode = \"ulps\"; "
                                         "tolerance = 4; iterations = 2; };",
                         NULL);
    ck_assert_int_eq(settings.reference.rule.mode, COMPARISON_ULPS);
    ck_assert_int_eq(settings.reference.rule.ulps, 4);
    ck_assert_int_eq(settings.reference.rule.iterations, 2);
    expect_round_trip(settings);
    settings = read_with(PROBLEM KERNELS
                         "reference = { mode = \"relative\"; tolerance = 1e-6; history = \"r\"; };",
                         NULL);
    ck_assert_int_eq(settings.reference.rule.mode, COMPARISON_RELATIVE);
    ck_assert(settings.reference.rule.relative == 1e-6);
    expect_round_trip(settings);
    settings = read_one(PROBLEM KERNELS, "reference.history=a b.csv");
    ck_assert_str_eq(settings.reference.history, "a b.csv");
    expect_round_trip(settings);
}
END_TEST

START_TEST(help_names_every_key)
{
    char *text = printed(NULL);
    static const char *const wanted[] = {
        "problem.type: ",
        "problem.n: ",
        "problem.anisotropy: ",
        "problem.jump: ",
        "problem.n: one for all, or a list of 2",
        "problem.unknowns: a whole number, 1..8; default 5",
        "problem.unknowns: a whole number, 1..8; default 4",
        "problem.shift: ",
        "problem.seed: ",
        "problem.path: ",
        "problem.diagonals: ",
        "problem.numbering: ",
        "problem.asymmetry: ",
        "problem.reorder: \"none\", \"rcm\" or \"metis\"; default none",
        "With problem.reorder = \"metis\":\n  problem.parts: a whole number, 1..2147483647; "
        "default 8",
        "rhs.type: ",
        "rhs.seed: ",
        "rhs.x: ",
        "rhs.path: ",
        "solver.method: ",
        "solver.tolerance: ",
        "default 1e-8",
        "solver.max_iterations: ",
        "solver.reductions: ",
        "kernels: ",
        "repeats: ",
        "threads: ",
        "devices: a list of up to 32, each a whole number, 0..1023; default 0",
        "output.directory: ",
        "reference.history: a string; must be given with the group",
        "reference.mode: \"bitwise\", \"ulps\" or \"relative\"",
        "reference.tolerance: a whole number",
        "reference.tolerance: a real in [0, 1e+300]",
        "reference.iterations: ",
        "bench.rounds: a whole number",
        "bench.columns: a list of up to 16, each a whole number, 1..128; default 8",
        "bench.baseline: a string; may be left out",
        "cpu_sym_bitwise: form: \"auto\", ",
        "cpu_sym_bitwise: compress: \"auto\" or ",
        "cpu_sym_atomic: chunk: "};
    for (size_t k = 0; k < sizeof wanted / sizeof *wanted; k++)
        ck_assert_msg(strstr(text, wanted[k]) != NULL, "\"%s\" is missing in:\n%s", wanted[k],
                      text);
    for (const char *line = text; *line; line += strcspn(line, "\n") + 1)
        ck_assert_msg(strcspn(line, "\n") <= 100, "too wide: %.120s", line);
    free(text);
}
END_TEST

static enum status attempt(void *context, struct error *error)
{
    static const struct settings_override overrides[] = {{.text = "solver.tolerance=1e-10"},
                                                         {.text = "output.directory=x"},
                                                         {.text = "solver={max_iterations=9;}"}};
    struct settings settings;
    enum status status = settings_read(context, overrides, 3, &settings, error);
    if (status != STATUS_OK)
        ck_assert_msg(!settings.study.kernels && !settings.output.directory &&
                          !settings.problem.matrix.values,
                      "a failure leaves settings behind");
    settings_free(&settings);
    return status;
}

START_TEST(every_allocation_may_fail)
{
    char *path = memory_text(
        temporary_file("run.cfg",
                       "problem = { type = \"mtx\"; path = \"p\"; };\n"
                       "rhs = { type = \"file\"; path = \"b\"; };\n"
                       "kernels = ( \"cpu_sym\", { name = \"cpu_csr\"; label = \"x\"; } );\n"
                       "reference = { history = \"r\"; };\n",
                       -1),
        "a path", NULL);
    walk_allocation_failures(attempt, path);
    memory_free(path);
}
END_TEST

Suite *suite(void)
{
    const TTest *const tests[] = {defaults,
                                  every_key,
                                  no_file,
                                  matrix_file,
                                  finite_elements,
                                  elastic_bodies,
                                  skew_systems,
                                  networks,
                                  tied_nodes_and_layers,
                                  matrices_by_structure,
                                  reference_history,
                                  help_names_every_key,
                                  every_allocation_may_fail,
                                  NULL};
    return suite_of("program/config/settings", tests);
}
