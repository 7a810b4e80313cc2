/* Handles over ranks that are threads: the matrix, products, histories, results and solutions of
 * one rank, bit for bit, for any division of the rows; and refusals that all ranks get. */
#include "support.h"

#include "api/exchange_threads.h"
#include "api/over_grid.h"
#include "base/random.h"
#include "ranks.h"
#include "solver/solve.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SIDE = 14, MOST = SIDE * SIDE * SIDE, ROWS = 600, COLUMNS = 2 };

struct way {
    const char *name;
    enum cgs_part part;
    enum cgs_kind kind;
    const char *kernel[8], *solver[8];
    bool anywhere; /* entries at random places; else on a grid */
    int base;
    bool one_by_one, twice, started, looks, preconditions, lame; /* lame: not exactly symmetric */
};

/* Both triangles, rows of n. */
struct system {
    const struct way *way;
    struct csr full;
    double *b, *x0; /* [COLUMNS][n] */
};

/* What a rank, or one alone, gives and finds. */
struct found {
    struct exchange *exchange; /* first; NULL: alone */
    const struct system *system;
    int64_t first, rows;
    struct handles handles;
    enum cgs_status status;
    struct cgs_error error;
    uint64_t hash;
    int64_t entries, averaged, seen, looks;
    double asymmetry;
    struct cgs_result results[COLUMNS];
    int64_t history_rows[COLUMNS];
    double history[COLUMNS][ROWS];
    double x[COLUMNS * MOST], y[MOST], z[MOST], looked[MOST]; /* of the own rows */
};

/* --- the rows of a rank ----------------------------------------------------------------------- */

struct arrays {
    int64_t *offsets, *rows, *columns, count;
    double *values;
};

static bool is_of_part(enum cgs_part part, int64_t i, int64_t j)
{
    return part == CGS_FULL || (part == CGS_UPPER ? j >= i : j <= i);
}

static void put(struct arrays *to, int base, int64_t i, int64_t j, double value)
{
    to->rows[to->count] = i + base;
    to->columns[to->count] = j + base;
    to->values[to->count++] = value;
}

/* Each row from its last column to its first; in halves where each comes twice. */
static void list(const struct system *system, int64_t first, int64_t rows, struct arrays *to)
{
    const struct way *way = system->way;
    const struct csr *A = &system->full;
    int64_t most = 2 * A->nnz;
    *to = (struct arrays){.offsets = memory_array(rows + 1, sizeof(int64_t), "", NULL),
                          .rows = memory_array(most, sizeof(int64_t), "", NULL),
                          .columns = memory_array(most, sizeof(int64_t), "", NULL),
                          .values = memory_array(most, sizeof(double), "", NULL)};
    to->offsets[0] = way->base;
    for (int64_t i = first; i < first + rows; i++) {
        for (int64_t k = A->offsets[i + 1] - 1; k >= A->offsets[i]; k--) {
            int64_t j = A->columns[k];
            double value = A->values[k];
            if (!is_of_part(way->part, i, j))
                continue;
            if (way->lame && j < i)
                value *= 1 + 1e-13 * (double)((i + j) % 3);
            put(to, way->base, i, j, way->twice ? value / 2 : value);
            if (way->twice)
                put(to, way->base, i, j, value / 2);
        }
        to->offsets[i - first + 1] = to->count + way->base;
    }
}

static void arrays_free(struct arrays *arrays)
{
    memory_free(arrays->offsets);
    memory_free(arrays->rows);
    memory_free(arrays->columns);
    memory_free(arrays->values);
}

static struct cgs_array integers(int64_t *v, int64_t n)
{
    return (struct cgs_array){.data = v, .rows = n, .type = CGS_INT64};
}

static struct cgs_matrix_data data_of(const struct found *found, const struct arrays *arrays)
{
    const struct way *way = found->system->way;
    struct cgs_matrix_data data = {.size = sizeof data,
                                   .n = found->system->full.n,
                                   .columns = integers(arrays->columns, arrays->count),
                                   .values = cgs_vector(arrays->values, arrays->count),
                                   .base = way->base,
                                   .part = way->part,
                                   .kind = way->kind,
                                   .first_row = found->first,
                                   .own_rows = found->rows};
    if (way->one_by_one)
        data.rows = integers(arrays->rows, arrays->count);
    else
        data.offsets = integers(arrays->offsets, found->rows + 1);
    return data;
}

