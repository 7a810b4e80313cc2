/* A matrix from a caller's arrays: in whatever form they come, the same matrix; and what is wrong
 * with them is said. */
#include "support.h"

#include "api/handles.h"
#include "base/hash.h"
#include "matrices.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static struct cgs_context *context;
static struct cgs_error error;

static void begin(int threads)
{
    struct cgs_context_options options = {.size = sizeof options, .threads = threads};
    expect_ok((enum status)cgs_context_create(&options, &context, &error), (struct error *)&error);
}

static void end(void)
{
    cgs_context_destroy(context);
    ck_assert_int_eq(memory_live(), 0);
}

/* --- arrays ----------------------------------------------------------------------------------- */

/* Entries one by one, as a test makes them. */
struct entries {
    int64_t n, count;
    int64_t *rows, *columns;
    double *values;
};

static struct cgs_array integers(const int64_t *from, int64_t count, int base, enum cgs_type type)
{
    int64_t *wide = memory_array(count + 1, sizeof *wide, "a test", NULL);
    for (int64_t k = 0; k < count; k++)
        if (type == CGS_INT32)
            ((int32_t *)wide)[k] = (int32_t)(from[k] + base);
        else
            wide[k] = from[k] + base;
    return (struct cgs_array){wide, count, .type = type};
}

static struct cgs_array reals(const double *from, int64_t count)
{
    double *made = memory_array(count + 1, sizeof *made, "a test", NULL);
    memcpy(made, from, (size_t)count * sizeof *made);
    return cgs_vector(made, count);
}

/* The entries in another order: by row, and within a row as they come. */
static void sort_by_row(struct entries *entries, int64_t *offsets)
{
    struct entries sorted = *entries;
    sorted.rows = memory_array(entries->count + 1, sizeof *sorted.rows, "a test", NULL);
    sorted.columns = memory_array(entries->count + 1, sizeof *sorted.columns, "a test", NULL);
    sorted.values = memory_array(entries->count + 1, sizeof *sorted.values, "a test", NULL);
    int64_t at = 0;
    for (int64_t i = 0; i < entries->n; i++) {
        offsets[i] = at;
        for (int64_t k = 0; k < entries->count; k++)
            if (entries->rows[k] == i) {
                sorted.rows[at] = i;
                sorted.columns[at] = entries->columns[k];
                sorted.values[at++] = entries->values[k];
            }
    }
    offsets[entries->n] = at;
    memory_free(entries->rows);
    memory_free(entries->columns);
    memory_free(entries->values);
    *entries = sorted;
}

/* Integers of this type in `data`. */
static void create_form(struct entries *entries, enum cgs_type integer, bool by_rows,
                        struct cgs_matrix_data *data)
{
    int64_t *offsets = memory_array(entries->n + 1, sizeof *offsets, "a test", NULL);
    if (by_rows) {
        sort_by_row(entries, offsets);
        data->offsets = integers(offsets, entries->n + 1, data->base, integer);
    } else
        data->rows = integers(entries->rows, entries->count, data->base, integer);
    data->columns = integers(entries->columns, entries->count, data->base, integer);
    data->values = reals(entries->values, entries->count);
    data->size = sizeof *data;
    data->n = entries->n;
    memory_free(offsets);
}

static void free_form(struct cgs_matrix_data *data)
{
    memory_free(data->offsets.data);
    memory_free(data->rows.data);
    memory_free(data->columns.data);
    memory_free(data->values.data);
}

static void add(struct entries *entries, int64_t i, int64_t j, double value)
{
    entries->rows[entries->count] = i;
    entries->columns[entries->count] = j;
    entries->values[entries->count++] = value;
}

/* Those of A that the part holds; zeros on the diagonal are there or not. */
static void list(const struct csr *A, enum cgs_part part, bool zeros, struct entries *entries)
{
    int64_t most = 4 * A->nnz + 1;
    double sign = A->kind == CSR_SKEW ? -1 : 1;
    *entries = (struct entries){A->n, 0, memory_array(most, sizeof(int64_t), "a test", NULL),
                                memory_array(most, sizeof(int64_t), "a test", NULL),
                                memory_array(most, sizeof(double), "a test", NULL)};
    for (int64_t i = 0; i < A->n; i++)
        for (int64_t k = A->offsets[i]; k < A->offsets[i + 1]; k++) {
            int64_t j = A->columns[k];
            double value = A->values[k];
            if (i == j && value == 0 && !zeros)
                continue;
            if (i == j || part != CGS_LOWER)
                add(entries, i, j, value);
            if (i != j && part != CGS_UPPER)
                add(entries, j, i, sign * value);
        }
}

