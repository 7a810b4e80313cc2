/* Codes of doubles: what they stand for, bit for bit, and when there are none. */
#include "support.h"

#include "base/memory.h"
#include "spmv/symmetric/value_dictionary.h"

#include <math.h>
#include <string.h>

static double *array_of(int64_t count)
{
    struct error error;
    double *values = memory_array(count, sizeof *values, "the values", &error);
    ck_assert_ptr_nonnull(values);
    return values;
}

static int64_t code_at(const struct value_dictionary *codes, int64_t place)
{
    return codes->width == 1 ? ((const uint8_t *)codes->codes)[place]
                             : ((const uint16_t *)codes->codes)[place];
}

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* Every code stands for its value, the padding holds codes, and the table is in its order. */
static void expect_codes(const struct value_dictionary *codes, const double *values, int64_t lines,
                         int64_t length)
{
    ck_assert_int_eq(codes->lines, lines);
    ck_assert_int_eq(codes->length, length);
    ck_assert_int_eq(codes->stride % VALUE_DICTIONARY_ALIGN, 0);
    ck_assert_int_lt(codes->stride - length, VALUE_DICTIONARY_ALIGN);
    ck_assert_int_eq(codes->width, codes->count <= 256 ? 1 : 2);
    const double *table = codes->table;
    ck_assert(!codes->single_table);
    int64_t *times = memory_zeros(codes->count, sizeof *times, "the counts", NULL);
    ck_assert_ptr_nonnull(times);
    for (int64_t line = 0; line < lines; line++)
        for (int64_t i = 0; i < codes->stride; i++) {
            int64_t code = code_at(codes, line * codes->stride + i);
            ck_assert_int_lt(code, codes->count);
            if (i < length) {
                ck_assert_mem_eq(&table[code], &values[line * length + i], sizeof *values);
                times[code]++;
            }
        }
    for (int64_t code = 0; code < codes->count; code++)
        ck_assert_int_gt(times[code], 0);
    for (int64_t code = 1; code < codes->count; code++)
        ck_assert(
            times[code - 1] > times[code] ||
            (times[code - 1] == times[code] && bits_of(table[code - 1]) < bits_of(table[code])));
    memory_free(times);
}

/* Of values of so many bytes each; the same with any number of threads. */
static void check_of(size_t size, const double *values, int64_t lines, int64_t length, int width)
{
    struct error error;
    struct value_dictionary first = {0};
    for (int threads = 1; threads <= 7; threads += 2) {
        test_threads(threads);
        struct value_dictionary codes;
        expect_ok(value_dictionary_create(values, lines, length, size, &codes, &error), &error);
        ck_assert_int_eq(codes.width, width);
        if (width) {
            expect_codes(&codes, values, lines, length);
        } else {
            ck_assert_ptr_null(codes.codes);
            ck_assert_ptr_null(codes.table);
        }
        if (threads == 1) {
            first = codes;
            continue;
        }
        if (width) {
            ck_assert_mem_eq(codes.table, first.table, (size_t)first.count * sizeof(double));
            ck_assert_mem_eq(codes.codes, first.codes,
                             (size_t)(first.lines * first.stride * first.width));
        }
        value_dictionary_free(&codes);
    }
    value_dictionary_free(&first);
}

static void check(const double *values, int64_t lines, int64_t length, int width)
{
    check_of(sizeof(double), values, lines, length, width);
}

/* `count` values, `different` of them. */
static void check_different(int64_t count, int64_t different, int width)
{
    double *values = array_of(count);
    for (int64_t i = 0; i < count; i++)
        values[i] = sin((double)((i * 7919) % different));
    check(values, 1, count, width);
    struct value_dictionary shape = value_dictionary_of(1, count);
    ck_assert(value_dictionary_save(&shape, different, sizeof(double)) == (width > 0));
    memory_free(values);
}

START_TEST(the_width_follows_the_number_of_values)
{
    check_different(100, 1, 1);
    check_different(10000, 255, 1);
    check_different(10000, 256, 1);
    check_different(10000, 257, 2);
    check_different(300000, VALUE_DICTIONARY_MAX, 2);
    check_different(300000, VALUE_DICTIONARY_MAX + 1, 0);
    check_different(300000, 300000, 0);
}
END_TEST

START_TEST(codes_have_to_save_bytes)
{
    check_different(16, 14, 0); /* 16 codes and 112 bytes of table against 128 */
    check_different(16, 13, 1);
    check_different(1, 1, 0);
    check_different(4000, 1001, 0);
    check_different(4000, 1000, 2);
    check(NULL, 1, 0, 0);
}
END_TEST

