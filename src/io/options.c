#include "io/options.h"

#include "base/memory.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

enum {
    HELP = 256,
    VERSION,
    LIST_KERNELS,
    CHECK_CONFIG,
    SET,
    OUTPUT,
    QUIET,
    THREADS,
    JUNIT,
    WRITE_REFERENCE
};

static const struct option long_options[] = {
    {"help", no_argument, NULL, HELP},
    {"version", no_argument, NULL, VERSION},
    {"list-kernels", no_argument, NULL, LIST_KERNELS},
    {"check-config", no_argument, NULL, CHECK_CONFIG},
    {"set", required_argument, NULL, SET},
    {"output", required_argument, NULL, OUTPUT},
    {"quiet", no_argument, NULL, QUIET},
    {"threads", required_argument, NULL, THREADS},
    {"junit", required_argument, NULL, JUNIT},
    {"write-reference", required_argument, NULL, WRITE_REFERENCE},
    {0},
};

void options_print_usage(FILE *stream)
{
    fputs(
        "usage: cgsolve [options] CONFIG...\n"
        "       cgsolve check [options] HISTORY REFERENCE\n"
        "       cgsolve trace-diff RUN_A RUN_B\n"
        "       cgsolve report [options] DIR... | BENCH.csv\n"
        "       cgsolve bench [options] CONFIG\n"
        "       cgsolve bench [options] --kernels A,B --matrix FILE_OR_DIRECTORY\n"
        "\n"
        "Solve the symmetric system that each CONFIG names by conjugate gradients, with each of\n"
        "its kernels, several times over, and show what the runs have in common.\n"
        "\n"
        "  --set KEY=VALUE   override a key of every config, e.g. --set solver.tolerance=1e-10\n"
        "  --output DIR      write there instead of output.directory; with several configs,\n"
        "                    into DIR/<name of the config>\n"
        "  --threads N       use N threads instead of the config's number (0: all); an error "
        "where\n"
        "                    a kernel has a number of its own\n"
        "  --write-reference FILE\n"
        "                    write the history of the first run of the only kernel, for later\n"
        "                    runs to be compared with; nothing is compared now\n"
        "  --junit FILE      what the comparisons found, as JUnit XML\n"
        "  --check-config    read and check the configs, solve nothing\n"
        "  --list-kernels    every kernel, and why one is not available here\n"
        "  --quiet           no table and no progress; histories that fail and promises of equal\n"
        "                    bits that are broken are shown, and a line on the standard error "
        "says\n"
        "                    of each config why the exit status is 1\n"
        "  --version         the version\n"
        "  --help            this, and every config key with its default\n"
        "\n"
        "check compares every run in HISTORY (history.csv of a run) with REFERENCE:\n"
        "\n"
        "  --mode MODE       which residuals are the same: bitwise (the default), ulps, relative\n"
        "  --tolerance T     how far apart they may be, in ulps or relative to the reference's\n"
        "  --iterations N    by how many the counts of iterations may differ (0)\n"
        "  --junit FILE, --quiet, --help\n"
        "\n"
        "trace-diff names the first iteration and vector whose bits differ between two runs of "
        "which\n"
        "a trace was kept; a run is DIRECTORY,LABEL,NUMBER, or DIRECTORY if it holds one alone. "
        "The\n"
        "exit status is 0 when no bit differs, 1 when one does.\n"
        "\n"
        "report makes, or remakes, the page of pictures of one or more runs, or of a bench of\n"
        "many matrices, from their files:\n"
        "\n"
        "  --output FILE     the page (DIR/report.html, BENCH.html); needed with several DIR\n"
        "  --picture FILE    one picture alone, without the page; the name ends with .pdf, .png\n"
        "                    or .svg\n"
        "  --of NAME         which: histories (the residual histories), last (their end), error,\n"
        "                    ghosts, counts, ulps or speed; of a BENCH.csv variation (speed\n"
        "                    against the variation of the row lengths) or rows (how long they "
        "are)\n"
        "  --plot            the residual histories on the terminal\n"
        "\n",
        stream);
    fputs(
        "bench measures the products y = A x alone, of any real matrix or of all .mtx and .mtx.gz\n"
        "files below a directory: speed, and the error against a reference:\n"
        "\n"
        "  --kernels A,B     the kernels instead of the config's; all: every one\n"
        "  --matrix PATH     the matrix, or a directory, instead of the config's problem\n"
        "  --sweep P=V,V     each kernel with each value of a parameter, or of threads\n"
        "  --tune            search the fastest parameters of each kernel, among those of --sweep\n"
        "                    if there are some, and print them as a config does\n"
        "  --certificate     measure nothing, but count the rows whose bits no order of additions "
        "can\n"
        "                    change, and why the others are not among them; --matrix is enough\n"
        "  --cold            overwrite the caches before each product\n"
        "  --baseline LABEL  compare with this kernel (the first)\n"
        "  --output FILE     the results as CSV; what it holds already is not measured again\n"
        "                    (of a directory: bench.csv in output.directory; of one matrix: none)\n"
        "  --rounds N        batches of products by each kernel, in turns (11)\n"
        "  --threads N, --set KEY=VALUE, --quiet, --help\n"
        "\n"
        "Its exit status is 1 when a product is wrong. A kernel that is not available or does not "
        "take\n"
        "the matrix, and in a directory a file that cannot be read, is told and passed over.\n"
        "\n"
        "exit status: 0 every solve converged, 1 one did not; with a reference: 0 every history\n"
        "is the reference's, 1 one is not; 1 also when a kernel broke its promise of equal bits;\n"
        "2 the command line or a config is wrong, 3 an input file is, or a reference is of "
        "another\n"
        "problem, 4 memory, a device or an output file failed, or a kernel is not available "
        "here\n",
        stream);
}

