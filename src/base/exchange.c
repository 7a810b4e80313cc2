/* Ranks as threads: the sender's data stay in place, and the receivers copy them between two
 * barriers. */
#include "base/exchange.h"

#include "base/clock.h"
#include "base/memory.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum status exchange_gather_each(struct exchange *exchange, const void *own, int64_t size,
                                 void *all, struct error *error)
{
    for (int r = 0; r <= exchange->count; r++)
        exchange->begins[r] = r * size;
    return exchange->operations->gather(exchange, own, exchange->begins, all, error);
}

struct member {
    struct exchange base; /* first */
    struct exchange_team *team;
    const void *own;                   /* of a gather */
    const struct exchange_piece *send; /* of a swap */
};

struct exchange_team {
    pthread_mutex_t lock;
    pthread_cond_t turned;
    int count, arrived;
    uint64_t turn;
    bool abandoned;
    char why[512];
    int64_t *begins; /* [count][count + 1] */
    struct member member[];
};

/* --- all ranks have come here ----------------------------------------------------------------- */

static enum status barrier(struct exchange_team *team, struct error *error)
{
    enum status status = STATUS_OK;
    pthread_mutex_lock(&team->lock);
    uint64_t turn = team->turn;
    if (!team->abandoned && ++team->arrived == team->count) {
        team->arrived = 0;
        team->turn++;
        pthread_cond_broadcast(&team->turned);
    }
    while (!team->abandoned && team->turn == turn)
        pthread_cond_wait(&team->turned, &team->lock);
    if (team->turn == turn)
        status = error_set(error, STATUS_RANK, "%s", team->why);
    pthread_mutex_unlock(&team->lock);
    return status;
}

static enum status gather(struct exchange *exchange, const void *own, const int64_t *begin,
                          void *all, struct error *error)
{
    struct member *member = (struct member *)exchange;
    struct exchange_team *team = member->team;
    double called = clock_seconds();
    member->own = own;
    enum status status = barrier(team, error);
    for (int r = 0; r < team->count && !status; r++) {
        char *to = (char *)all + begin[r];
        if (to != team->member[r].own)
            memcpy(to, team->member[r].own, (size_t)(begin[r + 1] - begin[r]));
    }
    if (!status)
        status = barrier(team, error);
    exchange->seconds += clock_seconds() - called;
    return status;
}

static enum status swap(struct exchange *exchange, const struct exchange_piece *send,
                        const struct exchange_piece *receive, struct error *error)
{
    struct member *member = (struct member *)exchange;
    struct exchange_team *team = member->team;
    double called = clock_seconds();
    member->send = send;
    enum status status = barrier(team, error);
    for (int r = 0; r < team->count && !status; r++)
        if (receive[r].bytes > 0)
            memcpy(receive[r].memory, team->member[r].send[exchange->rank].memory,
                   (size_t)receive[r].bytes);
    if (!status)
        status = barrier(team, error);
    exchange->seconds += clock_seconds() - called;
    return status;
}

/* The first one to do so says why. */
static void abandon(struct exchange *exchange, int exit_status, const char *why)
{
    (void)exit_status;
    struct exchange_team *team = ((struct member *)exchange)->team;
    pthread_mutex_lock(&team->lock);
    if (!team->abandoned)
        snprintf(team->why, sizeof team->why, "rank %d of %d has ended: %s", exchange->rank,
                 exchange->count, why);
    team->abandoned = true;
    pthread_cond_broadcast(&team->turned);
    pthread_mutex_unlock(&team->lock);
}

static const struct exchange_operations operations = {
    .gather = gather, .swap = swap, .abandon = abandon};

/* --- the team --------------------------------------------------------------------------------- */

enum status exchange_team_create(int count, struct exchange_team **made, struct error *error)
{
    size_t members = (size_t)count * sizeof(struct member);
    struct exchange_team *team = memory_zeros(1, sizeof *team + members, "the ranks", error);
    *made = NULL;
    if (!team)
        return STATUS_MEMORY;
    team->begins =
        memory_array((int64_t)count * (count + 1), sizeof *team->begins, "the ranks", error);
    if (!team->begins) {
        memory_free(team);
        return STATUS_MEMORY;
    }
    *made = team;
    pthread_mutex_init(&team->lock, NULL);
    pthread_cond_init(&team->turned, NULL);
    team->count = count;
    for (int r = 0; r < count; r++) {
        team->member[r].base = (struct exchange){.operations = &operations,
                                                 .rank = r,
                                                 .count = count,
                                                 .on_host = r,
                                                 .begins = team->begins + (int64_t)r * (count + 1)};
        team->member[r].team = team;
    }
    return STATUS_OK;
}

void exchange_team_destroy(struct exchange_team *team)
{
    if (!team)
        return;
    pthread_cond_destroy(&team->turned);
    pthread_mutex_destroy(&team->lock);
    memory_free(team->begins);
    memory_free(team);
}

struct exchange *exchange_of_thread(struct exchange_team *team, int rank)
{
    return &team->member[rank].base;
}
