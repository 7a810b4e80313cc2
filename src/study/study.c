#include "study/study.h"

#include "base/clock.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/threads.h"
#include "cgsolve/method.h"
#include "matrix/permute.h"
#include "study/study_statistics.h"

#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>

/* The events with a vector in the numbering of A. */
enum { VECTORS = 1u << EVENT_VECTOR | 1u << EVENT_EIGENVECTOR };

/* What is kept while the runs of one kernel go by. */
struct study {
    const struct study_entry *entry;
    const struct study_system *system;
    const struct observer *observer;
    struct study_kernel *result;
    const struct solver_options *options;
    struct study_run *run; /* the one that is going */
    bool interrupted;      /* in one of its rows */
    int residual;          /* the place of the residual in a row */

    /* [n]: a vector that is looked at, in the problem's own numbering; NULL: not needed */
    double *renumbered;
    double *residuals; /* of the run that is going: it counts when it is known how it ended */
    int64_t residuals_capacity;
    int64_t length;               /* of a solution */
    double *x, *lowest, *highest; /* [length]: the solution, and its extremes over the runs */
    double *solved;       /* [length]: the solution as it is solved for; x where that is the same */
    double largest;       /* max over the runs of ||x||_inf */
    bool finite;          /* every component of every solution */
    pthread_mutex_t lock; /* of these two */
};

static enum status take_row(struct study *study, const struct event *row, struct error *error)
{
    const double *residual = &row->values[study->residual];
    study->run->history_hash = hash_doubles(study->run->history_hash, residual, 1);
    enum status status =
        memory_grow((void **)&study->residuals, &study->residuals_capacity, row->iteration + 1,
                    sizeof *study->residuals, "the residuals of a run", error);
    if (!status)
        study->residuals[row->iteration] = *residual;
    return status;
}

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
    event.run = study->run->run;
    return observer_see(study->observer, &event, error);
}

/* An event of the solve. */
static enum status take_event(void *context, const struct event *event, struct error *error)
{
    struct study *study = context;
    struct event own = *event;
    bool is_row = event->kind == EVENT_ROW;
    enum status status = is_row ? take_row(study, event, error) : STATUS_OK;
    if (VECTORS >> event->kind & 1)
        own.values = in_own_numbering(study, event->values);
    if (!status)
        status = show(study, own, error);
    study->interrupted = study->interrupted || (is_row && status == STATUS_INTERRUPTED);
    return status;
}

static void take_components(void *context, int64_t begin, int64_t end)
{
    struct study *study = context;
    const double *x = study->x;
    double *lowest = study->lowest, *highest = study->highest, largest = 0;
    bool first = study->run->run == 1, finite = true;
    for (int64_t i = begin; i < end; i++) {
        finite = finite && isfinite(x[i]);
        lowest[i] = first ? x[i] : fmin(lowest[i], x[i]);
        highest[i] = first ? x[i] : fmax(highest[i], x[i]);
        largest = fmax(largest, fabs(x[i]));
    }
    pthread_mutex_lock(&study->lock);
    study->largest = fmax(study->largest, largest);
    study->finite = study->finite && finite;
    pthread_mutex_unlock(&study->lock);
}

/* The largest distance between two solutions, in the maximum norm, is the largest spread of one
 * component: no two runs need to be compared. */
static void take_solution(struct study *study, struct threads *threads)
{
    threads_each(threads, study->length, take_components, study);
}

static double spread(const struct study *study)
{
    if (!study->finite)
        return NAN;
    int64_t n = study->length;
    double widest = 0;
#pragma omp parallel for schedule(static) reduction(max : widest)
    for (int64_t i = 0; i < n; i++)
        widest = fmax(widest, study->highest[i] - study->lowest[i]);
    return study->largest > 0 ? widest / study->largest : 0;
}

/* Whether the run that has ended is one of those that count. */
static bool counts(const struct study *study)
{
    return study->run->run == 1 || study->run->result.reason != REASON_INTERRUPTED;
}

static enum status take_residuals(struct study *study, struct error *error)
{
    enum status status = STATUS_OK;
    for (int64_t k = 0; k <= study->run->result.iterations && !status; k++)
        status = envelope_take(&study->result->envelope, k, study->residuals[k], error);
    return status;
}

