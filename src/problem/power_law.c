#include "problem/power_law.h"

#include "base/random.h"
#include "problem/problem.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>

/* What is drawn for a row. */
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
    bool symmetric;
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

const char *power_law_complaint(const struct power_law *law, const struct pattern_options *options)
{
    bool symmetric = options->kind == PATTERN_SYMMETRIC;
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
    int64_t whole = (int64_t)lengths->base;
    int64_t length = whole + (random_share(stream, DRAW_ROUNDING) < lengths->base - (double)whole);
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

/* Row t of the dense ones stands in the middle of the t-th part of the rows. */
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

struct power_law_pattern {
    struct power_law law;
    struct pattern_options pattern;
};

enum status power_law_create(const struct power_law *law, const struct pattern_options *options,
                             struct csr *A, struct error *error)
{
    const struct power_law_pattern made = {*law, *options};
    enum status status = problem_check(&problem_power_law, &made, error);
    if (status)
        return status;
    bool symmetric = options->kind == PATTERN_SYMMETRIC;
    struct generator generator = {
        .law = *law, .seed = (uint64_t)options->seed, .symmetric = symmetric};
    solve(law, symmetric, &generator.lengths);
    return pattern_create(options, law->n, symmetric ? symmetric_row : general_row, &generator, A,
                          error);
}

/* ---- the component --------------------------------------------------------------------------- */

static int64_t rows(const void *options)
{
    return ((const struct power_law_pattern *)options)->law.n;
}

static const char *complain(const void *options, const char **parameter)
{
    const struct power_law_pattern *made = options;
    const char *complaint = power_law_complaint(&made->law, &made->pattern);
    *parameter = "n";
    return complaint ? complaint : pattern_check(&made->pattern, parameter);
}

static enum status make(const void *options, struct csr *A, struct error *error)
{
    const struct power_law_pattern *made = options;
    return power_law_create(&made->law, &made->pattern, A, error);
}

static void describe(const void *options, FILE *stream)
{
    const struct power_law_pattern *made = options;
    const struct power_law *law = &made->law;
    fprintf(stream,
            "power_law, %" PRId64 " rows of %.6g +- %.6g entries, up to %" PRId64
            ", tail %.6g, span %.6g",
            law->n, law->mean, law->deviation, law->longest, law->tail, law->span);
    if (law->empty > 0)
        fprintf(stream, ", empty %.6g", law->empty);
    if (law->dense > 0)
        fprintf(stream, ", %" PRId64 " dense", law->dense);
    pattern_describe(&made->pattern, stream);
}

static const struct parameter parameters[] = {
    {"n", "rows", NULL, TAKES_INTEGER(struct power_law_pattern, law.n, 1, INT32_MAX)},
    {"mean", "entries a row of the full matrix, on average", "8",
     TAKES_REAL(struct power_law_pattern, law.mean, 0, INT32_MAX)},
    {"deviation", "standard deviation of the entries a row", "16",
     TAKES_REAL(struct power_law_pattern, law.deviation, 0, INT32_MAX)},
    {"longest", "entries of the longest row, about; at most n", "1000",
     TAKES_INTEGER(struct power_law_pattern, law.longest, 1, INT32_MAX)},
    {"tail", "how many of the long rows are twice as long: 0.5 is P(length >= x) ~ 1/x", "0.5",
     TAKES_REAL(struct power_law_pattern, law.tail, 0.01, 0.99)},
    {"span", "the share of the columns, around the diagonal, that a row's entries lie in", "1",
     TAKES_REAL(struct power_law_pattern, law.span, 0, 1), .above = true},
    {"empty", "the share of empty rows, of a general matrix; mean and deviation are of the others",
     "0", TAKES_REAL(struct power_law_pattern, law.empty, 0, 1)},
    {"dense", "how many rows of a general matrix are full", "0",
     TAKES_INTEGER(struct power_law_pattern, law.dense, 0, INT32_MAX)},
    PARAMETERS_OF(struct power_law_pattern, pattern, pattern_parameters),
    {0}};

const struct problem problem_power_law = {{COMPONENT_PROBLEM, "power_law",
                                           "sparsity pattern with rows of very different lengths",
                                           parameters, sizeof(struct power_law_pattern), complain},
                                          .rows = rows,
                                          .make = make,
                                          .describe = describe};