static enum status parse_threads(const char *text, int64_t *threads, struct error *error)
{
    char *end;
    errno = 0;
    long value = strtol(text, &end, 10);
    if (errno || end == text || *end || value < 0 || value > THREADS_MAX)
        return error_set(error, STATUS_CONFIG, "--threads %s: wants a whole number from 0 to %d",
                         text, THREADS_MAX);
    *threads = value;
    return STATUS_OK;
}

static enum status take(struct options *options, int option, const char *word, struct error *error)
{
    switch (option) {
    case HELP:
        options->help = true;
        return STATUS_OK;
    case VERSION:
        options->version = true;
        return STATUS_OK;
    case LIST_KERNELS:
        options->list_kernels = true;
        return STATUS_OK;
    case CHECK_CONFIG:
        options->check_config = true;
        return STATUS_OK;
    case QUIET:
        options->quiet = true;
        return STATUS_OK;
    case SET:
        options->overrides[options->overrides_count++].text = optarg;
        return STATUS_OK;
    case OUTPUT:
        options->output = optarg;
        return *optarg ? STATUS_OK : error_set(error, STATUS_CONFIG, "--output wants a directory");
    case JUNIT:
        options->junit = optarg;
        return *optarg ? STATUS_OK : error_set(error, STATUS_CONFIG, "--junit wants a file");
    case WRITE_REFERENCE:
        options->write_reference = optarg;
        return *optarg ? STATUS_OK
                       : error_set(error, STATUS_CONFIG, "--write-reference wants a file");
    case THREADS:
        return parse_threads(optarg, &options->threads, error);
    case ':':
        return error_set(error, STATUS_CONFIG, "%s wants a value (see --help)", word);
    default:
        return error_set(error, STATUS_CONFIG, "%s: no such option (see --help)", word);
    }
}

/* What cannot be asked for together. */
static enum status check_together(const struct options *options, struct error *error)
{
    bool informs = options->help || options->version || options->list_kernels;
    if (!informs && options->configs_count == 0)
        return error_set(error, STATUS_CONFIG, "no config given (see --help)");
    if (options->write_reference && options->configs_count > 1)
        return error_set(error, STATUS_CONFIG,
                         "--write-reference %s: %d configs, and a reference is of one",
                         options->write_reference, options->configs_count);
    if (options->write_reference && options->junit)
        return error_set(error, STATUS_CONFIG,
                         "--junit %s: with --write-reference nothing is compared", options->junit);
    return STATUS_OK;
}

enum status options_parse(int argc, char *const argv[], struct options *options,
                          struct error *error)
{
    *options = (struct options){.threads = -1};
    options->configs = memory_array(argc, sizeof *options->configs, "the configs", error);
    options->overrides = memory_array(argc, sizeof *options->overrides, "the overrides", error);
    enum status status = options->configs && options->overrides ? STATUS_OK : STATUS_MEMORY;
    optind = 1;
    for (int option; !status;) {
        int before = optind;
        option = getopt_long(argc, argv, "+:", long_options, NULL);
        if (option < 0 && optind < argc) {
            /* Options may follow configs. */
            if (strcmp(argv[optind - 1], "--") == 0 && optind > before) {
                while (optind < argc)
                    options->configs[options->configs_count++] = argv[optind++];
                break;
            }
            options->configs[options->configs_count++] = argv[optind++];
        } else if (option < 0) {
            break;
        } else {
            status = take(options, option, argv[before], error);
        }
    }
    if (!status)
        status = check_together(options, error);
    if (status)
        options_free(options);
    return status;
}

void options_free(struct options *options)
{
    memory_free(options->configs);
    memory_free(options->overrides);
    *options = (struct options){0};
}
