/* Set-up of kernels, preconditioners and numberings for long rows and for very many components. It
 * takes about the processor time of a matrix of short rows with as many entries; a step that is
 * quadratic in the length of a row, or in the number of components, takes many times as much. */
#include "csr_check.h"
#include "support.h"

#include "matrix/permute.h"
#include "matrix/rcm.h"
#include "options.h"
#include "precondition/multigrid/coarsening.h"
#include "spaces.h"
#include "spmv/kernel.h"
#include "spmv/preconditioner.h"

#include <time.h>

/* The next entry of row i after column j; n: none. */
typedef int64_t next_entry(int64_t n, int64_t i, int64_t j);

/* The Laplacian of a graph, plus 1e-3 I. */
static void make_laplacian(int64_t n, next_entry *next, struct csr *A)
{
    struct error error;
    int64_t nnz = n, at = 0;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = next(n, i, i); j < n; j = next(n, i, j))
            nnz++;
    expect_ok(csr_create(A, CSR_SYMMETRIC, n, nnz, &error), &error);
    for (int64_t i = 0; i < n; i++) {
        A->offsets[i] = at;
        for (int64_t j = i; j < n; j = next(n, i, j)) {
            A->columns[at] = (int32_t)j;
            A->values[at++] = -1;
        }
    }
    A->offsets[n] = at;
    take_sums_away(A);
    for (int64_t i = 0; i < n; i++)
        A->values[A->offsets[i]] += 1e-3;
    expect_ok(csr_check(A, &error), &error);
}

static void set_up_preconditioners(const struct csr *A, struct linear_operator *spmv)
{
    static const char *const all[][2] = {
        {"jacobi", NULL}, {"block_jacobi", NULL},           {"chebyshev", NULL},
        {"fsai", NULL},   {"multigrid", "aggregates=auto"}, {"multigrid", "aggregates=matching"}};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        struct error error;
        struct linear_operator M;
        struct options options = test_options(COMPONENT_PRECONDITIONER, all[k][0], all[k][1], NULL);
        expect_ok(preconditioner_create(&options, A, NULL, spmv, &M, &error), &error);
        operator_destroy(&M);
        options_free(&options);
    }
}

static void set_up_kernels(const struct csr *A)
{
    struct error error;
    struct space *space = test_space(SPACE_CPU, REDUCTIONS_REPRODUCIBLE, 2);
    int count;
    const struct kernel *const *kernels = kernel_list(&count);
    for (int k = 0; k < count; k++) {
        struct linear_operator spmv;
        if (!kernels[k]->setup || kernels[k]->space != SPACE_CPU)
            continue;
        expect_ok(operator_create(kernels[k], A, NULL, space, &spmv, &error), &error);
        if (kernels[k] == kernel_find("cpu_sym_bitwise"))
            set_up_preconditioners(A, &spmv);
        operator_destroy(&spmv);
    }
    space->operations->destroy(space);
}

enum { ROWS = 60000, SMALL_ROWS = 250000, HUBS = 500, DENSE = 10, DENSE_ROWS = 24000, MOST = 4 };

/* As it is, in a random numbering, and in one that was looked for. */
static void set_up_numbered(int64_t n, next_entry *next, uint64_t state)
{
    struct error error;
    struct csr A, shuffled, ordered;
    make_laplacian(n, next, &A);
    set_up_kernels(&A);
    make_shuffled(&A, &state, &shuffled);
    set_up_kernels(&shuffled);
    int32_t *number = memory_array(n, sizeof *number, "a numbering", &error);
    ck_assert_ptr_nonnull(number);
    expect_ok(rcm_numbering(&shuffled, number, &error), &error);
    expect_ok(csr_permute(&shuffled, number, &ordered, &error), &error);
    ck_assert_int_eq(ordered.nnz, A.nnz);
    memory_free(number);
    csr_free(&ordered);
    csr_free(&shuffled);
    csr_free(&A);
    ck_assert_int_eq(memory_live(), 0);
}

static int64_t of_path(int64_t n, int64_t i, int64_t j)
{
    return j == i ? i + 1 : n;
}

/* Of the processor, by all threads of this process: other programs do not count. */
static double processor_seconds(int64_t n, next_entry *next, uint64_t state)
{
    clock_t begin = clock();
    set_up_numbered(n, next, state);
    return (double)(clock() - begin) / CLOCKS_PER_SEC;
}

/* Against a path of path rows, which has about as many entries. */
static void set_up_all(int64_t n, next_entry *next, int64_t path_rows)
{
    uint64_t state = test_seed();
    double path = processor_seconds(path_rows, of_path, state);
    double time = processor_seconds(n, next, state);
    ck_assert_msg(time < MOST * path, "%.1f s, and %.1f s for a path", time, path);
}

static int64_t of_hub(int64_t n, int64_t i, int64_t j)
{
    return i == 0 ? j + 1 : n;
}

START_TEST(a_hub)
{
    set_up_all(ROWS, of_hub, ROWS);
}
END_TEST

static int64_t of_last(int64_t n, int64_t i, int64_t j)
{
    return i < n - 1 && j == i ? n - 1 : n;
}

START_TEST(a_hub_in_the_last_row)
{
    set_up_all(ROWS, of_last, ROWS);
}
END_TEST

/* Hubs with their leaves behind them, and row 0 a hub of hubs. */
static int64_t of_star(int64_t n, int64_t i, int64_t j)
{
    if (i % HUBS != 0)
        return n;
    bool leaf = (j + 1) % HUBS != 0 && j < i + HUBS;
    int64_t hub = i > 0 ? n : (j / HUBS + 1) * HUBS;
    return leaf ? j + 1 : hub < n ? hub : n;
}

START_TEST(a_star_of_stars)
{
    set_up_all(ROWS, of_star, ROWS);
}
END_TEST

/* A path, and rows with all columns. */
static int64_t of_dense(int64_t n, int64_t i, int64_t j)
{
    int64_t apart = n / DENSE, dense = (j / apart + 1) * apart;
    return i % apart == 0 || j == i ? j + 1 : dense < n ? dense : n;
}

START_TEST(ten_dense_rows)
{
    set_up_all(DENSE_ROWS, of_dense, ROWS);
}
END_TEST

/* Of 1, 2 and 3 rows. */
static int64_t of_component(int64_t n, int64_t i, int64_t j)
{
    bool joined = i % 6 == 1 || i % 6 == 3 || i % 6 == 4;
    return joined && j == i ? i + 1 : n;
}

START_TEST(many_components)
{
    set_up_all(SMALL_ROWS, of_component, SMALL_ROWS);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {a_hub,          a_hub_in_the_last_row, a_star_of_stars,
                            ten_dense_rows, many_components,       NULL};
    return suite_of("precondition/long_rows", tests);
}
