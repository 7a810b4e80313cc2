/* Solves on every device of the machine, and at least two, brought forward in turn by several
 * threads of a program: each has the bits of the CPU. */
#include "support.h"

#include "cuda_device.h"
#include "solver/cg/cg.h"
#include "solver/lanczos/lanczos.h"
#include "solver/minres/minres.h"
#include "solver/richardson/richardson.h"
#include "solver/states.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

static const struct way ways[] = {
    {"cg", &method_cg, .kernel = "sym_bitwise", .makes_direction = true},
    {"cg, exact", &method_cg, .kernel = "sym_exact", .reductions = REDUCTIONS_EXACT,
     .makes_direction = true},
    {"cg, chebyshev", &method_cg, .kernel = "sym_bitwise", .makes_direction = true,
     .preconditioner = "chebyshev"},
    {"minres", &method_minres, .kernel = "sym_bitwise", .makes_direction = true},
    {"minres, jacobi", &method_minres, .kernel = "sym_bitwise", .makes_direction = true,
     .preconditioner = "jacobi"},
    {"richardson", &method_richardson, .kernel = "sym_bitwise", .makes_direction = true,
     .preconditioner = "multigrid", .relaxation = 0.3},
    {"lanczos", &method_lanczos, .kernel = "sym_bitwise", .makes_direction = true,
     .reorthogonalization = REORTHOGONALIZATION_FULL, .restart = 9},
};
enum { WAYS = sizeof ways / sizeof *ways, MOST_DEVICES = 4 };

struct work {
    struct way way;
    char kernel[32];
    struct setting setting;
    struct shown shown;
    struct solver *solver;
    bool ended;
};

static void begin(const struct way *way, const char *where, int device, struct work *work)
{
    snprintf(work->kernel, sizeof work->kernel, "%s_%s", where, way->kernel);
    work->way = *way;
    work->way.kernel = work->kernel;
    work->way.device = device;
    work->way.makes_direction &= strcmp(where, "cuda") == 0;
    setting_create(&work->way, &work->setting);
    shown_clear(&work->setting, &work->shown);
    work->solver = setting_begin(&work->setting, &work->shown);
    work->ended = false;
}

static void end(struct work *work)
{
    shown_end(&work->setting, work->solver, &work->shown);
    setting_free(&work->setting);
}

static void *advance(void *context)
{
    struct work *work = context;
    work->ended = shown_advance(work->solver, 3);
    return NULL;
}

/* A thread that has not seen CUDA before has the first device. */
static void advance_in_a_thread(struct work *work)
{
    pthread_t thread;
    ck_assert_int_eq(pthread_create(&thread, NULL, advance, work), 0);
    pthread_join(thread, NULL);
}

START_TEST(devices_take_turns)
{
    static struct work there[MOST_DEVICES], host;
    const struct way *way = &ways[_i];
    if (!cuda_device_is_there())
        return;
    int devices = cuda_devices(MOST_DEVICES), works = devices < 2 ? 2 : devices;
    printf("%s: %d solves on %d devices\n", way->name, works, devices);
    begin(way, "cpu", 0, &host);
    ck_assert(shown_advance(host.solver, INT64_MAX));
    end(&host);
    for (int k = 0; k < works; k++)
        begin(way, "cuda", k % devices, &there[k]);
    for (int turn = 0; !there[0].ended; turn++)
        for (int k = 0; k < works; k++)
            if (turn % 2 == 0)
                advance(&there[k]);
            else
                advance_in_a_thread(&there[k]);
    for (int k = 0; k < works; k++) {
        ck_assert(there[k].ended);
        end(&there[k]);
        expect_same_shown(&there[k].shown, &host.shown, true);
        solver_result_free(&there[k].shown.result);
    }
    solver_result_free(&host.shown.result);
}
END_TEST

START_TEST(a_device_that_is_not_there)
{
    static const int wrong[] = {-1, 1000};
    if (!cuda_device_is_there())
        return;
    for (int k = 0; k < 2; k++) {
        struct error error;
        struct space *space;
        char wanted[64];
        struct space_options options = {.device = wrong[k]};
        snprintf(wanted, sizeof wanted, "no CUDA device %d:", wrong[k]);
        ck_assert_int_eq(space_create(SPACE_CUDA, &options, &space, &error), STATUS_UNAVAILABLE);
        ck_assert_ptr_nonnull(strstr(error.text, wanted));
        ck_assert_ptr_null(space);
    }
}
END_TEST

Suite *suite(void)
{
    Suite *made = suite_create("solver/devices_cuda");
    TCase *tests = tcase_of("all");
    tcase_add_loop_test(tests, devices_take_turns, 0, WAYS);
    tcase_add_test(tests, a_device_that_is_not_there);
    suite_add_tcase(made, tests);
    return made;
}
