#include "base/threads.h"

#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

int threads_available(void)
{
    return omp_get_num_procs();
}

void threads_use(int threads)
{
    omp_set_dynamic(0);
    omp_set_num_threads(threads > 0 ? threads : threads_available());
}

int threads_count(void)
{
    return omp_get_max_threads();
}

/* --- waiting ---------------------------------------------------------------------------------- */

/* A number that grows, and threads that wait for it. What was written before it was set is seen by
 * those that saw it. */
struct awaited_number {
    _Alignas(128) _Atomic uint64_t value;
    _Atomic int asleep; /* threads that want to be woken */
    pthread_mutex_t lock;
    pthread_cond_t changed;
};

static void set_number(struct awaited_number *number, uint64_t value)
{
    atomic_store(&number->value, value);
    if (atomic_load(&number->asleep) == 0)
        return;
    pthread_mutex_lock(&number->lock);
    pthread_cond_broadcast(&number->changed);
    pthread_mutex_unlock(&number->lock);
}

/* Not clock_seconds, which a test may replace. */
static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static inline void pause_processor(void)
{
#if defined __x86_64__ || defined __i386__
    __builtin_ia32_pause();
#elif defined __aarch64__
    __asm__ volatile("yield");
#endif
}

/* Whether the value becomes `wanted` or more within THREADS_SPIN. */
static bool spin(const _Atomic uint64_t *value, uint64_t wanted)
{
    enum { TURNS = 64 }; /* between two looks at the clock: a microsecond or two */
    double end = 0;
    for (int turn = 1; atomic_load_explicit(value, memory_order_acquire) < wanted; turn++) {
        pause_processor();
        if (turn % TURNS != 0)
            continue;
        double time = now();
        if (end == 0)
            end = time + THREADS_SPIN;
        if (time > end)
            return false;
    }
    return true;
}

/* A thread that spins in vain takes the processor from the one that it waits for, and is made to
 * wait itself when that one comes; one that sleeps at once is soon given a processor when it is
 * woken. So after some vain spins it sleeps at once, and spins again now and then to see whether
 * that helps. */
static bool spin_if_it_helps(const _Atomic uint64_t *value, uint64_t wanted)
{
    enum { VAIN = 2, SLEEPS = 64 };
    static _Thread_local int vain, sleeps;
    if (vain >= VAIN && sleeps < SLEEPS) {
        sleeps++;
        return false;
    }
    bool seen = spin(value, wanted);
    vain = seen ? 0 : vain + 1;
    sleeps = 0;
    return seen;
}

static void await_number(struct awaited_number *number, uint64_t wanted, bool spins)
{
    if (spins && spin_if_it_helps(&number->value, wanted))
        return;
    pthread_mutex_lock(&number->lock);
    atomic_fetch_add(&number->asleep, 1);
    while (atomic_load(&number->value) < wanted)
        pthread_cond_wait(&number->changed, &number->lock);
    atomic_fetch_sub(&number->asleep, 1);
    pthread_mutex_unlock(&number->lock);
}

/* --- the team --------------------------------------------------------------------------------- */

/* A loop. Thread t of `threads` takes its share of the indices, or pieces from `next` on. */
struct loop {
    threads_body *body;
    void *context;
    int64_t count, piece; /* piece = 0: shares */
};

/* The workers of the process; whoever asks for a loop is thread 0 of it. */
static struct team {
    int asked;   /* threads that the team was made for; 0: there is none */
    int threads; /* that it has */
    bool spins;  /* there is a processor for each */
    bool leaves;
    pthread_t *workers; /* [threads - 1] */
    struct loop loop;
    _Alignas(128) _Atomic int64_t next;
    _Alignas(128) _Atomic uint64_t present; /* threads that have come for pieces */
    _Alignas(128) _Atomic int working;      /* workers that have not finished the loop */
    struct awaited_number begun, finished;  /* the number of the loop */
} team = {
    .begun = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER},
    .finished = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER},
};

static atomic_flag team_is_busy = ATOMIC_FLAG_INIT;

/* --- processors ------------------------------------------------------------------------------- */

#ifdef __linux__
static struct {
    cpu_set_t allowed; /* to the thread that made the team */
    int first;         /* thread 0 began the loop on this one */
} processors;

static void note_allowed_processors(void)
{
    sched_getaffinity(0, sizeof processors.allowed, &processors.allowed);
}

static void note_first_processor(void)
{
    processors.first = sched_getcpu();
}

/* The system likes to wake a thread on the processor of the one that wakes it, and on a machine
 * that is full of other programs it leaves it there. Then the two take turns, and the order of the
 * pieces is the same every time. */
static void leave_first_processor(void)
{
    if (!team.spins || sched_getcpu() != processors.first)
        return;
    cpu_set_t others = processors.allowed;
    CPU_CLR(processors.first, &others);
    pthread_setaffinity_np(pthread_self(), sizeof others,
                           &others); /* refused where there are no others */
}

/* Where OpenMP binds its threads to processors (OMP_PROC_BIND), the workers stand on the same ones:
 * what its threads wrote first lies near them. */
