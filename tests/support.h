/* What every test file shares. A test file tests/<layer>/test_<name>.c defines `suite`, and main
 * comes from tests/suites.c. */
#ifndef TESTS_SUPPORT_H
#define TESTS_SUPPORT_H

#include "base/memory.h"
#include "base/status.h"
#include "matrix/csr.h"

#include <check.h>
#include <stdbool.h>
#include <stdint.h>

/* Check notes the place of every assertion that held, for the case of a crash, and each note is a
 * system call: millions of them in a loop over the rows of many products. Here a line is noted the
 * first time. */
void note_place(const char *file, int line);
#define _mark_point(file, line) note_place(file, line)

/* The suite of this file. The Makefile gives it the name of the file: suite_layer_test_name. */
Suite *suite(void);

/* Run it, with a temporary directory of its own. Gives the exit status. */
int run_suite(Suite *suite);

/* Seconds: a test that takes longer hangs, however slow the machine is. */
enum { HANGS = 3600 };

/* A test case whose tests have a team of 3 threads lent (base/threads.h). */
TCase *tcase_of(const char *name);

/* A test case of each function made with START_TEST, by its name; the list ends with NULL. */
Suite *suite_of(const char *name, const TTest *const *tests);

/* Fail the test, printing the message, unless status is STATUS_OK. */
void expect_ok(enum status status, const struct error *error);

/* Fail the test unless status is `wanted` and the message contains every one of the texts; the list
 * ends with NULL. */
void expect_error(enum status status, enum status wanted, const struct error *error, ...);

/* Write a file below the suite's own temporary directory and give its path (static storage, valid
 * until the 64th call after it). bytes < 0: data is a text. */
const char *temporary_file(const char *name, const void *data, int64_t bytes);

/* The path of something in that directory, which is removed at the end. */
const char *temporary_path(const char *name);

/* Call attempt(context, &error) again and again, with 0, 1, 2, ... allocations allowed, until it
 * succeeds; every failure must be STATUS_MEMORY with "out of memory" in the message and leave no
 * allocation behind. `attempt` frees what it made when it succeeds. */
void walk_allocation_failures(enum status (*attempt)(void *context, struct error *error),
                              void *context);

/* Lend the main thread a team of that many threads instead of the one before: the first has 3, so
 * that tests set up by several. memory_live does not count it. Gives the number before. */
int test_threads(int threads);

/* From here on the system refuses all threads of this process, or none. false: it cannot be made to
 * do so. */
bool test_refuse_threads(bool refuse);

/* A fresh seed for the random inputs of a test, or that of the environment variable
 * CGSOLVE_TEST_SEED; printed, so that a failure can be repeated. */
uint64_t test_seed(void);

/* Whether a checker runs the tests that slows them down, device's kernels a thousandfold:
 * CGSOLVE_TEST_SLOW is set, and the largest sizes and the repetitions are left out. */
bool test_is_slow(void);

/* Whether to run this case: true, but where tests are slow true for one of `of` cases. The seed of
 * the first call decides which. */
bool test_case_runs(int64_t which, int64_t of);

/* A reproducible random stream for the tests: uniform in [0, 1), and a whole number in [0, below).
 */
double test_random(uint64_t *state);
int64_t test_random_below(uint64_t *state, int64_t below);

/* hash_vector, by a team of two. */
uint64_t test_hash_vector(const double *v, int64_t n);

/* A random permutation of 0 ... n - 1. The caller calls memory_free. */
int32_t *test_random_numbering(int64_t n, uint64_t *state);

#endif
