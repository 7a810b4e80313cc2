#include "precondition/multigrid/distribute_trials.h"

#include "made.h"
#include "support.h"

#include "base/random.h"
#include "cuda_device.h"
#include "matrix/implicit_rows.h"
#include "options.h"
#include "precondition/multigrid/coarsening.h"
#include "precondition/multigrid/cycle/cycle.h"
#include "precondition/multigrid/distributed/distribute.h"
#include "ranks.h"
#include "solver/solve.h"
#include "spmv/columns.h"
#include "spmv/preconditioner.h"

#include <math.h>
#include <string.h>

enum { RANKS = 7, TURNS = 3, STRIDE = 4 };

/* --- matrices --------------------------------------------------------------------------------- */

static void make_grid(uint64_t seed, bool small, struct csr *A)
{
    (void)seed;
    grid(small ? 15 : 26, 100, A);
}

/* The diagonal is beyond single precision. */
static void make_large(uint64_t seed, bool small, struct csr *A)
{
    make_grid(seed, small, A);
    for (int64_t k = 0; k < A->nnz; k++)
        A->values[k] = ldexp(A->values[k], 300);
}

static void make_mesh(const struct fe_mesh *mesh, struct csr *A)
{
    struct error error;
    expect_ok(fe_mesh_create(mesh, A, &error), &error);
}

static void make_node_blocks(uint64_t seed, bool small, struct csr *A)
{
    struct fe_mesh mesh = {
        .n = {13, 12, 11}, .unknowns = 3, .shift = 1e-3, .seed = (int64_t)(seed >> 1)};
    if (small)
        memcpy(mesh.n, (int64_t[]){9, 8, 7}, sizeof mesh.n);
    make_mesh(&mesh, A);
}

/* Aggregates have rows of all ranks, and rows with a large diagonal lie in none. */
static void make_anywhere(uint64_t seed, bool small, struct csr *A)
{
    (void)small; /* fewer rows have no second level that ranks share */
    make_mesh(&(struct fe_mesh){.n = {21, 20, 19},
                                .unknowns = 1,
                                .shift = 1e-3,
                                .seed = (int64_t)(seed >> 1),
                                .diagonals = FE_MESH_RANDOM_DIAGONALS,
                                .numbering = FE_MESH_RANDOM_NUMBERING},
              A);
    for (int64_t i = 0; i < A->n; i++)
        if (random_share(seed, (uint64_t)i) < 0.02)
            A->values[A->offsets[i]] *= 1e6;
}

/* A grid that is left at its second level. */
static void make_torn(uint64_t seed, bool small, struct csr *A)
{
    (void)small; /* as above */
    make_phases(&(struct phases){{21, 19, 17}, 2, 1e6, 1}, &seed, A);
}

static void make_torn_blocks(uint64_t seed, bool small, struct csr *A)
{
    static const struct phases all = {{13, 12, 11}, 2, 1e6, 3}, few = {{9, 8, 7}, 2, 1e6, 3};
    make_phases(small ? &few : &all, &seed, A);
}

/* Leaves join their hubs, which are matched. */
static void make_leaves(uint64_t seed, bool small, struct csr *A)
{
    struct csr hubs;
    make_hubs(small ? 60 : 300, 30, &hubs);
    make_shuffled(&hubs, &seed, A);
    csr_free(&hubs);
}

static const struct poisson3d box = {.n = {40, 41, 49}, .weights = {1, 1, 1}, .jump = 1};
static const struct poisson3d flat = {.n = {19, 23, 48}, .weights = {1, 1, 1e-2}, .jump = 1e3};
static const struct poisson3d thin = {
    .n = {15, 16, 50}, .weights = {1e-2, 1, 1}, .jump = 1, .shift = 1e-3};
static const struct poisson3d small_values = {
    .n = {20, 21, 31}, .weights = {0x1p-200, 0x1p-200, 0x1p-201}, .jump = 1};
static const struct fe_mesh sheet = {.n = {37, 203}, .unknowns = 1, .shift = 1e-4};
static const struct fe_mesh beam = {.n = {6, 7, 44}, .unknowns = 4, .shift = 1e-3};

