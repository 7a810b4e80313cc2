#include "precondition/multigrid/setup/aggregates.h"

#include "space/rows.h"

#include <string.h>

enum status aggregates_list(struct aggregates *a, struct error *error)
{
    static const char what[] = "the aggregates";
    struct space *space = a->space;
    int64_t room = a->count + 2;
    enum status status =
        rows_array(space, room, sizeof *a->offsets, what, (void **)&a->offsets, error);
    if (!status)
        status = rows_array(space, a->n, sizeof *a->members, what, (void **)&a->members, error);
    if (!status)
        status = rows_sort(space, a->n, a->map, a->count, (uint32_t *)a->members,
                           (uint32_t *)a->offsets, error); /* n < 2^31 */
    if (status) {
        rows_release(space, a->offsets);
        rows_release(space, a->members);
        a->offsets = a->members = NULL;
    }
    return status;
}

enum status aggregates_members(const struct aggregates *a, int64_t *members, struct error *error)
{
    int32_t count = 0;
    enum status status =
        rows_download(a->space, sizeof count, a->offsets + a->count, &count, error);
    *members = count;
    return status;
}

void aggregates_free(struct aggregates *a)
{
    rows_release(a->space, a->map);
    rows_release(a->space, a->offsets);
    rows_release(a->space, a->members);
    memset(a, 0, sizeof *a);
}

void passes_free(struct passes *passes)
{
    for (int p = 0; p < passes->count; p++)
        aggregates_free(&passes->of[p]);
    passes->count = 0;
}