static void shuffle(struct entries *entries, uint64_t *state)
{
    for (int64_t k = entries->count - 1; k > 0; k--) {
        int64_t other = test_random_below(state, k + 1);
        struct entries one = {1, 0, &entries->rows[k], &entries->columns[k], &entries->values[k]};
        int64_t row = *one.rows, column = *one.columns;
        double value = *one.values;
        *one.rows = entries->rows[other];
        *one.columns = entries->columns[other];
        *one.values = entries->values[other];
        entries->rows[other] = row;
        entries->columns[other] = column;
        entries->values[other] = value;
    }
}

/* An entry, and its mirror image where both are there, comes as two halves. */
static void halve(struct entries *entries)
{
    int64_t count = entries->count;
    for (int64_t k = 0; k < count; k++) {
        entries->values[k] /= 2;
        add(entries, entries->rows[k], entries->columns[k], entries->values[k]);
    }
}

static void free_entries(struct entries *entries)
{
    memory_free(entries->rows);
    memory_free(entries->columns);
    memory_free(entries->values);
}

/* --- the same matrix -------------------------------------------------------------------------- */

static void expect_same(const struct cgs_matrix_data *data, const struct csr *A, const char *name)
{
    struct cgs_matrix *made;
    enum cgs_status status = cgs_matrix_create(context, data, &made, &error);
    ck_assert_msg(status == CGS_OK, "%s: %s", name, error.text);
    ck_assert_msg(cgs_matrix_hash(made) == csr_hash(A), "%s: another matrix", name);
    ck_assert(cgs_vector_hash(A->values, A->n) == hash_vector(NULL, A->values, A->n));
    ck_assert_int_eq(cgs_matrix_rows(made), A->n);
    ck_assert_int_eq(cgs_matrix_entries(made), csr_entries(A));
    cgs_matrix_destroy(made);
}

static void try_form(const struct csr *A, int bits, uint64_t *state, const char *name)
{
    bool by_rows = bits & 1, shuffled = bits & 2, halved = bits & 4, zeros = bits & 8;
    struct cgs_matrix_data data = {.base = bits & 32 ? 1 : 0,
                                   .part = (enum cgs_part)(1 + (bits >> 6) % 3),
                                   .kind = A->kind == CSR_SKEW ? CGS_SKEW : CGS_SYMMETRIC};
    struct entries entries;
    list(A, data.part, zeros, &entries);
    if (halved)
        halve(&entries);
    if (shuffled)
        shuffle(&entries, state);
    create_form(&entries, bits & 16 ? CGS_INT64 : CGS_INT32, by_rows, &data);
    expect_same(&data, A, name);
    free_form(&data);
    free_entries(&entries);
}

/* Small matrices of every shape, in every form. */
START_TEST(every_form_is_the_same_matrix)
{
    uint64_t state = test_seed();
    for (int threads = 1; threads <= 3; threads += 2) {
        begin(threads);
        for (int m = 0; m < test_matrices_count; m++)
            for (int kind = CSR_SYMMETRIC; kind <= CSR_SKEW; kind++) {
                struct csr A;
                if (test_matrices[m].n > 40)
                    continue;
                test_matrix_build(&test_matrices[m], (enum csr_kind)kind, &state, &A);
                for (int bits = 0; bits < 192; bits++)
                    try_form(&A, bits, &state, test_matrices[m].name);
                csr_free(&A);
            }
        end();
    }
}
END_TEST