/* --- what a rank does ------------------------------------------------------------------------- */

static int see(void *user, int64_t column, int64_t iteration, double residual)
{
    struct found *found = user;
    (void)column, (void)iteration, (void)residual;
    found->seen++;
    return 0;
}

static int look(void *user, int64_t iteration, const double *x)
{
    struct found *found = user;
    found->looks += iteration;
    memcpy(found->looked, x, (size_t)found->rows * sizeof *x);
    return 0;
}

/* z_i = r_i / (2 + i mod 3), with i in all of A. */
static int divide(void *user, const struct cgs_array *r, const struct cgs_array *z, void *stream)
{
    const struct found *found = user;
    const double *from = r->data;
    double *to = z->data;
    (void)stream;
    ck_assert_int_eq(r->rows, found->rows);
    for (int64_t i = 0; i < r->rows; i++)
        to[i] = from[i] / (double)(2 + (found->first + i) % 3);
    return 0;
}

static enum cgs_status create(struct found *found, const struct cgs_matrix_data *data)
{
    struct handles *made = &found->handles;
    struct cgs_error *error = &found->error;
    const struct way *way = found->system->way;
    struct cgs_exchange exchange;
    struct cgs_context_options options = {.size = sizeof options, .threads = 1};
    if (found->exchange) {
        exchange = exchange_of_team(found->exchange);
        options.exchange = &exchange;
        options.threads = 1 + exchange.rank % 2;
    }
    enum cgs_status status = cgs_context_create(&options, &made->context, error);
    if (!status)
        status = cgs_matrix_create(made->context, data, &made->A, error);
    if (!status)
        status = cgs_operator_create(made->A, way->kernel, &made->kernel, error);
    if (!status)
        status = cgs_solver_create(made->kernel, way->solver, &made->solver, error);
    if (!status && way->preconditions)
        status = cgs_solver_precondition(made->solver, divide, 0, found, error);
    return status;
}

static void keep(struct found *found)
{
    for (int j = 0; j < COLUMNS; j++) {
        const double *values;
        expect(cgs_solver_history(found->handles.solver, j, "residual", &values,
                                  &found->history_rows[j], &found->error),
               &found->error);
        ck_assert_int_lt(found->history_rows[j], ROWS);
        memcpy(found->history[j], values, (size_t)found->history_rows[j] * sizeof *values);
    }
}

static struct cgs_array part_of(const struct found *found, const double *v, int64_t columns)
{
    return (struct cgs_array){.data = (void *)(uintptr_t)v,
                              .rows = found->rows,
                              .columns = columns,
                              .column_stride = found->system->full.n};
}

static struct cgs_array own(const double *v, int64_t n)
{
    return cgs_vector(n > 0 ? v : NULL, n); /* a rank without rows need not have an array */
}

static enum cgs_status work(struct found *found)
{
    const struct system *system = found->system;
    const struct handles *made = &found->handles;
    struct cgs_error *error = &found->error;
    int64_t columns = system->way->looks ? 1 : COLUMNS;
    const double *b = system->b + found->first;
    found->hash = cgs_matrix_hash(made->A);
    found->entries = cgs_matrix_entries(made->A);
    found->averaged = cgs_matrix_averaged(made->A, &found->asymmetry);
    cgs_solver_monitor(made->solver, see, found);
    enum cgs_status status =
        cgs_multiply(made->kernel, own(b, found->rows), own(found->y, found->rows), error);
    const char *named = system->way->solver[0];
    if (!status && named && strcmp(named, "preconditioner") == 0)
        status =
            cgs_precondition(made->solver, own(b, found->rows), own(found->z, found->rows), error);
    if (!status && system->way->looks)
        status = cgs_solver_look(made->solver, 3, look, found, error);
    for (int64_t j = 0; j < columns; j++)
        found->results[j].size = sizeof *found->results;
    if (status)
        return status;
    return cgs_solve(
        made->solver, part_of(found, b, columns),
        part_of(found, system->way->started ? system->x0 + found->first : NULL, columns),
        (struct cgs_array){.data = found->x, .rows = found->rows, .columns = columns},
        found->results, error);
}

static void *run(void *context)
{
    struct found *found = context;
    struct arrays arrays;
    list(found->system, found->first, found->rows, &arrays);
    const struct cgs_matrix_data data = data_of(found, &arrays);
    found->status = create(found, &data);
    arrays_free(&arrays); /* they are not needed any more */
    if (!found->status)
        found->status = work(found);
    if (!found->status && !found->system->way->looks)
        keep(found);
    handles_destroy(&found->handles);
    return NULL;
}

