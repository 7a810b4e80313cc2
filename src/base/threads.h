/* Threads, and loops that they share.
 *
 * All loops that several threads share, of set-up and of every iteration, go through threads_each
 * and threads_take, and not through OpenMP, for two reasons. One is how threads wait. An iteration
 * has several loops of some microseconds, so a thread that has finished spins until the others
 * have, and sleeps only when that takes too long. OpenMP leaves to the environment how long that
 * is, and libgomp's milliseconds are a time slice: where other programs run, a thread spins for one
 * that cannot run because it spins, and all takes 20 times as long. Here no thread spins for longer
 * than THREADS_SPIN, and a team that spins in vain rests: its threads sleep between loops, and a
 * loop waits only for those that woke up in time to take a piece of it, or one thread does the
 * loops alone, whichever takes less time. No sum depends on which. The other is a thread that the
 * system refuses: OpenMP's runtime ends the process, and here the loop has a thread less.
 *
 * The system places the threads on the processors that the one that makes them may run on. */
#ifndef BASE_THREADS_H
#define BASE_THREADS_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Seconds: more than threads with equal shares of some milliseconds differ by, less than a time
 * slice. */
#define THREADS_SPIN 1e-3

/* How many threads a system is solved with: `asked`, or where that is 0 one for each 2^15 entries
 * that its matrix stores, at least 1 and at most processors_wanted(). Below that a thread more
 * costs as long, a few microseconds in each of the loops of an iteration, as it saves. */
int threads_for(int asked, int64_t entries);

/* A team: whoever asks for a loop, and workers that wait for one. Several teams may work at the
 * same time, for several threads of a program. */
struct threads;

/* A team of that many threads; 0: processors_wanted(). It has fewer where the system refuses them.
 * After a fork both processes may use it. The caller calls threads_destroy when all its loops have
 * ended. Errors: STATUS_MEMORY; *made is then NULL. */
enum status threads_create(int threads, struct threads **made, struct error *error);
void threads_destroy(struct threads *threads); /* accepts NULL */

/* How many were asked for; of NULL 1. */
int threads_count(const struct threads *threads);

/* From here on the calling thread sets matrices, problems and operators up with this team; NULL:
 * with no other thread. The result is the team before, which the caller lends again. The team is
 * borrowed. threads_lent() is NULL in a loop's body, and in a thread without a team. */
struct threads *threads_lend(struct threads *team);
struct threads *threads_lent(void);

/* threads_create, and threads_lend of that team until threads_end, which destroys it and lends
 * `before` again. The caller calls threads_end, also after a failure, which lends NULL. */
enum status threads_begin(int threads, struct threads **before, struct error *error);
void threads_end(struct threads *before);

/* The indices begin <= i < end of a loop. */
typedef void threads_body(void *context, int64_t begin, int64_t end);

/* body(context, begin, end) on equal, neighbouring shares of 0 <= i < count, one a thread: the
 * shares of OpenMP's schedule(static); smaller parts where the team rests. Returns when all are
 * done. While another loop of the team goes on, one of its bodies or another thread of the program
 * may call this function: it is then one call of the body for all indices, as it is for NULL. */
void threads_each(struct threads *threads, int64_t count, threads_body *body, void *context);

/* The same in pieces of `piece` indices, each to the thread that comes first: whose they are, and
 * in which order they are done, differs from run to run. OpenMP's schedule(dynamic, piece). */
void threads_take(struct threads *threads, int64_t count, int64_t piece, threads_body *body,
                  void *context);

/* Sums, minima and maxima over the threads of a loop. A body first collects over its own indices,
 * and then changes the common number once: *place becomes its sum with `value`, or the lesser or
 * the greater of the two. A NaN is neither. */
#define ATOMIC_ADD(place, value) ATOMIC_CHANGE(place, value, true, was_ + own_)
#define ATOMIC_LEAST(place, value) ATOMIC_CHANGE(place, value, own_ < was_, own_)
#define ATOMIC_MOST(place, value) ATOMIC_CHANGE(place, value, own_ > was_, own_)

#define ATOMIC_CHANGE(place, value, changes, becomes)                                              \
    do {                                                                                           \
        __typeof__(*(place)) own_ = (value), was_, now_;                                           \
        __atomic_load(place, &was_, __ATOMIC_RELAXED);                                             \
        do                                                                                         \
            now_ = (becomes);                                                                      \
        while ((changes) && !__atomic_compare_exchange(place, &was_, &now_, true,                  \
                                                       __ATOMIC_RELAXED, __ATOMIC_RELAXED));       \
    } while (0)

#ifdef __cplusplus
}

/* threads_each and threads_take of the lent team, with a lambda. */
template <typename Body> static void each_of_some(void *context, int64_t i, int64_t end)
{
    for (; i < end; i++)
        (*(Body *)context)(i);
}

/* body(i) for every 0 <= i < count, by equal shares; or in pieces of that many. */
template <typename Body> static void each_index(int64_t count, Body body)
{
    threads_each(threads_lent(), count, each_of_some<Body>, &body);
}

template <typename Body> static void each_index(int64_t count, int64_t piece, Body body)
{
    threads_take(threads_lent(), count, piece, each_of_some<Body>, &body);
}
#endif
#endif
