/* The floating-point state of a thread: rounding mode, flush to zero, traps and flags. The caller's
 * state may be any: a program linked with -ffast-math flushes subnormal numbers to zero. The
 * promised bits are those of the default state. So a call works in the default state, and restores
 * the caller's. A new thread inherits the state of its creator. */
#ifndef BASE_FLOAT_STATE_H
#define BASE_FLOAT_STATE_H

#include <fenv.h>

static inline void float_state_begin(fenv_t *host)
{
    fegetenv(host);
    fesetenv(FE_DFL_ENV);
}

/* The results of the calls between begin and end must be in memory, or volatile. Then no compiler
 * moves their computation past this call. */
static inline void float_state_end(const fenv_t *host)
{
    fesetenv(host);
}

#endif
