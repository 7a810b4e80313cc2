#include "solver/eigen.h"

#include "support.h"

#include "base/random.h"
#include "solver/lanczos/lanczos.h"
#include "solver/lapack.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const double EPS23 = 0x1.428a2f98d7292p-35; /* ritz_scale: DBL_EPSILON^(2/3) */

const struct eigen_choice eigen_standard = {"cpu_sym",
                                            REDUCTIONS_REPRODUCIBLE,
                                            EIGEN_ROWS - 1,
                                            {1, EIGEN_SMALLEST, 1e-10, REORTHOGONALIZATION_FULL, 0},
                                            0};

enum status eigen_try(struct eigen_choice choice, const struct csr *A, const double *b,
                      const struct observer *observer, double *values, struct solver_result *result,
                      struct error *error)
{
    struct space *space;
    struct linear_operator spmv;
    struct solver_options options = {
        .method = &method_lanczos, .max_iterations = choice.max_iterations, .eigen = choice.eigen};
    const struct kernel *kernel = kernel_find(choice.kernel);
    struct space_options wanted = {.reductions = choice.reductions, .threads = choice.threads};
    enum status status = space_create(kernel->space, &wanted, &space, error);
    if (status)
        return status;
    status = operator_create(kernel, A, NULL, space, &spmv, error);
    if (!status)
        status = solver_solve(&spmv, A, b, NULL, &options, observer, values, result, error);
    operator_destroy(&spmv);
    space->operations->destroy(space);
    return status;
}

static void keep_row(struct eigen_outcome *kept, const struct event *row)
{
    ck_assert_int_lt(kept->count, EIGEN_ROWS);
    ck_assert_int_eq(row->iteration, kept->count);
    kept->rows[kept->count++] = row_kept(&method_lanczos, row);
}

static void keep_vector(struct eigen_outcome *kept, const struct event *vector)
{
    int64_t k = vector->place;
    ck_assert_int_eq(k, kept->vectors_count);
    ck_assert_int_le((k + 1) * kept->n, EIGEN_PLACES);
    kept->values[k] = vector->eigenvalue;
    memcpy(kept->vectors + k * kept->n, vector->values, (size_t)kept->n * sizeof(double));
    kept->vectors_count++;
}

static enum status keep(void *context, const struct event *event, struct error *error)
{
    (void)error;
    if (event->kind == EVENT_ROW)
        keep_row(context, event);
    else
        keep_vector(context, event);
    return STATUS_OK;
}

/* Rows 1, 2, ...: what is known is in its range. */
static void check_rows(const struct eigen_choice *choice, struct eigen_outcome *made,
                       int64_t wanted)
{
    const struct kept_row *rows = made->rows;
    made->norm = 0;
    ck_assert(rows[0].residual == 1 && isnan(rows[0].alpha) && isnan(rows[0].beta));
    ck_assert(isnan(rows[0].values[LANCZOS_CONVERGED]));
    for (int64_t k = 1; k < made->count; k++) {
        const double *values = rows[k].values;
        if (isnan(rows[k].residual)) { /* the last one of a solve that is not finite */
            ck_assert(k == made->count - 1 && made->result.reason == REASON_NOT_FINITE);
            continue;
        }
        ck_assert(rows[k].residual >= 0 && isfinite(rows[k].alpha));
        ck_assert(values[LANCZOS_RITZ_LOW] <= values[LANCZOS_RITZ_HIGH]);
        ck_assert(values[LANCZOS_BOUND_LOW] >= 0 && values[LANCZOS_BOUND_HIGH] >= 0);
        ck_assert(values[LANCZOS_ORTHOGONALITY] >= 0 && values[LANCZOS_ORTHOGONALITY] <= 1);
        ck_assert(values[LANCZOS_CONVERGED] >= 0 && values[LANCZOS_CONVERGED] <= (double)wanted);
        ck_assert(values[LANCZOS_GHOSTS] >= 0);
        made->norm =
            fmax(made->norm, fmax(fabs(values[LANCZOS_RITZ_LOW]), values[LANCZOS_RITZ_HIGH]));
    }
    ck_assert(made->count <= choice->max_iterations + 1);
    ck_assert_int_eq(made->count, made->result.iterations + 1);
    ck_assert_int_eq(made->result.products, made->result.iterations);
    ck_assert_mem_eq(&rows[made->count - 1].residual, &made->result.residual, sizeof(double));
}

/* ||A v - theta v|| in long double, and in *allowed how far that may be off: n + 1 products and
 * sums a component. */
