#include "spmv/rode_twin.h"

#include "support.h"

#include "spmv/baseline/rode.h"
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
    double x = rounded_x(product->precision, product->x[parts->columns[entry]]);
    return rounded_fma(product->precision, a, x, sum);
}

static double sum_lane(const struct product *product, const struct rode_share *share, int64_t entry,
                       int lane)
{
    double sum = 0;
    if (share->regular) {
        for (int e = 0; e < share->length / share->lanes; e++)
            sum = add_entry(product, sum, entry + rode_regular_entry(lane, e));
        return sum;
    }
    for (int e = 0; rode_residual_entry(share->lanes, lane, e) < share->length; e++)
        sum = add_entry(product, sum, entry + rode_residual_entry(share->lanes, lane, e));
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

/* Where the team's part is in a round. */
static struct row_part part_of(const struct product *product, const struct rode_share *share,
                               int round)
{
    return product->parts->parts[share->part + rode_member(share, round)];
}

/* Who makes the sums of which lanes, and who adds them, is what a warp of this form does. */
static void multiply_round(const struct product *product, const struct rode_share *shares,
                           int teams, int round)
{
    double sums[RODE_WARP][RODE_LANES_MAX];
    int own = shares[0].own;
    for (int team = 0; team < teams; team++) {
        const struct rode_share *share = &shares[team];
        int64_t entry = share->entry + rode_member(share, round) * share->length;
        for (int l = 0; l < own; l++)
            sums[team][l] = sum_lane(product, share, entry, share->lane + l);
    }
    for (int half = shares[0].lanes / 2; half >= 1; half /= 2)
        for (int team = 0; team < teams; team++)
            for (int l = 0; l < own; l++)
                if (shares[team].lane + l < half)
                    sums[team][l] = rounded_add(product->precision, sums[team][l],
                                                sums[team + (l + half) / own][(l + half) % own]);
    for (int last = 0; last <= 1; last++) { /* first what others wait for */
        for (int team = 0; team < teams; team++) {
            if (!rode_is_there(&shares[team], round) || shares[team].lane != 0)
                continue;
            struct row_part part = part_of(product, &shares[team], round);
            if (!last && part.link < 0) {
                ck_assert_msg(!product->there[~part.link], "a slot is filled twice");
                product->slots[~part.link] = sums[team][0];
                product->there[~part.link] = true;
            }
            if (last)
                finish(product, part, sums[team][0]);
        }
    }
}

static void multiply_warp(const struct product *product, const struct rode_classes *classes,
                          struct rode_form form, int64_t warp)
{
    struct rode_share shares[RODE_WARP] = {{0}};
    for (int team = 0; team < form.teams; team++)
        shares[team] = rode_share(classes, form, warp, team);
    for (int round = 0; round < rode_rounds(&shares[0]); round++)
        multiply_round(product, shares, form.teams, round);
}

static void *array(int64_t count, size_t size)
{
    struct error error;
    void *made = memory_zeros(count, size, "a twin's array", &error);
    ck_assert_ptr_nonnull(made);
    return made;
}

static void multiply(const struct row_parts *parts, enum precision precision, struct rode_form form,
                     const double *x, double *y)
{
    struct product product = {.parts = parts,
                              .precision = precision,
                              .x = x,
                              .y = y,
                              .slots = array(parts->slots, sizeof(double)),
                              .there = array(parts->slots, sizeof(bool))};
    struct rode_classes classes = rode_classes_of(parts, form);
    for (int64_t i = 0; i < parts->n; i++)
        y[i] = NAN;
    for (int64_t warp = 0; warp < rode_warps(&classes); warp++)
        multiply_warp(&product, &classes, form, warp);
    for (int64_t slot = 0; slot < parts->slots; slot++)
        ck_assert_msg(!product.there[slot], "nobody takes slot %d", (int)slot);
    memory_free(product.slots);
    memory_free(product.there);
}

void twin_rode_form(const struct csr *A, const struct rode_choice *choice, enum precision precision,
                    struct rode_form form, const double *x, double *y)
{
    struct error error;
    struct csr full;
    struct row_parts parts;
    expect_ok(csr_expand(A, &full, &error), &error);
    expect_ok(row_parts_create(&full, rode_cuts(choice->split, choice->block),
                               precision != PRECISION_DOUBLE, &parts, &error),
              &error);
    multiply(&parts, precision, form, x, y);
    row_parts_free(&parts);
    csr_free(&full);
}

void twin_rode(const struct csr *A, int64_t split, int64_t block, enum precision precision,
               const double *x, double *y)
{
    const struct rode_choice choice = {split, block};
    twin_rode_form(A, &choice, precision, (struct rode_form){RODE_WARP, 1, 1, 1}, x, y);
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
