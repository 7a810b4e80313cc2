/* The CUDA part as a file (base/cuda_part.h): its one entry, and the functions of its host
 * (base/cuda_host.h) by the names that its other files call them by. */
#include "base/cuda_host.h"

static const struct cuda_host *host;

static const struct cuda_part part = {sizeof part, CUDA_PART_VERSION, CGSOLVE_CUDA_BUILD,
                                      cuda_entry_find};

__attribute__((visibility("default"))) cuda_part_entry cgsolve_cuda_part;

const struct cuda_part *cgsolve_cuda_part(const struct cuda_host *given)
{
    if (!host)
        host = given;
    return host == given ? &part : NULL;
}

const struct cuda_part *cuda_part(void)
{
    return &part;
}

const char *cuda_part_missing(void)
{
    return "";
}

/* ---- base/memory.h --------------------------------------------------------------------------- */

void *memory_array(int64_t count, size_t size, const char *what, struct error *error)
{
    return host->memory_array(count, size, what, error);
}

void *memory_zeros(int64_t count, size_t size, const char *what, struct error *error)
{
    return host->memory_zeros(count, size, what, error);
}

void *memory_room(int64_t count, size_t size, const char *what, struct error *error)
{
    return host->memory_room(count, size, what, error);
}

void memory_room_free(void *room, int64_t count, size_t size)
{
    host->memory_room_free(room, count, size);
}

enum status memory_grow(void **array, int64_t *capacity, int64_t needed, size_t size,
                        const char *what, struct error *error)
{
    return host->memory_grow(array, capacity, needed, size, what, error);
}

enum status memory_fits(double bytes, const char *what, struct error *error)
{
    return host->memory_fits(bytes, what, error);
}

void memory_free(void *array)
{
    host->memory_free(array);
}

/* ---- base/threads.h -------------------------------------------------------------------------- */

enum status threads_create(int threads, struct threads **made, struct error *error)
{
    return host->threads_create(threads, made, error);
}

void threads_destroy(struct threads *threads)
{
    host->threads_destroy(threads);
}

int threads_count(const struct threads *threads)
{
    return host->threads_count(threads);
}

struct threads *threads_lend(struct threads *team)
{
    return host->threads_lend(team);
}

struct threads *threads_lent(void)
{
    return host->threads_lent();
}

void threads_each(struct threads *threads, int64_t count, threads_body *body, void *context)
{
    host->threads_each(threads, count, body, context);
}

void threads_take(struct threads *threads, int64_t count, int64_t piece, threads_body *body,
                  void *context)
{
    host->threads_take(threads, count, piece, body, context);
}
