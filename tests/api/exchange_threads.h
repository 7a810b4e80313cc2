/* Ranks that are threads of a test, by the functions of a caller's. */
#ifndef TESTS_API_EXCHANGE_THREADS_H
#define TESTS_API_EXCHANGE_THREADS_H

#include "base/exchange.h"
#include "cgsolve/cgsolve.h"

/* The table of one of them (ranks.h), which is borrowed. */
struct cgs_exchange exchange_of_team(struct exchange *exchange);

#endif
