/* Preconditioners for other values on the same pattern: histories, what is refused, and where
 * memory is short. */
#include "made.h"
#include "support.h"

#include "options.h"
#include "precondition/multigrid/coarsening.h"
#include "precondition/multigrid/renewed.h"
#include "precondition/preconditioned.h"
#include "space/trials.h"
#include "spaces.h"

#include <string.h>

static struct options options_of(const char *aggregates, const char *precision)
{
    return test_options(COMPONENT_PRECONDITIONER, "multigrid", "coarsest=8", "reuse=aggregates",
                        aggregates, precision, NULL);
}

/* A solve behind set-up for isotropic values and a renewal for others. */
static enum status solve(const struct options *options, int threads, bool renews, struct csr *A,
                         struct preconditioned_history *history, double *x, struct error *error)
{
    struct linear_operator spmv, M = {0};
    double *b = randoms(A->n, 5), *values = values_copy(A);
    struct space *space = test_space(SPACE_CPU, REDUCTIONS_REPRODUCIBLE, threads);
    enum status status =
        operator_create(kernel_find("cpu_sym_bitwise"), A, NULL, space, &spmv, error);
    if (!status && renews)
        status = preconditioner_create(options, A, NULL, &spmv, &M, error);
    operator_destroy(&spmv);
    make_weak(A, 12, 1e-3);
    if (!status)
        status = operator_create(kernel_find("cpu_sym_bitwise"), A, NULL, space, &spmv, error);
    if (!status)
        status = preconditioner_renew(options, A, NULL, &spmv, &M, error);
    ck_assert(status || (strstr(M.description, "kept aggregates") != NULL) == renews);
    if (!status)
        status = solve_with(1e-8, &spmv, &M, A, b, history, x, error);
    operator_destroy(&M);
    operator_destroy(&spmv);
    space->operations->destroy(space);
    values_set(A, values);
    memory_free(values);
    memory_free(b);
    return status;
}

