#include "program/config/system.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/threads.h"
#include "matrix/implicit_rows.h"
#include "problem/rhs.h"
#include "problem/start.h"
#include "program/config/near_null.h"
#include "space/ranks/rank_vector.h"
#include "study/study.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* Whether the method takes the matrix; the sentence begins with the matrix's source. */
static enum status check_kind(const struct problem_settings *problem,
                              const struct solver_options *options, const struct csr *A,
                              struct error *error)
{
    const char *path = problem_file(&problem->matrix, NULL);
    struct error why;
    if (solver_takes(options, A, &why) == STATUS_OK)
        return STATUS_OK;
    if (path)
        return error_set(error, STATUS_INPUT, "%s: %s", path, why.text);
    if (A->kind == CSR_GENERAL)
        return error_set(error, STATUS_INPUT, "problem.kind = \"general\": %s", why.text);
    return error_set(error, STATUS_CONFIG, "problem.type = \"%s\": %s",
                     problem->matrix.component->name, why.text);
}

/* The number of right-hand sides of n rows. */
static enum status count_columns(const struct problem_settings *problem,
                                 const struct solver_options *options,
                                 const struct trace_settings *trace, int64_t n, int64_t *columns,
                                 struct error *error)
{
    const char *method = options->method->component.name;
    enum status status = rhs_columns(&problem->rhs, n, problem->rhs_columns, columns, error);
    if (status || *columns == 1)
        return status;
    if (!solver_finds_vector(options))
        return error_set(error, STATUS_CONFIG,
                         "%s: has %" PRId64
                         " columns, and the method %s takes one vector to begin with",
                         options_file(&problem->rhs, 0, NULL), *columns, method);
    if (trace->every > 0)
        return error_set(error, STATUS_CONFIG,
                         "trace.every = %" PRId64
                         ": a trace takes one right-hand side, and there are %" PRId64,
                         trace->every, *columns);
    return STATUS_OK;
}

/* Whether a rank needs only its own rows of b, x0 and x. */
static bool leaves_vectors(const struct problem_settings *problem,
                           const struct solver_options *options, int64_t columns)
{
    return problem->reorder == REORDER_NONE && columns == 1 && solver_finds_vector(options);
}

/* A run, and each eigenvalue of it, in the tree that becomes summary.json. */
enum { SUMMARY_RUN = 4096, SUMMARY_EIGENVALUE = 512 };

/* The memory of the summary of all runs, when it is written or read. */
static double summary_bytes(const struct solver_options *options,
                            const struct study_settings *study, int64_t columns)
{
    double runs = (double)study->kernels_count * (double)study->repeats * (double)columns;
    int64_t eigenvalues = solver_finds_vector(options) ? 0 : options->eigen.count;
    return runs * ((double)sizeof(struct study_run) + SUMMARY_RUN +
                   (double)eigenvalues * SUMMARY_EIGENVALUE);
}

/* Whether all that a study will hold at once, beside `held` bytes of it that are there, fits: A, b,
 * x0, its numbering, and for the kernel that wants the most what study_memory_bytes says and the
 * runs of those before it, or the summary of all runs. Uses A's shape; of several ranks, counts
 * only those of this process. */
static enum status check_memory(const struct problem_settings *problem,
                                const struct solver_settings *solver,
                                const struct study_settings *study, const struct csr *A,
                                int64_t columns, const struct exchange *exchange, int64_t held,
                                struct error *error)
{
    bool numbered = problem->reorder != REORDER_NONE,
         shared = leaves_vectors(problem, &solver->options, columns);
    double ranks = exchange && shared ? exchange->count : 1;
    const char *hungriest = "";
    double most = 0;
    for (int k = 0; k < study->kernels_count; k++) {
        const struct kernel_settings *kernel = &study->kernels[k];
        struct study_entry entry = {kernel->kernel, kernel->options, kernel->label,
                                    solver->preconditioner};
        double runs = (double)k * (double)study->repeats * (double)columns;
        int devices = settings_devices(study, kernel->kernel);
        double bytes =
            runs * sizeof(struct study_run) +
            devices * study_memory_bytes(&entry, A, columns, &solver->options, study->repeats,
                                         numbered, 1 / (shared ? devices * ranks : 1));
        if (bytes > most) {
            most = bytes;
            hungriest = kernel->kernel->component.name;
        }
    }
    char what[160], of[48] = "";
    if (columns > 1)
        snprintf(of, sizeof of, " of %" PRId64 " columns", columns);
    snprintf(what, sizeof what,
             "a study of %" PRId64 " rows and %" PRId64 " solves%s with kernel %s", A->n,
             study->repeats, of, hungriest);
    size_t of_row = (size_t)columns * sizeof(double) * (start_is_zero(&problem->start) ? 1 : 2) +
                    (numbered ? sizeof(int32_t) : 0);
    double vectors = (double)A->n * (double)of_row / ranks;
    if (summary_bytes(&solver->options, study, columns) > most)
        most = summary_bytes(&solver->options, study, columns);
    return memory_fits((double)(csr_bytes(A) - held) + vectors + most, what, error);
}

