/* Matrices in the memory of a space, and who sets up from them; on a CPU the space's memory is the
 * host's. */
#include "support.h"

#include "solver/solve.h"
#include "spaces.h"
#include "spmv/device_csr.h"
#include "spmv/host_product.h"
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

/* A kernel of a CPU borrows A itself, so what was brought may go. */
START_TEST(who_wants_the_host_gets_it)
{
    struct error error;
    struct csr A, on_device;
    struct space *space = test_space(SPACE_CPU, REDUCTIONS_REPRODUCIBLE, 2);
    uint64_t state = test_seed();
    grid(5, 1, &A);
    double *x = host_vector(A.n), *y = host_vector(A.n), *wanted = host_vector(A.n);
    host_randomise(x, A.n, &state);
    csr_multiply(&A, x, wanted);
    int count;
    const struct kernel *const *kernels = kernel_list(&count);
    for (int k = 0; k < count; k++) {
        struct linear_operator made;
        if (kernels[k]->space != SPACE_CPU)
            continue;
        expect_ok(device_csr_bring(space, &A, &on_device, &error), &error);
        expect_ok(operator_create(kernels[k], &on_device, NULL, space, &made, &error), &error);
        device_csr_free(&on_device);
        host_product(&made, x, y, NULL);
        for (int64_t i = 0; i < A.n; i++)
            ck_assert_double_eq_tol(y[i], wanted[i], 1e-8);
        operator_destroy(&made);
    }
    memory_free(x);
    memory_free(y);
    memory_free(wanted);
    csr_free(&A);
    space->operations->destroy(space);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {a_matrix_goes_there_and_back, every_allocation_may_fail,
                            who_wants_the_host_gets_it, NULL};
    return suite_of("spmv/device_csr", tests);
}
