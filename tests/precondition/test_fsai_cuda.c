/* G and G' that are made on a GPU: those of the CPU, bit for bit. */
#include "support.h"

#include "cuda_device.h"
#include "matrices.h"
#include "precondition/fsai_rows.h"
#include "precondition/transposed_rows.h"
#include "spaces.h"
#include "spmv/device_csr.h"

static const struct fsai_growth tried[] = {{1, 64, 0}, {5, 4, 0.01}, {12, 5, 1e-4}};

static void expect_equal(const struct csr *host, const struct csr *device)
{
    struct error error;
    struct csr fetched;
    expect_ok(device_csr_fetch(device, &fetched, &error), &error);
    ck_assert(csr_hash(host) == csr_hash(&fetched));
    csr_free(&fetched);
}

static void compare(struct space *space, const struct csr *A, struct fsai_growth growth)
{
    struct error error;
    struct csr rows, G, made, transposed, other;
    struct fsai_found found, on_device;
    expect_ok(device_csr_bring(space, A, &rows, &error), &error);
    expect_ok(fsai_make_rows(A, 0, A->n, growth, &G, &found, &error), &error);
    expect_ok(fsai_make_rows(&rows, 0, A->n, growth, &made, &on_device, &error), &error);
    ck_assert(found.wrong == on_device.wrong && found.ended == on_device.ended);
    if (found.wrong == A->n) {
        expect_equal(&G, &made);
        expect_ok(transposed_rows(&G, &transposed, &error), &error);
        expect_ok(transposed_rows(&made, &other, &error), &error);
        expect_equal(&transposed, &other);
        csr_free(&transposed);
        device_csr_free(&other);
    }
    csr_free(&G);
    device_csr_free(&made);
    device_csr_free(&rows);
}

/* Definite ones, and random ones, in which pivots end rows or a diagonal entry is not positive. */
START_TEST(rows_are_those_of_the_cpu)
{
    if (!cuda_device_is_there())
        return;
    uint64_t state = test_seed();
    struct space *space = test_space(SPACE_CUDA, REDUCTIONS_REPRODUCIBLE, 0);
    for (int t = 0; t < test_matrices_count; t++)
        for (int positive = 0; positive < 2; positive++) {
            struct csr A;
            if (positive)
                test_matrix_build_positive(&test_matrices[t], &state, &A);
            else
                test_matrix_build(&test_matrices[t], CSR_SYMMETRIC, &state, &A);
            for (int64_t i = 0; i < A.n && !positive && t % 2; i++) {
                double *diagonal = &A.values[A.offsets[i]];
                *diagonal = *diagonal < 0 ? -*diagonal : *diagonal + 0x1p-20;
            }
            for (size_t k = 0; k < sizeof tried / sizeof *tried; k++)
                compare(space, &A, tried[k]);
            csr_free(&A);
        }
    space->operations->destroy(space);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {rows_are_those_of_the_cpu, NULL};
    return suite_of("precondition/fsai_cuda", tests);
}
