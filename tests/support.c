#include "support.h"

#include "base/clock.h"
#include "base/hash.h"
#include "base/threads.h"
#include "study/test_matrices.h"

#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static struct threads *team; /* lent to the tests */

/* Of a loop with as many indices as threads: whoever takes one waits until all are taken. */
static void meet(void *context, int64_t begin, int64_t end)
{
    atomic_llong *left = context;
    atomic_fetch_sub(left, end - begin);
    while (atomic_load(left) > 0)
        sched_yield();
}

/* A thread that begins holds locks of the address sanitizer's allocator, and a process that is
 * forked meanwhile waits for them for ever. So all threads have begun when this returns. */
int test_threads(int threads)
{
    struct error error;
    struct threads *before = team;
    int count = threads_count(before);
    expect_ok(threads_create(threads, &team, &error), &error);
    atomic_llong left = threads_count(team);
    threads_each(team, left, meet, &left);
    threads_lend(team);
    threads_destroy(before);
    return count;
}

bool test_refuse_threads(bool refuse)
{
#ifdef __GLIBC__
    enum { USUAL = 8 << 20 }; /* bytes of a stack */
    pthread_attr_t stack;
    bool set = pthread_attr_init(&stack) == 0 &&
               pthread_attr_setstacksize(&stack, refuse ? (size_t)1 << 60 : USUAL) == 0 &&
               pthread_setattr_default_np(&stack) == 0;
    pthread_attr_destroy(&stack);
    return set;
#else
    (void)refuse;
    return false;
#endif
}

static char directory[64]; /* below TMPDIR, or /tmp */

int run_suite(Suite *suite)
{
    const char *parent = getenv("TMPDIR");
    int length = snprintf(directory, sizeof directory, "%s/cgsolve-test-XXXXXX",
                          parent && *parent ? parent : "/tmp");
    if (length >= (int)sizeof directory || !mkdtemp(directory)) {
        perror("TMPDIR");
        return EXIT_FAILURE;
    }
    double begin = clock_seconds();
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    char command[sizeof directory + 16];
    snprintf(command, sizeof command, "rm -rf '%s'", directory);
    if (system(command) != 0)
        perror(command);
    printf("took %.3f s\n", clock_seconds() - begin); /* scripts/run-suites reads it */
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

void note_place(const char *file, int line)
{
    static atomic_bool noted[1024]; /* two lines that share a place: one is not noted */
    if (!atomic_load_explicit(&noted[line % 1024], memory_order_relaxed) &&
        !atomic_exchange(&noted[line % 1024], true))
        (_mark_point)(file, line); /* Check's */
}

/* In the process of the test: the thread sanitizer does not take a fork of several threads. */
static void begin_test(void)
{
    test_threads(3);
    memory_live_reset();
}

static void end_test(void)
{
    threads_lend(NULL);
    threads_destroy(team);
    team = NULL;
}

TCase *tcase_of(const char *name)
{
    TCase *made = tcase_create(name);
    tcase_set_timeout(made, HANGS);
    tcase_add_checked_fixture(made, begin_test, end_test);
    return made;
}

Suite *suite_of(const char *name, const TTest *const *tests)
{
    Suite *made = suite_create(name);
    for (; *tests; tests++) {
        TCase *tcase = tcase_of((*tests)->name);
        tcase_add_test(tcase, *tests);
        suite_add_tcase(made, tcase);
    }
    return made;
}

void expect_ok(enum status status, const struct error *error)
{
    ck_assert_msg(status == STATUS_OK, "status %d: %s", (int)status, error->text);
}

void expect_error(enum status status, enum status wanted, const struct error *error, ...)
{
    ck_assert_msg(status == wanted, "status %d instead of %d: %s", (int)status, (int)wanted,
                  status == STATUS_OK ? "(no error)" : error->text);
    va_list texts;
    va_start(texts, error);
    for (const char *text; (text = va_arg(texts, const char *));)
        ck_assert_msg(strstr(error->text, text), "\"%s\" is missing in: %s", text, error->text);
    va_end(texts);
}

const char *temporary_path(const char *name)
{
    static char paths[64][256];
    static int next;
    char *path = paths[next++ % 64];
    snprintf(path, sizeof paths[0], "%s/%s", directory, name);
    return path;
}

const char *temporary_file(const char *name, const void *data, int64_t bytes)
{
    const char *path = temporary_path(name);
    FILE *file = fopen(path, "wb");
    ck_assert_msg(file != NULL, "cannot write %s", path);
    size_t count = bytes < 0 ? strlen(data) : (size_t)bytes;
    ck_assert_uint_eq(fwrite(data, 1, count, file), count);
    ck_assert_int_eq(fclose(file), 0);
    return path;
}

void walk_allocation_failures(enum status (*attempt)(void *context, struct error *error),
                              void *context)
{
    for (int64_t allowed = 0;; allowed++) {
        struct error error = {""};
        int64_t before = memory_live();
        memory_fail_after(allowed);
        enum status status = attempt(context, &error);
        memory_fail_after(-1);
        ck_assert_msg(memory_live() == before, "%d allocations leaked when allocation %d failed",
                      (int)(memory_live() - before), (int)allowed + 1);
        if (status == STATUS_OK) {
            ck_assert_msg(allowed > 0, "it succeeded without any allocation");
            return;
        }
        expect_error(status, STATUS_MEMORY, &error, "out of memory", NULL);
        ck_assert_msg(allowed < 10000, "10000 allocations and no end");
    }
}

bool test_is_slow(void)
{
    return getenv("CGSOLVE_TEST_SLOW") != NULL;
}

bool test_case_runs(int64_t which, int64_t of)
{
    static int64_t first = -1;
    if (!test_is_slow())
        return true;
    if (first < 0)
        first = (int64_t)(test_seed() % 1000000);
    return (first + which) % of == 0;
}

uint64_t test_seed(void)
{
    const char *given = getenv("CGSOLVE_TEST_SEED");
    uint64_t seed = given ? strtoull(given, NULL, 10) : (uint64_t)time(NULL);
    printf("seed %llu (CGSOLVE_TEST_SEED repeats it)\n", (unsigned long long)seed);
    return seed;
}

double test_random(uint64_t *state)
{
    return test_stream(state);
}

int64_t test_random_below(uint64_t *state, int64_t below)
{
    return (int64_t)(test_random(state) * (double)below);
}

uint64_t test_hash_vector(const double *v, int64_t n)
{
    struct error error;
    struct threads *threads;
    expect_ok(threads_create(2, &threads, &error), &error);
    uint64_t hash = hash_vector(threads, v, n);
    threads_destroy(threads);
    return hash;
}

int32_t *test_random_numbering(int64_t n, uint64_t *state)
{
    struct error error;
    int32_t *number = memory_array(n, sizeof *number, "a numbering", &error);
    ck_assert_ptr_nonnull(number);
    for (int64_t i = 0; i < n; i++) {
        int64_t other = test_random_below(state, i + 1);
        number[i] = number[other];
        number[other] = (int32_t)i;
    }
    return number;
}
