#include "api/exchange_threads.h"

#include "ranks.h"

static int gather(void *user, const void *own, const int64_t *begin, void *all,
                  struct cgs_error *why)
{
    struct exchange *exchange = user;
    return (int)exchange->operations->gather(exchange, own, begin, all, (struct error *)why);
}

static int swap(void *user, const struct cgs_piece *send, const struct cgs_piece *receive,
                struct cgs_error *why)
{
    struct exchange *exchange = user;
    struct exchange_piece pieces[2 * TEST_RANKS_MAX];
    for (int r = 0; r < exchange->count; r++) {
        pieces[r] = (struct exchange_piece){send[r].memory, send[r].bytes};
        pieces[exchange->count + r] = (struct exchange_piece){receive[r].memory, receive[r].bytes};
    }
    return (int)exchange->operations->swap(exchange, pieces, pieces + exchange->count,
                                           (struct error *)why);
}

static void abandon(void *user, const char *why)
{
    struct exchange *exchange = user;
    exchange->operations->abandon(exchange, 1, why);
}

struct cgs_exchange exchange_of_team(struct exchange *exchange)
{
    return (struct cgs_exchange){sizeof(struct cgs_exchange),
                                 exchange->rank,
                                 exchange->count,
                                 exchange,
                                 gather,
                                 swap,
                                 abandon};
}
