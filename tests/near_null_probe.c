#include "near_null_probe.h"

#include "support.h"

#include "spmv/preconditioner.h"

#include <stdatomic.h>
#include <string.h>

static const struct near_null *expected;
static atomic_int met, missed; /* ranks set up at the same time */

static bool is_expected(const struct near_null *found)
{
    if (!found || !expected)
        return found == expected;
    return found->n == expected->n && found->block == expected->block &&
           found->count == expected->count &&
           memcmp(found->values, expected->values,
                  (size_t)(found->n * found->count) * sizeof *found->values) == 0;
}

static enum status setup(const void *options, const struct csr *A, const int32_t *number,
                         struct linear_operator *spmv, struct linear_operator *made,
                         struct error *error)
{
    const struct component *jacobi = component_find(COMPONENT_PRECONDITIONER, "jacobi");
    atomic_fetch_add(is_expected(A->near_null) ? &met : &missed, 1);
    return ((const struct preconditioner *)jacobi)->setup(options, A, number, spmv, made, error);
}

static int64_t bytes(const void *options, const struct csr *A)
{
    (void)options;
    return A->n * (int64_t)sizeof(double);
}

static bool by_rows(const void *options, const struct csr *A)
{
    (void)options, (void)A;
    return true;
}

static const struct preconditioner probe_own = {.component = {COMPONENT_PRECONDITIONER, "probe_own",
                                                              "a test's", NULL, 0, NULL},
                                                .setup_bytes = bytes,
                                                .setup = setup,
                                                .by_rows = by_rows,
                                                .leaves_rows = true,
                                                .device_rows = true},
                                   probe_all = {.component = {COMPONENT_PRECONDITIONER, "probe_all",
                                                              "a test's", NULL, 0, NULL},
                                                .setup_bytes = bytes,
                                                .setup = setup};

void near_null_probe_add(void)
{
    if (component_find(COMPONENT_PRECONDITIONER, "probe_own"))
        return;
    ck_assert(component_add(&probe_own.component) && component_add(&probe_all.component));
}

void near_null_probe_expect(const struct near_null *wanted)
{
    expected = wanted;
    atomic_store(&met, 0);
}

int near_null_probe_met(void)
{
    ck_assert_int_eq(atomic_load(&missed), 0);
    return atomic_load(&met);
}
