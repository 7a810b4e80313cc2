#include "study/kernel_trials.h"

#include "base/memory.h"
#include "study/product_reference.h"
#include "study/trial_products.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { REPEATS = 3, SETUPS = 2 };

/* --- operators -------------------------------------------------------------------------------- */

static enum precision precision_of(const struct trial_case *of)
{
    return kernel_precision(of->kernel, &of->options);
}

static enum kernel_guarantee promised(const struct trial_case *of)
{
    return kernel_guarantee(of->kernel, &of->options);
}

static bool promises_bits(const struct trial_case *of)
{
    return promised(of) == GUARANTEE_RUN || promised(of) == GUARANTEE_BITWISE;
}

static void check_slots(struct trial_case *of, const struct linear_operator *spmv)
{
    const struct csr *A = of->A;
    bool float_sums = precision_of(of) == PRECISION_FLOAT;
    int64_t vectors = (int64_t)sizeof(double) * (A->n + A->width);
    of->found->can |= spmv->can;
    if (!spmv->table || !spmv->table->apply || !spmv->table->destroy)
        trial_broken(of, "the operator has no table, apply or destroy");
    else if (spmv->n != A->n || spmv->width != A->width || spmv->products != 1 ||
             strcmp(spmv->name, of->kernel->component.name) != 0)
        trial_broken(of, "set-up changes the operator's name, n, width or products");
    else if (!(spmv->can & OPERATOR_SINGLES) == float_sums)
        trial_broken(of, "OPERATOR_SINGLES is for sums of single precision, and for these always");
    else if (spmv->can & OPERATOR_SINGLE_COLUMNS &&
             !(spmv->can & OPERATOR_COLUMNS && spmv->can & OPERATOR_SINGLES))
        trial_broken(of, "OPERATOR_SINGLE_COLUMNS comes with OPERATOR_COLUMNS and _SINGLES");
    else if (spmv->can & OPERATOR_COLUMNS && spmv->can & OPERATOR_APART)
        trial_broken(of, "OPERATOR_COLUMNS and OPERATOR_APART exclude each other");
    else if (spmv->bytes_per_apply <= 0 || spmv->bytes_per_column < 0 ||
             (operator_sweeps(spmv) && spmv->bytes_per_column > spmv->bytes_per_apply - vectors))
        trial_broken(of, "bytes_per_apply or bytes_per_column is not possible");
    else
        spmv->table->destroy(NULL);
}

/* In the current space. A failure, or a wrong operator, breaks the trial. */
static enum status create(struct trial_case *of, struct linear_operator *spmv, struct error *error)
{
    enum status status =
        operator_create(of->kernel, of->A, &of->options, of->spaces.with[of->team], spmv, error);
    if (status == STATUS_MEMORY || status == STATUS_DEVICE)
        return status;
    if (status)
        trial_broken(of, "set-up ends with: %s", error->text);
    else
        check_slots(of, spmv);
    return STATUS_OK;
}

/* --- one product ------------------------------------------------------------------------------ */

static enum status multiply(struct trial_case *of, const struct linear_operator *spmv,
                            struct trial_product *product, struct error *error)
{
    enum status status = trial_multiply(spmv, product, error);
    of->found->done += !status;
    if (!status && product->wrong)
        trial_broken(of, "%s%s", product->wrong, product->singles ? ", a vector of singles" : "");
    return status;
}

/* y, of the product called `what`, has the bits of `wanted`. */
static void check_bits(struct trial_case *of, const char *what, const double *wanted,
                       const double *y)
{
    int64_t i = trial_other_bits(of->A->n, wanted, y);
    if (i < of->A->n)
        trial_broken(of, "%s: row %" PRId64 " is %a, and was %a in a product before", what, i, y[i],
                     wanted[i]);
}

static enum status refer(struct trial_case *of, const double *x,
                         struct product_reference *reference, struct error *error)
{
    bool accurate = promised(of) == GUARANTEE_ACCURATE && precision_of(of) != PRECISION_FLOAT;
    return product_reference_create(NULL, of->A, x, precision_of(of),
                                    accurate ? SUMS_COMPENSATED : SUMS_PLAIN, reference, error);
}

static void judge(struct trial_case *of, const char *what,
                  const struct product_reference *reference, const double *y)
{
    struct product_error found = product_reference_judge(reference, y, 1);
    if (found.worst > 1)
        trial_broken(of, "%s: row %" PRId64 " is off by %.3g times what rounding explains", what,
                     found.row, found.worst);
}

