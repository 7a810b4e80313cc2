/* Our own side of the contests of bench/products.sh: the first kernel of the config's list.
 *
 *     product_own product|cg THREADS [KEY=VALUE]... CONFIG */
#include "base/clock.h"
#include "bench/support/contest.h"
#include "solver/method.h"
#include "spmv/kernel.h"

#include <math.h>
#include <stdio.h>

struct own {
    struct contest contest;
    struct space *space;
    struct linear_operator spmv;
    struct error *error;
};

static double product_batch(void *context, int64_t times)
{
    struct own *own = context;
    struct contest *contest = &own->contest;
    enum status status = operator_apply(&own->spmv, contest->x, contest->result, own->error);
    double begin = clock_seconds();
    for (int64_t k = 0; k < times && !status; k++)
        status = operator_apply(&own->spmv, contest->x, contest->result, own->error);
    return status ? NAN : (clock_seconds() - begin) / (double)times;
}

static double cg_batch(void *context, int64_t times)
{
    (void)times;
    struct own *own = context;
    struct contest *contest = &own->contest;
    struct solver_result result;
    enum status status =
        solver_solve(&own->spmv, &contest->system.A, contest->system.b, NULL,
                     &contest->settings.solver.options, NULL, contest->result, &result, own->error);
    return status ? NAN : result.seconds / (double)result.iterations;
}

static enum status compete(struct own *own, int argc, char *argv[])
{
    struct contest *contest = &own->contest;
    enum status status = contest_open(argc, argv, contest, own->error);
    if (status)
        return status;
    const struct kernel_settings *chosen = &contest->settings.study.kernels[0];
    struct space_options options = {.reductions = contest->settings.solver.reductions,
                                    .threads = contest->threads};
    status = space_create(chosen->kernel->space, &options, &own->space, own->error);
    if (!status && chosen->kernel->space != SPACE_CPU)
        status = error_set(own->error, STATUS_CONFIG, "%s is not a CPU kernel", chosen->label);
    if (!status)
        status = operator_create(chosen->kernel, &contest->system.A, &chosen->options, own->space,
                                 &own->spmv, own->error);
    if (status)
        return status;
    int64_t bytes = contest->cg ? contest->settings.solver.options.method->bytes_per_iteration(
                                      &contest->settings.solver.options, &own->spmv)
                                : own->spmv.bytes_per_apply;
    return contest_compete(contest, "cgsolve " CGSOLVE_VERSION, (double)bytes,
                           contest->cg ? cg_batch : product_batch, own, own->error);
}

int main(int argc, char *argv[])
{
    struct error error;
    struct own own = {.error = &error};
    enum status status = compete(&own, argc, argv);
    operator_destroy(&own.spmv);
    if (own.space)
        own.space->operations->destroy(own.space);
    contest_close(&own.contest);
    return contest_end(status, &error);
}