/* --- what all of them come to ----------------------------------------------------------------- */

/* Some have none. */
static void divide_rows(int64_t n, int ranks, uint64_t *state, struct found *found)
{
    int64_t begin = 0;
    for (int r = 0; r < ranks; r++) {
        int64_t left = n - begin;
        int64_t rows = r == ranks - 1 ? left : r % 3 == 1 ? 0 : test_random_below(state, left + 1);
        found[r].first = begin;
        found[r].rows = rows;
        begin += rows;
    }
}

static void begin(const struct system *system, int ranks, struct found *found)
{
    for (int r = 0; r < ranks; r++) {
        memset(&found[r], 0, sizeof found[r]);
        found[r].system = system;
        for (int64_t i = 0; i < COLUMNS * MOST; i++)
            found[r].x[i] = NAN;
        for (int64_t i = 0; i < MOST; i++)
            found[r].y[i] = found[r].z[i] = found[r].looked[i] = NAN;
    }
}

static void expect_bits(const char *what, const double *a, const double *b, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        ck_assert_msg(memcmp(&a[i], &b[i], sizeof *a) == 0 || (isnan(a[i]) && isnan(b[i])),
                      "%s %d: %a, alone %a", what, (int)i, a[i], b[i]);
}

static void expect_same(const struct found *alone, const struct found *found)
{
    const struct way *way = alone->system->way;
    int64_t first = found->first, rows = found->rows, n = alone->rows;
    ck_assert_uint_eq(found->hash, alone->hash);
    ck_assert_int_eq(found->entries, alone->entries);
    ck_assert_int_eq(found->averaged, alone->averaged);
    ck_assert(found->asymmetry == alone->asymmetry && (alone->averaged > 0) == way->lame);
    expect_bits("y", found->y, alone->y + first, rows);
    expect_bits("z", found->z, alone->z + first, rows);
    expect_bits("x_k", found->looked, alone->looked + first, way->looks ? rows : 0);
    ck_assert_int_eq(found->looks, alone->looks);
    ck_assert_int_eq(found->seen, alone->seen);
    for (int j = 0; j < (way->looks ? 1 : COLUMNS); j++) {
        const struct cgs_result *its = &found->results[j], *wanted = &alone->results[j];
        ck_assert_int_eq(its->reason, wanted->reason);
        ck_assert_int_eq(its->iterations, wanted->iterations);
        ck_assert_int_eq(its->products, wanted->products);
        expect_bits("true residual", &its->true_residual, &wanted->true_residual, 1);
        expect_bits("||b||", &its->rhs_norm, &wanted->rhs_norm, 1);
        ck_assert_int_eq(found->history_rows[j], alone->history_rows[j]);
        expect_bits("residual", found->history[j], alone->history[j], alone->history_rows[j]);
        expect_bits("x", found->x + j * rows, alone->x + j * n + first, rows);
    }
}

static void make_anywhere(uint64_t *state, struct csr *A)
{
    int64_t n = 1500 + test_random_below(state, MOST - 1500), at = 0;
    enum { FAR = 4 };
    expect_ok(csr_create(A, CSR_SYMMETRIC, n, n * (FAR + 1), NULL), NULL);
    for (int64_t i = 0; i < n; i++) {
        A->offsets[i] = at;
        A->columns[at] = (int32_t)i;
        A->values[at++] = 40 + test_random(state);
        for (int64_t k = 0, j = i; k < FAR; k++) {
            j += 1 + test_random_below(state, k == FAR - 1 ? n : 40);
            if (j >= n)
                break;
            A->columns[at] = (int32_t)j;
            A->values[at++] = test_random(state) - 0.5;
        }
    }
    A->offsets[n] = A->nnz = at;
}

static void make_system(const struct way *way, uint64_t *state, struct system *made)
{
    struct csr A;
    *made = (struct system){.way = way};
    if (way->anywhere)
        make_anywhere(state, &A);
    else
        grid(SIDE, 100, &A);
    if (way->kind == CGS_SKEW) {
        A.kind = CSR_SKEW;
        for (int64_t i = 0; i < A.n; i++)
            A.values[A.offsets[i]] = 0;
    }
    expect_ok(csr_expand(&A, &made->full, NULL), NULL);
    made->b = memory_array(COLUMNS * A.n, sizeof(double), "b", NULL);
    made->x0 = memory_array(COLUMNS * A.n, sizeof(double), "x0", NULL);
    random_vector(*state, COLUMNS * A.n, made->b);
    random_vector(*state + 1, COLUMNS * A.n, made->x0);
    if (way->started && way->anywhere) /* a column that begins with 0 */
        memset(made->b, 0, (size_t)A.n * sizeof *made->b);
    csr_free(&A);
}

