#include "io/bench_print.h"

#include "base/machine.h"
#include "base/text.h"
#include "io/terminal.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

const char *bench_kind_name(const struct csr *A)
{
    return A->kind == CSR_SYMMETRIC ? "symmetric"
           : A->kind == CSR_SKEW    ? "skew-symmetric"
                                    : "general";
}

void bench_print_start(FILE *stream, const struct settings *settings, const char *device)
{
    struct machine machine;
    char memory[16];
    const struct bench_settings *bench = &settings->bench;
    machine_describe(&machine);
    fprintf(stream, "machine   %s, %d cores, %d threads, %s\n", machine.cpu, machine.cores,
            machine.threads, bytes_text(memory, machine.memory));
    if (device)
        fprintf(stream, "device    %s\n", device);
    fprintf(stream, "measured  %" PRId64 " rounds in turns, ", bench->rounds);
    if (bench->cold == SWITCH_ON)
        fprintf(stream, "%" PRId64 " products each with cold caches",
                bench->products > 0 ? bench->products : 1);
    else if (bench->products > 0)
        fprintf(stream, "each a batch of %" PRId64 " products", bench->products);
    else
        fprintf(stream, "each a batch of about %g s", bench->seconds);
    fprintf(stream, "; x by seed %" PRId64 "\n\n", bench->seed);
}

/* ---- the matrix -------------------------------------------------------------------------------- */

static void print_size(FILE *stream, const struct bench_matrix *matrix)
{
    const struct csr_statistics *s = matrix->statistics;
    fprintf(stream, "%" PRId64 " x %" PRId64 ", %" PRId64 " entries, %s", s->n, s->width,
            s->entries, matrix->kind);
}

void bench_print_matrix_line(FILE *stream, const struct bench_matrix *matrix)
{
    const struct csr_statistics *s = matrix->statistics;
    fprintf(stream, "%s: ", matrix->name);
    print_size(stream, matrix);
    fprintf(stream, ", rows of %.3g +- %.3g\n", s->mean, s->deviation);
}

static double percent(int64_t part, int64_t all)
{
    return all > 0 ? 100.0 * (double)part / (double)all : 100;
}

static void print_symmetry(FILE *stream, const struct csr *A, const char *in_file,
                           const struct csr_symmetry *found)
{
    if (A->kind != CSR_GENERAL) {
        if (in_file && strcmp(in_file, "general") == 0)
            fprintf(stream,
                    "symmetry  the file says general, but the entries are %s: treated as such\n",
                    bench_kind_name(A));
        return;
    }
    if (A->n == A->width)
        fprintf(stream,
                "symmetry  of the entries off the diagonal %.4g %% have a mirrored entry, %.4g %% "
                "an equal one\n",
                percent(found->matched, found->entries), percent(found->equal, found->entries));
}

void bench_print_matrix(FILE *stream, const struct bench_matrix *matrix, const struct csr *A,
                        const struct matrix_market_report *file)
{
    char range[48];
    const struct csr_statistics *s = matrix->statistics;
    fprintf(stream, "matrix    %s", matrix->name);
    if (file->field)
        fprintf(stream, ", %s %s", file->field, file->symmetry);
    if (file->duplicates > 0)
        fprintf(stream, ", %" PRId64 " duplicates added up", file->duplicates);
    fprintf(stream, "\n          ");
    print_size(stream, matrix);
    fprintf(stream, "\n");
    print_symmetry(stream, A, file->symmetry, &s->symmetry);
    fprintf(
        stream,
        "rows      mean %.6g, deviation %.4g, variation %.4g, skewness %.4g\n          shortest "
        "%" PRId64 ", longest %" PRId64 ", empty %" PRId64 ", below %d: %.4g %%\n"
        "          lengths",
        s->mean, s->deviation, s->variation, s->skewness, s->shortest, s->longest, s->empty,
        CSR_WARP_ROW, percent(s->below_warp, s->n));
    for (int k = 0; k < CSR_LENGTH_CLASSES; k++)
        if (s->lengths[k] > 0)
            fprintf(stream, "  %s: %" PRId64, csr_length_class(k, range), s->lengths[k]);
    fprintf(stream, "\nbandwidth %" PRId64, s->bandwidth);
    if (s->rcm_bandwidth >= 0)
        fprintf(stream, "; reverse Cuthill-McKee would make it %" PRId64, s->rcm_bandwidth);
    fprintf(stream, "\n\n");
}

/* ---- the table --------------------------------------------------------------------------------- */

void bench_print_head(FILE *stream, int width)
{
    fprintf(stream, "%-*s  %-7s  %8s  %9s  %9s  %9s  %7s  %7s  %6s  %8s  %8s\n", width, "", "",
            "error,", "set-up", "mean", "median", "", "", "% of", "", "distinct");
    fprintf(stream, "%-*s  %-7s  %8s  %9s  %9s  %9s  %7s  %7s  %6s  %8s  %8s\n", width, "kernel",
            "product", "bounds", "ms", "ms", "ms", "GFLOP/s", "GB/s", "copy", "memory", "results");
}

