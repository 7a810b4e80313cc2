/* The one table of keys. A new key is one entry here and one field in settings.h: the reader, the
 * overrides, --help and settings.cfg follow. */
#include "program/config/keys.h"

#include "program/config/complaints.h"
#include "program/config/names.h"

#include <math.h>
#include <string.h>

/* The columns of a line. */
#define FIELD(member) .offset = offsetof(struct settings, member)
#define WHOLE(from, to) .type = KEY_WHOLE, .least = (from), .most = (to)
#define REAL_IN(from, to) .type = KEY_REAL, .minimum = (from), .maximum = (to)
#define TEXT .type = KEY_TEXT
#define CHOICE(names) .type = KEY_CHOICE, .choices = (names)
#define CHOICES(names) .type = KEY_CHOICES, .choices = (names)
#define ONLY_FOR(value) .only_for = 1u << (value)
#define FOR_FE_MESH .only_for = 1u << PROBLEM_FE_SHEET | 1u << PROBLEM_FE_CUBE
#define FOR_PATTERNS                                                                               \
    .only_for = 1u << PROBLEM_FE_BRICK | 1u << PROBLEM_LATTICE4D | 1u << PROBLEM_GRID2D |          \
                1u << PROBLEM_POWER_LAW | 1u << PROBLEM_CHAINS | 1u << PROBLEM_STAND_IN
#define FOR_EITHER_KIND                                                                            \
    .only_for = 1u << PROBLEM_LATTICE4D | 1u << PROBLEM_GRID2D | 1u << PROBLEM_POWER_LAW |         \
                1u << PROBLEM_CHAINS | 1u << PROBLEM_STAND_IN
#define FOR_SYSTEMS .for_methods = METHOD_FINDS_VECTOR
#define FOR_TRACED .for_methods = METHOD_TAKES_TRACE
#define FOR_EIGEN .for_methods = METHOD_FINDS_EIGENVALUES
#define REQUIRED NULL

