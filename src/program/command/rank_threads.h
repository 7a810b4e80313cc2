/* Ranks that are threads of this program (base/exchange.h). */
#ifndef PROGRAM_COMMAND_RANK_THREADS_H
#define PROGRAM_COMMAND_RANK_THREADS_H

#include "base/exchange.h"

/* A rank, as its work sees it. */
struct rank_thread {
    struct exchange *exchange;
};

/* What it does, in a thread of its own. */
typedef enum status rank_work(void *context, struct rank_thread *rank, struct error *error);

/* Before the work gives back that error: to end what is on its way on a device may take the other
 * ranks, who know of it from here on. */
void rank_thread_fails(struct rank_thread *rank, enum status status, const struct error *error);

/* work(context, ...) by that many ranks at once; returns when all have ended. devices[count]: what
 * each rank is called by in a sentence; NULL: by its number alone. Where one fails the others end
 * too, and its status and sentence are given back. Those that do not end in a few seconds wait for
 * it on a device: the program ends then (program_ranks_leave). Errors: those of the work;
 * STATUS_MEMORY. */
enum status rank_threads_run(int count, const int64_t *devices, rank_work *work, void *context,
                             struct error *error);

#endif
