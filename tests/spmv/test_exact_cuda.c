/* cuda_sym_exact: the exact sums rounded once, and so the bits of cpu_sym_exact, also where it
 * makes the direction on its way, and of a whole solve. Without a device nothing is run, and it
 * says why. */
#include "made.h"
#include "support.h"

#include "cuda_device.h"
#include "spmv/exact_trials.h"
#include "spmv/host_product.h"

#include <math.h>
#include <string.h>

START_TEST(products_are_rounded_once)
{
    if (cuda_device_is_there())
        trial_exact_products(SPACE_CUDA);
}
END_TEST

START_TEST(numbering_changes_no_bit)
{
    if (cuda_device_is_there())
        trial_exact_numbering(SPACE_CUDA);
}
END_TEST

START_TEST(solves_are_those_of_the_cpu)
{
    if (cuda_device_is_there())
        trial_exact_solves(SPACE_CUDA);
}
END_TEST

/* By the CPU. */
static void multiply(const struct csr *A, enum precision precision, const double *x, double *y,
                     double *dot)
{
    struct space *space = exact_space(SPACE_CPU);
    struct linear_operator spmv = exact_spmv(A, precision, space);
    host_product(&spmv, x, y, dot);
    operator_destroy(&spmv);
    space->operations->destroy(space);
}

/* The CPU's bits, those of NaN too, three times. */
static void expect_bits_of_cpu(struct space *space, const char *name, const struct csr *A,
                               enum precision precision, const double *x)
{
    int64_t n = A->n;
    double *y = host_vector(n), *wanted = host_vector(n), dot = NAN, wanted_dot = NAN;
    struct linear_operator spmv = exact_spmv(A, precision, space);
    multiply(A, precision, x, wanted, &wanted_dot);
    for (int repeat = 0; repeat < 3; repeat++) {
        host_product(&spmv, x, y, repeat == 1 ? NULL : &dot);
        expect_same_bits("cuda_sym_exact", name, repeat, n, wanted, y);
        ck_assert_msg(dot == wanted_dot || (isnan(dot) && isnan(wanted_dot)),
                      "%s: x . y = %a, not %a", name, dot, wanted_dot);
    }
    operator_destroy(&spmv);
    memory_free(y);
    memory_free(wanted);
}

static void check_product(const struct exact_product *product, int kind, struct space *space,
                          uint64_t *state)
{
    (void)kind, (void)state;
    expect_bits_of_cpu(space, "a random matrix", &product->A, product->precision, product->x);
}

START_TEST(products_are_those_of_the_cpu)
{
    if (cuda_device_is_there())
        every_exact_product(SPACE_CUDA, check_product);
}
END_TEST

/* Values as codes of 1 and 2 bytes and as they are, and many tiles. */
START_TEST(large_matrices)
{
    static const struct poisson3d grids[] = {
        {{61, 53, 1}, {1, 2, 0}, 1, 0, POISSON3D_DIRICHLET},
        {{40, 37, 23}, {1, 2, 3}, 1e9, 0, POISSON3D_DIRICHLET},
        {{199, 160, 130}, {1, 1, 1}, 1e4, 0, POISSON3D_DIRICHLET}};
    if (!cuda_device_is_there())
        return;
    uint64_t state = test_seed();
    struct error error;
    struct csr A;
    struct space *space = exact_space(SPACE_CUDA);
    int count = sizeof grids / sizeof *grids - (test_is_slow() ? 1 : 0);
    for (int k = 0; k < count + 2; k++) {
        struct fe_mesh mesh = {{13, 11, k == count ? 0 : 9}, 3, 1e-3, .seed = 7};
        if (k < count)
            expect_ok(poisson3d_create(&grids[k], &A, &error), &error);
        else
            expect_ok(fe_mesh_create(&mesh, &A, &error), &error);
        double *x = host_vector(A.n);
        host_randomise(x, A.n, &state);
        const char *name = k < count ? "poisson3d" : "a mesh";
        expect_bits_of_cpu(space, name, &A, PRECISION_DOUBLE, x);
        expect_bits_of_cpu(space, name, &A, PRECISION_FLOAT_DOUBLE, x);
        memory_free(x);
        csr_free(&A);
    }
    space->operations->destroy(space);
}
END_TEST