const struct share_way share_ways[SHARE_WAYS] = {
    {"a grid", make_grid, "aggregates=auto", "degree=2", 2, 2, NULL, NULL, 0},
    {"blocks of a grid", make_node_blocks, "aggregates=grid", "degree=4", 1, 1, NULL, NULL, 0},
    {"a grid by matching", make_grid, "aggregates=matching", "degree=2", 2, 0, NULL, NULL, 0},
    {"rows anywhere", make_anywhere, "aggregates=auto", "degree=2", 2, 0, NULL, NULL, 0},
    {"a torn grid", make_torn, "aggregates=auto", "degree=2", 2, 1, NULL, NULL, 0},
    {"blocks of a torn grid", make_torn_blocks, "aggregates=auto", "degree=2", 1, 1, NULL, NULL, 0},
    {"smoothed blocks", make_node_blocks, "transfer=smoothed", "degree=2", 1, 0, NULL, NULL, 0},
    {"leaves", make_leaves, "aggregates=auto", "degree=2", 1, 0, NULL, NULL, 0},
    {"a sheet", NULL, "aggregates=auto", "degree=4", 2, 2, &problem_fe_sheet, &sheet, 0},
    {"a sheet by matching", NULL, "aggregates=matching", "degree=2", 2, 0, &problem_fe_sheet,
     &sheet, 0},
    {"a box", NULL, "aggregates=auto", "degree=2", 2, 2, &problem_poisson3d, &box, 0},
    {"flat cells", NULL, "aggregates=auto", "degree=2", 2, 2, &problem_poisson3d, &flat, 0},
    {"thin cells", NULL, "aggregates=grid", "degree=2", 2, 2, &problem_poisson3d, &thin, 0},
    {"a beam of blocks", NULL, "aggregates=auto", "degree=2", 2, 1, &problem_fe_cube, &beam, 0},
    {"small values", NULL, "aggregates=auto", "degree=2", 2, 2, &problem_poisson3d, &small_values,
     0},
    {"smoothed, rows anywhere", make_anywhere, "transfer=smoothed", "degree=2", 1, 0, NULL, NULL,
     0},
    {"a smoothed box", NULL, "transfer=smoothed", "degree=4", 2, 0, &problem_poisson3d, &box, 0},
    {"large values", make_large, "aggregates=matching", "degree=4", 2, 0, NULL, NULL, 0},
};

static const struct poisson3d even = {.n = {24, 28, 48}, .weights = {1, 1, 1}, .jump = 1};
static const struct poisson3d wide = {.n = {124, 34, 40}, .weights = {1, 1, 1}, .jump = 1e3};
static const struct poisson3d tall = {.n = {8, 12, 160}, .weights = {1, 1, 1}, .jump = 1};

const struct share_way leg_ways[LEG_WAYS] = {
    {"legs", NULL, "aggregates=grid", "degree=2", 2, 2, &problem_poisson3d, &even, 2},
    {"legs over a jump", NULL, "aggregates=grid", "degree=2", 2, 2, &problem_poisson3d, &wide, 1},
    {"legs of small planes", NULL, "aggregates=grid", "degree=2", 2, 2, &problem_poisson3d, &tall,
     1},
    {"no legs", NULL, "aggregates=grid", "degree=4", 2, 2, &problem_poisson3d, &even, 0},
};

/* --- a rank ----------------------------------------------------------------------------------- */

struct shared_problem {
    const struct share_way *way;
    const struct kernel *kernel;
    struct csr A, own; /* and what ranks get */
    struct options options;
    double *r;       /* [TURNS][n] */
    int64_t allowed; /* allocations of all ranks, then all fail; negative: none does */
    bool kept;       /* each rank has its own rows of A, and no others */
};

struct rank {
    struct exchange *exchange; /* first; NULL: alone */
    const struct shared_problem *problem;
    int threads, device, levels, slabs, legs;
    uint64_t hash;
    enum status status;
    struct error error;
    double *z, dot[TURNS]; /* z[TURNS][n] */
    bool sweeps;           /* several columns in one sweep; then each has these bits: */
    int column;            /* -1, or the first one that has not */
};

static int shared_levels(const struct linear_operator *M)
{
    const struct hierarchy *hierarchy = &((const struct multigrid *)M->state)->hierarchy;
    int count = 0;
    while (count < hierarchy->count && hierarchy->levels[count].crossing)
        count++;
    return count;
}

static int levels_with_legs(const struct linear_operator *M)
{
    const struct hierarchy *hierarchy = &((const struct multigrid *)M->state)->hierarchy;
    int count = 0;
    for (int k = 0; k < hierarchy->count; k++)
        count += hierarchy->levels[k].legs.table != NULL;
    return count;
}

