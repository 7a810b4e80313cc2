/* The sweeps of a cycle on a GPU: the bits of the passes and products that they stand for, and
 * those of the CPU. */
#include "support.h"

#include "cuda_device.h"
#include "options.h"
#include "precondition/multigrid/coarsening.h"
#include "precondition/multigrid/cycle.h"
#include "precondition/preconditioned.h"
#include "solver/solve.h"
#include "space/trials.h"
#include "spaces.h"
#include "spmv/upper/sym_order.h"

#include <math.h>
#include <string.h>

/* How a matrix is kept, and its cycle. */
struct way {
    const char *precision, *aggregates;
    enum sym_form form;
    int64_t compress; /* of enum sym_parameter */
};

static const struct way ways[] = {
    {"precision=double", "aggregates=auto", SYM_FORM_DIAGONALS, 0},
    {"precision=double", "aggregates=auto", SYM_FORM_DIAGONALS, 1},
    {"precision=double", "aggregates=matching", SYM_FORM_DIAGONALS, 0},
    {"precision=double", "aggregates=matching", SYM_FORM_DIAGONALS, 1},
    {"precision=float", "aggregates=auto", SYM_FORM_DIAGONALS, 0},
    {"precision=float", "aggregates=auto", SYM_FORM_DIAGONALS, 1},
    {"precision=float", "aggregates=matching", SYM_FORM_DIAGONALS, 0},
    {"precision=float", "aggregates=matching", SYM_FORM_DIAGONALS, 1},
};
enum { WAYS = sizeof ways / sizeof *ways };

/* M^-1 on a GPU, each level by itself, and vectors there; z and the scalar dot are NaN before each
 * apply. */
struct made {
    struct options options;
    struct space *space;
    struct linear_operator spmv, M;
    double *host, *r, *z, *dot;
};

static struct hierarchy *hierarchy_of(struct made *made)
{
    return &((struct multigrid *)made->M.state)->hierarchy;
}

static void make(const struct csr *A, const struct way *way, enum reductions reductions,
                 const char *degree, struct made *made)
{
    struct error error;
    const struct kernel *kernel = kernel_find("cuda_sym_bitwise");
    struct kernel_options options = kernel_defaults(kernel);
    options.values[SYM_FORM] = way->form;
    options.values[SYM_COMPRESS] = way->compress;
    *made = (struct made){0};
    made->options = test_options(COMPONENT_PRECONDITIONER, "multigrid", way->precision,
                                 way->aggregates, degree, "coarsest=8", NULL);
    ((struct multigrid_options *)made->options.values)->apart = true;
    made->space = test_space(SPACE_CUDA, reductions, 0);
    expect_ok(operator_create(kernel, A, &options, made->space, &made->spmv, &error), &error);
    expect_ok(preconditioner_create(&made->options, A, NULL, &made->spmv, &made->M, &error),
              &error);
    made->host = randoms(A->n, 7);
    made->r = put(made->space, A->n, made->host);
    made->z = put(made->space, A->n, made->host);
    made->dot = put(made->space, 1, made->host);
}

static void destroy(struct made *made)
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

/* z[n + 1]: M^-1 r and, where it is wanted, r . z. */
static void apply(struct made *made, bool dot, double *z)
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

static void expect_sweeps(struct made *made, bool wanted)
{
    const struct hierarchy *h = hierarchy_of(made);
    for (int k = 0; k < h->count; k++)
        ck_assert_int_eq(h->levels[k].sweeps != NULL, wanted && k + 1 < h->count);
}

/* Twice, lest the second find what the first left, and then without them. */
static void compare(const struct csr *A, const struct way *way, bool with_cpu)
{
    struct made made;
    int64_t n = A->n;
    double *z = vector(n + 1), *again = vector(n + 1);
    make(A, way, REDUCTIONS_REPRODUCIBLE, "degree=2", &made);
    expect_sweeps(&made, true);
    apply(&made, true, z);
    apply(&made, true, again);
    expect_same_vectors(again, z, n + 1, "sweeps, once more");
    apply(&made, false, again);
    expect_same_vectors(again, z, n, "sweeps without the dot product");
    struct hierarchy *h = hierarchy_of(&made);
    for (int k = 0; k < h->count; k++)
        h->levels[k].sweeps = NULL;
    apply(&made, true, again);
    expect_same_vectors(z, again, n + 1, "sweeps, and passes");
    if (with_cpu) {
        apply_once(&made.options, 0, A, made.host, again, again + n);
        expect_same_vectors(z, again, n + 1, "a GPU's sweeps, and a CPU");
    }
    destroy(&made);
    memory_free(z);
    memory_free(again);
}

