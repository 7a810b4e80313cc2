#include "solver/trace.h"

#include "base/memory.h"

enum status tracing_begin(struct tracing *tracing, const struct solver *solver, struct error *error)
{
    bool wanted = observer_wants(solver->observer, EVENT_VECTOR);
    int64_t every = wanted ? solver->observer->trace.every : 0;
    *tracing = (struct tracing){.solver = solver, .due = INT64_MAX};
    if (!wanted)
        return STATUS_OK;
    int64_t before = solver->restart.iterations; /* whose last one has been looked at */
    tracing->due = before > 0 ? every - before % every : 0;
    tracing->host = memory_array(solver->n, sizeof *tracing->host, "a vector of the trace", error);
    return tracing->host ? STATUS_OK : STATUS_MEMORY;
}

bool tracing_wants(const struct tracing *tracing, enum solver_vector vector)
{
    return tracing->host && tracing->solver->observer->trace.vectors >> vector & 1;
}

enum status tracing_show(const struct tracing *tracing, enum solver_vector which,
                         const double *vector, struct error *error)
{
    const struct solver *solver = tracing->solver;
    struct event seen = {
        .kind = EVENT_VECTOR, .iteration = tracing->due, .place = which, .values = tracing->host};
    if (!tracing_wants(tracing, which))
        return STATUS_OK;
    enum status status = space_download(solver->space, solver->n, vector, tracing->host, error);
    return status ? status : observer_see(solver->observer, &seen, error);
}

void tracing_move(struct tracing *tracing)
{
    int64_t every = tracing->solver->observer->trace.every;
    tracing->due = tracing->due > INT64_MAX - every ? INT64_MAX : tracing->due + every;
}

void tracing_go_on(struct tracing *tracing)
{
    if (!tracing->host)
        return;
    int64_t iterations = tracing->solver->result.iterations;
    int64_t every = tracing->solver->observer->trace.every;
    tracing->due = iterations / every * every;
    if (!tracing->solver->ended || tracing->due < iterations)
        tracing_move(tracing);
}

void tracing_end(struct tracing *tracing)
{
    memory_free(tracing->host);
}
