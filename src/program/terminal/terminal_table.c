/* The table: a row a kernel. */
#include "component/plugin.h"
#include "program/terminal/layout.h"
#include "program/terminal/terminal.h"
#include "study/study.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum {
    STORAGE,
    GUARANTEE,
    CONVERGED,
    ITERATIONS,
    HISTORIES,
    DIVERGED,
    APART,
    SPREAD,
    RECURSIVE,
    TRUE,
    TIME,
    RATE,
    SETUP,
    CELLS
};
enum { CELL = TABLE_CELL };

/* head, head where the column before is left out, width, least width, rank, to the left */
static const struct table_column vector_columns[CELLS] = {
    [STORAGE] = {{"", "storage"}, {NULL}, 7, 7, 3, true},
    [GUARANTEE] = {{"", "guarantee"}, {NULL}, 9, 9, 5, true},
    [CONVERGED] = {{"", "converged"}, {NULL}, 9, 9, 13, false},
    [ITERATIONS] = {{"iterations", "min median max"}, {NULL}, 20, 16, 14, false},
    [HISTORIES] = {{"distinct", "histories"}, {NULL}, 9, 9, 12, false},
    [DIVERGED] = {{"first", "diff."}, {NULL}, 5, 5, 8, false},
    [APART] = {{"1 %", "apart"}, {NULL}, 5, 5, 7, false},
    [SPREAD] = {{"solution", "spread"}, {NULL}, 9, 8, 6, false},
    [RECURSIVE] = {{"", "recursive"}, {NULL}, 9, 9, 4, false},
    [TRUE] = {{"residual / ||b||", "true"}, {"||b-Ax||", "/ ||b||"}, 8, 8, 11, false},
    [TIME] = {{"ms /", "iteration"}, {NULL}, 9, 9, 10, false},
    [RATE] = {{"", "GB/s"}, {NULL}, 6, 6, 2, false},
    [SETUP] = {{"", "set-up s"}, {NULL}, 8, 8, 1, false},
};
static const struct table_column eigen_residual = {
    {"residual / |theta|", "true"}, {"residual", "/ |theta|"}, 8, 8, 11, false};

void terminal_table_begin(struct table *table, FILE *stream, const struct solver_options *options,
                          const struct study_settings *study, bool wide)
{
    struct table_column columns[CELLS];
    int label = (int)strlen("kernel");
    for (int k = 0; k < study->kernels_count; k++)
        label = layout_wider(label, study->kernels[k].label);
    memcpy(columns, vector_columns, sizeof columns);
    if (!solver_finds_vector(options))
        columns[TRUE] = eigen_residual;
    table_begin(table, stream, columns, CELLS, label, wide);
    table_print_head(table, "kernel");
}

double relative_residual(double residual, double norm)
{
    return residual == 0 ? 0 : fabs(residual / norm);
}

/* What its residuals are shown relative to. */
static double norm_of(const struct solver_options *options, const double *rhs_norms,
                      const struct study_run *run)
{
    return solver_finds_vector(options) ? rhs_norms[run->column] : 1; /* over |theta| already */
}

/* The run that did worst: the first with the highest true residual, a NaN above all. */
static const struct study_run *worst_run(const struct solver_options *options,
                                         const double *rhs_norms, const struct study_kernel *kernel)
{
    const struct study_run *worst = NULL;
    double highest = 0;
    for (int64_t k = 0; k < kernel->runs_count; k++) {
        const struct study_run *run = &kernel->runs[k];
        double residual =
            relative_residual(run->result.true_residual, norm_of(options, rhs_norms, run));
        if (worst && (isnan(highest) || residual <= highest))
            continue;
        worst = run;
        highest = residual;
    }
    return worst;
}

static void print_runs(char cells[CELLS][CELL], const struct study_kernel *kernel)
{
    int64_t converged = study_kernel_converged(kernel);
    snprintf(cells[CONVERGED], CELL, "%s%" PRId64 "/%" PRId64,
             converged < kernel->runs_count ? "! " : "", converged, kernel->runs_count);
    snprintf(cells[ITERATIONS], CELL, "%" PRId64 " %.10g %" PRId64, kernel->iterations_min,
             kernel->iterations_median, kernel->iterations_max);
    snprintf(cells[HISTORIES], CELL, "%" PRId64, kernel->distinct_histories);
    table_iteration(cells[DIVERGED], kernel->first_divergence);
    table_iteration(cells[APART], kernel->first_apart);
    snprintf(cells[SPREAD], CELL, "%.2e", kernel->solution_spread);
}

static void print_times(char cells[CELLS][CELL], const struct study_kernel *kernel)
{
    double seconds = kernel->seconds_per_iteration;
    bool one = study_joined_columns(kernel) == 1; /* the byte model is of one vector */
    double rate = seconds > 0 ? (double)kernel->bytes_per_iteration / seconds : 0;
    snprintf(cells[TIME], CELL, "%.4g", 1e3 * seconds);
    snprintf(cells[RATE], CELL, one ? "%.3g" : "-", 1e-9 * rate);
    snprintf(cells[SETUP], CELL, "%.2g", kernel->setup_seconds);
}

void terminal_print_kernel(const struct table *table, const struct solver_options *options,
                           const double *rhs_norms, const struct study_kernel *kernel)
{
    char cells[CELLS][CELL];
    const struct study_run *worst = worst_run(options, rhs_norms, kernel);
    double norm = norm_of(options, rhs_norms, worst);
    snprintf(cells[STORAGE], CELL, "%s", kernel_storage_name(kernel->kernel->storage));
    snprintf(cells[GUARANTEE], CELL, "%s", plugin_guarantee_name(kernel->kernel, &kernel->options));
    print_runs(cells, kernel);
    snprintf(cells[RECURSIVE], CELL, "%.2e", relative_residual(worst->result.residual, norm));
    snprintf(cells[TRUE], CELL, "%.2e", relative_residual(worst->result.true_residual, norm));
    print_times(cells, kernel);
    table_print_row(table, kernel->label, cells,
                    study_kernel_converged(kernel) < kernel->runs_count);
}
