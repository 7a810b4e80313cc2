/* Threads, and loops that they share.
 *
 * All shared loops, of set-up and of every iteration, go through threads_each and threads_take, and
 * not through OpenMP, for two reasons. The first is waiting. An iteration has several loops of some
 * microseconds. So a thread that has finished spins until the others have, and sleeps only if that
 * takes too long. With OpenMP the environment sets the spin time, and libgomp's milliseconds are a
 * time slice: beside other programs, a thread spins for another that cannot run because the first
 * spins, and all takes 20 times as long. Here no thread spins for longer than THREADS_SPIN, and a
 * team that spins in vain rests: its threads sleep between loops, and a loop waits only for threads
 * that woke up in time to take a piece; or one thread does the loops alone, if that is faster. No
 * sum depends on this. The second reason is a thread that the system refuses: OpenMP's runtime ends
 * the process, but here the loop has one thread less.
 *
 * The system places the threads on the allowed processors of the thread that creates the team. */
#ifndef BASE_THREADS_H
#define BASE_THREADS_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Seconds: longer than the differences between equal shares of some milliseconds, shorter than a
 * time slice. */
#define THREADS_SPIN 1e-3

/* The number of threads for a system: `asked`; or, if that is 0, one for each 2^15 stored entries
 * of its matrix, at least 1 and at most processors_wanted(). With fewer entries a further thread
 * costs as much as it saves, a few microseconds in each loop of an iteration. */
int threads_for(int asked, int64_t entries);

/* A team: the calling thread, and workers that wait for loops. Several teams may work at the same
 * time, for several threads of a program. */
struct threads;

/* A team of that many threads; 0: processors_wanted(). It has fewer if the system refuses some.
 * After a fork both processes may use it. The caller calls threads_destroy when all its loops have
 * ended. Errors: STATUS_MEMORY; *made is then NULL. */
enum status threads_create(int threads, struct threads **made, struct error *error);
void threads_destroy(struct threads *threads); /* accepts NULL */

/* How many were asked for; of NULL 1. */
int threads_count(const struct threads *threads);

/* From here on the calling thread uses this team for the set-up of matrices, problems and
 * operators; NULL: no other thread. The result is the previous team; the caller lends it again
 * later. The team is borrowed. threads_lent() is NULL in a loop's body, and in a thread without a
 * team. */
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
 * done. During another loop of the team, one of its bodies or another thread of the program may
 * call this function: then it calls the body once, for all indices. It does so for NULL and for a
 * single index too. */
void threads_each(struct threads *threads, int64_t count, threads_body *body, void *context);

/* The same in pieces of `piece` indices, as OpenMP's schedule(dynamic, piece): each piece goes to
 * the first free thread, a single one to the calling thread. The thread and the order of a piece
 * differ from run to run. */
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
