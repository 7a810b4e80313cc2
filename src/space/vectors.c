#include "space/vectors.h"

#include "space/host_loops.h"
#include "space/space.h"

static enum status vectors(struct space *space, int64_t count, size_t size, const char *what,
                           void **memory, struct error *error)
{
    const struct space_operations *of = space->operations;
    return (of->vectors ? of->vectors : of->allocate)(space, count, size, what, memory, error);
}

enum status space_vector(struct space *space, int64_t n, const char *what, double **v,
                         struct error *error)
{
    void *memory;
    enum status status = vectors(space, n, sizeof **v, what, &memory, error);
    *v = memory;
    return status;
}

enum status space_vector_float(struct space *space, int64_t n, const char *what, float **v,
                               struct error *error)
{
    void *memory;
    enum status status = vectors(space, n, sizeof **v, what, &memory, error);
    *v = memory;
    return status;
}

enum status space_scalars(struct space *space, int64_t count, const char *what, double **scalars,
                          struct error *error)
{
    void *memory;
    enum status status =
        space->operations->allocate(space, count, sizeof **scalars, what, &memory, error);
    *scalars = memory;
    return status;
}

void space_release(struct space *space, void *v)
{
    space->operations->release(space, v);
}

enum status space_upload(struct space *space, int64_t n, const double *host, double *v,
                         struct error *error)
{
    return space->operations->upload(space, n * (int64_t)sizeof *v, host, v, error);
}

enum status space_download(struct space *space, int64_t n, const double *v, double *host,
                           struct error *error)
{
    return space->operations->download(space, n * (int64_t)sizeof *v, v, host, error);
}

enum status space_upload_float(struct space *space, int64_t n, const float *host, float *v,
                               struct error *error)
{
    return space->operations->upload(space, n * (int64_t)sizeof *v, host, v, error);
}

enum status space_download_float(struct space *space, int64_t n, const float *v, float *host,
                                 struct error *error)
{
    return space->operations->download(space, n * (int64_t)sizeof *v, v, host, error);
}

#define OVER_COLUMNS(its, work_type)                                                               \
    .cuda = #its "_cuda", .cuda_columns = #its "_cuda_columns",                                    \
    .work_bytes = sizeof(struct work_type)
#define PASS_AT_ELEMENTS(its, its_name, its_reads)                                                 \
    HOST_LOOP_AT(its, its##_work)                                                                  \
    HOST_COLUMNS_AT(its, its##_work)                                                               \
    const struct pass pass_##its = {.name = (its_name),                                            \
                                    .make = its##_elements,                                        \
                                    .make_columns = its##_columns,                                 \
                                    OVER_COLUMNS(its, its##_work),                                 \
                                    .reads = (its_reads),                                          \
                                    .writes = 1};

PASS_AT_ELEMENTS(fill, "filling a vector", 0)
PASS_AT_ELEMENTS(copy, "a copy", 1)
PASS_AT_ELEMENTS(axpy, "y + a x", 2)
const struct pass pass_dot = {
    .name = "a dot product", .sum = dot_sum, OVER_COLUMNS(dot, pass_sum), .reads = 2};

enum status space_fill(struct space *space, int64_t n, double value, double *v, struct error *error)
{
    return space_run(space, &pass_fill, n, &(struct fill_work){value, v}, error);
}

enum status space_copy(struct space *space, int64_t n, const double *x, double *y,
                       struct error *error)
{
    return space_run(space, &pass_copy, n, &(struct copy_work){x, y}, error);
}

enum status space_axpy(struct space *space, int64_t n, double a, const double *x, double *y,
                       struct error *error)
{
    return space_run(space, &pass_axpy, n, &(struct axpy_work){a, x, y}, error);
}

enum status space_dot(struct space *space, int64_t n, const double *x, const double *y,
                      double *result, struct error *error)
{
    return space_run(space, &pass_dot, n, &(struct pass_sum){x, y, result}, error);
}

int64_t space_bytes(const struct space *space, const struct pass *pass, int64_t n)
{
    bool without_order =
        space->reductions == REDUCTIONS_ATOMIC || space->reductions == REDUCTIONS_EXACT;
    bool on_cuda = space->operations->kind == SPACE_CUDA;
    bool apart = (space->reductions == REDUCTIONS_BLAS && pass->make) ||
                 (without_order && on_cuda && pass->apart_on_cuda);
    double vectors = pass->reads + pass->writes + (apart ? pass->summed : 0);
    return (int64_t)(vectors * (double)n * (double)sizeof(double));
}
