#include "precondition/multigrid/made_cuda.h"

#include "options.h"
#include "space/trials.h"
#include "spaces.h"
#include "support.h"

void made_create(const struct csr *A, const struct kernel_options *kernel,
                 enum reductions reductions, bool apart, struct made *made)
{
    struct error error;
    ((struct multigrid_options *)made->options.values)->apart = apart;
    made->space = test_space(SPACE_CUDA, reductions, 0);
    expect_ok(operator_create(kernel_find("cuda_sym_bitwise"), A, kernel, made->space, &made->spmv,
                              &error),
              &error);
    expect_ok(preconditioner_create(&made->options, A, NULL, &made->spmv, &made->M, &error),
              &error);
    made->host = randoms(A->n, 7);
    made->r = put(made->space, A->n, made->host);
    made->z = put(made->space, A->n, made->host);
    made->dot = put(made->space, 1, made->host);
}

void made_destroy(struct made *made)
{
    space_release(made->space, made->r);
    space_release(made->space, made->z);
    space_release(made->space, made->dot);
    operator_destroy(&made->M);
    operator_destroy(&made->spmv);
    made->space->operations->destroy(made->space);
    options_free(&made->options);
    memory_free(made->host);
}

void made_apply(struct made *made, bool dot, double *z)
{
    struct error error;
    int64_t n = made->M.n;
    poison(z, n + 1);
    expect_ok(space_upload(made->space, n, z, made->z, &error), &error);
    expect_ok(space_upload(made->space, 1, z, made->dot, &error), &error);
    expect_ok(dot ? operator_apply_dot(&made->M, made->r, made->z, made->dot, &error)
                  : operator_apply(&made->M, made->r, made->z, &error),
              &error);
    expect_ok(space_download(made->space, n, made->z, z, &error), &error);
    expect_ok(space_download(made->space, 1, made->dot, z + n, &error), &error);
}

struct multigrid *multigrid_of(struct made *made)
{
    return made->M.state;
}

struct hierarchy *hierarchy_of(struct made *made)
{
    return &multigrid_of(made)->hierarchy;
}