/* Against singles codes of 1 byte save three, and those of 2 bytes two. */
START_TEST(codes_have_to_save_bytes_of_singles)
{
    double values[4096];
    for (int i = 0; i < 4096; i++)
        values[i] = i % 1024;
    check_of(sizeof(float), values, 1, 4096, 0); /* 8192 and 8192 against 16384 */
    check(values, 1, 4096, 2);
    values[1023] = values[2047] = values[3071] = values[4095] = 0;
    check_of(sizeof(float), values, 1, 4096, 2);
    check_of(sizeof(float), values, 1, 16, 0); /* 16 and 128 against 64 */
    for (int i = 0; i < 4096; i++)
        values[i] = i % 256;
    check_of(sizeof(float), values, 1, 640, 0);  /* 640 and 2048 against 2560 */
    check_of(sizeof(float), values, 1, 1024, 1); /* 1024 and 2048 against 4096 */
}
END_TEST

/* As the choice says: singles only where it says so, and codes before them where they are
 * smaller. */
START_TEST(the_choice_is_followed)
{
    static const struct {
        bool compress, singles, single_sums;
        int many, few; /* the widths for many different values, and for few */
    } choices[] = {{false, false, false, 0, 0},
                   {false, true, false, VALUE_DICTIONARY_SINGLES, VALUE_DICTIONARY_SINGLES},
                   {false, true, true, VALUE_DICTIONARY_SINGLES, VALUE_DICTIONARY_SINGLES},
                   {true, false, false, 0, 1},
                   {true, true, false, VALUE_DICTIONARY_SINGLES, 1},
                   {true, true, true, VALUE_DICTIONARY_SINGLES, 1}};
    enum { COUNT = 2000 };
    for (size_t k = 0; k < sizeof choices / sizeof *choices; k++)
        for (int few = 0; few <= 1; few++) {
            struct error error;
            struct value_dictionary codes;
            double values[COUNT];
            for (int i = 0; i < COUNT; i++)
                values[i] = (float)sin(few ? i % 10 : i);
            struct sym_choice choice = {.compress = choices[k].compress,
                                        .singles = choices[k].singles,
                                        .single_sums = choices[k].single_sums};
            expect_ok(value_dictionary_choose(&choice, values, 1, COUNT, &codes, &error), &error);
            ck_assert_int_eq(codes.width, few ? choices[k].few : choices[k].many);
            for (int i = 0; codes.width == VALUE_DICTIONARY_SINGLES && i < COUNT; i++)
                ck_assert(((const float *)codes.codes)[i] == values[i]);
            bool coded = codes.width == 1;
            ck_assert(codes.single_table == (coded && choice.single_sums));
            ck_assert_int_eq(value_dictionary_table_bytes(&codes),
                             coded ? 10 * (choice.single_sums ? 4 : 8) : 0);
            for (int i = 0; coded && i < COUNT; i++) {
                int64_t code = code_at(&codes, i);
                double value = choice.single_sums ? ((const float *)codes.table)[code]
                                                  : ((const double *)codes.table)[code];
                ck_assert(value == values[i]);
            }
            value_dictionary_free(&codes);
        }
}
END_TEST

START_TEST(values_are_told_apart_by_their_bits)
{
    double one_nan = NAN, other_nan;
    uint64_t bits = bits_of(one_nan) ^ 5;
    memcpy(&other_nan, &bits, sizeof bits);
    double kinds[] = {0.0, -0.0, INFINITY, -INFINITY, one_nan, other_nan, 5e-324, -5e-324};
    double values[3 * 100];
    for (int i = 0; i < 300; i++)
        values[i] = kinds[(i * i) % 8];
    check(values, 1, 300, 1);
    for (int i = 0; i < 300; i++)
        values[i] = kinds[i % 8];
    check(values, 3, 100, 1);
    check(values, 300, 1, 0); /* the padding takes more than the codes save */
    check(values, 1, 300, 1);
}
END_TEST

START_TEST(lines_begin_at_multiples)
{
    double values[5 * 1001];
    for (int i = 0; i < 5 * 1001; i++)
        values[i] = i % 300;
    check(values, 5, 1001, 2);
    check(values, 5005, 1, 0);
    check(values, 5, 960, 2);
}
END_TEST

static enum status attempt(void *context, struct error *error)
{
    struct value_dictionary codes;
    const struct sym_choice choice = {.compress = true, .singles = true, .single_sums = true};
    enum status status = value_dictionary_choose(&choice, context, 1, 1000, &codes, error);
    value_dictionary_free(&codes);
    return status;
}

START_TEST(every_failed_allocation_is_survived)
{
    double values[1000];
    for (int i = 0; i < 1000; i++)
        values[i] = i % 100;
    for (int threads = 1; threads <= 3; threads++) {
        test_threads(threads);
        walk_allocation_failures(attempt, values);
    }
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {the_width_follows_the_number_of_values, codes_have_to_save_bytes,
                            codes_have_to_save_bytes_of_singles,    the_choice_is_followed,
                            values_are_told_apart_by_their_bits,    lines_begin_at_multiples,
                            every_failed_allocation_is_survived,    NULL};
    return suite_of("spmv/value_dictionary", tests);
}
