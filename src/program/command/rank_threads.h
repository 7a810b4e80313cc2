/* Ranks as threads of this program (base/exchange.h). */
#ifndef PROGRAM_COMMAND_RANK_THREADS_H
#define PROGRAM_COMMAND_RANK_THREADS_H

#include "base/exchange.h"

/* A rank, as its work sees it. */
struct rank_thread {
    struct exchange *exchange;
};

/* Its work, in its own thread. */
typedef enum status rank_work(void *context, struct rank_thread *rank, struct error *error);

/* Call it before the work gives back that error. The other ranks learn of it, because the end of
 * pending work on a device may need them. */
void rank_thread_fails(struct rank_thread *rank, enum status status, const struct error *error);

/* work(context, ...) by that many ranks at once; returns when all have ended. devices[count]: each
 * rank's device, for messages; NULL: only numbers. If one fails, the other ranks end too, and its
 * status and sentence are given back. If a rank does not end in a few seconds, it waits on a
 * device, and the program exits (program_ranks_leave). Errors: those of the work; STATUS_MEMORY. */
enum status rank_threads_run(int count, const int64_t *devices, rank_work *work, void *context,
                             struct error *error);

#endif
