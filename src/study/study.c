#include "study/study.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/threads.h"
#include "matrix/permute.h"
#include "matrix/row_kinds.h"
#include "precondition/definite.h"
#include "solver/method.h"
#include "solver/scale.h"
#include "solver/singular.h"
#include "space/ranks/rank_vector.h"
#include "space/ranks/ranks.h"
#include "spmv/device_csr.h"
#include "study/study_column.h"

#include <stdbool.h>
#include <string.h>

/* The events with a vector in the numbering of A. */
enum { VECTORS = 1u << EVENT_VECTOR | 1u << EVENT_EIGENVECTOR };

/* The state during the runs of one kernel. */
struct study {
    const struct study_entry *entry;
    const struct study_system *system;
    const struct observer *observer;
    const struct solver_options *options;
    int64_t count;                /* of the columns, */
    struct study_column *columns; /* [count], and what each finds: */
    struct study_kernel *results;
    struct solver_result *found; /* [count], of the run that is going */
    int64_t run, repeats;        /* its number, and the total */
    bool interrupted;            /* in one of its rows */
    int residual;                /* index of the residual in a row */

    /* [n]: a traced vector, in the problem's own numbering; NULL: not needed */
    double *renumbered;
    int64_t length; /* of a solution */
    double *x;      /* [count][length]: the solutions */
    double *solved; /* likewise, in the numbering of the solve; x if that is the same */
    /* For ranks: the ranks; and if a rank keeps only its own rows, `of` */
    struct ranks *ranks;
    struct partition *of;
};

/* v[n] in the problem's own numbering. */
static const double *in_own_numbering(const struct study *study, const double *v)
{
    if (!study->renumbered)
        return v;
    vector_permute_back(study->system->A->n, study->system->number, v, study->renumbered);
    return study->renumbered;
}

/* Hand an event on, with the entry and the run that it is of. */
static enum status show(const struct study *study, struct event event, struct error *error)
{
    event.label = study->entry->label;
    event.run = study->run;
    return observer_see(study->observer, &event, error);
}

/* An event of the solve. */
static enum status take_event(void *context, const struct event *event, struct error *error)
{
    struct study *study = context;
    struct event own = *event;
    bool is_row = event->kind == EVENT_ROW;
    enum status status = STATUS_OK;
    if (is_row)
        status = study_column_row(&study->columns[event->column], event->iteration,
                                  event->values[study->residual], error);
    if (VECTORS >> event->kind & 1)
        own.values = in_own_numbering(study, event->values);
    if (!status)
        status = show(study, own, error);
    study->interrupted = study->interrupted || (is_row && status == STATUS_INTERRUPTED);
    return status;
}

/* All columns at once; or a single column, with a trace. */
static enum status solve(struct study *study, struct linear_operator *spmv, struct error *error)
{
    const struct study_system *system = study->system;
    struct observer observer = study->observer ? *study->observer : (struct observer){0};
    observer.wants |= 1u << EVENT_ROW;
    observer.see = take_event;
    observer.context = study;
    struct solver_options options = *study->options;
    options.time_split = study->run == study->repeats;
    return study->count > 1
               ? solver_solve_columns(spmv, system->A, study->count, system->b, system->x0,
                                      &options, &observer, study->solved, study->found, error)
               : solver_solve(spmv, system->A, system->b, system->x0, &options, &observer,
                              study->solved, study->found, error);
}

/* Gathers the solution in every rank, unless ranks keep their own rows. */
static enum status gather(struct study *study, struct error *error)
{
    enum status status = STATUS_OK;
    for (int64_t j = 0; study->ranks && !study->of && j < study->count && !status; j++) {
        double *solved = study->solved + j * study->length;
        status = ranks_gather(study->ranks, solved + partition_first(&study->ranks->partition),
                              sizeof *solved, solved, error);
    }
    return status;
}

static enum status show_piece(void *context, int64_t first, int64_t count, const double *values,
                              struct error *error)
{
    struct event piece = {.kind = EVENT_SOLUTION, .first = first, .count = count, .values = values};
    return show(context, piece, error);
}

