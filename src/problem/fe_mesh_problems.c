/* The sheet and the cube of fe_mesh.h as problems. */
#include "base/text.h"
#include "problem/fe_mesh.h"
#include "problem/problem.h"

#include <inttypes.h>

static const char *const diagonals[] = {
    [FE_MESH_REGULAR] = "regular", [FE_MESH_RANDOM_DIAGONALS] = "random", NULL};
static const char *const numberings[] = {
    [FE_MESH_NATURAL] = "natural", [FE_MESH_RANDOM_NUMBERING] = "random", NULL};

static int64_t rows(const void *options)
{
    return fe_mesh_rows(options);
}

static const char *complain(const void *options, const char **parameter)
{
    *parameter = "n";
    return rows(options) < 0
               ? "the product of the sizes and of problem.unknowns passes 2147483647 rows"
               : NULL;
}

static enum status make(const void *options, struct csr *A, struct error *error)
{
    return fe_mesh_create(options, A, error);
}

/* A random numbering is made of a list over the whole mesh. */
static bool suits_maker(const void *options)
{
    return ((const struct fe_mesh *)options)->numbering == FE_MESH_NATURAL;
}

static void describe(const void *options, FILE *stream)
{
    const struct fe_mesh *mesh = options;
    fprintf(stream, "%s, %" PRId64 " x %" PRId64, mesh->n[2] ? "fe_cube" : "fe_sheet", mesh->n[0],
            mesh->n[1]);
    if (mesh->n[2] != 0)
        fprintf(stream, " x %" PRId64, mesh->n[2]);
    fprintf(stream, " nodes, %" PRId64 " unknown%s a node, shift %g, seed %" PRId64, mesh->unknowns,
            text_plural(mesh->unknowns), mesh->shift, mesh->seed);
    if (mesh->diagonals == FE_MESH_RANDOM_DIAGONALS)
        fprintf(stream, ", random diagonals");
    if (mesh->numbering == FE_MESH_RANDOM_NUMBERING)
        fprintf(stream, ", random numbering");
}

static const struct parameter shared[] = {
    {"shift", "what is added to the diagonal: about the smallest eigenvalue", "1e-3",
     TAKES_REAL(struct fe_mesh, shift, 1e-10, 1e100)},
    {"seed", "seed of the values, and of all else that is random", "1",
     TAKES_INTEGER(struct fe_mesh, seed, 0, INT64_MAX)},
    {"diagonals",
     "how faces and cells are cut: all in the same way; at random, which gives a mesh whose nodes "
     "have from 4 to 8 neighbours (fe_sheet) or 6 to 26 (fe_cube)",
     "regular", TAKES_CHOICE(struct fe_mesh, diagonals, diagonals)},
    {"numbering", "the numbering of the nodes: line by line; at random", "natural",
     TAKES_CHOICE(struct fe_mesh, numbering, numberings)},
    {0}};

static const struct parameter of_sheet[] = {
    {"n", "nodes along x and y", NULL, TAKES_INTEGER(struct fe_mesh, n, 1, INT32_MAX), .count = 2,
     .one_for_all = true},
    {"unknowns", "unknowns of each node: the size of the blocks", "5",
     TAKES_INTEGER(struct fe_mesh, unknowns, 1, FE_MESH_UNKNOWNS_MAX)},
    PARAMETERS_OF(struct fe_mesh, n, shared),
    {0}};

static const struct parameter of_cube[] = {
    {"n", "nodes along x, y and z", NULL, TAKES_INTEGER(struct fe_mesh, n, 1, INT32_MAX),
     .count = 3, .one_for_all = true},
    {"unknowns", "unknowns of each node: the size of the blocks", "4",
     TAKES_INTEGER(struct fe_mesh, unknowns, 1, FE_MESH_UNKNOWNS_MAX)},
    PARAMETERS_OF(struct fe_mesh, n, shared),
    {0}};

const struct problem problem_fe_sheet = {{COMPONENT_PROBLEM, "fe_sheet",
                                          "k x k blocks, finite elements on a triangulated sheet",
                                          of_sheet, sizeof(struct fe_mesh), complain},
                                         .rows = rows,
                                         .make = make,
                                         .maker = &fe_mesh_maker,
                                         .suits_maker = suits_maker,
                                         .describe = describe};

const struct problem problem_fe_cube = {{COMPONENT_PROBLEM, "fe_cube",
                                         "k x k blocks, finite elements on a cube of tetrahedra",
                                         of_cube, sizeof(struct fe_mesh), complain},
                                        .rows = rows,
                                        .make = make,
                                        .maker = &fe_mesh_maker,
                                        .suits_maker = suits_maker,
                                        .describe = describe};
