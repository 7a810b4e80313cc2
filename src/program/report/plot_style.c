/* What the plots have in common: colours, axes, and how the elements of a picture are drawn and
 * named. */
#include "program/report/plot.h"
#include "program/report/text.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { TICS = 8, TICS_NARROW = 3, LABEL_SIZE = 4 * (PLOT_LABEL_SHOWN + 2) };

/* --- colours, dashes and marks ---------------------------------------------------------------- */

static const char *const colors[] = {"#d55e00", "#cc79a7", "#0072b2", "#009e73",
                                     "black",   "#e69f00", "#56b4e9"};
enum { COLORS = sizeof colors / sizeof *colors };

/* Kernels of one kind on a CPU and on a GPU have the same. */
static const struct {
    const char *kernel;
    int color;
} assigned[] = {
    {"cpu_sym_atomic", 0},
    {"cuda_sym_atomic", 0},
    {"cpu_sym_compensated", 1},
    {"cuda_sym_compensated", 1},
    {"cpu_sym_bitwise", 2},
    {"cuda_sym_bitwise", 2},
    {"cpu_sym_exact", 3},
    {"cuda_sym_exact", 3},
    {"cpu_csr", 4},
    {"cusparse_full", 4},
    {"cuda_csr_scalar", 4},
    {"cpu_merge", 5},
    {"cuda_merge", 5},
    {"cuda_csr_subwarp", 5},
    {"cpu_sym", 6},
    {"cusparse_half", 6},
    {"cuda_csr_vector", 6},
    {"cuda_segscan", 1},
    {"cuda_rode", 3},
};

static int color_of(const char *kernel)
{
    for (size_t k = 0; k < sizeof assigned / sizeof *assigned; k++)
        if (strcmp(assigned[k].kernel, kernel) == 0)
            return assigned[k].color;
    unsigned letters = 0; /* of a kernel that is new here */
    for (; *kernel; kernel++)
        letters = 31 * letters + (unsigned char)*kernel;
    return (int)(letters % COLORS);
}

/* The place of the label among those of its colour, and whether it is there. A CPU and a GPU kernel
 * of one kind under one label are one. */
static bool find_label(const struct plot_axes *axes, const char *label, int color, int *before)
{
    *before = 0;
    for (int64_t k = 0; k < axes->labels_count; k++) {
        if (color_of(axes->labels[k].kernel) != color)
            continue;
        if (strcmp(axes->labels[k].text, label) == 0)
            return true;
        ++*before;
    }
    return false;
}

void plot_take_label(struct plot_axes *axes, const char *label, const char *kernel)
{
    int before;
    if (!find_label(axes, label, color_of(kernel), &before))
        axes->labels[axes->labels_count++] = (struct plot_label){label, kernel};
}

struct plot_style plot_style(const struct plot_axes *axes, const char *label, const char *kernel)
{
    static const int marks[] = {7, 11, 5, 9, 13, 6, 4, 8}; /* filled ones, and open ones */
    enum { MARKS = sizeof marks / sizeof *marks, DASHES = 5 /* solid, and gnuplot's four kinds */ };
    int color = color_of(kernel), before;
    find_label(axes, label, color, &before);
    return (struct plot_style){colors[color], 1 + before % DASHES, marks[(color + before) % MARKS]};
}

struct plot_style plot_kernel_style(const struct plot_axes *axes,
                                    const struct summary_kernel *kernel)
{
    return plot_style(axes, kernel->label, kernel->kernel);
}

void plot_begin(FILE *script)
{
    fputs("set encoding utf8\n"
          "set border 3 lw 0.8\n"
          "set tics nomirror out\n"
          "set grid ytics lt 1 lw 0.5 lc rgb '#a0808080'\n"
          "set key tmargin left Left reverse horizontal samplen 3 noenhanced\n",
          script);
}

/* --- axes ------------------------------------------------------------------------------------- */

double plot_step(double length, int most)
{
    double power = pow(10, floor(log10(length / most)));
    static const double factors[] = {1, 2, 5, 10};
    for (size_t k = 0; k < sizeof factors / sizeof *factors; k++)
        if (length / (factors[k] * power) <= most)
            return factors[k] * power;
    return 10 * power;
}

void plot_whole(FILE *script, double begin, double end)
{
    fprintf(script,
            "set xrange [%.10g:%.10g] noextend\nstep = exists('narrow') ? %.0f : %.0f\n"
            "set xtics step\nset format x '%%.0f'\n",
            begin, end, fmax(1, plot_step(end - begin, TICS_NARROW)),
            fmax(1, plot_step(end - begin, TICS)));
}

/* A number at a tick, as the page writes it: 0.02, 3 or 2 × 10^-6. */
static void write_number(FILE *script, double value)
{
    int power = (int)floor(log10(value) + 1e-9);
    if (power >= -3 && power <= 3)
        fprintf(script, "'%.6g' %.6g", value, value);
    else
        fprintf(script, "'%.4g·10^{/*1.15 %d}' %.6g", value / pow(10, power), power, value);
}

/* Less than a power of ten between the ends. */
static void write_few(FILE *script, double begin, double end)
{
    double step = plot_step(end - begin, TICS);
    for (double k = ceil(begin / step); k * step <= end; k++) {
        fputs(k == ceil(begin / step) ? "" : ", ", script);
        write_number(script, k * step);
    }
}

/* The smallest step in powers of ten with at most `most` labels. */
static int decades_a_label(int decades, int most)
{
    static const int steps[] = {1, 2, 3, 5, 10, 20, 50, 100};
    size_t k = 0;
    while (decades / steps[k] > most && k + 1 < sizeof steps / sizeof *steps)
        k++;
    return steps[k];
}

