/* A mesh node by node, in any order, as a device makes it: the rows of the host's matrix. */
#include "made.h"
#include "support.h"

#include "problem/fe_mesh_node.h"

#include <stdlib.h>
#include <string.h>

static int64_t below(uint64_t *state, int64_t limit)
{
    return (int64_t)(test_random(state) * (double)limit);
}

static struct fe_mesh draw_mesh(uint64_t *state)
{
    struct fe_mesh mesh = {.unknowns = 1 + below(state, FE_MESH_UNKNOWNS_MAX),
                           .shift = 1e-3 + test_random(state)};
    for (int axis = 0; axis < 3; axis++)
        mesh.n[axis] = (axis < 2) + below(state, 7);
    mesh.seed = below(state, INT64_MAX / 2);
    mesh.diagonals = test_random(state) < 0.5 ? FE_MESH_REGULAR : FE_MESH_RANDOM_DIAGONALS;
    return mesh;
}

static void expect_nodes(const struct fe_mesh *mesh)
{
    struct error error;
    struct csr A, made;
    const struct fe_mesh box = fe_mesh_box(mesh);
    int64_t k = box.unknowns;
    expect_ok(fe_mesh_create(mesh, &A, &error), &error);
    expect_ok(csr_create(&made, CSR_SYMMETRIC, A.n, A.nnz, &error), &error);
    memset(made.columns, 0xff, (size_t)A.nnz * sizeof *made.columns);
    memset(made.values, 0xff, (size_t)A.nnz * sizeof *made.values);
    made.offsets[0] = 0;
    for (int64_t row = 0; row < A.n; row++) {
        struct fe_mesh_node node = fe_mesh_node(&box, row / k);
        made.offsets[row + 1] =
            made.offsets[row] + fe_mesh_row_length(k, row % k, fe_mesh_later(&box, &node));
    }
    ck_assert_mem_eq(made.offsets, A.offsets, (size_t)(A.n + 1) * sizeof *A.offsets);
    for (int64_t number = A.n / k - 1; number >= 0; number--) {
        struct fe_mesh_node node = fe_mesh_node(&box, number);
        fe_mesh_fill_node(&box, (int)k, &node, &(struct fe_mesh_rows){.to = made});
    }
    ck_assert_mem_eq(made.columns, A.columns, (size_t)A.nnz * sizeof *A.columns);
    ck_assert_mem_eq(made.values, A.values, (size_t)A.nnz * sizeof *A.values);
    csr_free(&made);
    csr_free(&A);
}

START_TEST(nodes_are_made_in_any_order)
{
    uint64_t state = test_seed();
    for (int trial = 0; trial < 40; trial++) {
        struct fe_mesh mesh = draw_mesh(&state);
        expect_nodes(&mesh);
    }
}
END_TEST

START_TEST(a_numbering_of_the_whole_mesh_is_the_hosts)
{
    struct fe_mesh mesh = {{4, 4, 4}, 2, 1, .seed = 1};
    ck_assert(problem_fe_cube.suits_maker(&mesh) && problem_fe_sheet.suits_maker(&mesh));
    mesh.numbering = FE_MESH_RANDOM_NUMBERING;
    struct options options = {&problem_fe_cube.component, &mesh};
    struct matrix_market_report report;
    struct error error;
    struct csr A;
    expect_ok(problem_make(&options, CSR_SYMMETRIC, NULL, &A, &report, &error), &error);
    ck_assert(!problem_fe_cube.suits_maker(&mesh) && !A.maker && A.offsets);
    csr_free(&A);
    mesh.numbering = FE_MESH_NATURAL;
    expect_ok(problem_make(&options, CSR_SYMMETRIC, NULL, &A, &report, &error), &error);
    ck_assert(A.maker == problem_fe_cube.maker);
    csr_free(&A);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {nodes_are_made_in_any_order, a_numbering_of_the_whole_mesh_is_the_hosts,
                            NULL};
    return suite_of("problem/fe_mesh_node", tests);
}
