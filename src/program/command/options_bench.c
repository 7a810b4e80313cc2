#include "program/command/options_bench.h"

#include "problem/problem.h"

#include <stdio.h>
#include <string.h>

enum {
    QUIET = COMMAND_OWN,
    KERNELS,
    MATRIX,
    OPERATION,
    COLUMNS,
    SWEEP,
    TUNE,
    CERTIFICATE,
    COLD,
    BASELINE,
    OUTPUT,
    THREADS,
    ROUNDS,
    SET,
    WIDE
};

const struct command_option bench_options_table[] = {
    {"--kernels", 0, "A,B", KERNELS, "the kernels instead of the config's; all: every one"},
    {"--matrix", 0, "PATH", MATRIX, "the matrix, or a directory, instead of the config's problem"},
    {"--operation", 0, "NAME", OPERATION,
     "spmv: y = A x; spmm: Y = A X, with several vectors at once; sddmm: sampled products (spmv)"},
    {"--columns", 0, "K,K", COLUMNS, "with spmm and sddmm: the numbers of columns to measure (8)"},
    {"--sweep", 0, "P=V,V", SWEEP, "each kernel with each value of a parameter, or of threads"},
    {"--tune", 0, NULL, TUNE,
     "search the fastest parameters of each kernel, among those of --sweep if there are some, and "
     "print them as a config does"},
    {"--certificate", 0, NULL, CERTIFICATE,
     "measure nothing, but count the rows whose bits no order of additions can change, and why the "
     "others are not among them; --matrix is enough"},
    {"--cold", 0, NULL, COLD, "overwrite the caches before each product"},
    {"--baseline", 0, "LABEL", BASELINE, "compare with this kernel (the first)"},
    {"--output", 0, "FILE", OUTPUT,
     "the results as CSV; what it holds already is not measured again (of a directory: bench.csv "
     "in output.directory; of one matrix: none)"},
    {"--rounds", 0, "N", ROUNDS, "batches of products by each kernel, in turns (11)"},
    {"--threads", 0, "N", THREADS, "use N threads (0: all)"},
    {"--set", 0, "KEY=VALUE", SET, "override a key of the config, or give one where there is none"},
    {"--wide", 0, NULL, WIDE, "show all columns of the table, however wide it is"},
    {"--quiet", 0, NULL, QUIET, "show nothing but what went wrong"},
    COMMAND_OPTION_HELP,
    {0},
};

static bool is_number(const char *text, size_t length)
{
    return length > 0 && strspn(text, "+-.0123456789") >= length;
}

/* a,b,c as "a","b","c"; numbers stay numbers where `numbers`. */
static void put_list(const char *text, bool numbers, FILE *stream)
{
    for (;;) {
        size_t length = strcspn(text, ",");
        if (numbers && is_number(text, length))
            fprintf(stream, "%.*s", (int)length, text);
        else
            settings_write_text(text, length, stream);
        if (!text[length])
            return;
        fputc(',', stream);
        text += length + 1;
    }
}

static void put_all_kernels(FILE *stream)
{
    int count;
    const struct kernel *const *list = kernel_list(&count);
    for (int k = 0; k < count; k++)
        fprintf(stream, "%s\"%s\"", k ? "," : "", list[k]->component.name);
}

/* The override that an option means. */
static void put_override(int option, const char *value, FILE *stream)
{
    switch (option) {
    case SET:
        fputs(value, stream);
        return;
    case KERNELS:
        fputs("kernels=(", stream);
        if (strcmp(value, "all") == 0)
            put_all_kernels(stream);
        else
            put_list(value, false, stream);
        fputs(")", stream);
        return;
    case MATRIX:
        fputs("problem={type=\"" PROBLEM_OF_FILES "\";path=", stream);
        settings_write_text(value, strlen(value), stream);
        fputs(";}", stream);
        return;
    case SWEEP:
        fprintf(stream, "vary.%.*s=[", (int)strcspn(value, "="), value);
        put_list(value + strcspn(value, "=") + 1, true, stream);
        fputs("]", stream);
        return;
    case COLUMNS:
        fputs("bench.columns=[", stream);
        put_list(value, true, stream);
        fputs("]", stream);
        return;
    case OPERATION:
    case BASELINE:
    case OUTPUT:
        fputs(option == OUTPUT      ? "bench.csv="
              : option == OPERATION ? "bench.operation="
                                    : "bench.baseline=",
              stream);
        settings_write_text(value, strlen(value), stream);
        return;
    case COLD:
        fputs("bench.cold=true", stream);
        return;
    default:
        fprintf(stream, "%s=%s", option == THREADS ? "threads" : "bench.rounds", value);
    }
}

