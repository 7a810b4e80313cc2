#include "program/terminal/bench_print.h"

#include "base/machine.h"
#include "base/processors.h"
#include "base/text.h"
#include "program/terminal/layout.h"
#include "program/terminal/terminal.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static void print_operation(FILE *stream, const struct bench_settings *bench)
{
    const int64_t *columns = bench->columns;
    int count = 1;
    while (count < BENCH_COLUMNS && columns[count])
        count++;
    fprintf(stream, "operation %s with %" PRId64,
            bench->operation == PRODUCT_SPMM ? "Y = A X" : "x_i . y_j where A has a stored entry,",
            columns[0]);
    for (int k = 1; k < count; k++)
        fprintf(stream, "%s%" PRId64, k < count - 1 ? ", " : " and ", columns[k]);
    fprintf(stream, " column%s\n", text_plural(columns[count - 1]));
}

void bench_print_start(FILE *terminal, const struct bench_settings *bench, const char *device)
{
    struct layout layout;
    FILE *stream = layout_begin(&layout, terminal);
    struct machine machine;
    int64_t products = bench->products > 0 ? bench->products : 1; /* with cold caches */
    machine_describe(&machine);
    terminal_print_machine(stream, &machine);
    if (device)
        fprintf(stream, "device    %s\n", device);
    if (bench->operation != PRODUCT_SPMV)
        print_operation(stream, bench);
    fprintf(stream, "measured  %" PRId64 " round%s, kernels interleaved, ", bench->rounds,
            text_plural(bench->rounds));
    if (bench->cold == SWITCH_ON)
        fprintf(stream, "%" PRId64 " product%s each with cold caches", products,
                text_plural(products));
    else if (bench->products > 0)
        fprintf(stream, "each a batch of %" PRId64 " product%s", bench->products,
                text_plural(bench->products));
    else
        fprintf(stream, "each a batch of about %g s", bench->seconds);
    static const char *const drawn[] = {
        [PRODUCT_SPMV] = "x", [PRODUCT_SPMM] = "X", [PRODUCT_SDDMM] = "X and Y"};
    fprintf(stream, "; %s random (seed %" PRId64 ")\n\n", drawn[bench->operation], bench->seed);
    layout_end(&layout);
}

/* ---- the matrix ------------------------------------------------------------------------------ */

static void print_size(FILE *stream, const struct bench_matrix *matrix)
{
    const struct csr_statistics *s = matrix->statistics;
    fprintf(stream, "%" PRId64 " x %" PRId64 ", %" PRId64 " entries, %s", s->n, s->width,
            s->entries, matrix->kind);
}

void bench_print_matrix_line(FILE *terminal, const struct bench_matrix *matrix)
{
    struct layout layout;
    FILE *stream = layout_begin(&layout, terminal);
    const struct csr_statistics *s = matrix->statistics;
    fprintf(stream, "%s: ", matrix->name);
    print_size(stream, matrix);
    fprintf(stream, ", rows of %.3g +- %.3g\n", s->mean, s->deviation);
    layout_end(&layout);
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
                    csr_kind_name(A->kind));
        return;
    }
    if (A->n == A->width)
        fprintf(stream,
                "symmetry  of the entries off the diagonal %.4g %% have a mirrored entry, %.4g %% "
                "an equal one\n",
                percent(found->matched, found->entries), percent(found->equal, found->entries));
}

void bench_print_matrix(FILE *terminal, const struct bench_matrix *matrix, const struct csr *A,
                        const struct matrix_market_report *file)
{
    struct layout layout;
    FILE *stream = layout_begin(&layout, terminal);
    char range[48];
    const struct csr_statistics *s = matrix->statistics;
    fprintf(stream, "matrix    %s", matrix->name);
    if (file->field)
        fprintf(stream, ", %s %s", file->field, file->symmetry);
    if (file->duplicates > 0)
        fprintf(stream, ", %" PRId64 " duplicate%s added up", file->duplicates,
                text_plural(file->duplicates));
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
    layout_end(&layout);
}

/* ---- the table ------------------------------------------------------------------------------- */

enum { VERDICT, ERROR, SETUP, MEAN, MEDIAN, FLOPS, RATE, COPY, MEMORY, RESULTS, CELLS };
enum { CELL = TABLE_CELL };