START_TEST(histories_are_the_same_everywhere)
{
    static const char *const ways[] = {"aggregates=grid", "aggregates=matching"};
    static const char *const precisions[] = {"precision=double", "precision=float"};
    static struct preconditioned_history first, next, fresh;
    struct csr A;
    make_poisson(12, 11, 10, &A);
    double *x = vector(A.n), *y = vector(A.n);
    for (int k = 0; k < 4; k++) {
        struct error error;
        struct options options = options_of(ways[k / 2], precisions[k % 2]);
        for (int t = 0; t < TEAMS; t++) {
            expect_ok(solve(&options, teams[t], true, &A, t ? &next : &first, t ? y : x, &error),
                      &error);
            if (t == 0)
                continue;
            expect_same_history(&first, &next, "teams");
            expect_same_vectors(x, y, A.n, "solutions");
        }
        expect_ok(solve(&options, 2, false, &A, &fresh, y, &error), &error);
        ck_assert_int_eq(first.result.reason, REASON_CONVERGED);
        ck_assert_int_eq(fresh.result.reason, REASON_CONVERGED);
        ck_assert(memcmp(x, y, (size_t)A.n * sizeof *x) != 0);
        options_free(&options);
    }
    memory_free(x);
    memory_free(y);
    csr_free(&A);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* Set-up refuses it with the same sentence, and is tried again from nothing. */
START_TEST(what_set_up_refuses_is_refused)
{
    struct csr A;
    make_poisson(9, 8, 7, &A);
    double *values = values_copy(&A);
    for (int k = 0; k < 4; k++) {
        struct error error, same;
        struct linear_operator spmv, M, other;
        struct options options =
            options_of(k % 2 ? "aggregates=matching" : "aggregates=grid", NULL);
        struct space *space = test_space(SPACE_CPU, REDUCTIONS_REPRODUCIBLE, 2);
        expect_ok(operator_create(kernel_find("cpu_csr"), &A, NULL, space, &spmv, &error), &error);
        expect_ok(preconditioner_create(&options, &A, NULL, &spmv, &M, &error), &error);
        operator_destroy(&spmv);
        A.values[A.offsets[40]] = -3;
        if (k < 2) { /* as the last pivot shows */
            take_sums_away(&A);
            A.values[A.offsets[40]] -= 0.1;
        }
        expect_ok(operator_create(kernel_find("cpu_csr"), &A, NULL, space, &spmv, &error), &error);
        expect_error(preconditioner_renew(&options, &A, NULL, &spmv, &M, &error), STATUS_CONFIG,
                     &error, "preconditioner multigrid: ", k < 2 ? "pivot" : "row 41 of level 1",
                     NULL);
        expect_error(preconditioner_create(&options, &A, NULL, &spmv, &other, &same), STATUS_CONFIG,
                     &same, NULL);
        ck_assert(k < 2 || strcmp(error.text, same.text) == 0);
        ck_assert_ptr_null(M.table);
        values_set(&A, values);
        operator_destroy(&spmv);
        expect_ok(operator_create(kernel_find("cpu_csr"), &A, NULL, space, &spmv, &error), &error);
        expect_ok(preconditioner_renew(&options, &A, NULL, &spmv, &M, &error), &error);
        ck_assert_ptr_null(strstr(M.description, "kept"));
        operator_destroy(&M);
        operator_destroy(&spmv);
        space->operations->destroy(space);
        options_free(&options);
    }
    memory_free(values);
    csr_free(&A);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* A preconditioner without the slot is made anew. */
START_TEST(others_are_made_anew)
{
    struct csr A;
    make_poisson(5, 4, 3, &A);
    for (int k = 1; k < PRECONDITIONERS_OF_ONE_LEVEL; k++) {
        struct error error;
        struct linear_operator spmv, M, fresh;
        struct options options = preconditioner_tried(k);
        double *r = randoms(A.n, 7), *y = vector(A.n), *z = vector(A.n), dot, other;
        struct space *space = test_space(SPACE_CPU, REDUCTIONS_REPRODUCIBLE, 2);
        expect_ok(operator_create(kernel_find("cpu_csr"), &A, NULL, space, &spmv, &error), &error);
        expect_ok(preconditioner_create(&options, &A, NULL, &spmv, &M, &error), &error);
        operator_destroy(&spmv);
        A.values[A.offsets[7]] += 1;
        expect_ok(operator_create(kernel_find("cpu_csr"), &A, NULL, space, &spmv, &error), &error);
        expect_ok(preconditioner_renew(&options, &A, NULL, &spmv, &M, &error), &error);
        expect_ok(preconditioner_create(&options, &A, NULL, &spmv, &fresh, &error), &error);
        expect_ok(operator_apply_dot(&M, r, y, &dot, &error), &error);
        expect_ok(operator_apply_dot(&fresh, r, z, &other, &error), &error);
        expect_same_vectors(y, z, A.n, "z");
        operator_destroy(&M);
        operator_destroy(&fresh);
        operator_destroy(&spmv);
        space->operations->destroy(space);
        options_free(&options);
        memory_free(r);
        memory_free(y);
        memory_free(z);
    }
    csr_free(&A);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* --- memory ----------------------------------------------------------------------------------- */

/* Only the renewal goes without. */
static void walk(const struct options *options, const struct csr *A)
{
    bool done = false;
    for (int64_t allowed = 0; !done; allowed++) {
        int64_t before = memory_live();
        struct error error;
        struct linear_operator spmv, M;
        struct space *space = test_space(SPACE_CPU, REDUCTIONS_REPRODUCIBLE, 1);
        expect_ok(operator_create(kernel_find("cpu_csr"), A, NULL, space, &spmv, &error), &error);
        expect_ok(preconditioner_create(options, A, NULL, &spmv, &M, &error), &error);
        memory_fail_after(allowed);
        enum status status = preconditioner_renew(options, A, NULL, &spmv, &M, &error);
        memory_fail_after(-1);
        done = !status;
        if (status) {
            expect_error(status, STATUS_MEMORY, &error, "out of memory", NULL);
            ck_assert_ptr_null(M.table);
        }
        operator_destroy(&M);
        operator_destroy(&spmv);
        space->operations->destroy(space);
        ck_assert_int_eq(memory_live(), before);
        ck_assert(!done || allowed > 10);
    }
}

START_TEST(without_memory)
{
    static const char *const ways[] = {"aggregates=grid", "aggregates=matching"};
    static const char *const precisions[] = {"precision=double", "precision=float"};
    struct csr all[2];
    struct error error;
    struct fe_mesh mesh = {.n = {5, 4, 3}, .unknowns = 3, .shift = 1e-3};
    make_poisson(6, 5, 4, &all[0]);
    expect_ok(fe_mesh_create(&mesh, &all[1], &error), &error);
    for (int k = 0; k < 4; k++) {
        struct options options = options_of(ways[k / 2], precisions[k % 2]);
        walk(&options, &all[(k + k / 2) % 2]);
        options_free(&options);
    }
    csr_free(&all[0]);
    csr_free(&all[1]);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {histories_are_the_same_everywhere, what_set_up_refuses_is_refused,
                            others_are_made_anew, without_memory, NULL};
    return suite_of("precondition/renew", tests);
}