/* One solve, its events, and what it leaves in the statistics. */
static enum status run_once(struct study *study, struct linear_operator *spmv, struct error *error)
{
    const struct study_system *system = study->system;
    struct observer observer = study->observer ? *study->observer : (struct observer){0};
    observer.wants |= 1u << EVENT_ROW;
    observer.see = take_event;
    observer.context = study;
    struct solver_options options = *study->options;
    options.time_split = study->run->run == study->result->runs_count;
    enum status status = solver_solve(spmv, system->A, system->b, system->x0, &options, &observer,
                                      study->solved, &study->run->result, error);
    if (status)
        return status;
    if (study->solved != study->x)
        vector_permute_back(system->A->n, system->number, study->solved, study->x);
    struct threads *threads = spmv->space->threads;
    study->run->solution_hash = hash_vector(threads, study->x, study->length);
    if (counts(study)) {
        take_solution(study, threads);
        status = take_residuals(study, error);
    }
    if (!status)
        status = show(study, (struct event){.kind = EVENT_SOLUTION, .values = study->x}, error);
    return status ? status : show(study, (struct event){.kind = EVENT_RUN_ENDED}, error);
}

static enum status run_all(struct study *study, struct linear_operator *spmv, struct error *error)
{
    int64_t n = study->system->A->n, length = solver_solution_length(study->options, n);
    struct study_kernel *result = study->result;
    enum status status = STATUS_OK;
    bool numbered = study->system->number != NULL;
    study->length = length;
    study->x = memory_array(length, sizeof(double), "the solution", error);
    study->lowest = memory_array(length, sizeof(double), "the solutions' spread", error);
    study->highest = memory_array(length, sizeof(double), "the solutions' spread", error);
    study->solved = numbered && solver_finds_vector(study->options)
                        ? memory_array(length, sizeof(double), "the solution", error)
                        : study->x;
    if (!study->x || !study->lowest || !study->highest || !study->solved)
        status = STATUS_MEMORY;
    if (!status && numbered && study->observer && study->observer->wants & VECTORS) {
        study->renumbered = memory_array(n, sizeof(double), "a vector that is looked at", error);
        status = study->renumbered ? STATUS_OK : STATUS_MEMORY;
    }
    int64_t counted = 0;
    for (int64_t k = 0; k < result->runs_count && !status; k++) {
        study->run = &result->runs[k];
        study->run->run = k + 1;
        study->run->history_hash = HASH_START;
        status = run_once(study, spmv, error);
        if (!status && study->interrupted)
            status = STATUS_INTERRUPTED;
        counted += counts(study);
    }
    if (status == STATUS_INTERRUPTED) {
        result->has_interrupted = !counts(study);
        result->runs_count = counted;
        status = STATUS_OK;
    }
    if (!status) {
        result->solution_spread = spread(study);
        result->time_split = study->run->result.time_split;
        status = study_statistics(result, error);
    }
    if (study->solved != study->x)
        memory_free(study->solved);
    memory_free(study->x);
    memory_free(study->renumbered);
    memory_free(study->residuals);
    memory_free(study->lowest);
    memory_free(study->highest);
    return status;
}

/* What the entry's solver and preconditioner hold in the space. M: some preconditioner. */
static int64_t iteration_bytes(const struct study_entry *entry,
                               const struct solver_options *options,
                               const struct linear_operator *M, const struct csr *A)
{
    struct solver_options solver = *options;
    solver.preconditioner = preconditioner_is_set(&entry->preconditioner) ? M : NULL;
    return solver.method->memory_bytes(&solver, A->n) +
           preconditioner_memory_bytes(&entry->preconditioner, A);
}

/* What a run has on the host while its solver is there: the solution, its extremes, the solution as
 * it is solved for, and the residual in twice the precision that confirms it, or that of an
 * eigenvector and this. */
static int64_t vectors_bytes(const struct solver_options *options, int64_t n, bool numbered)
{
    bool one = solver_finds_vector(options);
    int64_t doubles = (numbered && one ? 4 : 3) * solver_solution_length(options, n);
    return (doubles + (one ? 2 : 3) * n) * (int64_t)sizeof(double);
}

