/* The CUDA part: what the .cu files have for the other files, which find it by its name. So these
 * are the same with and without CUDA, and link to nothing of it.
 *
 *     CUDA_PUT(rank_halo_cuda_create)               beside the function, in a .cu file
 *     CUDA_PART(rank_halo_cuda_create)(ranks, ...)  a call of it; the function is declared in a
 *                                                   header as any other
 *
 * Where there is a space of a CUDA device, there is the part. Elsewhere CUDA_PART is NULL. */
#ifndef BASE_CUDA_PART_H
#define BASE_CUDA_PART_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef void cuda_function(void); /* one of any type, which a caller casts it to */

struct cuda_entry {
    const char *name;
    cuda_function *function;
    const void *constant;
};

struct cuda_part {
    size_t size;         /* of this struct */
    const char *version; /* of the sources */
    const char *built;   /* by which CUDA, for which GPUs: "13.0, sm_90" */
    const struct cuda_entry *(*find)(const char *name); /* NULL: none has that name */
};

/* The part's own; absent in a program that it is not linked into. */
const struct cuda_part *cgsolve_cuda_part(void);

/* NULL: there is none, and cuda_part_missing() says why; static. */
const struct cuda_part *cuda_part(void);
const char *cuda_part_missing(void);

/* NULL: there is no part, or nothing of that name in it. */
cuda_function *cuda_part_function(const char *name);
const void *cuda_part_constant(const char *name);

#define CUDA_PART(function) ((__typeof__(&(function)))cuda_part_function(#function))
#define CUDA_PART_CONSTANT(constant) ((__typeof__(&(constant)))cuda_part_constant(#constant))

/* The entries lie together in the part, where part/entry.c finds them. */
#define CUDA_PUT(function) CUDA_ENTRY(function, (cuda_function *)function, NULL)
#define CUDA_PUT_CONSTANT(constant) CUDA_ENTRY(constant, NULL, &constant)
#define CUDA_ENTRY(its, its_function, its_constant)                                                \
    __attribute__((section("cuda_entries"), used,                                                  \
                   aligned(sizeof(void *)))) static struct cuda_entry its##_entry = {              \
        #its, its_function, its_constant};

#ifdef __cplusplus
}
#endif
#endif
