#include "program/config/names.h"

#include <stddef.h>

const char *const problem_types[] = {[PROBLEM_POISSON3D] = "poisson3d",
                                     [PROBLEM_FE_SHEET] = "fe_sheet",
                                     [PROBLEM_FE_CUBE] = "fe_cube",
                                     [PROBLEM_NETWORK] = "network",
                                     [PROBLEM_TIED] = "tied",
                                     [PROBLEM_LAYERS] = "layers",
                                     [PROBLEM_FE_BRICK] = "fe_brick",
                                     [PROBLEM_LATTICE4D] = "lattice4d",
                                     [PROBLEM_GRID2D] = "grid2d",
                                     [PROBLEM_POWER_LAW] = "power_law",
                                     [PROBLEM_CHAINS] = "chains",
                                     [PROBLEM_STAND_IN] = "stand_in",
                                     [PROBLEM_CONVECTION3D] = "convection3d",
                                     [PROBLEM_MTX] = "mtx",
                                     NULL};
const char *const reorder_names[] = {[REORDER_NONE] = "none", [REORDER_RCM] = "rcm", NULL};
const char *const diagonals_names[] = {
    [FE_MESH_REGULAR] = "regular", [FE_MESH_RANDOM_DIAGONALS] = "random", NULL};
const char *const numbering_names[] = {
    [FE_MESH_NATURAL] = "natural", [FE_MESH_RANDOM_NUMBERING] = "random", NULL};
const char *const rhs_types[] = {
    [RHS_ONES] = "ones",         [RHS_UNIT] = "unit", [RHS_RANDOM] = "random",
    [RHS_SOLUTION] = "solution", [RHS_FILE] = "file", NULL};
const char *const kind_names[] = {
    [PATTERN_SYMMETRIC] = "symmetric", [PATTERN_GENERAL] = "general", NULL};
const char *const rows_names[] = {[PATTERN_DRAWN] = "drawn", [PATTERN_EQUAL] = "equal", NULL};
const char *const brick_numbering_names[] = {
    [FE_BRICK_NATURAL] = "natural", [FE_BRICK_RANDOM_LINES] = "random", NULL};
const char *const chains_numbering_names[] = {
    [CHAINS_NATURAL] = "natural", [CHAINS_RANDOM] = "random", NULL};
const char *const rhs_solutions[] = {[SOLUTION_ONES] = "ones", [SOLUTION_RANDOM] = "random", NULL};
const char *const eigen_which_names[] = {
    [EIGEN_SMALLEST] = "smallest", [EIGEN_LARGEST] = "largest", [EIGEN_BOTH] = "both", NULL};
const char *const reorthogonalization_names[] = {[REORTHOGONALIZATION_NONE] = "none",
                                                 [REORTHOGONALIZATION_SELECTIVE] = "selective",
                                                 [REORTHOGONALIZATION_FULL] = "full",
                                                 NULL};
const char *const reductions_names[] = {[REDUCTIONS_REPRODUCIBLE] = "reproducible",
                                        [REDUCTIONS_ATOMIC] = "atomic",
                                        [REDUCTIONS_BLAS] = "blas",
                                        [REDUCTIONS_COMPENSATED] = "compensated",
                                        [REDUCTIONS_EXACT] = "exact",
                                        NULL};

const char *const comparison_modes[] = {[COMPARISON_BITWISE] = "bitwise",
                                        [COMPARISON_ULPS] = "ulps",
                                        [COMPARISON_RELATIVE] = "relative",
                                        NULL};

const char *const solution_formats[] = {[SOLUTION_NONE] = "none",
                                        [SOLUTION_NPY] = "npy",
                                        [SOLUTION_MTX] = "mtx",
                                        [SOLUTION_TXT] = "txt",
                                        NULL};
const char *const solution_ofs[] = {[SOLUTION_OF_FIRST] = "first", [SOLUTION_OF_ALL] = "all", NULL};

const char *const vector_names[] = {[CG_R] = "r", [CG_X] = "x", [CG_P] = "p", [CG_Q] = "q", NULL};
const char *const trace_keeps[] = {[TRACE_HASH] = "hash", [TRACE_VALUES] = "values", NULL};

const char *problem_type_name(enum problem_type type)
{
    return problem_types[type];
}

const char *reorder_name(enum reorder reorder)
{
    return reorder_names[reorder];
}

const char *rhs_type_name(enum rhs_type type)
{
    return rhs_types[type];
}

const char *eigen_which_name(enum eigen_which which)
{
    return eigen_which_names[which];
}

const char *reorthogonalization_name(enum reorthogonalization reorthogonalization)
{
    return reorthogonalization_names[reorthogonalization];
}

const char *reductions_name(enum reductions reductions)
{
    return reductions_names[reductions];
}
