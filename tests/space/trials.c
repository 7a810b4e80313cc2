#include "space/trials.h"

#include "support.h"

#include "base/random.h"
#include "base/threads.h"
#include "space/sum/cpu_sum.h"
#include "spaces.h"

#include <float.h>
#include <math.h>
#include <string.h>

const int64_t lengths[LENGTHS] = {1,   2,   31,  32,     33,     479,    480,
                                  481, 960, 961, 230399, 230400, 230401, LONGEST};
const int thread_counts[THREAD_COUNTS] = {1, 2, 3, 7};
const enum reductions all_reductions[KINDS] = {REDUCTIONS_REPRODUCIBLE, REDUCTIONS_ATOMIC,
                                               REDUCTIONS_BLAS, REDUCTIONS_COMPENSATED,
                                               REDUCTIONS_EXACT};

double *vector(int64_t n)
{
    struct error error;
    double *v = memory_array(n, sizeof *v, "a test vector", &error);
    ck_assert_ptr_nonnull(v);
    poison(v, n);
    return v;
}

void poison(double *v, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        v[i] = NAN;
}

void randomise(double *v, int64_t n, uint64_t *state)
{
    for (int64_t i = 0; i < n; i++)
        v[i] = ldexp(2 * test_random(state) - 1, (int)(i % 41) - 20);
}

double *randoms(int64_t n, int64_t seed)
{
    double *v = vector(n);
    random_vector(seed, n, v);
    return v;
}

double *put(struct space *space, int64_t n, const double *host)
{
    struct error error;
    double *there;
    expect_ok(space_vector(space, n, "a vector", &there, &error), &error);
    expect_ok(space_upload(space, n, host, there, &error), &error);
    return there;
}

void run_pass(struct space *space, const struct pass *pass, int64_t n, const void *work)
{
    struct error error;
    expect_ok(space_run(space, pass, n, work, &error), &error);
}

double dot(struct space *space, int64_t n, const double *x, const double *y)
{
    struct error error;
    double result = NAN;
    expect_ok(space_dot(space, n, x, y, &result, &error), &error);
    return result;
}

/* The bits of the tiles themselves are the matter of test_cpu_sum. */
double tile_by_tile(int64_t n, const double *x, const double *y)
{
    int64_t tiles = sum_tiles(n);
    double *sums = vector(tiles);
    for (int64_t t = 0; t < tiles; t++)
        sums[t] = sum_tile_dot(x + t * SUM_TILE, y + t * SUM_TILE,
                               t < tiles - 1 ? SUM_TILE : n - t * SUM_TILE);
    double total = sum_levels(sums, tiles);
    memory_free(sums);
    return total;
}

void expect_bits(double got, double wanted, const char *what, int64_t n, int threads)
{
    ck_assert_msg(memcmp(&got, &wanted, sizeof got) == 0,
                  "%s, n = %d, %d threads: %a instead of %a", what, (int)n, threads, got, wanted);
}

void expect_same_vectors(const double *got, const double *wanted, int64_t n, const char *what)
{
    for (int64_t i = 0; i < n; i++)
        if (memcmp(&got[i], &wanted[i], sizeof *got) != 0)
            ck_abort_msg("%s, n = %d, place %d: %a instead of %a", what, (int)n, (int)i, got[i],
                         wanted[i]);
}

/* |computed - exact| <= gamma_n |x|'|y| for every order of additions, and less than that for the
 * tree; atomic additions of tiles make 20 roundings and one a tile. The reference is good to
 * gamma_n of long double. */
void expect_near(enum reductions reductions, int64_t n, const double *x, const double *y,
                 double got)
{
    long double exact = 0, magnitude = 0;
    for (int64_t i = 0; i < n; i++) {
        exact += (long double)x[i] * y[i];
        magnitude += fabsl((long double)x[i] * y[i]);
    }
    double roundings = reductions == REDUCTIONS_BLAS           ? (double)n
                       : reductions == REDUCTIONS_COMPENSATED  ? 0
                       : reductions == REDUCTIONS_EXACT        ? 0
                       : reductions == REDUCTIONS_REPRODUCIBLE ? 60
                                                               : 20 + (double)sum_tiles(n);
    long double bound = (long double)roundings * DBL_EPSILON / 2 * magnitude +
                        DBL_EPSILON / 2 * fabsl(exact) + (long double)n * LDBL_EPSILON * magnitude;
    ck_assert_msg(fabsl(got - exact) <= bound, "reductions %d, n = %d: %.17g, exact %.20Lg",
                  (int)reductions, (int)n, got, exact);
}

void expect_sum(struct space *space, int64_t n, const double *x, const double *y, double got)
{
    expect_near(space->reductions, n, x, y, got);
    if (space->reductions == REDUCTIONS_REPRODUCIBLE)
        expect_bits(got, tile_by_tile(n, x, y), "a sum", n, threads_count(space->threads));
    if (space->reductions == REDUCTIONS_COMPENSATED || space->reductions == REDUCTIONS_EXACT)
        expect_bits(got, dot(space, n, x, y), "a sum", n, threads_count(space->threads));
}

/* Below 3000 tiles, 1439520 elements, a warp has its whole tile on its way at once. */
static const int64_t sizes[] = {1,   2,    31,     32,     33,      479,     480,     481,
                                960, 5000, 230400, 230401, 1000003, 1439520, 3932161, 1439521};
enum { SIZES = sizeof sizes / sizeof *sizes };

static void compare_once(struct space *cuda, int64_t n, int64_t seed, bool same_sums,
                         const struct trial *trial, const double *expected)
{
    int64_t elements = trial->vectors * n, count = elements + trial->sums;
    double *found = vector(count);
    trial->make(cuda, n, seed, found);
    expect_same_vectors(found, expected, same_sums ? count : elements, "a GPU's result");
    for (int64_t i = elements; i < count; i++) /* sums in another order: n u, generously */
        ck_assert_msg(fabs(expected[i] - found[i]) <=
                          2 * (double)n * DBL_EPSILON * (double)n * trial->largest,
                      "n = %d: CPU %a, GPU %a", (int)n, expected[i], found[i]);
    memory_free(found);
}

void compare_with_cpu(enum reductions reductions, bool same_sums, const struct trial *trial)
{
    struct space *cpu = test_space(SPACE_CPU, reductions, 1);
    struct space *cuda = test_space(SPACE_CUDA, reductions, 0);
    for (int k = 0; k < SIZES; k++) {
        if (test_is_slow() && k >= SIZES - 4 && k != SIZES - 1)
            continue;
        int64_t n = sizes[k], seed = 100 + k;
        double *expected = vector(trial->vectors * n + trial->sums);
        trial->make(cpu, n, seed, expected);
        for (int repeat = 0; repeat < (test_is_slow() ? 1 : 3); repeat++)
            compare_once(cuda, n, seed, same_sums, trial, expected);
        memory_free(expected);
    }
    cpu->operations->destroy(cpu);
    cuda->operations->destroy(cuda);
}

void compare_all_with_cpu(const struct trial *trial)
{
    for (int r = 0; r < KINDS; r++)
        compare_with_cpu(
            all_reductions[r],
            all_reductions[r] != REDUCTIONS_ATOMIC && all_reductions[r] != REDUCTIONS_BLAS, trial);
}
