#include "program/report/options_report.h"

#include "base/memory.h"
#include "program/report/command_report.h"
#include "program/report/picture.h"
#include "program/report/sweep.h"

enum { OF = COMMAND_OWN, OUTPUT, PICTURE, PLOT };

const struct command_option report_options_table[] = {
    {"--output", 0, "FILE", OUTPUT,
     "the page (DIR/report.html, FILE.html); needed with several DIR"},
    {"--picture", 0, "FILE", PICTURE,
     "one picture alone, without the page; the name ends with .pdf, .png or .svg"},
    {"--of", 0, "NAME", OF,
     "which: histories (the residual histories), last (their end), error, ghosts, counts, ulps or "
     "speed; of a "
     "bench's CSV variation (speed against the variation of the row lengths) or rows (how long "
     "they "
     "are)"},
    {"--plot", 0, NULL, PLOT, "the residual histories on the terminal"},
    COMMAND_OPTION_HELP,
    {0},
};

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
    return plot_named(plots_of_study, name) || plot_named(plots_of_bench, name)
               ? STATUS_OK
               : error_set(
                     error, STATUS_CONFIG,
                     "--of %s: wants last, histories, error, ghosts, counts, ulps or speed; of a "
                     "bench's CSV variation or rows",
                     name);
}

static enum status take(void *into, int code, const char *word, const char *value,
                        struct error *error)
{
    struct report_options *options = into;
    (void)word;
    switch (code) {
    case COMMAND_WORD:
        options->sources[options->sources_count++] = value;
        return STATUS_OK;
    case PLOT:
        options->plot = true;
        return STATUS_OK;
    case OUTPUT:
        options->output = value;
        return *value ? STATUS_OK : error_set(error, STATUS_CONFIG, "--output wants a file");
    case PICTURE:
        return take_picture(options, value, error);
    default: /* OF */
        return take_of(options, value, error);
    }
}

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
        status = command_parse(&command_report, argc, argv, take, options, error);
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
