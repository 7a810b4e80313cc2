/* Matrices in the memory of a space, and who sets up from them; on a CPU the space's memory is the
 * host's. */
#include "support.h"

#include "solver/solve.h"
#include "spaces.h"
#include "spmv/device_csr.h"
#include "spmv/kernel.h"

START_TEST(a_matrix_goes_there_and_back)
{
    struct error error;
    struct csr A, on_device, back;
    struct space *space = test_space(SPACE_CPU, REDUCTIONS_REPRODUCIBLE, 2);
    grid(9, 1e3, &A);
    expect_ok(device_csr_bring(space, &A, &on_device, &error), &error);
    ck_assert(on_device.space && on_device.kind == A.kind && on_device.n == A.n &&
              on_device.nnz == A.nnz);
    expect_ok(device_csr_fetch(&on_device, &back, &error), &error);
    ck_assert(!back.space);
    ck_assert_int_eq(csr_hash(&A), csr_hash(&back));
    device_csr_free(&on_device);
    ck_assert(!on_device.space && !on_device.values);
    csr_free(&back);
    csr_free(&A);
    space->operations->destroy(space);
}
END_TEST

static enum status bring_and_fetch(void *context, struct error *error)
{
    const struct csr *A = context;
    struct csr on_device, back = {0};
    struct space *space;
    struct space_options options = {.threads = 1};
    enum status status = space_cpu_create(&options, &space, error);
    if (status)
        return status;
    status = device_csr_bring(space, A, &on_device, error);
    if (!status)
        status = device_csr_fetch(&on_device, &back, error);
    device_csr_free(&on_device);
    csr_free(&back);
    space->operations->destroy(space);
    return status;
}

START_TEST(every_allocation_may_fail)
{
    struct csr A;
    grid(5, 1, &A);
    walk_allocation_failures(bring_and_fetch, &A);
    csr_free(&A);
}
END_TEST

/* No kernel of a CPU sets up there, so nothing is made, and A stays the caller's. */
START_TEST(who_wants_the_host_says_so)
{
    struct error error;
    struct csr A, on_device;
    struct space *space = test_space(SPACE_CPU, REDUCTIONS_REPRODUCIBLE, 2);
    grid(5, 1, &A);
    expect_ok(device_csr_bring(space, &A, &on_device, &error), &error);
    int count;
    const struct kernel *const *kernels = kernel_list(&count);
    for (int k = 0; k < count; k++) {
        struct linear_operator made;
        bool suits = true;
        if (kernels[k]->space != SPACE_CPU)
            continue;
        expect_ok(
            operator_create_on_device(kernels[k], &on_device, NULL, space, &made, &suits, &error),
            &error);
        ck_assert(!suits && !made.table);
    }
    device_csr_free(&on_device);
    csr_free(&A);
    space->operations->destroy(space);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {a_matrix_goes_there_and_back, every_allocation_may_fail,
                            who_wants_the_host_says_so, NULL};
    return suite_of("spmv/device_csr", tests);
}
