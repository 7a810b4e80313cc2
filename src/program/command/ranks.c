#include "program/command/ranks.h"

#include "base/memory.h"
#include "program/command/exchange_mpi.h"
#include "program/command/interruption.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

static struct exchange *exchange; /* NULL: alone */
static bool agreed;               /* the error that the program ends with is known to all ranks */

enum status program_ranks_begin(struct error *error)
{
    return exchange_mpi_begin(&exchange, error);
}

struct exchange *program_exchange(void)
{
    return exchange;
}

bool program_is_first(void)
{
    return !exchange || exchange->rank == 0;
}

/* Most likely rank 0 has the same to say, and ends all of them. */
static void let_first_speak(void)
{
    const struct timespec half = {.tv_nsec = 500000000};
    nanosleep(&half, NULL);
}

int program_ranks_end(enum status status, int exit_status, const struct error *error)
{
    bool alone = status && status != STATUS_RANK && !agreed;
    if (exchange && alone && !program_is_first())
        let_first_speak();
    if (status && exchange && alone && !program_is_first())
        fprintf(stderr, "cgsolve: rank %d of %d: %s\n", exchange->rank, exchange->count,
                error->text);
    else if (status && program_is_first())
        fprintf(stderr, "cgsolve: %s\n", error->text);
    fflush(NULL);
    if (exchange && status && !agreed)
        exchange_mpi_abort(exit_status);
    exchange_mpi_end();
    return exit_status;
}

/* What a rank has come to. */
struct outcome {
    enum status status;
    uint64_t hash;
    char text[sizeof((struct error *)0)->text];
};

static enum status gather(const void *own, size_t size, void *all, struct error *error)
{
    int64_t *begin = memory_array(exchange->count + 1, sizeof *begin, "the ranks", error);
    if (!begin)
        return STATUS_MEMORY;
    for (int r = 0; r <= exchange->count; r++)
        begin[r] = r * (int64_t)size;
    enum status status = exchange->operations->gather(exchange, own, begin, all, error);
    memory_free(begin);
    return status;
}

/* The first rank whose outcome is not as it should be. */
static enum status judge(const struct outcome *all, const char *what, struct error *error)
{
    for (int r = 0; r < exchange->count; r++) {
        if (all[r].status && r == 0)
            return error_set(error, all[r].status, "%s", all[r].text);
        if (all[r].status)
            return error_set(error, all[r].status, "rank %d of %d: %s", r, exchange->count,
                             all[r].text);
    }
    for (int r = 1; r < exchange->count; r++)
        if (all[r].hash != all[0].hash)
            return error_set(error, STATUS_CONFIG, "rank %d of %d has not the same %s as rank 0", r,
                             exchange->count, what);
    return STATUS_OK;
}

enum status program_ranks_agree(enum status status, const char *what, uint64_t hash,
                                struct error *error)
{
    if (!exchange)
        return status;
    struct outcome *all =
        memory_zeros(exchange->count + 1, sizeof *all, "the outcomes of the ranks", error);
    if (!all)
        return STATUS_MEMORY;
    struct outcome *mine = &all[exchange->count];
    mine->status = status;
    mine->hash = hash;
    if (status)
        memcpy(mine->text, error->text, sizeof mine->text);
    status = gather(mine, sizeof *mine, all, error);
    if (!status) {
        status = judge(all, what, error);
        agreed = status != STATUS_OK;
    }
    memory_free(all);
    return status;
}

enum status program_ranks_interrupted(bool *interrupted, struct error *error)
{
    int64_t came = interruption_came() != 0, sum = 0;
    *interrupted = came;
    if (!exchange)
        return STATUS_OK;
    int64_t *all = memory_array(exchange->count, sizeof *all, "the ranks", error);
    enum status status = all ? gather(&came, sizeof came, all, error) : STATUS_MEMORY;
    for (int r = 0; r < exchange->count && !status; r++)
        sum += all[r];
    *interrupted = sum > 0;
    if (*interrupted)
        interruption_take();
    memory_free(all);
    return status;
}
