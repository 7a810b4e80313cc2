/* What is said of a matrix that is not stored, and of vectors of which each rank has a part. */
#include "base/hash.h"
#include "base/memory.h"
#include "base/threads.h"
#include "matrix/store.h"
#include "problem/rhs.h"
#include "problem/start.h"
#include "program/config/system.h"
#include "space/rank_vector.h"
#include "spmv/csr_there.h"

#include <math.h>

static enum status survey_blocks(const struct settings *settings, int device, const struct csr *A,
                                 int64_t first, int64_t count, uint64_t *hashes, int64_t *zeros,
                                 struct error *error)
{
    struct space_options options = {.threads = (int)settings->threads, .device = device};
    struct space *space;
    struct error ignored; /* the study says so, where there is no device */
    bool on_cuda = false;
    for (int k = 0; k < settings->kernels_count && A->maker->rows_there; k++)
        on_cuda = on_cuda || settings->kernels[k].kernel->space == SPACE_CUDA;
    if (!on_cuda || space_create(SPACE_CUDA, &options, &space, &ignored))
        return csr_survey_blocks(A, first, count, hashes, zeros, error);
    enum status status = csr_there_makes(space, A)
                             ? csr_there_survey_blocks(space, A, first, count, hashes, zeros, error)
                             : csr_survey_blocks(A, first, count, hashes, zeros, error);
    space->operations->destroy(space);
    return status;
}

/* What a rank has found: of A, and of a file of which it has read its rows. */
struct part {
    enum status status;
    int64_t zeros, entries;
    struct matrix_market_report file;
};

/* What was met by all ranks, and how many entries they have. */
static enum status join_files(const struct settings *settings, const struct part *all, int count,
                              struct linear_system *system, struct error *error)
{
    struct matrix_market_report *file = &system->file;
    system->A.nnz = file->duplicates = file->averaged_pairs = 0;
    for (int r = 0; r < count; r++) {
        if (all[r].file.text_hash != all[0].file.text_hash)
            return error_set(error, STATUS_CONFIG, "%s: ranks 0 and %d read another file there",
                             problem_file(&settings->problem, NULL), r);
        system->A.nnz += all[r].entries;
        file->duplicates += all[r].file.duplicates;
        file->averaged_pairs += all[r].file.averaged_pairs;
        file->asymmetry = fmax(file->asymmetry, all[r].file.asymmetry);
    }
    return STATUS_OK;
}

/* hashes[] of all ranks' blocks, *zeros of all, and what they have read; *found: no rank has
 * failed. *meets: this one has not failed alone. */
static enum status join_parts(const struct settings *settings, struct linear_system *system,
                              uint64_t *hashes, const struct part *own, int64_t *zeros, bool *found,
                              bool *meets, struct error *error)
{
    struct partition *parts = &system->parts;
    struct exchange *exchange = parts->exchange;
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
        begin[r + 1] = csr_hash_block_from(parts->begin[r + 1]) * (int64_t)sizeof *hashes;
    }
    if (*found)
        status = exchange->operations->gather(exchange, (char *)hashes + begin[exchange->rank],
                                              begin, hashes, error);
    *meets = !status;
    if (!status && *found && system->kept.A.n > 0)
        status = join_files(settings, all, count, system, error);
    memory_free(all);
    memory_free(begin);
    return status;
}

