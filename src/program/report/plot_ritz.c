/* The Ritz values of Lanczos' method, iteration by iteration: how they come to the eigenvalues. */
#include "program/report/plot.h"

#include "program/report/text.h"

#include <math.h>
#include <stdbool.h>

enum {
    HEIGHT = 320,
    KEYS = 2,
    WIDEST = 18 /* characters in the key */,
    STROKES = 5 /* as a mark that is not filled */
};

/* Of two closer than this, in pixels, one is drawn. */
static const double CLOSE = 1.8;

static const char *missing(const void *of)
{
    const struct recorded *study = of;
    return study->ritz.count > 0 ? NULL : "history.csv has no Ritz values that can be followed.";
}

static void range_of(const struct ritz_values *ritz, double *lowest, double *highest)
{
    *lowest = INFINITY;
    *highest = -INFINITY;
    for (int64_t k = 0; k < ritz->count; k++) {
        *lowest = fmin(*lowest, ritz->points[k].theta);
        *highest = fmax(*highest, ritz->points[k].theta);
    }
}

/* A dash for each, as wide as its column. A phone has room for half of the columns. */
static void draw_points(struct canvas *canvas, const struct ritz_values *ritz, bool converged)
{
    int64_t every = ritz->every * (canvas->place == CANVAS_PHONE ? 2 : 1), column = 0;
    double half = 0.5 * (double)every, before = INFINITY;
    path_begin(canvas);
    for (int64_t k = 0; k < ritz->count; k++) {
        const struct ritz_point *point = &ritz->points[k];
        double x = (double)point->iteration, y = canvas_y(canvas, point->theta);
        bool shown = point->iteration % every == 0 || point->iteration == ritz->last;
        before = point->iteration == column ? before : INFINITY;
        column = point->iteration;
        if (!shown || point->converged != converged || before - y < CLOSE)
            continue;
        before = y;
        path_to(canvas, fmax(x - half, 0), point->theta);
        path_to(canvas, fmin(x + half, canvas->x.end), point->theta);
        path_gap(canvas);
    }
}

static void draw(struct canvas *canvas, const void *of)
{
    const struct recorded *study = of;
    const char *color = plot_kernel_style(study, study->selection.runs[0].kernel).color;
    const struct {
        const char *name;
        struct canvas_style style;
        double width;
    } kinds[KEYS] = {{"not converged", {"#808080", 0, STROKES}, 1},
                     {"converged", {color, 0, STROKES}, 1.8}};
    double lowest, highest;
    range_of(&study->ritz, &lowest, &highest);
    double size = fmax(fabs(lowest), fabs(highest)), spread = highest - lowest;
    double margin = spread > 1e-9 * size ? 0.03 * spread : fmax(size, 1) / 2;
    const struct axis x = plot_iterations(0, (double)study->ritz.last);
    const struct axis y = {.title = "Ritz value",
                           .values = "Ritz value",
                           .fractional = true,
                           .begin = lowest - margin,
                           .end = highest + margin};
    canvas_begin(canvas, HEIGHT, KEYS, WIDEST);
    canvas_whole(canvas, HEIGHT, &x, &y, false);
    for (int k = 0; k < KEYS; k++) {
        draw_points(canvas, &study->ritz, k == 1);
        path_end(canvas, "marks", k, kinds[k].name, kinds[k].style, kinds[k].width);
        canvas_key(canvas, k, kinds[k].name, NULL, kinds[k].style, CANVAS_LINE);
    }
}

static void write_caption(FILE *page, const void *of)
{
    const struct recorded *study = of;
    const struct ritz_values *ritz = &study->ritz;
    html_print(
        page,
        "Of the first run of %s: the Ritz values, which are the eigenvalues of the small "
        "matrix <i>T</i>, made once more from the columns alpha and beta. One has converged "
        "where the bound of ‖<i>A v</i> − <i>θ v</i>‖ from <i>T</i> is at most %.10g |<i>θ</i>|, "
        "or what rounding leaves. A full basis (%ld vectors) is restarted with the best of "
        "them, so the others end there.",
        study->summary.kernels[study->selection.runs[0].kernel].label, study->summary.tolerance,
        ritz->T.most);
    if (ritz->every > 1)
        html_print(page, " Drawn after every %ld iterations.", ritz->every);
    if (ritz->last < study->curves[0].history.points[study->curves[0].history.count - 1].end)
        html_print(page, " The picture ends at iteration %ld: %s.", ritz->last,
                   ritz_converged(&ritz->T) == ritz->T.low + ritz->T.high
                       ? "all wanted ones have converged, and what follows looks for further "
                         "copies of them"
                       : "T was not followed farther");
}

const struct plot plot_ritz = {
    .name = "ritz",
    .title = "Ritz values",
    .missing = missing,
    .draw = draw,
    .caption = write_caption,
    .optional = true,
};
