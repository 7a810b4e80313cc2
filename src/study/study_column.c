#include "study/study_column.h"

#include "base/hash.h"
#include "base/memory.h"
#include "space/ranks/rank_vector.h"

#include <math.h>

enum status study_column_create(struct study_kernel *result, int64_t repeats, int64_t length,
                                struct partition *of, struct study_column *column,
                                struct error *error)
{
    *column = (struct study_column){.result = result,
                                    .length = length,
                                    .of = of,
                                    .first = of ? partition_first(of) : 0,
                                    .rows = of ? partition_rows(of) : length,
                                    .finite = true,
                                    .lock = PTHREAD_MUTEX_INITIALIZER};
    result->runs = memory_zeros(repeats, sizeof *result->runs, "the runs", error);
    if (!result->runs || repeats == 1)
        return result->runs ? STATUS_OK : STATUS_MEMORY;
    column->lowest = memory_array(column->rows, sizeof(double), "the solutions' spread", error);
    column->highest = memory_array(column->rows, sizeof(double), "the solutions' spread", error);
    return column->lowest && column->highest ? STATUS_OK : STATUS_MEMORY;
}

void study_column_begin(struct study_column *column, int64_t run)
{
    column->run = &column->result->runs[run - 1];
    column->run->run = run;
    column->run->column = column->result->column;
    column->run->history_hash = HASH_START;
}

enum status study_column_row(struct study_column *column, int64_t iteration, double residual,
                             struct error *error)
{
    column->run->history_hash = hash_doubles(column->run->history_hash, &residual, 1);
    enum status status =
        memory_grow((void **)&column->residuals, &column->residuals_capacity, iteration + 1,
                    sizeof *column->residuals, "the residuals of a run", error);
    if (!status)
        column->residuals[iteration] = residual;
    return status;
}

static void take_components(void *context, int64_t begin, int64_t end)
{
    struct study_column *column = context;
    const double *x = column->x + column->first;
    double *lowest = column->lowest, *highest = column->highest, largest = 0, widest = 0;
    bool first = column->run->run == 1, finite = true;
    for (int64_t i = begin; i < end; i++) {
        finite = finite && isfinite(x[i]);
        largest = fmax(largest, fabs(x[i]));
    }
    for (int64_t i = begin; i < end && lowest; i++) {
        lowest[i] = first ? x[i] : fmin(lowest[i], x[i]);
        highest[i] = first ? x[i] : fmax(highest[i], x[i]);
        widest = fmax(widest, highest[i] - lowest[i]);
    }
    pthread_mutex_lock(&column->lock);
    column->largest = fmax(column->largest, largest);
    column->widest = fmax(column->widest, widest);
    column->finite = column->finite && finite;
    pthread_mutex_unlock(&column->lock);
}

/* The largest distance between two solutions, in the maximum norm, is the largest spread of one
 * component: no two runs need to be compared. */
static enum status find_spread(const struct study_column *column, double *spread,
                               struct error *error)
{
    struct {
        double widest, largest, infinite;
    } own = {column->widest, column->largest, !column->finite}, *all = &own;
    int ranks = column->of ? column->of->exchange->count : 1;
    enum status status = column->of
                             ? partition_gather(column->of, &own, sizeof own, (void **)&all, error)
                             : STATUS_OK;
    if (status)
        return status;
    double widest = 0, largest = 0;
    bool finite = true;
    for (int r = 0; r < ranks; r++) {
        widest = fmax(widest, all[r].widest);
        largest = fmax(largest, all[r].largest);
        finite = finite && !all[r].infinite;
    }
    *spread = !finite ? NAN : largest > 0 ? widest / largest : 0;
    return STATUS_OK;
}

/* Whether the run that has ended is one of those that count. */
static bool counts(const struct study_column *column)
{
    return column->run->run == 1 || column->run->result.reason != REASON_INTERRUPTED;
}

enum status study_column_end(struct study_column *column, const struct solver_result *found,
                             double *x, struct threads *threads, struct error *error)
{
    column->run->result = *found;
    column->x = x;
    enum status status = rank_vector_hash(threads, column->of, column->length, x,
                                          &column->run->solution_hash, error);
    if (status || !counts(column))
        return status;
    threads_each(threads, column->rows, take_components, column);
    for (int64_t k = 0; k <= column->run->result.iterations && !status; k++)
        status = envelope_take(&column->result->envelope, k, column->residuals[k], error);
    return status;
}

enum status study_column_finish(struct study_column *column, struct error *error)
{
    struct study_kernel *result = column->result;
    result->has_interrupted = !counts(column);
    result->runs_count = column->run->run - result->has_interrupted;
    result->time_split = column->run->result.time_split;
    enum status status = find_spread(column, &result->solution_spread, error);
    return status ? status : study_statistics(result, error);
}

void study_column_free(struct study_column *column)
{
    memory_free(column->residuals);
    memory_free(column->lowest);
    memory_free(column->highest);
    *column = (struct study_column){0};
}
