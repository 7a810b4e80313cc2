#include "problem/fe_mesh.h"

#include "base/memory.h"
#include "base/random.h"
#include "matrix/permute.h"
#include "problem/fe_mesh_node.h"
#include "problem/problem.h"

int64_t fe_mesh_rows(const struct fe_mesh *mesh)
{
    struct fe_mesh box = fe_mesh_box(mesh);
    if (box.unknowns < 1 || box.unknowns > FE_MESH_MOST)
        return -1;
    int64_t rows = box.unknowns;
    for (int axis = 0; axis < 3; axis++) {
        if (box.n[axis] < 1 || box.n[axis] > INT32_MAX / rows)
            return -1;
        rows *= box.n[axis];
    }
    return rows;
}

/* One for each cell, face and line of the mesh. */
static int64_t count_edges(const struct fe_mesh *box)
{
    int64_t edges = 0;
    for (int direction = 1; direction < FE_MESH_DIRECTIONS; direction++) {
        int64_t spanned = 1;
        for (int axis = 0; axis < 3; axis++)
            spanned *= box->n[axis] - fe_mesh_component(direction, axis);
        edges += spanned;
    }
    return edges;
}

/* offsets[row + 1] = the length of each of the node's rows. */
static void set_lengths(const struct fe_mesh *box, const struct fe_mesh_node *node,
                        int64_t *offsets)
{
    int64_t k = box->unknowns, later = fe_mesh_later(box, node);
    for (int64_t u = 0; u < k; u++)
        offsets[node->number * k + u + 1] = fe_mesh_row_length(k, u, later);
}

/* In the natural numbering. */
static enum status create_natural(const struct fe_mesh *box, struct csr *A, struct error *error)
{
    int64_t k = box->unknowns, rows = fe_mesh_rows(box), nodes = rows / k;
    int64_t entries = nodes * (k * (k + 1) / 2) + count_edges(box) * k * k;
    enum status status = csr_create(A, CSR_SYMMETRIC, rows, entries, error);
    if (status)
        return status;
    A->offsets[0] = 0;
#pragma omp parallel for schedule(static)
    for (int64_t number = 0; number < nodes; number++) {
        struct fe_mesh_node node = fe_mesh_node(box, number);
        set_lengths(box, &node, A->offsets);
    }
    for (int64_t row = 0; row < rows; row++)
        A->offsets[row + 1] += A->offsets[row];
#pragma omp parallel for schedule(static)
    for (int64_t number = 0; number < nodes; number++) {
        struct fe_mesh_node node = fe_mesh_node(box, number);
        fe_mesh_fill_node(box, (int)k, &node, A);
    }
    return STATUS_OK;
}

/* The nodes are shuffled, the unknowns of a node stay together. */
static enum status shuffle(const struct fe_mesh *box, struct csr *A, struct error *error)
{
    int64_t k = box->unknowns, nodes = A->n / k;
    int32_t *number = memory_array(A->n, sizeof *number, "the numbering", error);
    if (!number)
        return STATUS_MEMORY;
    random_permutation(splitmix64((uint64_t)box->seed, (uint64_t)(FE_MESH_DIRECTIONS * nodes)),
                       nodes, number);
    for (int64_t row = A->n - 1; row >= 0; row--)
        number[row] = (int32_t)(number[row / k] * k + row % k);
    struct csr shuffled;
    enum status status = csr_permute(A, number, &shuffled, error);
    memory_free(number);
    if (status)
        return status;
    csr_free(A);
    *A = shuffled;
    return STATUS_OK;
}

enum status fe_mesh_create(const struct fe_mesh *mesh, struct csr *A, struct error *error)
{
    const struct fe_mesh box = fe_mesh_box(mesh);
    enum status status =
        problem_check(mesh->n[2] ? &problem_fe_cube : &problem_fe_sheet, mesh, error);
    if (!status)
        status = create_natural(&box, A, error);
    if (status || box.numbering == FE_MESH_NATURAL)
        return status;
    status = shuffle(&box, A, error);
    if (status)
        csr_free(A);
    return status;
}
