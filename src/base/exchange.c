#include "base/exchange.h"

#include "base/memory.h"

enum status exchange_gather_each(struct exchange *exchange, const void *own, int64_t size,
                                 void *all, struct error *error)
{
    int64_t *begin = memory_array(exchange->count + 1, sizeof *begin, "the ranks", error);
    if (!begin)
        return STATUS_MEMORY;
    for (int r = 0; r <= exchange->count; r++)
        begin[r] = r * size;
    enum status status = exchange->operations->gather(exchange, own, begin, all, error);
    memory_free(begin);
    return status;
}
