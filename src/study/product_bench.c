#include "study/product_bench.h"

#include "base/clock.h"
#include "base/memory.h"
#include "study/product_table.h"
#include "study/statistics.h"

#include <math.h>
#include <stdio.h>

const char *const product_operations[] = {
    [PRODUCT_SPMV] = "spmv", [PRODUCT_SPMM] = "spmm", [PRODUCT_SDDMM] = "sddmm", NULL};

const char *product_verdict_name(enum product_verdict verdict)
{
    return verdict == PRODUCT_PASS ? "PASS" : verdict == PRODUCT_FAIL ? "FAIL" : "skipped";
}

void product_result_add(struct product_result *result, struct product_error found)
{
    if (found.worst > result->error.worst)
        result->error = found;
    if (!(found.worst <= 1))
        result->verdict = PRODUCT_FAIL;
}

/* Of whoever multiplies. */
static enum space_kind space_of(const struct product_contestant *contestant)
{
    return contestant->sampler ? contestant->sampler->space : contestant->kernel->space;
}

static const char *unavailable(const struct product_contestant *contestant)
{
    return contestant->sampler ? contestant->sampler->unavailable()
                               : kernel_unavailable(contestant->kernel);
}

struct product_prepared {
    int contestant;
    const struct product_table *table;
    void *product;
    struct space *space;
    enum precision precision; /* of the vectors */
    struct product_vectors *vectors;
    int64_t recorded, replays; /* a batch is `replays` replays of `recorded` products */
    double *samples;           /* [rounds]: seconds of one product */
    uint64_t *hashes;          /* [rounds] */
};

/* The data for products of one matrix with one number of columns. */
struct run {
    struct product_bench *bench;
    const struct product_table *table;
    const struct csr *A;
    const struct product_contestant *contestants;
    struct product_result *results;
    struct product_host host;
    struct product_vectors vectors[PRODUCT_KINDS];
    struct product_prepared *prepared;
    int count;    /* of those */
    bool crowded; /* one did not fit beside others */
};

/* ---- batches --------------------------------------------------------------------------------- */

static enum status multiply(void *context, struct error *error)
{
    const struct product_prepared *kernel = context;
    return kernel->table->multiply(kernel->product, kernel->vectors, error);
}

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