double study_memory_bytes(const struct study_entry *entry, const struct csr *A,
                          const struct solver_options *options, int64_t repeats, bool numbered)
{
    static const struct linear_operator some;
    const struct kernel *kernel = entry->kernel;
    double bytes =
        (double)repeats * sizeof(struct study_run) + (double)vectors_bytes(options, A->n, numbered);
    if (kernel->space != SPACE_CPU)
        return bytes;
    double form = kernel->setup_bytes ? (double)kernel->setup_bytes(A, &entry->options) : 0;
    return bytes + form + (double)iteration_bytes(entry, options, &some, A);
}

/* The kernel, and over it the preconditioner; M stays zeroed without one. What follows, `vectors`
 * bytes on the host among it, is asked for before, and again when it is known what the kernel took.
 * On failure there is nothing to free. */
static enum status set_up(const struct study_entry *entry, const struct study_system *system,
                          struct space *space, const struct solver_options *options,
                          int64_t vectors, struct linear_operator *spmv, struct linear_operator *M,
                          double *preconditioner_seconds, struct error *error)
{
    const struct csr *A = system->A;
    int64_t more =
        iteration_bytes(entry, options, M, A) + (entry->kernel->space == SPACE_CPU ? vectors : 0);
    enum status status = kernel_fits(entry->kernel, A, &entry->options, space, more, error);
    if (!status)
        status = (options->preconditioner ? operator_create_keeping : operator_create)(
            entry->kernel, A, &entry->options, space, spmv, error);
    if (status)
        return status;
    int64_t goes = spmv->brought.there ? csr_bytes(A) : 0;
    status = space->operations->fits(space, more - goes, "the solver", error);
    double begin = clock_seconds();
    if (!status && options->preconditioner)
        status = preconditioner_create(&entry->preconditioner, A, system->number, spmv, M, error);
    *preconditioner_seconds = options->preconditioner ? clock_seconds() - begin : 0;
    if (status)
        operator_destroy(spmv);
    return status;
}

/* What set-up came to. */
static void take_set_up(const struct linear_operator *spmv, const struct solver_options *options,
                        struct study_kernel *result)
{
    const struct linear_operator *M = options->preconditioner;
    memcpy(result->description, spmv->description, sizeof result->description);
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

enum status study_kernel_run(const struct study_entry *entry, const struct study_system *system,
                             struct space *space, const struct solver_options *options,
                             int64_t repeats, const struct observer *observer,
                             struct study_kernel *result, struct error *error)
{
    *result = (struct study_kernel){.label = entry->label,
                                    .kernel = entry->kernel,
                                    .options = entry->options,
                                    .reductions = space->reductions,
                                    .threads = threads_count(space->threads),
                                    .started = system->x0 != NULL,
                                    .runs_count = repeats,
                                    .first_divergence = -1,
                                    .first_apart = -1};
    struct linear_operator spmv, M = {0};
    struct solver_options solver = *options;
    solver.preconditioner = preconditioner_is_set(&entry->preconditioner) ? &M : NULL;
    double begin = clock_seconds();
    int64_t vectors = vectors_bytes(options, system->A->n, system->number != NULL);
    enum status status = set_up(entry, system, space, &solver, vectors, &spmv, &M,
                                &result->preconditioner_seconds, error);
    if (status) {
        study_kernel_free(result);
        return status;
    }
    result->setup_seconds = clock_seconds() - begin;
    take_set_up(&spmv, &solver, result);
    result->runs = memory_zeros(repeats, sizeof *result->runs, "the runs", error);
    if (result->runs) {
        struct study study = {.entry = entry,
                              .system = system,
                              .observer = observer,
                              .options = &solver,
                              .residual = method_series(options->method, "residual"),
                              .result = result,
                              .finite = true,
                              .lock = PTHREAD_MUTEX_INITIALIZER};
        status = run_all(&study, &spmv, error);
    } else {
        status = STATUS_MEMORY;
    }
    operator_destroy(&M);
    operator_destroy(&spmv);
    if (status)
        study_kernel_free(result);
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
