/* An exchange by functions of the caller's (struct cgs_exchange). */
#ifndef API_EXCHANGE_H
#define API_EXCHANGE_H

#include "base/exchange.h"
#include "cgsolve/cgsolve.h"

/* An exchange over a copy of the table. The caller calls api_exchange_destroy. Errors:
 * STATUS_CONFIG, STATUS_MEMORY. */
enum status api_exchange_create(const struct cgs_exchange *table, struct exchange **made,
                                struct error *error);
void api_exchange_destroy(struct exchange *exchange); /* accepts NULL */

#endif