START_TEST(single_precision)
{
    static float values[] = {4, -1.1f, 4};
    static const int32_t rows[] = {0, 0, 1}, columns[] = {0, 1, 1};
    struct cgs_matrix_data data = {.size = sizeof data,
                                   .n = 2,
                                   .rows = cgs_int32(rows, 3),
                                   .columns = cgs_int32(columns, 3),
                                   .values = {values, 3, .type = CGS_FLOAT},
                                   .part = CGS_UPPER};
    struct cgs_matrix *made;
    begin(1);
    ck_assert_int_eq(cgs_matrix_create(context, &data, &made, &error), CGS_OK);
    ck_assert(made->A.values[1] == (double)-1.1f);
    cgs_matrix_destroy(made);
    end();
}
END_TEST

/* Within what is allowed, both are their mean. */
static void expect_averaged(const struct cgs_matrix *made, int64_t pairs, double asymmetry)
{
    double found = -1;
    ck_assert_int_eq(cgs_matrix_averaged(made, &found), pairs);
    ck_assert_int_eq(cgs_matrix_averaged(made, NULL), pairs);
    ck_assert(found == asymmetry);
}

/* By default what rounding leaves is taken, in the precision of the values; nothing but equal
 * entries where it is said. */
START_TEST(rounding)
{
    static const int32_t offsets[] = {0, 2, 4}, columns[] = {0, 1, 0, 1};
    for (int single = 0; single < 2; single++) {
        double doubles[4] = {1, 0x1p-41, 0, 1};
        float singles[4] = {1, 0x1p-14f, 0, 1};
        struct cgs_matrix_data data = {.size = sizeof data,
                                       .n = 2,
                                       .offsets = cgs_int32(offsets, 3),
                                       .columns = cgs_int32(columns, 4),
                                       .values = {single ? (void *)singles : doubles, 4,
                                                  .type = single ? CGS_FLOAT : CGS_DOUBLE},
                                       .part = CGS_FULL};
        struct cgs_matrix *made;
        begin(1);
        ck_assert_int_eq(cgs_matrix_create(context, &data, &made, &error), CGS_OK);
        expect_averaged(made, 1, single ? 0x1p-14 : 0x1p-41);
        doubles[1] = 0;
        singles[1] = 0;
        ck_assert_int_eq(cgs_matrix_update(made, &data, &error), CGS_OK);
        expect_averaged(made, 0, 0);
        doubles[2] = -0x1p-40; /* 9.1e-13 */
        singles[2] = -0x1p-15f;
        ck_assert_int_eq(cgs_matrix_update(made, &data, &error), CGS_OK);
        expect_averaged(made, 1, single ? 0x1p-15 : 0x1p-40);
        doubles[2] = -0x1p-39;
        singles[2] = -0x1p-13f;
        expect_error((enum status)cgs_matrix_update(made, &data, &error), STATUS_INPUT,
                     (struct error *)&error, "not symmetric", single ? "0.0001 is" : "1e-12 is",
                     NULL);
        expect_averaged(made, 1, single ? 0x1p-15 : 0x1p-40);
        cgs_matrix_destroy(made);
        doubles[2] = -0x1p-60;
        singles[2] = -0x1p-60f;
        data.asymmetry = -1;
        expect_error((enum status)cgs_matrix_create(context, &data, &made, &error), STATUS_INPUT,
                     (struct error *)&error, "not symmetric", "and 0 is allowed", NULL);
        end();
    }
    expect_averaged(NULL, 0, 0);
}
END_TEST

START_TEST(nearly_symmetric)
{
    static const double values[] = {4, 1, 1.5, 4};
    static const int32_t offsets[] = {0, 2, 4}, columns[] = {0, 1, 0, 1};
    struct cgs_matrix_data data = {.size = sizeof data,
                                   .n = 2,
                                   .offsets = cgs_int32(offsets, 3),
                                   .columns = cgs_int32(columns, 4),
                                   .values = cgs_vector(values, 4),
                                   .part = CGS_FULL,
                                   .asymmetry = 0.125};
    struct cgs_matrix *made;
    begin(1);
    ck_assert_int_eq(cgs_matrix_create(context, &data, &made, &error), CGS_OK);
    ck_assert(made->A.nnz == 3 && made->A.values[1] == 1.25);
    expect_averaged(made, 1, 0.125);
    cgs_matrix_destroy(made);
    data.asymmetry = 0.124;
    expect_error((enum status)cgs_matrix_create(context, &data, &made, &error), STATUS_INPUT,
                 (struct error *)&error, "not symmetric", "a(1,2) = 1 and a(2,1) = 1.5",
                 "asymmetry of 0.125, and 0.124 is allowed", NULL);
    ck_assert_ptr_null(made);
    end();
}
END_TEST

