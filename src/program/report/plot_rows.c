/* How long the rows of a collection are, as three distributions: the shares of short rows, the
 * longest rows, and the ranges beside the deviations (those of RoDe: Pang et al., PPoPP 2024,
 * section 3). */
#include "program/report/sweep.h"
#include "program/report/text.h"

#include <math.h>

enum { HEIGHT = 225, PANELS = 3, ROOM = 86, MARGIN = 20 };

/* Where a 0 is drawn on a logarithmic axis. */
#define DEVIATION_LEAST 0.01
#define RANGE_LEAST 0.5

static const struct canvas_style blue = {"#0072b2", 0, 0};

static const char *missing(const void *of)
{
    const struct sweep *sweep = of;
    if (sweep->matrices_count == 0)
        return "The file's last run has no matrix.";
    for (int64_t k = 0; k < sweep->matrices_count; k++)
        if (isnan(sweep->matrices[k].shortest) || isnan(sweep->matrices[k].below_32))
            return "The file has no columns row_shortest and rows_below_32: an older version wrote "
                   "it.";
    return NULL;
}

static double share_of_short(const struct sweep_matrix *matrix)
{
    return 100 * matrix->below_32 / matrix->rows;
}

static double longest(const struct sweep_matrix *matrix)
{
    return matrix->longest;
}

static double range(const struct sweep_matrix *matrix)
{
    return matrix->longest - matrix->shortest;
}

/* How many per cent of the matrices have at most so much, in steps from value to value. */
static void draw_distribution(struct canvas *canvas, const struct sweep *sweep, const char *name,
                              double (*value)(const struct sweep_matrix *))
{
    double share = 0, last = -INFINITY;
    path_begin(canvas);
    while (share < 100) {
        double next = INFINITY;
        int64_t reached = 0;
        for (int64_t k = 0; k < sweep->matrices_count; k++)
            if (value(&sweep->matrices[k]) > last)
                next = fmin(next, value(&sweep->matrices[k]));
        for (int64_t k = 0; k < sweep->matrices_count; k++)
            reached += value(&sweep->matrices[k]) <= next;
        path_to(canvas, next, share);
        share = 100 * (double)reached / (double)sweep->matrices_count;
        path_to(canvas, next, share);
        last = next;
    }
    path_end(canvas, "curve", 0, name, blue, 1.5);
}

/* Beside each other, on a phone below. */
static void panel(struct canvas *canvas, int number, const struct axis *x, const struct axis *y)
{
    bool phone = canvas->place == CANVAS_PHONE;
    double width = canvas->width / (phone ? 1 : PANELS), left = phone ? 0 : number * width;
    canvas_panel(canvas, left + ROOM, left + width - MARGIN,
                 phone ? number * (HEIGHT + CANVAS_AXIS) : 0, HEIGHT, x, y);
}

static void draw(struct canvas *canvas, const void *of)
{
    const struct sweep *sweep = of;
    double widest = 1, most = 1, spread = 1;
    for (int64_t k = 0; k < sweep->matrices_count; k++) {
        const struct sweep_matrix *matrix = &sweep->matrices[k];
        widest = fmax(widest, matrix->longest);
        most = fmax(most, range(matrix));
        spread = fmax(spread, matrix->deviation);
    }
    const struct axis shares = {.title = "% of the matrices, up to", .end = 100};
    const struct axis short_ones = {.title = "% of the rows below 32", .end = 100};
    const struct axis longest_ones = {.title = "entries of the longest row",
                                      .begin = 1,
                                      .end = 1.5 * widest,
                                      .logarithmic = true};
    const struct axis deviations = {.title = "deviation",
                                    .begin = 0.7 * DEVIATION_LEAST,
                                    .end = 1.5 * spread,
                                    .logarithmic = true};
    const struct axis ranges = {
        .title = "range", .begin = 0.7 * RANGE_LEAST, .end = 1.5 * most, .logarithmic = true};
    canvas_begin(canvas,
                 canvas->place == CANVAS_PHONE ? PANELS * (HEIGHT + CANVAS_AXIS) - CANVAS_AXIS
                                               : HEIGHT,
                 0, 0);
    panel(canvas, 0, &short_ones, &shares);
    draw_distribution(canvas, sweep, "shares of short rows", share_of_short);
    panel(canvas, 1, &longest_ones, &shares);
    draw_distribution(canvas, sweep, "longest rows", longest);
    panel(canvas, 2, &deviations, &ranges);
    path_begin(canvas);
    for (int64_t k = 0; k < sweep->matrices_count; k++)
        path_mark(canvas, fmax(sweep->matrices[k].deviation, DEVIATION_LEAST),
                  fmax(range(&sweep->matrices[k]), RANGE_LEAST), 0, 2);
    path_end(canvas, "marks", 0, "matrices", blue, 1);
}

static void write_caption(FILE *page, const void *of)
{
    const struct sweep *sweep = of;
    int64_t mostly_short = 0, long_ones = 0, wide = 0, count = sweep->matrices_count;
    for (int64_t k = 0; k < count; k++) {
        const struct sweep_matrix *matrix = &sweep->matrices[k];
        mostly_short += share_of_short(matrix) > 50;
        long_ones += matrix->longest >= 1000;
        wide += range(matrix) > 10 * matrix->deviation;
    }
    html_print(
        page,
        "Of %ld matrices, %ld have more than half of their rows below 32 entries, "
        "%ld a row of 1000 or more, and of %ld the range (the longest row less the "
        "shortest) is more than 10 times the standard deviation. First two panels: how many "
        "matrices have at most so much. The last: a mark for each matrix; a 0 is drawn at the "
        "edge.",
        count, mostly_short, long_ones, wide);
}

const struct plot sweep_plot_rows = {
    .name = "rows",
    .title = "How long the rows are",
    .missing = missing,
    .draw = draw,
    .caption = write_caption,
};