static long double residual_of(const struct csr *A, double theta, const double *v,
                               long double *allowed)
{
    static long double r[EIGEN_N], size[EIGEN_N];
    long double sum = 0, sizes = 0;
    for (int64_t i = 0; i < A->n; i++) {
        r[i] = -(long double)theta * v[i];
        size[i] = fabsl(r[i]);
    }
    for (int64_t i = 0; i < A->n; i++)
        for (int64_t k = A->offsets[i]; k < A->offsets[i + 1]; k++) {
            int32_t j = A->columns[k];
            long double a = A->values[k];
            r[i] += a * v[j];
            size[i] += fabsl(a * v[j]);
            if (j != i) {
                r[j] += a * v[i];
                size[j] += fabsl(a * v[i]);
            }
        }
    for (int64_t i = 0; i < A->n; i++) {
        sum += r[i] * r[i];
        sizes += size[i] * size[i];
    }
    *allowed = (long double)(A->n + 1) * LDBL_EPSILON * sqrtl(sizes);
    return sqrtl(sum);
}

/* The residuals are those of the vectors; v_i = v_i / ||v|| makes a norm of 1 to 2 u, and a
 * residual is rounded to a few u. */
static void check_vectors(const struct csr *A, struct eigen_outcome *made)
{
    double largest = 0;
    ck_assert_int_eq(made->vectors_count, made->result.eigen_count);
    for (int64_t k = 0; k < made->vectors_count; k++) {
        const double *v = made->vectors + k * A->n;
        long double norm = 0, allowed, residual = residual_of(A, made->values[k], v, &allowed);
        double said = made->residuals[k];
        for (int64_t i = 0; i < A->n; i++)
            norm += (long double)v[i] * v[i];
        ck_assert_msg(fabsl(sqrtl(norm) - 1) <= 4 * DBL_EPSILON, "a norm of %.20Lg", sqrtl(norm));
        ck_assert_msg(fabsl(residual - said) <= allowed + 4 * DBL_EPSILON * residual,
                      "residual %d is %Lg, not %g", (int)k, residual, said);
        if (said > 0)
            largest = fmax(largest, said / fmax(fabs(made->values[k]), EPS23 * made->norm));
    }
    if (made->vectors_count > 0)
        ck_assert_double_eq(made->result.true_residual, largest);
    else
        ck_assert(isnan(made->result.true_residual));
}

/* What each residual is said to be below. No row is longer than n, no restart larger, and there are
 * fewer of them than products, as of vectors that vanish, below 2^-48 of 2 ||A||. */
static void check_met(const struct eigen_choice *choice, const struct csr *A,
                      const struct eigen_outcome *made)
{
    const struct solver_result *result = &made->result;
    double most = (2 * (double)A->n + 0x1p+6) * sqrt((double)result->products);
    if (made->vectors_count > 0)
        ck_assert(result->eigen_rounding >= 0x1p-53 * made->norm &&
                  result->eigen_rounding <= 0x1p-53 * made->norm * most);
    for (int64_t k = 0; k < made->vectors_count; k++) {
        double size = fmax(fabs(made->values[k]), EPS23 * made->norm);
        bool met = made->residuals[k] <= 1.1 * choice->eigen.tolerance * size;
        bool down = made->residuals[k] <= result->eigen_rounding;
        ck_assert_int_eq(made->met[k], met    ? EIGEN_MET_TOLERANCE
                                       : down ? EIGEN_MET_ROUNDING
                                              : EIGEN_MET_NO);
    }
}

void eigen_find(struct eigen_choice choice, const struct csr *A, const double *b, int64_t seed,
                struct eigen_outcome *made)
{
    static double random[EIGEN_N];
    struct error error;
    struct solver_options options = {.method = &method_lanczos, .eigen = choice.eigen};
    struct observer observer = {
        .wants = 1u << EVENT_ROW | 1u << EVENT_EIGENVECTOR, .see = keep, .context = made};
    struct solver_result *result = &made->result;
    int64_t wanted = solver_solution_length(&options, A->n);
    double values[EIGEN_MOST];
    int open = 0;
    ck_assert(A->n <= EIGEN_N && wanted <= EIGEN_MOST);
    random_vector(seed, A->n, random);
    made->count = made->vectors_count = 0;
    made->n = A->n;
    memset(values, 0, sizeof values);
    expect_ok(eigen_try(choice, A, b ? b : random, &observer, values, result, &error), &error);
    ck_assert_int_le(result->eigen_count, wanted);
    for (int64_t k = 0; k < wanted; k++) {
        if (k >= result->eigen_count) {
            ck_assert(isnan(values[k]));
            continue;
        }
        ck_assert(values[k] == made->values[k] && values[k] == result->eigenvalues[k]);
        ck_assert(k == 0 || values[k - 1] <= values[k]);
        made->residuals[k] = result->eigen_residuals[k];
        made->met[k] = result->eigen_met[k];
        open += made->met[k] == EIGEN_MET_NO;
    }
    check_rows(&choice, made, wanted);
    check_vectors(A, made);
    check_met(&choice, A, made);
    const struct kept_row *last = &made->rows[made->count - 1];
    if (result->reason == REASON_CONVERGED || result->reason == REASON_RESIDUAL_GAP) {
        ck_assert_int_eq(result->eigen_count, wanted);
        ck_assert(last->residual <= fmax(choice.eigen.tolerance, 0x1p-53 / EPS23));
        ck_assert(last->values[LANCZOS_CONVERGED] == (double)wanted);
        ck_assert((open == 0) == (result->reason == REASON_CONVERGED));
        ck_assert(result->ritz_low == last->values[LANCZOS_RITZ_LOW]);
        ck_assert(result->ritz_high == last->values[LANCZOS_RITZ_HIGH]);
    }
    solver_result_free(result->eigenvalues
                           ? &(struct solver_result){.eigenvalues = result->eigenvalues,
                                                     .eigen_residuals = result->eigen_residuals,
                                                     .eigen_met = result->eigen_met}
                           : &(struct solver_result){0});
    result->eigenvalues = made->values;
    result->eigen_residuals = made->residuals;
    result->eigen_met = made->met;
}

