#include "spmv/distributed/rank_halo.h"

#include "base/cuda_part.h"
#include "base/memory.h"

#include <string.h>

struct cpu_halo {
    struct rank_halo base; /* first */
    int columns;           /* that there is memory for */
    /* What other ranks want, and what they give: a row's elements of all columns side by side. */
    double *sent, *received;
    struct exchange_piece *send, *receive; /* by rank */
};

static struct cpu_halo *this_of(struct rank_halo *halo)
{
    return (struct cpu_halo *)halo;
}

/* The pieces of memory, each rank's rows of so many bytes from begin[rank] on. */
static void cut(int ranks, const int64_t *begin, int64_t bytes, double *memory,
                struct exchange_piece *pieces)
{
    for (int r = 0; r < ranks; r++)
        pieces[r] = (struct exchange_piece){(char *)memory + begin[r] * bytes,
                                            (begin[r + 1] - begin[r]) * bytes};
}

static enum status bring(struct rank_halo *halo, int columns, bool singles, void *x,
                         struct error *error)
{
    const struct cpu_halo *cpu = this_of(halo);
    const struct ghost_rows *reach = halo->reach;
    struct exchange *exchange = halo->ranks->partition.exchange;
    int ranks = exchange->count;
    int64_t bytes = columns * (int64_t)(singles ? sizeof(float) : sizeof(double));
    char *local = x, *sent = (char *)cpu->sent;
    const char *received = (const char *)cpu->received;
    for (int r = 0; r < ranks; r++)
        for (int64_t k = reach->wanted_begin[r]; k < reach->wanted_begin[r + 1]; k++)
            memcpy(sent + k * bytes,
                   local + (reach->below + ghost_rows_wanted(reach, r, k)) * bytes, (size_t)bytes);
    cut(ranks, reach->wanted_begin, bytes, cpu->sent, cpu->send);
    cut(ranks, reach->given_begin, bytes, cpu->received, cpu->receive);
    enum status status = exchange->operations->swap(exchange, cpu->send, cpu->receive, error);
    if (status)
        return status;
    memset(local, 0, (size_t)(reach->below * bytes));
    memset(local + (reach->below + reach->own) * bytes, 0, (size_t)(reach->above * bytes));
    for (int64_t k = 0; k < reach->given_begin[ranks]; k++)
        memcpy(local + ghost_rows_given(reach, k) * bytes, received + k * bytes, (size_t)bytes);
    return STATUS_OK;
}

static void free_memory(struct cpu_halo *cpu)
{
    memory_free(cpu->sent);
    memory_free(cpu->received);
    cpu->sent = cpu->received = NULL;
    cpu->columns = 0;
}

static enum status prepare(struct rank_halo *halo, int columns, struct error *error)
{
    struct cpu_halo *cpu = this_of(halo);
    const struct ghost_rows *reach = halo->reach;
    int ranks = halo->ranks->partition.exchange->count;
    if (columns <= cpu->columns)
        return STATUS_OK;
    free_memory(cpu);
    cpu->sent = memory_array(reach->wanted_begin[ranks] * columns + 1, sizeof(double),
                             "what is sent", error);
    cpu->received = memory_array(reach->given_begin[ranks] * columns + 1, sizeof(double),
                                 "what is received", error);
    if (!cpu->sent || !cpu->received)
        return STATUS_MEMORY;
    cpu->columns = columns;
    return STATUS_OK;
}

static void destroy(struct rank_halo *halo)
{
    struct cpu_halo *cpu = this_of(halo);
    if (!cpu)
        return;
    free_memory(cpu);
    memory_free(cpu->send);
    memory_free(cpu->receive);
    memory_free(cpu);
}

static const struct rank_halo_table table = {
    .bring = bring, .prepare = prepare, .destroy = destroy};

static enum status create_on_cpu(struct ranks *ranks, const struct ghost_rows *reach,
                                 struct rank_halo **made, struct error *error)
{
    int64_t count = ranks->partition.exchange->count;
    struct cpu_halo *cpu = memory_zeros(1, sizeof *cpu, "what travels between ranks", error);
    *made = NULL;
    if (!cpu)
        return STATUS_MEMORY;
    cpu->base = (struct rank_halo){&table, ranks, reach};
    cpu->send = memory_zeros(count, sizeof *cpu->send, "what is sent", error);
    cpu->receive = memory_zeros(count, sizeof *cpu->receive, "what is received", error);
    enum status status = cpu->send && cpu->receive ? prepare(&cpu->base, 1, error) : STATUS_MEMORY;
    if (status) {
        destroy(&cpu->base);
        return status;
    }
    *made = &cpu->base;
    return STATUS_OK;
}

enum status rank_halo_create(struct ranks *ranks, const struct ghost_rows *reach,
                             struct rank_halo **made, struct error *error)
{
    if (ranks->real->operations->kind == SPACE_CUDA)
        return CUDA_PART(rank_halo_cuda_create)(ranks, reach, made, error);
    return create_on_cpu(ranks, reach, made, error);
}