static void bind_workers(void)
{
    if (omp_get_proc_bind() == omp_proc_bind_false)
        return;
#pragma omp parallel num_threads(team.threads)
    {
        int thread = omp_get_thread_num();
        cpu_set_t own;
        if (thread > 0 && sched_getaffinity(0, sizeof own, &own) == 0)
            pthread_setaffinity_np(team.workers[thread - 1], sizeof own, &own);
    }
}
#else /* the system places the threads */
static void note_allowed_processors(void)
{
}
static void note_first_processor(void)
{
}
static void leave_first_processor(void)
{
}
static void bind_workers(void)
{
}
#endif

/* --- a loop ----------------------------------------------------------------------------------- */

static void do_share(const struct loop *loop, int thread, int threads)
{
    int64_t size = loop->count / threads, more = loop->count % threads;
    int64_t begin = thread * size + (thread < more ? thread : more);
    int64_t end = begin + size + (thread < more);
    if (begin < end)
        loop->body(loop->context, begin, end);
}

/* The threads begin together, as those of a GPU do: a late one would find nothing left of a small
 * loop, and the order in which the pieces are done would be the same every time. */
static void do_pieces(const struct loop *loop)
{
    atomic_fetch_add(&team.present, 1);
    if (team.spins)
        spin(&team.present, (uint64_t)team.threads);
    for (;;) {
        int64_t begin = atomic_fetch_add_explicit(&team.next, loop->piece, memory_order_relaxed);
        if (begin >= loop->count)
            return;
        int64_t left = loop->count - begin;
        loop->body(loop->context, begin, begin + (left < loop->piece ? left : loop->piece));
    }
}

static void do_part(int thread)
{
    if (team.loop.piece > 0)
        do_pieces(&team.loop);
    else
        do_share(&team.loop, thread, team.threads);
}

/* A worker, which is told its number. */
static void *work(void *argument)
{
    int thread = (int)(intptr_t)argument;
    for (uint64_t seen = 0;; seen++) {
        await_number(&team.begun, seen + 1, team.spins);
        if (team.leaves)
            return NULL;
        leave_first_processor();
        do_part(thread);
        if (atomic_fetch_sub(&team.working, 1) == 1)
            set_number(&team.finished, seen + 1);
    }
}

static void team_dismiss(void)
{
    team.leaves = true;
    set_number(&team.begun, atomic_load(&team.begun.value) + 1);
    for (int k = 0; k + 1 < team.threads; k++)
        pthread_join(team.workers[k], NULL);
    free(team.workers);
    team.workers = NULL;
    team.asked = 0;
    team.leaves = false;
    atomic_store(&team.begun.value, 0);
    atomic_store(&team.finished.value, 0);
}

/* Signals are for the threads of the program. */
static void team_make(int threads)
{
    team.asked = threads;
    team.threads = 1;
    team.spins = threads <= threads_available();
    note_allowed_processors();
    team.workers = calloc((size_t)threads - 1, sizeof *team.workers);
    if (!team.workers)
        return;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    while (team.threads < threads && pthread_create(&team.workers[team.threads - 1], NULL, work,
                                                    (void *)(intptr_t)team.threads) == 0)
        team.threads++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    bind_workers();
}

static void team_end(void)
{
    if (team.asked > 0 && !atomic_flag_test_and_set(&team_is_busy))
        team_dismiss();
}

static void begin_anew(struct awaited_number *number)
{
    pthread_mutex_init(&number->lock, NULL);
    pthread_cond_init(&number->changed, NULL);
    atomic_store(&number->asleep, 0);
    atomic_store(&number->value, 0);
}

/* A fork has this thread alone. */
static void forget_team(void)
{
    free(team.workers);
    team.workers = NULL;
    team.asked = 0;
    begin_anew(&team.begun);
    begin_anew(&team.finished);
    atomic_flag_clear(&team_is_busy);
}

static void register_ends(void)
{
    atexit(team_end);
    pthread_atfork(NULL, NULL, forget_team);
}

static void run(const struct loop *loop)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    int threads = threads_count();
    if (threads == 1 || atomic_flag_test_and_set(&team_is_busy)) {
        if (loop->count > 0)
            loop->body(loop->context, 0, loop->count);
        return;
    }
    pthread_once(&once, register_ends);
    if (team.asked != threads) {
        if (team.asked > 0)
            team_dismiss();
        team_make(threads);
    }
    uint64_t number = atomic_load(&team.begun.value);
    team.loop = *loop;
    note_first_processor();
    atomic_store_explicit(&team.next, 0, memory_order_relaxed);
    atomic_store_explicit(&team.present, 0, memory_order_relaxed);
    atomic_store_explicit(&team.working, team.threads - 1, memory_order_relaxed);
    set_number(&team.begun, number + 1);
    do_part(0);
    if (team.threads > 1)
        await_number(&team.finished, number + 1, team.spins);
    else
        set_number(&team.finished, number + 1);
    atomic_flag_clear(&team_is_busy);
}

void threads_each(int64_t count, threads_body *body, void *context)
{
    run(&(struct loop){body, context, count, 0});
}

void threads_take(int64_t count, int64_t piece, threads_body *body, void *context)
{
    run(&(struct loop){body, context, count, piece});
}
