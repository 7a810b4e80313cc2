/* The list of a CUDA part's entries, and its look-up. The part has a copy of this file. */
#include "base/cuda_part.h"

#include <string.h>

enum { LISTS = 64 };

static struct cuda_entry *lists[LISTS];
static bool any;

static struct cuda_entry **list_of(const char *name)
{
    unsigned hash = 0;
    for (; *name; name++)
        hash = 31 * hash + (unsigned char)*name;
    return &lists[hash % LISTS];
}

void cuda_entry_put(struct cuda_entry *entry)
{
    struct cuda_entry **list = list_of(entry->name);
    entry->next = *list;
    *list = entry;
    any = true;
}

const struct cuda_entry *cuda_entry_find(const char *name)
{
    const struct cuda_entry *entry = *list_of(name);
    while (entry && strcmp(entry->name, name) != 0)
        entry = entry->next;
    return entry;
}

bool cuda_entries_are_here(void)
{
    return any;
}

static const struct cuda_entry *find(const char *name)
{
    const struct cuda_part *part = cuda_part();
    return part ? part->find(name) : NULL;
}

cuda_function *cuda_part_function(const char *name)
{
    const struct cuda_entry *entry = find(name);
    return entry ? entry->function : NULL;
}

const void *cuda_part_constant(const char *name)
{
    const struct cuda_entry *entry = find(name);
    return entry ? entry->constant : NULL;
}
