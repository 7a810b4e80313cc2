/* `cgsolve bench [options] CONFIG`: products alone. Options of kernels, matrix and bench become
 * overrides of the config, or of an empty one. */
#include "base/threads.h"
#include "problem/problem.h"
#include "program/command/overrides.h"
#include "program/command/run_bench.h"

#include <stdio.h>
#include <string.h>

struct bench_options {
    struct overrides overrides;
    struct bench_request request;
    const char *config;    /* or NULL */
    const char *measuring; /* an option that says how to measure, or NULL */
    const char *prove;     /* a plug-in, or NULL */
};

static const char kernels_key[] = "kernels=($)";

static enum status take_config(void *into, const char *word, struct error *error)
{
    struct bench_options *options = into;
    if (options->config)
        return error_set(error, STATUS_CONFIG, "bench %s %s: takes one config", options->config,
                         word);
    options->config = word;
    return STATUS_OK;
}

static enum status take_key(void *into, const struct command_option *option, const char *word,
                            const char *value, struct error *error)
{
    return !value || *value ? option_override(into, option, word, value, error)
                            : error_set(error, STATUS_CONFIG, "%s wants a value", word);
}

static enum status take_measuring(void *into, const struct command_option *option, const char *word,
                                  const char *value, struct error *error)
{
    struct bench_options *options = into;
    options->measuring = word;
    return option->with ? take_key(into, option, word, value, error)
                        : option_flag(into, option, word, value, error);
}

static enum status take_sweep(void *into, const struct command_option *option, const char *word,
                              const char *value, struct error *error)
{
    struct bench_options *options = into;
    options->request.swept = true;
    return strchr(value, '=') && *value != '='
               ? take_measuring(into, option, word, value, error)
               : error_set(error, STATUS_CONFIG, "%s %s: wants PARAMETER=VALUE,VALUE,...",
                           option->name, value);
}

static enum status take_kernels(void *into, const struct command_option *option, const char *word,
                                const char *value, struct error *error)
{
    struct bench_options *options = into;
    char all[8192];
    int count, length = 0;
    const struct kernel *const *list = kernel_list(&count);
    options->request.all = strcmp(value, "all") == 0;
    if (!options->request.all)
        return take_key(into, option, word, value, error);
    for (int k = 0; k < count && length < (int)sizeof all; k++)
        length += snprintf(all + length, sizeof all - (size_t)length, "%s%s", k ? "," : "",
                           list[k]->component.name);
    return take_key(into, option, word, all, error);
}

static const struct command_option bench_options[] = {
    {"--kernels", 0, "A,B", "the kernels instead of the config's; all: every one",
     TAKES_WITH(take_kernels, kernels_key)},
    {"--matrix", 0, "PATH", "the matrix, or a directory, instead of the config's problem",
     TAKES_WITH(take_key, "problem={type=\"" PROBLEM_OF_FILES "\";path=@;}")},
    {"--operation", 0, "NAME",
     "spmv: y = A x; spmm: Y = A X, with several vectors at once; sddmm: sampled products (spmv)",
     TAKES_WITH(take_measuring, "bench.operation=@")},
    {"--columns", 0, "K,K", "with spmm and sddmm: the numbers of columns to measure (8)",
     TAKES_WITH(take_measuring, "bench.columns=[#]")},
    {"--sweep", 0, "P=V,V", "each kernel with each value of a parameter, or of threads",
     TAKES_WITH(take_sweep, "vary.~")},
    {"--tune", 0, NULL,
     "search the fastest parameters of each kernel, among those of --sweep if there are some, and "
     "print them as a config does",
     take_measuring, offsetof(struct bench_options, request.tune), NULL},
    {"--certificate", 0, NULL,
     "measure nothing, but count the rows whose bits no order of additions can change, and why the "
     "others are not among them; --matrix is enough",
     TAKES_FLAG(struct bench_options, request.certificate)},
    {"--prove", 0, "FILE",
     "measure nothing, but try the kernels, methods and preconditioners of a plug-in: whether they "
     "are right, and have the bits that they promise",
     TAKES_TEXT(struct bench_options, prove, "a plug-in")},
    {"--cold", 0, NULL, "overwrite the caches before each product",
     TAKES_WITH(take_measuring, "bench.cold=true")},
    {"--baseline", 0, "LABEL", "compare with this kernel (the first)",
     TAKES_WITH(take_measuring, "bench.baseline=@")},
    {"--output", 0, "FILE",
     "the results as CSV; what it holds already is not measured again (of a directory: bench.csv "
     "in output.directory; of one matrix: none)",
     TAKES_WITH(take_measuring, "bench.csv=@")},
    {"--rounds", 0, "N", "batches of products by each kernel, in turns (11)",
     TAKES_WITH(take_measuring, "bench.rounds=%")},
    {"--threads", 0, "N", "use N threads (0: all)", TAKES_WITH(take_key, "threads=%")},
    {"--set", 0, "KEY=VALUE", "override a key of the config, or give one where there is none",
     TAKES(option_set)},
    {"--wide", 0, NULL, "show all columns of the table, however wide it is",
     TAKES_FLAG(struct bench_options, request.wide)},
    {"--quiet", 0, NULL, "show nothing but what went wrong",
     TAKES_FLAG(struct bench_options, request.quiet)},
    OPTION_HELP,
    {0},
};

