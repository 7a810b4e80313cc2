/* Entries that are sorted by their place, as on a device: the matrix of arrays, read one by one. */
#include "support.h"

#include "api/any_entries.h"
#include "api/array_entries.h"
#include "api/arrays.h"
#include "spmv/device_csr.h"

#include <math.h>
#include <string.h>

static void expect_same(const struct csr *A, const struct csr *wanted)
{
    ck_assert(A->kind == wanted->kind && A->n == wanted->n && A->nnz == wanted->nnz);
    ck_assert_mem_eq(A->offsets, wanted->offsets, (size_t)(A->n + 1) * sizeof *A->offsets);
    ck_assert_mem_eq(A->columns, wanted->columns, (size_t)A->nnz * sizeof *A->columns);
    ck_assert_mem_eq(A->values, wanted->values, (size_t)A->nnz * sizeof *A->values);
}

static double limit_of(const struct cgs_matrix_data *data)
{
    return data->kind == CGS_SKEW ? 0 : arrays_limit(data->asymmetry, data->values.type);
}

static void expect_matrix_of_arrays(uint64_t state, bool noisy)
{
    static struct any_entries given;
    enum any_fault fault = !noisy ? (enum any_fault)test_random_below(&state, FAULTS) : FAULT_NOISY;
    double scale = test_random_below(&state, 4)   ? 1
                   : test_random_below(&state, 2) ? 0x1p1018
                                                  : 0x1p-1040;
    struct error error;
    struct csr A, wanted;
    struct asymmetry found, wanted_found;
    struct array_rows_seen seen;
    bool suits = false;
    any_entries_make(test_random_below(&state, 1 << 30), scale, fault,
                     test_random_below(&state, 1 << 30), &given);
    enum status status = arrays_read(&given.data, &wanted, &wanted_found, &error);
    ck_assert(status == STATUS_OK || status == STATUS_INPUT);
    if (given.data.offsets.data && arrays_check(&given.data, &seen, &error)) {
        ck_assert_int_eq(status, STATUS_INPUT);
        return;
    }
    expect_ok(
        array_entries_read(NULL, &given.data, limit_of(&given.data), &A, &found, &suits, &error),
        &error);
    ck_assert_int_eq(suits, status == STATUS_OK);
    if (suits) {
        expect_same(&A, &wanted);
        ck_assert_int_eq(found.unequal_pairs, wanted_found.unequal_pairs);
        ck_assert_mem_eq(&found.worst, &wanted_found.worst, sizeof(double));
    } else
        ck_assert_ptr_null(A.offsets);
    device_csr_free(&A);
    csr_free(&wanted);
    ck_assert_int_eq(memory_live(), 0);
}

START_TEST(the_matrix_of_arrays)
{
    uint64_t seed = test_seed();
    for (int k = 0; k < 300; k++)
        expect_matrix_of_arrays(seed + (uint64_t)k, k % 3 == 0);
}
END_TEST

static enum status attempt(void *given, struct error *error)
{
    const struct any_entries *entries = given;
    struct csr A;
    struct asymmetry found;
    bool suits;
    enum status status = array_entries_read(NULL, &entries->data, limit_of(&entries->data), &A,
                                            &found, &suits, error);
    ck_assert(status || (suits && found.worst > 0));
    device_csr_free(&A);
    return status;
}

START_TEST(without_memory)
{
    static struct any_entries given;
    uint64_t state = test_seed();
    do
        any_entries_make(1, 1, FAULT_NOISY, test_random_below(&state, 1 << 30), &given);
    while (given.data.asymmetry < 0.1 || given.n < 10);
    walk_allocation_failures(attempt, &given);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {the_matrix_of_arrays, without_memory, NULL};
    return suite_of("api/entries", tests);
}
