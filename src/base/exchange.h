/* Ranks, each with a part of the problem, and the exchange of bytes between them. A rank is a
 * process (exchange_mpi.c) or a thread (exchange_team_create).
 *
 * A transport adds nothing: bytes arrive as they were sent, and the receiver does the arithmetic.
 * So no bit of a result depends on the transport.
 *
 * All ranks call the same operations in the same order. A rank that cannot go on calls `abandon`.
 * Then the waiting ranks get STATUS_RANK from their call, or are ended: no rank waits for ever. */
#ifndef BASE_EXCHANGE_H
#define BASE_EXCHANGE_H

#include "base/status.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct exchange;

/* `bytes` to or from another rank; none where they are 0. */
struct exchange_piece {
    void *memory;
    int64_t bytes;
};

struct exchange_operations {
    /* All-gather: all[begin[r] ... begin[r + 1]] = the bytes of rank r, in every rank. begin[count
     * + 1] is equal in all ranks. `own` may point to its place in `all`. Errors: STATUS_RANK. */
    enum status (*gather)(struct exchange *exchange, const void *own, const int64_t *begin,
                          void *all, struct error *error);

    /* All-to-all: sends send[r] to rank r and receives receive[r] from rank r, for each r < count.
     * The sender and the receiver give the same length. Errors: STATUS_RANK. */
    enum status (*swap)(struct exchange *exchange, const struct exchange_piece *send,
                        const struct exchange_piece *receive, struct error *error);

    /* This rank cannot go on, because of `why`. If the ranks are processes, all end with that exit
     * status. */
    void (*abandon)(struct exchange *exchange, int exit_status, const char *why);
};

/* Every exchange begins with this. */
struct exchange {
    const struct exchange_operations *operations;
    int rank, count; /* 0 <= rank < count */
    int on_host;     /* its number among the ranks of this host */
    int64_t *begins; /* [count + 1]: of exchange_gather_each */
    double seconds;  /* that this rank has spent in `gather` and `swap` so far */
    int agreed;      /* the last exchange_agree (base/agreement.h) has given all ranks an error */
};

/* All-gather of `size` bytes each: all[r] = the bytes of rank r. Allocates nothing. Errors:
 * STATUS_RANK. */
enum status exchange_gather_each(struct exchange *exchange, const void *own, int64_t size,
                                 void *all, struct error *error);

/* The exchange of `count` ranks that are threads of one process. The caller calls
 * exchange_team_destroy after all ranks have ended. Errors: STATUS_MEMORY. */
struct exchange_team;
enum status exchange_team_create(int count, struct exchange_team **made, struct error *error);
void exchange_team_destroy(struct exchange_team *team); /* accepts NULL */

/* Of rank number `rank`, for one thread at a time. The team owns it. */
struct exchange *exchange_of_thread(struct exchange_team *team, int rank);

#ifdef __cplusplus
}
#endif
#endif
