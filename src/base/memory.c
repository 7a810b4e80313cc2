#include "base/memory.h"

#include "base/limits.h"
#include "base/text.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

enum { ALIGNMENT = 64 };

/* From this size on, an array is aligned to 2 MB, and may have pages of 2 MB: fewer TLB misses in
 * products with large vectors. */
enum { LARGE = 1 << 23, LARGE_PAGE = 1 << 21 };

static _Atomic int64_t successes_left = -1;
static _Atomic int64_t live;

static _Atomic int64_t taken; /* bytes of all live arrays */
static _Atomic int64_t spare; /* bytes that may be taken before the available memory is read
                                 again */
static double held_besides;   /* resident bytes of the process besides the arrays, at the first
                                 reading */
static pthread_once_t first_look = PTHREAD_ONCE_INIT;

void memory_fail_after(int64_t successes)
{
    atomic_store(&successes_left, successes);
}

int64_t memory_live(void)
{
    return atomic_load(&live);
}

void memory_live_reset(void)
{
    atomic_store(&live, 0);
}

/* True if a test makes this allocation fail; counts down otherwise. */
static bool refused(void)
{
    int64_t left = atomic_load(&successes_left);
    while (left > 0)
        if (atomic_compare_exchange_weak(&successes_left, &left, left - 1))
            return false;
    return left == 0;
}

static void *aligned(size_t bytes)
{
    size_t alignment = bytes < LARGE ? ALIGNMENT : LARGE_PAGE;
    size_t rounded = (bytes + alignment - 1) / alignment * alignment;
    void *array = aligned_alloc(alignment, rounded > 0 ? rounded : alignment);
#ifdef MADV_HUGEPAGE
    if (array && bytes >= LARGE)
        madvise(array, rounded, MADV_HUGEPAGE); /* a hint: nothing depends on it */
#endif
    return array;
}

static void *room(size_t bytes)
{
    void *made = mmap(NULL, bytes > 0 ? bytes : 1, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (made == MAP_FAILED)
        return NULL;
#ifdef MADV_HUGEPAGE
    if (bytes >= LARGE)
        madvise(made, bytes, MADV_HUGEPAGE);
#endif
    return made;
}

static int64_t usable(void *array)
{
#ifdef __GLIBC__
    return (int64_t)malloc_usable_size(array);
#else
    (void)array;
    return 0;
#endif
}

/* --- how much there may be ------------------------------------------------------------------- */

static void measure_held(void)
{
    double held = memory_held() - (double)atomic_load(&taken);
    held_besides = held > 0 ? held : 0;
}

/* The system still counts the memory of an unfilled array as available. Stacks, page tables and
 * libraries take some more. */
static struct memory_left look(void)
{
    enum { LIBRARIES = 1 << 21 };
    struct memory_left left = memory_left("");
    left.bytes -= LIBRARIES;
    double to_come = (double)atomic_load(&taken) + held_besides - memory_held();
    if (to_come > 0)
        left.bytes -= to_come;
    return left;
}

enum status memory_fits(double bytes, const char *what, struct error *error)
{
    enum { SMALL = 64 };
    if (bytes <= (double)atomic_load(&spare) / SMALL)
        return STATUS_OK;
    pthread_once(&first_look, measure_held);
    struct memory_left left = look();
#ifdef __GLIBC__
    /* The process may still hold freed memory, which hides unfilled arrays. */
    if (bytes > left.bytes / 2 && malloc_trim(0))
        left = look();
#endif
    if (bytes <= left.bytes) {
        atomic_store(&spare, (int64_t)((left.bytes - bytes) / 2));
        return STATUS_OK;
    }
    atomic_store(&spare, 0);
    char needed[TEXT_BYTES], available[TEXT_BYTES];
    return error_set(error, STATUS_MEMORY, "out of memory: %s needs %s, %s %s left", what,
                     text_bytes(needed, bytes), left.has,
                     text_bytes(available, left.bytes > 0 ? left.bytes : 0));
}

/* memory_fits for the next array. */
static enum status take(size_t bytes, const char *what, struct error *error)
{
    atomic_fetch_sub(&spare, (int64_t)bytes);
    return memory_fits((double)bytes, what, error);
}

/* --- arrays ----------------------------------------------------------------------------------- */

static void *make(void *maker(size_t bytes), int64_t count, size_t size, const char *what,
                  struct error *error)
{
    if (count < 0 || (size > 0 && (uint64_t)count > (SIZE_MAX / 2 - LARGE_PAGE) / size)) {
        error_set(error, STATUS_MEMORY,
                  "out of memory: %s needs %" PRId64 " elements of %zu bytes, more than can be "
                  "addressed",
                  what, count, size);
        return NULL;
    }
    size_t bytes = (size_t)count * size;
    bool fails = refused(); /* first, so that tests count the same on every system */
    if (!fails && maker == aligned && take(bytes, what, error))
        return NULL;
    void *array = fails ? NULL : maker(bytes);
    if (array)
        atomic_fetch_add(&live, 1);
    if (array && maker == aligned)
        atomic_fetch_add(&taken, usable(array));
    if (!array)
        error_set(error, STATUS_MEMORY, "out of memory: %s needs %zu bytes", what, bytes);
    return array;
}

void *memory_array(int64_t count, size_t size, const char *what, struct error *error)
{
    return make(aligned, count, size, what, error);
}

void *memory_room(int64_t count, size_t size, const char *what, struct error *error)
{
    return make(room, count, size, what, error);
}

void memory_room_free(void *made, int64_t count, size_t size)
{
    if (!made)
        return;
    atomic_fetch_sub(&live, 1);
    size_t bytes = (size_t)count * size;
    munmap(made, bytes > 0 ? bytes : 1);
}

void *memory_zeros(int64_t count, size_t size, const char *what, struct error *error)
{
    void *array = memory_array(count, size, what, error);
    if (array)
        memset(array, 0, (size_t)count * size);
    return array;
}

char *memory_text(const char *text, const char *what, struct error *error)
{
    return memory_text_part(text, (int64_t)strlen(text), what, error);
}

char *memory_text_part(const char *text, int64_t length, const char *what, struct error *error)
{
    char *copy = memory_array(length + 1, 1, what, error);
    if (copy) {
        memcpy(copy, text, (size_t)length);
        copy[length] = '\0';
    }
    return copy;
}

enum status memory_grow(void **array, int64_t *capacity, int64_t needed, size_t size,
                        const char *what, struct error *error)
{
    if (needed <= *capacity)
        return STATUS_OK;
    int64_t wanted = *capacity + *capacity / 2;
    if (wanted < needed)
        wanted = needed;
    if (wanted < 16)
        wanted = 16;
    void *grown = memory_array(wanted, size, what, error);
    if (!grown)
        return STATUS_MEMORY;
    if (*array)
        memcpy(grown, *array, (size_t)*capacity * size);
    memory_free(*array);
    *array = grown;
    *capacity = wanted;
    return STATUS_OK;
}

void memory_free(void *array)
{
    if (!array)
        return;
    atomic_fetch_sub(&live, 1);
    atomic_fetch_sub(&taken, usable(array));
    free(array);
}