/* One run, its events, and its statistics. */
static enum status run_once(struct study *study, struct linear_operator *spmv, struct error *error)
{
    const struct study_system *system = study->system;
    int64_t length = study->length;
    for (int64_t j = 0; j < study->count; j++)
        study_column_begin(&study->columns[j], study->run);
    enum status status = solve(study, spmv, error);
    if (!status)
        status = gather(study, error);
    if (status)
        return status;
    for (int64_t j = 0; j < study->count; j++) {
        double *x = study->x + j * length;
        if (study->solved != study->x)
            vector_permute_back(length, system->number, study->solved + j * length, x);
        enum status taken =
            study_column_end(&study->columns[j], &study->found[j], x, spmv->space->threads, error);
        status = status ? status : taken;
    }
    if (!status && observer_wants(study->observer, EVENT_SOLUTION))
        status = rank_vector_show(study->of, study->length, study->x, show_piece, study, error);
    return status ? status : show(study, (struct event){.kind = EVENT_RUN_ENDED}, error);
}

static enum status create(struct study *study, struct space *space, struct error *error)
{
    int64_t n = study->system->A->n, count = study->count;
    bool numbered = study->system->number != NULL;
    study->length = solver_solution_length(study->options, n);
    study->ranks = solver_finds_vector(study->options) ? ranks_of(space) : NULL;
    study->of = study->ranks && !numbered && count == 1 ? &study->ranks->partition : NULL;
    size_t size = (size_t)count * sizeof(double);
    study->columns = memory_zeros(count, sizeof *study->columns, "the columns", error);
    study->found = memory_zeros(count, sizeof *study->found, "the columns", error);
    study->x = rank_vector_create(study->of, study->length, size, "the solution", error);
    study->solved = numbered && solver_finds_vector(study->options)
                        ? memory_array(study->length, size, "the solution", error)
                        : study->x;
    if (!study->columns || !study->found || !study->x || !study->solved)
        return STATUS_MEMORY;
    enum status status = STATUS_OK;
    for (int64_t j = 0; j < count && !status; j++)
        status = study_column_create(&study->results[j], study->repeats, study->length, study->of,
                                     &study->columns[j], error);
    if (!status && numbered && study->observer && study->observer->wants & VECTORS) {
        study->renumbered = memory_array(n, sizeof(double), "a vector that is looked at", error);
        status = study->renumbered ? STATUS_OK : STATUS_MEMORY;
    }
    return status;
}

static void destroy(struct study *study)
{
    for (int64_t j = 0; study->columns && j < study->count; j++)
        study_column_free(&study->columns[j]);
    if (study->solved != study->x)
        memory_free(study->solved);
    rank_vector_free(study->of, study->length, (size_t)study->count * sizeof(double), study->x);
    memory_free(study->found);
    memory_free(study->columns);
    memory_free(study->renumbered);
}

static enum status run_all(struct study *study, struct linear_operator *spmv, struct error *error)
{
    enum status status = create(study, spmv->space, error);
    for (int64_t k = 1; k <= study->repeats && !status; k++) {
        study->run = k;
        status = run_once(study, spmv, error);
        if (!status && study->interrupted)
            status = STATUS_INTERRUPTED;
    }
    if (status == STATUS_INTERRUPTED)
        status = STATUS_OK;
    for (int64_t j = 0; j < study->count && !status; j++)
        status = study_column_finish(&study->columns[j], error);
    destroy(study);
    return status;
}

static int64_t columns_of(const struct study_system *system)
{
    return system->columns > 0 ? system->columns : 1;
}

/* The memory of the entry's solver in the space, with vectors for each column. M: with a
 * preconditioner. */
static int64_t solver_bytes(const struct study_entry *entry, const struct solver_options *options,
                            const struct linear_operator *M, const struct csr *A, int64_t columns)
{
    struct solver_options solver = *options;
    solver.preconditioner = preconditioner_is_set(&entry->preconditioner) ? M : NULL;
    return solver_columns_bytes(&solver, A->n, columns);
}

/* The same with its preconditioner. */
static int64_t iteration_bytes(const struct study_entry *entry,
                               const struct solver_options *options,
                               const struct linear_operator *M, const struct csr *A,
                               int64_t columns)
{
    return solver_bytes(entry, options, M, A, columns) +
           preconditioner_memory_bytes(&entry->preconditioner, A);
}

/* The host memory of a run: for each column the solution, the extremes of several runs, and the
 * solution in the numbering of the solve; and the true residual of a solution, or an eigenvector
 * with its residual. */
