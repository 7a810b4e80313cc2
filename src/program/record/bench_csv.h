/* The rows of a bench, one for each matrix and kernel, in a file that a later call continues.
 *
 * While a bench is at work the file is called NAME.partial, and every matrix's rows are written
 * when it is done; then it is called NAME. A row begins with
 *
 *     run,matrix,kernel,parameters,status,median_seconds,...
 *
 * where `run` is a hash of everything that makes two measurements comparable (the program's
 * version, the machine, the threads, the settings of the bench), so that rows of several kinds may
 * stand in one file. Names, labels and parameters hold no control characters. */
#ifndef PROGRAM_RECORD_BENCH_CSV_H
#define PROGRAM_RECORD_BENCH_CSV_H

#include "base/status.h"
#include "matrix/statistics.h"
#include "study/product_bench.h"

#include <stdbool.h>
#include <stdint.h>

enum bench_status {
    BENCH_PASS,
    BENCH_FAIL,
    BENCH_SKIPPED, /* this kernel; or the matrix, where the row has no kernel: it is trivial */
    BENCH_ERROR,   /* the file cannot be read; the row has no kernel */
};

/* A row, as far as a summary needs it. */
struct bench_row {
    char *matrix;
    char *kernel;     /* its label, "" in a row without one */
    char *parameters; /* "form=auto threads_per_row=4" */
    enum bench_status status;
    double median_seconds; /* NaN when skipped or in error */
};

struct bench_csv {
    char *path, *partial; /* NULL: no file, rows are only kept */
    int descriptor;       /* locked, so that no other bench writes to the file */
    int64_t length;       /* of it, in bytes */
    char run[20];
    struct bench_row *rows; /* of this run */
    int64_t rows_count, rows_capacity;
    int64_t resumed; /* of them, how many were there before */
};

/* Begin or continue the file (NULL: none). Drops a last line that a kill has cut. Errors:
 * STATUS_INPUT (the file is something else; NAME and NAME.partial are both there), STATUS_OUTPUT
 * (also while another bench is at work on it), STATUS_MEMORY. On failure *csv is zeroed. */
enum status bench_csv_open(const char *path, uint64_t run, struct bench_csv *csv,
                           struct error *error);

/* The row of this run for the matrix and kernel; or for the matrix alone, where its row has no
 * kernel. NULL: none. */
const struct bench_row *bench_csv_find(const struct bench_csv *csv, const char *matrix,
                                       const char *kernel, const char *parameters);

/* The common fields of a matrix's rows. */
struct bench_matrix {
    const char *name;
    const char *kind; /* "symmetric" */
    const struct csr_statistics *statistics;
};

/* One more row. The precision is told by name. */
enum status bench_csv_result(struct bench_csv *csv, const struct bench_matrix *matrix,
                             const char *kernel, const char *parameters,
                             const struct product_result *result, struct error *error);

/* A row without a kernel: BENCH_ERROR or BENCH_SKIPPED, and why. */
enum status bench_csv_matrix(struct bench_csv *csv, const char *name, enum bench_status status,
                             const char *reason, struct error *error);

/* Give the file its name and free *csv. */
enum status bench_csv_finish(struct bench_csv *csv, struct error *error);

/* Free *csv; the file stays NAME.partial. Accepts a zeroed one. */
void bench_csv_abandon(struct bench_csv *csv);

#endif
