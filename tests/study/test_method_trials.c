/* Each fault of a method is found by the trials; tests/solver/test_methods.c puts ours through
 * them. */
#include "support.h"

#include "base/memory.h"
#include "base/threads.h"
#include "solver/krylov.h"
#include "solver/lanczos/lanczos.h"
#include "solver/minres/minres.h"
#include "solver/richardson/richardson.h"
#include "study/method_trials.h"

#include <math.h>
#include <string.h>

enum fault {
    NO_FAULT,
    OTHER_X,
    OTHER_TRUE_RESIDUAL,
    OTHER_START,
    BITS_BY_THREADS,
    ENDS_EARLY,
    LEAVES_OUT_A_ROW,
    HIDES_A_PRODUCT,
    LEAKS,
    ENDS_WITH_INPUT,
};

static enum fault fault;
static const struct observer *shown;
static void *lost; /* freed after the trials */

/* Repeated steps, with what is wrong in one place. */
static enum status see(void *context, const struct event *event, struct error *error)
{
    (void)context;
    return event->kind == EVENT_ROW && event->iteration == 1 ? STATUS_OK
                                                             : observer_see(shown, event, error);
}

static enum status begin(struct solver *solver, const double *b, const double *x0,
                         struct error *error)
{
    static struct observer leaves_out = {.see = see};
    if (fault == ENDS_WITH_INPUT)
        return error_set(error, STATUS_INPUT, "not today");
    if (fault == ENDS_EARLY)
        solver->options.max_iterations = 1;
    if (fault == BITS_BY_THREADS && threads_count(solver->space->threads) == 3)
        solver->options.tolerance /= 100;
    if (fault == LEAVES_OUT_A_ROW && solver->observer) {
        shown = solver->observer;
        leaves_out.wants = shown->wants;
        solver->observer = &leaves_out;
    }
    void *room = fault == LEAKS ? memory_array(1, 1, "what is lost", error) : NULL;
    if (fault == LEAKS && !room)
        return STATUS_MEMORY;
    enum status status = krylov_begin(solver, b, x0, error);
    if (status && room)
        lost = room;
    else
        memory_free(room);
    return status;
}

static enum status advance(struct solver *solver, int64_t until, struct error *error)
{
    enum status status = krylov_advance(solver, until, error);
    if (status != STATUS_DEVICE || fault != HIDES_A_PRODUCT)
        return status;
    solver->ended = true;
    solver->result.reason = REASON_INTERRUPTED;
    return STATUS_OK;
}

static enum status end(struct solver *solver, const struct csr *A, const double *b,
                       double *solution, struct error *error)
{
    enum status status = krylov_end(solver, A, b, solution, error);
    if (fault == OTHER_X || (fault == OTHER_START && solver->result.iterations == 0))
        solution[0] += 1e-3;
    if (fault == OTHER_TRUE_RESIDUAL)
        solver->result.true_residual /= 2;
    return status;
}

static struct trials_found try_fault(enum fault with)
{
    static const struct trials_options seeded = {.seed = 1};
    struct error error;
    struct trials_found found;
    struct method faulty = method_richardson;
    int64_t live = memory_live();
    faulty.begin = begin;
    faulty.advance = advance;
    faulty.end = end;
    faulty.keep = krylov_keep;
    faulty.destroy = krylov_destroy;
    faulty.memory_bytes = krylov_memory_bytes;
    fault = with;
    expect_ok(method_try(&faulty, kernel_find("cpu_sym_bitwise"), &seeded, &found, &error), &error);
    ck_assert_int_eq(memory_live(), live + (fault == LEAKS));
    memory_free(lost);
    lost = NULL;
    return found;
}

static void expect_broken(enum fault with, const char *sentence)
{
    struct trials_found found = try_fault(with);
    ck_assert_msg(strstr(found.broken, sentence), "%d: \"%s\" is missing in \"%s\"", (int)with,
                  sentence, found.broken);
}

START_TEST(faults_are_found)
{
    ck_assert_str_eq(try_fault(NO_FAULT).broken, "");
    expect_broken(OTHER_X, "it has converged with ||b - A x|| = ");
    expect_broken(OTHER_TRUE_RESIDUAL, "the true residual is ");
    expect_broken(OTHER_START, "x_0 is the solution: x[0] is ");
    expect_broken(BITS_BY_THREADS, "3 threads: another solve: ");
    expect_broken(ENDS_EARLY, "a solve ends with \"iteration limit\" after 1 iterations");
    expect_broken(LEAVES_OUT_A_ROW, "the history has not one row for each iteration");
    expect_broken(HIDES_A_PRODUCT, "product 1 with A fails, and the solve does not");
    expect_broken(ENDS_WITH_INPUT, "a solve ends with: not today");
}
END_TEST

START_TEST(a_leak_is_found)
{
    expect_broken(LEAKS, "it leaks where allocation ");
}
END_TEST

START_TEST(eigenvalues_have_no_trials)
{
    ck_assert(method_has_trials(&method_richardson) && method_has_trials(&method_skew));
    ck_assert(!method_has_trials(&method_lanczos));
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {faults_are_found, a_leak_is_found, eigenvalues_have_no_trials, NULL};
    return suite_of("study/method_trials", tests);
}