static double *vectors(const struct trial_case *of, int64_t count, struct error *error)
{
    return memory_array(count * (of->A->n + of->A->width), sizeof(double), "a trial's vectors",
                        error);
}

/* --- the trials ------------------------------------------------------------------------------- */

/* x, the first y, and the reference. */
struct products {
    double *x, *first;
    bool has_first;
    struct product_reference reference;
};

/* y = A x once: within the bound, and with the bits of the first y. */
static enum status product(struct trial_case *of, const struct linear_operator *spmv,
                           struct products *products, bool singles, double *y, struct error *error)
{
    const char *what = singles ? "vectors of singles" : "y";
    struct trial_product made = {.singles = singles, .x = products->x, .y = y};
    enum status status = multiply(of, spmv, &made, error);
    if (status || !trial_holds(of))
        return status;
    judge(of, what, &products->reference, y);
    if (!promises_bits(of))
        return STATUS_OK;
    if (!products->has_first)
        memcpy(products->first, y, (size_t)of->A->n * sizeof *y);
    products->has_first = true;
    check_bits(of, what, products->first, y);
    return STATUS_OK;
}

static enum status some_products(struct trial_case *of, struct products *products, double *y,
                                 struct error *error)
{
    struct linear_operator spmv;
    enum status status = create(of, &spmv, error);
    for (int k = 0; k < (of->quick ? 1 : REPEATS) && !status && trial_holds(of); k++)
        status = product(of, &spmv, products, false, y, error);
    if (!status && trial_holds(of) && spmv.can & OPERATOR_SINGLES)
        status = product(of, &spmv, products, true, y, error);
    operator_destroy(&spmv);
    return status;
}

/* With each team, set up twice. */
static enum status try_products(struct trial_case *of, struct error *error)
{
    double *x = vectors(of, 2, error), *y = x ? x + of->A->width : NULL;
    if (!x)
        return STATUS_MEMORY;
    struct products products = {.x = x, .first = y + of->A->n};
    trial_vector(x, of->A->width, &of->random);
    enum status status = refer(of, x, &products.reference, error);
    for (int k = 0; k < SETUPS * of->spaces.teams && !status && trial_holds(of); k++) {
        of->team = k / SETUPS;
        if (k % SETUPS == 0 && promised(of) == GUARANTEE_RUN)
            products.has_first = false;
        status = some_products(of, &products, y, error);
    }
    product_reference_free(&products.reference);
    memory_free(x);
    return status;
}

/* x . y, and y where its bits are promised. */
static enum status dot_product(struct trial_case *of, const struct linear_operator *spmv,
                               const double *x, double *y, double *alone, struct error *error)
{
    struct trial_product with = {.dot = true, .x = x, .y = y}, without = {.x = x, .y = alone};
    enum status status = multiply(of, spmv, &with, error);
    if (!status && trial_holds(of))
        status = multiply(of, spmv, &without, error);
    if (status || !trial_holds(of))
        return status;
    if (memcmp(&with.with, &with.apart, sizeof with.with) != 0)
        trial_broken(of, "x . y comes with the product as %a, and is %a", with.with, with.apart);
    else if (promises_bits(of))
        check_bits(of, "y with x . y", alone, y);
    return STATUS_OK;
}

static enum status try_dot_products(struct trial_case *of, struct error *error)
{
    int64_t n = of->A->n;
    if (of->A->width != n)
        return STATUS_OK;
    double *x = vectors(of, 2, error);
    enum status status = x ? STATUS_OK : STATUS_MEMORY;
    if (x)
        trial_vector(x, n, &of->random);
    for (int team = 0; team < of->spaces.teams && !status && trial_holds(of); team++) {
        struct linear_operator spmv;
        of->team = team;
        status = create(of, &spmv, error);
        if (!status && trial_holds(of) && spmv.can & OPERATOR_DOT)
            status = dot_product(of, &spmv, x, x + n, x + 2 * n, error);
        operator_destroy(&spmv);
    }
    memory_free(x);
    return status;
}

/* Column j of Y beside the product with it alone, where it promises its bits; else within the
 * bound. alone[n] is room. */
