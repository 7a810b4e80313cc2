/* OpenMP threads. */
#ifndef BASE_THREADS_H
#define BASE_THREADS_H

/* Processors that this process may run on. */
int threads_available(void);

/* Use that many in every parallel region from here on; 0: threads_available(). */
void threads_use(int threads);

/* How many a parallel region will use. */
int threads_count(void);

#endif
