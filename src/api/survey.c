/* Entries and hash of a matrix over several ranks. */
#include "api/ranks.h"
#include "base/hash.h"
#include "base/memory.h"
#include "matrix/implicit_rows.h"

/* The hash blocks of this rank, gathered over all ranks; *zeros likewise. */
static enum status share_hashes(const struct partition *parts, const struct csr *A,
                                uint64_t *hashes, int64_t *zeros, struct error *error)
{
    struct exchange *exchange = parts->exchange;
    const int64_t *begin = parts->begin + exchange->rank;
    int64_t first = csr_hash_block_from(begin[0]), last = csr_hash_block_from(begin[1]);
    int64_t own = 0, *all = memory_array(exchange->count, sizeof *all, "the ranks", error);
    enum status status =
        all ? csr_count_and_hash_blocks(A, first, last - first, hashes + first, &own, error)
            : STATUS_MEMORY;
    if (!status)
        status = exchange_gather_each(exchange, &own, sizeof own, all, error);
    *zeros = 0;
    for (int r = 0; r < exchange->count && !status; r++)
        *zeros += all[r];
    for (int r = 0; r <= exchange->count; r++)
        exchange->begins[r] = csr_hash_block_from(parts->begin[r]) * (int64_t)sizeof *hashes;
    if (!status)
        status =
            exchange->operations->gather(exchange, hashes + first, exchange->begins, hashes, error);
    memory_free(all);
    return status;
}

enum status api_survey_matrix(const struct api_division *rows, const struct csr *A,
                              uint64_t *entries, uint64_t *hash, struct error *error)
{
    int64_t blocks = csr_hash_blocks(A), zeros;
    uint64_t *hashes = memory_array(blocks, sizeof *hashes, "the hash of the matrix", error);
    enum status status =
        hashes ? share_hashes(&rows->parts, A, hashes, &zeros, error) : STATUS_MEMORY;
    if (!status) {
        *entries = (uint64_t)(csr_nnz_full(A) - zeros);
        *hash = csr_hash_head(A);
        for (int64_t k = 0; k < blocks; k++)
            *hash = hash_word(*hash, hashes[k]);
    }
    memory_free(hashes);
    return status;
}
