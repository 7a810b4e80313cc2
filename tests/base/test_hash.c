/* FNV-1a against the bytes of doubles. */
#include "support.h"

#include "base/hash.h"

/* The algorithm as it is published, over bytes; the published values hold it. */
static uint64_t fnv1a(uint64_t hash, const void *data, size_t count)
{
    const unsigned char *byte = data;
    for (size_t k = 0; k < count; k++)
        hash = (hash ^ byte[k]) * UINT64_C(0x100000001b3);
    return hash;
}

START_TEST(doubles_are_their_bytes)
{
    ck_assert_uint_eq(fnv1a(HASH_START, "", 0), UINT64_C(0xcbf29ce484222325));
    ck_assert_uint_eq(fnv1a(HASH_START, "foobar", 6), UINT64_C(0x85944171f73967e8));
    static const double values[] = {1, -2.5};
    /* least significant byte first, whatever the machine's own order */
    static const unsigned char bytes[] = {0, 0, 0, 0, 0, 0, 0xf0, 0x3f, 0, 0, 0, 0, 0, 0, 4, 0xc0};
    ck_assert_uint_eq(hash_doubles(HASH_START, values, 2), fnv1a(HASH_START, bytes, 16));
    ck_assert_uint_eq(hash_doubles(HASH_START, values, 0), HASH_START);
    uint64_t first = hash_doubles(HASH_START, values, 1);
    ck_assert_uint_eq(hash_doubles(first, values + 1, 1), fnv1a(HASH_START, bytes, 16));
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
    const TTest *tests[] = {doubles_are_their_bytes, every_bit_counts, NULL};
    return suite_of("base/hash", tests);
}
