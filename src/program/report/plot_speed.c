/* The time of an iteration and the bytes a second, as bars beside each other; of several right-hand
 * sides the time alone. */
#include "program/report/plot.h"

#include "base/processors.h"
#include "program/report/text.h"

#include <math.h>

static const char *missing(const void *of)
{
    const struct recorded *study = of;
    return study->axes->milliseconds > 0 ? NULL : "Nothing was iterated, so there are no times.";
}

/* A bar to `value`, a line over the middle half of the runs, and the number. */
static void draw_bar(struct canvas *canvas, const struct recorded *study, int kernel,
                     struct canvas_style style, const double values[3])
{
    const char *label = study->summary.kernels[kernel].label;
    double value = values[0], low = values[1], high = values[2];
    double lane = study->summary.kernels_count - 1 - kernel;
    const double corners[][2] = {{0, -0.28}, {value, -0.28}, {value, 0.28}, {0, 0.28}};
    const double line[][2] = {{low, -0.1}, {low, 0.1},   {low, 0},
                              {high, 0},   {high, -0.1}, {high, 0.1}};
    char number[32];
    path_begin(canvas);
    for (int k = 0; k < 4; k++)
        path_to(canvas, corners[k][0], lane + corners[k][1]);
    style.dashes = 0;
    path_end(canvas, "bar", kernel, label, style, 0);
    path_begin(canvas);
    for (int k = 0; k < 6; k++)
        path_to(canvas, line[k][0], lane + line[k][1]);
    path_end(canvas, "rule", kernel, label, CANVAS_BLACK, 1.2);
    snprintf(number, sizeof number, value < 1000 ? "%.3g" : "%.0f", value);
    canvas_text(canvas, canvas_x(canvas, fmax(value, high)) + 7, canvas_y(canvas, lane) + 5,
                "start", number);
}

static void draw(struct canvas *canvas, const void *of)
{
    const struct recorded *study = of;
    int panels = study->summary.columns == 1 ? 2 : 1;
    const struct axis axis[] = {
        {.title = "ms / iteration", .end = 1.25 * study->axes->milliseconds},
        {.title = "GB/s", .end = 1.25 * (study->axes->rate > 0 ? study->axes->rate : 1)},
    };
    plot_lanes_begin(canvas, study, panels);
    for (int panel = 0; panel < panels; panel++) {
        plot_lanes(canvas, study, &axis[panel], panel, panels);
        for (int k = 0; k < study->summary.kernels_count; k++) {
            const struct summary_kernel *kernel = &study->summary.kernels[k];
            double rate = summary_rate(kernel);
            const double time[] = {1e3 * kernel->seconds, 1e3 * kernel->seconds_low,
                                   1e3 * kernel->seconds_high},
                         rates[] = {rate, rate, rate};
            draw_bar(canvas, study, k, plot_kernel_style(study, k), panel ? rates : time);
        }
    }
}

static void write_caption(FILE *page, const void *of)
{
    const struct recorded *study = of;
    char text[96];
    fputs(study->summary.columns > 1
              ? "The median time of an iteration of all columns together; the line covers the "
                "middle half of the runs."
              : "First the median time of an iteration, with a line over the middle half of the "
                "runs; then the bytes that an iteration must move, by the kernel's byte model, "
                "over that time.",
          page);
    html_print(page, " %s", processors_shared_text(study->summary.others, text));
}

const struct plot plot_speed = {
    .name = "speed",
    .title = "Time and throughput",
    .title_of_columns = "Time",
    .missing = missing,
    .draw = draw,
    .caption = write_caption,
};
