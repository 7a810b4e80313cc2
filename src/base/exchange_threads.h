/* Ranks that are threads of one process. */
#ifndef BASE_EXCHANGE_THREADS_H
#define BASE_EXCHANGE_THREADS_H

#include "base/exchange.h"

/* What `count` ranks share. The caller calls exchange_team_destroy when all of them have ended.
 * Errors: STATUS_MEMORY. */
struct exchange_team;
enum status exchange_team_create(int count, struct exchange_team **made, struct error *error);
void exchange_team_destroy(struct exchange_team *team); /* accepts NULL */

/* Of rank number `rank`, used by one thread at a time. The team's. */
struct exchange *exchange_of_thread(struct exchange_team *team, int rank);

#endif