/* --- what is wrong ---------------------------------------------------------------------------- */

static int32_t offsets[4], rows[4], columns[4];
static double values[4];

/* A good one: rows 1 to 3, a diagonal and (1, 3). */
static struct cgs_matrix_data good(void)
{
    memcpy(offsets, (int32_t[]){0, 2, 3, 4}, sizeof offsets);
    memcpy(rows, (int32_t[]){0, 0, 1, 2}, sizeof rows);
    memcpy(columns, (int32_t[]){0, 2, 1, 2}, sizeof columns);
    memcpy(values, (double[]){1, 2, 3, 4}, sizeof values);
    return (struct cgs_matrix_data){.size = sizeof(struct cgs_matrix_data),
                                    .n = 3,
                                    .offsets = cgs_int32(offsets, 4),
                                    .columns = cgs_int32(columns, 4),
                                    .values = cgs_vector(values, 4),
                                    .part = CGS_UPPER};
}

static void refused(const struct cgs_matrix_data *data, enum cgs_status wanted, const char *says)
{
    struct cgs_matrix *made;
    expect_error((enum status)cgs_matrix_create(context, data, &made, &error), (enum status)wanted,
                 (struct error *)&error, says, NULL);
    ck_assert_ptr_null(made);
}

#define REFUSED(change, status, says)                                                              \
    do {                                                                                           \
        struct cgs_matrix_data data = good();                                                      \
        change;                                                                                    \
        refused(&data, status, says);                                                              \
    } while (0)

START_TEST(data_that_cannot_be)
{
    begin(2);
    REFUSED(data.size = 0, CGS_BAD_OPTION, "struct cgs_matrix_data says that it has 0 bytes");
    REFUSED(data.n = 0, CGS_BAD_OPTION, "n = 0 rows");
    REFUSED(data.n = INT64_MAX, CGS_BAD_OPTION, "n = 9223372036854775807 rows");
    REFUSED(data.columns.rows = -1, CGS_BAD_OPTION, "columns of -1 entries");
    REFUSED(data.offsets.data = NULL, CGS_BAD_OPTION, "offsets or rows");
    REFUSED(data.rows = cgs_int32(rows, 4), CGS_BAD_OPTION, "offsets or rows");
    REFUSED(data.columns.data = NULL, CGS_BAD_OPTION, "columns and values");
    REFUSED(data.values.data = NULL, CGS_BAD_OPTION, "columns and values");
    REFUSED(data.values = data.rows, CGS_BAD_OPTION, "columns and values");
    REFUSED(data.part = (enum cgs_part)0, CGS_BAD_OPTION, "CGS_UPPER, CGS_LOWER or CGS_FULL");
    REFUSED(data.kind = (enum cgs_kind)7, CGS_BAD_OPTION, "CGS_SYMMETRIC or CGS_SKEW");
    REFUSED(data.base = 2, CGS_BAD_OPTION, "base must be 0 or 1");
    REFUSED(data.asymmetry = 0.1, CGS_BAD_OPTION, "asymmetry is for");
    REFUSED(data.asymmetry = NAN, CGS_BAD_OPTION, "below 1");
    REFUSED(data.asymmetry = 1, CGS_BAD_OPTION, "below 1");
    end();
}
END_TEST

