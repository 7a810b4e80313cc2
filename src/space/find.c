#include "space/find.h"

#include "base/cuda_part.h"
#include "base/threads.h"
#include "space/space.h"

struct finding {
    const struct find *find;
    const void *work;
    struct found found;
};

static void look(void *context, int64_t begin, int64_t end)
{
    struct finding *finding = context;
    struct found own = {{-INFINITY, -INFINITY}, 0};
    finding->find->look(finding->work, begin, end, &own);
    for (int k = 0; k < 2; k++)
        ATOMIC_MOST(&finding->found.most[k], own.most[k]);
    ATOMIC_ADD(&finding->found.sum, own.sum);
}

enum status space_find(struct space *space, const struct find *find, int64_t n, const void *work,
                       struct found *found, struct error *error)
{
    if (n > 0 && space && space->operations->kind == SPACE_CUDA) {
        find_launcher *launch = (find_launcher *)cuda_part_function(find->cuda);
        space_enter(space);
        return launch
                   ? launch(space, find, n, work, found, error)
                   : error_set(error, STATUS_UNAVAILABLE, "%s does not run on a GPU", find->name);
    }
    struct finding finding = {find, work, {{-INFINITY, -INFINITY}, 0}};
    threads_each(threads_lent(), n, look, &finding);
    *found = finding.found;
    return STATUS_OK;
}
