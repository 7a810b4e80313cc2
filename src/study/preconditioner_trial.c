/* The trials of one choice of options over one matrix: preconditioner_trial_list. */
#include "base/memory.h"
#include "base/parameter.h"
#include "study/preconditioner_trials.h"
#include "study/test_matrices.h"
#include "study/trial_products.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

struct made {
    struct linear_operator spmv, M;
};

static void destroy(struct made *made)
{
    operator_destroy(&made->M);
    operator_destroy(&made->spmv);
}

static void check_slots(struct trial_case *of, const struct linear_operator *M)
{
    of->found->can |= M->can;
    if (!M->table || !M->table->apply || !M->table->destroy)
        trial_broken(of, "M^-1 has no table, apply or destroy");
    else if (M->n != of->A->n || M->width != of->A->n)
        trial_broken(of, "set-up changes n or width of M^-1");
    else if (M->products < 0 || M->bytes_per_apply <= 0 || M->memory_bytes < 0)
        trial_broken(of, "products, bytes_per_apply or memory_bytes of M^-1 is not possible");
    else
        M->table->destroy(NULL);
}

/* In the current space. */
static enum status create(struct trial_case *of, struct made *made, struct error *error)
{
    *made = (struct made){0};
    enum status status = operator_create(of->kernel, of->A, &of->options, of->spaces.with[of->team],
                                         &made->spmv, error);
    if (status)
        return status;
    status = preconditioner_create(&of->with, of->A, NULL, &made->spmv, &made->M, error);
    if (status == STATUS_MEMORY || status == STATUS_DEVICE)
        return status;
    if (status)
        trial_broken(of, "set-up ends with: %s", error->text);
    else
        check_slots(of, &made->M);
    return STATUS_OK;
}

/* `count` vectors of n elements. */
static double *vectors(const struct trial_case *of, int64_t count, struct error *error)
{
    return memory_array(count * of->A->n, sizeof(double), "a trial's vectors", error);
}

static void draw(struct trial_case *of, int64_t count, double *v)
{
    for (int64_t i = 0; i < count; i++)
        v[i] = 2 * test_stream(&of->random) - 1;
}

/* z = M^-1 r, of one or several columns. */
static enum status apply(struct trial_case *of, const struct made *made, int64_t columns,
                         const double *r, double *z, struct error *error)
{
    struct trial_product product = {.columns = columns, .dot = columns == 1, .x = r, .y = z};
    enum status status = trial_multiply(&made->M, &product, error);
    of->found->done += !status;
    if (status)
        return status;
    if (product.wrong)
        trial_broken(of, "%s", product.wrong);
    for (int64_t i = 0; i < columns * of->A->n; i++)
        if (!isfinite(z[i]))
            trial_broken(of, "z has %g in row %" PRId64, z[i], i % of->A->n);
    if (columns == 1 && memcmp(&product.with, &product.apart, sizeof product.with) != 0)
        trial_broken(of, "r . z comes with z as %a, and is %a", product.with, product.apart);
    return STATUS_OK;
}

static void check_bits(struct trial_case *of, const char *what, const double *wanted,
                       const double *z)
{
    int64_t i = trial_other_bits(of->A->n, wanted, z);
    if (i < of->A->n)
        trial_broken(of, "%s: row %" PRId64 " is %a, and was %a before", what, i, z[i], wanted[i]);
}

/* --- the trials ------------------------------------------------------------------------------- */

/* Set up, and set up again for the same values; z[n] is room. */
static enum status some_applications(struct trial_case *of, const double *r, double *z,
                                     double *first, bool *has_first, struct error *error)
{
    struct made made;
    enum status status = create(of, &made, error);
    for (int k = 0; k < 3 && !status && trial_holds(of); k++) {
        if (k == 2)
            status = preconditioner_renew(&of->with, of->A, NULL, &made.spmv, &made.M, error);
        if (!status)
            status = apply(of, &made, 1, r, z, error);
        if (!status && !*has_first)
            memcpy(first, z, (size_t)of->A->n * sizeof *z);
        *has_first = true;
        if (!status)
            check_bits(of, k == 2 ? "z after renew" : "z", first, z);
    }
    destroy(&made);
    return status;
}

static enum status try_applications(struct trial_case *of, struct error *error)
{
    bool has_first = false;
    double *r = vectors(of, 3, error);
    enum status status = r ? STATUS_OK : STATUS_MEMORY;
    if (r)
        draw(of, of->A->n, r);
    for (int team = 0; team < of->spaces.teams && !status && trial_holds(of); team++) {
        of->team = team;
        status = some_applications(of, r, r + of->A->n, r + 2 * of->A->n, &has_first, error);
    }
    memory_free(r);
    return status;
}

static double unit_of(const struct trial_case *of)
{
    const struct parameter *parameter;
    size_t offset;
    for (int k = 0; (parameter = component_parameter(of->component, k, &offset)) != NULL; k++) {
        if (parameter->type != PARAMETER_CHOICE || strcmp(parameter->name, "precision") != 0)
            continue;
        unsigned chosen = parameter_bits(parameter, (const char *)of->values + offset);
        return strcmp(parameter->choices[chosen], "float") == 0 ? 0x1p-24 : 0x1p-53;
    }
    return 0x1p-53;
}

static long double dot(int64_t n, const double *x, const double *y)
{
    long double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += (long double)x[i] * (long double)y[i];
    return sum;
}

