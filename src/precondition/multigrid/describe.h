/* What a multigrid says of its levels. */
#ifndef PRECONDITION_MULTIGRID_DESCRIBE_H
#define PRECONDITION_MULTIGRID_DESCRIBE_H

#include "precondition/multigrid/setup/hierarchy.h"

/* made->description and made->levels: which aggregates these options have chosen, and why; how many
 * entries all levels have; what the last one is. */
void hierarchy_describe(const struct hierarchy *h, const struct multigrid_options *options,
                        struct linear_operator *made);

#endif
