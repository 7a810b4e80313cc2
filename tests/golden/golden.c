#include "golden/golden.h"

#include "main/program.h"
#include "program/record/history_file.h"
#include "support.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A text read line by line. */
struct lines {
    const char *at;
    char line[512];
};

/* The next line, without its end; false when there is none. */
static bool next_line(struct lines *lines)
{
    size_t length = strcspn(lines->at, "\n");
    if (!lines->at[0])
        return false;
    ck_assert_uint_lt(length, sizeof lines->line);
    memcpy(lines->line, lines->at, length);
    lines->line[length] = '\0';
    lines->at += length + (lines->at[length] == '\n');
    return true;
}

/* The field of a line of CSV that has that number, from 0, to the end of the line. */
static const char *from_field(const char *line, int number)
{
    for (; number > 0; number--) {
        line = strchr(line, ',');
        ck_assert_ptr_nonnull(line);
        line++;
    }
    return line;
}

/* The rows of all kernels, each kernel's from alpha to beta as committed: the program itself
 * compares no more than the residuals. */
static void compare_rows(const char *history, const char *committed, const char *config,
                         int threads)
{
    struct lines found = {.at = history}, golden = {.at = committed};
    const char *rows = NULL; /* of the committed history */
    char of[512] = "";       /* kernel and run of the row before */
    while (!rows && next_line(&golden))
        if (golden.line[0] != '#')
            rows = golden.at;
    ck_assert(rows && next_line(&found));
    while (next_line(&found)) {
        const char *row = from_field(found.line, 2);
        size_t length = (size_t)(row - found.line);
        if (strlen(of) != length || strncmp(of, found.line, length) != 0) {
            golden.at = rows;
            snprintf(of, sizeof of, "%.*s", (int)length, found.line);
        }
        ck_assert(next_line(&golden));
        ck_assert_msg(strcmp(row, from_field(golden.line, 2)) == 0,
                      "%s, threads %d: \"%s\", and committed is \"%s\"", config, threads,
                      found.line, golden.line);
    }
}

/* Every kernel ends for the committed reason, with the committed solution. */
static void compare_ends(const char *history, const char *committed, const char *config,
                         int threads)
{
    static const enum fact ends[] = {FACT_ENDED, FACT_SOLUTION};
    struct history_file file, golden;
    struct error error;
    expect_ok(history_file_read(history, NULL, NULL, &file, &error), &error);
    expect_ok(reference_file_read(committed, &golden, &error), &error);
    for (int64_t k = 0; k < file.runs_count; k++)
        for (size_t e = 0; e < sizeof ends / sizeof *ends; e++) {
            const char *found = file.runs[k].facts.text[ends[e]];
            const char *wanted = golden.runs[k % golden.runs_count].facts.text[ends[e]];
            ck_assert_msg(*found && strcmp(found, wanted) == 0,
                          "%s, %s, threads %d: %s \"%s\", and committed is \"%s\"", config,
                          file.runs[k].label, threads, fact_name(ends[e]), found, wanted);
        }
    history_file_free(&file);
    history_file_free(&golden);
}

/* ---- which kernels a file stands for --------------------------------------------------------- */

/* Whether the facts name the kernel with each of its parameters: "items_per_thread = 7,
 * borders = search". */
static bool is_made_by(const struct history_facts *facts, const struct golden_kernel *kernel)
{
    char made[200], wanted[64];
    snprintf(made, sizeof made, "%s,", facts->text[FACT_PARAMETERS]);
    if (!kernel->name || strcmp(facts->text[FACT_KERNEL], kernel->name) != 0)
        return false;
    for (const char *at = kernel->parameters; at && *at;) {
        size_t length = 0;
        for (at += *at == ' '; *at != ';'; at++)
            if (*at != '"')
                wanted[length++] = *at;
        at++;
        snprintf(wanted + length, sizeof wanted - length, ",");
        if (!strstr(made, wanted))
            return false;
    }
    return true;
}

static const struct golden_order *order_of(const struct history_facts *facts, const char *path)
{
    for (const struct golden_order *order = golden_orders; order->kernels[0].name; order++)
        if (is_made_by(facts, &order->kernels[0]))
            return order;
    ck_abort_msg("%s: %s with %s is not the first kernel of an order in tests/golden/orders.c",
                 path, facts->text[FACT_KERNEL], facts->text[FACT_PARAMETERS]);
    return NULL;
}

static enum precision precision_of(const struct history_facts *facts)
{
    char text[64];
    for (int p = 0; kernel_precisions[p]; p++) {
        snprintf(text, sizeof text, "precision = %s,", kernel_precisions[p]);
        char parameters[200];
        snprintf(parameters, sizeof parameters, "%s,", facts->text[FACT_PARAMETERS]);
        if (strstr(parameters, text))
            return (enum precision)p;
    }
    ck_abort_msg("no precision in %s", facts->text[FACT_PARAMETERS]);
    return PRECISION_DOUBLE;
}