static void system_free(struct system *system)
{
    csr_free(&system->full);
    memory_free(system->b);
    memory_free(system->x0);
    ck_assert_int_eq(memory_live(), 0);
}

static const struct way ways[] = {
    {"full", .part = CGS_FULL},
    {"full, from 1, twice", .part = CGS_FULL, .base = 1, .twice = true, .anywhere = true},
    {"full, nearly symmetric", .part = CGS_FULL, .lame = true, .anywhere = true},
    {"upper, jacobi", .part = CGS_UPPER, .solver = {"preconditioner", "jacobi"}, .started = true},
    {"lower, entries", .part = CGS_LOWER, .one_by_one = true, .anywhere = true, .started = true},
    {"full, entries from 1", .part = CGS_FULL, .one_by_one = true, .base = 1, .twice = true,
     .solver = {"preconditioner", "chebyshev"}},
    {"multigrid", .part = CGS_FULL, .solver = {"preconditioner", "multigrid"}},
    {"auto", .part = CGS_UPPER, .anywhere = true, .solver = {"preconditioner", "auto"}},
    {"multigrid by a matching", .part = CGS_FULL, .anywhere = true,
     .solver = {"preconditioner", "multigrid"}},
    {"multigrid in single precision", CGS_UPPER,
     .solver = {"preconditioner", "multigrid", "preconditioner.precision", "float"}},
    {"blocks", .part = CGS_UPPER, .anywhere = true, .solver = {"preconditioner", "block_jacobi"}},
    {"blocks across tiles", .part = CGS_UPPER, .anywhere = true,
     .solver = {"preconditioner", "block_jacobi", "preconditioner.block", "7"}},
    {"a kernel in single precision", .part = CGS_FULL, .anywhere = true,
     .kernel = {"kernel", "cpu_csr", "kernel.precision", "float"}},
    {"exact", .part = CGS_FULL, .kernel = {"kernel", "cpu_sym_exact", "reductions", "exact"}},
    {"minres, looks", .part = CGS_FULL, .solver = {"method", "minres"}, .preconditions = true,
     .looks = true},
    {"a preconditioner of the caller's", .part = CGS_LOWER, .preconditions = true,
     .anywhere = true},
    {"skew, lower", .part = CGS_LOWER, .kind = CGS_SKEW,
     .solver = {"method", "skew", "shift", "9"}},
    {"skew, full", .part = CGS_FULL, .kind = CGS_SKEW, .solver = {"method", "skew", "shift", "7"}},
};
enum { WAYS = sizeof ways / sizeof *ways };

/* The seed decides which way has which numbers of ranks. */
START_TEST(ranks_have_the_bits_of_one)
{
    if (!test_case_runs(_i, 3))
        return;
    static const int either[2][3] = {{1, 2, 8}, {3, 4, 0}};
    static struct found alone, found[TEST_RANKS_MAX];
    uint64_t state = test_seed() + (uint64_t)_i;
    const int *counts = either[state % 2];
    struct system system;
    make_system(&ways[_i], &state, &system);
    begin(&system, 1, &alone);
    alone.rows = system.full.n;
    run(&alone);
    expect(alone.status, &alone.error);
    for (int c = 0; c < 3 && counts[c] > 0; c++) {
        begin(&system, counts[c], found);
        divide_rows(system.full.n, counts[c], &state, found);
        test_ranks(counts[c], run, found, sizeof *found);
        for (int r = 0; r < counts[c]; r++) {
            expect(found[r].status, &found[r].error);
            expect_same(&alone, &found[r]);
        }
    }
    system_free(&system);
}
END_TEST

/* --- other values ----------------------------------------------------------------------------- */

