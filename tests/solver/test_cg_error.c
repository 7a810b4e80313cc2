/* The error norm that stands in the rows of conjugate gradients against the error itself, with
 * rounding: nothing here holds in exact arithmetic alone.
 *
 * A = diag(lambda), so e = A^-1 b - x_k is known. With the vectors of the solve, N = e . A e,
 * rho = r . r and S = p . p / rho = 1 / phi, the header's estimate is sqrt(rho / (S ritz_low)). Two
 * inequalities of Cauchy and Schwarz hold for any e and p:
 *
 *     (p . A e)^2 <= N p . A p           so N is about alpha rho at the least (Hestenes and Stiefel
 *                                        1952, theorem 6:1)
 *     (e . p)^2 <= N p . p / lambda_min  and as S N = e . p (theorem 6:3),
 *                                        N <= rho / (S lambda_min) (Meurant and Tichy 2019)
 *
 * Rounding spoils p . A e = rho and S N = e . p, but by local errors alone (as Strakos and Tichy
 * 2002 found for N - N' = alpha rho). A letter without a prime belongs to row k, with one to row
 * k + 1; what stands in brackets is at most so much; g = r - A e is the gap; and G = 64 u is more
 * than two sums of 20 roundings each (space/sum/sum_order.h), q and a quotient take:
 *
 *     r' = r - alpha A p + (u |r'| + u alpha |A p|),  p' = r' + beta p + (u |p'|),
 *         x' = x + alpha p + (u |x'|)
 *     alpha p . A p = rho + (G rho),  beta = rho' / rho + (G rho' / rho)
 *
 * So there are bounds T, Z and D that follow from one row to the next, beginning with 0:
 *
 *     T' >= |r' . p| / rho:     T' = (1 + G) T + G + u ((|r| + |r'|) . |p| / rho + 1)
 *     p' . A e' = rho' + (rho' (1 + G) T' + u |p'| . |r'| + |p' . g'|)
 *     Z >= |shape of the rows / S - 1|:     Z' = (1 + G) Z + G + 2 (1 + G) T' / S'
 *     N - N' = (e - e') . A (e + e') = alpha rho + (E),
 *         E = alpha rho (2 T' + G) + 2 alpha |p . g'| + u |x'| . (|A (e + e')| + alpha |A p|)
 *     D >= |S N - e . p|:     S' N' - e' . p' = beta (S N - e . p - S (N - N' - alpha rho)) + ...,
 *         so that
 *         D' = beta (D + S E) + (G beta S + 2 (1 + G) T' + 2 u S') N' + |e' . g'| + u |e'| . |p'| +
 *             beta u |x'| . |p|
 *
 * D / S enters D' / S' with beta S / S' = 1 - phi' < 1, so what a step has lost does not grow. In
 * every row then
 *
 *     N <= sqrt(rho N / (S lambda_min)) + D / S,
 *
 * and D / S is some 1e-7 of N when a solve ends. */
#include "support.h"

#include "solver/solve.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MOST = 240 };

static const long double U = DBL_EPSILON / 2, G = 32 * DBL_EPSILON;

/* A solve with r_k, x_k and p_k of every row. */
static struct {
    int64_t n, count;
    struct kept_row rows[SOLVE_ROWS];
    double r[SOLVE_ROWS][MOST], x[SOLVE_ROWS][MOST], p[SOLVE_ROWS][MOST];
} seen;

static void keep_vector(const struct event *vector)
{
    int64_t k = vector->iteration;
    double *kept = vector->place == VECTOR_R   ? seen.r[k]
                   : vector->place == VECTOR_X ? seen.x[k]
                                               : seen.p[k];
    memcpy(kept, vector->values, (size_t)seen.n * sizeof *kept);
}

static enum status keep(void *context, const struct event *event, struct error *error)
{
    (void)context, (void)error;
    if (event->kind == EVENT_ROW)
        seen.rows[seen.count++] = row_kept(&method_cg, event);
    else
        keep_vector(event);
    return STATUS_OK;
}

static void solve_and_look(const struct csr *A, const double *b)
{
    const struct observer observer = {
        .wants = 1u << EVENT_ROW | 1u << EVENT_VECTOR,
        .trace = {1, 1u << VECTOR_R | 1u << VECTOR_X | 1u << VECTOR_P},
        .see = keep};
    struct solver_result result;
    struct error error;
    double x[MOST];
    seen.n = A->n;
    seen.count = 0;
    expect_ok(try_solve(standard, A, b, &observer, x, &result, &error), &error);
    ck_assert_int_eq(result.reason, REASON_CONVERGED);
}

/* What the head of this file calls so, of row k. */
struct state {
    long double e[MOST], g[MOST];
    long double N, rho, S, T, Z, D;
    long double p_g, r_p; /* p . g, |r| . |p| */
};

