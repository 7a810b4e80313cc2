#include "base/exchange.h"

enum status exchange_gather_each(struct exchange *exchange, const void *own, int64_t size,
                                 void *all, struct error *error)
{
    for (int r = 0; r <= exchange->count; r++)
        exchange->begins[r] = r * size;
    return exchange->operations->gather(exchange, own, exchange->begins, all, error);
}
