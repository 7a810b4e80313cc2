#include "golden/golden.h"

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

/* The label and the run of both lines are the same. */
static bool same_run(const char *line, const char *other)
{
    size_t length = (size_t)(from_field(line, 2) - line);
    return strncmp(line, other, length) == 0;
}

/* What the golden file has of a row of history.csv: iteration, residual_hex, alpha, beta. */
static void shorten(const char *line, char text[256])
{
    const char *iteration = from_field(line, 2);
    snprintf(text, 256, "%.*s%s", (int)(from_field(line, 3) - iteration), iteration,
             from_field(line, 4));
}

static void last_line(json_t *kernel, char text[256])
{
    json_t *run = json_array_get(json_object_get(kernel, "runs"), 0);
    snprintf(text, 256, "# %s, solution %s", json_string_value(json_object_get(run, "reason")),
             json_string_value(json_object_get(run, "solution_hash")));
}

static void expect_line(struct lines *golden, const char *found, const char *config,
                        const char *label, int threads)
{
    bool more = next_line(golden);
    ck_assert_msg(more && strcmp(golden->line, found) == 0,
                  "%s, %s, threads %d: \"%s\", and committed is \"%s\"", config, label, threads,
                  found, more ? golden->line : "the end");
}

/* The rows of one kernel, from the line of `history` on that has been read. */
static bool compare_kernel(struct lines *history, const char *committed, const char *config,
                           json_t *kernel, int threads)
{
    const char *label = json_string_value(json_object_get(kernel, "name"));
    struct lines golden = {.at = committed};
    char first[256], text[256];
    bool more = true;
    snprintf(first, sizeof first, "%s", history->line);
    expect_line(&golden, "iteration,residual_hex,alpha,beta", config, label, threads);
    for (; more && same_run(history->line, first); more = next_line(history)) {
        shorten(history->line, text);
        expect_line(&golden, text, config, label, threads);
    }
    last_line(kernel, text);
    expect_line(&golden, text, config, label, threads);
    ck_assert_msg(!next_line(&golden), "%s: more is committed: %s", config, golden.line);
    return more;
}

static void compare_config(const char *config, const char *kernels, int threads)
{
    char directory[256], path[300];
    snprintf(directory, sizeof directory, "%s", temporary_path("golden"));
    struct outcome *outcome =
        run_program("--quiet --threads %d --set repeats=1 --set 'kernels=%s' --output %s %s",
                    threads, kernels, directory, config);
    ck_assert_msg(outcome->exit_status <= 1, "%s: %s", config, outcome->errors);
    snprintf(path, sizeof path, "%.*s.csv", (int)strlen(config) - 4, config);
    char *committed = strdup(file_text(path));
    ck_assert_ptr_nonnull(committed);
    snprintf(path, sizeof path, "%s/history.csv", directory);
    struct lines history = {.at = file_text(path)};
    json_t *summary = read_summary(directory);
    size_t count = json_array_size(json_object_get(summary, "kernels"));
    bool more = next_line(&history) && next_line(&history);
    for (size_t k = 0; k < count; k++) {
        ck_assert_msg(more, "%s: %d histories are missing", config, (int)(count - k));
        more =
            compare_kernel(&history, committed, config, summary_kernel(summary, (int)k), threads);
    }
    ck_assert(!more);
    json_decref(summary);
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
