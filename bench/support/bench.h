/* What the programs that make the tables of docs/results/ share: a problem and its kernels from a
 * config, set up side by side in one space, and the pages that the results go to. */
#ifndef BENCH_SUPPORT_BENCH_H
#define BENCH_SUPPORT_BENCH_H

#include "base/status.h"
#include "io/text_file.h"
#include "program/config/settings.h"
#include "program/config/system.h"
#include "space/space.h"
#include "spmv/kernel.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A config's problem, and every kernel of its list set up at the same time, so that they can be
 * timed in turns. All kernels work in the same space. */
struct bench_case {
    char *problem; /* in words */
    struct settings settings;
    struct threads *before; /* what was lent before the team of these */
    struct linear_system system;
    struct space *space;
    struct linear_operator *spmv; /* [settings.study.kernels_count] */
    double *x, *y; /* [n] in the space: x uniform in [-1, 1) by random_vector(1, n, x); y */
};

/* A page in Markdown and the same numbers as CSV, DIRECTORY/NAME.md and .csv. */
struct bench_page {
    struct text_file md, csv;
};

/* Put the results of a case on the page. */
typedef enum status bench_run(struct bench_case *bench, int64_t runs, struct bench_page *page,
                              struct error *error);

/* The whole of a program that is called as
 *
 *     PROGRAM [--page=NAME] [--title=TITLE] DIRECTORY RUNS [KEY=VALUE]... CONFIG...
 *
 * where KEY=VALUE replaces a key of the next config: every case is set up and run.
 * DIRECTORY/NAME.md begins with the title, the command line (quoted for a shell), the date and the
 * machine, DIRECTORY/NAME.csv with the names of its columns; `name` and `title` are what is not
 * given. Gives back the exit status. */
int bench_main(int argc, char *argv[], const char *name, const char *title, const char *columns,
               bench_run *run);

/* The problem in words, as the program shows it; the caller frees it. NULL: STATUS_MEMORY. */
char *bench_problem_text(const struct settings *settings, const struct linear_system *system,
                         struct error *error);

/* STATUS_CONFIG when the kernels are not CUDA kernels. */
enum status bench_need_cuda(const struct bench_case *bench, struct error *error);

/* "SM 1980 MHz, memory 3201 MHz": the device's clocks now, as nvidia-smi tells them; "unknown"
 * where it does not. To be asked while the device works. */
void bench_clocks(char *text, int size);

#ifdef __cplusplus
}
#endif
#endif
