/* What a bench shows: the matrix, a table, how far it is, and a summary. docs/bench.md explains
 * it. */
#ifndef PROGRAM_TERMINAL_BENCH_PRINT_H
#define PROGRAM_TERMINAL_BENCH_PRINT_H

#include "io/market/matrix_market.h"
#include "program/config/settings.h"
#include "program/record/bench_csv.h"
#include "program/record/bench_entries.h"
#include "program/terminal/table.h"

#include <stdio.h>

/* Machine, threads and how it is measured. */
void bench_print_start(FILE *stream, const struct bench_settings *bench, const char *device);

/* The matrix in several lines, or in one when it is one of many. */
void bench_print_matrix(FILE *stream, const struct bench_matrix *matrix, const struct csr *A,
                        const struct matrix_market_report *file);
void bench_print_matrix_line(FILE *stream, const struct bench_matrix *matrix);

/* The table (program/terminal/table.h), whose head is that of kernels; label: the width of the
 * widest one; wide: with all columns. */
void bench_table_begin(struct table *table, FILE *stream, int label, bool wide);
void bench_print_result(const struct table *table, const char *label,
                        const struct product_result *result);

/* Below the table: columns left out, that other programs ran (others: machine.others), how matrices
 * are stored, what copies reach, what was not judged, what did not go in turns. */
void bench_print_notes(const struct table *table, const struct bench_entry *const *entries,
                       const struct product_result *results, int count, double others);

/* Columns left out; and over all matrices: how many rows of which status, and of each entry the
 * ratio baseline's time / its time on the matrices that both passed: geometric mean, smallest,
 * largest. */
void bench_print_summary(const struct table *table, const struct bench_csv *csv,
                         const struct bench_entry *entries, int count);

/* A bar on stderr, if it is a terminal, and as long as that is wide at most: of so many matrices,
 * so many done, and the next one. NULL wipes it. */
void bench_print_progress(int64_t done, int64_t all, const char *next);

#endif