/* The part of it that follows from the vectors. */
static void look_at(const struct csr *A, const double *b, int64_t k, struct state *s)
{
    const double *r = seen.r[k], *x = seen.x[k], *p = seen.p[k];
    long double pp = 0;
    s->N = s->rho = s->p_g = s->r_p = 0;
    for (int64_t i = 0; i < A->n; i++) {
        long double lambda = A->values[i];
        s->e[i] = b[i] / lambda - x[i];
        s->g[i] = r[i] - lambda * s->e[i];
        s->N += s->e[i] * lambda * s->e[i];
        s->rho += (long double)r[i] * r[i];
        s->p_g += p[i] * s->g[i];
        s->r_p += fabsl((long double)r[i] * p[i]);
        pp += (long double)p[i] * p[i];
    }
    s->S = pp / s->rho;
}

/* The bounds of row k from those of the row before. */
static void follow(const struct csr *A, int64_t k, const struct state *before, struct state *s)
{
    const double *p = seen.p[k - 1], *next_r = seen.r[k], *next_x = seen.x[k], *next_p = seen.p[k];
    long double alpha = seen.rows[k].alpha, beta = seen.rows[k + 1].beta;
    long double next_r_p = 0, p_g = 0, e_g = 0, e_p = 0, x_p = 0, x_Ae = 0;
    for (int64_t i = 0; i < A->n; i++) {
        long double lambda = A->values[i], x = fabsl((long double)next_x[i]);
        next_r_p += fabsl((long double)next_r[i] * p[i]);
        p_g += p[i] * s->g[i];
        e_g += s->e[i] * s->g[i];
        e_p += fabsl(s->e[i] * next_p[i]);
        x_p += x * fabsl((long double)p[i]);
        x_Ae += x * lambda * (fabsl(s->e[i] + before->e[i]) + alpha * fabsl((long double)p[i]));
    }
    s->T = (1 + G) * before->T + G + U * ((before->r_p + next_r_p) / before->rho + 1);
    s->Z = (1 + G) * before->Z + G + 2 * (1 + G) * s->T / s->S;
    long double E = alpha * before->rho * (2 * s->T + G) + 2 * alpha * fabsl(p_g) + U * x_Ae;
    s->D = beta * (before->D + before->S * E) +
           (G * beta * before->S + 2 * (1 + G) * s->T + 2 * U * s->S) * s->N + fabsl(e_g) +
           U * e_p + beta * U * x_p;
}

/* The estimate is what the header says, and bounds the error as it says. */
static void check_row(int64_t k, const struct state *s, long double smallest)
{
    const double *values = seen.rows[k].values;
    long double alpha = seen.rows[k + 1].alpha, error = sqrtl(s->N);
    long double low = values[CG_RITZ_LOW], estimate = values[CG_ERROR_NORM];
    long double wanted = sqrtl(s->rho / (s->S * low)), off = s->Z + G;
    ck_assert_msg(fabsl(estimate - wanted) <= off * wanted, "row %d: %Lg, and not %Lg", (int)k,
                  estimate, wanted);
    long double half = estimate * sqrtl(low / smallest) * (1 + off) / 2;
    long double most = half + sqrtl(half * half + s->D / s->S);
    ck_assert_msg(error <= most, "row %d: %Lg above %Lg", (int)k, error, most);
    long double least = (1 - (1 + G) * s->T - (U * s->r_p + fabsl(s->p_g)) / s->rho) *
                        sqrtl(alpha * s->rho) * (1 - G);
    ck_assert_msg(error >= least, "row %d: %Lg below %Lg", (int)k, error, least);
}

START_TEST(the_error_norm_bounds_the_error)
{
    static struct state states[2];
    uint64_t state = test_seed();
    for (int trial = 0; trial < 40; trial++) {
        int64_t n = 40 + test_random_below(&state, 200);
        double values[MOST], b[MOST], smallest = INFINITY, span = 1 + 3 * test_random(&state);
        struct csr A;
        for (int64_t i = 0; i < n; i++) {
            values[i] = pow(10, span * test_random(&state));
            b[i] = values[i] * (2 * test_random(&state) - 1);
            smallest = fmin(smallest, values[i]);
        }
        diagonal(n, values, &A);
        solve_and_look(&A, b);
        look_at(&A, b, 0, &states[0]);
        states[0].T = states[0].Z = states[0].D = 0; /* p_0 = r_0 = b, x_0 = 0 */
        for (int64_t k = 1; k + 1 < seen.count; k++) {
            struct state *s = &states[k % 2];
            look_at(&A, b, k, s);
            follow(&A, k, &states[(k - 1) % 2], s);
            check_row(k, s, smallest);
        }
        csr_free(&A);
    }
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {the_error_norm_bounds_the_error, NULL};
    return suite_of("solver/cg_error", tests);
}
