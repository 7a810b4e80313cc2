#include "api/exchange.h"

#include "api/handles.h"
#include "base/clock.h"
#include "base/memory.h"

struct given {
    struct exchange base; /* first */
    struct cgs_exchange table;
    struct cgs_piece *pieces; /* [2 count] */
};

static enum status told(int code, const struct cgs_error *why, struct error *error)
{
    if (code == 0)
        return STATUS_OK;
    return why->text[0]
               ? error_set(error, STATUS_RANK, "%s", why->text)
               : error_set(error, STATUS_RANK, "the exchange between ranks failed: %d", code);
}

static enum status gather(struct exchange *exchange, const void *own, const int64_t *begin,
                          void *all, struct error *error)
{
    const struct cgs_exchange *table = &((struct given *)exchange)->table;
    struct cgs_error why = {""};
    double called = clock_seconds();
    int code = table->gather(table->user, own, begin, all, &why);
    exchange->seconds += clock_seconds() - called;
    return told(code, &why, error);
}

static enum status swap(struct exchange *exchange, const struct exchange_piece *send,
                        const struct exchange_piece *receive, struct error *error)
{
    const struct given *given = (struct given *)exchange;
    const struct cgs_exchange *table = &given->table;
    struct cgs_piece *pieces = given->pieces;
    struct cgs_error why = {""};
    double called = clock_seconds();
    for (int r = 0; r < exchange->count; r++) {
        pieces[r] = (struct cgs_piece){send[r].memory, send[r].bytes};
        pieces[exchange->count + r] = (struct cgs_piece){receive[r].memory, receive[r].bytes};
    }
    int code = table->swap(table->user, pieces, pieces + exchange->count, &why);
    exchange->seconds += clock_seconds() - called;
    return told(code, &why, error);
}

static void abandon(struct exchange *exchange, int exit_status, const char *why)
{
    const struct cgs_exchange *table = &((struct given *)exchange)->table;
    (void)exit_status;
    table->abandon(table->user, why);
}

static const struct exchange_operations operations = {
    .gather = gather, .swap = swap, .abandon = abandon};

static enum status check(const struct cgs_exchange *table, struct error *error)
{
    if (table->count < 1 || table->rank < 0 || table->rank >= table->count)
        return error_set(error, STATUS_CONFIG, "an exchange of %d ranks has the rank %d",
                         table->count, table->rank);
    if (!table->gather || !table->swap || !table->abandon)
        return error_set(error, STATUS_CONFIG, "an exchange has no function %s",
                         !table->gather ? "gather"
                         : !table->swap ? "swap"
                                        : "abandon");
    return STATUS_OK;
}

enum status api_exchange_create(const struct cgs_exchange *table, struct exchange **made,
                                struct error *error)
{
    struct cgs_exchange own;
    *made = NULL;
    enum status status =
        api_struct("cgs_exchange", table, table->size, offsetof(struct cgs_exchange, abandon), &own,
                   sizeof own, error);
    if (!status)
        status = check(&own, error);
    if (status)
        return status;
    struct given *given = memory_zeros(1, sizeof *given, "the exchange", error);
    if (!given)
        return STATUS_MEMORY;
    *made = &given->base;
    given->table = own;
    given->base.operations = &operations;
    given->base.rank = own.rank;
    given->base.count = own.count;
    /* after the begins: room for one number of each rank (api_ranks_sum) */
    given->base.begins =
        memory_array(2 * (int64_t)own.count + 1, sizeof *given->base.begins, "the ranks", error);
    given->pieces = memory_array(2 * (int64_t)own.count, sizeof *given->pieces, "the ranks", error);
    if (given->base.begins && given->pieces)
        return STATUS_OK;
    api_exchange_destroy(*made);
    *made = NULL;
    return STATUS_MEMORY;
}

void api_exchange_destroy(struct exchange *exchange)
{
    struct given *given = (struct given *)exchange;
    if (!given)
        return;
    memory_free(given->base.begins);
    memory_free(given->pieces);
    memory_free(given);
}
