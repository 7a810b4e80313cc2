/* `cgsolve bench [options] CONFIG`: products alone. */
#include "base/threads.h"
#include "program/command/options_bench.h"
#include "program/config/settings.h"

static enum status measure(const struct settings *settings, const struct bench_request *request,
                           bool *good, struct error *error)
{
    struct threads *before;
    enum status status = threads_begin((int)settings->study.threads, &before, error);
    if (!status)
        status = run_bench(settings, request, good, error);
    threads_end(before);
    return status;
}

static enum status run(int argc, char *argv[], bool *good, struct error *error)
{
    struct bench_options options;
    struct settings settings = {0};
    enum status status = bench_options_parse(argc, argv, &options, error);
    if (!status)
        status = settings_read(options.config, options.overrides.list, options.overrides.count,
                               &settings, error);
    if (!status)
        status = measure(&settings, &options.request, good, error);
    settings_free(&settings);
    bench_options_free(&options);
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
    .options = bench_options_table,
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
