#include "study/product_batch.h"

#include <math.h>

static enum status multiply(void *context, struct error *error)
{
    const struct product_prepared *kernel = context;
    return kernel->table->multiply(kernel->product, kernel->vectors, error);
}

/* One warm batch. */
static enum status batch_warm(const struct product_prepared *kernel, double *seconds,
                              struct error *error)
{
    struct space *space = kernel->space;
    enum status status = space->operations->replay_timed(space, 1, seconds, error);
    if (!status)
        status = space->operations->replay_timed(space, kernel->replays, seconds, error);
    *seconds /= (double)(kernel->replays * kernel->recorded);
    return status;
}

static enum status batch_cold(struct product_bench *bench, const struct product_prepared *kernel,
                              double *seconds, struct error *error)
{
    struct space *space = kernel->space;
    double sum = 0;
    enum status status = STATUS_OK;
    for (int64_t k = 0; k < kernel->replays && !status; k++) {
        status = product_bench_chill(bench, space, error);
        if (!status)
            status = space->operations->replay_timed(space, 1, seconds, error);
        sum += *seconds;
    }
    *seconds = sum / (double)kernel->replays;
    return status;
}

enum status product_batch(struct product_bench *bench, struct product_prepared *kernel,
                          double *seconds, struct error *error)
{
    struct space *space = kernel->space;
    enum status status = product_vectors_poison(kernel->vectors, space, kernel->precision,
                                                kernel->table->poison, error);
    if (!status)
        status = space->operations->record(space, multiply, kernel, (int)kernel->recorded, error);
    if (!status)
        status = bench->rule.cold ? batch_cold(bench, kernel, seconds, error)
                                  : batch_warm(kernel, seconds, error);
    space->operations->forget(space);
    return status;
}

enum status product_calibrate(struct product_bench *bench, struct product_prepared *kernel,
                              struct error *error)
{
    enum { RECORDED_MAX = 16, PRODUCTS_MAX = 1 << 20 };
    const struct product_rule *rule = &bench->rule;
    int64_t products = rule->products > 0 ? rule->products : 1;
    double seconds = 0;
    kernel->recorded = kernel->replays = 1;
    if (rule->cold) {
        kernel->replays = products;
        return STATUS_OK;
    }
    enum status status = STATUS_OK;
    while (rule->products == 0 && !status) {
        kernel->replays = products;
        status = product_batch(bench, kernel, &seconds, error);
        double wanted = rule->seconds / seconds;
        if (seconds > 0 && wanted < 8 * (double)products) {
            products = wanted < 1 ? 1 : (int64_t)ceil(wanted);
            break;
        }
        products *= 8;
        if (products > PRODUCTS_MAX)
            break;
    }
    kernel->recorded = products < RECORDED_MAX ? products : RECORDED_MAX;
    kernel->replays = (products + kernel->recorded - 1) / kernel->recorded;
    return status;
}
