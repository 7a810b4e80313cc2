/* The entries and the hash of a matrix that is not stored. */
#include "base/hash.h"
#include "base/memory.h"
#include "matrix/store.h"
#include "program/config/system.h"
#include "spmv/csr_there.h"

static enum status survey_blocks(const struct settings *settings, int device, const struct csr *A,
                                 int64_t first, int64_t count, uint64_t *hashes, int64_t *zeros,
                                 struct error *error)
{
    struct space_options options = {.threads = (int)settings->threads, .device = device};
    struct space *space;
    struct error ignored; /* the study says so, where there is no device */
    bool on_cuda = false;
    for (int k = 0; k < settings->kernels_count; k++)
        on_cuda = on_cuda || settings->kernels[k].kernel->space == SPACE_CUDA;
    if (!on_cuda || space_create(SPACE_CUDA, &options, &space, &ignored))
        return csr_survey_blocks(A, first, count, hashes, zeros, error);
    enum status status = csr_there_makes(space, A)
                             ? csr_there_survey_blocks(space, A, first, count, hashes, zeros, error)
                             : csr_survey_blocks(A, first, count, hashes, zeros, error);
    space->operations->destroy(space);
    return status;
}

/* What a rank has found. */
struct part {
    int64_t zeros;
    enum status status;
};

/* hashes[] of all ranks' blocks, and *zeros of all; *found: no rank has failed. */
static enum status join_parts(struct exchange *exchange, int64_t blocks, uint64_t *hashes,
                              const struct part *own, int64_t *zeros, bool *found,
                              struct error *error)
{
    int count = exchange->count;
    struct part *all = memory_zeros(count, sizeof *all, "the parts of a hash", error);
    int64_t *begin = memory_zeros(count + 1, sizeof *begin, "the parts of a hash", error);
    enum status status = all && begin ? STATUS_OK : STATUS_MEMORY;
    if (!status)
        status = exchange_gather_each(exchange, own, sizeof *own, all, error);
    *zeros = 0;
    *found = !status;
    for (int r = 0; r < count && !status; r++) {
        *found = *found && !all[r].status;
        *zeros += all[r].zeros;
        begin[r + 1] = blocks * (r + 1) / count * (int64_t)sizeof *hashes;
    }
    if (*found)
        status = exchange->operations->gather(exchange, (char *)hashes + begin[exchange->rank],
                                              begin, hashes, error);
    memory_free(all);
    memory_free(begin);
    return status;
}

enum status system_survey(const struct settings *settings, int device, struct exchange *exchange,
                          struct linear_system *system, bool *meets, struct error *error)
{
    const struct csr *A = &system->A;
    int64_t blocks = csr_hash_blocks(A), first = 0, last = blocks, zeros;
    struct error why;
    struct part own = {0, STATUS_OK};
    bool found = true;
    if (exchange) {
        first = blocks * exchange->rank / exchange->count;
        last = blocks * (exchange->rank + 1) / exchange->count;
    }
    uint64_t *hashes = memory_array(blocks, sizeof *hashes, "the hash of the matrix", &why);
    own.status = hashes ? survey_blocks(settings, device, A, first, last - first, hashes + first,
                                        &own.zeros, &why)
                        : STATUS_MEMORY;
    zeros = own.zeros;
    enum status status = STATUS_OK;
    if (exchange)
        status = join_parts(exchange, blocks, hashes, &own, &zeros, &found, error);
    *meets = !status;
    if (own.status && *meets) {
        status = own.status;
        *error = why;
    }
    system->matrix_hash = csr_hash_head(A);
    for (int64_t k = 0; k < blocks && !status && found; k++)
        system->matrix_hash = hash_word(system->matrix_hash, hashes[k]);
    system->entries = csr_nnz_full(A) - zeros;
    memory_free(hashes);
    return status;
}
