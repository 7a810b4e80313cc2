#include "precondition/shared_transposed.h"

#include "base/memory.h"
#include "precondition/transposed_rows.h"
#include "space/define_pass.h"
#include "space/rows.h"
#include "spmv/device_csr.h"
#include "spmv/distributed/exchanged_rows.h"

ELEMENTS_AT(limiting, limiting)
PASS(pass_limiting, limiting, limiting, .name = "the columns of a rank", .always = true)
FIND(find_reaching, reaching, reaching, "the columns of a rank")

#ifndef __CUDACC__
static const char what[] = "transposed rows of ranks";

/* last[r] = 1 + the last row, of all ranks, that has an entry in the columns of rank r. */
static enum status find_last(struct partition *partition, const struct csr *G, int64_t *last,
                             struct error *error)
{
    int ranks = partition->exchange->count;
    int64_t first = partition_first(partition), *all;
    enum status status = STATUS_OK;
    for (int r = 0; r < ranks && !status; r++) {
        struct reaching work = {*G, partition->begin[r] - first, partition->begin[r + 1] - first};
        struct found found;
        status = space_find(G->space, &find_reaching, G->n, &work, &found, error);
        last[r] = !status && found.most[0] >= 0 ? first + (int64_t)found.most[0] + 1 : 0;
    }
    if (!status)
        status =
            partition_gather(partition, last, (size_t)ranks * sizeof *last, (void **)&all, error);
    for (int k = 0; k < ranks * ranks && !status; k++)
        last[k % ranks] = all[k] > last[k % ranks] ? all[k] : last[k % ranks];
    return status;
}

/* *made = the rows of G from the own ones to the last with an entry in own columns. */
static enum status bring_rows(struct partition *partition, const struct csr *G, struct csr *made,
                              struct error *error)
{
    int ranks = partition->exchange->count;
    struct wanted_rows *wanted = memory_array(ranks, sizeof *wanted, what, error);
    int64_t *last = memory_array(ranks, sizeof *last, what, error);
    *made = (struct csr){0};
    enum status status = wanted && last ? find_last(partition, G, last, error) : STATUS_MEMORY;
    for (int r = 0; r < ranks && !status; r++) {
        int64_t begin = partition->begin[r], end = partition->begin[r + 1];
        wanted[r] = (struct wanted_rows){begin, begin, last[r] > end ? last[r] : end};
    }
    if (!status)
        status = exchange_rows(partition, wanted, G, made, error);
    memory_free(wanted);
    memory_free(last);
    return status;
}

enum status shared_transposed(struct ranks *ranks, const struct csr *G, struct csr *transposed,
                              struct error *error)
{
    struct partition *partition = &ranks->partition;
    struct csr rows;
    *transposed = (struct csr){0};
    enum status status = bring_rows(partition, G, &rows, error);
    rows.width = partition_rows(partition);
    struct limiting work = {rows.columns, (int32_t)rows.width};
    if (!status)
        status = rows_run(rows.space, &pass_limiting, rows.nnz, &work, error);
    if (!status)
        status = transposed_rows(&rows, transposed, error);
    device_csr_free(&rows);
    return status;
}
#endif