/* Twice the matrix: half the solution, exactly. */
static void *run_update(void *context)
{
    struct found *found = context;
    struct arrays arrays;
    list(found->system, found->first, found->rows, &arrays);
    struct cgs_matrix_data data = data_of(found, &arrays);
    found->status = create(found, &data);
    if (!found->status)
        found->status = work(found);
    uint64_t before = found->hash;
    double x[MOST];
    memcpy(x, found->x, (size_t)found->rows * sizeof *x);
    for (int64_t k = 0; k < arrays.count; k++)
        arrays.values[k] *= 2;
    if (!found->status)
        found->status = cgs_matrix_update(found->handles.A, &data, &found->error);
    if (!found->status)
        found->status = work(found);
    expect(found->status, &found->error);
    ck_assert_uint_ne(before, found->hash);
    for (int64_t i = 0; i < found->rows; i++)
        ck_assert(found->x[i] == x[i] / 2);
    if (arrays.count > 0 && found->first == 0) { /* one rank has an entry less */
        data.rows = integers(arrays.rows + 1, arrays.count - 1);
        data.columns = integers(arrays.columns + 1, arrays.count - 1);
        data.values = cgs_vector(arrays.values + 1, arrays.count - 1);
    }
    found->status = cgs_matrix_update(found->handles.A, &data, &found->error);
    expect_error((enum status)found->status, STATUS_INPUT, (struct error *)&found->error,
                 "another pattern", NULL);
    expect(cgs_multiply(found->handles.kernel, own(x, found->rows), own(found->y, found->rows),
                        &found->error),
           &found->error);
    arrays_free(&arrays);
    handles_destroy(&found->handles);
    return NULL;
}

START_TEST(values_follow)
{
    static const struct way kinds[] = {
        {"entries", .part = CGS_UPPER, .one_by_one = true, .anywhere = true},
        {"jacobi", .part = CGS_UPPER, .one_by_one = true, .solver = {"preconditioner", "jacobi"}},
        {"multigrid", .part = CGS_UPPER, .one_by_one = true,
         .solver = {"preconditioner", "multigrid"}}};
    static struct found found[TEST_RANKS_MAX];
    uint64_t state = test_seed();
    struct system system;
    make_system(&kinds[_i], &state, &system);
    begin(&system, 3, found);
    divide_rows(system.full.n, 3, &state, found);
    test_ranks(3, run_update, found, sizeof *found);
    system_free(&system);
}
END_TEST

/* --- what is refused -------------------------------------------------------------------------- */

enum fault {
    COLUMN_OUTSIDE,
    NOT_SYMMETRIC,
    GAP,
    TOO_FEW_ROWS,
    OTHER_N,
    BAD_OFFSETS,
    OTHER_ROW,
    BEYOND_RANGE,
    BORROWS,
    NEGATIVE,
    NEGATIVE_LEVEL,
    UNKNOWN_KERNEL,
    TOO_SMALL_FOR_KERNEL,
    OTHER_OPTIONS,
    EIGENVALUES,
    SHORT_B,
    NO_B,
    NO_X0,
    PRODUCT_FAILS,
    FAULTS,
};

struct refused {
    struct exchange *exchange; /* first */
    struct found found;
    enum fault fault;
};

static const char *const sentences[FAULTS][2] = {
    [COLUMN_OUTSIDE] = {"rank 1 of 3: entry ", ", outside of its "},
    [NOT_SYMMETRIC] = {"the matrix is not symmetric: of 1 unequal pair the worst is a(",
                       "is allowed"},
    [GAP] = {"rank 2 of 3 gives the rows from ", ", where those before it end"},
    [TOO_FEW_ROWS] = {"the ranks give ", " rows of a matrix that has "},
    [OTHER_N] = {"rank 1 of 3 has not the same n, part, kind and asymmetry of the matrix as rank 0",
                 ""},
    [BAD_OFFSETS] = {"rank 1 of 3: the offsets of the matrix go from 1 to ", ", not from 0 to"},
    [OTHER_ROW] = {"rank 1 of 3: entry 1 of the matrix is of row 1: this rank gives ", " rows"},
    [BEYOND_RANGE] = {": a(", ") comes more than once, and the sum is beyond the range"},
    [BORROWS] = {"the data of a matrix: several ranks borrow no arrays", ""},
    [NEGATIVE] = {"has -1 on the diagonal", "row "},
    [NEGATIVE_LEVEL] = {"has -1 on the diagonal", "row "},
    [UNKNOWN_KERNEL] = {"cpu_cssr", ""},
    [TOO_SMALL_FOR_KERNEL] = {"rank 1 of 3: kernel cpu_csr: precision: row ",
                              "too small for single precision"},
    [OTHER_OPTIONS] = {"rank 1 of 3 has not the same options of a solver as rank 0", ""},
    [EIGENVALUES] = {"the method lanczos is not over several ranks yet", ""},
    [SHORT_B] = {"rank 1 of 3: b is ", " x 1: it must be "},
    [NO_B] = {"rank 1 of 3: b is NULL", ""},
    [NO_X0] = {"rank 1 of 3: x0, which another rank has, is NULL", ""},
    [PRODUCT_FAILS] = {"a product of the caller's failed: ", ""},
};

