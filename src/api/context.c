#include "api/exchange.h"
#include "api/handles.h"
#include "api/ranks.h"
#include "base/hash.h"
#include "base/memory.h"
#include "component/plugin.h"

#include <pthread.h>
#include <unistd.h>

const char *cgs_version(void)
{
    return CGSOLVE_VERSION;
}

enum cgs_status cgs_load(const char *path, struct cgs_error *error)
{
    return path ? api_status(plugin_load(path, NULL, api_error(error)))
                : api_missing("the path of a plug-in", error);
}

static atomic_bool is_ending;
static pthread_t ending_thread;

void cgs_end_callbacks(void)
{
    ending_thread = pthread_self();
    atomic_store(&is_ending, true);
}

void api_before_callback(void)
{
    while (atomic_load(&is_ending) && !pthread_equal(pthread_self(), ending_thread))
        pause();
}

static enum status check(const struct cgs_context_options *options, struct error *error)
{
    enum { THREADS_MOST = 4096 };
    if (options->place != CGS_CPU && options->place != CGS_CUDA)
        return error_set(error, STATUS_CONFIG, "a context has the place %d, which is none",
                         (int)options->place);
    if (options->threads < 0 || options->threads > THREADS_MOST)
        return error_set(error, STATUS_CONFIG, "threads = %d of a context must be from 0 to %d",
                         options->threads, (int)THREADS_MOST);
    if (options->called != 0 && options->called != 1)
        return error_set(error, STATUS_CONFIG, "called = %d of a context must be 0 or 1",
                         options->called);
    return STATUS_OK;
}

enum status api_space(const struct cgs_context *context, enum reductions reductions, int threads,
                      int64_t rows, struct space **space, struct error *error)
{
    struct space_options options = {.reductions = reductions,
                                    .threads = threads,
                                    .device = context->device,
                                    .called = context->called,
                                    .exchange = rows > 0 ? context->exchange : NULL,
                                    .rows = rows};
    return space_create(context->place, &options, space, error);
}

/* One rank is alone. */
static enum status take_exchange(const struct cgs_context_options *options,
                                 struct cgs_context *made, struct error *error)
{
    enum status status = options->exchange
                             ? api_exchange_create(options->exchange, &made->exchange, error)
                             : STATUS_OK;
    if (!status && made->exchange && made->exchange->count == 1) {
        api_exchange_destroy(made->exchange);
        made->exchange = NULL;
    }
    return status;
}

/* What it is, and its space. */
static enum status set_up(const struct cgs_context_options *options, struct cgs_context *made,
                          struct error *error)
{
    enum status status = check(options, error);
    if (!status && made->exchange && options->place == CGS_CUDA)
        status = error_set(error, STATUS_UNAVAILABLE,
                           "a context of several ranks is on the CPU, and not on CUDA");
    made->place = options->place == CGS_CUDA ? SPACE_CUDA : SPACE_CPU;
    made->threads = options->threads;
    made->device = options->device;
    made->stream = options->stream;
    made->called = options->called;
    if (!status)
        status = api_space(made, REDUCTIONS_REPRODUCIBLE, 1, 0, &made->space, error);
    return api_ranks_agree(made, status, "version of cgsolve",
                           hash_text(HASH_START, CGSOLVE_VERSION), error);
}

static void destroy(struct cgs_context *context)
{
    if (context->space)
        context->space->operations->destroy(context->space);
    api_exchange_destroy(context->exchange);
    memory_free(context);
}

static enum status create(const struct cgs_context_options *options, struct cgs_context **context,
                          struct error *error)
{
    struct cgs_context_options own = {0};
    enum status status = STATUS_OK;
    if (options)
        status = api_struct("cgs_context_options", options, options->size, sizeof options->size,
                            &own, sizeof own, error);
    if (status)
        return status;
    struct cgs_context *made = memory_zeros(1, sizeof *made, "a context", error);
    if (!made)
        return STATUS_MEMORY;
    status = take_exchange(&own, made, error);
    if (!status)
        status = set_up(&own, made, error);
    if (status)
        destroy(made);
    else
        *context = made;
    return status;
}

void api_matrix_begin(struct cgs_context *context, struct cgs_matrix *matrix)
{
    atomic_fetch_add(&context->at_work, 1);
    if (matrix)
        atomic_fetch_add(&matrix->at_work, 1);
}

void api_matrix_end(struct cgs_context *context, struct cgs_matrix *matrix)
{
    atomic_fetch_sub(&context->at_work, 1);
    if (matrix)
        atomic_fetch_sub(&matrix->at_work, 1);
}

enum cgs_status cgs_context_create(const struct cgs_context_options *options,
                                   struct cgs_context **context, struct cgs_error *error)
{
    if (!context)
        return api_missing("the pointer to a context", error);
    *context = NULL;
    return api_status(create(options, context, api_error(error)));
}

void cgs_context_destroy(struct cgs_context *context)
{
    if (!context || atomic_load(&context->at_work) > 0)
        return;
    destroy(context);
}

void cgs_empty_cache(void)
{
    space_empty_cache();
}