void plot_decades(FILE *script, double begin, double end, int most, double shift)
{
    int first = (int)floor(log10(begin)), last = (int)ceil(log10(end));
    int step = decades_a_label(last - first, most);
    bool plain = begin > 0.9e-3 && end < 1e5, few = end / begin < 1000 && shift == 0;
    const char *between = "";
    for (int power = first; power <= last; power++)
        for (int digit = 1; digit <= (step == 1 ? 9 : 1); digit++) {
            double value = digit * pow(10, power);
            bool named = (digit == 1 && power % step == 0) || (few && (digit == 2 || digit == 5));
            if (value < begin * (1 - 1e-9) || value > end * (1 + 1e-9) || (!named && step > 10))
                continue;
            fputs(between, script);
            if (!named)
                fprintf(script, "'' %.6g 1", value + shift);
            else if (plain)
                fprintf(script, "'%.6g' %.6g", value, value + shift);
            else if (digit > 1)
                fprintf(script, "'%d·10^{/*1.15 %d}' %.6g", digit, power, value + shift);
            else
                fprintf(script, "'10^{/*1.15 %d}' %.6g", power, value + shift);
            between = ", ";
        }
}

void plot_logarithmic(FILE *script, double lowest, double highest)
{
    double margin = highest / lowest > 10 ? pow(highest / lowest, 0.03) : 1.1;
    double begin = fmax(lowest / margin, 1e-307), end = fmin(highest * margin, 1e307);
    fprintf(script, "set logscale y\nset yrange [%.6g:%.6g] noextend\nset ytics (", begin, end);
    if (end / begin > 10)
        plot_decades(script, begin, end, TICS, 0);
    else
        write_few(script, begin, end);
    fputs(")\n", script);
}

void plot_level(FILE *script, double level, const char *name)
{
    fprintf(script,
            "set rmargin 12\n"
            "set arrow from graph 0, first %.6g to graph 1, first %.6g nohead lw 0.8 dt 3 lc rgb "
            "'#808080'\n"
            "set label '%s' at graph 1.01, first %.6g left textcolor rgb '#808080'\n",
            level, level, name, level);
}

void plot_label(FILE *script, const char *label)
{
    char shown[LABEL_SIZE];
    gnuplot_text(script, text_short(label, PLOT_LABEL_SHOWN, shown, sizeof shown));
}

/* --- elements --------------------------------------------------------------------------------- */

bool plot_element(FILE *script, enum plot_pass pass, const char *kind, int kernel, const char *name)
{
    if (pass == PLOT_COMMANDS)
        return true;
    fprintf(script, "print '%s %d '.", kind, kernel);
    gnuplot_text(script, name);
    fputs("\n", script);
    return false;
}

void plot_key(FILE *script, enum plot_pass pass, const struct plot_axes *axes,
              const struct recorded *study, int k, bool marked)
{
    const struct summary_kernel *kernel = &study->summary.kernels[k];
    struct plot_style style = plot_kernel_style(axes, kernel);
    if (!plot_element(script, pass, "key", k, kernel->label))
        return;
    fprintf(script, ", NaN with lines%s lw 1.6 lc rgb '%s' dt %d", marked ? "points" : "",
            style.color, style.dashes);
    if (marked)
        fprintf(script, " pt %d", style.mark);
    fputs(" title ", script);
    plot_label(script, kernel->label);
}

void plot_names_begin(FILE *script)
{
    fputs("set print (GPVAL_TERM eq 'svg' ? '-' : '/dev/null')\n", script);
}

void plot_draw(FILE *script, plot_elements *elements, const struct recorded *study,
               const struct plot_axes *axes, const struct plot_panel *panel)
{
    fputs("plot NaN notitle", script);
    elements(script, PLOT_COMMANDS, study, axes);
    fputs("\n", script);
    plot_names_begin(script);
    fputs("print 'none -1 '\n", script);
    elements(script, PLOT_NAMES, study, axes);
    if (!panel)
        return;
    fprintf(script,
            "print sprintf('panel %%.2f %%.2f %%.2f %%.2f %%.10g %%.10g %%.10g %%.10g %d %d %g"
            "|%s|%s', GPVAL_TERM_XMIN, GPVAL_TERM_XMAX, GPVAL_TERM_YMIN, GPVAL_TERM_YMAX, "
            "GPVAL_X_MIN, GPVAL_X_MAX, GPVAL_Y_MIN, GPVAL_Y_MAX)\n",
            panel->x_is_logarithmic, panel->y_is_logarithmic, panel->shift, panel->x, panel->y);
}

/* Of several iterations those with the lowest and the highest value, as they came. */
static void write_point(FILE *script, const struct course_point *point)
{
    bool rises = point->lowest_at < point->highest_at;
    if (isnan(point->lowest)) {
        fputs("\n", script); /* a gap */
        return;
    }
    if (rises)
        fprintf(script, "%" PRId64 " %.5g\n", point->lowest_at, point->lowest);
    fprintf(script, "%" PRId64 " %.5g\n", point->highest_at, point->highest);
    if (!rises && point->highest_at != point->lowest_at)
        fprintf(script, "%" PRId64 " %.5g\n", point->lowest_at, point->lowest);
}

void plot_course(FILE *script, const char *name, const struct course *course)
{
    fprintf(script, "$%s << EOD\n", name);
    for (int64_t k = 0; k < course->count; k++)
        write_point(script, &course->points[k]);
    fputs("EOD\n", script);
}