/* Whether its preconditioner is one in single precision. */
static bool applies_singles(const char *config)
{
    const char *begin = strstr(file_text(config), "preconditioner = {");
    const char *found = begin ? strstr(begin, "precision = \"float\"") : NULL;
    return found && found < begin + strcspn(begin, "}");
}

int golden_files_count(void)
{
    glob_t configs;
    int count = 0;
    if (glob("tests/golden/*.cfg", 0, NULL, &configs) ==
        0) /* before the tests: nothing can fail yet */
        count = (int)configs.gl_pathc;
    globfree(&configs);
    return count;
}

struct golden_file golden_file(int k)
{
    struct golden_file file;
    struct history_file history;
    struct error error;
    glob_t configs;
    ck_assert_int_eq(glob("tests/golden/*.cfg", 0, NULL, &configs), 0);
    ck_assert_int_lt(k, configs.gl_pathc);
    const char *config = configs.gl_pathv[k];
    snprintf(file.config, sizeof file.config, "%s", config);
    snprintf(file.history, sizeof file.history, "%.*s.csv", (int)strlen(config) - 4, config);
    globfree(&configs);
    expect_ok(reference_file_read(file.history, &history, &error), &error);
    const struct history_facts *facts = &history.runs[0].facts;
    file.order = order_of(facts, file.history);
    file.precision = precision_of(facts);
    file.of_singles = applies_singles(file.config);
    snprintf(file.solution, sizeof file.solution, "%.31s", facts->text[FACT_SOLUTION]);
    history_file_free(&history);
    return file;
}

/* ---- a comparison ---------------------------------------------------------------------------- */

static bool offers(const struct kernel *kernel, enum precision precision)
{
    struct kernel_options options;
    return kernel_set_precision(kernel, precision, &options);
}

/* of_singles: it has to multiply these for a preconditioner. */
static bool runs_there(const char *name, enum precision precision, bool of_singles,
                       enum golden_place place)
{
    if (place == GOLDEN_TWINS) /* they offer every precision, but not on vectors of singles */
        return !of_singles && strncmp(name, "cuda_", 5) == 0 && strncmp(name, "cuda_sym_", 9) != 0;
    enum space_kind space = place == GOLDEN_GPU ? SPACE_CUDA : SPACE_CPU;
    const struct kernel *kernel = kernel_find(name);
    ck_assert_msg(kernel != NULL, "tests/golden/orders.c: there is no kernel %s", name);
    return kernel->space == space && offers(kernel, precision) &&
           (!of_singles || offers(kernel, PRECISION_FLOAT));
}

/* The kernels as --set takes them: each is called by its parameters, without their quotes. */
static void list_kernels(const struct golden_file *file, enum golden_place place, char *list,
                         size_t size)
{
    size_t length = 0;
    list[0] = '\0';
    for (const struct golden_kernel *kernel = file->order->kernels; kernel->name; kernel++) {
        const char *parameters = kernel->parameters ? kernel->parameters : "";
        char label[128];
        if (!runs_there(kernel->name, file->precision, file->of_singles, place))
            continue;
        int end = snprintf(label, sizeof label, "%s ", kernel->name);
        for (const char *at = parameters; *at; at++)
            if (*at != '"')
                label[end++] = *at;
        label[end] = '\0';
        length += (size_t)snprintf(
            list + length, size - length, "%s{name=\"%s\";label=\"%s\";precision=\"%s\";%s}",
            length ? "," : "", kernel->name, label, kernel_precisions[file->precision], parameters);
        ck_assert_uint_lt(length, size);
    }
}

/* The program with the twins: $CGSOLVE_TWINS, or the one in the build directory. */
static const char *twins_program(void)
{
    static char path[512];
    const char *named = getenv("CGSOLVE_TWINS"), *build = getenv("CGSOLVE_BUILD");
    ck_assert_msg(named || build,
                  "neither CGSOLVE_TWINS nor CGSOLVE_BUILD says where the twins are");
    if (named)
        return named;
    snprintf(path, sizeof path, "%s/cgsolve-twins", build);
    return path;
}

void golden_compare(const struct golden_file *file, enum golden_place place, int threads)
{
    char directory[256], history[300], list[4000];
    list_kernels(file, place, list, sizeof list);
    if (!list[0])
        return;
    snprintf(directory, sizeof directory, "%s", temporary_path("golden"));
    snprintf(history, sizeof history, "%s/history.csv", directory);
    struct outcome *outcome =
        run_other_program(place == GOLDEN_TWINS ? twins_program() : program_path(),
                          "--quiet --threads %d --set repeats=1 --set 'kernels=(%s)' --output %s "
                          "--set reference.history=%s %s",
                          threads, list, directory, file->history, file->config);
    /* of many kernels the first: Check takes no text of more than some thousand characters */
    ck_assert_msg(outcome->exit_status == 0, "%s: %.1000s%.1000s", file->config, outcome->errors,
                  outcome->output);
    char *committed = strdup(file_text(file->history));
    ck_assert_ptr_nonnull(committed);
    compare_rows(file_text(history), committed, file->config, threads);
    compare_ends(history, file->history, file->config, threads);
    free(committed);
}