/* Each array by its name. */
START_TEST(arrays_that_do_not_fit)
{
    begin(2);
    REFUSED(data.offsets.rows = 3, CGS_BAD_OPTION, "the array offsets is 3 x 1: it must be 4 x 1");
    REFUSED(data.values.rows = 5, CGS_BAD_OPTION, "the array values is 5 x 1: it must be 4 x 1");
    REFUSED(data.columns.columns = 2, CGS_BAD_OPTION,
            "the array columns is 4 x 2: it must be 4 x 1");
    REFUSED((data.offsets.data = NULL, data.rows = cgs_int32(rows, 3)), CGS_BAD_OPTION,
            "the array rows is 3 x 1: it must be 4 x 1");
    REFUSED(data.values.row_stride = 2, CGS_BAD_OPTION,
            "the array values has the stride 2: those of a matrix are without gaps");
    REFUSED(data.values.row_stride = -1, CGS_BAD_OPTION, "the strides of the array values are -1");
    REFUSED(data.offsets.type = CGS_DOUBLE, CGS_BAD_OPTION,
            "the array offsets has the type CGS_DOUBLE: it must be CGS_INT32 or CGS_INT64");
    REFUSED(data.values.type = CGS_INT32, CGS_BAD_OPTION,
            "the array values has the type CGS_INT32: it must be CGS_DOUBLE or CGS_FLOAT");
    REFUSED(data.columns.type = (enum cgs_type)7, CGS_BAD_OPTION,
            "the array columns has the type 7, which is none");
    REFUSED(data.values.place = (enum cgs_place)7, CGS_BAD_OPTION,
            "the array values has the place 7, which is none");
    REFUSED(data.values.place = CGS_CUDA, CGS_BAD_OPTION,
            "the array values is in the memory of CUDA device 0: this context is on the CPU");
    REFUSED(data.columns.reserved[4] = 1, CGS_BAD_OPTION,
            "the array columns has something that this version");
    REFUSED(data.columns.rows = data.values.rows = INT64_MAX, CGS_NO_MEMORY,
            "the size of the array columns overflows");
    end();
}
END_TEST

/* Offsets may be wider than columns. */
START_TEST(integers_of_two_types)
{
    int64_t wide[] = {0, 2, 3, 4};
    struct cgs_matrix *one, *other;
    begin(2);
    for (int borrow = 0; borrow < 2; borrow++) {
        struct cgs_matrix_data data = good();
        ck_assert_int_eq(cgs_matrix_create(context, &data, &one, &error), CGS_OK);
        data.borrow = borrow;
        data.offsets = (struct cgs_array){wide, 4, .type = CGS_INT64};
        ck_assert_int_eq(cgs_matrix_create(context, &data, &other, &error), CGS_OK);
        ck_assert(cgs_matrix_hash(one) == cgs_matrix_hash(other));
        cgs_matrix_destroy(one);
        cgs_matrix_destroy(other);
    }
    end();
}
END_TEST

START_TEST(entries_that_cannot_be)
{
    begin(2);
    REFUSED(offsets[0] = 1, CGS_BAD_INPUT, "go from 1 to 4, not from 0 to nnz = 4");
    REFUSED(offsets[3] = 5, CGS_BAD_INPUT, "go from 0 to 5, not from 0 to nnz = 4");
    REFUSED(offsets[1] = 4, CGS_BAD_INPUT, "row 2 of the matrix ends before it begins");
    REFUSED(data.base = 1, CGS_BAD_INPUT, "go from 0 to 4, not from 1 to nnz = 5");
    REFUSED(columns[1] = 3, CGS_BAD_INPUT, "entry 2 of the matrix is (1, 4), outside of its 3");
    REFUSED(columns[1] = -1, CGS_BAD_INPUT, "entry 2 of the matrix is (1, 0), outside");
    REFUSED(columns[3] = 0, CGS_BAD_INPUT, "a(3,1) is not of the upper triangle");
    REFUSED(data.part = CGS_LOWER, CGS_BAD_INPUT, "a(1,3) is not of the lower triangle");
    REFUSED(values[2] = NAN, CGS_BAD_INPUT, "a(2,2) = nan is not finite");
    REFUSED(values[2] = -INFINITY, CGS_BAD_INPUT, "a(2,2) = -inf is not finite");
    REFUSED(data.kind = CGS_SKEW, CGS_BAD_INPUT, "a(1,1) = 1: the diagonal");
    REFUSED(data.part = CGS_FULL, CGS_BAD_INPUT, "a(1,3) = 2 and a(3,1) = 0");
    REFUSED((data.offsets.data = NULL, data.rows = cgs_int32(rows, 4), rows[1] = 3), CGS_BAD_INPUT,
            "entry 2 of the matrix is (4, 3), outside");
    REFUSED((columns[1] = 0, values[0] = values[1] = 1e308), CGS_BAD_INPUT,
            "a(1,1) comes more than once, and the sum");
    end();
}
END_TEST

