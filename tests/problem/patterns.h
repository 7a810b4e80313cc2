/* What the suites of matrices made from patterns (problem/pattern.h) share: a generator, whatever
 * it is, held against the definition in its header. */
#ifndef TESTS_PROBLEM_PATTERNS_H
#define TESTS_PROBLEM_PATTERNS_H

#include "problem/pattern.h"

#include <stdbool.h>

/* problem_create of a generator. The settings are its options but for the pattern. */
typedef enum status pattern_maker(const void *settings, const struct pattern_options *options,
                                  struct csr *A, struct error *error);

struct made_pattern {
    pattern_maker *maker;
    const void *settings;
    struct pattern_options options;
};

/* Make it, check the rules of csr.h, the kind, and what pattern.h says of the values. The caller
 * frees it. */
struct csr pattern_make(const struct made_pattern *made);

/* Fail the test unless the full matrix has an entry at (i, j) where `has` says so, and nowhere
 * else. The diagonal of a symmetric matrix is there in any case. */
void expect_entries(const struct made_pattern *made,
                    bool (*has)(const struct made_pattern *made, int64_t i, int64_t j));

/* The same bits on 1, 2, 3 and 7 threads, which are those of the hash; other bits from another
 * seed; every failing allocation survived. */
void expect_reproducible(const struct made_pattern *made, uint64_t hash);

/* rows = equal against rows = drawn of a general one: each column as often, rows of equal
 * length. */
void expect_dealt(const struct made_pattern *made);

/* Fail the test unless it is refused as STATUS_CONFIG with the text. */
void expect_refused(const struct made_pattern *made, const char *text);

#endif
