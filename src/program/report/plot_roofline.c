/* Operations per second of each kernel against its operations per byte, below the line of a copy's
 * speed: a roofline (Williams, Waterman, Patterson 2009). */
#include "program/report/sweep.h"

#include "program/report/text.h"

#include <math.h>

enum { HEIGHT = 290, SHOWN = 30, SHOWN_ON_A_PHONE = 18 /* characters of a name */ };

/* Copies whose speeds differ by less share a line. */
static const double copies_differ = 0.01;

static double intensity(const struct sweep_point *point)
{
    return point->operations / point->speed;
}

static bool is_known(const struct sweep_point *point)
{
    return point->operations > 0 && point->copy > 0;
}

/* The fastest copy beside the kernel's products, in bytes a second; 0: none is known. */
static double roof_of(const struct sweep_kernel *kernel)
{
    double roof = 0;
    for (int64_t p = 0; p < kernel->count; p++)
        roof = is_known(&kernel->points[p]) ? fmax(roof, kernel->points[p].copy) : roof;
    return roof;
}

/* Whether the kernel is the first one with its roof. */
static bool has_new_roof(const struct sweep *sweep, int64_t kernel)
{
    double roof = roof_of(&sweep->kernels[kernel]);
    for (int64_t k = 0; k < kernel; k++)
        if (fabs(roof_of(&sweep->kernels[k]) - roof) <= copies_differ * roof)
            return false;
    return roof > 0;
}

static const char *missing(const void *of)
{
    const struct sweep *sweep = of;
    for (int64_t k = 0; k < sweep->kernels_count; k++)
        if (has_new_roof(sweep, k))
            return NULL;
    return "The file does not tell the operations and the speed of a copy: no columns gflops and "
           "of_copy.";
}

static void make_axes(const struct sweep *sweep, struct axis *x, struct axis *y)
{
    double least = INFINITY, most = 0, lowest = INFINITY, highest = 0;
    for (int64_t k = 0; k < sweep->kernels_count; k++)
        for (int64_t p = 0; p < sweep->kernels[k].count; p++) {
            const struct sweep_point *point = &sweep->kernels[k].points[p];
            if (!is_known(point))
                continue;
            double roof = point->copy * intensity(point);
            least = fmin(least, intensity(point));
            most = fmax(most, intensity(point));
            lowest = fmin(lowest, 1e-9 * fmin(point->operations, roof));
            highest = fmax(highest, 1e-9 * fmax(point->operations, roof));
        }
    *x = axis_logarithmic("operations for each byte, by the byte model", least, most);
    *y = axis_logarithmic("GFLOP/s", lowest, highest);
}

/* Clipped to the panel. */
static void draw_roof(struct canvas *canvas, int key, double roof)
{
    char title[64];
    double begin = fmax(canvas->x.begin, 1e9 * canvas->y.begin / roof);
    double end = fmin(canvas->x.end, 1e9 * canvas->y.end / roof);
    struct canvas_style style = CANVAS_BLACK;
    style.dashes = 1;
    path_begin(canvas);
    path_to(canvas, begin, 1e-9 * roof * begin);
    path_to(canvas, end, 1e-9 * roof * end);
    path_end(canvas, "level", -1, NULL, style, 1.2);
    snprintf(title, sizeof title, "a copy: %.3g GB/s", 1e-9 * roof);
    canvas_key(canvas, key, title, title, style, CANVAS_LINE);
}

static void draw_kernel(struct canvas *canvas, const struct sweep *sweep, int64_t k, int most)
{
    char shown[4 * (SHOWN + 2)];
    const struct sweep_kernel *kernel = &sweep->kernels[k];
    struct canvas_style style = plot_style(&sweep->axes, kernel->name, kernel->kernel);
    path_begin(canvas);
    for (int64_t p = 0; p < kernel->count; p++)
        if (is_known(&kernel->points[p]))
            path_mark(canvas, intensity(&kernel->points[p]), 1e-9 * kernel->points[p].operations,
                      style.mark, 2.8);
    path_end(canvas, "marks", (int)k, kernel->name, style, 1.2);
    canvas_key(canvas, (int)k, kernel->name, text_short(kernel->name, most, shown, sizeof shown),
               style, CANVAS_MARK);
}

static void draw(struct canvas *canvas, const void *of)
{
    const struct sweep *sweep = of;
    int most = canvas->place == CANVAS_PHONE ? SHOWN_ON_A_PHONE : SHOWN;
    int widest = (int)sizeof "a copy: 1234 GB/s", keys = 0;
    struct axis x, y;
    for (int64_t k = 0; k < sweep->kernels_count; k++) {
        int length = text_characters(sweep->kernels[k].name);
        length = length < most ? length : most;
        widest = length > widest ? length : widest;
        keys += (roof_of(&sweep->kernels[k]) > 0) + has_new_roof(sweep, k);
    }
    make_axes(sweep, &x, &y);
    canvas_begin(canvas, HEIGHT, keys, widest);
    canvas_whole(canvas, HEIGHT, &x, &y, false);
    for (int64_t k = 0; k < sweep->kernels_count; k++)
        if (has_new_roof(sweep, k))
            draw_roof(canvas, -1, roof_of(&sweep->kernels[k]));
    for (int64_t k = 0; k < sweep->kernels_count; k++)
        if (roof_of(&sweep->kernels[k]) > 0)
            draw_kernel(canvas, sweep, k, most);
}

static void write_caption(FILE *page, const void *of)
{
    (void)of;
    html_print(page, "A mark for each matrix and kernel that passed: two operations for each entry "
                     "of the full matrix, over the median time of a product, against the same "
                     "over the bytes that the product must move. The dashed line is what a copy "
                     "of large buffers in the same memory would allow. A mark far below it waits "
                     "for something other than the memory's speed; a mark above it is of a matrix "
                     "that fits into a cache (a roofline; Williams, Waterman and Patterson 2009).");
}

const struct plot sweep_plot_roofline = {
    .name = "roofline",
    .title = "How near the kernels are to the speed of a copy",
    .missing = missing,
    .optional = true,
    .draw = draw,
    .caption = write_caption,
};
