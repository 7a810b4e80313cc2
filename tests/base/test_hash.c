/* FNV-1a against its published values. */
#include "support.h"

#include "base/hash.h"

START_TEST(published_values)
{
    ck_assert_uint_eq(hash_bytes(HASH_START, "", 0), UINT64_C(0xcbf29ce484222325));
    ck_assert_uint_eq(hash_bytes(HASH_START, "a", 1), UINT64_C(0xaf63dc4c8601ec8c));
    ck_assert_uint_eq(hash_bytes(HASH_START, "foobar", 6), UINT64_C(0x85944171f73967e8));
    uint64_t half = hash_bytes(HASH_START, "foo", 3);
    ck_assert_uint_eq(hash_bytes(half, "bar", 3), UINT64_C(0x85944171f73967e8));
}
END_TEST

/* Least significant byte first, whatever the machine's own order. */
START_TEST(doubles_are_their_bytes)
{
    static const double values[] = {1, -2.5};
    static const unsigned char bytes[] = {0, 0, 0, 0, 0, 0, 0xf0, 0x3f, 0, 0, 0, 0, 0, 0, 4, 0xc0};
    ck_assert_uint_eq(hash_doubles(HASH_START, values, 2), hash_bytes(HASH_START, bytes, 16));
    ck_assert_uint_eq(hash_doubles(HASH_START, values, 0), HASH_START);
    uint64_t first = hash_doubles(HASH_START, values, 1);
    ck_assert_uint_eq(hash_doubles(first, values + 1, 1), hash_bytes(HASH_START, bytes, 16));
}
END_TEST

START_TEST(every_bit_counts)
{
    static const double zero = 0.0, minus_zero = -0.0, one = 1, next = 1 + 0x1p-52;
    ck_assert_uint_ne(hash_doubles(HASH_START, &zero, 1), hash_doubles(HASH_START, &minus_zero, 1));
    ck_assert_uint_ne(hash_doubles(HASH_START, &one, 1), hash_doubles(HASH_START, &next, 1));
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {published_values, doubles_are_their_bytes, every_bit_counts, NULL};
    return suite_of("base/hash", tests);
}
