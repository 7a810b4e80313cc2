/* A coarse matrix (aggregates.h) by sorts of its terms, in the memory of a device. The host has
 * strips of rows (coarse.c): with 27 points it takes 0.03 to 0.05 s by these, and 0.40 to 0.54 s by
 * a sort. */
#include "precondition/multigrid/setup/aggregates.h"
#include "space/define_pass.h"
#include "space/rows.h"
#include "spmv/device_csr.h"

/* Terms in the order of A's entries. Stable sorts bring them to their places, by J and then by I:
 * the terms of an entry then stand together in the order in which they are added. */
struct terms {
    struct csr A, coarse;
    const int32_t *map;
    int64_t count;
    int32_t *least, *most; /* [nnz]: I and J of a term; -1: it lies in no aggregate */
    double *values;        /* [nnz] */
    int32_t *order, *keys; /* [nnz]: terms by ascending J, and I of each */
    int32_t *places;       /* [nnz]: terms by ascending I and J */
    int32_t *begins;       /* [count + 2]: where rows begin, in an order */
    int64_t *entries;      /* [nnz + 1]: how many entries begin before a term */
};

PASS_AT(listing_terms, terms)
{
    const struct csr *A = &work->A;
    int32_t I = work->map[i];
    for (int64_t k = A->offsets[i]; k < A->offsets[i + 1]; k++) {
        int32_t j = A->columns[k], J = work->map[j];
        int32_t least = I < J ? I : J, most = I < J ? J : I;
        work->least[k] = least;
        work->most[k] = least == IN_NO_AGGREGATE ? IN_NO_AGGREGATE : most;
        work->values[k] = coarse_term(I, J, i, j, A->values[k]);
    }
}

/* The keys of the second sort. */
PASS_AT(taking_keys, terms)
{
    bool lies = i < work->begins[work->count];
    work->keys[i] = lies ? work->least[work->order[i]] : IN_NO_AGGREGATE;
}

/* The second order is one of the first. */
PASS_AT(joining_orders, terms)
{
    if (i < work->begins[work->count])
        work->places[i] = work->order[work->places[i]];
}

/* Whether the term that is number p is the first of an entry. */
PASS_FUNCTION bool terms_begin(const struct terms *by, int64_t p)
{
    if (p >= by->begins[by->count])
        return false;
    int32_t k = by->places[p], before = p > 0 ? by->places[p - 1] : k;
    return p == 0 || by->least[k] != by->least[before] || by->most[k] != by->most[before];
}

PASS_AT(counting_entries, terms)
{
    if (i == 0)
        work->entries[0] = 0;
    work->entries[i + 1] = terms_begin(work, i);
}

/* The entry that begins with a term, if one does. Rows begin with their diagonals. */
PASS_AT(adding_terms, terms)
{
    const struct csr *coarse = &work->coarse;
    if (i == 0)
        coarse->offsets[coarse->n] = coarse->nnz;
    if (!terms_begin(work, i))
        return;
    int64_t entry = work->entries[i], end = work->begins[work->count];
    int32_t first = work->places[i], I = work->least[first], J = work->most[first];
    double sum = 0;
    for (int64_t p = i; p < end; p++) {
        int32_t k = work->places[p];
        if (work->least[k] != I || work->most[k] != J)
            break;
        sum += work->values[k];
    }
    coarse->columns[entry] = J;
    coarse->values[entry] = sum;
    if (I == J)
        coarse->offsets[I] = entry;
}

#define PASS_OF_TERMS(its)                                                                         \
    ELEMENTS_AT(its, terms)                                                                        \
    PASS(pass_##its, its, terms, .name = "a coarse matrix", .always = true)

PASS_OF_TERMS(listing_terms)
PASS_OF_TERMS(taking_keys)
PASS_OF_TERMS(joining_orders)
PASS_OF_TERMS(counting_entries)
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
                  {(void **)&work->order, work->A.nnz, sizeof *work->order},
                  {(void **)&work->keys, work->A.nnz, sizeof *work->keys},
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
    void *held[] = {work->least, work->most,   work->values, work->order,
                    work->keys,  work->places, work->begins, work->entries};
    for (size_t k = 0; k < sizeof held / sizeof *held; k++)
        rows_release(space, held[k]);
}

/* The places of the terms, and how many entries they make. */
static enum status sort_terms(struct space *space, const struct terms *work, int64_t *entries,
                              struct error *error)
{
    int64_t nnz = work->A.nnz, count = work->count;
    enum status status = rows_run(space, &pass_listing_terms, work->A.n, work, error);
    if (!status)
        status = rows_sort(space, nnz, work->most, count, work->order, work->begins, error);
    if (!status)
        status = rows_run(space, &pass_taking_keys, nnz, work, error);
    if (!status)
        status = rows_sort(space, nnz, work->keys, count, work->places, work->begins, error);
    if (!status)
        status = rows_run(space, &pass_joining_orders, nnz, work, error);
    if (!status)
        status = rows_run(space, &pass_counting_entries, nnz, work, error);
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
