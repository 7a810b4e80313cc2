/* The twin of cuda_rode: who multiplies what, and the product. test_rode_cuda.c holds the kernel to it. */
#include "support.h"

#include "spmv/full_trials.h"
#include "spmv/host_product.h"
#include "spmv/rode.h"
#include "spmv/rode_twin.h"

static const struct full_twin rode = {.kernel = "cuda_rode", .multiply = twin_rode, .count = 1};

/* Every entry of every part belongs to one lane, and every part to one warp. */
static void shares(void *context, const char *name, const struct csr *A)
{
    (void)context;
    (void)name;
    struct error error;
    struct csr full;
    struct row_parts parts;
    expect_ok(csr_expand(A, &full, &error), &error);
    expect_ok(row_parts_create(&full, false, &parts, &error), &error);
    int64_t all = parts.first_part[ROW_PARTS_CLASSES], wrong = 0;
    char *met = memory_zeros(full.nnz, 1, "entries", &error);
    char *led = memory_zeros(all, 1, "parts", &error);
    ck_assert(met && led);
    struct rode_classes classes = rode_classes_of(&parts);
    for (int64_t warp = 0; warp < classes.first_warp[ROW_PARTS_CLASSES]; warp++) {
        for (int lane = 0; lane < RODE_WARP; lane++) {
            struct rode_share share = rode_share(&classes, warp, lane);
            wrong += share.part < 0 || share.part >= all || share.lane >= share.lanes;
            if (!share.there)
                continue;
            led[share.part] = (char)(led[share.part] + (share.lane == 0));
            bool regular = share.length >= ROW_PARTS_UNIT;
            int count = regular ? share.length / share.lanes : RODE_STEP;
            for (int e = 0; e < count; e++) {
                int place = regular ? rode_regular_entry(share.lane, e)
                                    : rode_residual_entry(share.lanes, share.lane, e);
                if (place < share.length)
                    met[share.entry + place]++;
            }
        }
    }
    for (int64_t k = 0; k < full.nnz; k++)
        wrong += met[k] != 1;
    for (int64_t p = 0; p < all; p++)
        wrong += led[p] != 1;
    ck_assert_int_eq(wrong, 0);
    memory_free(met);
    memory_free(led);
    row_parts_free(&parts);
    csr_free(&full);
}

START_TEST(every_entry_belongs_to_one_lane)
{
    full_matrices(shares, NULL);
}
END_TEST

START_TEST(lanes_have_at_most_four_entries_at_a_time)
{
    for (int length = 0; length < ROW_PARTS_UNIT; length++) {
        int lanes = rode_lanes(length);
        ck_assert_int_ge(lanes * RODE_STEP, length);
        ck_assert(lanes == 1 || lanes / 2 * RODE_STEP < length);
    }
    for (int length = ROW_PARTS_UNIT; length <= ROW_PARTS_LONGEST; length += ROW_PARTS_UNIT)
        ck_assert_int_eq(rode_lanes(length), RODE_LANES_MAX);
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

/* One lane has a row of up to four entries, so it is a chain, with the reference's bits; longer ones are
 * not. */
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
        twin_rode(&A, 0, PRECISION_DOUBLE, x, y);
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
                            lanes_have_at_most_four_entries_at_a_time,
                            products_are_right,
                            one_row_does_not_reach_another,
                            rows_of_four_are_chains,
                            NULL};
    return suite_of("spmv/rode", tests);
}
