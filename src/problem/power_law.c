/* Rows of very different lengths, by a mean, a standard deviation and a longest row: circuits,
 * economies, webs.
 *
 * The length of a row is b + e. b is floor(base) or the whole number above it, with the mean
 * `base`. e is 0, but with the chance p an excess with a heavy tail: with q = tail,
 *
 *     d = 0;  while (2^d <= c and the next number is below q) d++;
 *         e = min(c, 2^d + a number below 2^d)
 *
 * so that P(e >= 2^d) = q^d up to the largest, c: a power law with the exponent log2 q (Pareto's;
 * q = 1/2 is P(e >= x) ~ 1/x). c = longest - ceil(mean). With M1 and M2, the mean of e and of e^2
 * under that rule, which are finite sums, p and base follow from the mean and the deviation that
 * are asked for:
 *
 *     p M2 - p^2 M1^2 = deviation^2 - 1/6,   base = mean - p M1
 *
 * (1/6: the mean variance of b), p = 0 where the right side is negative. The numbers of row i are
 * random_share and random_below of splitmix64(seed, 2 i + 2): number 0 rounds base, 1 is compared
 * with p, 2 lies below 2^d, 3 + d is compared with q, 63 with `empty`; 64 + k places entry k.
 *
 * kind = general: the row's l entries lie in a window of max(l, floor(span n)) columns around the
 * diagonal, moved inwards at the ends, one at random in each of l equal pieces of it: ascending,
 * distinct, and nothing to sort. `empty` is the share of the rows that have no entry, and `dense`
 * rows, floor((2 t + 1) n / (2 dense)) for t = 0, 1, ..., have all n; mean and deviation are those
 * of the others.
 *
 * kind = symmetric: that rule gives the columns j > i, in the window i < j <= i + span n / 2, and
 * what is mirrored from above comes on top: on average u = (mean - 1) / 2 a row, of which no two
 * rows have the same number. So lengths are drawn with the mean u, the largest
 * longest - 1 - ceil(u), and the deviation^2 reduced by u + 7/12 u^2 span, which is about what the
 * mirrored entries bring. So mean and deviation are met within some per cent, but the deviation
 * cannot be below that. The longest row is met about: its own part is at most
 * longest - 1 - ceil(u), and what is mirrored on top is a random number, with the mean u, but in
 * the last span n / 2 rows, to which fewer and fewer columns are left, a larger one, up to about u
 * ln(span n / 2). */
#include "base/random.h"
#include "problem/generators.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>

/* The random draws of a row. */
enum { DRAW_ROUNDING, DRAW_EXCESS, DRAW_WITHIN, DRAW_DOUBLING, DRAW_EMPTY = 63, DRAW_COLUMN };

/* How the drawn lengths are distributed. */
struct lengths {
    double base, chance, tail;
    int64_t cap; /* of the excess */
};

struct generator {
    struct power_law law;
    struct lengths lengths;
    uint64_t seed;
};

struct moments {
    double first, second;
};

/* 1 + 4 + ... + k^2 */
static double squares(double k)
{
    return k * (k + 1) * (2 * k + 1) / 6;
}

/* Of the excess. */
static struct moments moments_of(double tail, int64_t cap)
{
    struct moments sum = {0, 0};
    double reached = 1, c = (double)cap; /* reached: the chance of d doublings */
    for (int64_t from = 1; from <= cap; from *= 2, reached *= tail) {
        double a = (double)from, last = fmin(2 * a - 1, c), beyond = 2 * a - 1 - last;
        double chance = reached * (1 - tail) / a; /* of each of the a numbers */
        sum.first += chance * ((a + last) * (last - a + 1) / 2 + beyond * c);
        sum.second += chance * (squares(last) - squares(a - 1) + beyond * c * c);
    }
    sum.first += reached * c;
    sum.second += reached * c * c;
    return sum;
}

