#include "report/options_report.h"

#include "base/memory.h"
#include "report/picture.h"
#include "report/sweep.h"

#include <getopt.h>
#include <string.h>

enum { HELP = 256, OF, OUTPUT, PICTURE, PLOT };

static const struct option long_options[] = {
    {"help", no_argument, NULL, HELP},           {"of", required_argument, NULL, OF},
    {"output", required_argument, NULL, OUTPUT}, {"picture", required_argument, NULL, PICTURE},
    {"plot", no_argument, NULL, PLOT},           {0},
};

bool report_options_are_meant(int argc, char *const argv[])
{
    return argc > 1 && strcmp(argv[1], "report") == 0;
}

static enum status take_picture(struct report_options *options, const char *path,
                                struct error *error)
{
    options->picture = path;
    return picture_is_known(path)
               ? STATUS_OK
               : error_set(error, STATUS_CONFIG,
                           "--picture %s: wants a file whose name ends with .pdf, .png or .svg",
                           path);
}

static enum status take_of(struct report_options *options, const char *name, struct error *error)
{
    options->of = name;
    return plot_named(name) || sweep_plot_named(name)
               ? STATUS_OK
               : error_set(
                     error, STATUS_CONFIG,
                     "--of %s: wants last, histories, error, ghosts, counts, ulps or speed; of a "
                     "bench's CSV variation or rows",
                     name);
}

static enum status take(struct report_options *options, int option, const char *word,
                        struct error *error)
{
    switch (option) {
    case 1: /* no option */
        options->sources[options->sources_count++] = optarg;
        return STATUS_OK;
    case HELP:
        options->help = true;
        return STATUS_OK;
    case PLOT:
        options->plot = true;
        return STATUS_OK;
    case OUTPUT:
        options->output = optarg;
        return *optarg ? STATUS_OK : error_set(error, STATUS_CONFIG, "--output wants a file");
    case PICTURE:
        return take_picture(options, optarg, error);
    case OF:
        return take_of(options, optarg, error);
    case ':':
        return error_set(error, STATUS_CONFIG, "%s wants a value (see --help)", word);
    default:
        return error_set(error, STATUS_CONFIG, "%s: no such option of report (see --help)", word);
    }
}

/* What is missing, or cannot be asked for together. */
static enum status check_together(const struct report_options *options, struct error *error)
{
    int count = options->sources_count;
    if (options->help)
        return STATUS_OK;
    if (count == 0)
        return error_set(error, STATUS_CONFIG,
                         "report wants a directory of results, or the CSV of a bench");
    for (int k = 0; k < count; k++)
        if (!*options->sources[k])
            return error_set(error, STATUS_CONFIG, "report wants directories, not ''");
    if (count > 1 && !options->output)
        return error_set(error, STATUS_CONFIG,
                         "report of %d directories wants an --output FILE for their page", count);
    if (options->of && !options->picture)
        return error_set(error, STATUS_CONFIG, "--of %s: is for a --picture FILE", options->of);
    if (count > 1 && options->picture)
        return error_set(error, STATUS_CONFIG, "--picture %s: is of one directory, not of %d",
                         options->picture, count);
    return STATUS_OK;
}

enum status report_options_parse(int argc, char *const argv[], struct report_options *options,
                                 struct error *error)
{
    *options = (struct report_options){0};
    options->sources = memory_array(argc, sizeof *options->sources, "the sources", error);
    enum status status = options->sources ? STATUS_OK : STATUS_MEMORY;
    optind = 2; /* behind `report` */
    while (!status && optind < argc) {
        int before = optind;
        /* "-": directories come in their order, each as the option 1 */
        int option = getopt_long(argc, argv, "-:", long_options, NULL);
        if (option < 0)
            break;
        status = take(options, option, argv[before], error);
    }
    for (; !status && optind < argc; optind++) /* behind "--" */
        options->sources[options->sources_count++] = argv[optind];
    if (!status)
        status = check_together(options, error);
    if (status)
        report_options_free(options);
    return status;
}

void report_options_free(struct report_options *options)
{
    memory_free(options->sources);
    *options = (struct report_options){0};
}
