/* A CSV as `cgsolve bench` writes it, made by hand: ten matrices, two kernels, and rows of every
 * other kind. */
#ifndef TESTS_REPORT_BENCHES_MADE_H
#define TESTS_REPORT_BENCHES_MADE_H

/* Write NAME below the suite's temporary directory, and give its path (static storage, until the
 * next call). With `older` it lacks the columns row_shortest and rows_below_32. Of its last run
 *
 *     "a, \"b\""   passed on all ten matrices; on the first it has an earlier row with another
 *                  speed
 *     "merge"      was skipped on matrix 3, wrong on matrix 7 (from 0)
 *
 * and there are one file in error, one that was trivial, and one row of another run. */
const char *bench_made(const char *name, int older);

#endif