static void spoil_matrix(enum fault fault, const struct found *found, struct arrays *arrays,
                         struct cgs_matrix_data *data)
{
    bool second = found->first > 0 && found->first + found->rows < found->system->full.n;
    if (fault == COLUMN_OUTSIDE && second)
        arrays->columns[7] = data->n;
    if (fault == NOT_SYMMETRIC && second) /* with a row of rank 0 */
        arrays->values[arrays->offsets[1] - 1] += 1e-3;
    data->first_row += fault == GAP && found->first + found->rows == data->n;
    data->own_rows -= fault == GAP && found->first + found->rows == data->n;
    if (fault == TOO_FEW_ROWS && found->first + found->rows == data->n) {
        data->own_rows--;
        data->columns.rows = data->values.rows = arrays->offsets[data->own_rows];
    }
    if (fault == GAP || fault == TOO_FEW_ROWS)
        data->offsets.rows = data->own_rows + 1;
    data->n += fault == OTHER_N && second;
    if (fault == BAD_OFFSETS && second)
        arrays->offsets[0]++;
    if (fault == OTHER_ROW) {
        data->offsets.data = NULL;
        data->rows = integers(arrays->rows, arrays->count);
        if (second)
            arrays->rows[0] = 0;
    }
    data->borrow = fault == BORROWS;
    for (int64_t k = 0; k < 2 && fault == BEYOND_RANGE && second; k++)
        arrays->values[arrays->count / 2 / 2 * 2 + k] = 1e308;
    for (int64_t k = 0; k < arrays->count && fault == TOO_SMALL_FOR_KERNEL; k++)
        if (arrays->rows[k] == data->n / 2 || arrays->columns[k] == data->n / 2)
            arrays->values[k] = 1e-60;
    for (int64_t k = 0; k < arrays->count && (fault == NEGATIVE || fault == NEGATIVE_LEVEL); k++)
        if (arrays->rows[k] == arrays->columns[k] && arrays->rows[k] % 1000 == 999)
            arrays->values[k] = -1;
}

static int fail_in_first(void *user, const struct cgs_array *r, const struct cgs_array *z,
                         void *stream)
{
    const struct found *found = user;
    divide(user, r, z, stream);
    return found->first == 0 ? 5 : 0;
}

static enum cgs_status solve_wrong(enum fault fault, struct found *found)
{
    bool second = found->first > 0 && found->first + found->rows < found->system->full.n;
    const struct handles *made = &found->handles;
    const double *b = found->system->b + found->first;
    struct cgs_array of_b = own(b, found->rows), of_x0 = own(NULL, found->rows);
    of_b.rows -= fault == SHORT_B && second;
    if (fault == NO_B && second)
        of_b.data = NULL;
    if (fault == NO_X0 && !second)
        of_x0 = of_b;
    if (fault == PRODUCT_FAILS)
        expect(cgs_solver_precondition(made->solver, fail_in_first, 0, found, &found->error),
               &found->error);
    return cgs_solve(made->solver, of_b, of_x0, own(found->x, found->rows), NULL, &found->error);
}

static enum cgs_status make_wrong(enum fault fault, struct found *found)
{
    struct handles *made = &found->handles;
    bool second = found->first > 0 && found->first + found->rows < found->system->full.n;
    const char *const *kernel = fault == UNKNOWN_KERNEL ? LIST("kernel", "cpu_cssr")
                                : fault == TOO_SMALL_FOR_KERNEL
                                    ? LIST("kernel", "cpu_csr", "kernel.precision", "float")
                                    : NULL;
    const char *const *solver = fault == NEGATIVE         ? LIST("preconditioner", "jacobi")
                                : fault == NEGATIVE_LEVEL ? LIST("preconditioner", "multigrid")
                                : fault == EIGENVALUES    ? LIST("method", "lanczos")
                                : fault == OTHER_OPTIONS && second ? LIST("tolerance", "1e-7")
                                                                   : NULL;
    enum cgs_status status = cgs_operator_create(made->A, kernel, &made->kernel, &found->error);
    if (!status)
        status = cgs_solver_create(made->kernel, solver, &made->solver, &found->error);
    return status ? status : solve_wrong(fault, found);
}

