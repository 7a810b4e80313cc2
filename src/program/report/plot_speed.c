/* The time of an iteration and the bytes a second, as bars beside each other; of several right-hand
 * sides the time alone. */
#include "program/report/plot.h"

#include "base/processors.h"

#include <math.h>
#include <stdbool.h>

enum { TICS = 4 }; /* of a bar that goes across */

static const char *missing(const struct recorded *study, const struct plot_axes *axes)
{
    (void)study;
    return axes->milliseconds > 0 ? NULL : "Nothing was iterated, so there are no times.";
}

/* A line for each lane: y, the bar's end, between which the middle half of the runs
 * lies, and where its number stands. */
static void write_bars(FILE *script, const struct recorded *study)
{
    int kernels = study->summary.kernels_count;
    for (int k = 0; k < kernels; k++) {
        const struct summary_kernel *kernel = &study->summary.kernels[k];
        double time = 1e3 * kernel->seconds, rate = summary_rate(kernel);
        double least = 1e3 * kernel->seconds_low, most = 1e3 * kernel->seconds_high;
        fprintf(script,
                "$time%d << EOD\n%d %.6g %.6g %.6g %.6g\nEOD\n"
                "$rate%d << EOD\n%d %.6g %.6g %.6g %.6g\nEOD\n",
                k, kernels - 1 - k, time, least, most, fmax(time, most), k, kernels - 1 - k, rate,
                rate, rate, rate);
    }
}

/* One of the two halves. */
static void draw_bars(FILE *script, enum plot_pass pass, const struct recorded *study,
                      const struct plot_axes *axes, const char *data)
{
    for (int k = 0; k < study->summary.kernels_count; k++) {
        const struct summary_kernel *kernel = &study->summary.kernels[k];
        if (plot_element(script, pass, "bar", k, kernel->label))
            fprintf(script,
                    ", $%s%d using (0.5*$2):1:(0.5*$2):(0.28) with boxxyerror lc rgb "
                    "'%s' fs solid 0.75 noborder notitle",
                    data, k, plot_kernel_style(axes, kernel).color);
        if (plot_element(script, pass, "bar", k, kernel->label))
            fprintf(script,
                    ", $%s%d using 2:1:3:4 with xerrorbars pt 0 lw 1.2 lc rgb 'black' notitle",
                    data, k);
        if (plot_element(script, pass, "bar", k, kernel->label))
            fprintf(script,
                    ", $%s%d using 5:1:(sprintf($2 < 1000 ? '%%.3g' : '%%.0f', $2)) with labels "
                    "left offset 0.7, 0 notitle",
                    data, k);
    }
}

static void write_script(FILE *script, const struct recorded *study, const struct plot_axes *axes)
{
    static const char *const halves[] = {"time", "rate"};
    bool has_rate = study->summary.columns == 1;
    plot_begin(script);
    fputs("set multiplot\n", script);
    double margin = plot_lanes(script, study);
    double middle = has_rate ? 0.5 * (1 + margin) : 1;
    write_bars(script, study);
    fprintf(script,
            "set rmargin at screen %.4f\nset xrange [0:%.6g] noextend\nset xtics %.6g format "
            "'%%g'\nset xlabel 'ms / iteration'\nplot NaN notitle",
            middle - 0.02, 1.25 * axes->milliseconds, plot_step(axes->milliseconds, TICS));
    draw_bars(script, PLOT_COMMANDS, study, axes, halves[0]);
    double rate = axes->rate > 0 ? axes->rate : 1;
    if (has_rate)
        fprintf(script,
                "\nunset ytics\nset lmargin at screen %.4f\nset rmargin at screen 0.98\n"
                "set xrange [0:%.6g] noextend\nset xtics %.6g format '%%g'\nset xlabel 'GB/s'\n"
                "plot NaN notitle",
                middle + 0.02, 1.25 * rate, plot_step(rate, TICS));
    if (has_rate)
        draw_bars(script, PLOT_COMMANDS, study, axes, halves[1]);
    fputs("\nunset multiplot\n", script);
    plot_names_begin(script);
    for (int half = 0; half < 1 + has_rate; half++) {
        fputs("print 'none -1 '\n", script);
        draw_bars(script, PLOT_NAMES, study, axes, halves[half]);
    }
}

static void write_caption(FILE *page, const struct recorded *study, const struct plot_axes *axes)
{
    char text[96];
    (void)axes;
    fputs(study->summary.columns > 1
              ? "The median time of an iteration of all columns together; the line covers the "
                "middle half of the runs."
              : "Left, the median time of an iteration, with a line over the middle half of the "
                "runs; right, the bytes that an iteration must move, by the kernel's byte model, "
                "over that time.",
          page);
    fprintf(page, " %s", processors_shared_text(study->summary.others, text));
}

const struct plot plot_speed = {
    .name = "speed",
    .title = "Time and throughput",
    .title_of_columns = "Time",
    .missing = missing,
    .height = plot_lanes_height,
    .script = write_script,
    .caption = write_caption,
};
