/* The smallest eigenvalue of the block matrices lies where problem/fe_mesh.c says: bounded from
 * below by a Cholesky factor, from above by a quotient. */
#include "made.h"
#include "support.h"

#include <math.h>

enum { K = FE_MESH_UNKNOWNS_MAX, SMALL_MESHES = 36 };

static struct csr create(const struct fe_mesh *mesh)
{
    struct error error;
    struct csr A;
    expect_ok(fe_mesh_create(mesh, &A, &error), &error);
    return A;
}

/* Whether A - shift I has a Cholesky factor. */
static bool is_definite(const struct csr *A, double shift)
{
    struct error error;
    int64_t n = A->n;
    double *lower = memory_zeros(n * n, sizeof *lower, "a dense matrix", &error);
    ck_assert_ptr_nonnull(lower);
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = A->offsets[i]; k < A->offsets[i + 1]; k++)
            lower[A->columns[k] * n + i] = A->values[k] - (A->columns[k] == i ? shift : 0);
    bool definite = true;
    for (int64_t i = 0; i < n && definite; i++)
        for (int64_t j = 0; j <= i; j++) {
            double sum = lower[i * n + j];
            for (int64_t k = 0; k < j; k++)
                sum -= lower[i * n + k] * lower[j * n + k];
            lower[i * n + j] = i == j ? sqrt(sum) : sum / lower[j * n + j];
            definite = definite && (i != j || sum > 0);
        }
    memory_free(lower);
    return definite;
}

/* Sheets (nz = 0) and boxes of up to 3 nodes an axis, numbered. */
static struct fe_mesh small_mesh(int number, int64_t unknowns, double shift)
{
    return (struct fe_mesh){.n = {1 + number % 3, 1 + number / 3 % 3, number / 9},
                            .unknowns = unknowns,
                            .shift = shift,
                            .seed = 1 + number};
}

/* The shift is subtracted up to what rounding may take away: meshes without a cycle of edges have
 * it as their smallest eigenvalue. */
START_TEST(no_eigenvalue_is_below_the_shift)
{
    static const double shifts[] = {1, 1e-3, 1e-5, 1e-10};
    for (int s = 0; s < 4; s++)
        for (int number = 0; number < SMALL_MESHES; number++)
            for (int64_t k = 1; k <= K; k++) {
                struct fe_mesh mesh = small_mesh(number, k, shifts[s]);
                for (int random = 0; random <= 1; random++) {
                    mesh.diagonals = random ? FE_MESH_RANDOM_DIAGONALS : FE_MESH_REGULAR;
                    mesh.numbering = random ? FE_MESH_RANDOM_NUMBERING : FE_MESH_NATURAL;
                    struct csr A = create(&mesh);
                    ck_assert_msg(is_definite(&A, mesh.shift * (1 - 1e-9) - 1e-11),
                                  "mesh %d, %d unknowns, shift %g", number, (int)k, mesh.shift);
                    csr_free(&A);
                }
            }
    struct fe_mesh sheet = {{12, 11, 0}, 5, 1e-5, .seed = 7}, box = {{5, 6, 5}, 4, 1e-5, .seed = 7};
    struct csr A = create(&sheet), B = create(&box);
    ck_assert(is_definite(&A, 1e-5) && is_definite(&B, 1e-5));
    ck_assert(!is_definite(&A, 2e-5) && !is_definite(&B, 2e-5));
    csr_free(&A);
    csr_free(&B);
}
END_TEST

/* x'Ax / x'x of the vector that is 1 in one unknown of every node: the smallest eigenvalue is not
 * above it. */
static double constant_quotient(const struct csr *A, int64_t unknowns, int64_t unknown)
{
    struct error error;
    double *x = memory_zeros(2 * A->n, sizeof *x, "two vectors", &error), *Ax = x + A->n, sum = 0;
    ck_assert_ptr_nonnull(x);
    for (int64_t row = unknown; row < A->n; row += unknowns)
        x[row] = 1;
    csr_multiply(A, x, Ax);
    for (int64_t row = unknown; row < A->n; row += unknowns)
        sum += Ax[row];
    memory_free(x);
    return sum / ((double)A->n / (double)unknowns);
}

START_TEST(one_eigenvalue_is_close_to_the_shift)
{
    static const double shifts[] = {1, 1e-3, 1e-4, 1e-5};
    for (int s = 0; s < 4; s++) {
        struct fe_mesh meshes[] = {
            {{40, 40, 0}, 5, shifts[s], .seed = 1},
            {{12, 12, 12}, 4, shifts[s], .seed = 1},
            {{12, 12, 12}, 4, shifts[s], 1, FE_MESH_RANDOM_DIAGONALS, FE_MESH_RANDOM_NUMBERING}};
        for (int m = 0; m < 3; m++) {
            struct csr A = create(&meshes[m]);
            for (int64_t u = 0; u < meshes[m].unknowns; u++) {
                double above = constant_quotient(&A, meshes[m].unknowns, u) - shifts[s];
                ck_assert_msg(above > 0 && above < 1.3e-6, "%g above %g", above, shifts[s]);
            }
            csr_free(&A);
        }
    }
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {no_eigenvalue_is_below_the_shift, one_eigenvalue_is_close_to_the_shift,
                            NULL};
    return suite_of("problem/fe_mesh_spectrum", tests);
}