/* Without a config, kernels and matrix must be on the command line. A certificate holds for all
 * kernels, but settings need at least one. */
static enum status check(struct bench_options *options, struct error *error)
{
    bool kernels = false, matrix = false, certificate = options->request.certificate;
    for (int k = 0; k < options->overrides.count; k++) {
        const char *text = options->overrides.list[k].text;
        kernels = kernels || strncmp(text, "kernels", 7) == 0;
        matrix = matrix || strncmp(text, "problem", 7) == 0;
    }
    if (options->prove && (options->config || options->overrides.count > 0 || options->measuring ||
                           certificate || options->request.wide))
        return error_set(error, STATUS_CONFIG, "bench --prove %s: takes --quiet and nothing else",
                         options->prove);
    if (options->prove)
        return STATUS_OK;
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
        return overrides_add(&options->overrides, kernels_key, "cpu_csr", NULL, error);
    return STATUS_OK;
}

static enum status measure(const struct bench_options *options, bool *good, struct error *error)
{
    struct threads *before;
    struct settings settings;
    enum status status = settings_read(options->config, options->overrides.list,
                                       options->overrides.count, &settings, error);
    if (status)
        return status;
    status = threads_begin((int)settings.study.threads, &before, error);
    if (!status)
        status = run_bench(&settings, &options->request, good, error);
    threads_end(before);
    settings_free(&settings);
    return status;
}

static enum status run(int argc, char *argv[], bool *good, struct error *error)
{
    struct bench_options options = {0};
    enum status status = overrides_begin(argc, &options.overrides, error);
    if (!status)
        status = command_parse(&command_bench, argc, argv, take_config, &options, error);
    if (!status)
        status = check(&options, error);
    if (!status)
        status = options.prove ? run_prove(options.prove, options.request.quiet, good, error)
                               : measure(&options, good, error);
    overrides_free(&options.overrides);
    return status;
}

const struct command command_bench = {
    .name = "bench",
    .usage = {{"bench [options] CONFIG", "measure products alone"},
              {"bench [options] --kernels A,B --matrix FILE_OR_DIRECTORY", NULL}},
    .about =
        "Measure only products, y = A x, or Y = A X with several vectors at once, or sampled "
        "products, of any real "
        "matrix or of all .mtx files below a directory, packed or not: the speed, and the error "
        "against a reference. A kernel that is not "
        "available or does not take the matrix, and in a directory a file that cannot be read, is "
        "reported and skipped.",
    .options = bench_options,
    .good = "every product is right",
    .not_good = "a product is wrong",
    .key_group = "bench",
    .examples = {{"every kernel on one matrix",
                  "bench --kernels all --matrix problems/plate.mtx.gz"},
                 {"likewise with 8 vectors at once",
                  "bench --operation spmm --kernels all --matrix problems/plate.mtx.gz"},
                 {"search the fastest parameters",
                  "bench --kernels cpu_sym_atomic --tune --matrix problems/plate.mtx.gz"},
                 {"all matrices below a directory; called again, it goes on",
                  "bench --kernels cpu_csr,cpu_merge --matrix DIRECTORY --output a.csv"}},
    .run = run,
};
