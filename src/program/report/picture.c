#include "program/report/page.h"

#include "io/text_file.h"
#include "program/report/text.h"

#include <errno.h>
#include <math.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

void picture_write(FILE *stream, const struct plot *plot, const void *of, enum canvas_place place)
{
    struct canvas canvas = {.svg = stream, .place = place, .title = plot_title(plot, of)};
    plot->draw(&canvas, of);
    canvas_end(&canvas);
}

/* What rsvg-convert is told: 1800 pixels across, or 18 cm. */
static struct {
    const char *ending;
    char format[16], zoom[16];
} kinds[] = {{".svg", "", ""},
             {".png", "--format=png", "--zoom=2"},
             {".pdf", "--format=pdf", "--zoom=0.756"}};

/* The place in `kinds` of what the file's name ends with, or -1. */
static int kind_of(const char *path)
{
    const char *ending = strrchr(path, '.');
    for (int k = 0; ending && k < (int)(sizeof kinds / sizeof *kinds); k++)
        if (strcmp(ending, kinds[k].ending) == 0)
            return k;
    return -1;
}

bool picture_is_known(const char *path)
{
    return kind_of(path) >= 0;
}

/* rsvg-convert, from the SVG into the file that has begun. */
static enum status convert(FILE *svg, int kind, int into, struct error *error)
{
    char program[] = "rsvg-convert";
    char *const arguments[] = {program, kinds[kind].format, kinds[kind].zoom, NULL};
    posix_spawn_file_actions_t actions;
    pid_t child;
    int ended = -1, fault = posix_spawn_file_actions_init(&actions);
    if (fault)
        return error_set(error, STATUS_UNAVAILABLE, "rsvg-convert: %s", strerror(fault));
    fault = posix_spawn_file_actions_adddup2(&actions, fileno(svg), STDIN_FILENO);
    if (!fault)
        fault = posix_spawn_file_actions_adddup2(&actions, into, STDOUT_FILENO);
    if (!fault)
        fault = posix_spawnp(&child, program, &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (fault)
        return error_set(error, STATUS_UNAVAILABLE,
                         fault == ENOENT ? "rsvg-convert is not installed here; an .svg needs "
                                           "nothing"
                                         : "rsvg-convert does not start: %s",
                         strerror(fault));
    while (waitpid(child, &ended, 0) < 0 && errno == EINTR)
        ;
    return ended == 0 ? STATUS_OK : error_set(error, STATUS_OUTPUT, "rsvg-convert failed");
}

static enum status convert_into(const char *path, int kind, const char *text, size_t length,
                                struct error *error)
{
    struct text_file file;
    enum status status = text_file_begin(NULL, path, &file, error);
    if (status)
        return status;
    FILE *svg = tmpfile();
    if (!svg || fwrite(text, 1, length, svg) != length || fflush(svg) != 0)
        status = error_set(error, STATUS_OUTPUT, "a temporary file: %s", strerror(errno));
    else {
        rewind(svg);
        status = convert(svg, kind, file.descriptor, error);
    }
    if (svg)
        fclose(svg);
    if (!status)
        return text_file_finish(&file, error);
    unlink(file.partial);
    text_file_abandon(&file);
    return status;
}

enum status picture_into_file(const char *path, const struct plot *plot, const void *of,
                              struct error *error)
{
    char *text = NULL;
    size_t length = 0;
    enum status status = STATUS_OK;
    int kind = kind_of(path);
    const char *missing = plot->missing ? plot->missing(of) : NULL;
    if (kind < 0)
        return error_set(error, STATUS_OUTPUT, "%s: ends with no .pdf, .png or .svg", path);
    if (missing)
        return error_set(error, STATUS_OUTPUT, "%s: %s", path, missing);
    FILE *memory = open_memstream(&text, &length);
    if (memory)
        picture_write(memory, plot, of, CANVAS_FILE);
    if (!memory || fclose(memory) != 0)
        status = error_set(error, STATUS_MEMORY, "out of memory: a picture");
    else if (*kinds[kind].format)
        status = convert_into(path, kind, text, length, error);
    else
        status = text_file_whole(NULL, path, text, length, error);
    free(text);
    return status;
}

/* --- with characters -------------------------------------------------------------------------- */

enum {
    ROWS = 16,
    COLUMNS = 120 /* at most */,
    AXIS = 10,
    SAMPLE = 4,
    SHOWN = 32,
    STRIPS = 3,
    TICKS = 6,
    SIGNS = 10
};

struct screen {
    char cells[ROWS][COLUMNS], powers[ROWS][AXIS]; /* the lowest row first */
    char ruler[COLUMNS], labels[COLUMNS + 16];
    int columns;
    const struct plot_axes *axes;
};

static int column_of(const struct screen *screen, int64_t iteration)
{
    return (int)((double)iteration * (screen->columns - 1) /
                 fmax(1, (double)screen->axes->iterations));
}

static double row_of(const struct screen *screen, double residual)
{
    double height = log(screen->axes->highest / screen->axes->lowest);
    return height > 0 ? (ROWS - 1) * log(residual / screen->axes->lowest) / height : 0;
}

/* Equal curves hide one another: each kernel has strips of the picture in which it is on top. */
static void put(struct screen *screen, int column, int row, int kernel, int kernels, char sign)
{
    char *cell = &screen->cells[row][column];
    int strip = screen->columns / (STRIPS * kernels);
    if (*cell == ' ' || column / (strip > 0 ? strip : 1) % kernels == kernel)
        *cell = sign;
}

static void draw_curve(struct screen *screen, const struct course *course, int kernel, int kernels,
                       char sign)
{
    for (int64_t k = 0; k < course->count; k++) {
        const struct course_point *point = &course->points[k], *before = k > 0 ? point - 1 : point;
        if (isnan(point->lowest))
            continue;
        if (isnan(before->lowest))
            before = point;
        double x = column_of(screen, before->begin), y = row_of(screen, before->highest);
        double across = column_of(screen, point->begin) - x,
               up = row_of(screen, point->highest) - y;
        double steps = fmax(1, ceil(fmax(fabs(across), fabs(up))));
        for (double step = 0; step <= steps; step++)
            put(screen, (int)lround(x + step / steps * across), (int)lround(y + step / steps * up),
                kernel, kernels, sign);
    }
}

static void write_key(FILE *stream, int columns, const struct recorded *study, const char *signs)
{
    char shown[4 * (SHOWN + 2)], clean[1024];
    int widest = plot_widest_label(study), kernels = study->summary.kernels_count;
    widest = widest < SHOWN ? widest : SHOWN;
    int in_line = (columns - AXIS) / (widest + 2 * SAMPLE);
    for (int k = 0; k < kernels; k++) {
        const char *label =
            text_short(shown_text(study->summary.kernels[k].label, clean, sizeof clean), SHOWN,
                       shown, sizeof shown);
        char sign = signs[k % SIGNS];
        bool last = in_line < 2 || k % in_line == in_line - 1 || k == kernels - 1;
        if (in_line < 2 || k % in_line == 0)
            fprintf(stream, "%*s", AXIS + 1, "");
        fprintf(stream, "%c%c%c%s", sign, sign, sign, label);
        fprintf(stream, last ? "\n" : "%*s", SAMPLE + widest - text_characters(label), "");
    }
}

static void tick_across(void *into, double value, const char *label)
{
    struct screen *screen = into;
    int column = column_of(screen, (int64_t)value), length = (int)strlen(label);
    screen->ruler[column] = '+';
    memcpy(screen->labels + (column > length / 2 ? column - length / 2 : 0), label, (size_t)length);
}

static void tick_up(void *into, double value, const char *label)
{
    struct screen *screen = into;
    double row = row_of(screen, value);
    if (label && row > -0.5 && row < ROWS - 0.5)
        snprintf(screen->powers[lround(row)], AXIS, "%*.0e", AXIS - 1, value);
}

/* Without the spaces at its end. */
static int length_of(const char *text, int length)
{
    while (length > 0 && text[length - 1] == ' ')
        length--;
    return length;
}

static void write_screen(FILE *stream, struct screen *screen)
{
    const struct axis x = plot_iterations(0, (double)screen->axes->iterations);
    const struct axis y = axis_logarithmic(NULL, screen->axes->lowest, screen->axes->highest);
    axis_ticks(&x, TICKS, tick_across, screen);
    axis_ticks(&y, TICKS, tick_up, screen);
    for (int row = ROWS - 1; row >= 0; row--)
        fprintf(stream, "%*s %c%.*s\n", AXIS - 1, screen->powers[row],
                *screen->powers[row] ? '+' : '|', length_of(screen->cells[row], screen->columns),
                screen->cells[row]);
    fprintf(stream, "%*s+%.*s\n%*s%.*s\n", AXIS, "", screen->columns, screen->ruler, AXIS + 1, "",
            length_of(screen->labels, sizeof screen->labels), screen->labels);
}

void picture_into_terminal(FILE *stream, int columns, const struct recorded *study)
{
    static const char signs[] = "*#$%@&=+ox";
    struct screen screen = {.columns = columns - AXIS - 2, .axes = study->axes};
    int kernels = study->summary.kernels_count;
    if (screen.columns > COLUMNS)
        screen.columns = COLUMNS;
    memset(screen.cells, ' ', sizeof screen.cells);
    memset(screen.ruler, '-', sizeof screen.ruler);
    memset(screen.labels, ' ', sizeof screen.labels);
    for (int64_t c = 0; c < study->selection.count; c++) {
        int kernel = study->selection.runs[c].kernel;
        draw_curve(&screen, &study->curves[c].history, kernel, kernels, signs[kernel % SIGNS]);
    }
    write_key(stream, columns, study, signs);
    write_screen(stream, &screen);
}