static enum status apply(struct rank *rank, struct space *space, const struct linear_operator *M)
{
    int64_t n = rank->problem->A.n;
    double *r = NULL, *z = NULL, *dot = NULL;
    struct error *error = &rank->error;
    enum status status = space_vector(space, n, "r", &r, error);
    if (!status)
        status = space_vector(space, n, "z", &z, error);
    if (!status)
        status = space_scalars(space, 1, "r . z", &dot, error);
    for (int t = 0; t < TURNS && !status; t++) {
        status = space_upload(space, n, rank->problem->r + t * n, r, error);
        if (!status)
            status = space_fill(space, n, NAN, z, error);
        if (!status)
            status = operator_apply_dot(M, r, z, dot, error);
        if (!status)
            status = space_download(space, n, z, rank->z + t * n, error);
        if (!status)
            status = space->operations->download(space, sizeof *dot, dot, &rank->dot[t], error);
    }
    space_release(space, r);
    space_release(space, z);
    space_release(space, dot);
    return status;
}

/* Column t of R as the vector t, and Z poisoned. one is a vector. */
static enum status put_columns(struct rank *rank, struct space *space, double *one, double *R,
                               double *Z)
{
    int64_t n = rank->problem->A.n;
    struct error *error = &rank->error;
    enum status status = space_fill(space, n * STRIDE, NAN, R, error); /* the padding too */
    if (!status)
        status = space_fill(space, n * STRIDE, NAN, Z, error);
    for (int t = 0; t < TURNS && !status; t++) {
        struct column_work put = {R + t, one, STRIDE};
        status = space_upload(space, n, rank->problem->r + t * n, one, error);
        if (!status)
            status = space_run(space, &pass_column_put, n, &put, error);
    }
    return status;
}

static enum status compare_columns(struct rank *rank, struct space *space, double *one, double *Z,
                                   double *here)
{
    int64_t n = rank->problem->A.n;
    enum status status = STATUS_OK;
    for (int t = TURNS - 1; t >= 0 && !status; t--) {
        struct column_work take = {Z + t, one, STRIDE};
        status = space_run(space, &pass_column_take, n, &take, &rank->error);
        if (!status)
            status = space_download(space, n, one, here, &rank->error);
        if (!status && memcmp(here, rank->z + t * n, (size_t)n * sizeof *here) != 0)
            rank->column = t;
    }
    return status;
}

/* The vectors of apply() as columns. */
static enum status apply_columns(struct rank *rank, struct space *space,
                                 const struct linear_operator *M)
{
    int64_t n = rank->problem->A.n;
    void *one = NULL, *R = NULL, *Z = NULL;
    struct error *error = &rank->error;
    struct operator_columns of = {0};
    rank->sweeps = operator_sweeps(M);
    double *here = memory_array(n, sizeof *here, "a column", error);
    enum status status = here ? STATUS_OK : STATUS_MEMORY;
    if (!status)
        status = operator_columns_create(M, TURNS, &of, error);
    if (!status)
        status = ranks_multivector(space, n, 1, sizeof(double), "r", &one, error);
    if (!status)
        status = ranks_multivector(space, n, STRIDE, sizeof(double), "R", &R, error);
    if (!status)
        status = ranks_multivector(space, n, STRIDE, sizeof(double), "Z", &Z, error);
    if (!status)
        status = put_columns(rank, space, one, R, Z);
    if (!status)
        status = operator_columns_apply(&of, R, Z, error);
    if (!status)
        status = compare_columns(rank, space, one, Z, here);
    operator_columns_destroy(&of);
    space_release(space, one);
    space_release(space, R);
    space_release(space, Z);
    memory_free(here);
    return status;
}

/* All ranks have begun, then allocations fail, then all go on. */
static void begin_to_fail(const struct rank *rank)
{
    static const int64_t begin[RANKS + 1]; /* nothing is gathered */
    char nothing[1] = "";
    for (int turn = 0; turn < 2 && rank->exchange; turn++) {
        struct error error;
        rank->exchange->operations->gather(rank->exchange, nothing, begin, nothing, &error);
        if (turn == 0 && rank->exchange->rank == 0)
            memory_fail_after(rank->problem->allowed);
    }
}

/* *kept: the own rows of A, and of other rows what is in own columns. */
static enum status keep_own(const struct csr *A, struct exchange *exchange, struct csr *own,
                            struct partial_csr *kept, struct error *error)
{
    struct partition partition;
    int64_t at = 0;
    enum status status = partition_create(exchange, A->n, &partition, error);
    if (!status)
        status = csr_create(own, A->kind, A->n, A->nnz, error);
    for (int64_t i = 0; i < A->n && !status; i++) {
        int64_t first = partition_first(&partition), rows = partition_rows(&partition);
        bool is_own = i >= first && i < first + rows;
        own->offsets[i] = at;
        for (int64_t k = A->offsets[i]; k < A->offsets[i + 1]; k++) {
            int64_t j = A->columns[k];
            bool reaches = j >= first && j < first + rows;
            if (i != j && !is_own && !reaches)
                continue;
            own->columns[at] = (int32_t)j;
            own->values[at++] = is_own || reaches ? A->values[k] : 0;
        }
        own->offsets[i + 1] = at;
    }
    own->nnz = at;
    partition_free(&partition);
    if (!status)
        partial_csr_create(own, kept);
    return status;
}

