/* What the CUDA part takes of the program or library that loads it: the functions of base/memory.h
 * and base/threads.h, which have a state. It has copies of the other functions that it calls. So it
 * needs no symbol of its host, which may be a program, a shared library or a plug-in of another
 * program. */
#ifndef BASE_CUDA_HOST_H
#define BASE_CUDA_HOST_H

#include "base/cuda_part.h"
#include "base/memory.h"
#include "base/threads.h"

#define CUDA_HOST_FUNCTIONS(DO)                                                                    \
    DO(memory_array)                                                                               \
    DO(memory_zeros)                                                                               \
    DO(memory_room)                                                                                \
    DO(memory_room_free)                                                                           \
    DO(memory_grow)                                                                                \
    DO(memory_fits)                                                                                \
    DO(memory_free)                                                                                \
    DO(threads_create)                                                                             \
    DO(threads_destroy)                                                                            \
    DO(threads_count)                                                                              \
    DO(threads_lend)                                                                               \
    DO(threads_lent)                                                                               \
    DO(threads_each)                                                                               \
    DO(threads_take)

struct cuda_host {
#define MEMBER(function) __typeof__(&(function)) function;
    CUDA_HOST_FUNCTIONS(MEMBER)
#undef MEMBER
};

/* The only symbol that the part exports. NULL: another host in this process uses the part. */
typedef const struct cuda_part *cuda_part_entry(const struct cuda_host *host);

#endif
