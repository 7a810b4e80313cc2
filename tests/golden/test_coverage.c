/* Whether tests/golden has a history of everything that promises equal bits: kernels in each of
 * their precisions, methods, preconditioners, kinds of sums. And whether docs/reproducibility.md
 * tells which kernels share one. */
#include "support.h"

#include "base/parameter.h"
#include "golden/golden.h"
#include "main/program.h"
#include "program/config/settings.h"
#include "solver/lanczos/lanczos.h"
#include "solver/solver.h"
#include "spmv/precision.h"
#include "study/study.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILES_MAX = 256 };

static int read_files(struct golden_file *files)
{
    int count = golden_files_count();
    ck_assert_int_le(count, FILES_MAX);
    for (int k = 0; k < count; k++)
        files[k] = golden_file(k);
    return count;
}

static bool has_kernel(const struct golden_order *order, const char *name)
{
    for (const struct golden_kernel *kernel = order->kernels; kernel->name; kernel++)
        if (strcmp(kernel->name, name) == 0)
            return true;
    return false;
}

static void expect_file(const struct golden_file *files, int count, const char *name,
                        enum precision precision)
{
    bool found = false;
    for (int k = 0; k < count; k++)
        found |= files[k].precision == precision && has_kernel(files[k].order, name);
    ck_assert_msg(found, "%s promises equal bits, and no tests/golden/*.csv is of its order in %s",
                  name, kernel_precisions[precision]);
}

/* With its defaults, or with another value of a parameter: of those with choices all, of others the
 * lowest. */
static bool promises_bits(const struct kernel *kernel)
{
    struct kernel_options options = kernel_defaults(kernel);
    bool promises = kernel_guarantee(kernel, &options) == GUARANTEE_BITWISE;
    for (int k = 0; k < kernel_parameter_count(kernel); k++) {
        const struct parameter *parameter = &kernel->component.parameters[k];
        int64_t last = parameter_last(parameter), now = options.values[k];
        for (int64_t v = parameter->least; v <= last && v <= parameter->least + 1000; v++) {
            options.values[k] = v;
            promises |= kernel_guarantee(kernel, &options) == GUARANTEE_BITWISE;
        }
        options.values[k] = now;
    }
    return promises;
}

static void expect_kernel(const struct golden_file *files, int count, const struct kernel *kernel)
{
    if (!promises_bits(kernel))
        return;
    for (int k = 0; k < kernel_parameter_count(kernel); k++) {
        const struct parameter *parameter = &kernel->component.parameters[k];
        if (strcmp(parameter->name, "precision") != 0)
            continue;
        for (int p = 0; kernel_precisions[p]; p++)
            for (const char *const *choice = parameter->choices; *choice; choice++)
                if (strcmp(*choice, kernel_precisions[p]) == 0)
                    expect_file(files, count, kernel->component.name, (enum precision)p);
    }
}

/* Of a kernel that this build lacks docs/kernels.md tells what it promises
 * (tests/main/test_command_line.c holds the page to those that a build has). Exact sums are always
 * of double precision. */
static void expect_described(const struct golden_file *files, int count, const char *name)
{
    char begin[128], row[512], guarantee[64], storage[64];
    snprintf(begin, sizeof begin, "\n| [`%s`](#%s) | ", name, name);
    const char *place = strstr(file_text("docs/kernels.md"), begin);
    ck_assert_msg(place != NULL, "docs/kernels.md: no \"%s\"", begin + 1);
    snprintf(row, sizeof row, "%s", place + strlen(begin));
    ck_assert_int_eq(sscanf(row, "%63[^|]| %63[^|]|", storage, guarantee), 2);
    if (!strstr(guarantee, "bitwise"))
        return;
    expect_file(files, count, name, PRECISION_DOUBLE);
    expect_file(files, count, name, PRECISION_FLOAT_DOUBLE);
    if (!strstr(name, "exact"))
        expect_file(files, count, name, PRECISION_FLOAT);
}

START_TEST(every_kernel_has_a_history)
{
    static struct golden_file files[FILES_MAX];
    int count = read_files(files), kernels_count;
    const struct kernel *const *kernels = kernel_list(&kernels_count);
    for (int k = 0; k < kernels_count; k++) {
        if (kernels[k]->setup)
            expect_kernel(files, count, kernels[k]);
        else
            expect_described(files, count, kernels[k]->component.name);
    }
    for (const struct golden_order *order = golden_orders; order->kernels[0].name; order++) {
        bool found = false;
        for (int f = 0; f < count; f++)
            found |= files[f].order == order;
        ck_assert_msg(found, "no tests/golden/*.csv is of the order of %s with %s",
                      order->kernels[0].name, order->kernels[0].parameters);
    }
}
END_TEST

/* A file that another order, or another precision, makes too would show nothing. */
START_TEST(orders_are_told_apart)
{
    static struct golden_file files[FILES_MAX];
    int count = read_files(files);
    for (int a = 0; a < count; a++)
        for (int b = 0; b < a; b++)
            ck_assert_msg(
                (files[a].order == files[b].order && files[a].precision == files[b].precision) ||
                    strcmp(files[a].solution, files[b].solution) != 0,
                "%s and %s have the same solution", files[a].history, files[b].history);
}
END_TEST

/* ---- docs/reproducibility.md ----------------------------------------------------------------- */

/* Whether the text has the word between back quotes. */
static bool is_quoted(const char *text, const char *word)
{
    char quoted[100];
    snprintf(quoted, sizeof quoted, "`%s`", word);
    return strstr(text, quoted) != NULL;
}

/* Whether the text has the number, by itself. */
static bool has_number(const char *text, long number)
{
    for (const char *at = text; (at = strpbrk(at, "0123456789"));) {
        bool begins = at == text || at[-1] == ' ';
        char *end;
        long found = strtol(at, &end, 10);
        if (begins && found == number && strchr(" ,;", *end))
            return true;
        at = end;
    }
    return false;
}