static void *run(void *context)
{
    struct rank *rank = context;
    const struct shared_problem *problem = rank->problem;
    const struct kernel *kernel = problem->kernel;
    struct space_options options = {.threads = rank->threads,
                                    .device = rank->device,
                                    .exchange = rank->exchange,
                                    .rows = problem->A.n};
    begin_to_fail(rank);
    const struct csr *A = rank->exchange ? &problem->own : &problem->A;
    struct linear_operator spmv = {0}, M = {0};
    struct space *space = NULL;
    struct csr own = {0};
    struct partial_csr kept = {0};
    if (rank->exchange && problem->kept) {
        rank->status = keep_own(&problem->A, rank->exchange, &own, &kept, &rank->error);
        A = &own;
    }
    if (!rank->status)
        rank->status = space_create(kernel->space, &options, &space, &rank->error);
    if (!rank->status)
        rank->status = operator_create(kernel, A, NULL, space, &spmv, &rank->error);
    if (!rank->status)
        rank->status = preconditioner_create(&problem->options, A, NULL, &spmv, &M, &rank->error);
    if (!rank->status) {
        rank->levels = shared_levels(&M);
        rank->legs = levels_with_legs(&M);
        rank->slabs = ((const struct multigrid *)M.state)->hierarchy.by_slabs;
        rank->hash = M.levels.hash;
        rank->status = apply(rank, space, &M);
    }
    if (!rank->status)
        rank->status = apply_columns(rank, space, &M);
    if (rank->status && rank->exchange)
        rank->exchange->operations->abandon(rank->exchange, 1, rank->error.text);
    operator_destroy(&M);
    operator_destroy(&spmv);
    if (space)
        space->operations->destroy(space);
    partial_csr_free(&kept);
    return NULL;
}

/* --- trials ----------------------------------------------------------------------------------- */

static void prepare(const struct shared_problem *problem, int number, struct rank *rank)
{
    int64_t n = problem->A.n;
    int devices = problem->kernel->space == SPACE_CUDA ? cuda_devices(RANKS) : 1;
    memset(rank, 0, sizeof *rank);
    rank->problem = problem;
    rank->threads = 1 + number % 2;
    rank->device = number % devices;
    rank->column = -1;
    rank->z = memory_array(TURNS * n, sizeof *rank->z, "z", NULL);
    for (int64_t i = 0; i < TURNS * n; i++)
        rank->z[i] = NAN;
}

static void expect_same(const struct rank *alone, const struct rank *rank, int number, int ranks)
{
    const char *name = alone->problem->way->name;
    int64_t n = alone->problem->A.n;
    for (int64_t i = 0; i < TURNS * n; i++)
        ck_assert_msg(memcmp(&alone->z[i], &rank->z[i], sizeof *rank->z) == 0,
                      "%s, rank %d of %d, turn %d, z[%d] = %a, alone %a", name, number, ranks,
                      (int)(i / n), (int)(i % n), rank->z[i], alone->z[i]);
    ck_assert_msg(rank->column < 0, "%s, rank %d of %d: column %d of several", name, number, ranks,
                  rank->column);
    bool on_device = alone->problem->kernel->space == SPACE_CUDA;
    ck_assert_msg(rank->sweeps == (alone->sweeps && !on_device), "%s, rank %d of %d: a sweep", name,
                  number, ranks);
    ck_assert_msg(alone->hash == rank->hash, "%s, rank %d of %d: the levels", name, number, ranks);
    ck_assert_msg(memcmp(alone->dot, rank->dot, sizeof rank->dot) == 0, "%s, rank %d of %d: r . z",
                  name, number, ranks);
}

static struct multigrid_options *options_of(struct shared_problem *problem)
{
    return problem->options.values;
}

/* A level is shared where each rank has so many rows of it. */
static int64_t *shared_of(struct shared_problem *problem)
{
    return &options_of(problem)->shared;
}