/* The matrix for products alone, in the problem's own numbering. */
static enum status load_any_matrix(const struct problem_settings *problem, struct csr *A,
                                   struct matrix_market_report *file, struct error *error)
{
    struct csr shape;
    *A = (struct csr){0};
    *file = (struct matrix_market_report){0};
    enum status status = problem_shape(&problem->matrix, &shape, error);
    if (!status) /* its offsets, x and y */
        status =
            memory_fits(16.0 * (double)shape.n + 8.0 * (double)shape.width, "a product", error);
    return status ? status : problem_make(&problem->matrix, CSR_GENERAL, NULL, A, file, error);
}

enum status system_load_matrix(const struct problem_settings *problem, struct csr *A,
                               struct matrix_market_report *file, struct error *error)
{
    enum status status = load_any_matrix(problem, A, file, error);
    if (!status && problem->reorder != REORDER_NONE)
        status = system_renumber_matrix(problem, A, error);
    if (status)
        csr_free(A);
    return status;
}

/* NULL: the vectors of the system are whole. */
static struct partition *parts_of(struct linear_system *system)
{
    return system->parts.begin ? &system->parts : NULL;
}

static double *make_vector(struct linear_system *system, const char *what, struct error *error)
{
    return rank_vector_create(parts_of(system), system->A.n,
                              (size_t)system->columns * sizeof(double), what, error);
}

static void free_vector(struct linear_system *system, double *v)
{
    rank_vector_free(parts_of(system), system->A.n, (size_t)system->columns * sizeof *v, v);
}

/* The rows of it that this process has. */
static struct rhs_part own_part(struct linear_system *system)
{
    const struct partition *parts = parts_of(system);
    int64_t first = parts ? partition_first(parts) : 0;
    int64_t rows = parts ? partition_rows(parts) : system->A.n;
    return (struct rhs_part){system->columns, first, first + rows};
}

static enum status make_rhs(const struct problem_settings *problem, double shift,
                            struct linear_system *system, struct error *error)
{
    struct rhs_part part = own_part(system);
    system->b = make_vector(system, "the right-hand side", error);
    return system->b ? rhs_fill_part(&problem->rhs, &system->A, shift, &part, system->b, error)
                     : STATUS_MEMORY;
}

static enum status make_start(const struct problem_settings *problem, struct linear_system *system,
                              struct error *error)
{
    struct rhs_part part = own_part(system);
    if (start_is_zero(&problem->start))
        return STATUS_OK;
    system->x0 = make_vector(system, "the start", error);
    return system->x0 ? start_fill_part(&problem->start, system->A.n, &part, system->x0, error)
                      : STATUS_MEMORY;
}

enum status system_load_any(const struct problem_settings *problem, double shift,
                            struct linear_system *system, struct error *error)
{
    *system = (struct linear_system){0};
    enum status status = load_any_matrix(problem, &system->A, &system->file, error);
    bool square = !status && system->A.n == system->A.width;
    if (square)
        status =
            rhs_columns(&problem->rhs, system->A.n, problem->rhs_columns, &system->columns, error);
    if (!status && square)
        status = make_rhs(problem, shift, system, error);
    if (!status && problem->reorder != REORDER_NONE)
        status = system_renumber(problem, system, error);
    if (status)
        system_free(system);
    return status;
}

