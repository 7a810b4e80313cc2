/* Where ranks tell each other how far they have come: an error of one becomes an error of all. */
#ifndef BASE_AGREEMENT_H
#define BASE_AGREEMENT_H

#include "base/exchange.h"

#include <stdbool.h>

struct agreement {
    const char *what; /* that all ranks have to have in common, */
    uint64_t hash;    /* and what stands for it; looked at where no rank has failed */
    bool same_input;  /* what is wrong with an input is so for all: the rank is not named */
};

/* What all ranks have come to, this one to `status`: the status and the sentence of the first rank
 * that failed, with its name where not all say the same; a rank that was only stopped by another
 * one (STATUS_RANK) counts last. All ranks call it, and get the same. *met: they have met. Errors:
 * those of the ranks; STATUS_CONFIG where the hashes differ; STATUS_MEMORY, STATUS_RANK without a
 * meeting. */
enum status exchange_agree(struct exchange *exchange, enum status status,
                           const struct agreement *on, bool *met, struct error *error);

#endif