static void *run_wrong(void *context)
{
    struct refused *refused = context;
    struct found *found = &refused->found;
    struct arrays arrays;
    struct cgs_exchange exchange = exchange_of_team(refused->exchange);
    struct cgs_context_options options = {
        .size = sizeof options, .threads = 1, .exchange = &exchange};
    expect(cgs_context_create(&options, &found->handles.context, &found->error), &found->error);
    list(found->system, found->first, found->rows, &arrays);
    struct cgs_matrix_data data = data_of(found, &arrays);
    spoil_matrix(refused->fault, found, &arrays, &data);
    found->status =
        cgs_matrix_create(found->handles.context, &data, &found->handles.A, &found->error);
    if (!found->status)
        found->status = make_wrong(refused->fault, found);
    arrays_free(&arrays);
    handles_destroy(&found->handles);
    return NULL;
}

START_TEST(all_ranks_refuse)
{
    static const struct way full = {"refused", .part = CGS_FULL},
                            twice = {"refused, twice", .part = CGS_UPPER, .twice = true};
    static struct found found[3];
    static struct refused refused[3];
    uint64_t state = test_seed();
    struct system system;
    make_system(_i == BEYOND_RANGE ? &twice : &full, &state, &system);
    begin(&system, 3, found);
    int64_t n = system.full.n;
    for (int r = 0; r < 3; r++) {
        refused[r] = (struct refused){.found = found[r], .fault = (enum fault)_i};
        refused[r].found.first = n * r / 3;
        refused[r].found.rows = n * (r + 1) / 3 - n * r / 3;
    }
    test_ranks(3, run_wrong, refused, sizeof *refused);
    for (int r = 0; r < 3; r++) {
        const struct found *its = &refused[r].found;
        ck_assert_int_ne(its->status, CGS_OK);
        ck_assert_int_eq(its->status, refused[0].found.status);
        ck_assert_str_eq(its->error.text, refused[0].found.error.text);
        for (int k = 0; k < 2; k++)
            ck_assert_msg(strstr(its->error.text, sentences[_i][k]) != NULL, "%s", its->error.text);
    }
    system_free(&system);
}
END_TEST

/* --- one ends the solve of all ---------------------------------------------------------------- */

static int stop(void *user, int64_t column, int64_t iteration, double residual)
{
    const struct found *found = user;
    (void)column, (void)residual;
    return iteration == 5 && found->first > 0;
}

static void *run_stopped(void *context)
{
    struct found *found = context;
    struct arrays arrays;
    struct cgs_result result = {.size = sizeof result};
    list(found->system, found->first, found->rows, &arrays);
    const struct cgs_matrix_data data = data_of(found, &arrays);
    expect(create(found, &data), &found->error);
    arrays_free(&arrays);
    cgs_solver_monitor(found->handles.solver, stop, found);
    expect(cgs_solve(found->handles.solver, own(found->system->b + found->first, found->rows),
                     own(NULL, found->rows), own(found->x, found->rows), &result, &found->error),
           &found->error);
    ck_assert_int_eq(result.reason, CGS_CANCELLED);
    ck_assert_int_eq(result.iterations, 5);
    if (found->first == 0) { /* it goes, and the others wait for it */
        found->exchange->operations->abandon(found->exchange, 1, "it has gone home");
    } else {
        enum cgs_status status = cgs_multiply(found->handles.kernel, own(found->x, found->rows),
                                              own(found->y, found->rows), &found->error);
        ck_assert_int_eq(status, CGS_RANK);
        ck_assert_str_eq(found->error.text, "rank 0 of 2 has ended: it has gone home");
    }
    handles_destroy(&found->handles);
    return NULL;
}

START_TEST(one_ends_the_solve_of_all)
{
    static const struct way way = {"stopped", .part = CGS_UPPER};
    static struct found found[2];
    uint64_t state = test_seed();
    struct system system;
    make_system(&way, &state, &system);
    begin(&system, 2, found);
    found[0].rows = found[1].first = 100;
    found[1].rows = system.full.n - 100;
    test_ranks(2, run_stopped, found, sizeof *found);
    system_free(&system);
}
END_TEST

