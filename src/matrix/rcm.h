/* The reverse Cuthill-McKee numbering: neighbours get close numbers.
 *
 * In the graph of A, i and j are neighbours when an entry (i, j), i != j, is stored, whatever its
 * value; the degree of a node is the number of its neighbours. The nodes of a component are listed
 * from a start node on: the nodes of the list are visited in order, and the neighbours of the
 * visited node that the list lacks are appended (Cuthill and McKee 1969). Reversed, the list is as
 * good for the bandwidth and never worse for the profile (George 1971; Liu and Sherman 1976).
 *
 * The start node is pseudo-peripheral (George and Liu 1979): from a node r, go to a node of least
 * degree among those farthest from r, and again from there as long as they get farther away; the
 * last node that was gone to starts the list.
 *
 * The numbering decides the bits of every run that follows, so it depends on the matrix alone, by
 * written rules for the ties, and not on a library, whose sort may leave them open: the neighbours
 * of a visited node are appended in order of their degree, those of one degree in order of their
 * row; among the farthest nodes of least degree the first row is taken; r is the first row of its
 * component; and the components come in order of their first rows, each reversed for itself. */
#ifndef MATRIX_RCM_H
#define MATRIX_RCM_H

#include "base/status.h"
#include "matrix/csr.h"

#include <stdint.h>

/* Fill number[A->n] (matrix/permute.h); the caller owns it. Time is linear in the entries, times
 * the steps to the start node, of which there are a few. Errors: STATUS_CONFIG (a general matrix),
 * STATUS_MEMORY. */
enum status rcm_numbering(const struct csr *A, int32_t *number, struct error *error);

#endif
