/* Groups in a group: solver.preconditioner, solver.start. */
#include "program/config/configs.h"

#include "options.h"
#include "support.h"

#include <stdlib.h>
#include <string.h>

#define SOLVER(text) PROBLEM KERNELS "solver = { preconditioner = { " text " }; };\n"

#define START(text) PROBLEM KERNELS "solver = { start = { " text " }; };\n"

START_TEST(starts)
{
    struct settings settings = read_with(PROBLEM KERNELS, NULL);
    ck_assert_str_eq(settings.problem.start.component->name, "zero");
    expect_round_trip(settings);
    settings = read_with(START("type = \"random\";"), NULL);
    expect_option(&settings.problem.start, "random", "seed", "1");
    expect_round_trip(settings);
    settings = read_one(START("type = \"file\"; path = \"x.mtx\";"), "solver.method=lanczos");
    expect_option(&settings.problem.start, "file", "path", "x.mtx");
    expect_round_trip(settings);
}
END_TEST

START_TEST(defaults)
{
    struct settings settings = read_with(PROBLEM KERNELS, NULL);
    ck_assert_str_eq(settings.solver.preconditioner.component->name, "none");
    expect_round_trip(settings);
    settings = read_with(SOLVER("type = \"block_jacobi\";"), NULL);
    expect_option(&settings.solver.preconditioner, "block_jacobi", "block", "4");
    expect_round_trip(settings);
    settings = read_with(SOLVER("type = \"chebyshev\";"), NULL);
    expect_option(&settings.solver.preconditioner, "chebyshev", "degree", "4");
    expect_option(&settings.solver.preconditioner, "chebyshev", "low", "");
    expect_option(&settings.solver.preconditioner, "chebyshev", "high", "");
    expect_round_trip(settings);
}
END_TEST

START_TEST(every_key)
{
    struct settings settings =
        read_with(SOLVER("high = 7; low = 1e-3; type = \"chebyshev\"; degree = 9;"), NULL);
    expect_option(&settings.solver.preconditioner, "chebyshev", "degree", "9");
    expect_option(&settings.solver.preconditioner, "chebyshev", "low", "0.001");
    expect_option(&settings.solver.preconditioner, "chebyshev", "high", "7.0");
    ck_assert(settings.solver.options.tolerance == 1e-8);
    expect_round_trip(settings);
}
END_TEST

START_TEST(overrides_reach_in)
{
    static const char *const overrides[] = {"solver.preconditioner.type=block_jacobi",
                                            "solver.preconditioner.block=6",
                                            "solver.tolerance=1e-3", NULL};
    struct settings settings = read_with(PROBLEM KERNELS, overrides);
    expect_option(&settings.solver.preconditioner, "block_jacobi", "block", "6");
    ck_assert(settings.solver.options.tolerance == 1e-3);
    settings_free(&settings);
    settings = read_one(SOLVER("type = \"chebyshev\"; degree = 3;"),
                        "solver.preconditioner={type=\"jacobi\";}");
    ck_assert_str_eq(settings.solver.preconditioner.component->name, "jacobi");
    settings_free(&settings);
}
END_TEST

/* settings.cfg nests as the config does. */
START_TEST(what_is_written_is_nested)
{
    struct settings settings = read_with(SOLVER("type = \"chebyshev\"; high = 2.5;"), NULL);
    char *text = printed(&settings);
    ck_assert_msg(strstr(text, "    reductions = \"reproducible\";\n"
                               "    preconditioner = {\n"
                               "        type = \"chebyshev\";\n"
                               "        degree = 4;\n"
                               "        high = 2.5;\n"
                               "    };\n"
                               "    start = {\n"
                               "        type = \"zero\";\n"
                               "    };\n"
                               "};\n"
                               "rhs = {\n") != NULL,
                  "%s", text);
    free(text);
    settings_free(&settings);
    text = printed(NULL);
    ck_assert_ptr_nonnull(strstr(text, "\n\nWith solver.preconditioner.type = \"block_jacobi\":\n"
                                       "  solver.preconditioner.block: a whole number, 1..32; "
                                       "default 4\n"));
    free(text);
}
END_TEST

START_TEST(faults)
{
    static const struct fault wrong[] = {
        {PROBLEM KERNELS "solver = { preconditioner = \"jacobi\"; };",
         ":3: solver.preconditioner wants a group { ... }, not the string \"jacobi\""},
        {PROBLEM KERNELS "preconditioner = { type = \"jacobi\"; };",
         ":3: unknown key 'preconditioner'"},
        {SOLVER("typ = \"jacobi\";"),
         ":3: unknown key 'solver.preconditioner.typ'; did you mean 'type'?"},
        {PROBLEM KERNELS "solver = { preconditoner = { }; };",
         ":3: unknown key 'solver.preconditoner'; did you mean 'preconditioner'?"},
        {SOLVER("type = \"jacoby\";"), ":3: solver.preconditioner.type wants \"none\", \"jacobi\", "
                                       "\"block_jacobi\", \"chebyshev\", \"fsai\", \"multigrid\" "
                                       "or \"auto\", not \"jacoby\"; did "
                                       "you mean 'jacobi'?"},
        {SOLVER("block = 4;"),
         ":3: solver.preconditioner.block is for type \"block_jacobi\", not \"none\""},
        {SOLVER("type = \"block_jacobi\"; low = 4;"),
         ":3: solver.preconditioner.low is for type \"chebyshev\", not \"block_jacobi\""},
        {SOLVER("type = \"block_jacobi\"; block = 33;"),
         ":3: solver.preconditioner.block wants a whole number, 1..32, not 33"},
        {SOLVER("type = \"chebyshev\"; high = 0;"),
         ":3: solver.preconditioner.high wants a real above 0, not 0"},
        {SOLVER("type = \"chebyshev\"; high = 2; low = 2;"),
         ":3: solver.preconditioner.low: must lie below high"},
        {PROBLEM KERNELS "solver = { method = \"lanczos\"; preconditioner = { type = \"jacobi\"; "
                         "}; };",
         ":3: solver.preconditioner.type is for method \"cg\", \"minres\" or \"richardson\", "
         "not \"lanczos\""},
        {PROBLEM KERNELS "solver = { method = \"minres\"; preconditioner = { block = 4; }; };",
         ":3: solver.preconditioner.block is for type \"block_jacobi\", not \"none\""},
        {START("type = \"ones\";"),
         ":3: solver.start.type wants \"zero\", \"random\" or \"file\", not \"ones\""},
        {START("type = \"file\";"),
         ":3: solver.start.path is missing for type \"file\": it wants a string"},
        {START("seed = 3;"), ":3: solver.start.seed is for type \"random\", not \"zero\""},
        {START("type = \"random\";\n seed = -1;"),
         ":4: solver.start.seed wants a whole number, at least 0, not -1"},
        {START("typ = \"zero\";"), ":3: unknown key 'solver.start.typ'; did you mean 'type'?"},
    };
    EXPECT_FAULTS(wrong);
}
END_TEST

Suite *suite(void)
{
    const TTest *const tests[] = {
        starts, defaults, every_key, overrides_reach_in, what_is_written_is_nested, faults, NULL};
    return suite_of("program/config/groups", tests);
}
