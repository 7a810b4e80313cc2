/* The parts of the rows: every entry in one of them, each of a length that there is, and joined. */
#include "support.h"

#include "spmv/full_trials.h"
#include "spmv/row_parts.h"

#include <string.h>

static double value_at(const struct row_parts *parts, int64_t entry)
{
    return parts->narrow ? (double)((const float *)parts->values)[entry]
                         : ((const double *)parts->values)[entry];
}

static const struct row_cuts paper = {ROW_PARTS_BLOCK, ROW_PARTS_SPLIT / ROW_PARTS_BLOCK};

/* What is left of a row when its parts, in the order of their entries, are taken off. */
struct rest {
    int64_t next;  /* the first entry that no part has had */
    int32_t slot;  /* of the next part, or -1: it has had none */
    int32_t taken; /* parts with slots */
    bool finished;
};

static bool same_entries(const struct csr *full, int64_t from, const struct row_parts *parts,
                         int64_t entry, int length)
{
    for (int k = 0; k < length; k++) {
        double value = full->values[from + k];
        if (parts->columns[entry + k] != full->columns[from + k] ||
            value_at(parts, entry + k) != (parts->narrow ? (double)(float)value : value))
            return false;
    }
    return true;
}

/* The next part of its row: with the entries that follow, in a slot that follows, or the last one
 * that knows the slots of the others. */
static bool is_next(const struct csr *full, const struct row_parts *parts, int64_t p, int64_t entry,
                    int length, struct rest *rest)
{
    struct row_part part = parts->parts[p];
    int64_t left = full->offsets[part.row + 1] - rest->next;
    if (rest->finished || length > left || !same_entries(full, rest->next, parts, entry, length) ||
        (length < parts->cuts.block && length != left))
        return false;
    rest->next += length;
    rest->finished = length == left;
    if (!rest->finished) {
        bool follows = part.link < 0 && (rest->taken == 0 || ~part.link == rest->slot);
        rest->slot = ~part.link + 1;
        rest->taken++;
        return follows;
    }
    int32_t first = rest->slot - rest->taken;
    if (rest->taken == 0)
        return part.link == 0;
    if (rest->taken == 1)
        return part.link == 2 * first + 1;
    if (part.link <= 0 || part.link % 2 || part.link / 2 > parts->joined)
        return false;
    struct row_join join = parts->joins[part.link / 2 - 1];
    return join.first == first && join.count == rest->taken;
}

/* The classes follow each other, and in a class the rows ascend. The parts of a row come in the
 * order of its entries, because the longest are first. */
static void expect_parts(const struct csr *full, const struct row_parts *parts)
{
    struct error error;
    struct rest *rests = memory_zeros(full->n, sizeof *rests, "rests", &error);
    ck_assert_ptr_nonnull(rests);
    for (int64_t i = 0; i < full->n; i++)
        rests[i].next = full->offsets[i];
    int64_t slots = 0, wrong = 0, entry = 0;
    ck_assert_int_eq(parts->first_part[0], 0);
    int classes = row_cuts_classes(parts->cuts);
    for (int c = 0; c < classes; c++) {
        int length = row_parts_length(parts->cuts, c);
        ck_assert_int_eq(row_parts_class(parts->cuts, length), c);
        ck_assert_int_eq(parts->first_entry[c], entry);
        for (int64_t p = parts->first_part[c]; p < parts->first_part[c + 1]; p++) {
            int32_t row = parts->parts[p].row;
            wrong += p > parts->first_part[c] && row < parts->parts[p - 1].row;
            wrong += !is_next(full, parts, p, entry, length, &rests[row]);
            slots += parts->parts[p].link < 0;
            entry += length;
        }
    }
    for (int64_t i = 0; i < full->n; i++)
        wrong += !rests[i].finished || rests[i].next != full->offsets[i + 1];
    ck_assert_int_eq(wrong, 0);
    ck_assert_int_eq(entry, full->nnz);
    ck_assert_int_eq(parts->first_entry[classes], full->nnz);
    ck_assert_int_eq(slots, parts->slots);
    ck_assert_int_ge(row_parts_bytes(parts),
                     row_parts_bytes_least(full->n, full->nnz, parts->narrow));
    memory_free(rests);
}

