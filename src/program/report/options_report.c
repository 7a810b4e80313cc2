#include "program/report/options_report.h"

#include "base/memory.h"
#include "program/report/command_report.h"
#include "program/report/picture.h"
#include "program/report/sweep.h"

static enum status take_source(void *into, const char *word, struct error *error)
{
    struct report_options *options = into;
    (void)error;
    options->sources[options->sources_count++] = word;
    return STATUS_OK;
}

static enum status take_picture(void *into, const struct command_option *option, const char *word,
                                const char *path, struct error *error)
{
    struct report_options *options = into;
    (void)option, (void)word;
    options->picture = path;
    return picture_is_known(path)
               ? STATUS_OK
               : error_set(error, STATUS_CONFIG,
                           "--picture %s: wants a file whose name ends with .pdf, .png or .svg",
                           path);
}

static enum status take_of(void *into, const struct command_option *option, const char *word,
                           const char *name, struct error *error)
{
    struct report_options *options = into;
    (void)option, (void)word;
    options->of = name;
    return plot_named(plots_of_study, name) || plot_named(plots_of_bench, name)
               ? STATUS_OK
               : error_set(
                     error, STATUS_CONFIG,
                     "--of %s: wants last, histories, error, ghosts, counts, ulps or speed; of a "
                     "bench's CSV variation or rows",
                     name);
}

const struct command_option report_options_table[] = {
    {"--output", 0, "FILE", "the page (DIR/report.html, FILE.html); needed with several DIR",
     TAKES_TEXT(struct report_options, output, "a file")},
    {"--picture", 0, "FILE",
     "one picture alone, without the page; the name ends with .pdf, .png or .svg",
     TAKES(take_picture)},
    {"--of", 0, "NAME",
     "which: histories (the residual histories), last (their end), error, ghosts, counts, ulps or "
     "speed; of a "
     "bench's CSV variation (speed against the variation of the row lengths) or rows (how long "
     "they "
     "are)",
     TAKES(take_of)},
    {"--plot", 0, NULL, "the residual histories on the terminal",
     TAKES_FLAG(struct report_options, plot)},
    OPTION_HELP,
    {0},
};

/* What is missing, or cannot be asked for together. */
static enum status check_together(const struct report_options *options, struct error *error)
{
    int count = options->sources_count;
    if (count == 0)
        return error_set(error, STATUS_CONFIG,
                         "report wants a directory of results, or a CSV file");
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
    if (!status)
        status = command_parse(&command_report, argc, argv, take_source, options, error);
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
