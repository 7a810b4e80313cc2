#include "io/same_file.h"

#include "base/hash.h"
#include "base/memory.h"
#include "base/threads.h"
#include "io/input_file.h"

#include <pthread.h>
#include <stddef.h>
#include <zlib.h>

enum {
    BLOCK = 1 << 18, /* bytes that have a checksum */
    BLOCKS = 16,     /* of a thread at a time */
};

struct copy {
    uint64_t identity; /* equal: the same file */
    uint64_t sum; /* over the blocks of this rank; then over those of all ranks with this file */
    int64_t failed;
};

static bool all_the_same(const struct copy *all, int count)
{
    for (int r = 1; r < count; r++)
        if (all[r].identity != all[0].identity)
            return false;
    return true;
}

struct summing {
    const struct input_file *file;
    int64_t first, step; /* block number k of these is block first + k step of the file */
    _Atomic uint64_t sum;
    pthread_mutex_t lock;
    enum status status; /* of the last that failed */
    struct error *error;
};

static enum status sum_block(struct summing *summing, int64_t b, unsigned char *bytes,
                             struct error *error)
{
    int64_t left = summing->file->size - b * BLOCK, count = left < BLOCK ? left : BLOCK;
    enum status status = input_read(summing->file, bytes, count, b * BLOCK, error);
    if (!status)
        summing->sum +=
            hash_word(hash_word(HASH_START, (uint64_t)b), crc32_z(0, bytes, (size_t)count));
    return status;
}

static void sum_some(void *context, int64_t begin, int64_t end)
{
    struct summing *summing = context;
    struct error why;
    unsigned char *bytes = memory_array(BLOCK, 1, "a block of a file", &why);
    enum status status = bytes ? STATUS_OK : STATUS_MEMORY;
    for (int64_t k = begin; k < end && !status; k++)
        status = sum_block(summing, summing->first + k * summing->step, bytes, &why);
    memory_free(bytes);
    if (status) {
        pthread_mutex_lock(&summing->lock);
        summing->status = status;
        *summing->error = why;
        pthread_mutex_unlock(&summing->lock);
    }
}

/* *sum = the sum over the blocks number first, first + step, ... of a hash of place and bytes. */
static enum status sum_blocks(const struct input_file *file, int64_t first, int64_t step,
                              uint64_t *sum, struct error *error)
{
    struct summing summing = {.file = file,
                              .first = first,
                              .step = step,
                              .lock = PTHREAD_MUTEX_INITIALIZER,
                              .error = error};
    int64_t blocks = (file->size + BLOCK - 1) / BLOCK;
    threads_take(threads_lent(), (blocks - first + step - 1) / step, BLOCKS, sum_some, &summing);
    *sum = summing.sum;
    return summing.status;
}

/* The ranks with the same file divide its blocks, round-robin. */
static enum status sum_share(const struct exchange *exchange, const char *path,
                             const struct copy *all, uint64_t *sum, struct error *error)
{
    struct input_file file;
    int number = 0, members = 0;
    enum status status = input_open(path, &file, error);
    if (status)
        return status;
    for (int r = 0; r < exchange->count; r++)
        if (all[r].identity == all[exchange->rank].identity) {
            number += r < exchange->rank;
            members++;
        }
    status = sum_blocks(&file, number, members, sum, error);
    input_close(&file);
    return status;
}

static uint64_t sum_of_copy(const struct copy *all, int count, uint64_t identity)
{
    uint64_t sum = 0;
    for (int r = 0; r < count; r++)
        sum += all[r].identity == identity ? all[r].sum : 0;
    return sum;
}

static enum status compare(const struct copy *all, int count, const char *name, struct error *error)
{
    uint64_t first = sum_of_copy(all, count, all[0].identity);
    for (int r = 1; r < count; r++)
        if (all[r].identity != all[0].identity && sum_of_copy(all, count, all[r].identity) != first)
            return error_set(error, STATUS_INPUT, "%s: ranks 0 and %d have not the same file", name,
                             r);
    return STATUS_OK;
}

/* Exchanges the ranks' status; `status` is this rank's. */
static enum status meet(struct exchange *exchange, enum status status, struct copy *own,
                        struct copy *all, bool *meets, struct error *error)
{
    struct error why;
    own->failed = status != STATUS_OK;
    enum status of_all = exchange_gather_each(exchange, own, sizeof *own, all, &why);
    *meets = !of_all;
    for (int r = 0; r < exchange->count && !of_all; r++)
        if (all[r].failed)
            of_all = error_set(&why, STATUS_RANK, "another rank has failed");
    if (status || !of_all)
        return status;
    *error = why;
    return of_all;
}

enum status same_file_check(struct exchange *exchange, const char *path, const char *name,
                            bool *meets, struct error *error)
{
    struct copy own = {0};
    struct copy *all = memory_array(exchange->count, sizeof *all, "the ranks", error);
    *meets = false;
    if (!all)
        return STATUS_MEMORY;
    enum status status = input_identity(path, &own.identity, error);
    status = meet(exchange, status, &own, all, meets, error);
    if (!status && !all_the_same(all, exchange->count)) {
        status = sum_share(exchange, path, all, &own.sum, error);
        status = meet(exchange, status, &own, all, meets, error);
        if (!status)
            status = compare(all, exchange->count, name, error);
    }
    memory_free(all);
    return status;
}
