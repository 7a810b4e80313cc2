/* Fused smoothing on a GPU: the bits of the passes and products that it replaces, and
 * those of the CPU. */
#include "support.h"

#include "cuda_device.h"
#include "options.h"
#include "precondition/multigrid/coarsening.h"
#include "precondition/multigrid/made_cuda.h"
#include "precondition/preconditioned.h"
#include "solver/solve.h"
#include "space/trials.h"
#include "spaces.h"
#include "spmv/symmetric/sym_order.h"

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

static void make(const struct csr *A, const struct way *way, enum reductions reductions,
                 const char *degree, struct made *made)
{
    struct kernel_options options = kernel_defaults(kernel_find("cuda_sym_bitwise"));
    options.values[SYM_FORM] = way->form;
    options.values[SYM_COMPRESS] = way->compress;
    *made =
        (struct made){.options = test_options(COMPONENT_PRECONDITIONER, "multigrid", way->precision,
                                              way->aggregates, degree, "coarsest=8", NULL)};
    made_create(A, &options, reductions, true, made);
}

static void expect_sweeps(struct made *made, bool wanted)
{
    const struct hierarchy *h = hierarchy_of(made);
    for (int k = 0; k < h->count; k++)
        ck_assert_int_eq(h->levels[k].fused_smoothing != NULL, wanted && k + 1 < h->count);
}

/* Twice, lest the second find what the first left, and then without them. */
static void compare(const struct csr *A, const struct way *way, bool with_cpu)
{
    struct made made;
    int64_t n = A->n;
    double *z = vector(n + 1), *again = vector(n + 1);
    make(A, way, REDUCTIONS_REPRODUCIBLE, "degree=2", &made);
    expect_sweeps(&made, true);
    made_apply(&made, true, z);
    made_apply(&made, true, again);
    expect_same_vectors(again, z, n + 1, "fused, once more");
    made_apply(&made, false, again);
    expect_same_vectors(again, z, n, "fused, without the dot product");
    struct hierarchy *h = hierarchy_of(&made);
    for (int k = 0; k < h->count; k++)
        h->levels[k].fused_smoothing = NULL;
    made_apply(&made, true, again);
    expect_same_vectors(z, again, n + 1, "fused, and passes");
    if (with_cpu) {
        apply_once(&made.options, 0, A, made.host, again, again + n);
        expect_same_vectors(z, again, n + 1, "a GPU's fused smoothing, and a CPU");
    }
    made_destroy(&made);
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
        made_apply(&made, true, z);
        made.space->ended = (const int64_t *)ended;
        made_apply(&made, true, z);
        for (int64_t i = 0; i <= A.n; i++)
            ck_assert(isnan(z[i]));
        made.space->ended = NULL;
        space_release(made.space, ended);
        made_destroy(&made);
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
    made_destroy(&made);
    make(&A, &ways[0], REDUCTIONS_COMPENSATED, "degree=2", &made);
    expect_sweeps(&made, false);
    made_destroy(&made);
    make(&A, &general, REDUCTIONS_REPRODUCIBLE, "degree=2", &made);
    expect_sweeps(&made, false);
    made_destroy(&made);
    csr_free(&A);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {
        poisson, other_matrices, many_rows, what_has_ended_stays, elsewhere_are_none, NULL};
    return suite_of("precondition/multigrid/fused_smoothing_cuda", tests);
}
