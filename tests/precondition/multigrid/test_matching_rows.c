/* Set-up by matching in the memory of a space, as a device does it, against that of the host: the
 * same bits. The space is a CPU's, whose memory set-up treats as a device's. */
#include "made.h"
#include "support.h"

#include "base/threads.h"
#include "matrices.h"
#include "precondition/multigrid/coarsening.h"
#include "precondition/multigrid/setup/matching.h"
#include "precondition/multigrid/setup/rescale.h"
#include "spaces.h"
#include "spmv/device_csr.h"
#include "spmv/lower_rows.h"

#include <math.h>
#include <string.h>

static void expect_same(const struct csr *made, const struct csr *wanted)
{
    ck_assert_int_eq(made->n, wanted->n);
    ck_assert_int_eq(made->nnz, wanted->nnz);
    ck_assert_mem_eq(made->offsets, wanted->offsets, (size_t)(made->n + 1) * sizeof *made->offsets);
    ck_assert_mem_eq(made->columns, wanted->columns, (size_t)made->nnz * sizeof *made->columns);
    ck_assert_mem_eq(made->values, wanted->values, (size_t)made->nnz * sizeof *made->values);
}

static void expect_same_map(const struct aggregates *made, const struct aggregates *wanted)
{
    ck_assert_int_eq(made->n, wanted->n);
    ck_assert_int_eq(made->count, wanted->count);
    ck_assert_mem_eq(made->map, wanted->map, (size_t)made->n * sizeof *made->map);
}

static void expect_same_lists(const struct aggregates *made, const struct aggregates *wanted)
{
    int64_t members;
    struct error error;
    expect_same_map(made, wanted);
    expect_ok(aggregates_members(made, &members, &error), &error);
    ck_assert_int_eq(members, wanted->offsets[wanted->count]);
    ck_assert_mem_eq(made->offsets, wanted->offsets,
                     (size_t)(made->count + 1) * sizeof *made->offsets);
    ck_assert_mem_eq(made->members, wanted->members, (size_t)members * sizeof *made->members);
}

static void expect_same_passes(const struct passes *made, const struct passes *wanted)
{
    ck_assert_int_eq(made->count, wanted->count);
    for (int p = 0; p < made->count; p++)
        expect_same_map(&made->of[p], &wanted->of[p]);
}

static void expect_lower(const struct csr *A, const struct csr *wanted)
{
    struct error error;
    struct csr made;
    expect_ok(lower_rows(A, &made, &error), &error);
    expect_same(&made, wanted);
    device_csr_free(&made);
}

/* A level: its aggregates, their passes, and its matrix, from A by matching. */
struct made {
    struct aggregates aggregates;
    struct passes passes;
    struct csr coarse, again; /* again: by the passes */
};

/* passes = 0: one pass, and what is left joins. */
static struct made make(const struct csr *A, int64_t block, int passes, double correction)
{
    static const struct cells none = {0};
    struct error error;
    struct made made = {0};
    struct rescaling by = {correction, 0.875, block, &none, NULL};
    if (passes == 0)
        expect_ok(matching_join(A, block, &made.aggregates, &made.coarse, &error), &error);
    else
        expect_ok(matching_aggregate(A, block, passes, &made.aggregates, &made.coarse, &made.passes,
                                     &error),
                  &error);
    if (made.passes.count > 0)
        expect_ok(coarse_matrix_by_passes(A, &made.passes, &made.again, &error), &error);
    if (made.aggregates.count > 0)
        expect_ok(rescale(&by, &made.coarse, &error), &error);
    return made;
}

static void leave(struct made *made)
{
    aggregates_free(&made->aggregates);
    passes_free(&made->passes);
    device_csr_free(&made->coarse);
    device_csr_free(&made->again);
}

