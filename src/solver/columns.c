/* Several right-hand sides: solver_solve_columns. */
#include "cgsolve/method.h"
#include "cgsolve/solver.h"

/* What the observer of a column sees, told which column it is. */
struct column_view {
    const struct observer *observer;
    int64_t column;
    bool *interrupted;
};

static enum status see(void *context, const struct event *event, struct error *error)
{
    struct column_view *view = context;
    struct event own = *event;
    own.column = view->column;
    enum status status = observer_see(view->observer, &own, error);
    *view->interrupted = *view->interrupted || status == STATUS_INTERRUPTED;
    return *view->interrupted && !status ? STATUS_INTERRUPTED : status;
}

enum status solver_solve_columns(struct linear_operator *spmv, const struct csr *A, int64_t columns,
                                 const double *B, const double *X0,
                                 const struct solver_options *options,
                                 const struct observer *observer, double *X,
                                 struct solver_result *results, struct error *error)
{
    if (!solver_finds_vector(options))
        return error_set(error, STATUS_CONFIG,
                         "the method %s takes one vector to begin with, not several",
                         options->method->component.name);
    struct solver_options plain = *options;
    plain.time_split = options->time_split && columns == 1;
    bool interrupted = false;
    enum status status = STATUS_OK;
    int64_t j = 0;
    for (; j < columns && !status; j++) {
        struct column_view view = {observer, j, &interrupted};
        struct observer own = {.wants = 1u << EVENT_ROW, .see = see, .context = &view};
        if (columns == 1 && observer) {
            own.wants |= observer->wants;
            own.trace = observer->trace;
        }
        status = solver_solve(spmv, A, B + j * A->n, X0 ? X0 + j * A->n : NULL, &plain, &own,
                              X + j * A->n, &results[j], error);
    }
    for (int64_t k = 0; status && k < j; k++)
        solver_result_free(&results[k]);
    return status;
}