const struct key settings_keys[] = {
    {"problem", "type", REQUIRED, CHOICE(problem_types), FIELD(problem.type),
     .meaning =
         "a generated problem: Poisson's on a box; k x k blocks with the graph of finite elements, "
         "on a triangulated sheet or a cube of tetrahedra; a network of conductances on a box; one "
         "with two nodes tied by a penalty; layers of nodes, all whole numbers; what a product "
         "sees of finite elements, of quarks on a lattice, of a chain of states on a grid, of rows "
         "of "
         "very different lengths, of chains that branch; a stand-in for a well-known matrix; "
         "convection on a box, which is skew-symmetric; or a Matrix Market file"},
    {"problem", "n", REQUIRED, WHOLE(1, INT32_MAX), .count = 3, .one_for_all = true,
     FIELD(problem.poisson3d.n), ONLY_FOR(PROBLEM_POISSON3D), .complaint = sizes_complaint,
     .meaning = "cells along x, y and z"},
    {"problem", "anisotropy", "1", REAL_IN(0, 1e100), .count = 3, FIELD(problem.poisson3d.weights),
     ONLY_FOR(PROBLEM_POISSON3D), .complaint = weights_complaint,
     .meaning = "weights of the three axes, not all 0"},
    {"problem", "jump", "1", REAL_IN(1e-100, 1e100), FIELD(problem.poisson3d.jump),
     ONLY_FOR(PROBLEM_POISSON3D),
     .meaning = "the coefficient in the block in the middle of the box; it is 1 elsewhere"},
    {"problem", "shift", "0", REAL_IN(-1e100, 1e100), FIELD(problem.poisson3d.shift),
     ONLY_FOR(PROBLEM_POISSON3D),
     .meaning = "what is added to the diagonal: a negative one makes the matrix indefinite"},
    {"problem", "n", REQUIRED, WHOLE(1, INT32_MAX), .count = 2, .one_for_all = true,
     FIELD(problem.fe_mesh.n), ONLY_FOR(PROBLEM_FE_SHEET), .complaint = nodes_complaint,
     .meaning = "nodes along x and y"},
    {"problem", "n", REQUIRED, WHOLE(1, INT32_MAX), .count = 3, .one_for_all = true,
     FIELD(problem.fe_mesh.n), ONLY_FOR(PROBLEM_FE_CUBE), .complaint = nodes_complaint,
     .meaning = "nodes along x, y and z"},
    {"problem", "unknowns", "5", WHOLE(1, FE_MESH_UNKNOWNS_MAX), FIELD(problem.fe_mesh.unknowns),
     ONLY_FOR(PROBLEM_FE_SHEET), .meaning = "unknowns of each node: the size of the blocks"},
    {"problem", "unknowns", "4", WHOLE(1, FE_MESH_UNKNOWNS_MAX), FIELD(problem.fe_mesh.unknowns),
     ONLY_FOR(PROBLEM_FE_CUBE), .meaning = "unknowns of each node: the size of the blocks"},
    {"problem", "shift", "1e-3", REAL_IN(1e-10, 1e100), FIELD(problem.fe_mesh.shift), FOR_FE_MESH,
     .meaning = "what is added to the diagonal: about the smallest eigenvalue"},
    {"problem", "seed", "1", WHOLE(0, INT64_MAX), FIELD(problem.fe_mesh.seed), FOR_FE_MESH,
     .meaning = "of the values, and of what else is random"},
    {"problem", "diagonals", "regular", CHOICE(diagonals_names), FIELD(problem.fe_mesh.diagonals),
     FOR_FE_MESH,
     .meaning = "how faces and cells are cut: all in the same way; at random, which gives a mesh "
                "whose nodes have from 4 to 8 neighbours (fe_sheet) or 6 to 26 (fe_cube)"},
    {"problem", "numbering", "natural", CHOICE(numbering_names), FIELD(problem.fe_mesh.numbering),
     FOR_FE_MESH, .meaning = "of the nodes: line by line; at random"},
    {"problem", "n", REQUIRED, WHOLE(1, INT32_MAX), .count = 3, .one_for_all = true,
     FIELD(problem.network.n), ONLY_FOR(PROBLEM_NETWORK), .complaint = network_complaint,
     .meaning = "nodes along x, y and z"},
    {"problem", "decades", "8", WHOLE(0, NETWORK_DECADES_MAX), FIELD(problem.network.decades),
     ONLY_FOR(PROBLEM_NETWORK),
     .meaning = "powers of ten over which the conductances are drawn; 0: all are 1"},
    {"problem", "ground", "1e-6", REAL_IN(0, 1e100), .above = true, FIELD(problem.network.ground),
     ONLY_FOR(PROBLEM_NETWORK),
     .meaning = "the conductance from each node to the ground: the smallest eigenvalue"},
    {"problem", "scaling", "0", WHOLE(0, NETWORK_DECADES_MAX), FIELD(problem.network.scaling),
     ONLY_FOR(PROBLEM_NETWORK),
     .meaning = "powers of ten over which rows and columns are scaled at random; 0: not at all"},
    {"problem", "seed", "1", WHOLE(0, INT64_MAX), FIELD(problem.network.seed),
     ONLY_FOR(PROBLEM_NETWORK), .meaning = "of the conductances and of the scaling"},
    {"problem", "n", REQUIRED, WHOLE(4, INT32_MAX), FIELD(problem.tied.n), ONLY_FOR(PROBLEM_TIED),
     .complaint = tied_nodes_complaint, .meaning = "nodes, the two tied ones among them; even"},
    {"problem", "ground", "1", REAL_IN(0, 1e15), .above = true, FIELD(problem.tied.ground),
     ONLY_FOR(PROBLEM_TIED), .meaning = "the conductance from each other node to the ground"},
    {"problem", "seed", "1", WHOLE(0, INT64_MAX), FIELD(problem.tied.seed), ONLY_FOR(PROBLEM_TIED),
     .meaning = "of the conductances"},
    {"problem", "n", REQUIRED, WHOLE(1, INT32_MAX), .count = 2, FIELD(problem.layers.n),
     ONLY_FOR(PROBLEM_LAYERS), .complaint = layers_rows_complaint,
     .meaning = "layers, nodes of each"},
    {"problem", "joined", "16", WHOLE(2, INT32_MAX), FIELD(problem.layers.joined),
     ONLY_FOR(PROBLEM_LAYERS), .complaint = joined_complaint,
     .meaning = "nodes of the next layer that a node is joined with; even"},
    {"problem", "n", REQUIRED, WHOLE(1, INT32_MAX), .count = 3, .one_for_all = true,
     FIELD(problem.fe_brick.n), ONLY_FOR(PROBLEM_FE_BRICK), .complaint = brick_complaint,
     .meaning = "nodes along x, y and z"},
    {"problem", "unknowns", "3", WHOLE(1, FE_BRICK_UNKNOWNS_MAX), FIELD(problem.fe_brick.unknowns),
     ONLY_FOR(PROBLEM_FE_BRICK), .meaning = "unknowns of each node: the size of the blocks"},
    {"problem", "reach", "1", WHOLE(1, FE_BRICK_REACH_MAX), FIELD(problem.fe_brick.reach),
     ONLY_FOR(PROBLEM_FE_BRICK),
     .meaning = "nodes are joined to those at most so many steps away along each axis"},
    {"problem", "density", "1", REAL_IN(0, 1), .count = 2, FIELD(problem.fe_brick.density),
     ONLY_FOR(PROBLEM_FE_BRICK),
     .meaning = "the share of these pairs that is joined, drawn between two numbers for each patch "
                "of 4 x 4 x 4 nodes"},
    {"problem", "hubs", "0", REAL_IN(0, 1), FIELD(problem.fe_brick.hubs),
     ONLY_FOR(PROBLEM_FE_BRICK), .meaning = "the share of the nodes that reach one step further"},
    {"problem", "fixed", "0", REAL_IN(0, 1), FIELD(problem.fe_brick.fixed),
     ONLY_FOR(PROBLEM_FE_BRICK),
     .meaning = "the share of the nodes, the first ones, whose rows hold the diagonal alone"},
    {"problem", "numbering", "natural", CHOICE(brick_numbering_names),
     FIELD(problem.fe_brick.numbering), ONLY_FOR(PROBLEM_FE_BRICK),
     .meaning = "of the nodes: line by line; line by line, the lines at random"},
    {"problem", "n", REQUIRED, WHOLE(2, INT32_MAX), .count = 4, .one_for_all = true,
     FIELD(problem.lattice4d.n), ONLY_FOR(PROBLEM_LATTICE4D), .complaint = lattice_complaint,
     .meaning = "sites along x, y, z and t, of twelve rows each"},
    {"problem", "n", REQUIRED, WHOLE(1, INT32_MAX), .count = 2, .one_for_all = true,
     FIELD(problem.grid2d.n), ONLY_FOR(PROBLEM_GRID2D), .complaint = grid_complaint,
     .meaning = "nodes along x and y"},
    {"problem", "n", REQUIRED, WHOLE(1, INT32_MAX), FIELD(problem.power_law.n),
     ONLY_FOR(PROBLEM_POWER_LAW), .complaint = lengths_complaint, .meaning = "rows"},
    {"problem", "mean", "8", REAL_IN(0, INT32_MAX), FIELD(problem.power_law.mean),
     ONLY_FOR(PROBLEM_POWER_LAW), .meaning = "entries a row of the full matrix, on average"},
    {"problem", "deviation", "16", REAL_IN(0, INT32_MAX), FIELD(problem.power_law.deviation),
     ONLY_FOR(PROBLEM_POWER_LAW), .meaning = "their standard deviation"},
    {"problem", "longest", "1000", WHOLE(1, INT32_MAX), FIELD(problem.power_law.longest),
     ONLY_FOR(PROBLEM_POWER_LAW), .meaning = "entries of the longest row, about; at most n"},
    {"problem", "tail", "0.5", REAL_IN(0.01, 0.99), FIELD(problem.power_law.tail),
     ONLY_FOR(PROBLEM_POWER_LAW),
     .meaning = "how many of the long rows are twice as long: 0.5 is P(length >= x) ~ 1/x"},
    {"problem", "span", "1", REAL_IN(0, 1), .above = true, FIELD(problem.power_law.span),
     ONLY_FOR(PROBLEM_POWER_LAW),
     .meaning = "the share of the columns, around the diagonal, that a row's entries lie in"},
    {"problem", "empty", "0", REAL_IN(0, 1), FIELD(problem.power_law.empty),
     ONLY_FOR(PROBLEM_POWER_LAW),
     .meaning =
         "the share of empty rows, of a general matrix; mean and deviation are of the others"},
    {"problem", "dense", "0", WHOLE(0, INT32_MAX), FIELD(problem.power_law.dense),
     ONLY_FOR(PROBLEM_POWER_LAW), .meaning = "how many rows of a general matrix are full"},
    {"problem", "n", REQUIRED, WHOLE(1, INT32_MAX), FIELD(problem.chains.n),
     ONLY_FOR(PROBLEM_CHAINS), .meaning = "nodes"},
    {"problem", "cuts", "0.098", REAL_IN(0, 1), FIELD(problem.chains.cuts),
     ONLY_FOR(PROBLEM_CHAINS), .meaning = "the share of the nodes that a chain ends behind"},
    {"problem", "branches", "0.163", REAL_IN(0, 1), FIELD(problem.chains.branches),
     ONLY_FOR(PROBLEM_CHAINS),
     .meaning = "the share of the nodes that are joined to another, anywhere"},
    {"problem", "numbering", "natural", CHOICE(chains_numbering_names),
     FIELD(problem.chains.numbering), ONLY_FOR(PROBLEM_CHAINS),
     .meaning = "of the nodes: along the chains; at random"},
    {"problem", "name", REQUIRED, CHOICE(stand_in_names), FIELD(problem.stand_in.name),
     ONLY_FOR(PROBLEM_STAND_IN), .complaint = name_complaint,
     .meaning = "which matrix is stood in for (docs/test-matrices.md)"},
    {"problem", "scale", "1", REAL_IN(1e-6, 1e6), FIELD(problem.stand_in.scale),
     ONLY_FOR(PROBLEM_STAND_IN), .meaning = "about so many times the rows"},
    {"problem", "kind", "symmetric", CHOICE(kind_names), FIELD(problem.pattern.kind),
     FOR_EITHER_KIND,
     .meaning = "symmetric positive definite; general, for products alone: no solver takes it"},
    {"problem", "rows", "drawn", CHOICE(rows_names), FIELD(problem.pattern.rows), FOR_EITHER_KIND,
     .complaint = rows_complaint,
     .meaning = "the rows of a general matrix: as they were drawn; the same columns dealt out to "
                "rows of equal length"},
    {"problem", "shift", "1", REAL_IN(1e-10, 1e100), FIELD(problem.pattern.shift), FOR_PATTERNS,
     .meaning = "by how much the diagonal of a symmetric one outweighs its row: the smallest "
                "eigenvalue"},
    {"problem", "seed", "1", WHOLE(0, INT64_MAX), FIELD(problem.pattern.seed), FOR_PATTERNS,
     .meaning = "of the values, and of what else is random"},
    {"problem", "n", REQUIRED, WHOLE(1, INT32_MAX), .count = 3, .one_for_all = true,
     FIELD(problem.convection3d.n), ONLY_FOR(PROBLEM_CONVECTION3D),
     .complaint = convection_complaint, .meaning = "points along x, y and z"},
    {"problem", "velocity", "1", REAL_IN(-1e100, 1e100), .count = 3,
     FIELD(problem.convection3d.velocity), ONLY_FOR(PROBLEM_CONVECTION3D),
     .complaint = velocity_complaint,
     .meaning = "its three components over twice the spacing, not all 0"},
    {"problem", "path", REQUIRED, TEXT, FIELD(problem.path), ONLY_FOR(PROBLEM_MTX),
     .meaning = "the Matrix Market file, plain or gzipped"},
    {"problem", "asymmetry", "0", REAL_IN(0, 1), .below = true, FIELD(problem.asymmetry),
     ONLY_FOR(PROBLEM_MTX),
     .meaning = "the largest relative |a_ij - a_ji| with which a general file is still taken as "
                "symmetric; as skew-symmetric it is only where it is so exactly"},
    {"problem", "reorder", "none", CHOICE(reorder_names), FIELD(problem.reorder),
     .meaning =
         "the numbering in which the system is solved: its own; reverse Cuthill-McKee, which "
         "brings the entries near the diagonal"},

    {"solver", "method", "cg", CHOICE(method_names), FIELD(method)}, /* the methods explain it */
    {"solver", "tolerance", "1e-8", REAL_IN(0, 1), .above = true, .below = true,
     FIELD(solver.tolerance), FOR_SYSTEMS, .meaning = "done when ||r|| <= tolerance ||b||"},
    {"solver", "max_iterations", "10000", WHOLE(0, INT64_MAX), FIELD(solver.max_iterations),
     .meaning = "the iteration limit"},
    {"solver", "shift", "0", REAL_IN(-1e100, 1e100), FIELD(solver.shift),
     .for_methods = METHOD_TAKES_SHIFT,
     .meaning = "the system is (shift I + S) x = b, S the problem's matrix"},
    {"solver", "reductions", "reproducible", CHOICE(reductions_names), FIELD(reductions),
     .meaning = "how dot products are summed: in a fixed order; in the order in which threads "
                "finish; by the vendor's library; in a fixed order with compensation; exactly, and "
                "rounded once"},

    {"solver.preconditioner", "type", "none", CHOICE(preconditioner_names),
     FIELD(preconditioner.type), .for_methods = METHOD_TAKES_PRECONDITIONER,
     .meaning = "M, of which the solver needs M^-1 r in each iteration: none; A's diagonal; the "
                "blocks on it; a polynomial in A (docs/preconditioners.md)"},
    {"solver.preconditioner", "block", "4", WHOLE(1, PRECONDITIONER_BLOCK_MAX),
     FIELD(preconditioner.block), ONLY_FOR(PRECONDITIONER_BLOCK_JACOBI),
     .meaning = "rows of a block, in the numbering that is solved: the unknowns of a node"},
    {"solver.preconditioner", "degree", "4", WHOLE(1, PRECONDITIONER_DEGREE_MAX),
     FIELD(preconditioner.degree), ONLY_FOR(PRECONDITIONER_CHEBYSHEV),
     .meaning = "of the polynomial: so many products more in each iteration"},
    {"solver.preconditioner", "low", NULL, REAL_IN(0, INFINITY), .above = true, .optional = true,
     FIELD(preconditioner.low), ONLY_FOR(PRECONDITIONER_CHEBYSHEV), .complaint = bounds_complaint,
     .meaning = "where the polynomial begins to be best; left out: estimated by a short "
                "Lanczos run, at least 0.8 high / (degree + 1)^2"},
    {"solver.preconditioner", "high", NULL, REAL_IN(0, INFINITY), .above = true, .optional = true,
     FIELD(preconditioner.high), ONLY_FOR(PRECONDITIONER_CHEBYSHEV),
     .meaning =
         "where it ends, which should be above the largest eigenvalue; left out: estimated by "
         "the same run"},

    {"eigen", "count", "10", WHOLE(1, 100000), FIELD(solver.eigen.count), FOR_EIGEN,
     .meaning = "how many eigenvalues, from each end that is asked for"},
    {"eigen", "which", "smallest", CHOICE(eigen_which_names), FIELD(solver.eigen.which), FOR_EIGEN,
     .meaning = "the end, or ends, of the spectrum"},
    {"eigen", "tolerance", "1e-10", REAL_IN(0, 1), .above = true, .below = true,
     FIELD(solver.eigen.tolerance), FOR_EIGEN,
     .meaning = "done when ||A v - theta v|| <= tolerance |theta| for all of them"},
    {"eigen", "reorthogonalization", "full", CHOICE(reorthogonalization_names),
     FIELD(solver.eigen.reorthogonalization), FOR_EIGEN,
     .meaning = "what a new vector of the basis is made orthogonal to, besides the two before it: "
                "nothing; the Ritz vectors that have converged; the basis"},
    {"eigen", "restart", "0", WHOLE(0, 100000), FIELD(solver.eigen.restart), FOR_EIGEN,
     .meaning =
         "vectors of the basis, from which it is restarted with the best; 0: twice the wanted "
         "eigenvalues and 20, at least 60"},
    {"eigen", "vectors", "false", .type = KEY_SWITCH, FIELD(eigenvectors), FOR_EIGEN,
     .meaning = "whether the eigenvectors are written too"},

    {"rhs", "type", "ones", CHOICE(rhs_types), FIELD(rhs.type), FOR_SYSTEMS,
     .meaning = "the right-hand side: b_i = 1; 1 in one row, 0 elsewhere; b_i uniform in [-1, 1); "
                "b = A x for a known x; a Matrix Market file"},
    {"rhs", "type", "random", CHOICE(rhs_types), FIELD(rhs.type), FOR_EIGEN,
     .meaning = "likewise the first vector of the basis, before it is normed"},
    {"rhs", "row", "1", WHOLE(1, INT32_MAX), FIELD(rhs.row), ONLY_FOR(RHS_UNIT),
     .meaning = "the row of the 1, counted from 1"},
    {"rhs", "seed", "1", WHOLE(0, INT64_MAX), FIELD(rhs.seed),
     .only_for = 1u << RHS_RANDOM | 1u << RHS_SOLUTION, .meaning = "of what is random"},
    {"rhs", "x", "ones", CHOICE(rhs_solutions), FIELD(rhs.solution), ONLY_FOR(RHS_SOLUTION),
     .meaning = "the known x"},
    {"rhs", "path", REQUIRED, TEXT, FIELD(rhs.path), ONLY_FOR(RHS_FILE),
     .meaning = "the Matrix Market file, one column"},

    {"", "kernels", REQUIRED, .type = KEY_KERNELS, FIELD(kernels),
     .meaning =
         "the kernels to compare: each a name, or a group of name, label (default: the name; "
         "unique, at most 511 bytes), the kernel's parameters, and its own reductions and threads"},
    {"", "vary", "none", .type = KEY_VARY, FIELD(kernels),
     .meaning =
         "lists of values, as in vary = { threads = [1, 2]; reductions = [\"reproducible\", "
         "\"exact\"]; }: each kernel is taken with each combination of them. A list is of threads, "
         "of reductions, or of a parameter of a kernel; kernels without it, and those whose group "
         "sets it, are left as they are"},
    {"", "repeats", "1", WHOLE(1, 1000000000), FIELD(repeats),
     .meaning = "solves with each kernel"},
    {"", "threads", "0", WHOLE(0, THREADS_MAX), FIELD(threads),
     .meaning = "threads of the CPU; 0: as many as the machine offers"},

    {"output", "directory", "results", TEXT, FIELD(output_directory),
     .meaning = "where all output files go"},
    {"output", "solution", "none", CHOICE(solution_formats), FIELD(solution),
     .complaint = solution_complaint,
     .meaning = "whether the solution x is written among them, in the problem's own numbering, as "
                "solution-LABEL-RUN.npy, .mtx or .txt: for NumPy; as a Matrix Market file, which "
                "rhs.path takes; a number a line. Not with method \"lanczos\""},
    {"output", "solution_of", "first", CHOICE(solution_ofs), FIELD(solution_of),
     .meaning = "which solutions: of the first run of each kernel; of every run"},
    {"output", "report", "true, but for --quiet", .type = KEY_SWITCH, FIELD(report),
     .meaning = "whether report.html, a page of pictures, is written among them"},

    {"reference", "mode", "bitwise", CHOICE(comparison_modes), FIELD(reference.rule.mode),
     .meaning =
         "which residuals are the same: of equal bits; with at most so many doubles from one "
         "to the other; near relative to the reference's"},
    {"reference", "history", REQUIRED, TEXT, FIELD(reference.history), .opens_group = true,
     .meaning =
         "the residual history that every run is compared with, a file of --write-reference; "
         "without the group nothing is compared"},
    {"reference", "tolerance", REQUIRED, WHOLE(0, INT64_MAX), FIELD(reference.rule.ulps),
     ONLY_FOR(COMPARISON_ULPS), .meaning = "the largest distance in ulps that passes"},
    {"reference", "tolerance", REQUIRED, REAL_IN(0, 1e300), FIELD(reference.rule.relative),
     ONLY_FOR(COMPARISON_RELATIVE),
     .meaning = "the largest |r - reference| / |reference| of two residuals that passes"},
    {"reference", "iterations", "0", WHOLE(0, INT64_MAX), FIELD(reference.rule.iterations),
     .meaning =
         "by how many the counts of iterations may differ; those that both have are compared"},

    {"trace", "every", "0", WHOLE(0, INT64_MAX), FIELD(trace.every), FOR_TRACED,
     .meaning = "look at vectors every so many iterations, for cgsolve trace-diff; 0: never"},
    {"trace", "vectors", "[\"r\", \"x\"]", CHOICES(vector_names), FIELD(trace.vectors), FOR_TRACED,
     .meaning = "which ones: the residual, the iterate, the direction p, the product q = A p"},
    {"trace", "keep", "hash", CHOICE(trace_keeps), FIELD(trace.keep), FOR_TRACED,
     .meaning =
         "what is kept: a hash of each 4096 elements, in trace.csv; all values, in trace.npy"},

    {"bench", "rounds", "11", WHOLE(1, 1000000), FIELD(bench.rounds),
     .meaning = "of cgsolve bench, which takes the problem and the kernels above: how many batches "
                "of products each kernel makes, in turns with the others"},
    {"bench", "products", "0", WHOLE(0, 1 << 20), FIELD(bench.products),
     .meaning = "in a batch; 0: as many as take about bench.seconds, or 1 with bench.cold"},
    {"bench", "seconds", "0.01", REAL_IN(0, 3600), .above = true, FIELD(bench.seconds),
     .meaning = "that a batch is to take"},
    {"bench", "cold", "false", .type = KEY_SWITCH, FIELD(bench.cold),
     .meaning =
         "whether the caches are overwritten before each product, which is then timed alone"},
    {"bench", "seed", "1", WHOLE(0, INT64_MAX), FIELD(bench.seed),
     .meaning = "of the vector that is multiplied, uniform in [-1, 1)"},
    {"bench", "baseline", NULL, TEXT, .optional = true, FIELD(bench.baseline),
     .meaning = "the label of the kernel that the others are compared with; left out: the first"},
    {"bench", "csv", NULL, TEXT, .optional = true, FIELD(bench.csv),
     .meaning = "the file of the results; what it holds already is not measured again; left out: "
                "bench.csv in the output directory for a directory of matrices, none for one"},
    {0},
};