static void try_matrix(const struct csr *A, int64_t block, uint64_t *state)
{
    struct error error;
    struct space *space = test_space(SPACE_CPU, REDUCTIONS_REPRODUCIBLE, 2);
    struct csr given = *A, lower;
    given.space = space;
    expect_ok(csr_lower(A, &lower, &error), &error);
    expect_lower(A, &lower);
    expect_lower(&given, &lower);
    csr_free(&lower);
    for (int passes = 0; passes <= 4; passes++) {
        double correction = 0.5 + 1.5 * test_random(state);
        struct made wanted = make(A, block, passes, correction);
        struct made made = make(&given, block, passes, correction);
        expect_same_map(&made.aggregates, &wanted.aggregates);
        expect_same_passes(&made.passes, &wanted.passes);
        if (wanted.aggregates.count > 0) {
            expect_same_lists(&made.aggregates, &wanted.aggregates);
            expect_same(&made.coarse, &wanted.coarse);
        }
        if (wanted.again.n > 0)
            expect_same(&made.again, &wanted.again);
        leave(&made);
        leave(&wanted);
    }
    space->operations->destroy(space);
}

/* Rows that dominate, couplings that are 0 or of the other sign, and ties. */
static void disturb(struct csr *A, uint64_t *state)
{
    bool ties = test_random(state) < 0.5;
    for (int64_t i = 0; i < A->n; i++)
        for (int64_t k = A->offsets[i]; k < A->offsets[i + 1]; k++) {
            double chance = test_random(state);
            if (k == A->offsets[i])
                A->values[k] *= chance < 0.1 ? 100 : 1;
            else if (ties)
                A->values[k] = chance < 0.1 ? 1 : chance < 0.2 ? 0 : chance < 0.4 ? -2 : -1;
            else
                A->values[k] *= chance < 0.2 ? -1 : chance < 0.3 ? 0 : 1;
        }
}

START_TEST(a_space_makes_what_the_host_makes)
{
    uint64_t state = test_seed();
    for (int t = 0; t < test_matrices_count; t++) {
        struct csr A;
        test_matrix_build_positive(&test_matrices[t], &state, &A);
        try_matrix(&A, 1, &state);
        disturb(&A, &state);
        try_matrix(&A, 1, &state);
        for (int64_t i = 0; i < A.n; i++) /* no row takes part */
            A.values[A.offsets[i]] = 1e6;
        try_matrix(&A, 1, &state);
        csr_free(&A);
    }
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

START_TEST(a_space_makes_blocks_as_the_host_does)
{
    uint64_t state = test_seed();
    for (int trial = 0; trial < 6; trial++) {
        struct error error;
        int64_t block = 1 + test_random_below(&state, 6);
        struct fe_mesh mesh = {{9, 8, trial % 2 ? 1 : 7}, block, 1e-3, (int64_t)(state >> 1), 0, 0};
        mesh.diagonals = trial % 3 ? FE_MESH_RANDOM_DIAGONALS : FE_MESH_REGULAR;
        mesh.numbering = trial < 3 ? FE_MESH_RANDOM_NUMBERING : FE_MESH_NATURAL;
        struct csr A;
        expect_ok(fe_mesh_create(&mesh, &A, &error), &error);
        try_matrix(&A, block, &state);
        disturb(&A, &state);
        try_matrix(&A, block, &state);
        csr_free(&A);
        test_random(&state);
    }
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* Any one allocation fails, and all memory is released. */
START_TEST(a_failed_allocation_leaves_nothing)
{
    struct error error;
    struct fe_mesh mesh = {{4, 3, 3}, 2, 1e-3, 1, 0, 0};
    struct csr A, coarse;
    expect_ok(fe_mesh_create(&mesh, &A, &error), &error);
    struct space *space = test_space(SPACE_CPU, REDUCTIONS_REPRODUCIBLE, 1);
    struct csr given = A;
    given.space = space;
    enum status status = STATUS_MEMORY;
    int64_t before = memory_live();
    for (int64_t successes = 0; status == STATUS_MEMORY; successes++) {
        struct aggregates aggregates = {0};
        struct passes passes = {0};
        memory_fail_after(successes);
        status = matching_aggregate(&given, 2, 3, &aggregates, &coarse, &passes, &error);
        memory_fail_after(-1);
        ck_assert(status == STATUS_OK || status == STATUS_MEMORY);
        if (status == STATUS_OK) {
            aggregates_free(&aggregates);
            passes_free(&passes);
            device_csr_free(&coarse);
        }
        ck_assert_int_eq(memory_live(), before);
    }
    space->operations->destroy(space);
    csr_free(&A);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {a_space_makes_what_the_host_makes,
                            a_space_makes_blocks_as_the_host_does,
                            a_failed_allocation_leaves_nothing, NULL};
    return suite_of("precondition/multigrid/matching_rows", tests);
}
