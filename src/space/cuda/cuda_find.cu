#include "space/cuda/cuda_find.cuh"

static enum status launch(struct space_cuda *cuda, const struct finding *finding,
                          struct cuda_found *found, struct error *error)
{
    const struct find *find = finding->find;
    find_launcher *launcher = (find_launcher *)cuda_part_function(find->cuda);
    if (!launcher)
        return error_set(error, STATUS_UNAVAILABLE, "%s does not run on a GPU", find->name);
    if (finding->n > 0)
        launcher(cuda->stream, finding->n, finding->work, found);
    return STATUS_OK;
}

enum status cuda_find_all(struct space *space, int count, const struct finding *findings,
                          struct found *found, struct error *error)
{
    struct space_cuda *cuda = space_cuda_of(space);
    struct cuda_found *device, host[FINDINGS_MOST];
    const struct found nothing = FOUND_NOTHING;
    const char *what = findings[0].find->name;
    enum status status = cuda_found_take(cuda, what, &device, error);
    if (status)
        return status;
    for (int k = 0; k < count && !status; k++)
        status = launch(cuda, &findings[k], &device[k], error);
    status = cuda_found_give(cuda, count, what, status, host, error);
    for (int k = 0; k < count && !status; k++)
        found[k] = findings[k].n > 0 ? found_of(&host[k]) : nothing;
    return status;
}
CUDA_PUT(cuda_find_all)
