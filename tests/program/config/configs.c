#include "program/config/configs.h"

#include "options.h"
#include "program/config/help.h"
#include "support.h"

#include <stdio.h>
#include <stdlib.h>

enum status try_read(const char *text, const char *const *overrides, struct settings *settings,
                     struct error *error)
{
    struct settings_override list[8];
    int count = 0;
    for (; overrides && overrides[count]; count++)
        list[count] = (struct settings_override){.text = overrides[count]};
    return settings_read(temporary_file("run.cfg", text, -1), list, count, settings, error);
}

struct settings read_with(const char *text, const char *const *overrides)
{
    struct settings settings;
    struct error error = {""};
    expect_ok(try_read(text, overrides, &settings, &error), &error);
    return settings;
}

struct settings read_one(const char *text, const char *override)
{
    return read_with(text, (const char *const[]){override, NULL});
}

char *printed(const struct settings *settings)
{
    if (settings)
        return settings_text(settings);
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    ck_assert_ptr_nonnull(file);
    ck_assert(settings_print_help("all", file));
    ck_assert(!ferror(file));
    fclose(file);
    return text;
}

static void expect_equal_texts(const char *a, const char *b)
{
    if (a && b)
        ck_assert_str_eq(a, b);
    else
        ck_assert_msg(a == b, "only one of two texts is there");
}

static void expect_equal(const struct settings *a, const struct settings *b)
{
    expect_equal_options(&a->problem.matrix, &b->problem.matrix);
    ck_assert_int_eq(a->problem.reorder, b->problem.reorder);
    expect_equal_options(&a->problem.rhs, &b->problem.rhs);
    ck_assert(a->solver.options.method == b->solver.options.method);
    ck_assert(a->solver.options.shift == b->solver.options.shift);
    ck_assert(a->solver.options.tolerance == b->solver.options.tolerance);
    ck_assert_int_eq(a->solver.options.max_iterations, b->solver.options.max_iterations);
    ck_assert_int_eq(a->solver.reductions, b->solver.reductions);
    ck_assert_int_eq(a->study.repeats, b->study.repeats);
    ck_assert_int_eq(a->study.threads, b->study.threads);
    ck_assert_mem_eq(a->study.devices, b->study.devices, sizeof a->study.devices);
    expect_equal_texts(a->output.directory, b->output.directory);
    expect_equal_texts(a->reference.history, b->reference.history);
    ck_assert_mem_eq(&a->reference.rule, &b->reference.rule, sizeof a->reference.rule);
    ck_assert_int_eq(a->study.trace.every, b->study.trace.every);
    ck_assert_uint_eq(a->study.trace.vectors, b->study.trace.vectors);
    ck_assert_int_eq(a->study.trace.keep, b->study.trace.keep);
    ck_assert_int_eq(a->bench.operation, b->bench.operation);
    ck_assert_mem_eq(a->bench.columns, b->bench.columns, sizeof a->bench.columns);
    ck_assert_int_eq(a->bench.rounds, b->bench.rounds);
    ck_assert_int_eq(a->bench.products, b->bench.products);
    ck_assert(a->bench.seconds == b->bench.seconds);
    ck_assert_int_eq(a->bench.cold, b->bench.cold);
    ck_assert_int_eq(a->bench.seed, b->bench.seed);
    expect_equal_texts(a->bench.baseline, b->bench.baseline);
    expect_equal_texts(a->bench.csv, b->bench.csv);
    ck_assert_int_eq(a->study.kernels_count, b->study.kernels_count);
    for (int k = 0; k < a->study.kernels_count; k++) {
        ck_assert_ptr_eq(a->study.kernels[k].kernel, b->study.kernels[k].kernel);
        ck_assert_mem_eq(&a->study.kernels[k].options, &b->study.kernels[k].options,
                         sizeof a->study.kernels[k].options);
        ck_assert_str_eq(a->study.kernels[k].label, b->study.kernels[k].label);
        ck_assert_int_eq(a->study.kernels[k].has_reductions, b->study.kernels[k].has_reductions);
        ck_assert_int_eq(a->study.kernels[k].reductions, b->study.kernels[k].reductions);
        ck_assert_int_eq(a->study.kernels[k].threads, b->study.kernels[k].threads);
    }
}

void expect_round_trip(struct settings settings)
{
    char *text = printed(&settings);
    struct settings again = read_with(text, NULL);
    expect_equal(&settings, &again);
    char *text_again = printed(&again);
    ck_assert_str_eq(text, text_again);
    free(text);
    free(text_again);
    settings_free(&settings);
    settings_free(&again);
    ck_assert_int_eq(memory_live(), 0);
}

void expect_fault(const char *path, const char *message)
{
    struct settings settings;
    struct error error = {""};
    char wanted[1024];
    snprintf(wanted, sizeof wanted, "%s%s", path, message);
    enum status status = settings_read(path, NULL, 0, &settings, &error);
    expect_error(status, STATUS_CONFIG, &error, NULL);
    ck_assert_str_eq(error.text, wanted);
    ck_assert(!settings.study.kernels && !settings.output.directory &&
              !settings.problem.matrix.values && !settings.reference.history);
    ck_assert_int_eq(memory_live(), 0);
}

void expect_faults(const struct fault *faults, size_t count)
{
    for (size_t k = 0; k < count; k++)
        expect_fault(temporary_file("run.cfg", faults[k].config, -1), faults[k].message);
}
