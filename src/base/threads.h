/* Threads, and loops that they share.
 *
 * What happens once, reading a file or setting up a kernel, is written with OpenMP. What happens in
 * every iteration of a solve goes through threads_each and threads_take, over a team of threads of
 * their own, for one reason: how they wait. An iteration has several loops of some microseconds, so
 * a thread that has finished spins until the others have, and sleeps only when that takes too long.
 * OpenMP leaves to the environment how long that is, and libgomp's milliseconds are a time slice:
 * where other programs run, a thread spins for one that cannot run because it spins, and a solve
 * takes 20 times as long. Here nobody spins for longer than THREADS_SPIN. */
#ifndef BASE_THREADS_H
#define BASE_THREADS_H

#include <stdint.h>

/* Seconds: more than threads with equal shares of some milliseconds differ by, less than a time
 * slice. */
#define THREADS_SPIN 1e-3

/* Processors that this process may run on. */
int threads_available(void);

/* Use that many in every loop from here on; 0: threads_available(). */
void threads_use(int threads);

/* How many a loop will use. */
int threads_count(void);

/* The indices begin <= i < end of a loop. */
typedef void threads_body(void *context, int64_t begin, int64_t end);

/* body(context, begin, end) on equal, neighbouring shares of 0 <= i < count, one a thread: the
 * shares of OpenMP's schedule(static). Returns when all are done. Called while another loop goes
 * on, by one of its bodies or by another thread of the program, it is one call of the whole. A team
 * has fewer threads than asked for where the system refuses them. */
void threads_each(int64_t count, threads_body *body, void *context);

/* The same in pieces of `piece` indices, each to the thread that comes first: whose they are, and
 * in which order they are done, differs from run to run. OpenMP's schedule(dynamic, piece). */
void threads_take(int64_t count, int64_t piece, threads_body *body, void *context);

#endif
