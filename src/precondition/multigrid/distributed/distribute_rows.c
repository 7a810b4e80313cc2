#include "precondition/multigrid/distributed/distribute_rows.h"

#include "space/define_pass.h"

#define PASS_OF_ROWS(its)                                                                          \
    ELEMENTS_AT(its, its)                                                                          \
    PASS(pass_##its, its, its, .name = "the rows of a rank")

PASS_OF_ROWS(sampling)
PASS_OF_ROWS(gathering)
PASS_OF_ROWS(surrounding)
PASS_OF_ROWS(shifting)

#define PASS_OF_NODES(its)                                                                         \
    ELEMENTS_AT(its, blocking)                                                                     \
    PASS(pass_##its, its, blocking, .name = "the nodes of a rank")

PASS_OF_NODES(unfolding)
PASS_OF_NODES(folding)

#define PASS_OF_CODES(its)                                                                         \
    ELEMENTS_AT(its, naming)                                                                       \
    PASS(pass_##its, its, naming, .name = "the codes of a rank")

PASS_OF_CODES(naming)
PASS_OF_CODES(reading)
