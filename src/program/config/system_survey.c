/* What is said of a matrix that is not stored, of vectors of which each rank has a part, and of the
 * files that a system is made of. */
#include "base/cuda_part.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/threads.h"
#include "io/input_file.h"
#include "io/same_file.h"
#include "io/text_source.h"
#include "matrix/implicit_rows.h"
#include "program/config/system.h"
#include "space/ranks/rank_vector.h"
#include "spmv/device_csr.h"

#include <math.h>

static enum status survey_blocks(const struct study_settings *study, int device,
                                 const struct csr *A, int64_t first, int64_t count,
                                 uint64_t *hashes, int64_t *zeros, struct error *error)
{
    struct space_options options = {.threads = (int)study->threads, .device = device};
    struct space *space;
    struct error ignored; /* the study says so, where there is no device */
    bool on_cuda = A->maker->rows_on_device && settings_use_cuda(study);
    if (!on_cuda || space_create(SPACE_CUDA, &options, &space, &ignored))
        return csr_count_and_hash_blocks(A, first, count, hashes, zeros, error);
    enum status status = device_csr_makes(space, A)
                             ? CUDA_PART(device_csr_count_and_hash_blocks)(space, A, first, count,
                                                                           hashes, zeros, error)
                             : csr_count_and_hash_blocks(A, first, count, hashes, zeros, error);
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
static void join_files(const struct part *all, int count, struct linear_system *system)
{
    struct matrix_market_report *file = &system->file;
    system->A.nnz = file->duplicates = file->averaged_pairs = 0;
    for (int r = 0; r < count; r++) {
        system->A.nnz += all[r].entries;
        file->duplicates += all[r].file.duplicates;
        file->averaged_pairs += all[r].file.averaged_pairs;
        file->asymmetry = fmax(file->asymmetry, all[r].file.asymmetry);
    }
}

/* hashes[] of all ranks' blocks, *zeros of all, and what they have read; *found: no rank has
 * failed. *meets: this one has not failed alone. */
static enum status join_parts(struct linear_system *system, uint64_t *hashes,
                              const struct part *own, int64_t *zeros, bool *found, bool *meets,
                              struct error *error)
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
        join_files(all, count, system);
    memory_free(all);
    memory_free(begin);
    return status;
}

/* *found: no rank has failed. */
static enum status survey_matrix(const struct study_settings *study, int device,
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
    own.status = hashes ? survey_blocks(study, device, A, first, last - first, hashes + first,
                                        &own.zeros, &why)
                        : STATUS_MEMORY;
    zeros = own.zeros;
    enum status status = STATUS_OK;
    if (parts)
        status = join_parts(system, hashes, &own, &zeros, found, meets, error);
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

enum status system_check_file(const char *path, struct error *error)
{
    struct text_source *source = NULL;
    enum status status = text_source_open(path, 1 << 12, &source, error);
    text_source_close(source);
    return status;
}

const char *system_file(const struct problem_settings *problem,
                        const struct solver_settings *solver, int k)
{
    const struct options *const made_from[] = {&problem->matrix, &problem->rhs, &problem->start,
                                               &solver->preconditioner};
    const char *path;
    for (int m = 0; m < 4; m++)
        for (int f = 0; (path = options_file(made_from[m], f, NULL)); f++)
            if (k-- == 0)
                return path;
    return NULL;
}

enum status system_check_files(const struct problem_settings *problem,
                               const struct solver_settings *solver, const char *reference,
                               struct error *error)
{
    enum status status = STATUS_OK;
    const char *path;
    for (int k = 0; !status && (path = system_file(problem, solver, k)); k++)
        status = system_check_file(path, error);
    return status || !reference ? status : system_check_file(reference, error);
}

uint64_t system_files_identity(const struct problem_settings *problem,
                               const struct solver_settings *solver)
{
    struct error ignored;
    const char *path;
    uint64_t all = HASH_START;
    for (int k = 0; (path = system_file(problem, solver, k)); k++) {
        uint64_t identity = 0;
        input_identity(path, &identity, &ignored);
        all = hash_word(all, identity);
    }
    return all;
}

enum status system_compare_files(const struct problem_settings *problem,
                                 const struct solver_settings *solver, struct exchange *exchange,
                                 bool *meets, struct error *error)
{
    enum status status = STATUS_OK;
    const char *path;
    *meets = true;
    for (int k = 0; !status && (path = system_file(problem, solver, k)); k++)
        status = same_file_check(exchange, path, path, meets, error);
    return status;
}

enum status system_survey(const struct study_settings *study, int device,
                          struct linear_system *system, bool *meets, struct error *error)
{
    bool found = true;
    *meets = true;
    enum status status = STATUS_OK;
    if (!system->A.offsets)
        status = survey_matrix(study, device, system, meets, &found, error);
    if (status || !found || !system->parts.begin)
        return status;
    status = system_describe_vectors(system, error);
    *meets = !status;
    return status;
}
