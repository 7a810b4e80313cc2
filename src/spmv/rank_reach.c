#include "spmv/rank_reach.h"

#include "base/memory.h"

static const char what[] = "the rows of other ranks";

/* Which rows each other rank gives: neighbours among `others`, as the ranks' rows are. */
static void find_given(const struct partition *partition, const int32_t *others, int64_t count,
                       struct rank_reach *made)
{
    int64_t k = 0;
    for (int r = 0; r < partition->exchange->count; r++) {
        made->given_begin[r] = k;
        while (k < count && others[k] < partition->begin[r + 1])
            k++;
        made->given_begin[r + 1] = k;
    }
}

/* How many rows each rank wants of each: counts[rank][of rank]. */
static enum status gather_counts(struct exchange *exchange, const struct rank_reach *made,
                                 int64_t *counts, struct error *error)
{
    int ranks = exchange->count;
    int64_t *own = counts + (int64_t)exchange->rank * ranks;
    for (int r = 0; r < ranks; r++)
        own[r] = made->given_begin[r + 1] - made->given_begin[r];
    return exchange_gather_each(exchange, own, ranks * (int64_t)sizeof *counts, counts, error);
}

static struct exchange_piece piece(const int64_t *begin, int r, const int32_t *rows)
{
    return (struct exchange_piece){(void *)(rows + begin[r]),
                                   (begin[r + 1] - begin[r]) * (int64_t)sizeof *rows};
}

/* Each rank tells the others which of their rows it reads. */
static enum status swap_rows(struct exchange *exchange, const int32_t *others,
                             const struct rank_reach *made, struct exchange_piece *pieces,
                             struct error *error)
{
    struct exchange_piece *send = pieces, *receive = pieces + exchange->count;
    for (int r = 0; r < exchange->count; r++) {
        send[r] = piece(made->given_begin, r, others);
        receive[r] = piece(made->wanted_begin, r, made->wanted);
    }
    return exchange->operations->swap(exchange, send, receive, error);
}

static enum status find_wanted(const struct partition *partition, const int32_t *others,
                               struct rank_reach *made, struct error *error)
{
    struct exchange *exchange = partition->exchange;
    int ranks = exchange->count;
    int64_t *counts = memory_array((int64_t)ranks * ranks, sizeof *counts, what, error);
    struct exchange_piece *pieces = memory_array(2 * (int64_t)ranks, sizeof *pieces, what, error);
    enum status status =
        counts && pieces ? gather_counts(exchange, made, counts, error) : STATUS_MEMORY;
    made->wanted_begin[0] = 0;
    for (int r = 0; r < ranks && !status; r++)
        made->wanted_begin[r + 1] =
            made->wanted_begin[r] + counts[(int64_t)r * ranks + exchange->rank];
    if (!status) {
        made->wanted =
            memory_array(made->wanted_begin[ranks] + 1, sizeof *made->wanted, what, error);
        status = made->wanted ? STATUS_OK : STATUS_MEMORY;
    }
    if (!status)
        status = swap_rows(exchange, others, made, pieces, error);
    for (int64_t k = 0; k < made->wanted_begin[ranks] && !status; k++)
        made->wanted[k] -= (int32_t)partition_first(partition);
    memory_free(pieces);
    memory_free(counts);
    return status;
}

enum status rank_reach_list(const struct partition *partition, const int32_t *others, int64_t count,
                            struct rank_reach *made, struct error *error)
{
    int64_t ranks = partition->exchange->count;
    made->given_begin = memory_zeros(ranks + 1, sizeof(int64_t), what, error);
    made->wanted_begin = memory_zeros(ranks + 1, sizeof(int64_t), what, error);
    if (!made->given_begin || !made->wanted_begin)
        return STATUS_MEMORY;
    find_given(partition, others, count, made);
    return find_wanted(partition, others, made, error);
}

enum status rank_reach_create(const struct partition *partition, const int32_t *others,
                              int64_t count, struct rank_reach *made, struct error *error)
{
    made->own = partition_rows(partition);
    made->given = memory_array(count + 1, sizeof *made->given, what, error);
    if (!made->given)
        return STATUS_MEMORY;
    while (made->below < count && others[made->below] < partition_first(partition))
        made->below++;
    made->above = count - made->below;
    for (int64_t k = 0; k < count; k++)
        made->given[k] = (int32_t)(k < made->below ? k : made->own + k);
    return rank_reach_list(partition, others, count, made, error);
}

void rank_reach_free(struct rank_reach *reach)
{
    memory_free(reach->wanted_begin);
    memory_free(reach->given_begin);
    memory_free(reach->wanted);
    memory_free(reach->given);
    *reach = (struct rank_reach){.below = 0};
}
