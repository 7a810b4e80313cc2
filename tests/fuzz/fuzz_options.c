/* Options of an operator and a solver by name, and the solve that they ask for. */
#include "fuzz/fuzz.h"

#include "cgsolve/cgsolve.h"

enum { N = 12, PAIRS = 9, ITERATIONS = 20 };

static struct cgs_matrix *make_matrix(struct cgs_context *context)
{
    static int32_t offsets[N + 1], columns[2 * N];
    static double values[2 * N];
    struct cgs_matrix *A;
    int32_t nnz = 0;
    for (int i = 0; i < N; i++) {
        for (int j = i; j < N && j < i + 2; j++) {
            columns[nnz] = j;
            values[nnz++] = j == i ? 2.5 : -1;
        }
        offsets[i + 1] = nnz;
    }
    const struct cgs_matrix_data data = {.size = sizeof data,
                                         .n = N,
                                         .offsets = cgs_int32(offsets, N + 1),
                                         .columns = cgs_int32(columns, nnz),
                                         .values = cgs_vector(values, nnz),
                                         .part = CGS_UPPER};
    require(cgs_matrix_create(context, &data, &A, NULL) == CGS_OK);
    return A;
}

static void solve(struct cgs_solver *solver)
{
    static double vectors[N * N];
    struct cgs_error error = {""};
    double b[N], x[N];
    struct cgs_array V = cgs_vector(vectors, N), start = cgs_vector(b, N);
    char most[16];
    for (int i = 0; i < N; i++)
        b[i] = i + 1;
    snprintf(most, sizeof most, "%d", ITERATIONS);
    cgs_solver_set(solver, "max_iterations", most, &error);
    V.columns = cgs_solver_eigen_count(solver);
    if (V.columns == 0)
        cgs_solve(solver, start, cgs_vector(NULL, N), cgs_vector(x, N), NULL, &error);
    else if (V.columns <= N)
        cgs_solve_eigen(solver, start, x, V, NULL, &error);
}

/* The texts are separated by zeros; options of the solver come after an empty name. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *texts[2][2 * PAIRS + 1] = {{0}};
    int counts[2] = {0}, which = 0;
    struct cgs_context *context;
    struct cgs_operator *kernel = NULL;
    struct cgs_solver *solver = NULL;
    struct cgs_error error = {""};
    char *copy = calloc(size + 1, 1);
    require(copy != NULL);
    memcpy(copy, data, size);
    for (char *text = copy; text < copy + size; text += strlen(text) + 1)
        if (!*text && counts[which] % 2 == 0)
            which = 1;
        else if (counts[which] < 2 * PAIRS)
            texts[which][counts[which]++] = text;
    struct cgs_context_options options = {.size = sizeof options, .threads = 2};
    require(cgs_context_create(&options, &context, NULL) == CGS_OK);
    struct cgs_matrix *A = make_matrix(context);
    enum cgs_status status = cgs_operator_create(A, texts[0], &kernel, &error);
    if (!status)
        status = cgs_solver_create(kernel, texts[1], &solver, &error);
    require_sentence((enum status)status, (const struct error *)&error);
    if (!status)
        solve(solver);
    cgs_solver_destroy(solver);
    cgs_operator_destroy(kernel);
    cgs_matrix_destroy(A);
    cgs_context_destroy(context);
    free(copy);
    require(memory_live() == 0);
    return 0;
}
