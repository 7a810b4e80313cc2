/* How long the rows of a collection are, as three distributions: the shares of short rows, the
 * longest rows, and the ranges beside the deviations (those of RoDe: Pang et al., PPoPP 2024,
 * section 3). */
#include "program/report/sweep.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum { HEIGHT = 300 };

/* Where a 0 is drawn on a logarithmic axis. */
#define DEVIATION_LEAST 0.01
#define RANGE_LEAST 0.5

static const char *missing(const struct sweep *sweep)
{
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

/* Its values; gnuplot sorts them, and draws what share of them is at most so much. */
static void write_distribution(FILE *script, const struct sweep *sweep, const char *name,
                               double (*value)(const struct sweep_matrix *))
{
    fprintf(script, "$%s << EOD\n", name);
    for (int64_t k = 0; k < sweep->matrices_count; k++)
        fprintf(script, "%.6g\n", value(&sweep->matrices[k]));
    fputs("EOD\n", script);
}

static void write_axis(FILE *script, char axis, double begin, double end)
{
    enum { LABELS = 5 };
    fprintf(script, "set logscale %c\nset %crange [%.6g:%.6g] noextend\nset %ctics (", axis, axis,
            begin, end, axis);
    plot_decades(script, begin, end, LABELS, 0);
    fputs(")\n", script);
}

static void write_script(FILE *script, const void *of)
{
    const struct sweep *sweep = of;
    double widest = 1, most = 1, spread = 1;
    fputs("$range << EOD\n", script);
    for (int64_t k = 0; k < sweep->matrices_count; k++) {
        const struct sweep_matrix *matrix = &sweep->matrices[k];
        widest = fmax(widest, matrix->longest);
        most = fmax(most, range(matrix));
        spread = fmax(spread, matrix->deviation);
        fprintf(script, "%.6g %.6g\n", fmax(matrix->deviation, DEVIATION_LEAST),
                fmax(range(matrix), RANGE_LEAST));
    }
    fputs("EOD\n", script);
    write_distribution(script, sweep, "short", share_of_short);
    write_distribution(script, sweep, "longest", longest);
    plot_begin(script);
    fprintf(script,
            "unset key\nset multiplot layout 1,3\nset yrange [0:100] noextend\n"
            "set ylabel '%% of the matrices, up to'\n"
            "set xrange [0:100] noextend\nset xlabel '%% of the rows below 32'\n"
            "plot $short using 1:(100./%" PRId64 ") smooth cumulative with steps lw 1.5 lc rgb "
            "'#0072b2' notitle\n",
            sweep->matrices_count);
    write_axis(script, 'x', 1, 1.5 * widest);
    fprintf(script,
            "unset ylabel\nset xlabel 'entries of the longest row'\n"
            "plot $longest using 1:(100./%" PRId64 ") smooth cumulative with steps lw 1.5 lc rgb "
            "'#0072b2' notitle\n",
            sweep->matrices_count);
    write_axis(script, 'x', 0.7 * DEVIATION_LEAST, 1.5 * spread);
    write_axis(script, 'y', 0.7 * RANGE_LEAST, 1.5 * most);
    fputs("set xlabel 'deviation'\nset ylabel 'range'\n"
          "plot $range using 1:2 with points pt 7 ps 0.4 lc rgb '#0072b2' notitle\n"
          "unset multiplot\n",
          script);
    plot_names_begin(script);
    fputs("print 'curve 0 shares of short rows'\nprint 'curve 0 longest rows'\n"
          "print 'marks 0 matrices'\n",
          script);
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
    fprintf(
        page,
        "Of %" PRId64 " matrices, %" PRId64 " have more than half of their rows below 32 entries, "
        "%" PRId64 " a row of 1000 or more, and of %" PRId64 " the range (the longest row less the "
        "shortest) is more than 10 times the standard deviation. Left and middle: how many "
        "matrices have at most so much. Right: a mark for each matrix; a 0 is drawn at the edge.",
        count, mostly_short, long_ones, wide);
}

const struct sweep_plot sweep_plot_rows = {
    .name = "rows",
    .title = "How long the rows are",
    .height = HEIGHT,
    .missing = missing,
    .script = write_script,
    .caption = write_caption,
};
