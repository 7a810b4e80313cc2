/* Ranks exchange their status: an error of one becomes an error of all. */
#ifndef BASE_AGREEMENT_H
#define BASE_AGREEMENT_H

#include "base/exchange.h"

#include <stdbool.h>

struct agreement {
    const char *what; /* its name, of what all ranks must have in common, */
    uint64_t hash;    /* and its hash; compared where no rank has failed */
    bool same_input;  /* all ranks have the same input: an error of it names no rank */
};

/* Gives all ranks the status and the sentence of the first rank that failed, with its number where
 * the sentences differ; ranks that another one has stopped (STATUS_RANK) count last. `status` is
 * this rank's. All ranks call it, and get the same. *met: the ranks have met. Errors: those of the
 * ranks; STATUS_CONFIG where the hashes differ; STATUS_MEMORY, STATUS_RANK without a meeting. */
enum status exchange_agree(struct exchange *exchange, enum status status,
                           const struct agreement *on, bool *met, struct error *error);

#endif