static int64_t vectors_bytes(const struct solver_options *options, int64_t n, int64_t columns,
                             int64_t repeats, bool numbered)
{
    bool one = solver_finds_vector(options);
    int64_t each = 1 + (repeats > 1 ? 2 : 0) + (numbered && one);
    int64_t doubles = columns * each * solver_solution_length(options, n);
    return (doubles + (one ? 2 : 3) * n) * (int64_t)sizeof(double);
}

double study_memory_bytes(const struct study_entry *entry, const struct csr *A, int64_t columns,
                          const struct solver_options *options, int64_t repeats, bool numbered,
                          double share)
{
    static const struct linear_operator some;
    const struct kernel *kernel = entry->kernel;
    double runs = (double)repeats * (double)columns * sizeof(struct study_run);
    double rows = (double)vectors_bytes(options, A->n, columns, repeats, numbered);
    if (kernel->space != SPACE_CPU)
        return runs + share * rows;
    if (kernel->setup_bytes)
        rows += (double)kernel->setup_bytes(A, &entry->options);
    rows += (double)solver_bytes(entry, options, &some, A, columns);
    return runs + share * rows + (double)preconditioner_memory_bytes(&entry->preconditioner, A);
}

/* Sets up the kernel and the preconditioner; M stays zeroed without one. Checks the memory of later
 * steps, with `vectors` bytes on the host, before, and again after the kernel's allocations. On
 * failure nothing must be freed. */
static enum status set_up(const struct study_entry *entry, const struct study_system *system,
                          struct space *space, const struct solver_options *options,
                          int64_t vectors, struct linear_operator *spmv, struct linear_operator *M,
                          double *preconditioner_seconds, struct error *error)
{
    const struct csr *A = system->A;
    int64_t more = iteration_bytes(entry, options, M, A, columns_of(system)) +
                   (entry->kernel->space == SPACE_CPU ? vectors : 0);
    struct csr rows = {0};
    enum status status = kernel_fits(entry->kernel, A, &entry->options, space, more, error);
    if (status)
        return status;
    bool by_codes = row_kinds_known(A) && preconditioner_takes_codes(&entry->preconditioner);
    if (options->preconditioner && !by_codes)
        A = device_csr_share(space, A, &rows);
    status = operator_create(entry->kernel, A, &entry->options, space, spmv, error);
    if (!status)
        status = space->operations->fits(space, more - (rows.space ? csr_bytes(A) : 0),
                                         "the solver", error);
    double begin = clock_seconds();
    if (!status && options->preconditioner)
        status = preconditioner_create(&entry->preconditioner, A, system->number, spmv, M, error);
    *preconditioner_seconds = options->preconditioner ? clock_seconds() - begin : 0;
    device_csr_free(&rows);
    if (status)
        operator_destroy(spmv);
    return status;
}

static void take_set_up(const struct linear_operator *spmv, const struct solver_options *options,
                        struct study_kernel *result)
{
    const struct linear_operator *M = options->preconditioner;
    memcpy(result->description, spmv->description, sizeof result->description);
    result->ranks = spmv->ranks;
    result->bytes_per_apply = spmv->bytes_per_apply;
    result->bytes_per_iteration = options->method->bytes_per_iteration(options, spmv);
    result->memory_bytes = spmv->memory_bytes + (M ? M->memory_bytes : 0);
    result->products_per_iteration = spmv->products + (M ? M->products : 0);
    if (M) {
        result->preconditioner = M->name;
        memcpy(result->preconditioner_description, M->description, sizeof M->description);
        result->preconditioner_bytes = M->bytes_per_apply;
        result->levels = M->levels;
    }
}

/* Whether M is symmetric and positive definite; outside of the time of set-up. */
static enum status try_preconditioner(const struct study_system *system,
                                      const struct solver_options *options,
                                      struct study_kernel *result, struct error *error)
{
    struct definite found = {.asymmetry = NAN};
    enum status status = STATUS_OK;
    if (options->preconditioner)
        status = definite_check(options->preconditioner, system->number, &found, error);
    result->preconditioner_asymmetry = found.asymmetry;
    return status;
}

/* Copies the first column's result to all columns. */
static void share(struct study_kernel *results, int64_t count)
{
    for (int64_t j = 1; j < count; j++) {
        results[j] = results[0];
        results[j].column = j;
    }
}

static void free_all(struct study_kernel *results, int64_t count)
{
    for (int64_t j = 0; j < count; j++)
        study_kernel_free(&results[j]);
}