void *key_place(const struct key *key, struct settings *settings)
{
    return (char *)settings + key->offset;
}

const void *key_value(const struct key *key, const struct settings *settings)
{
    return (const char *)settings + key->offset;
}

unsigned key_choice(const struct key *key, const struct settings *settings)
{
    unsigned choice;
    _Static_assert(sizeof choice == sizeof(enum problem_type), "an enum is an unsigned int");
    memcpy(&choice, key_value(key, settings), sizeof choice);
    return choice;
}

const struct key *key_first(const struct key *key)
{
    while (key > settings_keys && !strcmp(key[-1].group, key->group))
        key--;
    return key;
}

const struct key *key_decider(const struct key *key)
{
    if (!key->for_methods)
        return key_first(key);
    const struct key *method = settings_keys;
    while (strcmp(method->group, "solver") != 0)
        method++;
    return method;
}

bool key_applies(const struct key *key, const struct settings *settings)
{
    return (!key->only_for && !key->for_methods) ||
           (key_only_for(key) >> key_choice(key_decider(key), settings) & 1);
}

bool key_group_is_given(const struct key *key, const struct settings *settings)
{
    for (const struct key *other = key_first(key); other->name; other++) {
        if (strcmp(other->group, key->group) != 0)
            break;
        char *text = NULL;
        if (other->opens_group)
            memcpy(&text, key_value(other, settings), sizeof text);
        if (other->opens_group && !text)
            return false;
    }
    return true;
}

const char *key_path(const struct key *key, char *text, int size)
{
    snprintf(text, (size_t)size, "%s%s%s", key->group, *key->group ? "." : "", key->name);
    return text;
}
