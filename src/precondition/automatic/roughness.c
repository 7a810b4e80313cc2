#include "precondition/automatic/roughness.h"

#include "base/memory.h"
#include "space/define_pass.h"
#include "space/rows.h"

#include <math.h>

FIND_AT(rough, roughness)
{
    const struct csr *A = &work->A;
    double sum = 0;
    for (int64_t k = A->offsets[i] + 1, end = A->offsets[i + 1]; k < end; k++) {
        int64_t j = A->columns[k];
        double apart = work->x[i] - work->x[j];
        if ((j - i) % work->block == 0)
            sum += fabs(A->values[k]) * apart * apart;
    }
    sum *= work->scale;
    found->sum += (uint64_t)(sum < work->most ? sum : work->most);
}

FIND(find_roughness, rough, roughness, "the differences between neighbours")

#ifndef __CUDACC__
enum { UNITS = 1024 }; /* of a row's mean */

/* x, on the host, where A is. */
static enum status look(const struct csr *A, const double *x, struct roughness *work,
                        struct found *found, struct error *error)
{
    void *copy = NULL;
    enum status status = STATUS_OK;
    work->x = x;
    if (A->space) {
        int64_t bytes = A->n * (int64_t)sizeof *x;
        status = rows_array(A->space, A->n, sizeof *x, "a vector", &copy, error);
        if (!status)
            status = rows_upload(A->space, bytes, x, copy, error);
        work->x = copy;
    }
    if (!status)
        status = space_find(A->space, &find_roughness, A->n, work, found, error);
    rows_release(A->space, copy);
    return status;
}

enum status roughness_of(const struct csr *A, int64_t block, struct space *space, const double *x,
                         double energy, double *mu, struct error *error)
{
    struct found found = {.sum = 0};
    double units = (double)UNITS * (double)A->n;
    struct roughness work = {
        .A = *A, .block = block, .scale = units / energy, .most = 0x1p62 / (double)A->n};
    double *host = memory_array(A->n, sizeof *host, "a vector", error);
    if (!host)
        return STATUS_MEMORY;
    enum status status = space_download(space, A->n, x, host, error);
    if (!status)
        status = look(A, host, &work, &found, error);
    memory_free(host);
    *mu = (double)found.sum / units;
    return status;
}
#endif
