#include "solver/cg/trace.h"

#include "base/memory.h"

static bool wants(const struct tracing *tracing, enum cg_vector vector)
{
    return tracing->wanted->vectors >> vector & 1;
}

enum status tracing_begin(struct tracing *tracing, const struct cg *cg,
                          const struct cg_trace *wanted, struct error *error)
{
    *tracing = (struct tracing){.wanted = wanted, .due = wanted ? 0 : INT64_MAX};
    if (!wanted)
        return STATUS_OK;
    tracing->host = memory_array(cg->n, sizeof *tracing->host, "a vector of the trace", error);
    if (!tracing->host)
        return STATUS_MEMORY;
    if (!cg->makes_direction || !wants(tracing, CG_X))
        return STATUS_OK;
    return cg->space_do->allocate(cg->space, cg->n, "the traced vector x", &tracing->x, error);
}

static enum status take(const struct tracing *tracing, const struct cg *cg, int64_t iteration,
                        enum cg_vector which, const double *vector, struct error *error)
{
    if (!wants(tracing, which))
        return STATUS_OK;
    enum status status = cg->space_do->download(cg->space, cg->n, vector, tracing->host, error);
    return status ? status
                  : tracing->wanted->take(tracing->wanted->context, iteration, which, tracing->host,
                                          error);
}

/* x_k. Where the kernel makes p, x takes its steps two at a time, and in an odd iteration lacks the
 * last one: it is done in a copy, by the same operation. */
static enum status take_x(const struct tracing *tracing, const struct cg *cg, struct error *error)
{
    int64_t k = tracing->due;
    if (!tracing->x || k % 2 == 0)
        return take(tracing, cg, k, CG_X, cg->x, error);
    enum status status = cg->space_do->copy(cg->space, cg->n, cg->x, tracing->x, error);
    if (!status)
        status = cg->space_do->axpy(cg->space, cg->n, cg->alphas[(k - 1) % 2], cg->p[(k - 1) % 2],
                                    tracing->x, error);
    return status ? status : take(tracing, cg, k, CG_X, tracing->x, error);
}

enum status tracing_take(struct tracing *tracing, const struct cg *cg, struct error *error)
{
    /* Behind everything on its way. The row is there a moment before the end is known. */
    struct cg_scalars scalars;
    int64_t k = tracing->due;
    enum status status = cg->space_do->download(cg->space, CG_SCALARS, (const double *)cg->scalars,
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
    tracing->due = k > INT64_MAX - tracing->wanted->every ? INT64_MAX : k + tracing->wanted->every;
    return status;
}

enum status tracing_take_last(struct tracing *tracing, const struct cg *cg, int64_t iteration,
                              struct error *error)
{
    if (!tracing->wanted || iteration != tracing->due)
        return STATUS_OK;
    enum status status = take(tracing, cg, iteration, CG_R, cg->r, error);
    return status ? status : take(tracing, cg, iteration, CG_X, cg->x, error);
}

void tracing_end(struct tracing *tracing, const struct cg *cg)
{
    memory_free(tracing->host);
    cg->space_do->release(cg->space, tracing->x);
}