/* v[2 n]: x, y; z[2 n]: M^-1 of each. */
static void check_symmetry(struct trial_case *of, const double *v, const double *z)
{
    int64_t n = of->A->n;
    long double xx = dot(n, v, z), yy = dot(n, v + n, z + n);
    long double apart = fabsl(dot(n, v, z + n) - dot(n, v + n, z)), size = sqrtl(xx * yy);
    if (!(xx > 0 && yy > 0))
        trial_broken(of, "M^-1 is not positive definite: x . M^-1 x is %Lg", xx > 0 ? yy : xx);
    else if (!(apart <= 256 * (long double)(unit_of(of) * of->condition) * size))
        trial_broken(of, "M^-1 is not symmetric: x . M^-1 y and y . M^-1 x are %Lg apart, of %Lg",
                     apart, size);
}

static enum status try_symmetry(struct trial_case *of, struct error *error)
{
    struct made made;
    int64_t n = of->A->n;
    double *v = vectors(of, 4, error);
    if (!v)
        return STATUS_MEMORY;
    of->team = (int)trial_below(of, of->spaces.teams);
    enum status status = create(of, &made, error);
    for (int k = 0; k < (of->quick ? 1 : 3) && !status && trial_holds(of); k++) {
        draw(of, 2 * n, v);
        for (int j = 0; j < 2 && !status; j++)
            status = apply(of, &made, 1, v + j * n, v + (2 + j) * n, error);
        if (!status)
            check_symmetry(of, v, v + 2 * n);
    }
    destroy(&made);
    memory_free(v);
    return status;
}

static enum status some_columns(struct trial_case *of, const struct made *made, int64_t columns,
                                struct error *error)
{
    int64_t n = of->A->n;
    double *r = vectors(of, 2 * columns + 1, error);
    if (!r)
        return STATUS_MEMORY;
    double *z = r + columns * n, *alone = z + columns * n;
    draw(of, columns * n, r);
    enum status status = apply(of, made, columns, r, z, error);
    for (int64_t j = 0; j < columns && !status && trial_holds(of); j++) {
        char what[64];
        snprintf(what, sizeof what, "column %" PRId64 " of %" PRId64, j, columns);
        status = apply(of, made, 1, r + j * n, alone, error);
        if (!status)
            check_bits(of, what, alone, z + j * n);
    }
    memory_free(r);
    return status;
}

static enum status try_columns(struct trial_case *of, struct error *error)
{
    struct made made;
    of->team = (int)trial_below(of, of->spaces.teams);
    enum status status = create(of, &made, error);
    if (!status && trial_holds(of))
        status = some_columns(of, &made, 2 + trial_below(of, 7), error);
    if (!status && trial_holds(of))
        status = some_columns(of, &made, 2 + trial_below(of, 69), error);
    destroy(&made);
    return status;
}

/* Set-up and an application in which a product fails. */
static enum status with_products(struct trial_case *of, struct trial_fault *fault, const double *r,
                                 double *z, struct error *error)
{
    struct linear_operator failing = trial_failing(fault), M;
    struct trial_product product = {.x = r, .y = z};
    enum status status = preconditioner_create(&of->with, of->A, NULL, &failing, &M, error);
    if (!status)
        status = trial_multiply(&M, &product, error);
    operator_destroy(&M);
    return status;
}

static enum status try_failed_products(struct trial_case *of, struct error *error)
{
    struct linear_operator spmv;
    if (!trial_is_small(of))
        return STATUS_OK;
    double *r = vectors(of, 2, error);
    if (!r)
        return STATUS_MEMORY;
    of->team = 0;
    draw(of, of->A->n, r);
    enum status status =
        operator_create(of->kernel, of->A, &of->options, of->spaces.with[0], &spmv, error);
    struct trial_fault fault = {.A = &spmv};
    for (int64_t left = 0, end = 1000; left < end && !status && trial_holds(of); left++) {
        struct error why;
        fault.left = left;
        enum status ends = with_products(of, &fault, r, r + of->A->n, &why);
        if (fault.left >= 0 && !ends)
            end = left; /* no product failed */
        else if (ends != STATUS_DEVICE)
            trial_broken(of, "product %" PRId64 " with A fails, and that is not reported",
                         left + 1);
    }
    operator_destroy(&spmv);
    memory_free(r);
    return status;
}

static enum status set_up(struct trial_case *of, struct error *error)
{
    struct made made = {0};
    struct operator_columns columns = {0};
    enum status status =
        operator_create(of->kernel, of->A, &of->options, of->spaces.with[0], &made.spmv, error);
    if (!status)
        status = preconditioner_create(&of->with, of->A, NULL, &made.spmv, &made.M, error);
    if (!status)
        status = operator_columns_create(&made.M, COLUMNS_AT_ONCE + 3, &columns, error);
    operator_columns_destroy(&columns);
    destroy(&made);
    return status;
}

static enum status try_failed_allocations(struct trial_case *of, struct error *error)
{
    return trial_is_small(of) ? trial_allocations(of, set_up, error) : STATUS_OK;
}

const struct trial preconditioner_trial_list[] = {
    {"applications", try_applications},
    {"symmetry", try_symmetry},
    {"several columns", try_columns},
    {"failed products", try_failed_products},
    {"failed allocations", try_failed_allocations},
    {NULL, NULL},
};
