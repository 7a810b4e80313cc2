#include "golden/golden.h"

#include "io/history_file.h"
#include "main/program.h"
#include "support.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A text read line by line. */
struct lines {
    const char *at;
    char line[256];
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

/* The rows of all kernels, each kernel's from alpha to beta as committed: the program itself compares no more
 * than the residuals. */
static void compare_rows(const char *history, const char *committed, const char *config,
                         int threads)
{
    struct lines found = {.at = history}, golden = {.at = committed};
    const char *rows = NULL; /* of the committed history */
    while (!rows && next_line(&golden))
        if (golden.line[0] != '#')
            rows = golden.at;
    ck_assert(rows && next_line(&found));
    while (next_line(&found)) {
        const char *row = from_field(found.line, 2);
        if (strncmp(row, "0,", 2) == 0)
            golden.at = rows;
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
            const char *wanted = golden.runs[0].facts.text[ends[e]];
            ck_assert_msg(*found && strcmp(found, wanted) == 0,
                          "%s, %s, threads %d: %s \"%s\", and committed is \"%s\"", config,
                          file.runs[k].label, threads, fact_name(ends[e]), found, wanted);
        }
    history_file_free(&file);
    history_file_free(&golden);
}

static void compare_config(const char *config, const char *kernels, int threads)
{
    char directory[256], history[300], reference[300];
    snprintf(directory, sizeof directory, "%s", temporary_path("golden"));
    snprintf(history, sizeof history, "%s/history.csv", directory);
    snprintf(reference, sizeof reference, "%.*s.csv", (int)strlen(config) - 4, config);
    struct outcome *outcome =
        run_program("--quiet --threads %d --set repeats=1 --set 'kernels=%s' --output %s "
                    "--set reference.history=%s %s",
                    threads, kernels, directory, reference, config);
    ck_assert_msg(outcome->exit_status == 0, "%s: %s%s", config, outcome->errors, outcome->output);
    char *committed = strdup(file_text(reference));
    ck_assert_ptr_nonnull(committed);
    compare_rows(file_text(history), committed, config, threads);
    compare_ends(history, reference, config, threads);
    free(committed);
}

void golden_compare(const char *kernels, int threads)
{
    glob_t configs;
    setenv("OMP_WAIT_POLICY", "passive", 0); /* or they spin where others work */
    ck_assert_int_eq(glob("tests/golden/*.cfg", 0, NULL, &configs), 0);
    ck_assert_uint_ge(configs.gl_pathc, 8);
    for (size_t k = 0; k < configs.gl_pathc; k++)
        compare_config(configs.gl_pathv[k], kernels, threads);
    globfree(&configs);
}
