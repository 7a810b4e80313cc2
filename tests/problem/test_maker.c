/* Rows that a generator's maker makes, wherever they begin and end, are those of the stored
 * matrix. */
#include "csr_check.h"
#include "options.h"
#include "spaces.h"
#include "support.h"

#include "base/random.h"
#include "base/threads.h"
#include "matrix/implicit_rows.h"
#include "problem/generators.h"
#include "solver/cg/cg.h"
#include "solver/lanczos/lanczos.h"
#include "solver/residual.h"
#include "spmv/kernel.h"
#include "spmv/preconditioner.h"
#include "spmv/symmetric/diagonals/sym_diagonals.h"
#include "spmv/symmetric/diagonals/sym_stencils.h"

#include <string.h>

/* A problem with options that are drawn. */
struct drawn {
    struct options options;
    struct poisson3d poisson;
    struct fe_mesh mesh;
    struct elasticity3d body;
};

static int64_t draw(uint64_t *state, int64_t least, int64_t most)
{
    return least + test_random_below(state, most - least + 1);
}

enum { PROBLEMS = 4 };

/* Poisson's, a sheet, a cube or an elastic body. */
static void draw_problem(struct drawn *drawn, int which, uint64_t *state)
{
    static const struct problem *const problems[PROBLEMS] = {
        &problem_poisson3d, &problem_fe_sheet, &problem_fe_cube, &problem_elasticity3d};
    void *const values[PROBLEMS] = {&drawn->poisson, &drawn->mesh, &drawn->mesh, &drawn->body};
    drawn->poisson =
        (struct poisson3d){{0}, {0}, test_random(state) < 0.5 ? 1 : 100, 0.5, POISSON3D_DIRICHLET};
    drawn->mesh = (struct fe_mesh){
        .unknowns = draw(state, 1, FE_MESH_UNKNOWNS_MAX),
        .shift = 1e-3,
        .seed = draw(state, 0, 1000),
        .diagonals = test_random(state) < 0.5 ? FE_MESH_REGULAR : FE_MESH_RANDOM_DIAGONALS};
    drawn->body = (struct elasticity3d){.poisson_ratio = 0.3,
                                        .spacing = {1, 1, 1},
                                        .jump = test_random(state) < 0.5 ? 1 : 100,
                                        .support = test_random(state) < 0.5 ? ELASTICITY3D_CLAMPED
                                                                            : ELASTICITY3D_FREE};
    for (int axis = 0; axis < 3; axis++) {
        drawn->poisson.n[axis] = draw(state, 1, 30);
        drawn->body.n[axis] = draw(state, 1, 10);
        drawn->poisson.weights[axis] = axis == 0 ? 1 : (double)draw(state, 0, 2);
        drawn->mesh.n[axis] = axis == 2 && which == 1 ? 0 : draw(state, 1, 12);
    }
    drawn->options = (struct options){&problems[which]->component, values[which]};
}

static struct csr made_of(const struct drawn *drawn)
{
    struct csr A;
    struct error error;
    expect_ok(problem_shape(&drawn->options, &A, &error), &error);
    ck_assert(A.maker && !A.offsets);
    return A;
}

static struct csr stored_of(const struct drawn *drawn)
{
    struct csr A = made_of(drawn);
    struct error error;
    expect_ok(csr_store(&A, &error), &error);
    ck_assert_int_eq(A.offsets[A.n], A.nnz);
    expect_ok(csr_check(&A, &error), &error);
    return A;
}

static void expect_rows(const struct csr *A, const struct csr *made, int64_t first, int64_t last)
{
    struct csr rows;
    struct error error;
    expect_ok(csr_make_rows(made, first, last, &rows, &error), &error);
    ck_assert_int_eq(rows.kind, A->kind);
    ck_assert_int_eq(rows.n, last - first);
    ck_assert_int_eq(rows.nnz, A->offsets[last] - A->offsets[first]);
    for (int64_t r = 0; r <= rows.n; r++)
        ck_assert_int_eq(rows.offsets[r], A->offsets[first + r] - A->offsets[first]);
    for (int64_t k = 0; k < rows.nnz; k++) {
        ck_assert_int_eq(first + rows.columns[k], A->columns[A->offsets[first] + k]);
        ck_assert(rows.columns[k] < rows.width && first + rows.width <= A->n);
    }
    ck_assert_mem_eq(rows.values, A->values + A->offsets[first],
                     (size_t)rows.nnz * sizeof *rows.values);
    csr_free(&rows);
}

