/* The committed residual histories: every tests/golden/NAME.cfg with its NAME.csv (scripts/golden). */
#ifndef TESTS_GOLDEN_GOLDEN_H
#define TESTS_GOLDEN_GOLDEN_H

/* Solve every config with these kernels, a list as a config has it, and that many threads; fail the
 * test unless each history is the committed one, number by number in hexadecimal, ends for the same
 * reason, and leaves the same solution. */
void golden_compare(const char *kernels, int threads);

#endif
