/* The twin of cuda_rode: who multiplies what, and the product. test_rode_cuda.c holds the kernel to
 * it. */
#include "support.h"

#include "spmv/baseline/rode.h"
#include "spmv/full_trials.h"
#include "spmv/host_product.h"
#include "spmv/rode_twin.h"

static const struct full_twin rode = {.kernel = "cuda_rode",
                                      .multiply = twin_rode_choice,
                                      .count = RODE_CHOICES,
                                      .values = {0, 1, 2, 3, 4, 5, 6, 7, 8}};

/* Teams of a power of two, which have the 8 lanes of a part together, and some rounds. */
static struct rode_form some_form(int teams, uint64_t *state)
{
    int least = teams < RODE_LANES_MAX ? RODE_LANES_MAX / teams : 1;
    int own = RODE_LANES_MAX >> test_random_below(state, 4);
    return (struct rode_form){teams, own < least ? least : own, 1 << test_random_below(state, 3),
                              (int)test_random_below(state, 3) + 1};
}

/* Every entry of every part belongs to one lane, and every part to one warp. */
static void shares_of(const struct csr *full, struct row_cuts cuts, struct rode_form form)
{
    struct error error;
    struct row_parts parts;
    expect_ok(row_parts_create(full, cuts, false, &parts, &error), &error);
    int64_t all = row_parts_count(&parts), wrong = 0, next = 0;
    char *met = memory_zeros(full->nnz, 1, "entries", &error);
    char *led = memory_zeros(all, 1, "parts", &error);
    ck_assert(met && led);
    struct rode_classes classes = rode_classes_of(&parts, form);
    for (int64_t warp = 0; warp < rode_warps(&classes); warp++) {
        for (int team = 0; team < form.teams; team++) {
            struct rode_share share = rode_share(&classes, form, warp, team);
            wrong += share.part != next || share.lane + share.own > share.lanes;
            wrong += share.parts < 1 || rode_rounds(&share) > form.rounds;
            for (int round = 0; round < rode_rounds(&share); round++) {
                int64_t part = share.part + rode_member(&share, round);
                int64_t entry = share.entry + rode_member(&share, round) * share.length;
                wrong += part >= all || entry + share.length > full->nnz;
                if (!rode_is_there(&share, round))
                    continue;
                led[part] = (char)(led[part] + (share.lane == 0));
                for (int e = 0; e / share.own * share.lanes < share.length; e++) {
                    int lane = share.lane + e % share.own, own = e / share.own;
                    int place = share.regular ? rode_regular_entry(lane, own)
                                              : rode_residual_entry(share.lanes, lane, own);
                    if (place < share.length)
                        met[entry + place]++;
                }
            }
            if (team == form.teams - 1)
                next += share.parts;
        }
    }
    wrong += next != all;
    for (int64_t k = 0; k < full->nnz; k++)
        wrong += met[k] != 1;
    for (int64_t p = 0; p < all; p++)
        wrong += led[p] != 1;
    ck_assert_int_eq(wrong, 0);
    memory_free(met);
    memory_free(led);
    row_parts_free(&parts);
}

static void shares(void *context, const char *name, const struct csr *A)
{
    uint64_t *state = context;
    (void)name;
    struct error error;
    struct csr full;
    expect_ok(csr_expand(A, &full, &error), &error);
    for (int k = 0; k < RODE_CHOICES; k++)
        shares_of(&full, rode_cuts(rode_choices[k].split, rode_choices[k].block),
                  some_form(2 << test_random_below(state, 5), state));
    csr_free(&full);
}

START_TEST(every_entry_belongs_to_one_lane)
{
    uint64_t state = test_seed();
    full_matrices(shares, &state);
}
END_TEST

/* A column of several has the bits of one vector, whatever a warp is like. */
static void forms_of(void *context, const char *name, const struct csr *A)
{
    uint64_t *state = context;
    const struct rode_choice *choice = &rode_choices[test_random_below(state, RODE_CHOICES)];
    enum precision precision = (enum precision)test_random_below(state, PRECISION_FLOAT_DOUBLE + 1);
    double *x = host_vector(A->width), *wanted = host_vector(A->n), *y = host_vector(A->n);
    host_randomise(x, A->width, state);
    twin_rode(A, choice->split, choice->block, precision, x, wanted);
    for (int teams = 2; teams <= RODE_WARP; teams *= 2) {
        twin_rode_form(A, choice, precision, some_form(teams, state), x, y);
        expect_same_bits("the twin of cuda_rode", name, teams, A->n, wanted, y);
    }
    memory_free(x);
    memory_free(wanted);
    memory_free(y);
}

START_TEST(columns_have_the_bits_of_one_vector)
{
    uint64_t state = test_seed();
    full_matrices(forms_of, &state);
}
END_TEST