START_TEST(rows_are_those_of_the_matrix)
{
    uint64_t state = test_seed();
    for (int trial = 0; trial < 20 * PROBLEMS; trial++) {
        struct drawn drawn;
        draw_problem(&drawn, trial % PROBLEMS, &state);
        struct csr A = stored_of(&drawn), made = made_of(&drawn);
        int64_t reach = 0;
        for (int64_t i = 0; i < A.n; i++) {
            int64_t farthest = A.columns[A.offsets[i + 1] - 1] - i;
            reach = farthest > reach ? farthest : reach;
        }
        ck_assert_int_le(reach, made.maker->reach(made.maker_options));
        if (trial % PROBLEMS == 0 || trial % PROBLEMS == 3)
            ck_assert_int_eq(reach, made.maker->reach(made.maker_options));
        for (int part = 0; part < 10; part++) {
            int64_t first = draw(&state, 0, A.n);
            expect_rows(&A, &made, first, draw(&state, first, A.n));
        }
        csr_free(&A);
    }
}
END_TEST

START_TEST(a_survey_needs_no_stored_matrix)
{
    uint64_t state = test_seed();
    for (int trial = 0; trial < 4 * PROBLEMS; trial++) {
        struct drawn drawn;
        struct error error;
        draw_problem(&drawn, trial % PROBLEMS, &state);
        struct csr A = stored_of(&drawn), made = made_of(&drawn);
        int64_t entries;
        uint64_t hash;
        expect_ok(csr_count_and_hash(&made, &entries, &hash, &error), &error);
        ck_assert_uint_eq(hash, csr_hash(&A));
        ck_assert_int_eq(entries, csr_entries(&A));
        csr_free(&A);
    }
}
END_TEST

/* A shift that makes the diagonal 0: these are stored, and no entries. */
START_TEST(a_survey_counts_no_zeros)
{
    struct poisson3d poisson = {{20, 20, 20}, {1, 1, 1}, 1, -6, POISSON3D_DIRICHLET};
    struct drawn drawn = {.options = {&problem_poisson3d.component, &poisson}};
    struct csr made = made_of(&drawn);
    struct error error;
    int64_t entries;
    uint64_t hash;
    expect_ok(csr_count_and_hash(&made, &entries, &hash, &error), &error);
    ck_assert_int_eq(entries, 2 * 3 * 20 * 20 * 19);
}
END_TEST

START_TEST(a_residual_needs_no_stored_matrix)
{
    uint64_t state = test_seed();
    for (int trial = 0; trial < 4 * PROBLEMS; trial++) {
        struct drawn drawn;
        struct error error;
        struct threads *threads;
        draw_problem(&drawn, trial % PROBLEMS, &state);
        struct csr A = stored_of(&drawn), made = made_of(&drawn);
        double *x = memory_array(A.n, sizeof *x, "x", &error), norm, wanted;
        for (int64_t i = 0; i < A.n; i++)
            x[i] = test_random(&state) - 0.5;
        expect_ok(threads_create(1 + trial % 3, &threads, &error), &error);
        expect_ok(residual_norm(threads, &A, 0.25, x, x, &wanted, &error), &error);
        expect_ok(residual_norm(threads, &made, 0.25, x, x, &norm, &error), &error);
        ck_assert(norm == wanted);
        threads_destroy(threads);
        memory_free(x);
        csr_free(&A);
    }
}
END_TEST

/* So many rows that they are made in parts. */
START_TEST(a_long_residual_is_made_in_parts)
{
    struct poisson3d poisson = {{3000, 1500, 1}, {1, 1, 1}, 1, 0, POISSON3D_DIRICHLET};
    struct drawn drawn = {.options = {&problem_poisson3d.component, &poisson}};
    struct csr made = made_of(&drawn), A = stored_of(&drawn);
    struct threads *threads;
    struct error error;
    double *x = memory_array(A.n, sizeof *x, "x", &error), norm, wanted;
    random_vector(test_seed(), A.n, x);
    expect_ok(threads_create(2, &threads, &error), &error);
    expect_ok(residual_norm(threads, &A, 0, NULL, x, &wanted, &error), &error);
    expect_ok(residual_norm(threads, &made, 0, NULL, x, &norm, &error), &error);
    ck_assert(norm == wanted);
    threads_destroy(threads);
    memory_free(x);
    csr_free(&A);
}
END_TEST

/* --- kinds ------------------------------------------------------------------------------------ */

