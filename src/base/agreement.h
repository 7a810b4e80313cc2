/* Ranks exchange their status: an error of one becomes an error of all. */
#ifndef BASE_AGREEMENT_H
#define BASE_AGREEMENT_H

#include "base/exchange.h"

#include <stdbool.h>

struct agreement {
    const char *what; /* its name, of what must be equal in all ranks, */
    uint64_t hash;    /* its hash; compared if no rank has failed */
    bool same_input;  /* all ranks have the same input: an error of it names no rank */
};

/* Collective. `status` is this rank's. All ranks get the status and the sentence of the first rank
 * that failed, with its number if the sentences differ. Ranks with STATUS_RANK, which another rank
 * stopped, count last. *met: the ranks have met. Errors: those of the ranks; STATUS_CONFIG where
 * the hashes differ; STATUS_MEMORY, STATUS_RANK without a meeting. */
enum status exchange_agree(struct exchange *exchange, enum status status,
                           const struct agreement *on, bool *met, struct error *error);

#endif
