/* On how many matrices each kernel takes at most so many times the time of the fastest: a
 * performance profile (Dolan and More 2002). */
#include "program/report/sweep.h"
#include "program/report/text.h"

#include <math.h>

enum { HEIGHT = 290, SHOWN = 30, SHOWN_ON_A_PHONE = 18 /* characters of a name */, TITLE = 200 };

static int64_t matrices_of(const struct sweep *sweep)
{
    int64_t count = 0;
    for (int64_t k = 0; k < sweep->matrices_count; k++)
        count += isfinite(sweep->matrices[k].best);
    return count;
}

static const char *missing(const void *of)
{
    const struct sweep *sweep = of;
    int64_t kernels = 0;
    for (int64_t k = 0; k < sweep->kernels_count; k++)
        kernels += sweep->kernels[k].count > 0;
    if (kernels < 2)
        return "No two kernels passed a product, so none is compared with another.";
    return matrices_of(sweep) > 0 ? NULL : "The file has no times: no column median_seconds.";
}

/* Its time over that of the fastest kernel; INFINITY where it is not known. */
static double ratio_of(const struct sweep *sweep, const struct sweep_point *point)
{
    return isfinite(point->seconds) ? point->seconds / sweep->matrices[point->matrix].best
                                    : INFINITY;
}

/* On how many per cent of the matrices the ratio is at most that; *next is the next larger one. */
static double share_within(const struct sweep *sweep, const struct sweep_kernel *kernel,
                           double ratio, double *next)
{
    int64_t count = 0;
    *next = INFINITY;
    for (int64_t p = 0; p < kernel->count; p++) {
        double found = ratio_of(sweep, &kernel->points[p]);
        count += found <= ratio;
        *next = found > ratio ? fmin(*next, found) : *next;
    }
    return 100 * (double)count / (double)matrices_of(sweep);
}

static void draw_steps(struct canvas *canvas, const struct sweep *sweep,
                       const struct sweep_kernel *kernel)
{
    double at = 1, next, share = share_within(sweep, kernel, at, &next);
    path_begin(canvas);
    path_to(canvas, at, share);
    while (isfinite(next)) {
        at = next;
        path_to(canvas, at, share);
        share = share_within(sweep, kernel, at, &next);
        path_to(canvas, at, share);
    }
    path_to(canvas, canvas->x.end, share);
}

static void make_title(const struct sweep *sweep, const struct sweep_kernel *kernel, int most,
                       char title[TITLE])
{
    char shown[4 * (SHOWN + 2)];
    double next;
    snprintf(title, TITLE, "%s: fastest on %.0f %%",
             text_short(kernel->name, most, shown, sizeof shown),
             share_within(sweep, kernel, 1, &next));
}

static double largest_ratio(const struct sweep *sweep)
{
    double largest = 1;
    for (int64_t k = 0; k < sweep->kernels_count; k++)
        for (int64_t p = 0; p < sweep->kernels[k].count; p++) {
            double ratio = ratio_of(sweep, &sweep->kernels[k].points[p]);
            largest = isfinite(ratio) ? fmax(largest, ratio) : largest;
        }
    return largest;
}

static void draw(struct canvas *canvas, const void *of)
{
    const struct sweep *sweep = of;
    int widest = 0, keys = 0;
    int most = canvas->place == CANVAS_PHONE ? SHOWN_ON_A_PHONE : SHOWN;
    char title[TITLE];
    for (int64_t k = 0; k < sweep->kernels_count; k++) {
        make_title(sweep, &sweep->kernels[k], most, title);
        widest = text_characters(title) > widest ? text_characters(title) : widest;
        keys += sweep->kernels[k].count > 0;
    }
    const struct axis x = {.title = "times the time of the fastest kernel",
                           .begin = 1,
                           .end = fmax(1.05 * largest_ratio(sweep), 2),
                           .logarithmic = true};
    const struct axis y = {.title = "% of the matrices", .end = 102};
    canvas_begin(canvas, HEIGHT, keys, widest);
    canvas_whole(canvas, HEIGHT, &x, &y, false);
    for (int64_t k = 0; k < sweep->kernels_count; k++) {
        const struct sweep_kernel *kernel = &sweep->kernels[k];
        struct canvas_style style = plot_style(&sweep->axes, kernel->name, kernel->kernel);
        if (kernel->count == 0)
            continue;
        draw_steps(canvas, sweep, kernel);
        path_end(canvas, "curve", (int)k, kernel->name, style, 1.6);
        make_title(sweep, kernel, most, title);
        canvas_key(canvas, (int)k, kernel->name, title, style, CANVAS_LINE);
    }
}

static void write_caption(FILE *page, const void *of)
{
    html_print(
        page,
        "On how many of %ld matrices the median time of a kernel is at most so many times "
        "that of the fastest one there (a performance profile; Dolan and Moré 2002). A curve "
        "begins with how often its kernel is the fastest, and ends below 100 %% where the "
        "kernel did not pass all matrices.",
        matrices_of(of));
}

const struct plot sweep_plot_profile = {
    .name = "profile",
    .title = "How near the kernels are to the fastest",
    .missing = missing,
    .draw = draw,
    .caption = write_caption,
};