void eigen_expect_reason(enum reason wanted, const struct eigen_outcome *made)
{
    ck_assert_msg(made->result.reason == wanted, "\"%s\" instead of \"%s\" at iteration %d, %g",
                  reason_name(made->result.reason), reason_name(wanted),
                  (int)made->result.iterations, made->result.true_residual);
}

double eigen_orthogonality(const struct eigen_outcome *made)
{
    double largest = 0;
    for (int64_t i = 0; i < made->vectors_count; i++)
        for (int64_t j = 0; j < i; j++) {
            long double product = 0;
            for (int64_t k = 0; k < made->n; k++)
                product +=
                    (long double)made->vectors[i * made->n + k] * made->vectors[j * made->n + k];
            largest = fmax(largest, (double)fabsl(product));
        }
    return largest;
}

/* found[count], and what was asked for from that end: spectrum in steps of `step` from `first`. */
static void expect_end(const struct eigen_outcome *made, int64_t begin, int64_t count,
                       const double *spectrum, int64_t first, int64_t step, double off)
{
    if (count == 0)
        return;
    double norm = fmax(fabs(spectrum[0]), fabs(spectrum[made->n - 1]));
    double last = step > 0 ? made->values[begin + count - 1] : made->values[begin];
    for (int64_t i = first; i >= 0 && i < made->n; i += step) {
        bool beyond = step > 0 ? spectrum[i] > last : spectrum[i] < last;
        double nearest = INFINITY, allowed = off;
        for (int64_t k = begin; k < begin + count; k++)
            if (fabs(made->values[k] - spectrum[i]) < nearest) {
                nearest = fabs(made->values[k] - spectrum[i]);
                allowed = off + made->residuals[k];
            }
        if (beyond && nearest > allowed)
            break;
        ck_assert_msg(nearest <= allowed + 1e-9 * norm, "eigenvalue %d, %.17g, was not found: %g",
                      (int)i, spectrum[i], nearest);
    }
}

void eigen_expect_spectrum(const struct eigen_choice *choice, const struct eigen_outcome *made,
                           const double *spectrum, double off)
{
    int64_t count = made->result.eigen_count;
    enum eigen_which which = choice->eigen.which;
    int64_t low = which == EIGEN_LARGEST ? 0 : which == EIGEN_BOTH ? (count + 1) / 2 : count;
    for (int64_t k = 0; k < count; k++) {
        double allowed = made->residuals[k] + off;
        int64_t copies = 0, there = 0;
        for (int64_t i = 0; i < made->n; i++)
            there += fabs(spectrum[i] - made->values[k]) <= 2 * allowed;
        for (int64_t i = 0; i < count; i++)
            copies += fabs(made->values[i] - made->values[k]) <= allowed;
        ck_assert_msg(there > 0, "%.17g is no eigenvalue", made->values[k]);
        ck_assert_msg(copies <= there, "%.17g was found %d times, and there %d", made->values[k],
                      (int)copies, (int)there);
    }
    expect_end(made, 0, low, spectrum, 0, 1, off);
    expect_end(made, low, count - low, spectrum, made->n - 1, -1, off);
}

double *eigen_spectrum(const struct csr *A)
{
    struct error error;
    int64_t n = A->n;
    ck_assert_int_le(n, 500);
    double *dense = memory_zeros(n * n, sizeof *dense, "a dense matrix", &error);
    double *values = memory_array(n, sizeof *values, "eigenvalues", &error);
    ck_assert(dense && values);
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = A->offsets[i]; k < A->offsets[i + 1]; k++)
            dense[i + n * A->columns[k]] = dense[A->columns[k] + n * i] = A->values[k];
    lapack_symmetric(n, dense, values);
    memory_free(dense);
    return values;
}
