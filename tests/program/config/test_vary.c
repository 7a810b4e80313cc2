/* vary: the product that it makes of the list of kernels, its labels, and what it refuses. */
#include "program/config/configs.h"

#include "support.h"

#include <stdio.h>
#include <string.h>

#define LIST                                                                                       \
    "kernels = ( \"cpu_csr\",\n"                                                                   \
    "    { name = \"cpu_sym_bitwise\"; label = \"b\"; form = \"general\"; },\n"                    \
    "    { name = \"cpu_sym_atomic\"; threads = 3; } );\n" /* 3 lines */

static void expect_label(const struct settings *settings, int k, const char *label)
{
    ck_assert_int_lt(k, settings->study.kernels_count);
    ck_assert_str_eq(settings->study.kernels[k].label, label);
}

START_TEST(every_combination_once)
{
    struct settings settings =
        read_with(PROBLEM LIST "threads = 5; solver = { reductions = \"compensated\"; };\n"
                               "vary = { threads = [1, 2]; reductions = [\"blas\", \"exact\"]; };",
                  NULL);
    static const char *const labels[] = {
        "cpu_csr threads=1 reductions=blas", "cpu_csr threads=1 reductions=exact",
        "cpu_csr threads=2 reductions=blas", "cpu_csr threads=2 reductions=exact",
        "b threads=1 reductions=blas",       "b threads=1 reductions=exact",
        "b threads=2 reductions=blas",       "b threads=2 reductions=exact",
        "cpu_sym_atomic reductions=blas",    "cpu_sym_atomic reductions=exact",
    };
    ck_assert_int_eq(settings.study.kernels_count, 10);
    for (int k = 0; k < 10; k++) {
        expect_label(&settings, k, labels[k]);
        const struct kernel_settings *made = &settings.study.kernels[k];
        ck_assert(made->has_reductions);
        ck_assert_int_eq(made->reductions, k % 2 ? REDUCTIONS_EXACT : REDUCTIONS_BLAS);
        ck_assert_int_eq(made->threads, k < 8 ? 1 + k / 2 % 2 : 3); /* 3: its own */
    }
    ck_assert_int_eq(settings.solver.reductions, REDUCTIONS_COMPENSATED);
    ck_assert_int_eq(settings.study.threads, 5);
    expect_round_trip(settings);
}
END_TEST

/* A list is of those kernels alone that have the parameter and do not set it themselves. */
START_TEST(parameters_of_some_kernels)
{
    struct settings settings = read_with(
        PROBLEM LIST "vary = { form = [\"blocks\", \"auto\"]; compress = (\"never\", \"auto\"); "
                     "chunk = [4L, 8]; };",
        NULL);
    ck_assert_int_eq(settings.study.kernels_count, 5);
    expect_label(&settings, 0, "cpu_csr");
    expect_label(&settings, 1, "b compress=never");
    expect_label(&settings, 2, "b compress=auto");
    expect_label(&settings, 3, "cpu_sym_atomic chunk=4");
    expect_label(&settings, 4, "cpu_sym_atomic chunk=8");
    ck_assert_int_eq(settings.study.kernels[1].options.values[0], 3); /* form = "general" */
    ck_assert_int_eq(settings.study.kernels[1].options.values[1], 1);
    ck_assert_int_eq(settings.study.kernels[2].options.values[1], 0);
    ck_assert_int_eq(settings.study.kernels[4].options.values[0], 8);
    for (int k = 0; k < 5; k++) {
        ck_assert(!settings.study.kernels[k].has_reductions);
        ck_assert_int_eq(settings.study.kernels[k].reductions, REDUCTIONS_REPRODUCIBLE);
        ck_assert_int_eq(settings.study.kernels[k].threads, k < 3 ? 0 : 3);
    }
    expect_round_trip(settings);
}
END_TEST

/* A kernel on a device has no threads of the CPU. Builds without CUDA know it too. */
START_TEST(threads_are_of_the_cpu)
{
    struct settings settings =
        read_with(PROBLEM "kernels = ( \"cuda_sym_bitwise\", \"cpu_csr\" );\n"
                          "vary = { threads = [1, 2]; };",
                  NULL);
    expect_label(&settings, settings.study.kernels_count - 2, "cpu_csr threads=1");
    expect_label(&settings, settings.study.kernels_count - 1, "cpu_csr threads=2");
    const struct kernel *device = kernel_find("cuda_sym_bitwise");
    if (device->setup) {
        ck_assert_int_eq(settings.study.kernels_count, 3);
        expect_label(&settings, 0, "cuda_sym_bitwise");
    }
    settings_free(&settings);
}
END_TEST

START_TEST(options_of_one_kernel)
{
    struct settings settings =
        read_with(PROBLEM "kernels = ( { name = \"cpu_sym\"; reductions = \"exact\"; threads = 4; "
                          "}, { name = \"cpu_sym\"; label = \"x\"; } );",
                  NULL);
    ck_assert(settings.study.kernels[0].has_reductions &&
              !settings.study.kernels[1].has_reductions);
    ck_assert_int_eq(settings.study.kernels[0].reductions, REDUCTIONS_EXACT);
    ck_assert_int_eq(settings.study.kernels[1].reductions, REDUCTIONS_REPRODUCIBLE);
    ck_assert_int_eq(settings.study.kernels[0].threads, 4);
    ck_assert_int_eq(settings.study.kernels[1].threads, 0);
    expect_round_trip(settings);
}
END_TEST

