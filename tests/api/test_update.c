/* Other values on the same pattern: what was made from a matrix follows, as if it were made
 * anew. */
#include "support.h"

#include "api/over_grid.h"
#include "base/random.h"

#include <math.h>
#include <string.h>

enum { ROWS = 60, ENTRIES = 2 * ROWS - 1 };

static int32_t offsets[ROWS + 1], columns[ENTRIES];
static double values[ENTRIES], b[ROWS];

/* A chain: diagonal and neighbour, the diagonal `heavy`. */
static struct cgs_matrix_data chain(double heavy)
{
    int32_t k = 0;
    random_vector(3, ROWS, b);
    for (int32_t i = 0; i < ROWS; i++) {
        offsets[i] = k;
        columns[k] = i;
        values[k++] = heavy + i % 3;
        if (i + 1 < ROWS) {
            columns[k] = i + 1;
            values[k++] = -1 - 0.1 * (i % 2);
        }
    }
    offsets[ROWS] = k;
    return (struct cgs_matrix_data){.size = sizeof(struct cgs_matrix_data),
                                    .n = ROWS,
                                    .offsets = cgs_int32(offsets, ROWS + 1),
                                    .columns = cgs_int32(columns, k),
                                    .values = cgs_vector(values, k),
                                    .part = CGS_UPPER};
}

CGS_ADDRESS_ALONE static struct cgs_array rows(const double *v)
{
    return cgs_vector(v, ROWS);
}

static void create(double heavy, const char *const *kernel, const char *const *solver,
                   struct handles *made)
{
    struct cgs_error error;
    struct cgs_matrix_data data = chain(heavy);
    expect(cgs_context_create(NULL, &made->context, &error), &error);
    expect(cgs_matrix_create(made->context, &data, &made->A, &error), &error);
    expect(cgs_operator_create(made->A, kernel, &made->kernel, &error), &error);
    expect(cgs_solver_create(made->kernel, solver, &made->solver, &error), &error);
}

/* A product and a solve. */
static void use(const struct handles *handles, double *y, double *x)
{
    struct cgs_error error;
    struct cgs_result result = {.size = sizeof result};
    expect(cgs_multiply(handles->kernel, rows(b), rows(y), &error), &error);
    expect(cgs_solve(handles->solver, rows(b), rows(NULL), rows(x), &result, &error), &error);
    ck_assert_int_eq(result.reason, CGS_CONVERGED);
}

static void try_update(const char *const *kernel, const char *const *solver)
{
    struct cgs_error error;
    struct handles one, other;
    double y[ROWS], x[ROWS], expected_y[ROWS], expected_x[ROWS];
    create(4, kernel, solver, &one);
    create(7, kernel, solver, &other);
    use(&one, y, x);
    use(&other, expected_y, expected_x);
    ck_assert(memcmp(x, expected_x, sizeof x) != 0);
    struct cgs_matrix_data data = chain(7);
    expect(cgs_matrix_update(one.A, &data, &error), &error);
    ck_assert(cgs_matrix_hash(one.A) == cgs_matrix_hash(other.A));
    for (int turn = 0; turn < 2; turn++) {
        use(&one, y, x);
        ck_assert(memcmp(y, expected_y, sizeof y) == 0 && memcmp(x, expected_x, sizeof x) == 0);
    }
    data = chain(4);
    expect(cgs_matrix_update(one.A, &data, &error), &error);
    data = chain(7);
    expect(cgs_matrix_update(one.A, &data, &error), &error);
    expect(cgs_solve(one.solver, rows(b), rows(NULL), rows(x), NULL, &error),
           &error); /* before a product */
    ck_assert(memcmp(x, expected_x, sizeof x) == 0);
    handles_destroy(&one);
    handles_destroy(&other);
    ck_assert_int_eq(memory_live(), 0);
}