static double *up(struct space *space, int64_t n, const double *host)
{
    struct error error;
    double *there;
    expect_ok(space_vector(space, n, "a vector", &there, &error), &error);
    expect_ok(space_upload(space, n, host, there, &error), &error);
    return there;
}

static void expect_vector(struct space *space, const char *what, int64_t n, const double *there,
                          const double *wanted)
{
    struct error error;
    double *found = host_vector(n);
    expect_ok(space_download(space, n, there, found, &error), &error);
    expect_same_bits("cuda_sym_exact", what, 0, n, wanted, found);
    memory_free(found);
}

/* next = r + beta p, x takes its two steps, y = A next and next . y, all at once. */
static void check_direction(struct space *space, const struct exact_product *product, bool update)
{
    enum { R, P, NEXT, X, Y, VECTORS };
    struct error error;
    int64_t n = product->A.n;
    uint64_t state = (uint64_t)n;
    double *host[VECTORS], *there[VECTORS];
    for (int k = 0; k < VECTORS; k++) {
        host[k] = host_vector(n);
        host_randomise(host[k], n, &state);
        if (k == R || k == P)
            memcpy(host[k], product->x, (size_t)n * sizeof(double));
        there[k] = up(space, n, host[k]);
    }
    double scalars[] = {0.7, -1.3, 2.1, NAN}, *s = up(space, 4, scalars), wanted_dot;
    struct direction direction = {there[R], there[P], there[NEXT], s, update ? there[X] : NULL,
                                  s + 1,    s + 2};
    struct linear_operator spmv = exact_spmv(&product->A, product->precision, space);
    expect_ok(operator_apply_to(
                  &spmv, &(struct operands){.y = there[Y], .dot = s + 3, .direction = &direction},
                  &error),
              &error);
    operator_destroy(&spmv);
    for (int64_t i = 0; i < n; i++) {
        if (update)
            host[X][i] = fma(scalars[2], host[P][i], fma(scalars[1], host[NEXT][i], host[X][i]));
        host[NEXT][i] = fma(scalars[0], host[P][i], host[R][i]);
    }
    multiply(&product->A, product->precision, host[NEXT], host[Y], &wanted_dot);
    expect_vector(space, "p", n, there[NEXT], host[NEXT]);
    expect_vector(space, "x", n, there[X], host[X]);
    expect_vector(space, "q", n, there[Y], host[Y]);
    expect_ok(space_download(space, 1, s + 3, &scalars[3], &error), &error);
    ck_assert_msg(scalars[3] == wanted_dot || (isnan(scalars[3]) && isnan(wanted_dot)),
                  "p . q = %a, not %a", scalars[3], wanted_dot);
    for (int k = 0; k < VECTORS; k++) {
        memory_free(host[k]);
        space_release(space, there[k]);
    }
    space_release(space, s);
}

static void check_directions(const struct exact_product *product, int kind, struct space *space,
                             uint64_t *state)
{
    (void)state;
    if (kind == PRODUCTS_NOT_FINITE)
        return;
    check_direction(space, product, false);
    check_direction(space, product, true);
}

START_TEST(directions_are_the_separate_operations)
{
    if (cuda_device_is_there())
        every_exact_product(SPACE_CUDA, check_directions);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {products_are_rounded_once,
                            numbering_changes_no_bit,
                            solves_are_those_of_the_cpu,
                            products_are_those_of_the_cpu,
                            large_matrices,
                            directions_are_the_separate_operations,
                            NULL};
    return suite_of("spmv/exact_cuda", tests);
}