/* Each row's kind has the row's code, and the table is that of a search through all rows. */
static void expect_stencils(const struct csr *A, const struct row_kinds *kinds,
                            const struct sym_stencils *all, const struct sym_stencils *found)
{
    ck_assert_int_eq(kinds->n[0] * kinds->n[1] * kinds->n[2], A->n);
    ck_assert_int_eq(found->count, all->count);
    ck_assert_int_eq(found->width, all->width);
    ck_assert_mem_eq(found->table, all->table,
                     (size_t)(all->count * all->width) * sizeof *all->table);
    for (int64_t i = 0; i < A->n && all->count > 0; i++) {
        int64_t line = i / kinds->n[0], x = i % kinds->n[0];
        int64_t y = line % kinds->n[1], z = line / kinds->n[1];
        int kind = kinds->at[0][x] + kinds->at[1][y] + kinds->at[2][z];
        ck_assert_int_lt(kind, row_kinds_count(kinds));
        ck_assert_int_eq(found->codes[kind], all->codes[i]);
    }
}

static void expect_kinds(const struct csr *A)
{
    struct row_kinds kinds;
    struct sym_stencils all, found;
    int32_t *distances, *wanted;
    int64_t count, wanted_count, rows = 0, zeros = 0;
    struct error error;
    expect_ok(sym_diagonals_find(A, A->n, &wanted, &wanted_count, &error), &error);
    expect_ok(sym_stencils_create(A, wanted, wanted_count, &all, &error), &error);
    ck_assert(row_kinds_known(A));
    expect_ok(row_kinds_create(A, &kinds, &error), &error);
    expect_ok(sym_stencils_of_kinds(A, &kinds, &distances, &count, &found, &error), &error);
    ck_assert_int_eq(count, wanted_count);
    ck_assert_mem_eq(distances, wanted, (size_t)count * sizeof *wanted);
    expect_stencils(A, &kinds, &all, &found);
    for (int64_t k = 0; k < A->nnz; k++)
        zeros += A->values[k] == 0;
    ck_assert(found.exact == (found.count > 0 && zeros == 0));
    for (int kind = 0; kind < row_kinds_count(&kinds); kind++) {
        int64_t often;
        row_kinds_first(&kinds, kind, &often);
        rows += often;
    }
    ck_assert_int_eq(rows, A->n);
    memory_free(wanted);
    memory_free(distances);
    sym_stencils_free(&all);
    sym_stencils_free(&found);
    row_kinds_free(&kinds);
}

