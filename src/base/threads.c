#include "base/threads.h"

#include "base/memory.h"
#include "base/processors.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

int threads_for(int asked, int64_t entries)
{
    int64_t pay = entries >> 15, most = processors_wanted();
    return asked > 0 ? asked : pay < 1 ? 1 : (int)(pay < most ? pay : most);
}

/* --- waiting ---------------------------------------------------------------------------------- */

/* Bytes between variables of different threads: two cache lines, which a processor may prefetch
 * together. */
enum { APART = 128 };

/* An increasing number, and threads that wait for it. Stores before it was set are visible to
 * threads that saw it. */
struct awaited_number {
    _Atomic uint64_t value;
    _Atomic int asleep; /* sleeping threads */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    char apart[APART];
};

/* Unique also among forks. */
static void begin_number(struct awaited_number *number)
{
    pthread_mutex_init(&number->lock, NULL);
    pthread_cond_init(&number->changed, NULL);
    atomic_store(&number->asleep, 0);
    atomic_store(&number->value, 0);
}

static void end_number(struct awaited_number *number)
{
    pthread_mutex_destroy(&number->lock);
    pthread_cond_destroy(&number->changed);
}

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

/* A thread that spins in vain takes the processor from the awaited thread, and then has to wait for
 * its next time slice. A thread that sleeps gets a processor soon after it is woken. So after some
 * vain spins it sleeps at once, and spins again now and then to see whether spinning helps. */
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
    bool spins;           /* threads wait by spinning */
};

/* One word holds the state of a loop: its number, its number of workers, and whether workers may
 * still enter. A CLOSED loop has all workers from its beginning, and ends when the last worker
 * leaves. A worker enters an OPEN loop when it is awake, and finds pieces or nothing; the loop
 * closes when thread 0 finds no piece, and ends when the workers in it leave. So nobody waits for a
 * worker that has no processor. */
enum { OPEN = 1, CLOSED = 2, WORKER = 4, LOOP = 1 << 20 };

struct worker {
    struct threads *team;
    int number; /* 1, 2, ...: thread 0 of a loop is its caller */
    pthread_t thread;
};

struct threads {
    int asked;  /* threads that the team was made for */
    int count;  /* that it has */
    bool spins; /* there is a processor for each */
    atomic_bool leaves;
    _Atomic int vain;     /* vain spins since its last rest */
    int rests, rest;      /* loops of a rest, without spinning; and those left */
    double shared, alone; /* seconds of the trials of this rest */
    uint64_t process;     /* whose the workers are */
    struct loop loop;
    int64_t piece; /* in which the loop is cut; 0: shares */
#ifdef __linux__
    cpu_set_t allowed[PROCESSOR_SETS]; /* processors, to the thread that made the workers */
    int first;                         /* thread 0 began the loop on this one */
#endif
    _Atomic uint64_t busy; /* the process in which a loop goes on; 0: none */
    char before_next[APART];
    _Atomic int64_t next; /* index that no thread has taken */
    char before_present[APART];
    _Atomic uint64_t present; /* threads that have come for pieces */
    char before_inside[APART];
    _Atomic uint64_t inside; /* workers, and the loop */
    char before_begun[APART];
    struct awaited_number begun, finished; /* the number of the loop */
    struct worker workers[];               /* [asked - 1], of which count - 1 run */
};

/* A fork has none of the workers. */
static _Atomic uint64_t this_process = 1;

static void count_process(void)
{
    atomic_fetch_add(&this_process, 1);
}

static void watch_forks(void)
{
    pthread_atfork(NULL, NULL, count_process);
}

int threads_count(const struct threads *team)
{
    return team ? team->asked : 1;
}

static _Thread_local struct threads *lent;

struct threads *threads_lend(struct threads *team)
{
    struct threads *before = lent;
    lent = team;
    return before;
}

struct threads *threads_lent(void)
{
    return lent;
}

/* --- processors ------------------------------------------------------------------------------- */

#ifdef __linux__
static void note_allowed_processors(struct threads *team)
{
    sched_getaffinity(0, sizeof team->allowed, team->allowed);
}

static void note_first_processor(struct threads *team)
{
    team->first = sched_getcpu();
}

/* Linux tends to wake a thread on the processor of its waker, and on a busy machine it leaves it
 * there. Then the two threads alternate, and the order of the pieces never changes. So a thread
 * that spins, or takes pieces, leaves that processor. Later it may come back: a free processor is
 * better than a processor of its own. */