/* The ends of int64_t, counted from 0 and from 1: the sentences have the numbers that were given,
 * and nothing overflows (a sanitizer sees it). */
START_TEST(integers_at_the_ends)
{
    struct cgs_matrix *A;
    const double ones[] = {1, 1};
    static const struct {
        int64_t row, column;
        int base;
        const char *says;
    } entries[] = {{0, INT64_MIN, 0, "is (1, -9223372036854775807), outside"},
                   {0, INT64_MAX, 0, "is (1, 9223372036854775808), outside"},
                   {1, INT64_MIN, 1, "is (1, -9223372036854775808), outside"},
                   {1, INT64_MAX, 1, "is (1, 9223372036854775807), outside"},
                   {INT64_MIN, 0, 0, "is (-9223372036854775807, 1), outside"},
                   {INT64_MAX, 1, 1, "is (9223372036854775807, 1), outside"}};
    begin(2);
    for (size_t k = 0; k < sizeof entries / sizeof *entries; k++) {
        int base = entries[k].base;
        int64_t in_row[] = {base, entries[k].row}, in_column[] = {base, entries[k].column};
        int64_t ends[] = {base, base + 2};
        struct cgs_matrix_data data = {.size = sizeof data,
                                       .n = 1,
                                       .rows = {in_row, 2, .type = CGS_INT64},
                                       .columns = {in_column, 2, .type = CGS_INT64},
                                       .values = cgs_vector(ones, 2),
                                       .base = base,
                                       .part = CGS_UPPER};
        expect_error((enum status)cgs_matrix_create(context, &data, &A, &error), STATUS_INPUT,
                     (struct error *)&error, "entry 2 of the matrix ", entries[k].says, NULL);
        if (entries[k].row != base)
            continue;
        data.rows.data = NULL;
        data.offsets = (struct cgs_array){ends, 2, .type = CGS_INT64};
        expect_error((enum status)cgs_matrix_create(context, &data, &A, &error), STATUS_INPUT,
                     (struct error *)&error, "entry 2 of the matrix ", entries[k].says, NULL);
        ends[0] = entries[k].column;
        char says[120];
        snprintf(says, sizeof says, "go from %" PRId64 " to %d, not from %d to nnz = %d",
                 entries[k].column, base + 2, base, base + 2);
        expect_error((enum status)cgs_matrix_create(context, &data, &A, &error), STATUS_INPUT,
                     (struct error *)&error, says, NULL);
    }
    end();
}
END_TEST

/* A struct of a later library: what is not known must be 0. */
START_TEST(a_longer_struct)
{
    struct {
        struct cgs_matrix_data data;
        int64_t more;
    } later = {.data = good()};
    struct cgs_matrix *made;
    later.data.size = sizeof later;
    begin(1);
    ck_assert_int_eq(cgs_matrix_create(context, &later.data, &made, &error), CGS_OK);
    cgs_matrix_destroy(made);
    later.more = 1;
    refused(&later.data, CGS_BAD_OPTION, "does not know");
    end();
}
END_TEST

/* The formats are tested with their readers. */
START_TEST(files_of_others)
{
    const char *path = temporary_file("a.rsa",
                                      "title\n 3 1 1 1\nrsa 2 2 2 0\n(3I2) (2I2) (2F4.1)\n"
                                      " 1 2 3\n 1 2\n 1.0 2.0\n",
                                      -1);
    struct cgs_matrix *made;
    begin(1);
    ck_assert_int_eq(cgs_matrix_read(context, path, 0, &made, &error), CGS_OK);
    ck_assert_int_eq(cgs_matrix_rows(made), 2);
    ck_assert_int_eq(cgs_matrix_entries(made), 2);
    cgs_matrix_destroy(made);
    end();
}
END_TEST