/* Whether the row names the order's kernels and no others. */
static bool is_row_of(const char *row, const struct golden_order *order)
{
    int count;
    const struct kernel *const *kernels = kernel_list(&count);
    for (int k = 0; k < count; k++)
        if (is_quoted(row, kernels[k]->component.name) !=
            has_kernel(order, kernels[k]->component.name))
            return false;
    return true;
}

/* Every parameter that the order's kernels are told is named, with its value where that is a
 * number. */
static void expect_parameters(const char *row, const struct golden_order *order)
{
    for (const struct golden_kernel *kernel = order->kernels; kernel->name; kernel++)
        for (const char *at = kernel->parameters; at && *at; at += strspn(at, "; ")) {
            char name[64], value[64];
            ck_assert_int_eq(sscanf(at, "%63s = %63[^;]", name, value), 2);
            const char *digits = value + (*value == '"');
            ck_assert_msg(is_quoted(row, name), "docs/reproducibility.md: no `%s` in \"%s\"", name,
                          row);
            ck_assert_msg(strspn(digits, "0123456789") == 0 ||
                              has_number(row, strtol(digits, NULL, 10)),
                          "docs/reproducibility.md: no %s in \"%s\"", value, row);
            at += strcspn(at, ";");
        }
}

/* The page has a row for every order, and for nothing else. */
START_TEST(the_page_lists_every_order)
{
    enum { ROWS_MAX = 64 };
    static char rows[ROWS_MAX][1000];
    bool used[ROWS_MAX] = {false};
    int count = 0;
    const char *at = strstr(file_text("docs/reproducibility.md"), "| kernels |\n|---|---|\n");
    ck_assert_ptr_nonnull(at);
    for (at += strlen("| kernels |\n|---|---|\n"); *at == '|'; at += strcspn(at, "\n") + 1) {
        ck_assert(count < ROWS_MAX && strcspn(at, "\n") < sizeof rows[0]);
        snprintf(rows[count++], sizeof rows[0], "%.*s", (int)strcspn(at, "\n"), at);
    }
    for (const struct golden_order *order = golden_orders; order->kernels[0].name; order++) {
        int row = 0;
        while (row < count && !is_row_of(rows[row], order))
            row++;
        ck_assert_msg(row < count,
                      "docs/reproducibility.md: no row of the kernels that share the order of %s",
                      order->kernels[0].name);
        expect_parameters(rows[row], order);
        used[row] = true;
    }
    for (int k = 0; k < count; k++)
        ck_assert_msg(used[k], "tests/golden/orders.c has no such order: \"%s\"", rows[k]);
}
END_TEST

/* ---- methods --------------------------------------------------------------------------------- */

/* Which of the texts, ended by NULL, the files of the configs have. */
struct seen {
    const char *what;
    const char *const *names;
    bool found[16];
};

static void expect_all(const struct seen *seen)
{
    for (int k = 0; seen->names[k]; k++)
        ck_assert_msg(seen->found[k], "no tests/golden/*.cfg has the %s \"%s\"", seen->what,
                      seen->names[k]);
}

static struct seen component_names(const char *what, enum component_kind kind,
                                   const char *names[CHOICES_MAX + 1])
{
    const struct parameter parameter = {.type = PARAMETER_COMPONENT, .kind = kind};
    return (struct seen){what, parameter_choices(&parameter, names), {0}};
}

static void see_component(struct seen *seen, const struct options *options)
{
    for (int k = 0; seen->names[k]; k++)
        seen->found[k] |= !strcmp(seen->names[k], options->component->name);
}

/* Whether the sums promise equal bits with a kernel that does. */
static bool sums_promise(enum reductions reductions)
{
    struct study_kernel kernel = {.kernel = kernel_find("cpu_csr"), .reductions = reductions};
    kernel.options = kernel_defaults(kernel.kernel);
    return promise_is_made(&kernel);
}

START_TEST(every_method_has_a_history)
{
    const char *names[2][CHOICES_MAX + 1];
    struct seen methods = component_names("method", COMPONENT_METHOD, names[0]);
    struct seen preconditioners =
        component_names("preconditioner", COMPONENT_PRECONDITIONER, names[1]);
    struct seen sums = {"reductions", reductions_names, {0}};
    struct seen reorthogonalized = {"reorthogonalization", reorthogonalization_names, {0}};
    struct seen which = {"end of the spectrum", eigen_which_names, {0}};
    for (int k = 0; reductions_names[k]; k++)
        sums.found[k] = !sums_promise((enum reductions)k);
    for (int k = 0; k < golden_files_count(); k++) {
        static const struct settings_override any_kernel = {.text = "kernels=(\"cpu_csr\")"};
        struct settings settings;
        struct error error;
        struct golden_file file = golden_file(k);
        expect_ok(settings_read(file.config, &any_kernel, 1, &settings, &error), &error);
        see_component(&methods, &settings.solver.method);
        sums.found[settings.solver.reductions] = true;
        see_component(&preconditioners, &settings.solver.preconditioner);
        if (settings.solver.options.method == &method_lanczos) {
            reorthogonalized.found[settings.solver.options.eigen.reorthogonalization] = true;
            which.found[settings.solver.options.eigen.which] = true;
        }
        settings_free(&settings);
    }
    expect_all(&methods);
    expect_all(&preconditioners);
    expect_all(&sums);
    expect_all(&reorthogonalized);
    expect_all(&which);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {every_kernel_has_a_history, orders_are_told_apart,
                            the_page_lists_every_order, every_method_has_a_history, NULL};
    return suite_of("golden/coverage", tests);
}