void bench_print_result(FILE *stream, int width, const char *label, const struct product_result *r)
{
    char memory[16];
    fprintf(stream, "%-*s  %-7s", width, label, product_verdict_name(r->verdict));
    if (r->verdict == PRODUCT_SKIPPED) {
        fprintf(stream, "  %s\n", r->reason);
        return;
    }
    double rate = (double)r->bytes / r->median_seconds;
    fprintf(stream, "  %8.2g  %9.4g  %9.4g  %9.4g  %7.3g  %7.3g  %6.3g  %8s  %8" PRId64 "\n",
            r->error.worst, 1e3 * r->setup_seconds, 1e3 * r->mean_seconds, 1e3 * r->median_seconds,
            1e-9 * r->flops / r->median_seconds, 1e-9 * rate, 100 * rate / r->copy_rate,
            bytes_text(memory, r->memory_bytes), r->distinct);
    if (r->verdict == PRODUCT_FAIL)
        fprintf(stream, "%-*s  y is wrong: row %" PRId64 " is off by %.3g times its bound\n", width,
                "", r->error.row + 1, r->error.worst);
    fflush(stream);
}

void bench_print_notes(FILE *stream, const struct product_contestant *contestants,
                       const struct product_result *results, int count)
{
    bool alone = false;
    fprintf(stream, "\n");
    for (int k = 0; k < count; k++) {
        const struct product_result *r = &results[k];
        bool told = r->verdict == PRODUCT_SKIPPED;
        alone = alone || r->alone;
        if (!told && *r->form)
            fprintf(stream, "%s keeps %s\n", contestants[k].label, r->form);
        if (!told && r->unjudged > 0)
            fprintf(stream,
                    "%s: %" PRId64 " rows are too large or too long for %s precision: not judged\n",
                    contestants[k].label, r->unjudged, kernel_precisions[r->precision]);
        for (int j = 0; j < k && !told; j++)
            told = results[j].verdict != PRODUCT_SKIPPED && results[j].threads == r->threads;
        if (!told && r->threads > 0)
            fprintf(stream, "a copy with %d threads moves %.4g GB/s\n", r->threads,
                    1e-9 * r->copy_rate);
        else if (!told)
            fprintf(stream, "a copy on the device moves %.4g GB/s\n", 1e-9 * r->copy_rate);
    }
    if (alone)
        fprintf(stream,
                "measured one after the other: the kernels do not fit into memory together\n");
}

/* ---- the summary ------------------------------------------------------------------------------- */

/* Ratios of one kernel. */
struct ratios {
    int64_t count;
    double logarithms, smallest, largest;
    const char *smallest_at, *largest_at; /* matrices */
};

static int baseline_of(const struct settings *settings)
{
    for (int k = 0; settings->bench.baseline && k < settings->kernels_count; k++)
        if (!strcmp(settings->kernels[k].label, settings->bench.baseline))
            return k;
    return 0;
}

/* The rows of a matrix come one after another, or not, when a later call added some. */
static struct ratios ratios_of(const struct bench_csv *csv, const char *label,
                               const char *parameters, const char *base,
                               const char *base_parameters)
{
    struct ratios made = {.smallest = INFINITY};
    for (int64_t k = 0; k < csv->rows_count; k++) {
        const struct bench_row *row = &csv->rows[k];
        if (row->status != BENCH_PASS || strcmp(row->kernel, label) != 0 ||
            strcmp(row->parameters, parameters) != 0)
            continue;
        const struct bench_row *other = bench_csv_find(csv, row->matrix, base, base_parameters);
        if (!other || other->status != BENCH_PASS)
            continue;
        double ratio = other->median_seconds / row->median_seconds;
        made.count++;
        made.logarithms += log(ratio);
        if (ratio < made.smallest) {
            made.smallest = ratio;
            made.smallest_at = row->matrix;
        }
        if (ratio > made.largest) {
            made.largest = ratio;
            made.largest_at = row->matrix;
        }
    }
    return made;
}

void bench_print_summary(FILE *stream, const struct bench_csv *csv, const struct settings *settings,
                         const char *const *parameters)
{
    int64_t products[BENCH_ERROR + 1] = {0}, files[BENCH_ERROR + 1] = {0};
    for (int64_t k = 0; k < csv->rows_count; k++)
        (*csv->rows[k].kernel ? products : files)[csv->rows[k].status]++;
    fprintf(stream,
            "\nproducts: %" PRId64 " PASS, %" PRId64 " FAIL, %" PRId64 " skipped; files: %" PRId64
            " trivial, %" PRId64 " in error\n",
            products[BENCH_PASS], products[BENCH_FAIL], products[BENCH_SKIPPED],
            files[BENCH_SKIPPED], files[BENCH_ERROR]);
    int base = baseline_of(settings);
    const char *base_label = settings->kernels[base].label;
    fprintf(stream, "\ntimes as fast as %s:\n", base_label);
    for (int k = 0; k < settings->kernels_count; k++) {
        const char *label = settings->kernels[k].label;
        struct ratios made = ratios_of(csv, label, parameters[k], base_label, parameters[base]);
        if (made.count == 0)
            fprintf(stream, "  %s: on no matrix\n", label);
        else
            fprintf(stream,
                    "  %s: geometric mean %.3g over %" PRId64
                    ", smallest %.3g (%s), largest %.3g (%s)\n",
                    label, exp(made.logarithms / (double)made.count), made.count, made.smallest,
                    made.smallest_at, made.largest, made.largest_at);
    }
}

/* ---- how far it is ----------------------------------------------------------------------------- */

void bench_print_progress(int64_t done, int64_t all, const char *next)
{
    enum { BAR = 30 };
    char shown[41];
    if (!isatty(STDERR_FILENO))
        return;
    fprintf(stderr, "\r\033[K");
    if (next) {
        int full = all > 0 ? (int)(BAR * done / all) : 0;
        fputc('[', stderr);
        for (int k = 0; k < BAR; k++)
            fputc(k < full ? '#' : '.', stderr);
        fprintf(stderr, "] %" PRId64 "/%" PRId64 "  %s", done, all,
                shown_text(next, shown, sizeof shown));
    }
    fflush(stderr);
}
