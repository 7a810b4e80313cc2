/* The tables of the methods, and what solver_takes makes of them. */
#include "solver/method.h"

#include "support.h"

#include "spmv/preconditioner.h"
#include "study/method_trials.h"

#include <string.h>

static const enum csr_kind kinds[] = {CSR_SYMMETRIC, CSR_SKEW, CSR_GENERAL};

/* Their names are columns of a CSV file, found by name. */
static void check_series(const struct method *method)
{
    int count = 0, without_M = method_series_count(method, false);
    for (const struct series *series = method->series; series->name; series++, count++) {
        ck_assert(*series->name && !strpbrk(series->name, ",\"\n #"));
        ck_assert_msg(method_series(method, series->name) == count, "%s: two series %s",
                      method->component.name, series->name);
        ck_assert(series->meaning && *series->meaning);
        ck_assert(series->rows <= SERIES_WITH_M);
        ck_assert((count >= without_M) == (series->rows == SERIES_WITH_M));
    }
    ck_assert_int_eq(method_series_count(method, true), count);
    ck_assert_int_lt(method_series(method, "residual"), without_M);
    ck_assert(without_M == count || method->traits & METHOD_TAKES_PRECONDITIONER ||
              method->kind == CSR_SKEW); /* whose table is that of minres */
    ck_assert_int_le(count, SERIES_MOST);
    ck_assert_int_ge(method_series(method, "residual"), 0);
    ck_assert_int_eq(method_series(method, "none"), -1);
}

/* Which of the two says that there are some makes no difference. */
static void check_vectors(const struct method *method)
{
    ck_assert(!method->vectors == !(method->traits & METHOD_TAKES_TRACE));
    ck_assert_uint_lt(method->vectors, 1u << SOLVER_VECTORS);
}

START_TEST(names_of_vectors)
{
    for (int k = 0; k < SOLVER_VECTORS; k++) {
        ck_assert(*solver_vector_names[k] && strlen(solver_vector_names[k]) < VECTOR_NAME);
        ck_assert(!strpbrk(solver_vector_names[k], ",\"\n"));
    }
    ck_assert_ptr_null(solver_vector_names[SOLVER_VECTORS]);
}
END_TEST

START_TEST(every_table_is_whole)
{
    int count;
    const struct component *const *methods = component_list(COMPONENT_METHOD, &count);
    ck_assert_int_gt(count, 0);
    ck_assert_ptr_null(method_find("none"));
    for (int k = 0; k < count; k++) {
        const struct method *method = (const struct method *)methods[k];
        struct solver_options options = {.method = method};
        ck_assert_ptr_eq(method_find(methods[k]->name), method);
        ck_assert(*method->title && *method->needs && *method->matrix);
        ck_assert(method->kind == CSR_SYMMETRIC || method->kind == CSR_SKEW);
        ck_assert_msg(!(method->traits & METHOD_FINDS_VECTOR) !=
                          !(method->traits & METHOD_FINDS_EIGENVALUES),
                      "%s finds a vector or eigenvalues", methods[k]->name);
        ck_assert(solver_finds_vector(&options) == !(method->traits & METHOD_FINDS_EIGENVALUES));
        check_series(method);
        check_vectors(method);
        ck_assert(method->krylov || (method->begin && method->advance && method->end &&
                                     method->keep && method->destroy && method->memory_bytes));
        ck_assert(method->size >= sizeof(struct solver) && method->bytes_per_iteration);
    }
}
END_TEST

/* The kind of the matrix first, and then the preconditioner. */
START_TEST(what_is_not_taken_is_refused)
{
    int count;
    const struct component *const *methods = component_list(COMPONENT_METHOD, &count);
    static const struct linear_operator M;
    for (int k = 0; k < count; k++)
        for (int which = 0; which < 3; which++)
            for (int preconditioned = 0; preconditioned < 2; preconditioned++) {
                const struct method *method = (const struct method *)methods[k];
                struct error error;
                struct csr A = {.kind = kinds[which], .n = 4, .width = 4};
                struct solver_options options = {.method = method,
                                                 .preconditioner = preconditioned ? &M : NULL};
                enum status status = solver_takes(&options, &A, &error);
                if (A.kind != method->kind)
                    expect_error(status, STATUS_CONFIG, &error, method->needs, "this one is ",
                                 A.kind == CSR_GENERAL ? "general"
                                 : method->refusal     ? method->refusal
                                                       : "takes it",
                                 NULL);
                else if (preconditioned && !(method->traits & METHOD_TAKES_PRECONDITIONER))
                    expect_error(status, STATUS_CONFIG, &error, methods[k]->name,
                                 " takes no preconditioner", NULL);
                else
                    expect_ok(status, &error);
            }
}
END_TEST

/* Every method with trials, with every kernel of the CPU that promises its bits. */
START_TEST(every_method_holds)
{
    int count, methods_count;
    struct error error;
    struct trials_options how = {.seed = test_seed(), .quick = test_is_slow()};
    const struct kernel *const *kernels = kernel_list(&count);
    const struct component *const *methods = component_list(COMPONENT_METHOD, &methods_count);
    for (int m = 0; m < methods_count; m++)
        for (int k = 0; k < count; k++) {
            struct trials_found found;
            const struct method *method = (const struct method *)methods[m];
            if (!method_has_trials(method) || kernels[k]->space != SPACE_CPU ||
                kernels[k]->guarantee != GUARANTEE_BITWISE)
                continue;
            expect_ok(method_try(method, kernels[k], &how, &found, &error), &error);
            ck_assert_msg(!*found.broken, "%s with %s, %s: %s", methods[m]->name,
                          kernels[k]->component.name, found.trial, found.broken);
            ck_assert_int_gt(found.done, found.matrices);
        }
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {every_table_is_whole, names_of_vectors, what_is_not_taken_is_refused,
                            every_method_holds, NULL};
    return suite_of("solver/methods", tests);
}
