/* The hash of a matrix: of all that it is, and of nothing else. */
#include "csr_check.h"
#include "support.h"

#include "base/hash.h"

#include <math.h>
#include <string.h>

/* A random symmetric matrix: a diagonal, and off it up to four entries a row. The caller frees
 * it. */
static struct csr random_matrix(int64_t n, uint64_t *state)
{
    struct csr A;
    struct error error;
    expect_ok(csr_create(&A, CSR_SYMMETRIC, n, 5 * n, &error), &error);
    A.nnz = A.offsets[0] = 0;
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = i; j < n && A.nnz < A.offsets[i] + 5;
             j += 1 + test_random_below(state, 9)) {
            A.columns[A.nnz] = (int32_t)j;
            A.values[A.nnz++] = test_random(state) - 0.5;
        }
        A.offsets[i + 1] = A.nnz;
    }
    expect_ok(csr_check(&A, &error), &error);
    return A;
}

/* As the header describes it, by a plain loop; for a matrix of one block. */
START_TEST(it_is_fnv_over_the_rows)
{
    uint64_t state = test_seed();
    struct csr A = random_matrix(1 + test_random_below(&state, HASH_BLOCK), &state);
    uint64_t rows = HASH_START;
    for (int64_t i = 0; i < A.n; i++) {
        rows = hash_word(rows, (uint64_t)(A.offsets[i + 1] - A.offsets[i]));
        for (int64_t k = A.offsets[i]; k < A.offsets[i + 1]; k++)
            rows = hash_doubles(hash_word(rows, (uint64_t)A.columns[k]), &A.values[k], 1);
    }
    uint64_t hash = hash_word(hash_word(HASH_START, CSR_SYMMETRIC), (uint64_t)A.n);
    ck_assert_uint_eq(csr_hash(&A), hash_word(hash, rows));
    csr_free(&A);
}
END_TEST

START_TEST(every_part_counts)
{
    uint64_t state = test_seed();
    struct csr A = random_matrix(2 * HASH_BLOCK + 17, &state);
    uint64_t hash = csr_hash(&A);
    for (int try = 0; try < 20; try++) {
        int64_t k = test_random_below(&state, A.nnz), i = 1 + test_random_below(&state, A.n - 1);
        double value = A.values[k];
        A.values[k] = nextafter(value, 1);
        ck_assert_uint_ne(csr_hash(&A), hash);
        A.values[k] = value;
        A.columns[k]++;
        ck_assert_uint_ne(csr_hash(&A), hash);
        A.columns[k]--;
        A.offsets[i]--; /* an entry goes from one row to the next */
        ck_assert_uint_ne(csr_hash(&A), hash);
        A.offsets[i]++;
    }
    A.kind = CSR_SKEW;
    ck_assert_uint_ne(csr_hash(&A), hash);
    A.kind = CSR_SYMMETRIC;
    A.n--;
    ck_assert_uint_ne(csr_hash(&A), hash);
    A.n++;
    ck_assert_uint_eq(csr_hash(&A), hash);
    csr_free(&A);
}
END_TEST

START_TEST(threads_do_not_count)
{
    uint64_t state = test_seed();
    struct csr A = random_matrix(5 * HASH_BLOCK, &state);
    test_threads(1);
    uint64_t hash = csr_hash(&A);
    for (int threads = 2; threads <= 7; threads++) {
        test_threads(threads);
        ck_assert_uint_eq(csr_hash(&A), hash);
    }
    csr_free(&A);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {it_is_fnv_over_the_rows, every_part_counts, threads_do_not_count, NULL};
    return suite_of("matrix/csr_hash", tests);
}
