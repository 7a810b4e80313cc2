#include "spmv/csr_there.h"

enum status csr_there_create(struct space *space, enum csr_kind kind, int64_t n, int64_t nnz,
                             struct csr *A, struct error *error)
{
    *A = (struct csr){.kind = kind, .n = n, .width = n, .nnz = nnz, .there = true};
    struct {
        void **array;
        int64_t count;
        size_t size;
    } arrays[] = {{(void **)&A->offsets, n + 1, sizeof *A->offsets},
                  {(void **)&A->columns, nnz, sizeof *A->columns},
                  {(void **)&A->values, nnz, sizeof *A->values}};
    enum status status = STATUS_OK;
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays && !status; k++)
        status = space->operations->allocate(space, arrays[k].count, arrays[k].size,
                                             "the matrix for set-up", arrays[k].array, error);
    if (status)
        csr_there_free(space, A);
    return status;
}

void csr_there_free(struct space *space, struct csr *A)
{
    space_release(space, A->offsets);
    space_release(space, A->columns);
    space_release(space, A->values);
    *A = (struct csr){0};
}

/* Each array of `from` to that of `to`. */
static enum status copy(const struct csr *from, const struct csr *to,
                        enum status (*move)(struct space *space, int64_t bytes, const void *from,
                                            void *to, struct error *error),
                        struct space *space, struct error *error)
{
    enum status status = move(space, (from->n + 1) * (int64_t)sizeof *from->offsets, from->offsets,
                              to->offsets, error);
    if (!status)
        status = move(space, from->nnz * (int64_t)sizeof *from->columns, from->columns, to->columns,
                      error);
    return status ? status
                  : move(space, from->nnz * (int64_t)sizeof *from->values, from->values, to->values,
                         error);
}

enum status csr_there_bring(struct space *space, const struct csr *A, struct csr *there,
                            struct error *error)
{
    enum status status = csr_there_create(space, A->kind, A->n, A->nnz, there, error);
    if (!status)
        status = A->maker && space->operations->kind == SPACE_CUDA
                     ? A->maker(A->maker_options, space->stream, there, error)
                     : copy(A, there, space->operations->upload, space, error);
    if (status)
        csr_there_free(space, there);
    return status;
}

enum status csr_there_fetch(struct space *space, const struct csr *there, struct csr *A,
                            struct error *error)
{
    enum status status = csr_create(A, there->kind, there->n, there->nnz, error);
    if (!status)
        status = copy(there, A, space->operations->download, space, error);
    if (status)
        csr_free(A);
    return status;
}
