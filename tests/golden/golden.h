/* The committed histories: every tests/golden/NAME.cfg with its NAME.csv (scripts/golden). A file
 * stands for every kernel that adds in the order of the one that made it, in that one's
 * precision. */
#ifndef TESTS_GOLDEN_GOLDEN_H
#define TESTS_GOLDEN_GOLDEN_H

#include "spmv/kernel.h"

enum { GOLDEN_KERNELS_MAX = 24 };

/* A kernel with the parameters that decide about its order or its form, as a config writes them. */
struct golden_kernel {
    const char *name;       /* NULL behind the last one */
    const char *parameters; /* "form = \"blocks\"; compress = \"never\";", or NULL */
};

/* Kernels that share one order of additions. A file of it is made by the first. */
struct golden_order {
    struct golden_kernel kernels[GOLDEN_KERNELS_MAX];
};

extern const struct golden_order golden_orders[]; /* the last one has no kernel */

/* Where a kernel runs: that of a CPU; that of a GPU by its twin in plain C (tests/twins), or
 * itself. */
enum golden_place {
    GOLDEN_CPU,
    GOLDEN_TWINS,
    GOLDEN_GPU,
};

struct golden_file {
    char config[256], history[256];
    const struct golden_order *order;
    enum precision precision;
    bool of_singles;   /* its preconditioner multiplies vectors of single precision */
    char solution[32]; /* its hash */
};

/* How many there are. */
int golden_files_count(void);

/* File number k, from 0. Fails the test where its kernel is not the first of an order. */
struct golden_file golden_file(int k);

/* Solve it with every kernel of its order that runs there, by that many threads (0: as many as the
 * machine has); fail the test unless each history is the committed one, number by number in
 * hexadecimal, ends for the same reason, and leaves the same solution. Nothing is run where none of
 * its kernels is there. */
void golden_compare(const struct golden_file *file, enum golden_place place, int threads);

#endif
