#include "api/ranks.h"

#include "base/agreement.h"
#include "base/hash.h"
#include "base/memory.h"

#include <inttypes.h>
#include <string.h>

/* --- where ranks meet ------------------------------------------------------------------------- */

enum status api_ranks_agree(const struct cgs_context *context, enum status status, const char *what,
                            uint64_t hash, struct error *error)
{
    struct exchange *exchange = context->exchange;
    const struct agreement on = {.what = what, .hash = status ? 0 : hash};
    struct error own = {"it has failed, and its call has no struct cgs_error"};
    bool met;
    if (!exchange)
        return status;
    if (!error)
        error = &own;
    status = exchange_agree(exchange, status, &on, &met, error);
    exchange->agreed = false;
    if (!met && status != STATUS_RANK)
        exchange->operations->abandon(exchange, 1, error->text);
    return status;
}

enum status api_ranks_end(const struct cgs_context *context, enum status status,
                          struct error *error)
{
    struct exchange *exchange = context->exchange;
    if (!exchange || status == STATUS_RANK)
        return status;
    if (status && exchange->agreed) {
        exchange->agreed = false;
        return status;
    }
    if (status != STATUS_MEMORY && status != STATUS_DEVICE)
        return api_ranks_agree(context, status, "outcome", 0, error);
    exchange->operations->abandon(exchange, 1, error ? error->text : "it has no memory");
    return status;
}

enum status api_ranks_sum(const struct cgs_context *context, int64_t *value, struct error *error)
{
    struct exchange *exchange = context->exchange;
    if (!exchange)
        return STATUS_OK;
    int64_t own = *value, *all = exchange->begins + exchange->count + 1; /* api/exchange.c */
    enum status status = exchange_gather_each(exchange, &own, sizeof own, all, error);
    *value = 0;
    for (int r = 0; r < exchange->count && !status; r++)
        *value += all[r];
    return status;
}

enum status api_ranks_any(const struct cgs_context *context, bool *yes, struct error *error)
{
    int64_t count = *yes;
    enum status status = api_ranks_sum(context, &count, error);
    *yes = count > 0;
    return status;
}

uint64_t api_ranks_hash(const char *const *texts)
{
    uint64_t hash = HASH_START;
    for (int k = 0; texts && texts[k]; k++)
        hash = hash_text(hash_word(hash, (uint64_t)k), texts[k]);
    return hash;
}

/* --- rows ------------------------------------------------------------------------------------- */

/* given[r] = the first row of rank r; all[r]: its first row and number of rows. */
static enum status check_rows(int count, int64_t n, const int64_t (*all)[2], int64_t *given,
                              struct error *error)
{
    given[0] = 0;
    for (int r = 0; r < count; r++) {
        if (all[r][0] != given[r])
            return error_set(error, STATUS_CONFIG,
                             "rank %d of %d gives the rows from %" PRId64
                             " on: it must be from %" PRId64 " on, where those before it end",
                             r, count, all[r][0], given[r]);
        given[r + 1] = given[r] + all[r][1];
    }
    if (given[count] != n)
        return error_set(error, STATUS_CONFIG,
                         "the ranks give %" PRId64 " rows of a matrix that has %" PRId64,
                         given[count], n);
    return STATUS_OK;
}

enum status api_division_create(struct exchange *exchange, int64_t n, int64_t first_row,
                                int64_t own_rows, struct api_division *made, struct error *error)
{
    int count = exchange->count;
    const int64_t own[2] = {first_row, own_rows};
    *made = (struct api_division){.given = NULL};
    enum status status = partition_create(exchange, n, &made->parts, error);
    int64_t(*all)[2] = status ? NULL : memory_array(count, sizeof *all, "the ranks", error);
    if (all)
        made->given = memory_array(count + 1, sizeof *made->given, "the ranks", error);
    if (made->given)
        made->pieces = memory_array(2 * (int64_t)count, sizeof *made->pieces, "the ranks", error);
    status = made->pieces ? STATUS_OK : STATUS_MEMORY;
    if (!status)
        status = exchange_gather_each(exchange, own, sizeof own, all, error);
    if (!status)
        status = check_rows(count, n, (const int64_t(*)[2])all, made->given, error);
    memory_free(all);
    if (status)
        api_division_free(made);
    return status;
}

void api_division_free(struct api_division *rows)
{
    partition_free(&rows->parts);
    memory_free(rows->given);
    memory_free(rows->pieces);
    *rows = (struct api_division){.given = NULL};
}

const struct api_division *api_division_of(const struct cgs_operator *kernel)
{
    return kernel->matrix && kernel->matrix->rows.given ? &kernel->matrix->rows : NULL;
}

int64_t api_given_rows(const struct cgs_operator *kernel)
{
    const struct api_division *rows = api_division_of(kernel);
    int rank = rows ? rows->parts.exchange->rank : 0;
    return rows ? rows->given[rank + 1] - rows->given[rank] : kernel->A->n;
}

int64_t api_given_first(const struct cgs_operator *kernel)
{
    const struct api_division *rows = api_division_of(kernel);
    return rows ? rows->given[rows->parts.exchange->rank] : 0;
}

/* The common rows of `rank` in one distribution and `other` in the other, as a piece of v, which
 * begins with the first row of `rank`. */
static struct exchange_piece common(const int64_t *own, int rank, const int64_t *others, int other,
                                    const double *v)
{
    int64_t from = own[rank] > others[other] ? own[rank] : others[other];
    int64_t until = own[rank + 1] < others[other + 1] ? own[rank + 1] : others[other + 1];
    if (until <= from)
        return (struct exchange_piece){NULL, 0};
    return (struct exchange_piece){(double *)v + (from - own[rank]),
                                   (until - from) * (int64_t)sizeof *v};
}

/* Rows of this rank in both distributions are copied, not sent. */
static enum status move(const struct api_division *rows, const int64_t *from, const int64_t *to,
                        const double *v, double *moved, struct error *error)
{
    struct exchange *exchange = rows->parts.exchange;
    struct exchange_piece *send = rows->pieces, *receive = send + exchange->count;
    int own = exchange->rank;
    for (int r = 0; r < exchange->count; r++) {
        send[r] = common(from, own, to, r, v);
        receive[r] = common(to, own, from, r, moved);
    }
    if (send[own].bytes > 0)
        memcpy(receive[own].memory, send[own].memory, (size_t)send[own].bytes);
    send[own].bytes = receive[own].bytes = 0;
    return exchange->operations->swap(exchange, send, receive, error);
}

enum status api_division_take(const struct api_division *rows, const double *given, double *own,
                              struct error *error)
{
    return move(rows, rows->given, rows->parts.begin, given, own, error);
}

enum status api_division_give(const struct api_division *rows, const double *own, double *given,
                              struct error *error)
{
    return move(rows, rows->parts.begin, rows->given, own, given, error);
}
