#include "space/find.h"

#include "base/cuda_part.h"
#include "base/threads.h"
#include "space/space.h"

struct looking {
    const struct finding *finding;
    struct found found;
};

static void look(void *context, int64_t begin, int64_t end)
{
    struct looking *looking = context;
    struct found own = FOUND_NOTHING;
    looking->finding->find->look(looking->finding->work, begin, end, &own);
    for (int k = 0; k < 2; k++)
        ATOMIC_MOST(&looking->found.most[k], own.most[k]);
    ATOMIC_ADD(&looking->found.sum, own.sum);
}

enum status space_find_all(struct space *space, int count, const struct finding *findings,
                           struct found *found, struct error *error)
{
    if (space && space->operations->kind == SPACE_CUDA) {
        space_enter(space);
        return CUDA_PART(cuda_find_all)(space, count, findings, found, error);
    }
    for (int k = 0; k < count; k++) {
        struct looking looking = {&findings[k], FOUND_NOTHING};
        threads_each(threads_lent(), findings[k].n, look, &looking);
        found[k] = looking.found;
    }
    return STATUS_OK;
}

enum status space_find(struct space *space, const struct find *find, int64_t n, const void *work,
                       struct found *found, struct error *error)
{
    return space_find_all(space, 1, &(struct finding){find, n, work}, found, error);
}