START_TEST(as_if_made_anew)
{
    try_update(NULL, NULL);
    try_update(LIST("kernel", "cpu_sym_bitwise", "kernel.form", "general"),
               LIST("preconditioner", "jacobi"));
    try_update(LIST("kernel", "cpu_csr"), LIST("preconditioner", "chebyshev"));
    try_update(LIST("kernel", "cpu_sym_exact", "reductions", "exact"), LIST("method", "minres"));
    try_update(NULL, LIST("preconditioner", "multigrid", "preconditioner.coarsest", "8"));
}
END_TEST

START_TEST(another_pattern)
{
    struct cgs_error error;
    struct error *said = (struct error *)&error;
    struct handles handles;
    double y[ROWS], x[ROWS], same_y[ROWS], same_x[ROWS];
    create(4, NULL, NULL, &handles);
    use(&handles, y, x);
    struct cgs_matrix_data data = chain(9);
    columns[1] = 2;
    expect_error((enum status)cgs_matrix_update(handles.A, &data, &error), STATUS_INPUT, said,
                 "another pattern", NULL);
    data = chain(9);
    data.n = ROWS - 1;
    data.offsets.rows = ROWS;
    expect_error((enum status)cgs_matrix_update(handles.A, &data, &error), STATUS_INPUT, said,
                 "offsets", NULL);
    use(&handles, same_y, same_x);
    ck_assert(memcmp(x, same_x, sizeof x) == 0 && memcmp(y, same_y, sizeof y) == 0);
    handles_destroy(&handles);
}
END_TEST

/* --- multigrid that keeps its aggregates ------------------------------------------------------ */

/* The same chain with couplings that grow and fall along it by `wave`: matching follows them. */
static struct cgs_matrix_data chain_of(double heavy, int wave, double scale)
{
    struct cgs_matrix_data data = chain(heavy);
    for (int k = 1; k < ENTRIES; k += 2)
        values[k] *= 0.4 + (double)(k / 2 % wave) / wave;
    for (int k = 0; k < ENTRIES; k++)
        values[k] *= scale;
    return data;
}

static const char *const keeping[] = {"preconditioner",
                                      "multigrid",
                                      "preconditioner.aggregates",
                                      "matching",
                                      "preconditioner.reuse",
                                      "aggregates",
                                      "preconditioner.coarsest",
                                      "8",
                                      NULL};

static void begin_keeping(int wave, int threads, struct handles *made)
{
    struct cgs_error error;
    struct cgs_context_options options = {.size = sizeof options, .threads = threads};
    struct cgs_matrix_data data = chain_of(3, wave, 1);
    expect(cgs_context_create(&options, &made->context, &error), &error);
    expect(cgs_matrix_create(made->context, &data, &made->A, &error), &error);
    expect(cgs_operator_create(made->A, NULL, &made->kernel, &error), &error);
    expect(cgs_solver_create(made->kernel, keeping, &made->solver, &error), &error);
}

static void update_and_solve(struct handles *handles, double heavy, int wave, double scale,
                             double *x)
{
    struct cgs_error error;
    struct cgs_result result = {.size = sizeof result};
    struct cgs_matrix_data data = chain_of(heavy, wave, scale);
    expect(cgs_matrix_update(handles->A, &data, &error), &error);
    expect(cgs_solve(handles->solver, rows(b), rows(NULL), rows(x), &result, &error), &error);
    ck_assert_int_eq(result.reason, CGS_CONVERGED);
}

/* The bits are those of the aggregates of the first values: for these, of theirs; for other ones
 * not those of a new set-up, but the same in another scale and for any number of threads. */
