/* Passes in the space of a GPU: the bits of the CPU's, also in work that is recorded, with vectors
 * of several lengths. */
#include "support.h"

#include "cuda_device.h"
#include "space/column_passes.h"
#include "space/trial_pass.h"
#include "space/trials.h"
#include "spaces.h"

#include <math.h>
#include <string.h>

static bool is_ordered(enum reductions reductions)
{
    return reductions != REDUCTIONS_ATOMIC && reductions != REDUCTIONS_BLAS;
}

static struct trial_work put_work(struct space *space, int64_t n, int64_t seed, double denominator)
{
    double scalars[TRIAL_SCALARS] = {0.7, denominator, NAN, NAN, NAN, 0};
    double *x = randoms(n, seed), *y = randoms(n, seed + 1);
    struct trial_work work = {put(space, n, x), put(space, n, y),
                              put(space, TRIAL_SCALARS, scalars), false};
    memory_free(x);
    memory_free(y);
    return work;
}

static void release_work(struct space *space, struct trial_work *work)
{
    space_release(space, work->x);
    space_release(space, work->y);
    space_release(space, work->scalars);
}

/* out[2 n + TRIAL_SCALARS] */
static void get_work(struct space *space, int64_t n, const struct trial_work *work, double *out)
{
    struct error error;
    expect_ok(space_download(space, n, work->x, out, &error), &error);
    expect_ok(space_download(space, n, work->y, out + n, &error), &error);
    expect_ok(space_download(space, TRIAL_SCALARS, work->scalars, out + 2 * n, &error), &error);
}

/* Two passes, so that the second reads what the first wrote. */
static void two_passes(struct space *space, int64_t n, int64_t seed, double *out)
{
    struct trial_work work = put_work(space, n, seed, 3);
    run_pass(space, &trial, n, &work);
    run_pass(space, &trial, n, &work);
    get_work(space, n, &work, out);
    release_work(space, &work);
}

/* Where nothing is to be made, the sums are of the vectors as they are. */
static void nothing_made(struct space *space, int64_t n, int64_t seed, double *out)
{
    struct trial_work work = put_work(space, n, seed, 0);
    run_pass(space, &trial, n, &work);
    get_work(space, n, &work, out);
    release_work(space, &work);
}

/* Without sums, what follows from them does all the same. */
static void nothing_summed(struct space *space, int64_t n, int64_t seed, double *out)
{
    struct error error;
    const double sums[2] = {2, 3};
    struct trial_work work = put_work(space, n, seed, 3);
    expect_ok(space_upload(space, 2, sums, work.scalars + TRIAL_SQUARE, &error), &error);
    work.unsummed = true;
    run_pass(space, &trial, n, &work);
    get_work(space, n, &work, out);
    ck_assert(out[2 * n + TRIAL_RATIO] == 1.5 && out[2 * n + TRIAL_RUNS] == 1);
    release_work(space, &work);
}

START_TEST(same_bits_as_the_cpu)
{
    if (!cuda_device_is_there())
        return;
    compare_all_with_cpu(&(struct trial){two_passes, 2, TRIAL_SCALARS, 4});
    compare_all_with_cpu(&(struct trial){nothing_made, 2, TRIAL_SCALARS, 4});
    compare_all_with_cpu(&(struct trial){nothing_summed, 2, TRIAL_SCALARS, 0});
}
END_TEST

/* Nothing is touched while the flag is set, but by a pass for always; and the next sum begins from
 * nothing. A vendor's dot product knows of no flag: it finds the sums again that were there. */
START_TEST(what_has_ended_stays)
{
    enum { N = 10000, COUNT = 2 * N + TRIAL_SCALARS };
    static const int64_t yes = 1, no = 0;
    if (!cuda_device_is_there())
        return;
    struct error error;
    double *before = vector(COUNT), *after = vector(COUNT);
    for (int r = 0; r < KINDS; r++) {
        struct space *space = test_space(SPACE_CUDA, all_reductions[r], 0);
        const struct space_operations *d = space->operations;
        struct trial_work work = put_work(space, N, 1, 3);
        void *ended;
        expect_ok(d->allocate(space, 1, sizeof yes, "a flag", &ended, &error), &error);
        run_pass(space, &trial, N, &work);
        get_work(space, N, &work, before);
        expect_ok(d->upload(space, sizeof yes, &yes, ended, &error), &error);
        space->ended = ended;
        run_pass(space, &trial, N, &work);
        get_work(space, N, &work, after);
        expect_same_vectors(after, before, 2 * N, "vectors");
        ck_assert(after[2 * N + TRIAL_RUNS] == 1);
        if (all_reductions[r] != REDUCTIONS_BLAS)
            expect_same_vectors(after, before, COUNT, "vectors and scalars");
        run_pass(space, &trial_always, N, &work);
        get_work(space, N, &work, after);
        ck_assert(after[2 * N + TRIAL_RUNS] == 2 && after[0] != before[0]);
        expect_ok(d->upload(space, sizeof no, &no, ended, &error), &error);
        run_pass(space, &trial, N, &work);
        get_work(space, N, &work, after);
        ck_assert(after[2 * N + TRIAL_RUNS] == 3);
        struct trial_work again = put_work(space, N, 1, 3);
        space->ended = NULL;
        for (int k = 0; k < 3; k++)
            run_pass(space, &trial, N, &again);
        get_work(space, N, &again, before);
        expect_same_vectors(after, before, is_ordered(all_reductions[r]) ? COUNT : 2 * N,
                            "three passes");
        release_work(space, &work);
        release_work(space, &again);
        space_release(space, ended);
        d->destroy(space);
    }
    memory_free(before);
    memory_free(after);
}
END_TEST

