/* A coarse matrix (aggregates.h) by sorts of its terms, in the memory of a device. The host uses
 * strips of rows (coarse.c): for 27 points strips take 0.03 to 0.05 s, sorts 0.40 to 0.54 s. */
#include "precondition/multigrid/setup/aggregates.h"
#include "space/define_pass.h"
#include "space/rows.h"
#include "spmv/device_csr.h"

/* Terms in the order of A's entries. Two stable sorts, by J and then by I, bring the terms of an
 * entry together, in the order in which they are added. */
struct terms {
    struct csr A, coarse;
    const int32_t *map;
    int64_t count;
    int32_t *least, *most; /* [nnz]: I and J of a term; -1: it lies in no aggregate */
    uint32_t *places;      /* [nnz]: terms by ascending I and J, */
    double *values;        /* [nnz]: their values, */
    int64_t *entries;      /* [nnz + 1]: and how many entries begin before them */
    uint32_t *begins;      /* [count + 2]: where rows begin in places */
};

PASS_AT(listing_terms, terms)
{
    const struct csr *A = &work->A;
    int32_t I = work->map[i];
    for (int64_t k = A->offsets[i]; k < A->offsets[i + 1]; k++) {
        int32_t J = work->map[A->columns[k]];
        int32_t least = I < J ? I : J, most = I < J ? J : I;
        work->least[k] = least;
        work->most[k] = least == IN_NO_AGGREGATE ? IN_NO_AGGREGATE : most;
    }
}

/* The value of term number i, and whether it is the first of an entry. */
PASS_AT(taking_terms, terms)
{
    const struct csr *A = &work->A;
    if (i == 0)
        work->entries[0] = 0;
    work->entries[i + 1] = 0;
    if (i >= work->begins[work->count])
        return;
    int64_t k = work->places[i], before = i > 0 ? work->places[i - 1] : k;
    int32_t I = work->least[k], J = work->most[k];
    bool twice = I == J && A->offsets[A->columns[k]] != k; /* not on the diagonal of A */
    work->values[i] = twice ? 2 * A->values[k] : A->values[k];
    work->entries[i + 1] = i == 0 || I != work->least[before] || J != work->most[before];
}

/* The entry that begins with a term, if one does. Rows begin with their diagonals. */
PASS_AT(adding_terms, terms)
{
    const struct csr *coarse = &work->coarse;
    int64_t entry = work->entries[i], end = work->begins[work->count];
    if (i == 0)
        coarse->offsets[coarse->n] = coarse->nnz;
    if (work->entries[i + 1] == entry)
        return;
    int64_t k = work->places[i];
    double sum = 0;
    for (int64_t p = i; p < end && work->entries[p + 1] == entry + 1; p++)
        sum += work->values[p];
    coarse->columns[entry] = work->most[k];
    coarse->values[entry] = sum;
    if (work->least[k] == work->most[k])
        coarse->offsets[work->least[k]] = entry;
}

#define PASS_OF_TERMS(its)                                                                         \
    ELEMENTS_AT(its, terms)                                                                        \
    PASS(pass_##its, its, terms, .name = "a coarse matrix", .always = true)

PASS_OF_TERMS(listing_terms)
PASS_OF_TERMS(taking_terms)
PASS_OF_TERMS(adding_terms)

#ifndef __CUDACC__
static enum status take_room(struct space *space, struct terms *work, struct error *error)
{
    struct {
        void **array;
        int64_t count;
        size_t size;
    } wanted[] = {{(void **)&work->least, work->A.nnz, sizeof *work->least},
                  {(void **)&work->most, work->A.nnz, sizeof *work->most},
                  {(void **)&work->values, work->A.nnz, sizeof *work->values},
                  {(void **)&work->places, work->A.nnz, sizeof *work->places},
                  {(void **)&work->begins, work->count + 2, sizeof *work->begins},
                  {(void **)&work->entries, work->A.nnz + 1, sizeof *work->entries}};
    enum status status = STATUS_OK;
    for (size_t k = 0; k < sizeof wanted / sizeof *wanted && !status; k++)
        status = rows_array(space, wanted[k].count, wanted[k].size, "a coarse matrix",
                            wanted[k].array, error);
    return status;
}

static void leave_room(struct space *space, const struct terms *work)
{
    void *held[] = {work->least,  work->most,   work->values,
                    work->places, work->begins, work->entries};
    for (size_t k = 0; k < sizeof held / sizeof *held; k++)
        rows_release(space, held[k]);
}

/* The places of the terms, and the number of their entries. */
static enum status sort_terms(struct space *space, const struct terms *work, int64_t *entries,
                              struct error *error)
{
    int64_t nnz = work->A.nnz, count = work->count;
    enum status status = rows_run(space, &pass_listing_terms, work->A.n, work, error);
    if (!status)
        status = rows_sort_pairs(space, nnz, work->least, work->most, count, work->places,
                                 work->begins, error);
    if (!status)
        status = rows_run(space, &pass_taking_terms, nnz, work, error);
    if (!status)
        status = rows_scan(space, nnz, work->entries, error);
    return status ? status
                  : rows_download(space, sizeof *entries, work->entries + nnz, entries, error);
}

enum status coarse_matrix_by_sort(const struct csr *A, const struct aggregates *aggregates,
                                  struct csr *coarse, struct error *error)
{
    struct space *space = A->space;
    struct terms work = {.A = *A, .map = aggregates->map, .count = aggregates->count};
    int64_t nnz = 0;
    *coarse = (struct csr){0};
    enum status status = take_room(space, &work, error);
    if (!status)
        status = sort_terms(space, &work, &nnz, error);
    if (!status)
        status = space ? device_csr_create(space, CSR_SYMMETRIC, work.count, nnz, coarse, error)
                       : csr_create(coarse, CSR_SYMMETRIC, work.count, nnz, error);
    work.coarse = *coarse;
    if (!status)
        status = rows_run(space, &pass_adding_terms, A->nnz, &work, error);
    leave_room(space, &work);
    if (status)
        device_csr_free(coarse);
    return status;
}
#endif
