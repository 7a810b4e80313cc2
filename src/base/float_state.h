/* The floating-point state of a thread: its rounding mode, whether subnormal numbers become 0, its
 * traps and flags. A caller's may be any: a host that was linked with -ffast-math has subnormal
 * numbers become 0. Bits that are promised are those of the default state, so a call works in that,
 * and gives the caller's back. A thread begins with the state of the one that makes it. */
#ifndef BASE_FLOAT_STATE_H
#define BASE_FLOAT_STATE_H

#include <fenv.h>

static inline void float_state_begin(fenv_t *host)
{
    fegetenv(host);
    fesetenv(FE_DFL_ENV);
}

/* The results of the calls between the two are in memory, or volatile: no compiler computes them
 * after this call then. */
static inline void float_state_end(const fenv_t *host)
{
    fesetenv(host);
}

#endif
