/* Components for tests, by name. */
#ifndef TESTS_OPTIONS_H
#define TESTS_OPTIONS_H

#include "base/component.h"
#include "matrix/csr.h"

/* Options of a component, with the values of "KEY=VALUE" texts up to a NULL. The caller calls
 * options_free. */
struct options test_options(enum component_kind kind, const char *name, ...)
    __attribute__((sentinel));

/* b[A->n] by the right-hand side that these options are of, which are freed. */
void test_rhs_fill(struct options rhs, const struct csr *A, double shift, double *b);

/* Fail the test unless the options are those of the component `name`, and the parameter has the
 * value. */
void expect_option(const struct options *options, const char *name, const char *key,
                   const char *value);

/* Fail the test unless both are of the same component, with the same values. */
void expect_equal_options(const struct options *a, const struct options *b);

#endif
