#include "program/command/rank_threads.h"

#include "base/exchange.h"
#include "base/memory.h"
#include "program/command/ranks.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { PATIENCE = 5 }; /* seconds */

/* A steady clock, if a wait may have one. */
#if _POSIX_CLOCK_SELECTION > 0
#define CREW_CLOCK CLOCK_MONOTONIC
#else
#define CREW_CLOCK CLOCK_REALTIME
#endif

struct rank {
    struct rank_thread base; /* first */
    struct crew *crew;
    pthread_t thread;
    enum status status; /* of the error, which is told once */
    struct error error;
};

struct crew {
    rank_work *work;
    void *context;
    const int64_t *devices; /* or NULL */
    pthread_mutex_t lock;   /* of what follows */
    pthread_cond_t changed;
    int count, running;
    struct rank *first; /* that failed; NULL: none */
    struct rank rank[];
};

/* Noted before the other ranks learn of it, because their later errors are consequences. */
void rank_thread_fails(struct rank_thread *of, enum status status, const struct error *error)
{
    struct rank *rank = (struct rank *)of;
    struct crew *crew = rank->crew;
    if (rank->status)
        return;
    pthread_mutex_lock(&crew->lock);
    rank->status = status;
    rank->error = *error;
    if (!crew->first)
        crew->first = rank;
    pthread_cond_signal(&crew->changed);
    pthread_mutex_unlock(&crew->lock);
    of->exchange->operations->abandon(of->exchange, 1, error->text);
}

static void *run(void *context)
{
    struct rank *rank = context;
    struct crew *crew = rank->crew;
    struct error error;
    enum status status = crew->work(crew->context, &rank->base, &error);
    if (status)
        rank_thread_fails(&rank->base, status, &error);
    pthread_mutex_lock(&crew->lock);
    crew->running--;
    pthread_cond_signal(&crew->changed);
    pthread_mutex_unlock(&crew->lock);
    return NULL;
}

/* The number of started threads; a rank without a thread has failed. */
static int start(struct crew *crew)
{
    for (int r = 0; r < crew->count; r++) {
        struct rank *rank = &crew->rank[r];
        pthread_mutex_lock(&crew->lock);
        crew->running++;
        pthread_mutex_unlock(&crew->lock);
        int refused = pthread_create(&rank->thread, NULL, run, rank);
        if (!refused)
            continue;
        struct error error;
        rank_thread_fails(
            &rank->base,
            error_set(&error, STATUS_MEMORY, "no thread for it: %s", strerror(refused)), &error);
        pthread_mutex_lock(&crew->lock);
        crew->running--;
        pthread_mutex_unlock(&crew->lock);
        return r;
    }
    return crew->count;
}

/* Whether all have ended. */
static bool wait_for_all(struct crew *crew)
{
    struct timespec until = {0};
    bool patient = true;
    pthread_mutex_lock(&crew->lock);
    while (crew->running > 0 && patient) {
        if (!crew->first) {
            pthread_cond_wait(&crew->changed, &crew->lock);
            continue;
        }
        if (until.tv_sec == 0) {
            clock_gettime(CREW_CLOCK, &until);
            until.tv_sec += PATIENCE;
        }
        patient = pthread_cond_timedwait(&crew->changed, &crew->lock, &until) == 0;
    }
    bool ended = crew->running == 0;
    pthread_mutex_unlock(&crew->lock);
    return ended;
}

/* Whether all ranks have the same error, as for wrong input. */
static bool all_say_the_same(const struct crew *crew)
{
    for (int r = 1; r < crew->count; r++)
        if (crew->rank[r].status != crew->rank[0].status ||
            strcmp(crew->rank[r].error.text, crew->rank[0].error.text) != 0)
            return false;
    return true;
}

static enum status blame(const struct crew *crew, bool ended, struct error *error)
{
    char device[40] = "";
    const struct rank *rank = crew->first;
    if (!rank)
        return STATUS_OK;
    int number = rank->base.exchange->rank;
    if (crew->devices)
        snprintf(device, sizeof device, " (device %d)", (int)crew->devices[number]);
    if (ended && all_say_the_same(crew))
        return error_set(error, rank->status, "%s", rank->error.text);
    return error_set(error, rank->status, "rank %d of %d%s: %s", number, crew->count, device,
                     rank->error.text);
}

static enum status run_crew(struct crew *crew, struct error *error)
{
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
#if _POSIX_CLOCK_SELECTION > 0
    pthread_condattr_setclock(&attributes, CREW_CLOCK);
#endif
    pthread_mutex_init(&crew->lock, NULL);
    pthread_cond_init(&crew->changed, &attributes);
    pthread_condattr_destroy(&attributes);
    int started = start(crew);
    bool ended = wait_for_all(crew);
    enum status status = blame(crew, ended, error);
    /* A kernel of a rank's device may wait for data of the failed rank. Only the end of the process
     * ends it, and the thread that waits for it. Until then the thread may read the system and the
     * settings, so they cannot be freed. The files of the study keep their .partial names, as after
     * a kill. */
    for (int r = 0; r < started; r++)
        ended ? pthread_join(crew->rank[r].thread, NULL) : pthread_detach(crew->rank[r].thread);
    if (!ended)
        program_ranks_leave(status, error);
    pthread_cond_destroy(&crew->changed);
    pthread_mutex_destroy(&crew->lock);
    return status;
}

enum status rank_threads_run(int count, const int64_t *devices, rank_work *work, void *context,
                             struct error *error)
{
    struct exchange_team *team;
    enum status status = exchange_team_create(count, &team, error);
    if (status)
        return status;
    int64_t bytes = (int64_t)(sizeof(struct crew) + (size_t)count * sizeof(struct rank));
    struct crew *crew = memory_zeros(bytes, 1, "the ranks", error);
    if (crew) {
        crew->work = work;
        crew->context = context;
        crew->devices = devices;
        crew->count = count;
        for (int r = 0; r < count; r++) {
            crew->rank[r].crew = crew;
            crew->rank[r].base.exchange = exchange_of_thread(team, r);
        }
    }
    status = crew ? run_crew(crew, error) : STATUS_MEMORY;
    memory_free(crew);
    exchange_team_destroy(team);
    return status;
}
