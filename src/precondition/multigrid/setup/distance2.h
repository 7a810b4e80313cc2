/* Aggregates around the nodes of a distance-2 independent set (Bell, Dalton and Olson, SIAM J. Sci.
 * Comput. 34, 2012): of any two of these roots no node is a neighbour of both. A neighbour counts
 * where the coupling's strength, as matching.h defines it, is above `threshold`. A greater distance
 * than 2 makes greater aggregates: any two roots are farther apart than that.
 *
 * Each node has a priority: the lower its number, the higher. A node is a root if its priority is
 * the greatest of all nodes at that distance or less that are still undecided; those around it
 * are then decided. So roots stand as densely as those of a greedy search by ascending numbers,
 * which they are: on a grid at every third node. Where nodes wait for each other in a long chain,
 * the priority of those undecided after DISTANCE2_ROUNDS rounds is the hash of the number. A node
 * beside a root belongs to the root's aggregate. Each other node joins the aggregate of the
 * neighbour to which it is coupled most strongly, of equal ones as matching.h says, as soon as a
 * neighbour lies in one. The aggregates depend on no order in which nodes are looked at. A node
 * without such a neighbour, and a node that matching.h leaves out, lies in no aggregate. */
#ifndef PRECONDITION_MULTIGRID_SETUP_DISTANCE2_H
#define PRECONDITION_MULTIGRID_SETUP_DISTANCE2_H

#include "precondition/multigrid/setup/aggregates.h"
#include "precondition/multigrid/setup/matching_rows.h"

enum { DISTANCE2_ROUNDS = 256 };

/* Aggregates of the graph's nodes, in the memory of the graph, with their lists; distance >= 2. The
 * graph's mates are overwritten. The caller calls aggregates_free. Errors: STATUS_MEMORY,
 * STATUS_DEVICE. */
enum status distance2_aggregate(struct graph *graph, float threshold, int distance,
                                struct aggregates *made, struct error *error);

#endif