START_TEST(files)
{
    const char *path = temporary_file(
        "a.mtx", "%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 1\n2 2 2\n", -1);
    struct cgs_matrix *made;
    begin(1);
    ck_assert_int_eq(cgs_matrix_read(context, path, 0, &made, &error), CGS_OK);
    ck_assert_int_eq(cgs_matrix_rows(made), 2);
    cgs_matrix_destroy(made);
    expect_error((enum status)cgs_matrix_read(context, "/none.mtx", 0, &made, &error), STATUS_INPUT,
                 (struct error *)&error, "/none.mtx", NULL);
    expect_error((enum status)cgs_matrix_read(context, path, NAN, &made, &error), STATUS_CONFIG,
                 (struct error *)&error, "asymmetry = nan", NULL);
    path = temporary_file("general.mtx",
                          "%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 1\n2 2 1\n"
                          "1 2 9.5367431640625e-7\n",
                          -1);
    ck_assert_int_eq(cgs_matrix_read(context, path, 0x1p-20, &made, &error), CGS_OK);
    expect_averaged(made, 1, 0x1p-20);
    cgs_matrix_destroy(made);
    expect_error((enum status)cgs_matrix_read(context, path, 0, &made, &error), STATUS_INPUT,
                 (struct error *)&error, "asymmetry of 9.54e-07, and 1e-12 is allowed", NULL);
    expect_error((enum status)cgs_matrix_read(context, path, -1, &made, &error), STATUS_INPUT,
                 (struct error *)&error, "and 0 is allowed", NULL);
    end();
}
END_TEST

/* --- contexts --------------------------------------------------------------------------------- */

START_TEST(contexts_that_cannot_be)
{
    struct cgs_context_options options = {.size = sizeof options, .threads = -1};
    struct error *said = (struct error *)&error;
    expect_error((enum status)cgs_context_create(&options, &context, &error), STATUS_CONFIG, said,
                 "threads = -1", NULL);
    ck_assert_ptr_null(context);
    options = (struct cgs_context_options){.size = sizeof options, .called = 2};
    expect_error((enum status)cgs_context_create(&options, &context, &error), STATUS_CONFIG, said,
                 "called = 2 of a context must be 0 or 1", NULL);
    options = (struct cgs_context_options){.size = sizeof options, .place = (enum cgs_place)2};
    expect_error((enum status)cgs_context_create(&options, &context, &error), STATUS_CONFIG, said,
                 "the place 2", NULL);
    options =
        (struct cgs_context_options){.size = sizeof options, .place = CGS_CUDA, .device = 1000};
    expect_error((enum status)cgs_context_create(&options, &context, &error), STATUS_UNAVAILABLE,
                 said, "CUDA", NULL);
    ck_assert_int_eq(cgs_context_create(&options, &context, NULL), CGS_UNAVAILABLE);
}
END_TEST

static enum status attempt(void *unused, struct error *said)
{
    (void)unused;
    struct cgs_matrix_data data = good();
    struct cgs_matrix *made = NULL;
    data.offsets.data = NULL;
    data.rows = cgs_int32(rows, 4);
    enum cgs_status status = cgs_context_create(NULL, &context, (struct cgs_error *)said);
    if (!status)
        status = cgs_matrix_create(context, &data, &made, (struct cgs_error *)said);
    data.rows.data = NULL;
    data.offsets.data = offsets;
    cgs_matrix_destroy(made);
    if (!status)
        status = cgs_matrix_create(context, &data, &made, (struct cgs_error *)said);
    cgs_matrix_destroy(made);
    cgs_context_destroy(context);
    return (enum status)status;
}

START_TEST(without_memory)
{
    walk_allocation_failures(attempt, NULL);
}
END_TEST

Suite *suite(void)
{
    const TTest *const tests[] = {every_form_is_the_same_matrix,
                                  single_precision,
                                  rounding,
                                  nearly_symmetric,
                                  data_that_cannot_be,
                                  arrays_that_do_not_fit,
                                  integers_of_two_types,
                                  entries_that_cannot_be,
                                  integers_at_the_ends,
                                  a_longer_struct,
                                  files,
                                  files_of_others,
                                  contexts_that_cannot_be,
                                  without_memory,
                                  NULL};
    return suite_of("api/matrix", tests);
}
