/* Every CUDA kernel of the registry. Without a device nothing is run, and it says why. */
#include "support.h"

#include "cuda_device.h"
#include "matrices.h"
#include "spaces.h"
#include "spmv/every_kernel.h"
#include "spmv/kernel.h"
#include "spmv/precision.h"

START_TEST(every_kernel_holds)
{
    if (cuda_device_is_there())
        try_every_kernel(SPACE_CUDA);
}
END_TEST

/* setup_bytes foresees what memory_bytes tells afterwards, but for a library's work space; and too
 * much is refused with both numbers before anything is allocated. */
START_TEST(memory_is_told_beforehand)
{
    enum { WORKSPACE = 1 << 20 };
    if (!cuda_device_is_there())
        return;
    uint64_t state = 1;
    struct error error;
    struct space *space;
    struct csr A;
    space = test_space(SPACE_CUDA, REDUCTIONS_REPRODUCIBLE, 0);
    test_matrix_build(&test_matrices[test_matrices_count - 1], CSR_SYMMETRIC, &state, &A);
    int count;
    const struct kernel *const *kernels = kernel_list(&count);
    for (int k = 0; k < count; k++) {
        const struct kernel *kernel = kernels[k];
        if (kernel->space != SPACE_CUDA)
            continue;
        struct kernel_options options = kernel_defaults(kernel);
        for (int p = 0; p < PRECISIONS; p++) {
            if (!choose_precision(kernel, (enum precision)p, &options))
                continue;
            struct linear_operator spmv;
            expect_ok(operator_create(kernel, &A, &options, space, &spmv, &error), &error);
            int64_t foreseen = kernel->setup_bytes(&A, &options);
            int64_t used = spmv.memory_bytes;
            ck_assert_int_ge(used, foreseen);
            ck_assert_int_le(used, foreseen + WORKSPACE);
            operator_destroy(&spmv);
        }
        expect_error(kernel_fits(kernel, &A, NULL, space, INT64_C(1) << 50, &error), STATUS_MEMORY,
                     &error, kernel->component.name, "needs ", " free of ", NULL);
        expect_ok(kernel_fits(kernel, &A, NULL, space, 1 << 20, &error), &error);
    }
    csr_free(&A);
    space->operations->destroy(space);
}
END_TEST

START_TEST(blocks_are_whole_warps)
{
    if (!cuda_device_is_there())
        return;
    uint64_t state = 1;
    struct error error;
    struct space *space;
    struct linear_operator spmv;
    struct csr A;
    space = test_space(SPACE_CUDA, REDUCTIONS_REPRODUCIBLE, 0);
    test_matrix_build(&test_matrices[0], CSR_SYMMETRIC, &state, &A);
    expect_error(operator_create(kernel_find("cuda_csr_scalar"), &A, &(struct kernel_options){{48}},
                                 space, &spmv, &error),
                 STATUS_CONFIG, &error, "cuda_csr_scalar", "block_size wants", "not 48", NULL);
    expect_error(operator_create(kernel_find("cuda_csr_vector"), &A,
                                 &(struct kernel_options){{2048}}, space, &spmv, &error),
                 STATUS_CONFIG, &error, "cuda_csr_vector", "block_size wants", "1024", "not 2048",
                 NULL);
    csr_free(&A);
    space->operations->destroy(space);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {every_kernel_holds, memory_is_told_beforehand, blocks_are_whole_warps,
                            NULL};
    return suite_of("spmv/kernels_cuda", tests);
}