/* Where N_B is at most 32; the lanes of a regular part have as many entries each, by pairs. */
START_TEST(lanes_have_at_most_four_residual_entries)
{
    for (int length = 0; length < ROW_PARTS_BLOCK; length++) {
        int lanes = rode_residual_lanes(length);
        ck_assert_int_ge(lanes * RODE_STEP, length);
        ck_assert(lanes == 1 || lanes / 2 * RODE_STEP < length);
    }
    for (int k = 0; k < RODE_CHOICES; k++) {
        struct row_cuts cuts = rode_cuts(rode_choices[k].split, rode_choices[k].block);
        for (int c = 0; c < cuts.regular; c++) {
            ck_assert_int_eq(rode_lanes(cuts, c), RODE_LANES_MAX);
            ck_assert_int_eq(row_parts_length(cuts, c) % (2 * RODE_LANES_MAX), 0);
        }
    }
}
END_TEST

/* Of all numbers within the ranges of the parameters, those that make too many classes, or parts
 * that the lanes cannot share, are refused, and each number is part of a choice that is not. */
START_TEST(numbers_that_do_not_fit_are_refused)
{
    char text[128];
    for (int64_t block = RODE_BLOCK_UNIT; block <= RODE_BLOCK_MAX; block++) {
        bool any = false;
        for (int64_t split = RODE_BLOCK_UNIT; split <= RODE_SPLIT_MAX; split++) {
            bool fits = block % 16 == 0 && split % block == 0 && split / block + block <= 96;
            ck_assert(fits == !rode_complaint(split, block, text, sizeof text));
            any |= fits;
        }
        ck_assert(any == (block % 16 == 0));
    }
    for (int k = 0; k < RODE_CHOICES; k++)
        ck_assert_ptr_null(
            rode_complaint(rode_choices[k].split, rode_choices[k].block, text, sizeof text));
    ck_assert_ptr_null(rode_complaint(RODE_SPLIT_MAX, 48, text, sizeof text));
    ck_assert_str_eq(rode_complaint(512, 40, text, sizeof text),
                     "block = 40 is not a multiple of 16");
    ck_assert_str_eq(rode_complaint(500, 32, text, sizeof text),
                     "split = 500 is not a multiple of block = 32");
    ck_assert_str_eq(rode_complaint(2112, 32, text, sizeof text),
                     "split / block + block = 98 is more than 96 lengths of parts");
}
END_TEST

/* Another N_S or N_B is another order: rows of 100 are 96 + 4, 64 + 32 + 4, or 80 + 20. */
START_TEST(the_bits_depend_on_the_cuts)
{
    static const struct rode_choice other[] = {{64, 32}, {80, 80}};
    uint64_t state = test_seed();
    enum { ROWS = 200, WIDTH = 300 };
    int64_t lengths[ROWS];
    double wanted[ROWS], y[ROWS];
    double *x = host_vector(WIDTH);
    struct csr A;
    for (int64_t i = 0; i < ROWS; i++)
        lengths[i] = 100;
    host_randomise(x, WIDTH, &state);
    full_matrix(ROWS, WIDTH, lengths, &state, &A);
    twin_rode(&A, 512, 32, PRECISION_DOUBLE, x, wanted);
    for (int k = 0; k < 2; k++) {
        twin_rode(&A, other[k].split, other[k].block, PRECISION_DOUBLE, x, y);
        ck_assert_mem_ne(y, wanted, sizeof y);
    }
    csr_free(&A);
    memory_free(x);
}
END_TEST

START_TEST(products_are_right)
{
    full_trial_bounds(&rode);
}
END_TEST

START_TEST(one_row_does_not_reach_another)
{
    full_trial_not_a_number(&rode);
}
END_TEST

/* One lane has a row of up to four entries, so it is a chain, with the reference's bits; longer
 * ones are not. */
START_TEST(rows_of_four_are_chains)
{
    uint64_t state = test_seed();
    enum { ROWS = 200, WIDTH = 100 };
    int64_t lengths[ROWS];
    double y[ROWS], chain[ROWS];
    double *x = host_vector(WIDTH);
    host_randomise(x, WIDTH, &state);
    for (int64_t length = 4; length <= 40; length *= 10) {
        struct csr A;
        for (int64_t i = 0; i < ROWS; i++)
            lengths[i] = length == 4 ? i % 5 : length;
        full_matrix(ROWS, WIDTH, lengths, &state, &A);
        twin_rode(&A, ROW_PARTS_SPLIT, ROW_PARTS_BLOCK, PRECISION_DOUBLE, x, y);
        csr_multiply(&A, x, chain);
        if (length == 4)
            expect_same_bits("the twin of cuda_rode", "rows of four", 1, ROWS, chain, y);
        else
            ck_assert_mem_ne(y, chain, sizeof y);
        csr_free(&A);
    }
    memory_free(x);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {every_entry_belongs_to_one_lane,
                            columns_have_the_bits_of_one_vector,
                            lanes_have_at_most_four_residual_entries,
                            numbers_that_do_not_fit_are_refused,
                            the_bits_depend_on_the_cuts,
                            products_are_right,
                            one_row_does_not_reach_another,
                            rows_of_four_are_chains,
                            NULL};
    return suite_of("spmv/rode", tests);
}