static void compare_all(struct csr *A)
{
    for (int k = 0; k < WAYS; k++)
        compare(A, &ways[k], true);
    csr_free(A);
}

/* Boxes with odd sides, of less than a tile of rows, one cell thick, and lines. */
START_TEST(poisson)
{
    if (!cuda_device_is_there())
        return;
    static const int64_t boxes[][3] = {{5, 4, 3},    {37, 29, 1}, {1, 37, 29}, {700, 1, 1},
                                       {3, 3, 400},  {16, 16, 8}, {21, 13, 7}, {32, 32, 32},
                                       {101, 67, 1}, {65, 33, 17}};
    struct csr A;
    for (size_t k = 0; k < sizeof boxes / sizeof *boxes; k++) {
        make_poisson(boxes[k][0], boxes[k][1], boxes[k][2], &A);
        compare_all(&A);
    }
}
END_TEST

/* A jump of the coefficient; 9 and 27 neighbours; entries beside the grid, which make diagonals of
 * a number that no kernel is unrolled for. */
START_TEST(other_matrices)
{
    if (!cuda_device_is_there())
        return;
    struct csr A, more;
    grid(25, 1e4, &A);
    compare_all(&A);
    make_brick(61, 43, 1, 1, &A);
    compare_all(&A);
    make_brick(17, 16, 13, 1, &A);
    compare_all(&A);
    make_poisson(21, 15, 11, &A);
    make_with_entry(&A, 30, 37, -1e-3, &more);
    csr_free(&A);
    make_with_entry(&more, 100, 202, -1e-3, &A);
    csr_free(&more);
    compare_all(&A);
}
END_TEST

/* So many tiles that a block of threads walks two. */
START_TEST(many_rows)
{
    if (!cuda_device_is_there() || test_is_slow())
        return;
    struct csr A;
    make_poisson(163, 161, 157, &A);
    for (int k = 0; k < WAYS; k += 4) {
        compare(&A, &ways[k], false);
        compare(&A, &ways[k + 1], false);
    }
    csr_free(&A);
}
END_TEST

START_TEST(what_has_ended_stays)
{
    if (!cuda_device_is_there())
        return;
    struct csr A;
    make_poisson(21, 13, 7, &A);
    double *z = vector(A.n + 1);
    for (int k = 0; k < WAYS; k++) {
        struct made made;
        double one = 1; /* no bit pattern of 0 */
        make(&A, &ways[k], REDUCTIONS_REPRODUCIBLE, "degree=2", &made);
        double *ended = put(made.space, 1, &one);
        apply(&made, true, z);
        made.space->ended = (const int64_t *)ended;
        apply(&made, true, z);
        for (int64_t i = 0; i <= A.n; i++)
            ck_assert(isnan(z[i]));
        made.space->ended = NULL;
        space_release(made.space, ended);
        destroy(&made);
    }
    memory_free(z);
    csr_free(&A);
}
END_TEST

/* Of another degree, form or reductions. */
START_TEST(elsewhere_are_none)
{
    if (!cuda_device_is_there())
        return;
    struct csr A;
    struct made made;
    struct way general = ways[0];
    general.form = SYM_FORM_GENERAL;
    make_poisson(9, 8, 7, &A);
    make(&A, &ways[0], REDUCTIONS_REPRODUCIBLE, "degree=4", &made);
    expect_sweeps(&made, false);
    destroy(&made);
    make(&A, &ways[0], REDUCTIONS_COMPENSATED, "degree=2", &made);
    expect_sweeps(&made, false);
    destroy(&made);
    make(&A, &general, REDUCTIONS_REPRODUCIBLE, "degree=2", &made);
    expect_sweeps(&made, false);
    destroy(&made);
    csr_free(&A);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {
        poisson, other_matrices, many_rows, what_has_ended_stays, elsewhere_are_none, NULL};
    return suite_of("precondition/multigrid/sweeps_cuda", tests);
}