static enum status column(struct trial_case *of, const struct linear_operator *spmv,
                          const struct trial_product *all, int64_t j, double *alone,
                          struct error *error)
{
    char what[64];
    const double *x = all->x + j * of->A->width, *y = all->y + j * of->A->n;
    snprintf(what, sizeof what, "column %" PRId64 " of %" PRId64, j, all->columns);
    if (!(spmv->can & OPERATOR_APART) && promises_bits(of)) {
        struct trial_product single = {.x = x, .y = alone};
        enum status status = multiply(of, spmv, &single, error);
        if (!status)
            check_bits(of, what, alone, y);
        return status;
    }
    struct product_reference reference;
    enum status status = refer(of, x, &reference, error);
    if (!status)
        judge(of, what, &reference, y);
    product_reference_free(&reference);
    return status;
}

/* The same columns as singles: Y is that of doubles, where its bits are promised. */
static enum status single_columns(struct trial_case *of, const struct linear_operator *spmv,
                                  const struct trial_product *doubles, double *y,
                                  struct error *error)
{
    char what[64];
    int64_t n = of->A->n, columns = doubles->columns;
    struct trial_product product = {.singles = true, .columns = columns, .x = doubles->x, .y = y};
    enum status status = multiply(of, spmv, &product, error);
    for (int64_t j = 0; j < columns && !status && trial_holds(of); j++) {
        snprintf(what, sizeof what, "column %" PRId64 " of %" PRId64 " of singles", j, columns);
        check_bits(of, what, doubles->y + j * n, y + j * n);
    }
    return status;
}

static bool takes_single_columns(const struct trial_case *of, const struct linear_operator *spmv,
                                 int64_t columns)
{
    return spmv->can & OPERATOR_SINGLE_COLUMNS && promises_bits(of) && columns > 1 &&
           columns <= COLUMNS_AT_ONCE;
}

static enum status some_columns(struct trial_case *of, const struct linear_operator *spmv,
                                int64_t columns, struct error *error)
{
    int64_t n = of->A->n, width = of->A->width;
    double *x = vectors(of, 2 * columns, error), *y = x ? x + columns * width : NULL;
    if (!x)
        return STATUS_MEMORY;
    struct trial_product product = {.columns = columns, .x = x, .y = y};
    trial_vector(x, columns * width, &of->random);
    enum status status = multiply(of, spmv, &product, error);
    for (int64_t j = 0; j < columns && !status && trial_holds(of); j++)
        status = column(of, spmv, &product, j, y + columns * n, error);
    if (!status && trial_holds(of) && takes_single_columns(of, spmv, columns))
        status = single_columns(of, spmv, &product, y + columns * n, error);
    memory_free(x);
    return status;
}

/* One number of columns, each stride equally likely, with one number of threads; or every number
 * (`quick`: each stride but 2) with the first. */
static enum status try_columns(struct trial_case *of, struct error *error)
{
    struct linear_operator spmv;
    of->team = of->every_column ? 0 : (int)trial_below(of, of->spaces.teams);
    enum status status = create(of, &spmv, error);
    if (of->every_column) {
        for (int64_t k = 1; k <= COLUMNS_AT_ONCE + 1 && !status && trial_holds(of);
             k += of->quick ? 3 : 1)
            status = some_columns(of, &spmv, k, error);
        for (int64_t k = 2; k <= 4 && !status && trial_holds(of); k += 2)
            status = some_columns(of, &spmv, k * COLUMNS_AT_ONCE, error);
    } else if (!status && trial_holds(of)) {
        int64_t above = INT64_C(1) << trial_below(of, 6);
        status = some_columns(of, &spmv, above + 1 + trial_below(of, above), error);
    }
    operator_destroy(&spmv);
    return status;
}

/* An operator, and products with several vectors. */
static enum status set_up(struct trial_case *of, struct error *error)
{
    struct linear_operator spmv;
    struct operator_columns columns = {0};
    enum status status =
        operator_create(of->kernel, of->A, &of->options, of->spaces.with[0], &spmv, error);
    if (!status)
        status = operator_columns_create(&spmv, COLUMNS_AT_ONCE + 3, &columns, error);
    operator_columns_destroy(&columns);
    operator_destroy(&spmv);
    return status;
}

static enum status try_failed_allocations(struct trial_case *of, struct error *error)
{
    return trial_allocations(of, set_up, error);
}

const struct trial kernel_trial_list[] = {
    {"products", try_products},
    {"dot products", try_dot_products},
    {"several columns", try_columns},
    {"failed allocations", try_failed_allocations},
    {NULL, NULL},
};
