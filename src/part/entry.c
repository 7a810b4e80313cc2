/* The table of the CUDA part (base/cuda_part.h). The linker puts the entries of all its files next
 * to each other. */
#include "base/cuda_part.h"

#include <stdlib.h>
#include <string.h>

/* By these names the linker tells where its section of entries begins and ends. */
extern __attribute__((visibility("hidden"))) struct cuda_entry __start_cuda_entries[];
extern __attribute__((visibility("hidden"))) struct cuda_entry __stop_cuda_entries[];

static size_t count(void)
{
    return (size_t)(__stop_cuda_entries - __start_cuda_entries);
}

static int compare(const void *a, const void *b)
{
    return strcmp(((const struct cuda_entry *)a)->name, ((const struct cuda_entry *)b)->name);
}

static const struct cuda_entry *find(const char *name)
{
    struct cuda_entry wanted = {.name = name};
    return bsearch(&wanted, __start_cuda_entries, count(), sizeof wanted, compare);
}

/* Before any thread can ask. */
__attribute__((constructor)) static void sort(void)
{
    qsort(__start_cuda_entries, count(), sizeof *__start_cuda_entries, compare);
}

const struct cuda_part *cgsolve_cuda_part(void)
{
    static const struct cuda_part part = {sizeof part, CGSOLVE_VERSION, CGSOLVE_CUDA_BUILD, find};
    return &part;
}
