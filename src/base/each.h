/* For C++: threads_each and threads_take of the calling thread's lent team, with a lambda. */
#ifndef BASE_EACH_H
#define BASE_EACH_H

#include "base/threads.h"

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
