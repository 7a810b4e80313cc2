/* The speed of each kernel against the variation of the row lengths: a mark a matrix. */
#include "program/report/sweep.h"

#include "program/report/text.h"

#include <math.h>

enum { HEIGHT = 290, NOTE = 22, SHOWN = 30, SHOWN_ON_A_PHONE = 18 /* characters of a name */ };

static const char *missing(const void *of)
{
    const struct sweep *sweep = of;
    for (int64_t k = 0; k < sweep->kernels_count; k++)
        if (sweep->kernels[k].count > 0)
            return NULL;
    return "No product of the file's last run passed.";
}

static double place(const struct sweep *sweep, const struct sweep_point *point)
{
    return fmax(sweep->matrices[point->matrix].variation, SWEEP_VARIATION_LEAST);
}

static void make_axes(const struct sweep *sweep, bool phone, struct axis *x, struct axis *y)
{
    double lowest = INFINITY, highest = 0, widest = 1;
    for (int64_t k = 0; k < sweep->kernels_count; k++)
        for (int64_t p = 0; p < sweep->kernels[k].count; p++) {
            const struct sweep_point *point = &sweep->kernels[k].points[p];
            lowest = fmin(lowest, 1e-9 * point->speed);
            highest = fmax(highest, 1e-9 * point->speed);
            widest = fmax(widest, place(sweep, point));
        }
    *y = axis_logarithmic("GB/s", lowest, highest);
    *x = (struct axis){.title = phone ? "variation of the row lengths"
                                      : "variation of the row lengths: standard deviation / mean",
                       .begin = 0.8 * SWEEP_VARIATION_LEAST,
                       .end = 1.3 * widest,
                       .logarithmic = true,
                       .edge = "≤ 0.01",
                       .at = SWEEP_VARIATION_LEAST,
                       .from = 2 * SWEEP_VARIATION_LEAST};
}

static void make_title(const struct sweep_kernel *kernel, int most, char title[200])
{
    char shown[4 * (SHOWN + 2)];
    text_short(kernel->name, most, shown, sizeof shown);
    if (isnan(kernel->correlation.alone))
        snprintf(title, 200, "%s", shown);
    else
        snprintf(title, 200, "%s: × %.2g, ρ = %.2f", shown, kernel->correlation.factor,
                 kernel->correlation.alone);
}

static void draw(struct canvas *canvas, const void *of)
{
    const struct sweep *sweep = of;
    bool phone = canvas->place == CANVAS_PHONE, alone = canvas->place == CANVAS_FILE;
    int widest = 0, keys = 0, most = phone ? SHOWN_ON_A_PHONE : SHOWN;
    char title[200];
    struct axis x, y;
    for (int64_t k = 0; k < sweep->kernels_count; k++) {
        make_title(&sweep->kernels[k], most, title);
        widest = text_characters(title) > widest ? text_characters(title) : widest;
        keys += sweep->kernels[k].count > 0;
    }
    make_axes(sweep, phone, &x, &y);
    canvas_begin(canvas, HEIGHT + (alone ? NOTE : 0), keys, widest);
    if (alone) { /* without a caption */
        canvas_text(canvas, canvas->key_left, canvas->top + 6, "start",
                    "×: speed at ten times the variation, ρ: rank correlation; entries and mean "
                    "row length taken out");
        canvas->top += NOTE;
    }
    canvas_whole(canvas, HEIGHT, &x, &y, false);
    for (int64_t k = 0; k < sweep->kernels_count; k++) {
        const struct sweep_kernel *kernel = &sweep->kernels[k];
        struct canvas_style style = plot_style(&sweep->axes, kernel->name, kernel->kernel);
        if (kernel->count == 0)
            continue;
        path_begin(canvas);
        for (int64_t p = 0; p < kernel->count; p++)
            path_mark(canvas, place(sweep, &kernel->points[p]), 1e-9 * kernel->points[p].speed,
                      style.mark, 2.8);
        path_end(canvas, "marks", (int)k, kernel->name, style, 1.2);
        make_title(kernel, most, title);
        canvas_key(canvas, (int)k, kernel->name, title, style, CANVAS_MARK);
    }
}

static void write_caption(FILE *page, const void *of)
{
    (void)of;
    html_print(
        page,
        "A mark for each matrix and kernel that passed. The speed is the bytes that a product "
        "must move, by the kernel's byte model, over its median time. A variation below %g is "
        "drawn there. ×: the speed at ten times the variation, ρ: the rank correlation, both "
        "with the entries and the mean row length taken out. The table has the figures.",
        SWEEP_VARIATION_LEAST);
}

const struct plot sweep_plot_variation = {
    .name = "variation",
    .title = "Speed against the variation of the row lengths",
    .missing = missing,
    .draw = draw,
    .caption = write_caption,
};