/* *found: no rank has failed. */
static enum status survey_matrix(const struct settings *settings, int device,
                                 struct linear_system *system, bool *meets, bool *found,
                                 struct error *error)
{
    const struct csr *A = &system->A, *kept = &system->kept.A;
    const struct partition *parts = system->parts.begin ? &system->parts : NULL;
    int rank = parts ? parts->exchange->rank : 0;
    int64_t blocks = csr_hash_blocks(A),
            first = parts ? csr_hash_block_from(parts->begin[rank]) : 0;
    int64_t last = parts ? csr_hash_block_from(parts->begin[rank + 1]) : blocks, zeros;
    struct error why;
    struct part own = {.file = system->file};
    *found = true;
    if (kept->n > 0)
        own.entries = kept->offsets[parts->begin[rank + 1]] - kept->offsets[parts->begin[rank]];
    uint64_t *hashes = memory_array(blocks, sizeof *hashes, "the hash of the matrix", &why);
    own.status = hashes ? survey_blocks(settings, device, A, first, last - first, hashes + first,
                                        &own.zeros, &why)
                        : STATUS_MEMORY;
    zeros = own.zeros;
    enum status status = STATUS_OK;
    if (parts)
        status = join_parts(settings, system, hashes, &own, &zeros, found, meets, error);
    if (own.status && *meets) {
        status = own.status;
        *error = why;
    }
    system->matrix_hash = csr_hash_head(A);
    for (int64_t k = 0; k < blocks && !status && *found; k++)
        system->matrix_hash = hash_word(system->matrix_hash, hashes[k]);
    system->entries = csr_nnz_full(A) - zeros;
    memory_free(hashes);
    return status;
}

/* Whose rows a rank compares. Neighbours share a host, and so a file: it is one on another host. */
static int other_of(const struct exchange *exchange, int rank)
{
    return (rank + (exchange->count + 1) / 2) % exchange->count;
}

/* Files that ranks read may differ. *own is the hash of the rows of v that this rank has, *of_other
 * of those that its other one has, read from the own file. */
static enum status hash_rows(const struct settings *settings, struct linear_system *system,
                             const struct options *made, double *v, uint64_t *own,
                             uint64_t *of_other, struct error *error)
{
    struct partition *parts = &system->parts;
    int rank = parts->exchange->rank, other = other_of(parts->exchange, rank);
    int64_t n = system->A.n, first = parts->begin[other], last = parts->begin[other + 1];
    struct rhs_part part = {1, first, last};
    struct threads *threads = NULL;
    double *copy = rank_vector_create(parts, n, sizeof *copy, "a vector of the system", error);
    enum status status =
        copy ? threads_create((int)settings->threads, &threads, error) : STATUS_MEMORY;
    if (!status)
        status = made == &settings->rhs
                     ? rhs_fill_part(made, &system->A, settings->solver.shift, &part, copy, error)
                     : start_fill_part(made, n, &part, copy, error);
    if (!status) {
        *own = hash_vector(threads, v + parts->begin[rank], partition_rows(parts));
        *of_other = hash_vector(threads, copy + first, last - first);
    }
    threads_destroy(threads);
    rank_vector_free(parts, n, sizeof *copy, copy);
    return status;
}

/* Whether v, made of those options, is the same with all ranks, which all of them find. *meets is
 * false where this one alone has failed. */
static enum status check_alike(const struct settings *settings, struct linear_system *system,
                               const struct options *made, double *v, bool *meets,
                               struct error *error)
{
    struct partition *parts = &system->parts;
    const char *path = v ? options_file(made, 0, NULL) : NULL;
    struct {
        uint64_t own, of_other;
    } mine, *all;
    if (!path)
        return STATUS_OK;
    enum status status = hash_rows(settings, system, made, v, &mine.own, &mine.of_other, error);
    if (!status)
        status = partition_gather(parts, &mine, sizeof mine, (void **)&all, error);
    *meets = !status;
    for (int r = 0; r < parts->exchange->count && !status; r++) {
        int other = other_of(parts->exchange, r);
        if (all[r].of_other != all[other].own)
            status = error_set(error, STATUS_CONFIG, "%s: ranks %d and %d read other numbers there",
                               path, r, other);
    }
    return status;
}

enum status system_survey(const struct settings *settings, int device, struct linear_system *system,
                          bool *meets, struct error *error)
{
    bool found = true;
    *meets = true;
    enum status status = STATUS_OK;
    if (!csr_is_stored(&system->A))
        status = survey_matrix(settings, device, system, meets, &found, error);
    if (status || !found || !system->parts.begin)
        return status;
    status = check_alike(settings, system, &settings->rhs, system->b, meets, error);
    if (!status)
        status = check_alike(settings, system, &settings->start, system->x0, meets, error);
    if (status)
        return status;
    status = system_describe_vectors(settings, system, error);
    *meets = !status;
    return status;
}
