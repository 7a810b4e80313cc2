#include "base/agreement.h"

#include "base/memory.h"

#include <string.h>

/* Of one rank. */
struct outcome {
    int64_t status;
    uint64_t hash;
};

/* The first rank that failed; ranks with STATUS_RANK count last; -1: none. */
static int first_failed(const struct outcome *all, int count)
{
    int first = -1;
    for (int r = 0; r < count; r++)
        if (all[r].status &&
            (first < 0 || (all[first].status == STATUS_RANK && all[r].status != STATUS_RANK)))
            first = r;
    return first;
}

static enum status judge_hashes(const struct outcome *all, int count, const char *what,
                                struct error *error)
{
    for (int r = 1; r < count; r++)
        if (all[r].hash != all[0].hash)
            return error_set(error, STATUS_CONFIG, "rank %d of %d has not the same %s as rank 0", r,
                             count, what);
    return STATUS_OK;
}

/* texts[count]: the sentences. */
static enum status judge_texts(const struct outcome *all, const struct error *texts, int count,
                               bool same_input, struct error *error)
{
    int first = first_failed(all, count);
    enum status status = (enum status)all[first].status;
    bool of_one = false;
    for (int r = 0; r < count; r++)
        of_one = of_one || strcmp(texts[r].text, texts[0].text) != 0;
    if (!of_one || (same_input && status == STATUS_INPUT))
        return error_set(error, status, "%s", texts[first].text);
    return error_set(error, status, "rank %d of %d: %s", first, count, texts[first].text);
}

/* The ranks exchange sentences only after a failure. */
static enum status tell(struct exchange *exchange, enum status status, const struct outcome *all,
                        bool same_input, bool *met, struct error *error)
{
    int count = exchange->count;
    struct error *texts = memory_zeros(count + 1, sizeof *texts, "the ranks' errors", error);
    if (!texts)
        return STATUS_MEMORY;
    if (status && error)
        texts[count] = *error;
    enum status told = exchange_gather_each(exchange, &texts[count], sizeof *texts, texts, error);
    *met = !told;
    if (!told)
        told = judge_texts(all, texts, count, same_input, error);
    memory_free(texts);
    return told;
}

enum status exchange_agree(struct exchange *exchange, enum status status,
                           const struct agreement *on, bool *met, struct error *error)
{
    const struct outcome own = {status, on->hash};
    *met = false;
    struct outcome *all =
        memory_array(exchange->count, sizeof *all, "the outcomes of the ranks", error);
    if (!all)
        return STATUS_MEMORY;
    struct error why;
    enum status told = exchange_gather_each(exchange, &own, sizeof own, all, &why);
    if (told && error)
        *error = why;
    if (!told && first_failed(all, exchange->count) >= 0) {
        told = tell(exchange, status, all, on->same_input, met, error);
    } else if (!told) {
        told = judge_hashes(all, exchange->count, on->what, error);
        *met = true;
    }
    memory_free(all);
    exchange->agreed = *met && told;
    return told;
}