START_TEST(aggregates_stay)
{
    static const int teams[] = {1, 2, 3, 7};
    double first[ROWS], wanted[ROWS], fresh[ROWS], x[ROWS];
    for (int t = 0; t < 4; t++) {
        struct cgs_error error;
        struct handles handles, other;
        begin_keeping(2, teams[t], &handles);
        expect(cgs_solve(handles.solver, rows(b), rows(NULL), rows(x), NULL, &error), &error);
        if (t == 0)
            memcpy(first, x, sizeof x);
        ck_assert_mem_eq(x, first, sizeof x);
        update_and_solve(&handles, 3, 5, 1, x);
        if (t == 0)
            memcpy(wanted, x, sizeof x);
        ck_assert_mem_eq(x, wanted, sizeof x);
        update_and_solve(&handles, 3, 2, 1, x);
        ck_assert_mem_eq(x, first, sizeof x);
        update_and_solve(&handles, 3, 5, 0x1p-9, x);
        for (int i = 0; i < ROWS; i++)
            ck_assert(x[i] == 0x1p9 * wanted[i]);
        begin_keeping(5, teams[t], &other);
        expect(cgs_solve(other.solver, rows(b), rows(NULL), rows(fresh), NULL, &error), &error);
        ck_assert(memcmp(fresh, wanted, sizeof fresh) != 0);
        handles_destroy(&other);
        handles_destroy(&handles);
    }
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* A renewal that fails leaves nothing behind; the next use is set up from nothing, whatever the
 * allocation that failed. */
START_TEST(aggregates_without_memory)
{
    double wanted[ROWS], fresh[ROWS], x[ROWS];
    struct cgs_error error;
    struct handles handles;
    begin_keeping(5, 1, &handles);
    expect(cgs_solve(handles.solver, rows(b), rows(NULL), rows(fresh), NULL, &error), &error);
    handles_destroy(&handles);
    begin_keeping(2, 1, &handles);
    update_and_solve(&handles, 3, 5, 1, wanted);
    handles_destroy(&handles);
    bool both[2] = {false, false};
    for (int64_t allowed = 0;; allowed++) {
        begin_keeping(2, 1, &handles);
        struct cgs_matrix_data data = chain_of(3, 5, 1);
        expect(cgs_matrix_update(handles.A, &data, &error), &error);
        memory_fail_after(allowed);
        enum cgs_status status =
            cgs_solve(handles.solver, rows(b), rows(NULL), rows(x), NULL, &error);
        memory_fail_after(-1);
        if (status) {
            expect_error((enum status)status, STATUS_MEMORY, (struct error *)&error,
                         "out of memory", NULL);
            expect(cgs_solve(handles.solver, rows(b), rows(NULL), rows(x), NULL, &error), &error);
        }
        bool kept = memcmp(x, wanted, sizeof x) == 0;
        ck_assert(kept || memcmp(x, fresh, sizeof x) == 0);
        both[kept] = true;
        handles_destroy(&handles);
        ck_assert_int_eq(memory_live(), 0);
        if (!status) {
            ck_assert(kept && both[false]);
            break;
        }
    }
}
END_TEST

/* --- what goes wrong -------------------------------------------------------------------------- */

static int same(void *user, const struct cgs_array *r, const struct cgs_array *z, void *stream)
{
    (void)user, (void)stream;
    memcpy(z->data, r->data, ROWS * sizeof(double));
    return 0;
}

/* No Jacobi of a diagonal of 0: but the solver stays one with Jacobi. */
START_TEST(without_a_preconditioner_for_a_while)
{
    struct cgs_error error;
    struct error *said = (struct error *)&error;
    struct handles handles;
    double y[ROWS], x[ROWS], again[ROWS];
    create(4, NULL, LIST("preconditioner", "jacobi"), &handles);
    use(&handles, y, x);
    struct cgs_matrix_data data = chain(4);
    values[0] = 0;
    expect(cgs_matrix_update(handles.A, &data, &error), &error);
    expect_error(
        (enum status)cgs_solve(handles.solver, rows(b), rows(NULL), rows(again), NULL, &error),
        STATUS_CONFIG, said, "jacobi", NULL);
    expect_error((enum status)cgs_solver_precondition(handles.solver, same, 0, NULL, &error),
                 STATUS_CONFIG, said, "keeps its preconditioner, jacobi", NULL);
    expect_error((enum status)cgs_solver_set(handles.solver, "method", "lanczos", &error),
                 STATUS_CONFIG, said, "takes no preconditioner", NULL);
    data = chain(4);
    expect(cgs_matrix_update(handles.A, &data, &error), &error);
    expect(cgs_solve(handles.solver, rows(b), rows(NULL), rows(again), NULL, &error), &error);
    ck_assert(memcmp(x, again, sizeof x) == 0);
    handles_destroy(&handles);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

static enum status attempt(void *context, struct error *told)
{
    struct cgs_error *error = (struct cgs_error *)told;
    struct handles *handles = context;
    double x[ROWS];
    struct cgs_matrix_data data = chain(5);
    enum cgs_status status = cgs_matrix_update(handles->A, &data, error);
    if (!status)
        status = cgs_solve(handles->solver, rows(b), rows(NULL), rows(x), NULL, error);
    return (enum status)status;
}

/* What could not be set up is set up when it is next used. */
START_TEST(without_memory)
{
    struct cgs_error error;
    struct handles handles, other;
    double y[ROWS], x[ROWS], expected_y[ROWS], expected_x[ROWS];
    const char *const *options = LIST("preconditioner", "jacobi");
    create(5, NULL, options, &other);
    use(&other, expected_y, expected_x);
    handles_destroy(&other);
    create(4, NULL, options, &handles);
    for (int64_t allowed = 0;; allowed++) {
        memory_fail_after(allowed);
        enum status status = attempt(&handles, (struct error *)&error);
        memory_fail_after(-1);
        expect(cgs_solver_set(handles.solver, "tolerance", "1e-8", &error), &error);
        use(&handles, y, x);
        if (!status)
            break;
        ck_assert_int_eq(status, STATUS_MEMORY);
        struct cgs_matrix_data data = chain(4);
        expect(cgs_matrix_update(handles.A, &data, &error), &error);
    }
    ck_assert(memcmp(y, expected_y, sizeof y) == 0 && memcmp(x, expected_x, sizeof x) == 0);
    handles_destroy(&handles);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* Values that are scaled before they are solved with, and such that are not, in turn: the product
 * is with the matrix, and all bits are those of scale 1. */
START_TEST(values_of_any_scale)
{
    static const char *const kernel[] = {"kernel", "cpu_csr", NULL};
    static const char *const solvers[][5] = {{"method", "minres", NULL},
                                             {"preconditioner", "chebyshev", NULL},
                                             {"preconditioner", "multigrid", NULL}};
    static const int exponents[] = {600, -1000, 0, 1016, -540};
    for (size_t s = 0; s < sizeof solvers / sizeof *solvers; s++) {
        struct handles handles;
        struct cgs_error error;
        double y[ROWS], x[ROWS], Y[2 * ROWS], scaled_y[ROWS], scaled_x[ROWS];
        const struct cgs_array apart = {.data = Y, .rows = ROWS, .row_stride = 2};
        create(4, kernel, solvers[s], &handles);
        use(&handles, y, x);
        for (size_t e = 0; e < sizeof exponents / sizeof *exponents; e++) {
            struct cgs_matrix_data data = chain(4);
            for (int k = 0; k < ENTRIES; k++)
                values[k] = ldexp(values[k], exponents[e]);
            expect(cgs_matrix_update(handles.A, &data, &error), &error);
            use(&handles, scaled_y, scaled_x);
            expect(cgs_multiply(handles.kernel, rows(b), apart, &error), &error);
            for (int i = 0; i < ROWS; i++)
                ck_assert(scaled_y[i] == ldexp(y[i], exponents[e]) && Y[2 * i] == scaled_y[i] &&
                          scaled_x[i] == ldexp(x[i], -exponents[e]));
        }
        handles_destroy(&handles);
    }
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

Suite *suite(void)
{
    const TTest *const tests[] = {as_if_made_anew,
                                  another_pattern,
                                  aggregates_stay,
                                  aggregates_without_memory,
                                  without_a_preconditioner_for_a_while,
                                  without_memory,
                                  values_of_any_scale,
                                  NULL};
    return suite_of("api/update", tests);
}