/* head, head where the column before is left out, width, least width, rank, to the left */
static const struct table_column columns[CELLS] = {
    [VERDICT] = {{"", "product"}, {NULL}, 7, 7, 14, true},
    [ERROR] = {{"error", "/ bound"}, {NULL}, 8, 8, 12, false},
    [SETUP] = {{"set-up", "ms"}, {NULL}, 9, 9, 3, false},
    [MEAN] = {{"mean", "ms"}, {NULL}, 9, 9, 1, false},
    [MEDIAN] = {{"median", "ms"}, {NULL}, 9, 9, 13, false},
    [FLOPS] = {{"", "GFLOP/s"}, {NULL}, 7, 7, 4, false},
    [RATE] = {{"", "GB/s"}, {NULL}, 7, 7, 6, false},
    [COPY] = {{"% of", "copy"}, {NULL}, 6, 6, 5, false},
    [MEMORY] = {{"", "memory"}, {NULL}, 8, 8, 2, false},
    [RESULTS] = {{"distinct", "results"}, {NULL}, 8, 8, 11, false},
};

void bench_table_begin(struct table *table, FILE *stream, int label, bool wide)
{
    table_begin(table, stream, columns, CELLS, label, wide);
}

static void print_measured(const struct table *table, const char *label,
                           const struct product_result *r)
{
    char cells[CELLS][CELL];
    double rate = (double)r->bytes / r->median_seconds;
    snprintf(cells[VERDICT], CELL, "%s", product_verdict_name(r->verdict));
    snprintf(cells[ERROR], CELL, "%.2g", r->error.worst);
    snprintf(cells[SETUP], CELL, "%.4g", 1e3 * r->setup_seconds);
    snprintf(cells[MEAN], CELL, "%.4g", 1e3 * r->mean_seconds);
    snprintf(cells[MEDIAN], CELL, "%.4g", 1e3 * r->median_seconds);
    snprintf(cells[FLOPS], CELL, "%.3g", 1e-9 * r->flops / r->median_seconds);
    snprintf(cells[RATE], CELL, "%.3g", 1e-9 * rate);
    snprintf(cells[COPY], CELL, rate < r->copy_rate ? "%.3g" : "%.0f", 100 * rate / r->copy_rate);
    text_bytes(cells[MEMORY], (double)r->memory_bytes);
    snprintf(cells[RESULTS], CELL, "%" PRId64, r->distinct);
    table_print_row(table, label, cells, r->verdict == PRODUCT_FAIL);
}

void bench_print_result(const struct table *table, const char *label,
                        const struct product_result *r)
{
    int blanks = table->label - layout_width(label);
    if (r->verdict == PRODUCT_SKIPPED)
        layout_print(table->stream, "%s%*s  %-7s  %s\n", label, blanks > 0 ? blanks : 0, "",
                     product_verdict_name(r->verdict), r->reason);
    else
        print_measured(table, label, r);
    static const char *const wrong[] = {
        [PRODUCT_SPMV] = "y", [PRODUCT_SPMM] = "Y", [PRODUCT_SDDMM] = "a sample"};
    char of[48] = "";
    if (r->operation != PRODUCT_SPMV)
        snprintf(of, sizeof of, "%s column %" PRId64, r->operation == PRODUCT_SPMM ? " of" : ",",
                 r->error.column + 1);
    bool off = r->verdict == PRODUCT_FAIL && !(r->error.worst <= 1);
    if (off)
        layout_print(table->stream,
                     "%*s  %s is wrong: row %" PRId64 "%s is off by %.3g times its bound\n",
                     table->label, "", wrong[r->operation], r->error.row + 1, of, r->error.worst);
    if (r->verdict == PRODUCT_FAIL && *r->reason)
        layout_print(table->stream, "%*s  %s\n", table->label, "", r->reason);
    fflush(table->stream);
}

/* Whether it was said already how the kernel keeps the matrix: with any number of columns. */
static bool is_told(const struct bench_entry *const *entries, const struct product_result *results,
                    int k)
{
    for (int j = 0; j < k; j++)
        if (entries[j]->kernel == entries[k]->kernel && results[j].verdict != PRODUCT_SKIPPED)
            return true;
    return false;
}