START_TEST(kinds_have_the_stencils_of_all_rows)
{
    uint64_t state = test_seed();
    for (int trial = 0; trial < 60; trial++) {
        struct drawn drawn;
        draw_problem(&drawn, 0, &state);
        struct poisson3d *poisson = &drawn.poisson;
        poisson->boundary = trial % 2 ? POISSON3D_NEUMANN : POISSON3D_DIRICHLET;
        poisson->shift = trial % 3 ? 0.5 : trial % 6 ? 0 : -6;
        if (trial % 4 == 0)
            poisson->n[draw(&state, 0, 2)] = draw(&state, 1, 5);
        struct csr A = stored_of(&drawn);
        expect_kinds(&A);
        csr_free(&A);
    }
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* --- storing ---------------------------------------------------------------------------------- */

/* A copy for each thread. */
static void store(void *context, int64_t begin, int64_t end)
{
    for (; begin < end; begin++) {
        struct csr A = *(const struct csr *)context;
        struct error error;
        expect_ok(csr_store(&A, &error), &error);
        expect_ok(csr_check(&A, &error), &error);
        csr_free(&A);
    }
}

START_TEST(threads_share_one_and_its_owner_stores_it_once)
{
    uint64_t state = test_seed();
    struct drawn drawn;
    struct error error;
    struct threads *threads;
    draw_problem(&drawn, 0, &state);
    struct csr A = made_of(&drawn);
    expect_ok(threads_create(4, &threads, &error), &error);
    threads_each(threads, 4, store, &A);
    threads_destroy(threads);
    ck_assert(!A.offsets);
    ck_assert_int_eq(memory_live(), 0);
    expect_error(csr_check_stored(&A, &error), STATUS_UNAVAILABLE, &error, "not stored", NULL);
    expect_ok(csr_store(&A, &error), &error);
    struct csr stored = A;
    int64_t live = memory_live();
    expect_ok(csr_store(&A, &error), &error);
    ck_assert_mem_eq(&A, &stored, sizeof A);
    ck_assert_int_eq(memory_live(), live);
    expect_ok(csr_check_stored(&A, &error), &error);
    expect_ok(csr_check(&A, &error), &error);
    csr_free(&A);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* Of a matrix that its owner should have stored. */
START_TEST(who_reads_arrays_says_that_there_are_none)
{
    enum { SIDE = 8, N = SIDE * SIDE * SIDE, COLUMNS = 2 };
    struct poisson3d poisson = {{SIDE, SIDE, SIDE}, {1, 1, 1}, 1, 0, POISSON3D_DIRICHLET};
    struct drawn drawn = {.options = {&problem_poisson3d.component, &poisson}};
    const struct csr made = made_of(&drawn);
    const struct kernel *kernel = kernel_find("cpu_csr");
    struct kernel_options floats = kernel_defaults(kernel);
    struct csr A = stored_of(&drawn);
    struct space *space = test_space(SPACE_CPU, REDUCTIONS_REPRODUCIBLE, 2);
    struct options multigrid = test_options(COMPONENT_PRECONDITIONER, "multigrid", NULL);
    struct solver_options together = {
        .method = &method_cg, .tolerance = 1e-8, .columns = SOLVER_COLUMNS_TOGETHER};
    struct solver_options eigen = {.method = &method_lanczos,
                                   .max_iterations = N,
                                   .eigen = {.count = 1, .tolerance = 1e-8, .restart = 20}};
    struct solver_result results[COLUMNS];
    struct linear_operator spmv, other;
    struct error error, why[5];
    double b[COLUMNS * N], x[COLUMNS * N];
    random_vector(1, COLUMNS * N, b);
    expect_ok(operator_create(kernel, &A, NULL, space, &spmv, &error), &error);
    ck_assert(kernel_set_precision(kernel, PRECISION_FLOAT, &floats));
    const enum status statuses[] = {
        operator_create(kernel, &made, NULL, space, &other, &why[0]),
        kernel_check(kernel, &made, &floats, &why[1]),
        preconditioner_create(&multigrid, &made, NULL, &spmv, &other, &why[2]),
        solver_solve_columns(&spmv, &made, COLUMNS, b, NULL, &together, NULL, x, results, &why[3]),
        solver_solve(&spmv, &made, b, NULL, &eigen, NULL, x, results, &why[4])};
    for (size_t k = 0; k < sizeof statuses / sizeof *statuses; k++)
        expect_error(statuses[k], STATUS_UNAVAILABLE, &why[k], "not stored", NULL);
    operator_destroy(&spmv);
    options_free(&multigrid);
    space->operations->destroy(space);
    csr_free(&A);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

static enum status take_kinds(const struct csr *A, struct error *error)
{
    struct row_kinds kinds = {0};
    struct sym_stencils stencils = {0};
    int32_t *distances = NULL;
    int64_t count;
    enum status status = row_kinds_create(A, &kinds, error);
    if (!status)
        status = sym_stencils_of_kinds(A, &kinds, &distances, &count, &stencils, error);
    memory_free(distances);
    sym_stencils_free(&stencils);
    row_kinds_free(&kinds);
    return status;
}

static enum status make_all(void *context, struct error *error)
{
    struct csr A = made_of(context), rows = {0};
    int64_t entries;
    uint64_t hash;
    enum status status = csr_count_and_hash(&A, &entries, &hash, error);
    if (!status)
        status = csr_make_rows(&A, A.n / 3, A.n, &rows, error);
    if (!status && row_kinds_known(&A))
        status = take_kinds(&A, error);
    if (!status)
        status = csr_store(&A, error);
    ck_assert(!status == (A.values != NULL));
    csr_free(&rows);
    csr_free(&A);
    return status;
}

START_TEST(every_failed_allocation_is_survived)
{
    uint64_t state = test_seed();
    for (int which = 0; which < PROBLEMS; which++) {
        struct drawn drawn;
        draw_problem(&drawn, which, &state);
        walk_allocation_failures(make_all, &drawn);
    }
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {rows_are_those_of_the_matrix,
                            a_survey_needs_no_stored_matrix,
                            a_survey_counts_no_zeros,
                            a_residual_needs_no_stored_matrix,
                            a_long_residual_is_made_in_parts,
                            kinds_have_the_stencils_of_all_rows,
                            threads_share_one_and_its_owner_stores_it_once,
                            who_reads_arrays_says_that_there_are_none,
                            every_failed_allocation_is_survived,
                            NULL};
    return suite_of("problem/maker", tests);
}