/* The A of the solve, and its known null space. */
struct known {
    struct study_system system;
    struct csr A;
    struct null_space null_space;
};

/* each: singular_find. */
static enum status look_for_null_space(struct known *known, struct space *space,
                                       const struct solver_options *options, bool each,
                                       struct error *error)
{
    enum status status = singular_find(space, &known->A, known->system.number, options, each,
                                       &known->null_space, error);
    known->A.null_space = known->null_space.dimension > 0 ? &known->null_space : NULL;
    return status;
}

/* Set-up of a kernel, with A's null space, if any. */
static enum status set_up_knowing(const struct study_entry *entry, struct known *known,
                                  struct space *space, const struct solver_options *options,
                                  int64_t vectors, struct linear_operator *spmv,
                                  struct linear_operator *M, double *preconditioner_seconds,
                                  struct error *error)
{
    enum status status = look_for_null_space(known, space, options, false, error);
    if (!status)
        status = set_up(entry, &known->system, space, options, vectors, spmv, M,
                        preconditioner_seconds, error);
    if (status || !M->singular || known->A.null_space)
        return status;
    status = look_for_null_space(known, space, options, true, error);
    if (status) {
        operator_destroy(M);
        operator_destroy(spmv);
    }
    return status;
}

static enum status run_kernel(const struct study_entry *entry, const struct study_system *system,
                              struct space *space, const struct solver_options *options,
                              int64_t repeats, const struct observer *observer,
                              struct study_kernel *results, struct error *error)
{
    int64_t count = columns_of(system);
    *results = (struct study_kernel){.label = entry->label,
                                     .kernel = entry->kernel,
                                     .options = entry->options,
                                     .reductions = space->reductions,
                                     .threads = threads_count(space->threads),
                                     .started = system->x0 != NULL,
                                     .runs_count = repeats,
                                     .first_divergence = -1,
                                     .first_apart = -1};
    share(results, count);
    struct linear_operator spmv, M = {0};
    struct solver_options solver = *options;
    solver.preconditioner = preconditioner_is_set(&entry->preconditioner) ? &M : NULL;
    double begin = clock_seconds();
    int64_t vectors = vectors_bytes(options, system->A->n, count, repeats, system->number != NULL);
    struct known known = {.system = *system, .A = *system->A};
    known.system.A = &known.A;
    enum status status = set_up_knowing(entry, &known, space, &solver, vectors, &spmv, &M,
                                        &results->preconditioner_seconds, error);
    if (status) {
        null_space_free(&known.null_space);
        free_all(results, count);
        return status;
    }
    results->setup_seconds = clock_seconds() - begin;
    take_set_up(&spmv, &solver, results);
    status = try_preconditioner(system, &solver, results, error);
    share(results, count);
    struct study study = {.entry = entry,
                          .system = &known.system,
                          .observer = observer,
                          .options = &solver,
                          .residual = method_series(options->method, "residual"),
                          .count = count,
                          .repeats = repeats,
                          .results = results};
    if (!status)
        status = run_all(&study, &spmv, error);
    operator_destroy(&M);
    operator_destroy(&spmv);
    null_space_free(&known.null_space);
    if (status)
        free_all(results, count);
    return status;
}

enum status study_kernel_run(const struct study_entry *entry, const struct study_system *system,
                             struct space *space, const struct solver_options *options,
                             int64_t repeats, const struct observer *observer,
                             struct study_kernel *results, struct error *error)
{
    struct csr scaled;
    struct study_system own = *system;
    struct threads *before = threads_lend(space->threads);
    enum status status = solver_scale_matrix(space, system->A, &scaled, error);
    memset(results, 0, (size_t)columns_of(system) * sizeof *results);
    own.A = scaled.n > 0 ? &scaled : system->A;
    if (!status)
        status = run_kernel(entry, &own, space, options, repeats, observer, results, error);
    solver_scale_matrix_free(&scaled);
    threads_lend(before);
    return status;
}

void study_kernel_free(struct study_kernel *result)
{
    int64_t runs = result->runs_count + result->has_interrupted;
    for (int64_t k = 0; result->runs && k < runs; k++)
        solver_result_free(&result->runs[k].result);
    memory_free(result->runs);
    memory_free(result->counts);
    envelope_free(&result->envelope);
    *result = (struct study_kernel){0};
}