static void compare(struct shared_problem *problem, const struct rank *alone, int ranks)
{
    struct rank all[RANKS];
    for (int r = 0; r < ranks; r++)
        prepare(problem, r, &all[r]);
    test_ranks(ranks, run, all, sizeof *all);
    for (int r = 0; r < ranks; r++) {
        expect_ok(all[r].status, &all[r].error);
        expect_same(alone, &all[r], r, ranks);
        if (*shared_of(problem) > problem->A.n)
            ck_assert_int_eq(all[r].levels, 1);
        else if (ranks == 2)
            ck_assert_int_ge(all[r].levels, problem->way->levels);
        if (*shared_of(problem) == 1 && ranks == 2)
            ck_assert_int_ge(all[r].legs, problem->way->legs);
        if (*shared_of(problem) == 1 && ranks == 2)
            ck_assert_int_ge(all[r].slabs, problem->way->slabs);
        memory_free(all[r].z);
    }
}

static void begin(const struct share_way *way, bool small, const char *kernel,
                  const char *precision, struct shared_problem *problem)
{
    struct error error;
    uint64_t seed = test_seed();
    *problem = (struct shared_problem){.way = way, .kernel = kernel_find(kernel), .allowed = -1};
    problem->options = test_options(COMPONENT_PRECONDITIONER, "multigrid", way->aggregates,
                                    way->degree, precision, NULL);
    if (way->make)
        way->make(seed, small, &problem->A);
    else
        expect_ok(problem_create(way->problem, way->options, &problem->A, &error), &error);
    problem->own = problem->A;
    if (way->problem)
        problem->own = csr_made(CSR_SYMMETRIC, problem->A.n, way->problem->maker, way->options);
    int64_t n = problem->A.n;
    problem->r = memory_array(TURNS * n, sizeof *problem->r, "r", NULL);
    random_vector(seed, TURNS * n, problem->r);
}

static void end(struct shared_problem *problem)
{
    memory_free(problem->r);
    csr_free(&problem->A);
    options_free(&problem->options);
    ck_assert_int_eq(memory_live(), 0);
}

void share_trial(const struct share_way *way, const char *kernel, const char *precision,
                 const int *counts)
{
    struct shared_problem problem;
    struct rank alone;
    begin(way, false, kernel, precision, &problem);
    prepare(&problem, 1, &alone);
    options_of(&problem)->legs = LEGS_NEVER;
    run(&alone);
    options_of(&problem)->legs = LEGS_ALWAYS;
    expect_ok(alone.status, &alone.error);
    ck_assert_int_eq(alone.levels, 0);
    ck_assert_int_eq(alone.column, -1);
    uint64_t turn = test_seed();
    for (; *counts; counts++, turn++) {
        *shared_of(&problem) = 1;
        compare(&problem, &alone, *counts);
        *shared_of(&problem) = turn % 2 ? problem.A.n + 1 : 1;
        problem.kept = turn % 2 == 0;
        compare(&problem, &alone, *counts);
        *shared_of(&problem) = 1;
        problem.kept = false;
        options_of(&problem)->on_host = true;
        if (problem.kernel->space == SPACE_CUDA)
            compare(&problem, &alone, *counts);
        options_of(&problem)->on_host = false;
    }
    memory_free(alone.z);
    end(&problem);
}

/* Whether both ranks had enough. */
static bool try_with(struct shared_problem *problem, int64_t allowed)
{
    struct rank both[2];
    bool enough = true;
    problem->allowed = allowed;
    for (int r = 0; r < 2; r++)
        prepare(problem, r, &both[r]);
    int64_t live = memory_live();
    test_ranks(2, run, both, sizeof *both);
    memory_fail_after(-1);
    ck_assert_int_eq(memory_live(), live);
    for (int r = 0; r < 2; r++) {
        enum status status = both[r].status;
        ck_assert_msg(status == STATUS_OK || status == STATUS_MEMORY || status == STATUS_RANK,
                      "%d allocations: %s", (int)allowed, both[r].error.text);
        enough = enough && !status;
        memory_free(both[r].z);
    }
    for (int r = 0; r < 2 && enough; r++)
        ck_assert(both[r].levels >= problem->way->levels && both[r].slabs >= problem->way->slabs);
    return enough;
}

void share_trial_without_memory(const struct share_way *way, const char *kernel,
                                const char *precision)
{
    struct shared_problem problem;
    begin(way, true, kernel, precision, &problem);
    *shared_of(&problem) = 1;
    options_of(&problem)->coarsest = 50;
    uint64_t state = test_seed();
    problem.kept = problem.kernel->space == SPACE_CPU && state % 2 == 0;
    for (int64_t allowed = 0; !try_with(&problem, allowed);)
        allowed += 1 + test_random_below(&state, 1 + allowed / 8);
    end(&problem);
}
