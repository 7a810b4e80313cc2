/* The exact sums of the CUDA space: the CPU's bits, by every way that a tile can take, in any order
 * of the pairs and on every repetition. */
#include "support.h"

#include "cuda_device.h"
#include "space/exact.h"
#include "space/space.h"
#include "spaces.h"

#include <math.h>
#include <string.h>

static const int64_t sizes[] = {1, 2, 31, 32, 33, 479, 480, 481, 3839, 3840, 3841, 70001, 1200007};
enum { SIZES = sizeof sizes / sizeof *sizes, LONGEST = 1200007 };

/* A checker that slows the kernels down a thousandfold gets the small sizes. */
static int sizes_to_do(void)
{
    return test_is_slow() ? SIZES - 2 : SIZES;
}

static struct space *make(enum space_kind kind)
{
    struct space *space = test_space(kind, REDUCTIONS_EXACT, 0);
    return space;
}

/* Vectors on the host and on the device. */
struct both {
    struct space *cpu, *cuda;
    double *x, *y, *cuda_x, *cuda_y, *cuda_scalars; /* numerator, denominator, result */
};

static double *host_vector(int64_t n)
{
    struct error error;
    double *v = memory_array(n, sizeof *v, "a test vector", &error);
    ck_assert_ptr_nonnull(v);
    return v;
}

static double *device_vector(struct space *space, int64_t n)
{
    struct error error;
    double *v;
    expect_ok(space_vector(space, n, "a test vector", &v, &error), &error);
    return v;
}

static struct both both_create(void)
{
    struct both both = {.cpu = make(SPACE_CPU), .cuda = make(SPACE_CUDA)};
    both.x = host_vector(LONGEST);
    both.y = host_vector(LONGEST);
    both.cuda_x = device_vector(both.cuda, LONGEST);
    both.cuda_y = device_vector(both.cuda, LONGEST);
    both.cuda_scalars = device_vector(both.cuda, 3);
    return both;
}

static void both_destroy(struct both *both)
{
    memory_free(both->x);
    memory_free(both->y);
    space_release(both->cuda, both->cuda_x);
    space_release(both->cuda, both->cuda_y);
    space_release(both->cuda, both->cuda_scalars);
    both->cuda->operations->destroy(both->cuda);
    both->cpu->operations->destroy(both->cpu);
}

static void upload(const struct both *both, int64_t n)
{
    struct error error;
    expect_ok(space_upload(both->cuda, n, both->x, both->cuda_x, &error), &error);
    expect_ok(space_upload(both->cuda, n, both->y, both->cuda_y, &error), &error);
}

static double cuda_dot(const struct both *both, int64_t n)
{
    struct error error;
    double result = NAN;
    expect_ok(space_dot(both->cuda, n, both->cuda_x, both->cuda_y, both->cuda_scalars + 2, &error),
              &error);
    expect_ok(space_download(both->cuda, 1, both->cuda_scalars + 2, &result, &error), &error);
    return result;
}

static void expect_bits(double got, double wanted, const char *what, int64_t n, int kind)
{
    ck_assert_msg(memcmp(&got, &wanted, sizeof got) == 0, "%s, n = %d, kind %d: GPU %a, CPU %a",
                  what, (int)n, kind, got, wanted);
}

START_TEST(same_bits_as_the_cpu_in_any_order)
{
    if (!cuda_device_is_there())
        return;
    struct both both = both_create();
    struct error error;
    uint64_t state = test_seed();
    for (enum exact_kind kind = 0; kind < EXACT_KINDS; kind++) {
        for (int k = 0; k < sizes_to_do(); k++) {
            int64_t n = sizes[k];
            double wanted;
            exact_vectors(kind, n, both.x, both.y, &state);
            expect_ok(space_dot(both.cpu, n, both.x, both.y, &wanted, &error), &error);
            if (n < 10000)
                expect_bits(exact_reference(n, both.x, both.y), wanted, "reference", n, (int)kind);
            for (int repeat = 0; repeat < 3; repeat++) {
                upload(&both, n);
                expect_bits(cuda_dot(&both, n), wanted, "dot", n, (int)kind);
                expect_bits(cuda_dot(&both, n), wanted, "dot again", n, (int)kind);
                exact_shuffle(n, both.x, both.y, &state);
            }
        }
    }
    both_destroy(&both);
}
END_TEST

START_TEST(hard_cases_are_the_cpu_s)
{
    if (!cuda_device_is_there())
        return;
    static const double specials[][4] = {{NAN, 1, 1, 1},
                                         {INFINITY, 0, 1, 1},
                                         {INFINITY, 1, -INFINITY, 1},
                                         {INFINITY, 2, 1e300, -1e300},
                                         {-INFINITY, 2, INFINITY, -0.5}};
    enum { N = 5000, SPECIALS = sizeof specials / sizeof *specials };
    struct both both = both_create();
    struct error error;
    uint64_t state = test_seed();
    for (int k = 0; k < exact_cases_count + SPECIALS; k++) {
        bool special = k >= exact_cases_count;
        const double *xy = special ? specials[k - exact_cases_count] : exact_cases[k].xy;
        int pairs = special ? 2 : exact_cases[k].pairs;
        memset(both.x, 0, N * sizeof *both.x);
        memset(both.y, 0, N * sizeof *both.y);
        for (int i = 0; i < pairs; i++) {
            both.x[i] = xy[2 * i];
            both.y[i] = xy[2 * i + 1];
        }
        double wanted;
        expect_ok(space_dot(both.cpu, N, both.x, both.y, &wanted, &error), &error);
        if (!special)
            expect_bits(wanted, exact_cases[k].sum, "on the CPU", N, k);
        for (int repeat = 0; repeat < 3; repeat++) {
            upload(&both, N);
            expect_bits(cuda_dot(&both, N), wanted, "a hard case", N, k);
            exact_shuffle(N, both.x, both.y, &state);
        }
    }
    both_destroy(&both);
}
END_TEST

/* While the flag is set, nothing moves; and the next sum begins from zero. */
START_TEST(what_has_ended_stays)
{
    if (!cuda_device_is_there())
        return;
    enum { N = 10000 };
    struct both both = both_create();
    struct error error;
    uint64_t state = test_seed();
    double wanted, flag, kept = 42, *ended = device_vector(both.cuda, 1);
    int64_t flags[] = {1, 0};
    exact_vectors(EXACT_MODERATE, N, both.x, both.y, &state);
    upload(&both, N);
    expect_ok(space_dot(both.cpu, N, both.x, both.y, &wanted, &error), &error);
    both.cuda->ended = (const int64_t *)ended;
    for (int k = 0; k < 2; k++) {
        memcpy(&flag, &flags[k], sizeof flag);
        expect_ok(space_upload(both.cuda, 1, &flag, ended, &error), &error);
        expect_ok(space_upload(both.cuda, 1, &kept, both.cuda_scalars + 2, &error), &error);
        expect_bits(cuda_dot(&both, N), k == 0 ? kept : wanted, "after the end", N, k);
    }
    both.cuda->ended = NULL;
    space_release(both.cuda, ended);
    both_destroy(&both);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {same_bits_as_the_cpu_in_any_order, hard_cases_are_the_cpu_s,
                            what_has_ended_stays, NULL};
    return suite_of("space/cuda_exact", tests);
}