static void choose_processor(const struct threads *team)
{
    static _Thread_local bool left;
    bool leaves = team->spins && (team->loop.spins || team->loop.piece > 0);
    if (leaves ? sched_getcpu() != team->first : !left)
        return;
    cpu_set_t chosen[PROCESSOR_SETS];
    memcpy(chosen, team->allowed, sizeof chosen);
    if (leaves)
        CPU_CLR_S(team->first, sizeof chosen, chosen);
    pthread_setaffinity_np(pthread_self(), sizeof chosen,
                           chosen); /* fails if no other is allowed */
    left = leaves;
}
#else /* the system places the threads */
static void note_allowed_processors(struct threads *team)
{
    (void)team;
}
static void note_first_processor(struct threads *team)
{
    (void)team;
}
static void choose_processor(const struct threads *team)
{
    (void)team;
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

/* The threads begin together, as on a GPU. Otherwise a late thread would find no piece of a small
 * loop, and the order of the pieces would never change. */
static void do_pieces(struct threads *team)
{
    const struct loop *loop = &team->loop;
    atomic_fetch_add(&team->present, 1);
    if (loop->spins && !spin(&team->present, (uint64_t)team->count))
        atomic_fetch_add(&team->vain, 1);
    for (;;) {
        int64_t begin = atomic_fetch_add_explicit(&team->next, team->piece, memory_order_relaxed);
        if (begin >= loop->count)
            return;
        int64_t left = loop->count - begin;
        loop->body(loop->context, begin, begin + (left < team->piece ? left : team->piece));
    }
}

static void do_part(struct threads *team, int thread)
{
    if (team->piece > 0)
        do_pieces(team);
    else
        do_share(&team->loop, thread, team->count);
}

/* Whether a worker is one of the loop's. */
static bool enter(struct threads *team, uint64_t number)
{
    uint64_t inside = atomic_load(&team->inside);
    while (inside / LOOP == number && inside & OPEN)
        if (atomic_compare_exchange_weak(&team->inside, &inside, inside + WORKER))
            return true;
    return inside / LOOP == number && inside & CLOSED;
}

static uint64_t workers_of(uint64_t inside)
{
    return inside % LOOP / WORKER;
}

static void leave(struct threads *team, uint64_t number)
{
    uint64_t before = atomic_fetch_sub(&team->inside, WORKER);
    if (workers_of(before) == 1 && !(before & OPEN))
        set_number(&team->finished, number);
}

/* Nobody knows when the first loop comes, so a worker sleeps until then. */
static void *work(void *argument)
{
    const struct worker *worker = argument;
    struct threads *team = worker->team;
    bool spins = false;
    for (uint64_t seen = 0;;) {
        await_number(&team->begun, seen + 1, spins);
        seen = atomic_load(&team->begun.value);
        if (team->leaves)
            return NULL;
        if (!enter(team, seen))
            continue;
        choose_processor(team);
        spins = team->loop.spins;
        do_part(team, worker->number);
        leave(team, seen);
    }
}

/* Signals are for the threads of the program. */
static void make_workers(struct threads *team)
{
    team->count = 1;
    atomic_store(&team->inside, 0);
    team->process = atomic_load(&this_process);
    begin_number(&team->begun);
    begin_number(&team->finished);
    note_allowed_processors(team);
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    for (; team->count < team->asked; team->count++) {
        struct worker *worker = &team->workers[team->count - 1];
        *worker = (struct worker){.team = team, .number = team->count};
        if (pthread_create(&worker->thread, NULL, work, worker) != 0)
            break;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

enum status threads_create(int threads, struct threads **made, struct error *error)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    int asked = threads > 0 ? threads : processors_wanted();
    size_t size = sizeof(struct threads) + (size_t)(asked - 1) * sizeof(struct worker);
    struct threads *team = *made = memory_zeros(1, size, "a team of threads", error);
    if (!team)
        return STATUS_MEMORY;
    team->asked = asked;
    team->spins = asked <= processors_available();
    pthread_once(&once, watch_forks);
    make_workers(team);
    return STATUS_OK;
}

static void dismiss_workers(struct threads *team)
{
    team->leaves = true;
    set_number(&team->begun, atomic_load(&team->begun.value) + 1);
    for (int k = 0; k + 1 < team->count; k++)
        pthread_join(team->workers[k].thread, NULL);
    end_number(&team->begun);
    end_number(&team->finished);
}

void threads_destroy(struct threads *team)
{
    if (!team)
        return;
    if (team->process == atomic_load(&this_process))
        dismiss_workers(team);
    memory_free(team);
}

enum status threads_begin(int threads, struct threads **before, struct error *error)
{
    struct threads *team;
    enum status status = threads_create(threads, &team, error);
    *before = threads_lend(team);
    return status;
}

void threads_end(struct threads *before)
{
    threads_destroy(threads_lend(before));
}

/* --- where other programs want the processors ------------------------------------------------ */

/* On a busy machine a spinning thread may hold the processor that the awaited thread needs; each
 * loop then takes a time slice. After two spins in vain the team therefore rests, each time for
 * twice as many loops; one that has more threads than processors always does. The loops of a rest
 * are open, and cut into pieces. A rest begins with a trial: 64 open loops, then 64 that thread 0
 * does alone, or as many as fit into the same time. The rest goes on in the faster way.
 * A loop longer than LONG is no sign of a busy machine: its shares may differ by as much. Loops
 * asked for in pieces are always open, because a kernel asks for them to show their order. */
enum way { SPIN, SHARE, ALONE };

enum { VAIN = 2, TRIAL = 64, RESTS = 4 * TRIAL, RESTS_MOST = 1 << 14 };
static const double LONG = 0.02; /* seconds: some time slices */

static void begin_rest(struct threads *team)
{
    atomic_store(&team->vain, 0);
    team->rests = team->rests == 0           ? RESTS
                  : team->rests < RESTS_MOST ? 2 * team->rests
                                             : RESTS_MOST;
    team->rest = team->rests;
    team->shared = team->alone = 0;
}

static enum way way_of(struct threads *team, const struct loop *loop)
{
    if (team->spins && team->rest == 0 && atomic_load(&team->vain) < VAIN)
        return SPIN;
    if (team->rest == 0)
        begin_rest(team);
    int before = team->rests - team->rest--;
    if (loop->piece > 0 || before < TRIAL)
        return SHARE;
    return team->alone < team->shared ? ALONE : SHARE;
}

/* The seconds of a loop without spinning and without pieces. */
static void note_time(struct threads *team, enum way way, double seconds)
{
    int done = team->rests - team->rest;
    if (way == SHARE && done <= TRIAL)
        team->shared += seconds;
    else if (way == ALONE && done <= 2 * TRIAL)
        team->alone += seconds;
}

/* Takes the team for this loop, if it is free. A loop that ran when the process was forked never
 * ends. */
static bool take_team(struct threads *team)
{
    uint64_t now = atomic_load(&this_process), busy = atomic_load(&team->busy);
    return busy != now && atomic_compare_exchange_strong(&team->busy, &busy, now);
}

/* Whether thread 0 spun in vain. */
static bool await_workers(struct threads *team, uint64_t number)
{
    if (workers_of(atomic_fetch_and(&team->inside, ~(uint64_t)OPEN)) == 0)
        return false;
    bool spins = team->loop.spins, seen = spins && spin(&team->finished.value, number);
    if (!seen)
        await_number(&team->finished, number, false);
    return spins && !seen;
}

static void run_alone(const struct loop *loop)
{
    if (loop->count > 0)
        loop->body(loop->context, 0, loop->count);
}

/* Whether thread 0 spun in vain. */
static bool run_together(struct threads *team, const struct loop *loop, bool spins)
{
    enum { PIECES = 4 }; /* for each thread */
    uint64_t number = atomic_load(&team->begun.value) + 1, workers = (uint64_t)team->count - 1;
    team->loop = *loop;
    team->loop.spins = spins;
    bool cut = !spins && loop->piece == 0;
    team->piece = cut ? loop->count / (PIECES * team->count) + 1 : loop->piece;
    note_first_processor(team);
    atomic_store_explicit(&team->next, 0, memory_order_relaxed);
    atomic_store_explicit(&team->present, 0, memory_order_relaxed);
    atomic_store(&team->inside, number * LOOP + (spins ? CLOSED + workers * WORKER : OPEN));
    set_number(&team->begun, number);
    do_part(team, 0);
    return await_workers(team, number);
}

static bool is_one_piece(const struct loop *loop)
{
    return loop->count <= (loop->piece > 1 ? loop->piece : 1);
}

static void run_loop(struct threads *team, const struct loop *loop)
{
    if (threads_count(team) == 1 || is_one_piece(loop) || !take_team(team)) {
        run_alone(loop);
        return;
    }
    if (team->process != atomic_load(&this_process))
        make_workers(team);
    enum way way = way_of(team, loop);
    double begin = now();
    bool vain = way != ALONE && run_together(team, loop, way == SPIN);
    if (way == ALONE)
        run_alone(loop);
    double seconds = now() - begin;
    if (vain && seconds < LONG)
        atomic_fetch_add(&team->vain, 1);
    if (way != SPIN && loop->piece == 0)
        note_time(team, way, seconds);
    atomic_store(&team->busy, 0);
}

/* A loop inside a loop's body runs on the body's thread. */
static void run(struct threads *team, const struct loop *loop)
{
    struct threads *before = lent;
    lent = NULL;
    run_loop(team, loop);
    lent = before;
}

void threads_each(struct threads *team, int64_t count, threads_body *body, void *context)
{
    run(team, &(struct loop){body, context, count, 0, false});
}

void threads_take(struct threads *team, int64_t count, int64_t piece, threads_body *body,
                  void *context)
{
    run(team, &(struct loop){body, context, count, piece, false});
}