/* False where no chance of an excess gives that mean and variance. */
static bool solve_lengths(double mean, double variance, double longest, double tail,
                          struct lengths *lengths)
{
    *lengths = (struct lengths){mean, 0, tail, 0};
    double wanted = variance - 1.0 / 6;
    if (mean < 0 || longest < mean)
        return false;
    if (wanted <= 0)
        return true;
    lengths->cap = (int64_t)(longest - ceil(mean));
    if (lengths->cap < 1)
        return false;
    struct moments m = moments_of(tail, lengths->cap);
    double root = m.second * m.second - 4 * m.first * m.first * wanted;
    if (root < 0)
        return false;
    lengths->chance = 2 * wanted / (m.second + sqrt(root));
    lengths->base = mean - lengths->chance * m.first;
    return lengths->chance <= 1 && lengths->base >= 0;
}

static bool solve(const struct power_law *law, bool symmetric, struct lengths *lengths)
{
    double longest = (double)(law->longest < law->n ? law->longest : law->n);
    double variance = law->deviation * law->deviation;
    if (!symmetric)
        return solve_lengths(law->mean, variance, longest, law->tail, lengths);
    double u = (law->mean - 1) / 2;
    return solve_lengths(u, variance - u - 7.0 / 12 * u * u * law->span, longest - 1 - ceil(u),
                         law->tail, lengths);
}

static const char *complain_of_lengths(const struct power_law *law)
{
    bool symmetric = law->pattern.kind == PATTERN_SYMMETRIC;
    struct lengths lengths;
    if (law->mean > (double)law->n)
        return "problem.mean must lie within 0 to problem.n";
    if (law->deviation > (double)law->n)
        return "problem.deviation must lie within 0 to problem.n";
    if (law->dense > law->n)
        return "problem.dense must lie within 0 to problem.n";
    if (symmetric && (law->empty > 0 || law->dense > 0))
        return "empty and dense rows exist only with problem.kind = \"general\": a symmetric "
               "matrix "
               "stores every diagonal entry";
    if (!solve(law, symmetric, &lengths))
        return "no rows of that kind have problem.mean, problem.deviation and problem.longest: "
               "take "
               "a smaller deviation, a longer row, or another problem.tail";
    return NULL;
}

static int64_t draw_excess(const struct lengths *lengths, uint64_t stream)
{
    int64_t from = 1;
    for (uint64_t draw = DRAW_DOUBLING;
         from <= lengths->cap && random_share(stream, draw) < lengths->tail; draw++)
        from *= 2;
    int64_t excess = from + random_below(stream, DRAW_WITHIN, from);
    return excess < lengths->cap ? excess : lengths->cap;
}

static int64_t draw_length(const struct lengths *lengths, uint64_t stream)
{
    int64_t base_floor = (int64_t)lengths->base;
    int64_t length =
        base_floor + (random_share(stream, DRAW_ROUNDING) < lengths->base - (double)base_floor);
    if (random_share(stream, DRAW_EXCESS) < lengths->chance)
        length += draw_excess(lengths, stream);
    return length;
}

/* One in each of `length` equal pieces of the columns begin ... begin + width - 1,
 * width >= length. */
static void place(uint64_t stream, int64_t length, int64_t begin, int64_t width, int32_t *columns)
{
    int64_t from = 0;
    for (int64_t k = 0; k < length; k++) {
        int64_t to = width * (k + 1) / length;
        columns[k] =
            (int32_t)(begin + from + random_below(stream, DRAW_COLUMN + (uint64_t)k, to - from));
        from = to;
    }
}

static uint64_t row_stream(const struct generator *generator, int64_t row)
{
    return splitmix64(generator->seed, 2 * (uint64_t)row + 2);
}

static int64_t symmetric_row(const void *context, int64_t row, int32_t *columns)
{
    const struct generator *generator = context;
    const struct power_law *law = &generator->law;
    uint64_t stream = row_stream(generator, row);
    int64_t length = draw_length(&generator->lengths, stream), left = law->n - 1 - row;
    int64_t width = (int64_t)(law->span * (double)law->n / 2);
    if (length > left)
        length = left;
    if (width < length)
        width = length;
    if (columns)
        place(stream, length, row + 1, width < left ? width : left, columns);
    return length;
}

