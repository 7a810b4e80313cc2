/* FNV-1a against the bytes of doubles. */
#include "support.h"

#include "base/hash.h"
#include "base/threads.h"

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
    static const unsigned char word[] = {8, 7, 6, 5, 4, 3, 2, 1};
    ck_assert_uint_eq(hash_word(first, UINT64_C(0x0102030405060708)), fnv1a(first, word, 8));
    static const unsigned char small[8] = {7, 0, 2};
    ck_assert_uint_eq(hash_word(first, 0x020007), fnv1a(first, small, 8));
}
END_TEST

START_TEST(every_bit_counts)
{
    static const double zero = 0.0, minus_zero = -0.0, one = 1, next = 1 + 0x1p-52;
    ck_assert_uint_ne(hash_doubles(HASH_START, &zero, 1), hash_doubles(HASH_START, &minus_zero, 1));
    ck_assert_uint_ne(hash_doubles(HASH_START, &one, 1), hash_doubles(HASH_START, &next, 1));
}
END_TEST

/* The blocks' hashes, hashed, for lengths around one and two blocks and beyond a batch of them. */
START_TEST(vectors_are_hashed_by_blocks)
{
    static const int64_t lengths[] = {0, 1, 4095, 4096, 4097, 8192, 10000, 5000001};
    struct error error;
    double *v = memory_array(5000001, sizeof *v, "a vector", &error);
    ck_assert_ptr_nonnull(v);
    for (int64_t i = 0; i < 5000001; i++)
        v[i] = 1 / (double)(i + 1);
    for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++) {
        int64_t n = lengths[l];
        uint64_t hash = HASH_START;
        for (int64_t first = 0; first < n; first += 4096) {
            int64_t size = n - first < 4096 ? n - first : 4096;
            uint64_t block = hash_doubles(HASH_START, v + first, size);
            unsigned char bytes[8];
            for (int k = 0; k < 8; k++)
                bytes[k] = (unsigned char)(block >> 8 * k);
            hash = fnv1a(hash, bytes, 8);
        }
        for (int threads = 1; threads <= 7; threads += 6) {
            struct threads *team;
            expect_ok(threads_create(threads, &team, &error), &error);
            ck_assert_uint_eq(hash_vector(team, v, n), hash);
            threads_destroy(team);
        }
    }
    memory_free(v);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {doubles_are_their_bytes, every_bit_counts, vectors_are_hashed_by_blocks,
                            NULL};
    return suite_of("base/hash", tests);
}