enum status system_describe_vectors(struct linear_system *system, struct error *error)
{
    struct threads *threads = threads_lent();
    struct partition *parts = parts_of(system);
    int64_t n = system->A.n, columns = system->columns;
    system->rhs_norms = memory_array(columns, sizeof *system->rhs_norms, "the norms of b", error);
    if (!system->rhs_norms)
        return STATUS_MEMORY;
    enum status status = STATUS_OK;
    for (int64_t j = 0; j < columns && !status; j++) {
        double norm = NAN;
        status = rank_vector_norm(threads, parts, n, system->b + j * n, &norm, error);
        system->rhs_norms[j] = norm;
        if (j == 0 || isnan(norm) || norm > system->rhs_norm)
            system->rhs_norm = norm;
    }
    if (!status)
        status = rank_vector_hash(threads, parts, n * columns, system->b, &system->rhs_hash, error);
    if (!status && system->x0)
        status =
            rank_vector_hash(threads, parts, n * columns, system->x0, &system->start_hash, error);
    return status;
}

static bool wants_near_null_of_problem(const struct near_null_wanted *wanted,
                                       const struct problem_settings *problem,
                                       const struct solver_settings *solver)
{
    bool looks = solver->options.null_space != NULL_SPACE_NONE && problem_is_free(&problem->matrix);
    return looks || wanted->choice == NEAR_NULL_AUTO || wanted->choice == NEAR_NULL_RIGID_BODY;
}

/* Whether make_near_null will find one. */
static bool knows_near_null(const struct problem_settings *problem,
                            const struct solver_settings *solver)
{
    struct near_null_wanted wanted = preconditioner_near_null(&solver->preconditioner);
    return wanted.coordinates || wanted.vectors ||
           (wants_near_null_of_problem(&wanted, problem, solver) &&
            problem_knows_near_null(&problem->matrix));
}

/* Whether nothing of the study reads A's arrays: its kernels make what they keep of rows that a GPU
 * makes, or are of ranks, which take their rows alone. */
static bool leaves_rows(const struct problem_settings *problem,
                        const struct solver_settings *solver, const struct study_settings *study,
                        const struct csr *A, const struct exchange *ranks, int64_t columns)
{
    bool several = ranks || settings_devices_most(study) > 1;
    struct near_null none; /* which stands for the one that is made later */
    struct csr shape = *A;
    shape.near_null = knows_near_null(problem, solver) ? &none : NULL;
    bool leaves = leaves_vectors(problem, &solver->options, columns);
    for (int k = 0; k < study->kernels_count && leaves; k++) {
        const struct kernel *kernel = study->kernels[k].kernel;
        bool on_device = kernel->device_rows && A->maker && A->maker->rows_on_device;
        leaves = (on_device || ranks || settings_devices(study, kernel) > 1) &&
                 kernel_precision(kernel, &study->kernels[k].options) == PRECISION_DOUBLE &&
                 !preconditioner_reads_rows(&solver->preconditioner, &shape, several);
    }
    return leaves;
}

/* Of a matrix that may not be known yet. */
static bool is_square(const struct csr *shape)
{
    return shape->n > 0 && shape->n == shape->width;
}

enum status system_begin(const struct problem_settings *problem,
                         const struct solver_settings *solver, const struct study_settings *study,
                         struct exchange *exchange, struct linear_system *system,
                         struct error *error)
{
    *system = (struct linear_system){0};
    double begin = clock_seconds();
    enum status status = problem_shape(&problem->matrix, &system->A, error);
    const struct csr *shape = &system->A;
    bool known = !status && is_square(shape); /* else it is refused for that when it is made */
    if (known)
        status = count_columns(problem, &solver->options, &study->trace, shape->n, &system->columns,
                               error);
    bool unstored = known && !status && shape->maker &&
                    leaves_rows(problem, solver, study, shape, exchange, system->columns);
    if (!unstored)
        system->A.maker = NULL;
    if (!status && shape->n == shape->width)
        status = check_memory(problem, solver, study, shape, known ? system->columns : 1, exchange,
                              unstored ? csr_bytes(shape) : 0, error);
    if (!status && known && exchange && leaves_vectors(problem, &solver->options, system->columns))
        status = partition_create(exchange, shape->n, &system->parts, error);
    if (!status && parts_of(system) && problem_file(&problem->matrix, NULL) &&
        leaves_rows(problem, solver, study, shape, exchange, system->columns))
        status = matrix_market_ranks_divide(exchange, shape, system->parts.begin, &system->readers,
                                            error);
    system->seconds = clock_seconds() - begin;
    if (status)
        system_free(system);
    return status;
}

