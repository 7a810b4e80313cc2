/* A study through handles: what several runs of several kernels have in common. */
#include "support.h"

#include "api/over_grid.h"
#include "base/random.h"

#include <stdio.h>

enum { N = HANDLES_N };

/* A context and a matrix, a study over it, and a right-hand side. */
static struct handles handles;
static struct cgs_study *study;
static struct cgs_error error;
static struct error *const said = (struct error *)&error;
static double b[N];

static void begin(const char *const *options)
{
    random_vector(3, N, b);
    expect(handles_create(NULL, NULL, 2, &handles, &error), &error);
    expect(cgs_study_create(handles.A, options, &study, &error), &error);
}

static void end(void)
{
    cgs_study_destroy(study);
    handles_destroy(&handles);
    ck_assert_int_eq(memory_live(), 0);
}

static struct cgs_study_kernel kernel_of(int64_t k)
{
    struct cgs_study_kernel kernel = {.size = sizeof kernel};
    expect(cgs_study_get(study, k, &kernel, &error), &error);
    return kernel;
}

START_TEST(what_runs_have_in_common)
{
    enum { REPEATS = 4 };
    struct cgs_result result = {.size = sizeof result};
    double x[N];
    begin(LIST("tolerance", "1e-7"));
    expect(cgs_study_add(study, NULL, NULL, &error), &error);
    expect(cgs_study_add(study, "full", LIST("kernel", "cpu_csr"), &error), &error);
    expect(cgs_study_add(study, "exact", LIST("kernel", "cpu_sym_exact", "reductions", "exact"),
                         &error),
           &error);
    expect(cgs_study_add(study, NULL, LIST("kernel", "cpu_sym_atomic"), &error), &error);
    ck_assert_int_eq(cgs_study_kernels(study), 0);
    for (int turn = 0; turn < 2; turn++)
        expect(cgs_study_run(study, b, NULL, REPEATS, NULL, NULL, &error), &error);
    ck_assert_int_eq(cgs_study_kernels(study), 4);
    static const char *const labels[] = {"cpu_sym_bitwise", "full", "exact", "cpu_sym_atomic"};
    expect(cgs_solver_set(handles.solver, "tolerance", "1e-7", &error), &error);
    expect(cgs_solve(handles.solver, vec(b), vec(NULL), vec(x), &result, &error), &error);
    for (int k = 0; k < 4; k++) {
        struct cgs_study_kernel found = kernel_of(k);
        ck_assert_str_eq(found.label, labels[k]);
        ck_assert_int_eq(found.runs, REPEATS);
        ck_assert_int_eq(found.converged, REPEATS);
        ck_assert(!found.promise_is_broken);
        ck_assert(found.histories >= 1 && found.histories <= REPEATS);
        ck_assert(found.iterations_min <= found.iterations_max);
        ck_assert((found.guarantee == CGS_EQUAL_BITS) == (k < 3));
        if (k == 3)
            continue;
        ck_assert(found.histories == 1 && found.solutions == 1 && found.spread == 0);
        ck_assert_int_eq(found.first_divergence, -1);
        ck_assert(k == 2 || found.iterations_min == result.iterations);
    }
    end();
}
END_TEST

struct watch {
    int64_t rows, ends_at;
    char label[64];
    int64_t run;
};

static int look(void *user, const char *label, int64_t run, int64_t iteration, double residual)
{
    struct watch *watch = user;
    ck_assert(iteration >= 0 && residual >= 0);
    snprintf(watch->label, sizeof watch->label, "%s", label);
    watch->run = run;
    return ++watch->rows == watch->ends_at;
}

START_TEST(a_monitor_sees_every_row_and_may_end_it)
{
    struct watch whole = {.ends_at = -1}, part = {0};
    begin(NULL);
    expect(cgs_study_add(study, "one", NULL, &error), &error);
    expect(cgs_study_add(study, "two", LIST("kernel", "cpu_csr"), &error), &error);
    expect(cgs_study_run(study, b, b, 3, look, &whole, &error), &error);
    int64_t rows = kernel_of(0).iterations_min + 1;
    ck_assert_int_eq(whole.rows, 6 * rows);
    ck_assert_str_eq(whole.label, "two");
    ck_assert_int_eq(whole.run, 3);
    part.ends_at = rows + 3;
    expect(cgs_study_run(study, b, b, 3, look, &part, &error), &error);
    ck_assert_int_eq(part.rows, part.ends_at);
    ck_assert_str_eq(part.label, "one");
    ck_assert_int_eq(cgs_study_kernels(study), 1);
    ck_assert_int_eq(kernel_of(0).runs, 1); /* the second one does not count */
    end();
}
END_TEST

START_TEST(what_is_refused)
{
    struct cgs_study *other;
    struct cgs_study_kernel kernel = {.size = sizeof kernel};
    begin(NULL);
    expect_error((enum status)cgs_study_create(handles.A, LIST("method", "skew"), &other, &error),
                 STATUS_CONFIG, said, "symmetric", NULL);
    ck_assert_ptr_null(other);
    expect_error((enum status)cgs_study_run(study, b, NULL, 1, NULL, NULL, &error), STATUS_CONFIG,
                 said, "0 kernels and 1 runs", NULL);
    expect(cgs_study_add(study, "one", NULL, &error), &error);
    expect_error((enum status)cgs_study_add(study, "one", NULL, &error), STATUS_CONFIG, said,
                 "called 'one'", NULL);
    expect_error((enum status)cgs_study_add(study, "two", LIST("kernel", "cpu"), &error),
                 STATUS_CONFIG, said, "cpu", NULL);
    expect_error(
        (enum status)cgs_study_add(study, "two", LIST("kernel", "cuda_csr_vector"), &error),
        (enum status)no_cuda_here(), said, "cuda_csr_vector", NULL);
    expect_error((enum status)cgs_study_run(study, b, NULL, 0, NULL, NULL, &error), STATUS_CONFIG,
                 said, "1 kernels and 0 runs", NULL);
    expect_error((enum status)cgs_study_get(study, 0, &kernel, &error), STATUS_CONFIG, said,
                 "kernel 0 of a study that has finished 0", NULL);
    expect(cgs_study_run(study, b, NULL, 1, NULL, NULL, &error), &error);
    kernel.size = 1;
    expect_error((enum status)cgs_study_get(study, 0, &kernel, &error), STATUS_CONFIG, said,
                 "says that it has 1 bytes", NULL);
    end();
}
END_TEST

static enum status attempt(void *unused, struct error *told)
{
    struct cgs_error *here = (struct cgs_error *)told;
    struct cgs_study *made = NULL;
    (void)unused;
    enum cgs_status status = handles_create(NULL, NULL, 1, &handles, here);
    if (!status)
        status = cgs_study_create(handles.A, LIST("preconditioner", "jacobi"), &made, here);
    if (!status)
        status = cgs_study_add(made, NULL, NULL, here);
    if (!status)
        status = cgs_study_add(made, NULL, LIST("kernel", "cpu_csr"), here);
    if (!status)
        status = cgs_study_run(made, b, NULL, 2, NULL, NULL, here);
    cgs_study_destroy(made);
    handles_destroy(&handles);
    return (enum status)status;
}

START_TEST(without_memory)
{
    handles_prepare();
    random_vector(3, N, b);
    walk_allocation_failures(attempt, NULL);
}
END_TEST

Suite *suite(void)
{
    const TTest *const tests[] = {what_runs_have_in_common, a_monitor_sees_every_row_and_may_end_it,
                                  what_is_refused, without_memory, NULL};
    return suite_of("api/study", tests);
}
