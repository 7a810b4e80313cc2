#include "spmv/rode_twin.h"

#include "support.h"

#include "spmv/full/rode.h"
#include "spmv/reference.h"
#include "spmv/rounded.h"

#include <math.h>

struct product {
    const struct row_parts *parts;
    enum precision precision;
    const double *x;
    double *y;
    double *slots; /* [parts->slots] */
    bool *there;   /* [parts->slots] whether something is in it */
};

static double add_entry(const struct product *product, double sum, int64_t entry)
{
    const struct row_parts *parts = product->parts;
    double a = parts->narrow ? (double)((const float *)parts->values)[entry]
                             : ((const double *)parts->values)[entry];
    double x = reference_x(product->precision, product->x[parts->columns[entry]]);
    return rounded_fma(product->precision, a, x, sum);
}

static double sum_lane(const struct product *product, const struct rode_share *share, int lane)
{
    double sum = 0;
    if (share->regular) {
        for (int e = 0; e < share->length / share->lanes; e++)
            sum = add_entry(product, sum, share->entry + rode_regular_entry(lane, e));
        return sum;
    }
    for (int e = 0; rode_residual_entry(share->lanes, lane, e) < share->length; e++)
        sum = add_entry(product, sum, share->entry + rode_residual_entry(share->lanes, lane, e));
    return sum;
}

/* Those of all slots have come, from this warp or one before it. */
static double take(const struct product *product, int64_t first, int64_t count)
{
    for (int64_t k = first; k < first + count; k++) {
        ck_assert_msg(product->there[k], "slot %d is taken before it is filled", (int)k);
        product->there[k] = false;
    }
    return count == 1 ? product->slots[first]
                      : rounded_take_parts(product->precision, product->slots + first, count);
}

static void finish(const struct product *product, struct row_part part, double sum)
{
    if (part.link < 0)
        return;
    if (part.link % 2) {
        sum = rounded_add(product->precision, take(product, part.link / 2, 1), sum);
    } else if (part.link > 0) {
        const struct row_join *joins = &product->parts->joins[part.link / 2 - 1];
        ck_assert_int_ge(joins->count, 2);
        sum = rounded_add(product->precision, take(product, joins->first, joins->count), sum);
    }
    ck_assert_msg(isnan(product->y[part.row]), "a row is written twice");
    product->y[part.row] = sum;
}

/* Who makes the sums of which lanes, and who adds them, is what a warp of so many teams does. */
static void multiply_warp(const struct product *product, const struct rode_classes *classes,
                          int teams, int64_t warp)
{
    double sums[RODE_WARP][RODE_LANES_MAX], sum[RODE_WARP];
    struct rode_share shares[RODE_WARP] = {{0}};
    for (int team = 0; team < teams; team++) {
        shares[team] = rode_share(classes, teams, warp, team);
        for (int l = 0; l < shares[team].own; l++)
            sums[team][l] = sum_lane(product, &shares[team], shares[team].lane + l);
    }
    int own = shares[0].own;
    for (int half = shares[0].lanes / 2; half >= 1; half /= 2)
        for (int team = 0; team < teams; team++)
            for (int l = 0; l < own; l++)
                if (shares[team].lane + l < half)
                    sums[team][l] = rounded_add(product->precision, sums[team][l],
                                                sums[team + (l + half) / own][(l + half) % own]);
    for (int team = 0; team < teams; team++)
        sum[team] = sums[team][0];
    for (int last = 0; last <= 1; last++) { /* first what others wait for */
        for (int team = 0; team < teams; team++) {
            struct row_part part = product->parts->parts[shares[team].part];
            if (!shares[team].there || shares[team].lane != 0)
                continue;
            if (!last && part.link < 0) {
                ck_assert_msg(!product->there[~part.link], "a slot is filled twice");
                product->slots[~part.link] = sum[team];
                product->there[~part.link] = true;
            }
            if (last)
                finish(product, part, sum[team]);
        }
    }
}

static void *array(int64_t count, size_t size)
{
    struct error error;
    void *made = memory_zeros(count, size, "a twin's array", &error);
    ck_assert_ptr_nonnull(made);
    return made;
}

static void multiply(const struct row_parts *parts, enum precision precision, int teams,
                     const double *x, double *y)
{
    struct product product = {.parts = parts,
                              .precision = precision,
                              .x = x,
                              .y = y,
                              .slots = array(parts->slots, sizeof(double)),
                              .there = array(parts->slots, sizeof(bool))};
    struct rode_classes classes = rode_classes_of(parts, teams);
    for (int64_t i = 0; i < parts->n; i++)
        y[i] = NAN;
    for (int64_t warp = 0; warp < rode_warps(&classes); warp++)
        multiply_warp(&product, &classes, teams, warp);
    for (int64_t slot = 0; slot < parts->slots; slot++)
        ck_assert_msg(!product.there[slot], "nobody takes slot %d", (int)slot);
    memory_free(product.slots);
    memory_free(product.there);
}

void twin_rode_teams(const struct csr *A, const struct rode_choice *choice,
                     enum precision precision, int teams, const double *x, double *y)
{
    struct error error;
    struct csr full;
    struct row_parts parts;
    expect_ok(csr_expand(A, &full, &error), &error);
    expect_ok(row_parts_create(&full, rode_cuts(choice->split, choice->block),
                               precision != PRECISION_DOUBLE, &parts, &error),
              &error);
    multiply(&parts, precision, teams, x, y);
    row_parts_free(&parts);
    csr_free(&full);
}

void twin_rode(const struct csr *A, int64_t split, int64_t block, enum precision precision,
               const double *x, double *y)
{
    const struct rode_choice choice = {split, block};
    twin_rode_teams(A, &choice, precision, RODE_WARP, x, y);
}

/* The paper's; what changes one of its numbers; the shortest, and the longest there are. */
const struct rode_choice rode_choices[RODE_CHOICES] = {
    {512, 32}, {128, 32},  {2048, 32}, {96, 16}, {16, 16},
    {384, 48}, {2304, 48}, {512, 64},  {80, 80},
};

void twin_rode_choice(const struct csr *A, int value, enum precision precision, const double *x,
                      double *y)
{
    const struct rode_choice *choice = &rode_choices[value % RODE_CHOICES];
    twin_rode(A, choice->split, choice->block, precision, x, y);
}
