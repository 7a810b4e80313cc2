/* What the suites of regression tests share: a reference, the results of the solve that made it,
 * and copies with a fault. */
#ifndef TESTS_MAIN_REFERENCE_H
#define TESTS_MAIN_REFERENCE_H

#include <stdint.h>

/* Paths, set by prepare: small_config, the history of its cpu_csr, the output directory of that
 * solve and the history.csv in it, of two runs. */
extern char config[256], reference[256], results[256], history[300];

void prepare(void);

/* A copy of the file where the text `to` stands in place of the first `from` that follows
 * `behind`. */
const char *edited(const char *path, const char *behind, const char *from, const char *to);

/* The residual_hex of an iteration in the reference. */
void residual_of(int iteration, char text[40]);

/* The number so many ulps from that one, both positive. */
double ulps_away(double value, int64_t ulps);

/* A copy of the reference where the residual of an iteration is so many ulps away. */
const char *changed_by(int iteration, int64_t ulps);

#endif
