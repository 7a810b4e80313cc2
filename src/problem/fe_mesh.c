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

static int64_t entries(const void *options)
{
    const struct fe_mesh box = fe_mesh_box(options);
    int64_t k = box.unknowns, nodes = fe_mesh_rows(&box) / k;
    return nodes * (k * (k + 1) / 2) + count_edges(&box) * k * k;
}

/* From the first unknown of a node to the last one of the farthest node that an edge may reach. */
static int64_t reach(const void *options)
{
    const struct fe_mesh box = fe_mesh_box(options);
    int farthest = 0;
    for (int axis = 0; axis < 3; axis++)
        farthest |= (box.n[axis] > 1) << axis;
    return (fe_mesh_stride(&box, farthest) + 1) * box.unknowns - 1;
}

static void make_offsets(const struct fe_mesh *box, int64_t first, const struct csr *rows)
{
    int64_t k = box->unknowns, later = 0;
    rows->offsets[0] = 0;
    for (int64_t r = 0; r < rows->n; r++) {
        int64_t row = first + r;
        if (r == 0 || row % k == 0) {
            struct fe_mesh_node node = fe_mesh_node(box, row / k);
            later = fe_mesh_later(box, &node);
        }
        rows->offsets[r + 1] = rows->offsets[r] + fe_mesh_row_length(k, row % k, later);
    }
}

static void make_rows(const void *options, int64_t first, int64_t base, const struct csr *rows)
{
    const struct fe_mesh box = fe_mesh_box(options);
    const struct fe_mesh_rows made = {first, base, *rows};
    int64_t k = box.unknowns;
    if (!rows->columns) {
        make_offsets(&box, first, rows);
        return;
    }
    for (int64_t number = first / k; number * k < first + rows->n; number++) {
        struct fe_mesh_node node = fe_mesh_node(&box, number);
        fe_mesh_fill_node(&box, (int)k, &node, &made);
    }
}

const struct csr_maker fe_mesh_maker = {entries, reach, make_rows, MAKER_ON_CUDA(fe_mesh_cuda),
                                        false};

/* The nodes are shuffled, the unknowns of a node stay together. */
static enum status shuffle(const struct fe_mesh *mesh, struct csr *A, struct error *error)
{
    int64_t k = mesh->unknowns, nodes = A->n / k;
    int32_t *number = memory_array(A->n, sizeof *number, "the numbering", error);
    if (!number)
        return STATUS_MEMORY;
    random_permutation(splitmix64((uint64_t)mesh->seed, (uint64_t)(FE_MESH_DIRECTIONS * nodes)),
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
    const struct problem *problem = mesh->n[2] ? &problem_fe_cube : &problem_fe_sheet;
    enum status status = problem_check(problem, mesh, error);
    if (!status)
        status = problem_store(problem, mesh, A, error);
    if (status || mesh->numbering == FE_MESH_NATURAL)
        return status;
    status = shuffle(mesh, A, error);
    if (status)
        csr_free(A);
    return status;
}
