/* A bench of many matrices, read from its CSV (docs/bench.md): how fast each kernel was on each
 * matrix, and how that goes with the lengths of its rows. */
#ifndef PROGRAM_REPORT_SWEEP_H
#define PROGRAM_REPORT_SWEEP_H

#include "base/status.h"
#include "program/report/plot.h"

#include <stdint.h>

/* With fewer matrices a correlation is not told. */
enum { SWEEP_LEAST = 5 };

/* No logarithm of less is taken, and nothing is drawn below it. */
#define SWEEP_VARIATION_LEAST 0.01

struct sweep_matrix {
    char *name;
    double rows, entries, mean, deviation, variation, longest;
    double shortest, below_32; /* rows; NaN where the file does not tell */
    double best;               /* the least seconds of a kernel; INFINITY: none is known */
};

struct sweep_point {
    int64_t matrix;
    double speed;            /* bytes a second, by the kernel's byte model */
    double seconds;          /* the median of a product; INFINITY where the file does not tell */
    double operations, copy; /* a second, and bytes a second of a copy; 0 likewise */
};

/* Over the kernel's matrices; NaN if undefined. */
struct sweep_correlation {
    double entries, mean, variation; /* the rank correlation of the speed with each */
    double alone;  /* that with the variation, the entries and the mean length taken out */
    double chance; /* |alone| is below it in 95 of 100 cases where there is no connection */
    /* Of the speed at ten times the variation, with these two the same: by least squares over
     * logarithms, a variation below SWEEP_VARIATION_LEAST counted as that. */
    double factor;
};

struct sweep_kernel {
    char *label, *parameters, *kernel;
    const char *name;           /* the label, or the parameters where two kernels have one label */
    struct sweep_point *points; /* [count]: of the products that passed, each matrix once */
    int64_t count, capacity;
    struct sweep_correlation correlation;
};

/* Of the run that the last row belongs to. */
struct sweep {
    char *path;                    /* fit to be shown */
    struct sweep_matrix *matrices; /* [matrices_count]: those with a row of a kernel */
    int64_t matrices_count, matrices_capacity;
    struct sweep_kernel *kernels; /* [kernels_count]: those with such a row */
    int64_t kernels_count, kernels_capacity;
    int64_t failed, skipped; /* products */
    int64_t files;           /* that could not be read, or were trivial */
    int64_t others;          /* rows of other runs: left out */
    struct plot_axes axes;   /* the names, for colours and marks */
};

/* Reads the CSV, plain or packed. The last of several rows of one matrix and kernel counts.
 * Memory grows with the matrices, not with the length of their rows. The caller calls sweep_free.
 * On failure *sweep is zeroed. Errors: STATUS_INPUT naming file, line and fault, STATUS_MEMORY. */
enum status sweep_read(const char *path, struct sweep *sweep, struct error *error);
void sweep_free(struct sweep *sweep); /* accepts a zeroed one */

/* Its pictures; ended by NULL. */
extern const struct plot *const plots_of_bench[];
extern const struct plot
    sweep_plot_variation;                 /* the speed against the variation of the row lengths */
extern const struct plot sweep_plot_rows; /* how long the rows are */
extern const struct plot sweep_plot_profile; /* on how many matrices a kernel is near the fastest */
extern const struct plot sweep_plot_roofline; /* how near a kernel is to the speed of a copy */

/* The page of a struct sweep: a table of the correlations, and the pictures. A page_writer
 * (program/report/page.h). */
enum status sweep_page(FILE *page, const void *sweep, struct error *error);

/* The results on the variation, a line for each kernel, for a terminal. */
void sweep_print(FILE *stream, const struct sweep *sweep);

#endif
