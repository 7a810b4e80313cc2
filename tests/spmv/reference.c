#include "spmv/reference.h"

#include "support.h"

#include "space/sum/compensated.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Knuth's TwoSum: *a = fl(*a + b), and what that lost. */
static double two_sum(double *a, double b)
{
    struct compensated both = compensated_add((struct compensated){*a, 0}, b, 0);
    *a = both.sum;
    return both.error;
}

static void add_product(struct reference_row *row, double a, double x)
{
    double product = a * x;
    double lost = two_sum(&row->sum, product);
    double first = two_sum(&row->error, fma(a, x, -product));
    double second = two_sum(&row->error, lost);
    row->rest += first + second;
    row->magnitude += fabs(product);
    row->length++;
}

double reference_value(enum precision precision, double v)
{
    return precision == PRECISION_DOUBLE ? v : (double)(float)v;
}

double reference_x(enum precision precision, double v)
{
    return precision == PRECISION_FLOAT ? (double)(float)v : v;
}

double reference_unit(enum precision precision)
{
    return precision == PRECISION_FLOAT ? FLT_EPSILON / 2 : DBL_EPSILON / 2;
}

void reference_create(const struct csr *A, const char *name, enum precision precision,
                      const double *x, struct reference *reference)
{
    struct error error;
    struct csr full;
    expect_ok(csr_expand(A, &full, &error), &error);
    *reference = (struct reference){.matrix = name,
                                    .n = A->n,
                                    .u = reference_unit(precision),
                                    .v = precision == PRECISION_FLOAT ? 0x1p-149 : 0x1p-1074};
    reference->rows = memory_zeros(A->n, sizeof *reference->rows, "the reference", &error);
    ck_assert_ptr_nonnull(reference->rows);
    for (int64_t i = 0; i < full.n; i++)
        for (int64_t k = full.offsets[i]; k < full.offsets[i + 1]; k++)
            add_product(&reference->rows[i], reference_value(precision, full.values[k]),
                        reference_x(precision, x[full.columns[k]]));
    csr_free(&full);
}

void reference_free(struct reference *reference)
{
    memory_free(reference->rows);
    *reference = (struct reference){0};
}

double reference_distance(const struct reference_row *row, double y)
{
    double distance = y;
    double lost = two_sum(&distance, -row->sum);
    return (distance - row->error) + (lost - row->rest);
}

double reference_gamma(int64_t m, double u)
{
    double mu = (double)m * u;
    return mu / (1 - mu);
}

/* Of m products and as many roundings. */
static double bound_of(const struct reference *reference, const struct reference_row *row,
                       int64_t m)
{
    return reference_gamma(m, reference->u) * row->magnitude + (double)m * reference->v;
}

double bound_of_sums(const struct reference *reference, const struct reference_row *row, double y)
{
    (void)y;
    return bound_of(reference, row, row->length + 1);
}

double bound_of_halves(const struct reference *reference, const struct reference_row *row, double y)
{
    (void)y;
    return bound_of(reference, row, row->length + 2);
}

/* How far s + c may lie from (A x)_i. */
static double bound_of_corrections(const struct reference *reference,
                                   const struct reference_row *row)
{
    return reference_gamma(2 * row->length, reference->u) *
           reference_gamma(row->length, reference->u) * row->magnitude;
}

double bound_of_compensated(const struct reference *reference, const struct reference_row *row,
                            double y)
{
    return reference->u * fabs(y) + bound_of_corrections(reference, row);
}

void expect_within(const struct reference *reference, const char *kernel, reference_bound *bound,
                   const double *y)
{
    for (int64_t i = 0; i < reference->n; i++) {
        const struct reference_row *row = &reference->rows[i];
        double distance = fabs(reference_distance(row, y[i]));
        double allowed = bound(reference, row, y[i]);
        ck_assert_msg(distance <= allowed,
                      "%s on %s: row %d: %.17g instead of %.17g, off by %.3g, bound %.3g", kernel,
                      reference->matrix, (int)i, y[i], row->sum + row->error, distance, allowed);
    }
}

int64_t expect_rounded(const struct reference *reference, const char *kernel, const double *y)
{
    int64_t decided = 0;
    for (int64_t i = 0; i < reference->n; i++) {
        const struct reference_row *row = &reference->rows[i];
        double room = bound_of_corrections(reference, row);
        double lowest = row->sum + (row->error + (row->rest - room));
        double highest = row->sum + (row->error + (row->rest + room));
        if (lowest != highest)
            continue;
        decided++;
        ck_assert_msg(memcmp(&y[i], &lowest, sizeof lowest) == 0,
                      "%s on %s: row %d: %a, but the product rounds to %a", kernel,
                      reference->matrix, (int)i, y[i], lowest);
    }
    return decided;
}
