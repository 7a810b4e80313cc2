/* Other values on the same pattern: what was made from a matrix follows, as if it were made
 * anew. */
#include "support.h"

#include "api/over_grid.h"
#include "base/random.h"

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
                                    .nnz = k,
                                    .offsets = offsets,
                                    .columns = columns,
                                    .values = values,
                                    .part = CGS_UPPER};
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
    expect(cgs_multiply(handles->kernel, b, y, &error), &error);
    expect(cgs_solve(handles->solver, b, NULL, x, &result, &error), &error);
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
    expect(cgs_solve(one.solver, b, NULL, x, NULL, &error), &error); /* before a product */
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
    expect_error((enum status)cgs_matrix_update(handles.A, &data, &error), STATUS_INPUT, said,
                 "offsets", NULL);
    use(&handles, same_y, same_x);
    ck_assert(memcmp(x, same_x, sizeof x) == 0 && memcmp(y, same_y, sizeof y) == 0);
    handles_destroy(&handles);
}
END_TEST

static int same(void *user, const double *r, double *z, void *stream)
{
    (void)user, (void)stream;
    memcpy(z, r, ROWS * sizeof *z);
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
    expect_error((enum status)cgs_solve(handles.solver, b, NULL, again, NULL, &error),
                 STATUS_CONFIG, said, "jacobi", NULL);
    expect_error((enum status)cgs_solver_precondition(handles.solver, same, NULL, &error),
                 STATUS_CONFIG, said, "keeps its preconditioner, jacobi", NULL);
    expect_error((enum status)cgs_solver_set(handles.solver, "method", "lanczos", &error),
                 STATUS_CONFIG, said, "takes no preconditioner", NULL);
    data = chain(4);
    expect(cgs_matrix_update(handles.A, &data, &error), &error);
    expect(cgs_solve(handles.solver, b, NULL, again, NULL, &error), &error);
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
        status = cgs_solve(handles->solver, b, NULL, x, NULL, error);
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

Suite *suite(void)
{
    const TTest *const tests[] = {as_if_made_anew, another_pattern,
                                  without_a_preconditioner_for_a_while, without_memory, NULL};
    return suite_of("api/update", tests);
}