/* --- one rank, and what is not of several ----------------------------------------------------- */

START_TEST(an_exchange_is_checked)
{
    struct cgs_error error;
    struct cgs_context *context;
    struct cgs_exchange exchange = {.size = sizeof exchange, .count = 2, .rank = 2};
    const struct cgs_context_options options = {.size = sizeof options, .exchange = &exchange};
    expect_error((enum status)cgs_context_create(&options, &context, &error), STATUS_CONFIG,
                 (struct error *)&error, "an exchange of 2 ranks has the rank 2", NULL);
    exchange.rank = 0;
    expect_error((enum status)cgs_context_create(&options, &context, &error), STATUS_CONFIG,
                 (struct error *)&error, "an exchange has no function gather", NULL);
    exchange.size = 4;
    expect_error((enum status)cgs_context_create(&options, &context, &error), STATUS_CONFIG,
                 (struct error *)&error, "struct cgs_exchange says that it has 4 bytes", NULL);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

static int never(void *user, const struct cgs_array *x, const struct cgs_array *y, void *stream)
{
    (void)user, (void)x, (void)y, (void)stream;
    return 1;
}

static void *run_others(void *context)
{
    struct found *found = context;
    struct arrays arrays;
    struct cgs_error *error = &found->error;
    struct cgs_matrix *A;
    struct cgs_operator *op;
    struct cgs_study *study;
    list(found->system, found->first, found->rows, &arrays);
    const struct cgs_matrix_data data = data_of(found, &arrays);
    expect(create(found, &data), error);
    arrays_free(&arrays);
    expect_error((enum status)cgs_matrix_read(found->handles.context, "a.mtx", 0, &A, error),
                 STATUS_UNAVAILABLE, (struct error *)error, "read no file", NULL);
    expect_error((enum status)cgs_operator_create_product(found->handles.context, 5, CGS_SYMMETRIC,
                                                          never, 0, NULL, NULL, &op, error),
                 STATUS_UNAVAILABLE, (struct error *)error, "not by a product", NULL);
    expect_error((enum status)cgs_study_create(found->handles.A, NULL, &study, error),
                 STATUS_UNAVAILABLE, (struct error *)error, "of one rank", NULL);
    const char *value = found->first == 0 ? "1e-3" : "1e-4";
    expect_error((enum status)cgs_solver_set(found->handles.solver, "tolerance", value, error),
                 STATUS_CONFIG, (struct error *)error, "has not the same option of a solver", NULL);
    expect(cgs_solver_set(found->handles.solver, "tolerance", "1e-3", error), error);
    struct cgs_error *no_error = found->first == 0 ? NULL : error;
    value = found->first == 0 ? "-1" : "1e-4";
    ck_assert_int_eq(cgs_solver_set(found->handles.solver, "tolerance", value, no_error),
                     CGS_BAD_OPTION);
    if (no_error)
        expect_error(STATUS_CONFIG, STATUS_CONFIG, (struct error *)error,
                     "rank 0 of 2: it has failed, and its call has no struct cgs_error", NULL);
    ck_assert_int_eq(cgs_matrix_rows(found->handles.A), found->system->full.n);
    handles_destroy(&found->handles);
    return NULL;
}

START_TEST(what_is_not_of_several_ranks)
{
    static const struct way way = {"others", .part = CGS_UPPER};
    static struct found found[2];
    uint64_t state = test_seed();
    struct system system;
    make_system(&way, &state, &system);
    begin(&system, 2, found);
    found[0].rows = found[1].first = system.full.n; /* the other one has none */
    test_ranks(2, run_others, found, sizeof *found);
    system_free(&system);
}
END_TEST

Suite *suite(void)
{
    Suite *made = suite_create("api/ranks");
    TCase *tests = tcase_of("all");
    tcase_add_loop_test(tests, ranks_have_the_bits_of_one, 0, WAYS);
    tcase_add_loop_test(tests, values_follow, 0, 3);
    tcase_add_loop_test(tests, all_ranks_refuse, 0, FAULTS);
    tcase_add_test(tests, one_ends_the_solve_of_all);
    tcase_add_test(tests, an_exchange_is_checked);
    tcase_add_test(tests, what_is_not_of_several_ranks);
    suite_add_tcase(made, tests);
    return made;
}