static void set_up(void *context, const char *name, const struct csr *A)
{
    (void)context;
    (void)name;
    struct error error;
    struct csr full;
    expect_ok(csr_expand(A, &full, &error), &error);
    static const struct row_cuts cuts[] = {{32, 16}, {32, 16}, {16, 1}, {1, 95}, {95, 1}, {48, 48}};
    for (size_t k = 0; k < sizeof cuts / sizeof *cuts; k++) {
        struct row_parts parts;
        bool narrow = k % 2;
        test_threads(1 + 2 * narrow);
        expect_ok(row_parts_create(&full, cuts[k], narrow, &parts, &error), &error);
        expect_parts(&full, &parts);
        row_parts_free(&parts);
        ck_assert_ptr_null(parts.parts);
    }
    csr_free(&full);
}

START_TEST(every_entry_is_in_one_part)
{
    full_matrices(set_up, NULL);
}
END_TEST

/* The set-up's chunks of rows are 4096 rows: as many of them as threads, and more. */
START_TEST(many_rows_are_cut_like_few)
{
    enum { ROWS = 30000 };
    uint64_t state = test_seed();
    struct csr A;
    int64_t *lengths = memory_zeros(ROWS, sizeof *lengths, "lengths", NULL);
    ck_assert_ptr_nonnull(lengths);
    for (int64_t i = 0; i < ROWS; i++)
        lengths[i] = test_random_below(&state, test_random(&state) < 0.02 ? 40 : 4);
    lengths[ROWS / 2] = lengths[7] = 1333;
    full_matrix(ROWS, 1400, lengths, &state, &A);
    set_up(NULL, NULL, &A);
    csr_free(&A);
    memory_free(lengths);
}
END_TEST

/* 1127 = 512 + 512 + 96 + 7, 1024 = 512 + 512, 33 = 32 + 1. */
START_TEST(a_row_is_cut_as_the_header_says)
{
    uint64_t state = test_seed();
    struct error error;
    struct csr A;
    struct row_parts parts;
    static const int64_t lengths[] = {1127, 0, 1024, 33, 5};
    static const struct {
        int length;
        struct row_part part;
    } wanted[] = {{512, {0, ~0}},      {512, {0, ~1}}, {512, {2, ~3}}, {512, {2, 2 * 3 + 1}},
                  {96, {0, ~2}},       {32, {3, ~4}},  {7, {0, 2}},    {5, {4, 0}},
                  {1, {3, 2 * 4 + 1}}, {0, {1, 0}}};
    enum { PARTS = sizeof wanted / sizeof *wanted };
    full_matrix(5, 1200, lengths, &state, &A);
    expect_ok(row_parts_create(&A, paper, false, &parts, &error), &error);
    ck_assert_int_eq(row_parts_count(&parts), PARTS);
    for (int p = 0; p < PARTS; p++) {
        ck_assert_int_eq(row_parts_length(paper, row_parts_class_of(paper, parts.first_part, p)),
                         wanted[p].length);
        ck_assert_int_eq(parts.parts[p].row, wanted[p].part.row);
        ck_assert_int_eq(parts.parts[p].link, wanted[p].part.link);
    }
    ck_assert_int_eq(parts.joined, 1);
    ck_assert_int_eq(parts.joins[0].first, 0);
    ck_assert_int_eq(parts.joins[0].count, 3);
    row_parts_free(&parts);
    csr_free(&A);
}
END_TEST

static enum status attempt(void *context, struct error *error)
{
    struct row_parts parts;
    enum status status = row_parts_create(context, paper, true, &parts, error);
    row_parts_free(&parts);
    return status;
}

START_TEST(every_failed_allocation_is_survived)
{
    uint64_t state = test_seed();
    struct csr A;
    static const int64_t lengths[] = {0, 3, 0, 600, 2000, 1};
    full_matrix(6, 2000, lengths, &state, &A);
    walk_allocation_failures(attempt, &A);
    csr_free(&A);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {every_entry_is_in_one_part, many_rows_are_cut_like_few,
                            a_row_is_cut_as_the_header_says, every_failed_allocation_is_survived,
                            NULL};
    return suite_of("spmv/row_parts", tests);
}
