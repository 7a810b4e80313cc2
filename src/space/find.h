/* A look at each of n elements finds two maxima of doubles and a sum of integers. These need no
 * order, so every space finds the same. A look may also write its element of a vector. It is
 * written once for CPU and GPU. For a look NAME that works on a struct WORK (addresses; a GPU takes
 * it by value) a .c file that includes space/define_pass.h has
 *
 *     FIND_AT(NAME, WORK) {...}               looks at element i, and updates *found
 *     FIND(CONSTANT, NAME, WORK, "for messages")
 *
 * and a header FIND_DECLARE(CONSTANT). The names that a body finds are work, i and found. */
#ifndef SPACE_FIND_H
#define SPACE_FIND_H

#include "base/status.h"
#include "space/elements.h"

#include <math.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct space;

struct found {
    double most[2];
    uint64_t sum;
};
#define FOUND_NOTHING                                                                              \
    {                                                                                              \
        {-INFINITY, -INFINITY}, 0                                                                  \
    }

/* most[k] = max(most[k], value); ignores a NaN. */
PASS_FUNCTION void found_most(struct found *found, int k, double value)
{
    if (value > found->most[k])
        found->most[k] = value;
}

struct find {
    const char *name; /* for messages */
    void (*look)(const void *work, int64_t begin, int64_t end, struct found *found);
    const char *cuda; /* the name of a find_launcher in the CUDA part (space/cuda/cuda_find.cuh) */
};

/* *found of all n elements, of arrays in the memory of the space; NULL: of the host, by the lent
 * team (base/threads.h). Errors: STATUS_MEMORY, STATUS_DEVICE, STATUS_UNAVAILABLE (it has no form
 * for a GPU); none on the host. */
enum status space_find(struct space *space, const struct find *find, int64_t n, const void *work,
                       struct found *found, struct error *error);

/* Several looks, found[count]: the host waits for a device once. Errors: likewise. */
struct finding {
    const struct find *find;
    int64_t n;
    const void *work;
};
enum { FINDINGS_MOST = 4 };
enum status space_find_all(struct space *space, int count, const struct finding *findings,
                           struct found *found, struct error *error);

/* The same on a device, in the CUDA part. */
enum status cuda_find_all(struct space *space, int count, const struct finding *findings,
                          struct found *found, struct error *error);

#define FIND_AT(name, work_type)                                                                   \
    PASS_FUNCTION void name##_look_at(const struct work_type *work, int64_t i,                     \
                                      struct found *found PASS_UNUSED)

#ifdef __cplusplus
#define FIND_DECLARE(constant) extern "C" const struct find constant
}
#else
#define FIND_DECLARE(constant) extern const struct find constant
#endif
#endif