/* One batch. Leaves y in the space; *seconds is the time of one product. */
static enum status batch(struct product_bench *bench, struct product_prepared *kernel,
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

/* The number of products of a batch: enough to hide the cost of the clock and of the launch. */
static enum status calibrate(struct product_bench *bench, struct product_prepared *kernel,
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
        status = batch(bench, kernel, &seconds, error);
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

static bool was_seen(const struct product_prepared *kernel, int64_t round)
{
    for (int64_t r = 0; r < round; r++)
        if (kernel->hashes[r] == kernel->hashes[round])
            return true;
    return false;
}

static enum status round_of(struct run *run, struct product_prepared *kernel, int64_t round,
                            struct error *error)
{
    double seconds;
    enum status status = batch(run->bench, kernel, &seconds, error);
    if (status || round < 0)
        return status;
    kernel->samples[round] = seconds;
    status = product_vectors_result(kernel->vectors, kernel->precision, run->host.y, error);
    if (status)
        return status;
    kernel->hashes[round] = run->table->hash(&run->host);
    if (was_seen(kernel, round))
        return STATUS_OK;
    return run->table->judge(&run->host, &run->contestants[kernel->contestant],
                             &run->results[kernel->contestant], error);
}

/* ---- setting up ------------------------------------------------------------------------------ */

static void release(struct run *run)
{
    for (int k = 0; k < run->count; k++) {
        run->table->destroy(run->prepared[k].product);
        memory_free(run->prepared[k].samples);
        memory_free(run->prepared[k].hashes);
    }
    run->count = 0;
    for (int k = 0; k < PRODUCT_KINDS; k++)
        product_vectors_destroy(&run->vectors[k]);
}

static void skip(struct product_result *result, const char *reason)
{
    result->verdict = PRODUCT_SKIPPED;
    snprintf(result->reason, sizeof result->reason, "%s", reason);
}

/* The last steps of a set-up. */
static enum status enter(struct run *run, struct product_prepared *kernel, struct error *error)
{
    struct product_result *result = &run->results[kernel->contestant];
    const struct product_contestant *contestant = &run->contestants[kernel->contestant];
    struct space *space = kernel->space;
    int64_t rounds = run->bench->rule.rounds;
    result->threads = space->operations->kind == SPACE_CPU ? threads_count(space->threads) : 0;
    kernel->samples = memory_array(rounds, sizeof(double), "the times", error);
    kernel->hashes = memory_array(rounds, sizeof(uint64_t), "the hashes", error);
    if (!kernel->samples || !kernel->hashes)
        return STATUS_MEMORY;
    enum status status =
        run->table->enter(kernel->product, run->A, contestant, result, &kernel->precision, error);
    kernel->vectors = &run->vectors[space->operations->kind];
    if (!status && !kernel->vectors->space)
        status = space->operations->fits(
            space, run->table->vector_bytes(run->A, contestant->columns), "a product", error);
    if (!status)
        status =
            product_vectors_prepare(kernel->vectors, space, run->host.y_elements,
                                    run->host.x_elements, run->host.x, kernel->precision, error);
    return status;
}

/* Set the product up twice, free the first and time the second: the first also pays for new memory
 * of the machine, for threads, and for loading code. */
static enum status set_up(const struct run *run, struct product_prepared *kernel, double *seconds,
                          struct error *error)
{
    const struct product_contestant *contestant = &run->contestants[kernel->contestant];
    enum status status =
        run->table->set_up(run->A, contestant, kernel->space, &kernel->product, error);
    if (status)
        return status;
    run->table->destroy(kernel->product);
    double begin = clock_seconds();
    status = run->table->set_up(run->A, contestant, kernel->space, &kernel->product, error);
    *seconds = clock_seconds() - begin;
    return status;
}

/* Set up contestant k. If it cannot be set up, it is skipped, or run->crowded is set, without an
 * error. */
static enum status prepare(struct run *run, int k, struct error *error)
{
    const struct product_contestant *contestant = &run->contestants[k];
    struct product_result *result = &run->results[k];
    struct product_space *space;
    const char *reason = unavailable(contestant);
    *result = (struct product_result){.operation = result->operation,
                                      .columns = result->columns,
                                      .alone = result->alone,
                                      .error.row = -1};
    if (reason) {
        skip(result, reason);
        return STATUS_OK;
    }
    enum status status =
        product_bench_space(run->bench, space_of(contestant), contestant->threads, &space, error);
    if (!status) /* before memory is taken, and the same for all of a run */
        status = product_bench_copy_rate(run->bench, space, error);
    if (status)
        return status;
    result->copy_rate = space->copy_rate;
    struct product_prepared *kernel = &run->prepared[run->count];
    *kernel =
        (struct product_prepared){.contestant = k, .table = run->table, .space = space->space};
    struct error fault;
    status = set_up(run, kernel, &result->setup_seconds, &fault);
    bool others = run->count > 0;
    if (!status) {
        run->count++;
        status = enter(run, kernel, &fault);
        if (status == STATUS_MEMORY && !others)
            release(run);
    }
    if (status == STATUS_DEVICE)
        return error_set(error, status, "%s", fault.text);
    if (status == STATUS_MEMORY && others)
        run->crowded = true;
    else if (status)
        skip(result, fault.text);
    else
        return calibrate(run->bench, kernel, error);
    return STATUS_OK;
}

/* Whether the known allocations of all set-ups fit together, with the vectors. */
static bool fits_together(struct run *run, int count)
{
    int64_t bytes[PRODUCT_KINDS] = {0};
    int64_t vectors = run->table->vector_bytes(run->A, run->contestants->columns);
    for (int k = 0; k < count; k++) {
        const struct product_contestant *c = &run->contestants[k];
        if (unavailable(c))
            continue;
        int64_t *sum = &bytes[space_of(c)], own = run->table->setup_bytes(run->A, c);
        if (__builtin_add_overflow(*sum, own, sum))
            return false;
    }
    for (int k = 0; k < PRODUCT_KINDS; k++) {
        struct product_space *of;
        struct error unused;
        if (bytes[k] > 0 &&
            (__builtin_add_overflow(bytes[k], vectors, &bytes[k]) ||
             product_bench_space(run->bench, (enum space_kind)k, 0, &of, &unused) ||
             of->space->operations->fits(of->space, bytes[k], "the kernels", &unused)))
            return false;
    }
    return true;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static void conclude(struct run *run, struct product_prepared *kernel)
{
    struct product_result *result = &run->results[kernel->contestant];
    int64_t rounds = run->bench->rule.rounds;
    double sum = 0;
    for (int64_t r = 0; r < rounds; r++)
        sum += kernel->samples[r];
    result->mean_seconds = sum / (double)rounds;
    result->median_seconds = median(kernel->samples, rounds);
    result->hash = kernel->hashes[0];
    result->distinct = distinct_hashes(kernel->hashes, rounds);
    result->products = kernel->recorded * kernel->replays;
}

/* The contestants from begin to before end in turns. */
static enum status take_turns(struct run *run, int begin, int end, struct error *error)
{
    enum status status = STATUS_OK;
    for (int k = begin; k < end && !status && !run->crowded; k++)
        status = prepare(run, k, error);
    for (int64_t r = -1; r < run->bench->rule.rounds && !status && !run->crowded; r++)
        for (int k = 0; k < run->count && !status; k++)
            status = round_of(run, &run->prepared[(r + 1 + k) % run->count], r, error);
    for (int k = 0; k < run->count && !status && !run->crowded; k++)
        conclude(run, &run->prepared[k]);
    release(run);
    return status;
}

static enum status run_all(struct run *run, int count, struct error *error)
{
    run->crowded = !fits_together(run, count);
    enum status status = STATUS_OK;
    if (!run->crowded)
        status = take_turns(run, 0, count, error);
    if (status || !run->crowded)
        return status;
    for (int k = 0; k < count && !status; k++) {
        run->crowded = false;
        run->results[k].alone = true;
        status = take_turns(run, k, k + 1, error);
    }
    return status;
}

/* The memory that a space on the host will take: its vectors, and the buffer if not yet allocated.
 */
static int64_t bytes_beside(const struct run *run, int count)
{
    for (int k = 0; k < count; k++)
        if (space_of(&run->contestants[k]) == SPACE_CPU)
            return run->table->vector_bytes(run->A, run->contestants->columns) +
                   (run->bench->buffers[SPACE_CPU] ? 0 : run->bench->rule.buffer_bytes);
    return 0;
}

/* Contestants with the same number of columns. Too large a one is measured without the others. */
static enum status run_together(struct product_bench *bench, const struct csr *A,
                                const struct product_contestant *contestants, int count,
                                struct product_result *results, struct error *error)
{
    struct run run = {.bench = bench,
                      .table = bench->rule.operation == PRODUCT_SDDMM ? &product_samples
                                                                      : &product_multiply,
                      .A = A,
                      .contestants = contestants,
                      .results = results};
    run.prepared = memory_array(count, sizeof *run.prepared, "the kernels", error);
    if (!run.prepared)
        return STATUS_MEMORY;
    enum status status = run.table->begin(bench, A, contestants->columns, bytes_beside(&run, count),
                                          &run.host, error);
    bool too_large = status == STATUS_MEMORY && contestants->columns > 1;
    for (int k = 0; k < count && too_large; k++)
        skip(&results[k], error->text);
    if (!status)
        status = run_all(&run, count, error);
    run.table->end(&run.host);
    memory_free(run.prepared);
    return too_large ? STATUS_OK : status;
}

enum status product_bench_run(struct product_bench *bench, const struct csr *A,
                              const struct product_contestant *contestants, int count,
                              struct product_result *results, struct error *error)
{
    enum status status = STATUS_OK;
    for (int k = 0; k < count; k++)
        results[k] = (struct product_result){.operation = bench->rule.operation,
                                             .columns = contestants[k].columns};
    for (int begin = 0, end = 0; begin < count && !status; begin = end) {
        while (end < count && contestants[end].columns == contestants[begin].columns)
            end++;
        status = run_together(bench, A, contestants + begin, end - begin, results + begin, error);
    }
    return status;
}