START_TEST(overrides_vary_too)
{
    struct settings settings = read_one(PROBLEM KERNELS "vary = { threads = [3]; };",
                                        "vary.reductions=[\"atomic\", \"exact\"]");
    ck_assert_int_eq(settings.study.kernels_count, 2);
    expect_label(&settings, 1, "cpu_sym threads=3 reductions=exact");
    settings_free(&settings);
    settings = read_one(PROBLEM KERNELS "vary = { threads = [3]; };", "vary={}");
    ck_assert_int_eq(settings.study.kernels_count, 1);
    expect_label(&settings, 0, "cpu_sym");
    settings_free(&settings);
}
END_TEST

static const struct fault faults[] = {
    {PROBLEM KERNELS "vary = 3;", ":3: vary wants a group { NAME = [ VALUE, ... ]; ... }, not 3"},
    {PROBLEM KERNELS "vary = {\n threads = 3; };",
     ":4: vary.threads wants a list [ VALUE, ... ], not 3"},
    {PROBLEM KERNELS "vary = {\n threads = []; };",
     ":4: vary.threads wants a list [ VALUE, ... ], not an empty one"},
    {PROBLEM KERNELS "vary = { threads = [1,\n 0]; };",
     ":4: threads wants a whole number, 1..4096, not 0"},
    {PROBLEM KERNELS "vary = { threads = [1.5]; };",
     ":3: threads wants a whole number, 1..4096, not 1.5"},
    {PROBLEM KERNELS "vary = { reductions = [\"atomics\"]; };",
     ":3: reductions wants \"reproducible\", \"atomic\", \"blas\", \"compensated\" or \"exact\", "
     "not \"atomics\"; did you mean 'atomic'?"},
    {PROBLEM KERNELS "vary = { thread = [1]; };",
     ":3: vary.thread: none of the kernels takes it; did you mean 'threads'?"},
    {PROBLEM KERNELS "vary = { form = [\"auto\"]; };",
     ":3: vary.form: none of the kernels takes it"},
    {PROBLEM LIST "vary = { fomr = [\"auto\"]; };",
     ":5: vary.fomr: none of the kernels takes it; did you mean 'form'?"},
    {PROBLEM LIST "vary = { chunk = [0]; };",
     ":5: chunk of kernel \"cpu_sym_atomic\" wants a whole number, 1..2147483647, not 0"},
    {PROBLEM KERNELS "vary = { threads = [1, 2, 1]; };",
     ":3: vary makes two kernels labelled 'cpu_sym threads=1'"},
    {PROBLEM "kernels = ( { name = \"cpu_sym\"; label = \"a threads=2\"; threads = 7; },\n"
             "{ name = \"cpu_csr\"; label = \"a\"; } );\nvary = { threads = [1, 2]; };",
     ":4: vary makes two kernels labelled 'a threads=2'"},
    {PROBLEM "kernels = ( { name = \"cpu_sym\";\n threads = 0; } );",
     ":3: threads wants a whole number, 1..4096, not 0"},
    {PROBLEM "kernels = ( { name = \"cpu_sym\";\n reductions = 1; } );",
     ":3: reductions wants \"reproducible\", \"atomic\", \"blas\", \"compensated\" or \"exact\", "
     "not 1"},
};

START_TEST(what_is_refused)
{
    EXPECT_FAULTS(faults);
}
END_TEST

/* As many values as it takes to pass the limit, and a label that is too long. */
START_TEST(products_are_limited)
{
    static char text[1 << 16];
    int length = snprintf(text, sizeof text, "%s",
                          PROBLEM "kernels = ( \"cpu_sym_atomic\" );\nvary = { threads = [1");
    for (int k = 2; k <= 101; k++)
        length += snprintf(text + length, sizeof text - (size_t)length, ", %d", k);
    length += snprintf(text + length, sizeof text - (size_t)length, "]; chunk = [1");
    for (int k = 2; k <= 100; k++)
        length += snprintf(text + length, sizeof text - (size_t)length, ", %d", k);
    snprintf(text + length, sizeof text - (size_t)length, "]; };");
    expect_fault(temporary_file("run.cfg", text, -1), ":3: vary makes more than 10000 kernels");

    char label[600];
    memset(label, 'a', sizeof label - 1);
    label[505] = '\0'; /* and " threads=1" are 515 */
    snprintf(text, sizeof text, "%skernels = ( { name = \"cpu_sym\"; label = \"%s\"; } );\n%s",
             PROBLEM, label, "vary = { threads = [1]; };");
    expect_fault(temporary_file("run.cfg", text, -1),
                 ":3: vary makes a label longer than 511 bytes");
}
END_TEST

static enum status attempt(void *path, struct error *error)
{
    struct settings settings;
    enum status status = settings_read(path, NULL, 0, &settings, error);
    settings_free(&settings);
    return status;
}

START_TEST(failures_leave_nothing_behind)
{
    const char *path = temporary_file(
        "run.cfg", PROBLEM LIST "vary = { threads = [1, 2]; compress = [\"auto\", \"never\"]; };",
        -1);
    walk_allocation_failures(attempt, (void *)path);
}
END_TEST

Suite *suite(void)
{
    const TTest *const tests[] = {every_combination_once,
                                  parameters_of_some_kernels,
                                  threads_are_of_the_cpu,
                                  options_of_one_kernel,
                                  overrides_vary_too,
                                  what_is_refused,
                                  products_are_limited,
                                  failures_leave_nothing_behind,
                                  NULL};
    return suite_of("program/config/vary", tests);
}