/* --- vectors of several lengths --------------------------------------------------------------- */

enum { LONG = 1000003, MANY = 4 };

/* Passes over several vectors, one after the other. */
struct several {
    struct space *space;
    int64_t n[MANY];
    struct trial_work work[MANY];
};

static enum status run_several(void *context, struct error *error)
{
    struct several *several = context;
    enum status status = STATUS_OK;
    for (int k = 0; k < MANY && !status; k++)
        status = space_run(several->space, &trial, several->n[k], &several->work[k], error);
    return status;
}

/* What they are by now; the caller calls memory_free. */
static double *get_several(struct several *several, int64_t *count)
{
    *count = 0;
    for (int k = 0; k < MANY; k++)
        *count += 2 * several->n[k] + TRIAL_SCALARS;
    double *out = vector(*count), *at = out;
    for (int k = 0; k < MANY; k++) {
        get_work(several->space, several->n[k], &several->work[k], at);
        at += 2 * several->n[k] + TRIAL_SCALARS;
    }
    return out;
}

/* Short vectors before anything is recorded; then longer ones than any before in the recorded work
 * itself, so that what the sums need grows there, and shorter ones; replayed, and again behind a
 * pass of a still longer one. */
static double *recorded(enum space_kind kind, enum reductions reductions, const int64_t n[MANY],
                        int64_t *count)
{
    struct error error;
    struct several several = {.space = test_space(kind, reductions, 0)};
    struct space *space = several.space;
    const struct space_operations *d = space->operations;
    int64_t more = 2 * LONG;
    double seconds;
    struct trial_work first = put_work(space, 500, 7, 3), last = put_work(space, more, 8, 3);
    for (int k = 0; k < MANY; k++) {
        several.n[k] = n[k];
        several.work[k] = put_work(space, n[k], 10 * k, 3);
    }
    run_pass(space, &trial, 500, &first);
    expect_ok(d->record(space, run_several, &several, 3, &error), &error);
    expect_ok(d->replay(space, &error), &error);
    run_pass(space, &trial, 500, &first);
    expect_ok(d->replay(space, &error), &error);
    run_pass(space, &trial, more, &last);
    expect_ok(d->replay(space, &error), &error);
    expect_ok(d->replay_timed(space, 2, &seconds, &error), &error);
    expect_ok(d->poll(space, &error), &error);
    d->forget(space);
    run_pass(space, &trial, 500, &first);
    expect_ok(run_several(&several, &error), &error);
    double *out = get_several(&several, count);
    release_work(space, &first);
    release_work(space, &last);
    for (int k = 0; k < MANY; k++)
        release_work(space, &several.work[k]);
    d->destroy(space);
    return out;
}

static void compare_recorded(enum reductions reductions, const int64_t n[MANY])
{
    int64_t count;
    double *expected = recorded(SPACE_CPU, reductions, n, &count);
    double *found = recorded(SPACE_CUDA, reductions, n, &count);
    int64_t at = 0;
    for (int k = 0; k < MANY; k++) {
        expect_same_vectors(found + at, expected + at, 2 * n[k], "recorded vectors");
        at += 2 * n[k];
        ck_assert(found[at + TRIAL_RUNS] == 16);
        if (is_ordered(reductions))
            expect_same_vectors(found + at, expected + at, TRIAL_SCALARS, "recorded sums");
        at += TRIAL_SCALARS;
    }
    memory_free(expected);
    memory_free(found);
}

START_TEST(recorded_work_may_need_more_than_any_before)
{
    static const int64_t up[MANY] = {481, 70001, 300001, LONG}, down[MANY] = {LONG, 1, 70001, 33},
                         two[MANY] = {LONG, 481, LONG, 481};
    if (!cuda_device_is_there())
        return;
    for (int r = 0; r < KINDS; r++) {
        compare_recorded(all_reductions[r], up);
        if (test_is_slow())
            continue;
        compare_recorded(all_reductions[r], down);
        compare_recorded(all_reductions[r], two);
    }
}
END_TEST

START_TEST(a_pass_without_a_form_for_a_gpu_says_so)
{
    if (!cuda_device_is_there())
        return;
    struct error error;
    const struct pass host_alone = {.name = "a pass of the host", .make = trial.make};
    struct space *space = test_space(SPACE_CUDA, REDUCTIONS_REPRODUCIBLE, 0);
    struct trial_work work = put_work(space, 5, 1, 3);
    expect_error(space_run(space, &host_alone, 5, &work, &error), STATUS_UNAVAILABLE, &error,
                 "a pass of the host", "GPU", NULL);
    release_work(space, &work);
    space->operations->destroy(space);
}
END_TEST

START_TEST(columns_have_the_bits_of_vectors)
{
    if (cuda_device_is_there())
        trial_column_passes(SPACE_CUDA);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {same_bits_as_the_cpu,
                            what_has_ended_stays,
                            recorded_work_may_need_more_than_any_before,

                            a_pass_without_a_form_for_a_gpu_says_so,
                            columns_have_the_bits_of_vectors,
                            NULL};
    return suite_of("space/pass_cuda", tests);
}