void bench_print_notes(const struct table *table, const struct bench_entry *const *entries,
                       const struct product_result *results, int count, double others)
{
    struct layout layout;
    char busy[96];
    bool alone = false;
    table_print_left_out(table);
    FILE *stream = layout_begin(&layout, table->stream);
    if (*processors_shared_text(others, busy))
        fprintf(stream, "%s\n", busy);
    fprintf(stream, "\n");
    for (int k = 0; k < count; k++) {
        const struct product_result *r = &results[k];
        bool told = r->verdict == PRODUCT_SKIPPED;
        alone = alone || r->alone;
        if (!told && *r->form && !is_told(entries, results, k))
            fprintf(stream, "%s stores the matrix by %s\n", entries[k]->kernel->label, r->form);
        if (!told && r->unjudged > 0)
            fprintf(stream,
                    "%s: %" PRId64 " rows are too large or too long for %s precision: not judged\n",
                    entries[k]->label, r->unjudged, kernel_precisions[r->precision]);
        for (int j = 0; j < k && !told; j++)
            told = results[j].verdict != PRODUCT_SKIPPED && results[j].threads == r->threads;
        if (!told && r->threads > 0)
            fprintf(stream, "a copy with %d thread%s moves %.4g GB/s\n", r->threads,
                    text_plural(r->threads), 1e-9 * r->copy_rate);
        else if (!told)
            fprintf(stream, "a copy on the device moves %.4g GB/s\n", 1e-9 * r->copy_rate);
    }
    if (alone)
        fprintf(stream,
                "measured one after the other: the kernels do not fit into memory together\n");
    layout_end(&layout);
}

/* Ratios of one entry. */
struct ratios {
    int64_t count;
    double logarithms, smallest, largest;
    const char *smallest_at, *largest_at; /* matrices */
};

/* The rows of a matrix come one after another, or not, when a later call added some. */
static struct ratios ratios_of(const struct bench_csv *csv, const struct bench_entry *entry)
{
    const struct bench_entry *base = entry->baseline;
    struct ratios made = {.smallest = INFINITY};
    for (int64_t k = 0; k < csv->rows_count; k++) {
        const struct bench_row *row = &csv->rows[k];
        if (row->status != BENCH_PASS || strcmp(row->kernel, entry->label) != 0 ||
            strcmp(row->parameters, entry->parameters) != 0)
            continue;
        const struct bench_row *other =
            bench_csv_find(csv, row->matrix, base->label, base->parameters);
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

void bench_print_summary(const struct table *table, const struct bench_csv *csv,
                         const struct bench_entry *entries, int count)
{
    struct layout layout;
    table_print_left_out(table);
    FILE *stream = layout_begin(&layout, table->stream);
    int64_t products[BENCH_ERROR + 1] = {0}, files[BENCH_ERROR + 1] = {0};
    for (int64_t k = 0; k < csv->rows_count; k++)
        (*csv->rows[k].kernel ? products : files)[csv->rows[k].status]++;
    fprintf(stream,
            "\nproducts: %" PRId64 " PASS, %" PRId64 " FAIL, %" PRId64 " skipped; files: %" PRId64
            " trivial, %" PRId64 " in error\n",
            products[BENCH_PASS], products[BENCH_FAIL], products[BENCH_SKIPPED],
            files[BENCH_SKIPPED], files[BENCH_ERROR]);
    fprintf(stream, "\ntimes as fast as %s:\n", bench_entry_name(entries->baseline));
    for (int k = 0; k < count; k++) {
        const char *label = entries[k].label;
        struct ratios made = ratios_of(csv, &entries[k]);
        if (made.count == 0)
            fprintf(stream, "  %s: on no matrix\n", label);
        else
            fprintf(stream,
                    "  %s: geometric mean %.3g over %" PRId64
                    ", smallest %.3g (%s), largest %.3g (%s)\n",
                    label, exp(made.logarithms / (double)made.count), made.count, made.smallest,
                    made.smallest_at, made.largest, made.largest_at);
    }
    layout_end(&layout);
}

void bench_print_progress(int64_t done, int64_t all, const char *next)
{
    enum { BAR = 30 };
    char shown[41], line[128];
    if (!layout_obeys(stderr) || layout_is_pipe(stdout))
        return;
    fprintf(stderr, "\r\033[K");
    if (next) {
        int full = all > 0 ? (int)(BAR * done / all) : 0;
        snprintf(line, sizeof line, "[%.*s%.*s] %" PRId64 "/%" PRId64 "  %s", full,
                 "##############################", BAR - full, "..............................",
                 done, all, shown_text(next, shown, sizeof shown));
        fprintf(stderr, "%.*s", layout_fitting(line, layout_columns(stderr) - 1), line);
    }
    fflush(stderr);
}
