/* One side of a contest between programs that cannot run as one, because some have threads and some
 * have MPI ranks. Each is a process that is called as
 *
 *     PROGRAM product|cg THREADS [KEY=VALUE]... CONFIG
 *
 * sets up the config's problem, proves its result, and then sleeps on its standard input. For each
 * line that comes it does one batch and prints what one product, or one iteration of conjugate
 * gradients, took. bench/product_rounds.c calls on all of them in turns.
 *
 * Of a system too large to compare solutions it also prints, for the caller to judge,
 *
 *     contest residual NORM ITERATIONS */
#ifndef BENCH_SUPPORT_CONTEST_H
#define BENCH_SUPPORT_CONTEST_H

#include "base/status.h"
#include "program/config/settings.h"
#include "program/config/system.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct contest {
    bool cg; /* a batch is a solve; else it is products */
    int threads;
    struct threads *before; /* what was lent before the team of these */
    struct settings settings;
    struct linear_system system;
    int64_t n;
    char *problem;    /* in words */
    char size[128];   /* its rows and entries, in words */
    double *x;        /* [n]: uniform in [-1, 1) by random_vector(1, n, x) */
    double *expected; /* [n]: A x by csr_multiply, or what our own solve with cpu_csr ends with */
    double *result;   /* [n]: where a batch leaves y = A x, or the solution */
    /* Where those three are NULL, in their place: of the solve that a batch was. */
    double residual;
    int64_t iterations;
};

/* One product or more that are not timed, and then `times` that are; or one solve. Gives the
 * seconds of one product or iteration, and leaves the result in contest->result. */
typedef double contest_batch(void *context, int64_t times);

/* Make the problem and the expected result. */
enum status contest_open(int argc, char *argv[], struct contest *contest, struct error *error);

/* The problem alone, of `PROGRAM solve ...`: conjugate gradients. A is not stored where a maker
 * makes its rows (matrix/implicit_rows.h). */
enum status contest_open_large(int argc, char *argv[], struct contest *contest,
                               struct error *error);

/* A competitor with a matrix of its own needs ours no longer. */
void contest_drop_matrix(struct contest *contest);

/* Check the result, STATUS_INPUT when it is wrong, and do batches until the input ends. `library`
 * is the library's name and version, bytes what one product or iteration moves, 0 where that is not
 * known. */
enum status contest_compete(struct contest *contest, const char *library, double bytes,
                            contest_batch *batch, void *context, struct error *error);

void contest_close(struct contest *contest);

/* Tell a failure to whoever reads. Gives the exit status. */
int contest_end(enum status status, const struct error *error);

#ifdef __cplusplus
}
#endif
#endif
