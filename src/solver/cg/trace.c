#include "solver/cg/trace.h"

#include "base/memory.h"

static bool wants(const struct cg *cg, enum cg_vector vector)
{
    return cg->base.observer->trace.vectors >> vector & 1;
}

enum status tracing_begin(struct tracing *tracing, const struct cg *cg, struct error *error)
{
    bool wanted = observer_wants(cg->base.observer, EVENT_VECTOR);
    *tracing = (struct tracing){.due = wanted ? 0 : INT64_MAX};
    if (!wanted)
        return STATUS_OK;
    tracing->host = memory_array(cg->base.n, sizeof *tracing->host, "a vector of the trace", error);
    if (!tracing->host)
        return STATUS_MEMORY;
    if (!cg->makes_direction || !wants(cg, CG_X))
        return STATUS_OK;
    return space_vector(cg->base.space, cg->base.n, "the traced vector x", &tracing->x, error);
}

static enum status take(const struct tracing *tracing, const struct cg *cg, int64_t iteration,
                        enum cg_vector which, const double *vector, struct error *error)
{
    struct event seen = {
        .kind = EVENT_VECTOR, .iteration = iteration, .place = which, .values = tracing->host};
    if (!wants(cg, which))
        return STATUS_OK;
    enum status status = space_download(cg->base.space, cg->base.n, vector, tracing->host, error);
    return status ? status : observer_see(cg->base.observer, &seen, error);
}

/* The next after the one in iteration k. */
static int64_t next_look(const struct cg *cg, int64_t k)
{
    int64_t every = cg->base.observer->trace.every;
    return k > INT64_MAX - every ? INT64_MAX : k + every;
}

/* x_k. Where the kernel makes p, x takes its steps two at a time, and in an odd iteration lacks the
 * last one: it is done in a copy, by the same operation. */
static enum status take_x(const struct tracing *tracing, const struct cg *cg, struct error *error)
{
    int64_t k = tracing->due;
    if (!tracing->x || k % 2 == 0)
        return take(tracing, cg, k, CG_X, cg->x, error);
    enum status status = space_copy(cg->base.space, cg->base.n, cg->x, tracing->x, error);
    if (!status)
        status = space_axpy(cg->base.space, cg->base.n, cg->alphas[(k - 1) % 2], cg->p[(k - 1) % 2],
                            tracing->x, error);
    return status ? status : take(tracing, cg, k, CG_X, tracing->x, error);
}

enum status tracing_take(struct tracing *tracing, const struct cg *cg, struct error *error)
{
    /* Behind everything on its way. The row is there a moment before the end is known. */
    struct cg_scalars scalars;
    int64_t k = tracing->due;
    enum status status = space_download(cg->base.space, CG_SCALARS, (const double *)cg->scalars,
                                        (double *)&scalars, error);
    if (status || scalars.ended)
        return status;
    status = take(tracing, cg, k, CG_R, cg->r, error);
    if (!status)
        status = take_x(tracing, cg, error);
    if (!status)
        status = take(tracing, cg, k, CG_P, cg->p[cg->turns % 2], error);
    if (!status)
        status = take(tracing, cg, k, CG_Q, cg->q, error);
    tracing->due = next_look(cg, k);
    return status;
}

enum status tracing_take_last(struct tracing *tracing, const struct cg *cg, int64_t iteration,
                              struct error *error)
{
    if (iteration != tracing->due)
        return STATUS_OK;
    enum status status = take(tracing, cg, iteration, CG_R, cg->r, error);
    return status ? status : take(tracing, cg, iteration, CG_X, cg->x, error);
}

/* Of the last iteration, r and x are shown at the end. */
void tracing_go_on(struct tracing *tracing, const struct cg *cg)
{
    int64_t iterations = cg->base.result.iterations;
    if (!observer_wants(cg->base.observer, EVENT_VECTOR))
        return;
    tracing->due = iterations / cg->base.observer->trace.every * cg->base.observer->trace.every;
    if (!cg->base.ended || tracing->due < iterations)
        tracing->due = next_look(cg, tracing->due);
}

void tracing_end(struct tracing *tracing, const struct cg *cg)
{
    memory_free(tracing->host);
    space_release(cg->base.space, tracing->x);
}
