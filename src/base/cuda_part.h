/* The CUDA part: the functions of the .cu files. Other files find them by name. So the other files
 * are the same with and without CUDA, and link to no CUDA code. The part is a shared object,
 * libcgsolve_cuda.so, that the program or the library loads when it first asks for something in it.
 *
 *     CUDA_PUT(rank_halo_cuda_create)               beside the function, in a .cu file
 *     CUDA_PART(rank_halo_cuda_create)(ranks, ...)  a call of it; the function is declared in a
 *                                                   header as any other
 *
 * If a space of a CUDA device exists, the part is loaded. Otherwise CUDA_PART may be NULL.
 *
 * A program with linked .cu files, such as the test suites, has their entries itself, and loads
 * nothing. */
#ifndef BASE_CUDA_PART_H
#define BASE_CUDA_PART_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef void cuda_function(void); /* a function of any type: the caller casts it */

struct cuda_entry {
    const char *name;
    cuda_function *function;
    const void *constant;
    struct cuda_entry *next; /* of the list that it is in */
};

/* Every version begins with the first two members. */
struct cuda_part {
    size_t size;         /* of this struct */
    const char *version; /* CUDA_PART_VERSION of its build */
    const char *built;   /* by which CUDA, for which GPUs: "13.0, sm_90" */
    const struct cuda_entry *(*find)(const char *name); /* NULL: none has that name */
};

/* NULL: no part was found. cuda_part_missing() says why, or that the part lacks something;
 * static. */
const struct cuda_part *cuda_part(void);
const char *cuda_part_missing(void);

/* NULL: no part, or no such name in it. */
cuda_function *cuda_part_function(const char *name);
const void *cuda_part_constant(const char *name);

#define CUDA_PART(function) ((__typeof__(&(function)))cuda_part_function(#function))
#define CUDA_PART_CONSTANT(constant) ((__typeof__(&(constant)))cuda_part_constant(#constant))

/* Before main, or while the part is loaded. */
void cuda_entry_put(struct cuda_entry *entry);
const struct cuda_entry *cuda_entry_find(const char *name);
bool cuda_entries_are_here(void); /* some have been put */

#define CUDA_PUT(function) CUDA_ENTRY(function, (cuda_function *)function, NULL)
#define CUDA_PUT_CONSTANT(constant) CUDA_ENTRY(constant, NULL, &constant)
#define CUDA_ENTRY(its, its_function, its_constant)                                                \
    __attribute__((constructor, used)) static void its##_put(void)                                 \
    {                                                                                              \
        static struct cuda_entry entry = {#its, its_function, its_constant, NULL};                 \
        cuda_entry_put(&entry);                                                                    \
    }

#ifdef __cplusplus
}
#endif
#endif
