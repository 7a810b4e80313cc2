#include "space/rows.h"

#include "base/cuda_part.h"
#include "base/memory.h"
#include "base/threads.h"

#include <string.h>

static bool is_cuda(const struct space *space)
{
    return space && space->operations->kind == SPACE_CUDA;
}

enum status rows_array(struct space *space, int64_t count, size_t size, const char *what,
                       void **array, struct error *error)
{
    if (space)
        return space->operations->allocate(space, count, size, what, array, error);
    *array = memory_array(count, size, what, error);
    return *array ? STATUS_OK : STATUS_MEMORY;
}

void rows_release(struct space *space, void *array)
{
    if (space)
        space_release(space, array);
    else
        memory_free(array);
}

enum status rows_download(struct space *space, int64_t bytes, const void *array, void *host,
                          struct error *error)
{
    if (space)
        return space->operations->download(space, bytes, array, host, error);
    memcpy(host, array, (size_t)bytes);
    return STATUS_OK;
}

enum status rows_upload(struct space *space, int64_t bytes, const void *host, void *array,
                        struct error *error)
{
    if (space)
        return space->operations->upload(space, bytes, host, array, error);
    memcpy(array, host, (size_t)bytes);
    return STATUS_OK;
}

enum status rows_copy(struct space *space, int64_t bytes, const void *from, void *to,
                      struct error *error)
{
    if (is_cuda(space))
        return CUDA_PART(rows_copy_cuda)(space, bytes, from, to, error);
    memcpy(to, from, (size_t)bytes);
    return STATUS_OK;
}

struct running {
    const struct pass *pass;
    const void *work;
};

static void run_elements(void *context, int64_t begin, int64_t end)
{
    const struct running *running = context;
    running->pass->make(running->work, begin, end);
}

enum status rows_run(struct space *space, const struct pass *pass, int64_t n, const void *work,
                     struct error *error)
{
    if (n > 0 && is_cuda(space))
        return space_run(space, pass, n, work, error);
    threads_each(threads_lent(), n, run_elements, &(struct running){pass, work});
    return STATUS_OK;
}

enum status rows_scan(struct space *space, int64_t n, int64_t *sums, struct error *error)
{
    if (is_cuda(space))
        return CUDA_PART(rows_scan_cuda)(space, n, sums, error);
    for (int64_t i = 0; i < n; i++)
        sums[i + 1] += sums[i];
    return STATUS_OK;
}

struct sorting {
    int64_t count;
    const int32_t *keys;
    uint32_t *next; /* the next place for each key */
    uint32_t *order;
};

/* A thread owns the keys begin <= key < end, and reads all elements in order, so no two threads
 * write to the same place. */
static void count_keys(void *context, int64_t begin, int64_t end)
{
    const struct sorting *by = context;
    memset(by->next + begin + 1, 0, (size_t)(end - begin) * sizeof *by->next);
    for (int64_t k = 0; k < by->count; k++)
        if (by->keys[k] >= begin && by->keys[k] < end)
            by->next[by->keys[k] + 1]++;
}

static void place_elements(void *context, int64_t begin, int64_t end)
{
    const struct sorting *by = context;
    for (int64_t k = 0; k < by->count; k++)
        if (by->keys[k] >= begin && by->keys[k] < end)
            by->order[by->next[by->keys[k]]++] = (uint32_t)k;
}

enum status rows_sort(struct space *space, int64_t count, const int32_t *keys, int64_t most,
                      uint32_t *order, uint32_t *offsets, struct error *error)
{
    if (is_cuda(space))
        return CUDA_PART(rows_sort_cuda)(space, count, keys, most, order, offsets, error);
    struct sorting by = {count, keys, offsets + 1, order};
    offsets[0] = by.next[0] = 0;
    threads_each(threads_lent(), most, count_keys, &by);
    for (int64_t j = 0; j < most; j++)
        by.next[j + 1] += by.next[j];
    threads_each(threads_lent(), most, place_elements, &by);
    return STATUS_OK;
}
