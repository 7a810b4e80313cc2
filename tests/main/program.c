#include "main/program.h"

#include "support.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

const char small_config[] = "# a small one\n"
                            "problem = { type = \"poisson3d\"; n = [6, 5, 4]; };\n"
                            "kernels = ( { name = \"cpu_csr\"; label = \"reference\"; },\n"
                            "            \"cpu_sym_bitwise\" );\n"
                            "repeats = 2;\n";

static void read_into(const char *path, char *text, size_t size)
{
    FILE *file = fopen(path, "rb");
    ck_assert_msg(file != NULL, "cannot read %s", path);
    text[fread(text, 1, size - 1, file)] = '\0';
    fclose(file);
}

const char *program_path(void)
{
    const char *program = getenv("CGSOLVE");
    ck_assert_msg(program != NULL, "CGSOLVE does not name the program");
    return program;
}

static struct outcome *run(const char *program, const char *format, va_list values)
{
    static struct outcome outcome;
    char arguments[4096], command[8192];
    int length = vsnprintf(arguments, sizeof arguments, format, values);
    ck_assert_int_lt(length, sizeof arguments);
    const char *output = temporary_path("stdout"), *errors = temporary_path("stderr");
    snprintf(command, sizeof command, "'%s' %s >%s 2>%s </dev/null", program, arguments, output,
             errors);
    int status = system(command);
    ck_assert_msg(WIFEXITED(status), "%s: ended by a signal", command);
    outcome.exit_status = WEXITSTATUS(status);
    read_into(output, outcome.output, sizeof outcome.output);
    read_into(errors, outcome.errors, sizeof outcome.errors);
    return &outcome;
}

struct outcome *run_program(const char *format, ...)
{
    va_list values;
    va_start(values, format);
    struct outcome *outcome = run(program_path(), format, values);
    va_end(values);
    return outcome;
}

struct outcome *run_other_program(const char *program, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    struct outcome *outcome = run(program, format, values);
    va_end(values);
    return outcome;
}

bool program_is_sanitized(void)
{
    const char *build = getenv("CGSOLVE_BUILD");
    bool sanitized = build && (strstr(build, "asan") || strstr(build, "tsan"));
    if (sanitized)
        printf("not repeated under a sanitizer\n");
    return sanitized;
}

void expect_exit(const struct outcome *outcome, int exit_status)
{
    ck_assert_msg(outcome->exit_status == exit_status, "exit status %d instead of %d: %s%s",
                  outcome->exit_status, exit_status, outcome->errors, outcome->output);
}

void expect_text(const char *text, const char *part)
{
    ck_assert_msg(strstr(text, part) != NULL, "\"%s\" is missing in: %s", part, text);
}

const char *file_text(const char *path)
{
    static char *text;
    free(text);
    FILE *file = fopen(path, "rb");
    ck_assert_msg(file != NULL, "cannot read %s", path);
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    rewind(file);
    text = malloc((size_t)size + 1);
    ck_assert_ptr_nonnull(text);
    text[fread(text, 1, (size_t)size, file)] = '\0';
    fclose(file);
    return text;
}

char *sums_of(const char *directory)
{
    struct outcome *outcome = run_other_program(
        "sh", "-c \"find '%s' -maxdepth 1 -type f -exec cksum {} + | sort -k 3\"", directory);
    expect_exit(outcome, 0);
    return strdup(outcome->output);
}

json_t *read_summary(const char *directory)
{
    char path[512];
    json_error_t error;
    snprintf(path, sizeof path, "%s/summary.json", directory);
    json_t *summary = json_load_file(path, 0, &error);
    ck_assert_msg(summary != NULL, "%s:%d: %s", path, error.line, error.text);
    return summary;
}

json_t *summary_kernel(json_t *summary, int k)
{
    json_t *kernel = json_array_get(json_object_get(summary, "kernels"), (size_t)k);
    ck_assert_ptr_nonnull(kernel);
    return kernel;
}
