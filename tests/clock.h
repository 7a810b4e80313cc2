/* The clock of the suites, in the place of base/clock.c's. */
#ifndef TESTS_CLOCK_H
#define TESTS_CLOCK_H

/* What clock_seconds() gives, or NULL: wall time. A suite that counts something else than time
 * sets it before its tests. */
extern double (*test_clock)(void);

#endif
