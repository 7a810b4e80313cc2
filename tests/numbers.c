#include "numbers.h"

#include "support.h"

#include "matrix/permute.h"

int32_t *test_numbers(int64_t n)
{
    struct error error;
    int32_t *number = memory_array(n, sizeof *number, "a numbering", &error);
    ck_assert_ptr_nonnull(number);
    return number;
}

void expect_permutation(const int32_t *number, int64_t n)
{
    struct error error;
    bool *taken = memory_zeros(n, sizeof *taken, "what is taken", &error);
    ck_assert_ptr_nonnull(taken);
    for (int64_t i = 0; i < n; i++) {
        ck_assert(number[i] >= 0 && number[i] < n && !taken[number[i]]);
        taken[number[i]] = true;
    }
    memory_free(taken);
}

void test_permute(struct csr *A, const int32_t *number)
{
    struct csr permuted;
    struct error error;
    expect_ok(csr_permute(A, number, &permuted, &error), &error);
    csr_free(A);
    *A = permuted;
}
