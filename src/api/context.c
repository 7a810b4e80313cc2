#include "api/handles.h"
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

static atomic_bool ends;
static pthread_t ends_by;

void cgs_end_callbacks(void)
{
    ends_by = pthread_self();
    atomic_store(&ends, true);
}

void api_before_callback(void)
{
    while (atomic_load(&ends) && !pthread_equal(pthread_self(), ends_by))
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
                      struct space **space, struct error *error)
{
    struct space_options options = {.reductions = reductions,
                                    .threads = threads,
                                    .device = context->device,
                                    .called = context->called};
    return space_create(context->place, &options, space, error);
}

static enum status create(const struct cgs_context_options *options, struct cgs_context **context,
                          struct error *error)
{
    struct cgs_context_options own = {0};
    enum status status = STATUS_OK;
    if (options)
        status = api_struct("cgs_context_options", options, options->size, sizeof options->size,
                            &own, sizeof own, error);
    if (!status)
        status = check(&own, error);
    if (status)
        return status;
    struct cgs_context *made = memory_zeros(1, sizeof *made, "a context", error);
    if (!made)
        return STATUS_MEMORY;
    made->place = own.place == CGS_CUDA ? SPACE_CUDA : SPACE_CPU;
    made->threads = own.threads;
    made->device = own.device;
    made->stream = own.stream;
    made->called = own.called;
    status = api_space(made, REDUCTIONS_REPRODUCIBLE, 1, &made->space, error);
    if (status)
        memory_free(made);
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
    context->space->operations->destroy(context->space);
    memory_free(context);
}

void cgs_empty_cache(void)
{
    space_empty_cache();
}
