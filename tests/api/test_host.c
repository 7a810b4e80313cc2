/* The process that calls the library: its floating-point state changes no bit and is kept, it may
 * fork between two calls, and it may exit in the middle of one. */
#include "support.h"

#include "api/over_grid.h"
#include "base/random.h"
#include "cgsolve/order.h"

#include <fenv.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N = HANDLES_N };

/* --- the floating-point state ----------------------------------------------------------------- */

struct found {
    double x[N], product[N], residual, dot, norm, sum, compensated;
    uint64_t matrix;
};

static double b[N];

/* What a call finds in the state of now, with a matrix whose pairs differ by rounding. */
static void find(int threads, struct found *found)
{
    static int64_t offsets[] = {0, 2, 4};
    static int64_t columns[] = {0, 1, 0, 1};
    static const double values[] = {2, 0.1, 0.1 + 0x1p-56, 3};
    struct cgs_matrix_data data = {.size = sizeof data,
                                   .n = 2,
                                   .offsets = {offsets, 3, .type = CGS_INT64},
                                   .columns = {columns, 4, .type = CGS_INT64},
                                   .values = cgs_vector(values, 4),
                                   .part = CGS_FULL};
    struct cgs_result result = {.size = sizeof result};
    struct cgs_error error;
    struct cgs_matrix *A;
    struct handles handles;
    memset(found, 0, sizeof *found);
    expect(handles_create(LIST("kernel", "cpu_sym_bitwise"),
                          LIST("tolerance", "1e-9", "preconditioner", "multigrid"), threads,
                          &handles, &error),
           &error);
    expect(cgs_solve(handles.solver, vec(b), vec(NULL), vec(found->x), &result, &error), &error);
    expect(cgs_multiply(handles.kernel, vec(b), vec(found->product), &error), &error);
    expect(cgs_matrix_create(handles.context, &data, &A, &error), &error);
    found->residual = result.true_residual;
    found->matrix = cgs_matrix_hash(A);
    found->dot = cgs_dot(N, b, found->x);
    found->norm = cgs_norm(N, b);
    found->sum = cgs_sum(N, b);
    found->compensated = cgs_dot_compensated(N, b, found->x);
    cgs_matrix_destroy(A);
    handles_destroy(&handles);
}

static const int modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};

/* Whether a subnormal number becomes 0; volatile, for the compiler would compute it. */
static bool flushes(void)
{
    volatile double least = 0x1p-1022;
    return least / 2 == 0;
}

/* Have subnormal numbers become 0, or leave them. false: this processor is told otherwise. */
static bool set_flush(bool flush)
{
#if defined __x86_64__
    enum { FLUSH = 0x8040 }; /* of results and of operands */
    unsigned state = __builtin_ia32_stmxcsr();
    __builtin_ia32_ldmxcsr(flush ? state | FLUSH : state & ~(unsigned)FLUSH);
    return true;
#else
    return !flush;
#endif
}