/* A, unless its rows are made on demand. */
static enum status make_matrix(const struct problem_settings *problem,
                               const struct solver_options *options, struct linear_system *system,
                               struct error *error)
{
    enum csr_kind kind = options->method->kind;
    double begin = clock_seconds();
    enum status status = STATUS_OK;
    bool shared = system->readers.exchange;
    if (shared || !system->A.maker)
        status = problem_make(&problem->matrix, kind, shared ? &system->readers : NULL, &system->A,
                              &system->file, error);
    if (!status && shared)
        partial_csr_create(&system->A, &system->kept);
    system->seconds += clock_seconds() - begin;
    return status ? status : check_kind(problem, options, &system->A, error);
}

/* The near-null space for the preconditioner, or for the search of a null space: from files, or
 * from the problem. */
static enum status make_near_null(const struct problem_settings *problem,
                                  const struct solver_settings *solver,
                                  struct linear_system *system, struct error *error)
{
    struct near_null_wanted wanted = preconditioner_near_null(&solver->preconditioner);
    enum status status = near_null_read(&wanted, system->A.n, &system->near_null, error);
    if (!status && wants_near_null_of_problem(&wanted, problem, solver) &&
        system->near_null.count == 0)
        status = problem_near_null(&problem->matrix, &system->near_null, error);
    if (!status && system->near_null.count > 0)
        system->A.near_null = &system->near_null;
    return status;
}

enum status system_make(const struct problem_settings *problem,
                        const struct solver_settings *solver, const struct study_settings *study,
                        struct exchange *exchange, struct linear_system *system,
                        struct error *error)
{
    bool known = is_square(&system->A);
    enum status status = make_matrix(problem, &solver->options, system, error);
    if (!status && !known)
        status = count_columns(problem, &solver->options, &study->trace, system->A.n,
                               &system->columns, error);
    struct csr made = system->A;
    if (system->kept.A.n > 0) /* about; it is known when the ranks have met */
        made.nnz *= exchange->count;
    if (!status)
        status = check_memory(problem, solver, study, &made, system->columns, exchange,
                              csr_bytes(&made), error);
    if (!status && exchange && !parts_of(system) &&
        leaves_vectors(problem, &solver->options, system->columns))
        status = partition_create(exchange, system->A.n, &system->parts, error);
    if (!status)
        status = make_rhs(problem, solver->options.shift, system, error);
    if (!status)
        status = make_start(problem, system, error);
    if (!status && system->A.offsets)
        status = csr_count_and_hash(&system->A, &system->entries, &system->matrix_hash, error);
    if (!status && !parts_of(system))
        status = system_describe_vectors(system, error);
    if (!status && problem->reorder != REORDER_NONE)
        status = system_renumber(problem, system, error);
    if (!status)
        status = make_near_null(problem, solver, system, error);
    if (status)
        system_free(system);
    return status;
}

enum status system_load(const struct problem_settings *problem,
                        const struct solver_settings *solver, const struct study_settings *study,
                        struct linear_system *system, struct error *error)
{
    enum status status = system_begin(problem, solver, study, NULL, system, error);
    return status ? status : system_make(problem, solver, study, NULL, system, error);
}

void system_free(struct linear_system *system)
{
    free_vector(system, system->b);
    free_vector(system, system->x0);
    partition_free(&system->parts);
    csr_free(&system->A);
    partial_csr_free(&system->kept);
    near_null_free(&system->near_null);
    matrix_market_ranks_free(&system->readers);
    memory_free(system->rhs_norms);
    memory_free(system->number);
    *system = (struct linear_system){0};
}
