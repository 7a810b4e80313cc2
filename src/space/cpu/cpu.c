/* The space of the host's memory. Recorded work is called at each replay. Passes run in cpu_run.c
 * and cpu_columns.c. */
#include "space/cpu/cpu.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/threads.h"

#include <string.h>

static enum status cpu_fits(struct space *space, int64_t bytes, const char *what,
                            struct error *error)
{
    (void)space;
    return memory_fits((double)bytes, what, error);
}

static enum status cpu_allocate(struct space *space, int64_t count, size_t size, const char *what,
                                void **memory, struct error *error)
{
    (void)space;
    *memory = memory_array(count, size, what, error);
    return *memory ? STATUS_OK : STATUS_MEMORY;
}

static void cpu_release(struct space *space, void *memory)
{
    (void)space;
    memory_free(memory);
}

static enum status cpu_upload(struct space *space, int64_t bytes, const void *host, void *memory,
                              struct error *error)
{
    (void)space;
    (void)error;
    memcpy(memory, host, (size_t)bytes);
    return STATUS_OK;
}

static enum status cpu_download(struct space *space, int64_t bytes, const void *memory, void *host,
                                struct error *error)
{
    return cpu_upload(space, bytes, memory, host, error);
}

static enum status cpu_allocate_shared(struct space *space, int64_t bytes, const char *what,
                                       void **shared, struct error *error)
{
    (void)space;
    *shared = memory_zeros(bytes, 1, what, error);
    return *shared ? STATUS_OK : STATUS_MEMORY;
}

static void cpu_release_shared(struct space *space, void *shared)
{
    (void)space;
    memory_free(shared);
}

static enum status cpu_record(struct space *space, space_work *work, void *context, int times,
                              struct error *error)
{
    (void)error;
    space_cpu_of(space)->work = work;
    space_cpu_of(space)->context = context;
    space_cpu_of(space)->times = times;
    return STATUS_OK;
}

static enum status cpu_replay(struct space *space, struct error *error)
{
    const struct space_cpu *cpu = space_cpu_of(space);
    enum status status = STATUS_OK;
    for (int k = 0; k < cpu->times && !status; k++)
        status = cpu->work(cpu->context, error);
    return status;
}

static enum status cpu_replay_timed(struct space *space, int64_t times, double *seconds,
                                    struct error *error)
{
    double begin = clock_seconds();
    enum status status = STATUS_OK;
    for (int64_t k = 0; k < times && !status; k++)
        status = cpu_replay(space, error);
    *seconds = clock_seconds() - begin;
    return status;
}

static void cpu_forget(struct space *space)
{
    space_cpu_of(space)->times = 0;
}

/* All work is synchronous. */
static int cpu_replay_times(const struct space *space, int64_t n)
{
    (void)space;
    (void)n;
    return 1;
}

static enum status cpu_poll(struct space *space, struct error *error)
{
    (void)space;
    (void)error;
    return STATUS_OK;
}

static void cpu_destroy(struct space *space)
{
    if (!space)
        return;
    threads_destroy(space->threads);
    memory_free(space_cpu_of(space)->tiles);
    memory_free(space_cpu_of(space)->sums);
    memory_free(space_cpu_of(space)->column);
    memory_free(space);
}

static const struct space_operations cpu_operations = {
    .name = "cpu",
    .kind = SPACE_CPU,
    .fits = cpu_fits,
    .allocate = cpu_allocate,
    .release = cpu_release,
    .upload = cpu_upload,
    .download = cpu_download,
    .run = cpu_run,
    .run_columns = cpu_run_columns,
    .allocate_shared = cpu_allocate_shared,
    .release_shared = cpu_release_shared,
    .record = cpu_record,
    .replay = cpu_replay,
    .replay_timed = cpu_replay_timed,
    .forget = cpu_forget,
    .replay_times = cpu_replay_times,
    .poll = cpu_poll,
    .destroy = cpu_destroy,
};

enum status space_cpu_create(const struct space_options *options, struct space **space,
                             struct error *error)
{
    *space = NULL;
    struct space_cpu *cpu = memory_zeros(1, sizeof *cpu, "the CPU space", error);
    if (!cpu)
        return STATUS_MEMORY;
    cpu->base = (struct space){.operations = &cpu_operations, .reductions = options->reductions};
    enum status status = threads_create(options->threads, &cpu->base.threads, error);
    if (!status && options->reductions == REDUCTIONS_BLAS)
        status = blas_open(blas_names, &cpu->blas, error);
    if (status)
        cpu_destroy(&cpu->base);
    else
        *space = &cpu->base;
    return status;
}
