#include "io/options_bench.h"

#include "base/memory.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    HELP = 256,
    QUIET,
    KERNELS,
    MATRIX,
    SWEEP,
    TUNE,
    CERTIFICATE,
    COLD,
    BASELINE,
    OUTPUT,
    THREADS,
    ROUNDS,
    SET
};

static const struct option long_options[] = {
    {"help", no_argument, NULL, HELP},
    {"quiet", no_argument, NULL, QUIET},
    {"kernels", required_argument, NULL, KERNELS},
    {"matrix", required_argument, NULL, MATRIX},
    {"sweep", required_argument, NULL, SWEEP},
    {"tune", no_argument, NULL, TUNE},
    {"certificate", no_argument, NULL, CERTIFICATE},
    {"cold", no_argument, NULL, COLD},
    {"baseline", required_argument, NULL, BASELINE},
    {"output", required_argument, NULL, OUTPUT},
    {"threads", required_argument, NULL, THREADS},
    {"rounds", required_argument, NULL, ROUNDS},
    {"set", required_argument, NULL, SET},
    {0},
};

bool bench_options_are_meant(int argc, char *const argv[])
{
    return argc > 1 && strcmp(argv[1], "bench") == 0;
}

/* The text as it stands in a config. */
static void put_quoted(const char *text, size_t length, FILE *stream)
{
    fputc('"', stream);
    for (size_t k = 0; k < length; k++) {
        if (text[k] == '"' || text[k] == '\\')
            fputc('\\', stream);
        fputc(text[k], stream);
    }
    fputc('"', stream);
}

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
            put_quoted(text, length, stream);
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
        fprintf(stream, "%s\"%s\"", k ? "," : "", list[k]->name);
}

/* The override that an option means. */
static void put_override(int option, const char *value, FILE *stream)
{
    switch (option) {
    case KERNELS:
        fputs("kernels=(", stream);
        if (strcmp(value, "all") == 0)
            put_all_kernels(stream);
        else
            put_list(value, false, stream);
        fputs(")", stream);
        return;
    case MATRIX:
        fputs("problem={type=\"mtx\";path=", stream);
        put_quoted(value, strlen(value), stream);
        fputs(";}", stream);
        return;
    case SWEEP:
        fprintf(stream, "vary.%.*s=[", (int)strcspn(value, "="), value);
        put_list(value + strcspn(value, "=") + 1, true, stream);
        fputs("]", stream);
        return;
    case BASELINE:
    case OUTPUT:
        fputs(option == OUTPUT ? "bench.csv=" : "bench.baseline=", stream);
        put_quoted(value, strlen(value), stream);
        return;
    case COLD:
        fputs("bench.cold=true", stream);
        return;
    default:
        fprintf(stream, "%s=%s", option == THREADS ? "threads" : "bench.rounds", value);
    }
}

static enum status add(struct bench_options *options, int option, const char *value,
                       struct error *error)
{
    char *made = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&made, &size);
    if (stream && option == SET)
        fputs(value, stream);
    else if (stream)
        put_override(option, value, stream);
    bool whole = stream && fclose(stream) == 0;
    char *text = whole ? memory_text(made, "an override", error) : NULL;
    free(made);
    if (!whole)
        return error_set(error, STATUS_MEMORY, "out of memory: an override");
    if (!text)
        return STATUS_MEMORY;
    options->texts[options->overrides_count] = text;
    options->overrides[options->overrides_count++].text = text;
    return STATUS_OK;
}

static bool says_how_to_measure(int option)
{
    return option == TUNE || option == SWEEP || option == COLD || option == BASELINE ||
           option == OUTPUT || option == ROUNDS;
}

static enum status take(struct bench_options *options, int option, const char *word,
                        struct error *error)
{
    if (says_how_to_measure(option))
        options->measuring = word;
    switch (option) {
    case 1: /* no option */
        if (options->config)
            return error_set(error, STATUS_CONFIG, "bench %s %s: takes one config", options->config,
                             optarg);
        options->config = optarg;
        return STATUS_OK;
    case HELP:
        options->help = true;
        return STATUS_OK;
    case QUIET:
        options->request.quiet = true;
        return STATUS_OK;
    case TUNE:
        options->request.tune = true;
        return STATUS_OK;
    case CERTIFICATE:
        options->request.certificate = true;
        return STATUS_OK;
    case SWEEP:
        options->request.swept = true;
        if (!strchr(optarg, '=') || *optarg == '=')
            return error_set(error, STATUS_CONFIG, "--sweep %s: wants PARAMETER=VALUE,VALUE,...",
                             optarg);
        return add(options, option, optarg, error);
    case KERNELS:
    case MATRIX:
    case BASELINE:
    case OUTPUT:
    case THREADS:
    case ROUNDS:
    case SET:
        if (!*optarg)
            return error_set(error, STATUS_CONFIG, "%s wants a value", word);
        return add(options, option, optarg, error);
    case COLD:
        return add(options, option, "", error);
    case ':':
        return error_set(error, STATUS_CONFIG, "%s wants a value (see --help)", word);
    default:
        return error_set(error, STATUS_CONFIG, "%s: no such option of bench (see --help)", word);
    }
}

/* Without a config kernels and matrix must be on the command line. A certificate holds for all kernels: there one
 * stands for them, because settings have at least one. */
static enum status check(struct bench_options *options, struct error *error)
{
    bool kernels = false, matrix = false, certificate = options->request.certificate;
    for (int k = 0; k < options->overrides_count; k++) {
        kernels = kernels || strncmp(options->texts[k], "kernels", 7) == 0;
        matrix = matrix || strncmp(options->texts[k], "problem", 7) == 0;
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
        return add(options, KERNELS, "cpu_csr", error);
    return STATUS_OK;
}

enum status bench_options_parse(int argc, char *const argv[], struct bench_options *options,
                                struct error *error)
{
    *options = (struct bench_options){0};
    options->overrides = memory_zeros(argc, sizeof *options->overrides, "the overrides", error);
    options->texts = memory_zeros(argc, sizeof *options->texts, "the overrides", error);
    enum status status = options->overrides && options->texts ? STATUS_OK : STATUS_MEMORY;
    optind = 2; /* behind `bench` */
    while (!status && optind < argc) {
        int before = optind;
        /* "-": what is no option comes in its order, as the option 1 */
        int option = getopt_long(argc, argv, "-:", long_options, NULL);
        if (option < 0)
            break;
        status = take(options, option, argv[before], error);
    }
    for (; !status && optind < argc; optind++) { /* behind "--" */
        optarg = argv[optind];
        status = take(options, 1, optarg, error);
    }
    return status || options->help ? status : check(options, error);
}

void bench_options_free(struct bench_options *options)
{
    for (int k = 0; k < options->overrides_count; k++)
        memory_free(options->texts[k]);
    memory_free(options->texts);
    memory_free(options->overrides);
    *options = (struct bench_options){0};
}
