/* What --details shows of the kernels. */
#include "program/terminal/terminal.h"

#include "program/terminal/layout.h"
#include "study/study.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { GROUPS_SHOWN = 8, RUNS_SHOWN = 12, REMARK = 1024 };

/* Facts of a kernel after its label; possibly nothing. */
typedef void remark(FILE *stream, const struct study_kernel *kernel);

/* "1, 4, 5": the runs that have this history. */
static void print_group(FILE *stream, const struct study_kernel *kernel, int64_t history)
{
    int64_t shown = 0;
    for (int64_t r = 0; r < kernel->runs_count; r++) {
        if (kernel->runs[r].history != history)
            continue;
        if (++shown > RUNS_SHOWN) {
            fprintf(stream, ", ...");
            return;
        }
        fprintf(stream, "%s%" PRId64, shown == 1 ? "" : ", ", kernel->runs[r].run);
    }
}

/* The one history by its hash, or how the runs group into different ones: "runs 1, 4 | 2 | 3, 5".
 * That each has its own is in the table. */
static void print_histories(FILE *stream, const struct study_kernel *kernel)
{
    if (study_joined_columns(kernel) > 1) /* each has its own */
        return;
    if (kernel->distinct_histories == 1)
        fprintf(stream, "every history has the hash %016" PRIx64, kernel->runs[0].history_hash);
    if (kernel->distinct_histories == 1 || kernel->distinct_histories == kernel->runs_count)
        return;
    fprintf(stream, "runs with equal histories: ");
    for (int64_t h = 1; h <= kernel->distinct_histories && h <= GROUPS_SHOWN; h++) {
        fprintf(stream, "%s", h == 1 ? "" : " | ");
        print_group(stream, kernel, h);
    }
    fprintf(stream, "%s", kernel->distinct_histories > GROUPS_SHOWN ? " | ..." : "");
}

static void print_form(FILE *stream, const struct study_kernel *kernel)
{
    if (*kernel->description)
        fprintf(stream, "stores the matrix by %s", kernel->description);
}

static void print_ranks(FILE *stream, const struct study_kernel *kernel)
{
    const struct operator_ranks *ranks = &kernel->ranks;
    if (ranks->count < 2)
        return;
    const struct solver_result *first = &kernel->runs[0].result;
    fprintf(stream,
            "%d ranks of up to %" PRId64 " rows; a product brings %" PRId64
            " elements of x from rank to rank",
            ranks->count, ranks->most, ranks->read);
    if (first->exchange_seconds > 0)
        fprintf(stream, "; %.0f %% of the time is exchange and waiting",
                100 * first->exchange_seconds / first->seconds);
}

static void print_preconditioner(FILE *stream, const struct study_kernel *kernel)
{
    if (!kernel->preconditioner)
        return;
    const char *description = kernel->preconditioner_description;
    fprintf(stream, "preconditioner %s%s%s", kernel->preconditioner, *description ? ": " : "",
            description);
    if (isfinite(kernel->preconditioner_asymmetry))
        fprintf(stream, "; x . M^-1 y and y . M^-1 x are %.2g apart",
                kernel->preconditioner_asymmetry);
}

/* ", `what` 0.17", in ms, after the first piece; nothing if it was not measured, or if other
 * programs made a piece longer than the total. */
static void print_piece(FILE *stream, const char *what, double seconds, double total, int *pieces)
{
    if (seconds > 0 && seconds <= total)
        fprintf(stream, "%s%s %.3g", (*pieces)++ ? ", " : " (timed separately: ", what,
                1e3 * seconds);
}

/* The parts of the time of an iteration. */
static void print_time_split(FILE *stream, const struct study_kernel *kernel)
{
    const struct solver_split *split = &kernel->time_split;
    double total = kernel->seconds_per_iteration;
    int pieces = 0;
    if (!(split->product > 0))
        return;
    fprintf(stream, "%.3g ms / iteration", 1e3 * total);
    print_piece(stream, "product", split->product, total, &pieces);
    print_piece(stream, "dot products and updates", split->updates, total, &pieces);
    print_piece(stream, "preconditioner", split->preconditioner, total, &pieces);
    print_piece(stream, "projected matrix", split->projected, total, &pieces);
    fprintf(stream, "%s", pieces ? ")" : "");
}

/* The spectrum from the first run, in all columns. Eigenvalues have their own list. */
static void print_spectrum(FILE *stream, const struct study_kernel *kernel)
{
    struct solver_result widest = kernel->runs[0].result;
    for (int64_t k = 1; k < kernel->runs_count; k++) {
        const struct solver_result *result = &kernel->runs[k].result;
        if (kernel->runs[k].run > 1)
            continue;
        widest.ritz_low = fmin(widest.ritz_low, result->ritz_low);
        widest.ritz_high = fmax(widest.ritz_high, result->ritz_high);
    }
    double condition = solver_result_condition(&widest);
    if (!isfinite(widest.ritz_low) || !isfinite(widest.ritz_high) || widest.eigen_count > 0)
        return;
    if (isfinite(condition))
        fprintf(stream,
                "condition number %s %.3g: ", condition < SOLVER_CONDITION_MOST ? ">=" : ">",
                condition);
    fprintf(stream, "Ritz values from %.6g to %.6g", widest.ritz_low, widest.ritz_high);
}

static void remark_text(remark *print, const struct study_kernel *kernel, char text[REMARK])
{
    FILE *stream = fmemopen(text, REMARK - 1, "w");
    text[0] = text[REMARK - 1] = '\0';
    if (!stream)
        return;
    print(stream, kernel);
    fclose(stream);
}

/* Of whom `text` is to be said, of the kernels from k on. */
static void print_labels(FILE *stream, remark *print, const struct study_kernel *kernels, int count,
                         int k, const char *text)
{
    char other[REMARK];
    int first = k, same = 0;
    for (int pass = 0; pass < 2; pass++)
        for (k = first; k < count; k++) {
            remark_text(print, &kernels[k], other);
            if (strcmp(text, other) != 0)
                continue;
            if (pass == 0)
                same++;
            else if (same < count || count == 1)
                fprintf(stream, "%s%s", k > first ? ", " : "", kernels[k].label);
        }
    if (same == count && count > 1)
        fprintf(stream, "all kernels");
}

/* Once for all kernels of which the same is to be said: "bitwise, exact: every history has the hash
 * ...". */
static void print_remark(FILE *stream, remark *print, const struct study_kernel *kernels, int count)
{
    char text[REMARK], other[REMARK];
    for (int k = 0; k < count; k++) {
        bool told = false;
        remark_text(print, &kernels[k], text);
        for (int j = 0; j < k && !told; j++) {
            remark_text(print, &kernels[j], other);
            told = strcmp(text, other) == 0;
        }
        if (told || !*text)
            continue;
        print_labels(stream, print, kernels, count, k, text);
        fprintf(stream, ": %s\n", text);
    }
}

void terminal_print_details(FILE *terminal, const struct study_kernel *kernels, int count)
{
    static remark *const remarks[] = {print_form,       print_ranks,     print_preconditioner,
                                      print_time_split, print_histories, print_spectrum};
    struct layout layout;
    FILE *stream = layout_begin(&layout, terminal);
    for (size_t r = 0; r < sizeof remarks / sizeof *remarks; r++)
        print_remark(stream, remarks[r], kernels, count);
    layout_end(&layout);
}
