#include "program/command/interruption.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>

enum { SIGNALS = 3 };
static const int watched[SIGNALS] = {SIGINT, SIGTERM, SIGHUP};

static struct sigaction before[SIGNALS];

/* Not sig_atomic_t: the handler may run on any thread. */
static atomic_int came;
static atomic_bool watching;
_Static_assert(ATOMIC_INT_LOCK_FREE == 2 && ATOMIC_BOOL_LOCK_FREE == 2, "a handler may use them");

/* Called by the handler too. */
void interruption_leave(void)
{
    if (!watching)
        return;
    watching = false;
    for (int k = 0; k < SIGNALS; k++)
        sigaction(watched[k], &before[k], NULL);
}

static void take(int number)
{
    came = number;
    signal(SIGPIPE, SIG_IGN); /* Ctrl-C in `cgsolve ... | tee log` has ended tee, too */
    interruption_leave();
}

void interruption_watch(void)
{
    struct sigaction ours = {.sa_handler = take, .sa_flags = SA_RESTART | SA_RESETHAND};
    sigemptyset(&ours.sa_mask);
    for (int k = 0; k < SIGNALS; k++) { /* one signal blocks the others */
        sigaddset(&ours.sa_mask, watched[k]);
        sigaction(watched[k], NULL, &before[k]);
    }
    watching = true;
    for (int k = 0; k < SIGNALS; k++)
        if (before[k].sa_handler != SIG_IGN)
            sigaction(watched[k], &ours, NULL);
}

void interruption_take(int number)
{
    if (!came)
        take(number);
}

int interruption_came(void)
{
    return came;
}

void interruption_raise(void)
{
    fflush(NULL); /* as exit does */
    signal(came, SIG_DFL);
    raise(came);
}