START_TEST(its_floating_point_state_changes_no_bit)
{
    static struct found expected, found;
    uint64_t state = test_seed();
    for (int i = 0; i < N; i++) /* some products of two are subnormal */
        b[i] = ldexp(2 * test_random(&state) - 1, test_random_below(&state, 2) ? 0 : -520);
    find(1, &expected);
    ck_assert(expected.norm > 0 && isfinite(expected.residual));
    for (int m = 0; m < 4; m++)
        for (int flush = 0; flush < 2; flush++)
            for (int threads = 1; threads <= 3; threads += 2) {
                if (!set_flush(flush))
                    continue;
                ck_assert_int_eq(fesetround(modes[m]), 0);
                feclearexcept(FE_ALL_EXCEPT);
                feraiseexcept(FE_DIVBYZERO);
                find(threads, &found);
                bool kept = fegetround() == modes[m] && flushes() == flush;
                int raised = fetestexcept(FE_ALL_EXCEPT & ~FE_UNDERFLOW & ~FE_INEXACT);
                fesetenv(FE_DFL_ENV);
                ck_assert_msg(memcmp(&found, &expected, sizeof found) == 0,
                              "mode %d, flush %d, %d threads: other bits", m, flush, threads);
                ck_assert(kept);
                ck_assert_int_eq(raised, FE_DIVBYZERO);
            }
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* --- the process ------------------------------------------------------------------------------ */

static int expect_same(struct handles *handles, const double *wanted)
{
    struct cgs_result result = {.size = sizeof result};
    double x[N];
    return cgs_solve(handles->solver, vec(b), vec(NULL), vec(x), &result, NULL) ||
           memcmp(x, wanted, sizeof x) != 0;
}

/* Old handles work in the child, and new ones can be made. */
START_TEST(it_may_fork)
{
    struct handles handles, own;
    struct cgs_error error;
    struct cgs_result result = {.size = sizeof result};
    const char *const *kernel = LIST("kernel", "cpu_sym_bitwise");
    const char *const *solver = LIST("preconditioner", "multigrid");
    double x[N];
    int status;
    random_vector(3, N, b);
    expect(handles_create(kernel, solver, 3, &handles, &error), &error);
    expect(cgs_solve(handles.solver, vec(b), vec(NULL), vec(x), &result, &error), &error);
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        int failed = expect_same(&handles, x);
        handles_destroy(&handles);
        failed = failed || handles_create(kernel, solver, 3, &own, NULL) || expect_same(&own, x);
        handles_destroy(&own);
        _exit(failed);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
    ck_assert_int_eq(expect_same(&handles, x), 0);
    handles_destroy(&handles);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

static atomic_int notes;

static int note(void *user, int64_t column, int64_t iteration, double residual)
{
    (void)user, (void)column, (void)iteration, (void)residual;
    atomic_fetch_add(&notes, 1);
    return 0;
}

static void *solve_for_ever(void *context)
{
    struct handles *handles = context;
    struct cgs_result result = {.size = sizeof result};
    double x[N];
    cgs_solver_monitor(handles->solver, note, NULL);
    for (;;)
        cgs_solve(handles->solver, vec(b), vec(NULL), vec(x), &result, NULL);
    return NULL;
}

static struct handles handles_of_thread;

/* A thread that solves, and has shown a row. */
static void start_solving(void)
{
    pthread_t thread;
    if (handles_create(LIST("kernel", "cpu_sym_bitwise"), LIST("tolerance", "1e-14"), 3,
                       &handles_of_thread, NULL) ||
        pthread_create(&thread, NULL, solve_for_ever, &handles_of_thread))
        _exit(2);
    while (!atomic_load(&notes))
        usleep(100);
}

static void expect_success(pid_t child)
{
    int status;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
}

/* The handles are left as they are, as of a thread that nobody waits for. */
START_TEST(it_may_exit_while_a_thread_solves)
{
    random_vector(3, N, b);
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        start_solving();
        exit(0);
    }
    expect_success(child);
}
END_TEST

/* The thread calls no more, but for the one call that it may be in. The thread that ends it solves
 * as before. */
static int end_callbacks(void)
{
    enum { QUIET = 100000, MOST = 50 };
    struct handles handles;
    struct cgs_result result = {.size = sizeof result};
    double x[N];
    start_solving();
    cgs_end_callbacks();
    int before = -1, k = 0;
    for (; k < MOST && before != atomic_load(&notes); k++) {
        before = atomic_load(&notes);
        usleep(QUIET);
    }
    if (k == MOST || handles_create(LIST("kernel", "cpu_sym_bitwise"), NULL, 3, &handles, NULL))
        return 3;
    cgs_solver_monitor(handles.solver, note, NULL);
    bool solved = !cgs_solve(handles.solver, vec(b), vec(NULL), vec(x), &result, NULL);
    int late = atomic_load(&notes) - (before + 1 + (int)result.iterations);
    return !solved || late < 0 || late > 1;
}

START_TEST(its_functions_are_called_no_more)
{
    random_vector(3, N, b);
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0)
        _exit(end_callbacks());
    expect_success(child);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {its_floating_point_state_changes_no_bit, it_may_fork,
                            it_may_exit_while_a_thread_solves, its_functions_are_called_no_more,
                            NULL};
    return suite_of("api/host", tests);
}