/* word: what messages call it, or NULL (overrides.h). */
static enum status add(struct bench_options *options, int option, const char *word,
                       const char *value, struct error *error)
{
    return overrides_add(&options->overrides, put_override, option, value, word, error);
}

static bool says_how_to_measure(int option)
{
    return option == TUNE || option == SWEEP || option == COLD || option == BASELINE ||
           option == OUTPUT || option == ROUNDS || option == OPERATION || option == COLUMNS;
}

static enum status take(void *into, int option, const char *word, const char *value,
                        struct error *error)
{
    struct bench_options *options = into;
    if (says_how_to_measure(option))
        options->measuring = word;
    if (option == KERNELS)
        options->request.all = strcmp(value, "all") == 0;
    switch (option) {
    case COMMAND_WORD:
        if (options->config)
            return error_set(error, STATUS_CONFIG, "bench %s %s: takes one config", options->config,
                             value);
        options->config = value;
        return STATUS_OK;
    case QUIET:
        options->request.quiet = true;
        return STATUS_OK;
    case WIDE:
        options->request.wide = true;
        return STATUS_OK;
    case TUNE:
        options->request.tune = true;
        return STATUS_OK;
    case CERTIFICATE:
        options->request.certificate = true;
        return STATUS_OK;
    case SWEEP:
        options->request.swept = true;
        if (!strchr(value, '=') || *value == '=')
            return error_set(error, STATUS_CONFIG, "--sweep %s: wants PARAMETER=VALUE,VALUE,...",
                             value);
        return add(options, option, word, value, error);
    case KERNELS:
    case MATRIX:
    case OPERATION:
    case COLUMNS:
    case BASELINE:
    case OUTPUT:
    case THREADS:
    case ROUNDS:
    case SET:
        if (!*value)
            return error_set(error, STATUS_CONFIG, "%s wants a value", word);
        return add(options, option, option == SET ? NULL : word, value, error);
    default: /* COLD */
        return add(options, option, word, "", error);
    }
}

/* Without a config kernels and matrix must be on the command line. A certificate holds for all
 * kernels: there one stands for them, because settings have at least one. */
static enum status check(struct bench_options *options, struct error *error)
{
    bool kernels = false, matrix = false, certificate = options->request.certificate;
    for (int k = 0; k < options->overrides.count; k++) {
        const char *text = options->overrides.list[k].text;
        kernels = kernels || strncmp(text, "kernels", 7) == 0;
        matrix = matrix || strncmp(text, "problem", 7) == 0;
    }
    if (certificate && options->measuring)
        return error_set(error, STATUS_CONFIG, "%s: --certificate measures nothing",
                         options->measuring);
    if (!options->config && certificate && !matrix)
        return error_set(error, STATUS_CONFIG,
                         "bench --certificate wants a CONFIG or --matrix (see --help)");
    if (!options->config && !certificate && (!kernels || !matrix))
        return error_set(error, STATUS_CONFIG,
                         "bench wants a CONFIG, or --kernels and --matrix (see --help)");
    if (!options->config && !kernels)
        return add(options, KERNELS, NULL, "cpu_csr", error);
    return STATUS_OK;
}

enum status bench_options_parse(int argc, char *const argv[], struct bench_options *options,
                                struct error *error)
{
    *options = (struct bench_options){0};
    enum status status = overrides_begin(argc, &options->overrides, error);
    if (!status)
        status = command_parse(&command_bench, argc, argv, take, options, error);
    return status ? status : check(options, error);
}

void bench_options_free(struct bench_options *options)
{
    overrides_free(&options->overrides);
    *options = (struct bench_options){0};
}
