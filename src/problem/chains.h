/* The graph of an assembler of sequences: nodes (k-mers) in long chains that branch now and then,
 * as in the graphs kmer_* of the SuiteSparse collection (GenBank; imported 2018). kmer_V2a has
 * 55,042,369 rows, 117,217,600 entries, so 2.13 a row, with a standard deviation of 0.67.
 *
 * Nodes 0 ... n - 1 stand along the chains. Node v is joined to
 *
 *     v + 1,   unless the chain is cut behind v:  random_share(s, 2 v) < cuts
 *     w(v),    if it branches there:              random_share(s, 2 v + 1) < branches
 *
 * with s = splitmix64(seed, 2) and w = random_order(splitmix64(seed, 4), n), a random numbering of
 * the nodes (problem/random_order.h); a node is not joined to itself, and to another one once. So v
 * has at most four neighbours: those two, v - 1, and the one node whose w is v. The mean number of
 * neighbours is 2 (1 - cuts + branches), with the variance 2 cuts (1 - cuts) + 2 branches
 * (1 - branches): the defaults give kmer_V2a's 2.13 and 0.67. The share cuts^2 (1 - branches)^2 of
 * the nodes has none. The longest row of kmer_V2a has 39 entries; here it has four.
 *
 * numbering: natural, along the chains, the order in which an assembler that walks them writes
 * them; or random, node v as random_order(splitmix64(seed, 6), n) of v, which is what the
 * collection has: the columns of a row of kmer_V2a lie 0.337 n apart on average, and those of two
 * random numbers n / 3.
 *
 * kind = general: the graph alone, without a diagonal, as in the collection. */
#ifndef PROBLEM_CHAINS_H
#define PROBLEM_CHAINS_H

#include "problem/pattern.h"

enum chains_numbering {
    CHAINS_NATURAL,
    CHAINS_RANDOM,
};

struct chains {
    int64_t n;             /* 1 to INT32_MAX */
    double cuts, branches; /* 0 to 1 */
    enum chains_numbering numbering;
};

/* The caller owns A. Errors: STATUS_CONFIG, STATUS_MEMORY. */
enum status chains_create(const struct chains *chains, const struct pattern_options *options,
                          struct csr *A, struct error *error);

#endif
