/* One solve without a config. */
#include "base/processors.h"
#include "base/text.h"
#include "program/terminal/layout.h"
#include "program/terminal/terminal.h"
#include "solver/method.h"

#include <inttypes.h>
#include <math.h>

/* The rows and the true residual of Lanczos are relative already. */
static double norm_of(const struct solver_options *options, double rhs_norm)
{
    return solver_finds_vector(options) ? rhs_norm : 1;
}

void terminal_print_row(FILE *stream, const struct solver_options *options, double rhs_norm,
                        const struct event *row)
{
    double residual = row->values[method_series(options->method, "residual")];
    double relative = relative_residual(residual, norm_of(options, rhs_norm));
    if (isnan(relative))
        fprintf(stream, "%8" PRId64 "  nan\n", row->iteration);
    else
        fprintf(stream, "%8" PRId64 "  %.17g\n", row->iteration, relative);
}

void terminal_print_solve(FILE *terminal, const struct solver_options *options, double rhs_norm,
                          const struct study_kernel *kernel, double others)
{
    const struct solver_result *result = &kernel->runs[0].result;
    bool finds_vector = solver_finds_vector(options);
    bool red = result->reason != REASON_CONVERGED && layout_has_colours(terminal);
    struct layout layout;
    char busy[96];
    FILE *stream = layout_begin(&layout, terminal);
    fprintf(stream, "kernel    %s, ", kernel->label);
    if (kernel->ranks.count > 1)
        fprintf(stream, "%d ranks of ", kernel->ranks.count);
    fprintf(stream, "%d thread%s", kernel->threads, text_plural(kernel->threads));
    if (*kernel->description)
        fprintf(stream, ", stores the matrix by %s", kernel->description);
    if (*kernel->preconditioner_description)
        fprintf(stream, "; preconditioner: %s", kernel->preconditioner_description);
    fprintf(stream, "\nresult    %s%s at iteration %" PRId64, red ? layout_red : "",
            reason_name(result->reason), result->iterations);
    if (result->restarts > 0)
        fprintf(stream, ", with %" PRId64 " restart%s", result->restarts,
                text_plural(result->restarts));
    if (result->resident_iterations > 0)
        fprintf(stream, ", %" PRId64 " of them resident", result->resident_iterations);
    if (finds_vector)
        fprintf(stream, ", ||b - %s x|| / ||b|| = ", options->method->matrix);
    else
        fprintf(stream, ", ||A v - theta v|| / |theta| at most ");
    fprintf(stream, "%.3g", relative_residual(result->true_residual, norm_of(options, rhs_norm)));
    terminal_print_advice(stream, result, true);
    fprintf(stream, "%s\n", red ? layout_plain : "");
    if (result->null_vectors > 0) {
        fprintf(stream, "          ");
        terminal_print_singular(stream, result);
        fprintf(stream, "\n");
    }
    fprintf(stream, "time      set-up %.3g s, solve %.3g s\n",
            kernel->setup_seconds + result->start_seconds, result->seconds);
    if (*processors_shared_text(others, busy))
        fprintf(stream, "          %s\n", busy);
    if (result->eigen_count > 0) {
        fprintf(stream, "\n");
        terminal_print_eigenvalues(stream, &options->eigen, result, result->eigen_count);
    }
    layout_end(&layout);
}