/* Dense row t is in the middle of the t-th part of the rows. */
static bool is_dense(const struct power_law *law, int64_t row)
{
    if (law->dense == 0)
        return false;
    int64_t t = row * law->dense / law->n;
    return row == (2 * t + 1) * law->n / (2 * law->dense);
}

static int64_t general_row(const void *context, int64_t row, int32_t *columns)
{
    const struct generator *generator = context;
    const struct power_law *law = &generator->law;
    uint64_t stream = row_stream(generator, row);
    int64_t n = law->n, length = n, width = n;
    if (!is_dense(law, row)) {
        if (random_share(stream, DRAW_EMPTY) < law->empty)
            return 0;
        length = draw_length(&generator->lengths, stream);
        width = (int64_t)(law->span * (double)n);
        width = width > length ? width : length;
    }
    int64_t begin = row - width / 2;
    begin = begin < 0 ? 0 : begin > n - width ? n - width : begin;
    if (columns)
        place(stream, length, begin, width, columns);
    return length;
}

static enum status make(const void *options, struct csr *A, struct error *error)
{
    const struct power_law *law = options;
    bool symmetric = law->pattern.kind == PATTERN_SYMMETRIC;
    struct generator generator = {.law = *law, .seed = (uint64_t)law->pattern.seed};
    solve(law, symmetric, &generator.lengths);
    return pattern_create(&law->pattern, law->n, symmetric ? symmetric_row : general_row,
                          &generator, A, error);
}

/* ---- the component --------------------------------------------------------------------------- */

static int64_t rows(const void *options)
{
    return ((const struct power_law *)options)->n;
}

static const char *complain(const void *options, const char **parameter)
{
    const struct power_law *law = options;
    const char *complaint = complain_of_lengths(law);
    *parameter = "n";
    return complaint ? complaint : pattern_check(&law->pattern, parameter);
}

static void describe(const void *options, FILE *stream)
{
    const struct power_law *law = options;
    fprintf(stream,
            "power_law, %" PRId64 " rows of %.6g +- %.6g entries, up to %" PRId64
            ", tail %.6g, span %.6g",
            law->n, law->mean, law->deviation, law->longest, law->tail, law->span);
    if (law->empty > 0)
        fprintf(stream, ", empty %.6g", law->empty);
    if (law->dense > 0)
        fprintf(stream, ", %" PRId64 " dense", law->dense);
    pattern_describe(&law->pattern, stream);
}

static const struct parameter parameters[] = {
    {"n", "rows", NULL, TAKES_INTEGER(struct power_law, n, 1, INT32_MAX)},
    {"mean", "entries a row of the full matrix, on average", "8",
     TAKES_REAL(struct power_law, mean, 0, INT32_MAX)},
    {"deviation", "standard deviation of the entries a row", "16",
     TAKES_REAL(struct power_law, deviation, 0, INT32_MAX)},
    {"longest", "entries of the longest row, about; at most n", "1000",
     TAKES_INTEGER(struct power_law, longest, 1, INT32_MAX)},
    {"tail", "how many of the long rows are twice as long: 0.5 is P(length >= x) ~ 1/x", "0.5",
     TAKES_REAL(struct power_law, tail, 0.01, 0.99)},
    {"span", "the share of the columns, around the diagonal, that a row's entries lie in", "1",
     TAKES_REAL(struct power_law, span, 0, 1), .above = true},
    {"empty", "the share of empty rows, of a general matrix; mean and deviation are of the others",
     "0", TAKES_REAL(struct power_law, empty, 0, 1)},
    {"dense", "how many rows of a general matrix are full", "0",
     TAKES_INTEGER(struct power_law, dense, 0, INT32_MAX)},
    PARAMETERS_OF(struct power_law, pattern, pattern_parameters),
    {0}};

const struct problem problem_power_law = {{COMPONENT_PROBLEM, "power_law",
                                           "sparsity pattern with rows of very different lengths",
                                           parameters, sizeof(struct power_law), complain},
                                          .rows = rows,
                                          .make = make,
                                          .describe = describe};
