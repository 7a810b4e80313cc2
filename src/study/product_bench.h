/* Times products y = A x or Y = A X of several kernels, or sampled products, alternately, and
 * compares them with the reference.
 *
 * Kernels with the same number of columns are measured together, one number after another. All are
 * set up first, each a second time after its first set-up is freed. After an uncounted round, each
 * of `rounds` rounds has a batch of products of each kernel, and begins with the next kernel, so
 * that a drift of the machine favours none. Before a batch y is filled with NaN, and a few products
 * run untimed, so that caches, threads and clocks are in the state of this kernel. With `cold`
 * instead, a buffer larger than the caches is overwritten before each product, and products are
 * timed one by one. The space's own clock times a batch (struct space_operations, replay_timed),
 * without the host's launch. The y of each batch is hashed, and every new y is judged. It fails
 * beyond a derived bound (product_reference.h). Sampled products with a promise of bits also fail
 * with other bits than those of their order. */
#ifndef STUDY_PRODUCT_BENCH_H
#define STUDY_PRODUCT_BENCH_H

#include "base/status.h"
#include "matrix/csr.h"
#include "spmv/kernel.h"
#include "spmv/sddmm/sddmm.h"
#include "study/product_reference.h"

#include <stdbool.h>
#include <stdint.h>

/* Y = A X: multivectors of doubles (spmv/operator.h), also where the kernel's precision is
 * single. */
enum product_operation {
    PRODUCT_SPMV,  /* y = A x */
    PRODUCT_SPMM,  /* Y = A X */
    PRODUCT_SDDMM, /* v_ij = x_i . y_j where A has a stored entry (matrix/sddmm.h) */
};

/* "spmv", "spmm", "sddmm", NULL */
extern const char *const product_operations[];

struct product_rule {
    enum product_operation operation;
    int64_t rounds;   /* at least 1 */
    int64_t products; /* in a batch; 0: as many as take about `seconds`, or 1 where they are cold */
    double seconds;
    bool cold;
    int device;   /* of CUDA */
    int64_t seed; /* of x, by random_vector; of column j of X it is seed + j */
    int64_t
        buffer_bytes; /* copied for the copy speed (one half to the other), and overwritten for cold
                         caches; PRODUCT_BUFFER_BYTES but in tests */
};

#define PRODUCT_BUFFER_BYTES (INT64_C(256) << 20)

/* A maker of sampled products. */
struct product_sampler {
    const char *name; /* "cuda_sddmm" */
    enum space_kind space;
    bool bitwise;                     /* it promises the bits of matrix/sddmm.h */
    const char *(*unavailable)(void); /* why not here, or NULL */
    enum status (*create)(struct space *space, const struct csr *pattern, int64_t columns,
                          struct sddmm *made, struct error *error);
};

/* Ours on the CPU, ours on a GPU, cuSPARSE's; then one without a name. */
extern const struct product_sampler product_samplers[];

struct product_contestant {
    const char *label;           /* borrowed */
    const struct kernel *kernel; /* ignored with a sampler */
    struct kernel_options options;
    int threads;                           /* of the CPU; 0: as many as the bench has */
    int64_t columns;                       /* of X and Y; 1 of PRODUCT_SPMV */
    const struct product_sampler *sampler; /* of PRODUCT_SDDMM, else NULL */
};

enum product_verdict {
    PRODUCT_PASS,
    PRODUCT_FAIL,    /* a wrong product */
    PRODUCT_SKIPPED, /* not available, not for this matrix, or too large: `reason` says which */
};

struct product_result {
    enum product_verdict verdict;
    /* For PRODUCT_SKIPPED, whose further members have no meaning. For PRODUCT_FAIL: "", or a fault
     * besides the error. */
    char reason[1024];
    char form[OPERATOR_DESCRIPTION]; /* how the kernel keeps the matrix, or "" */
    enum product_operation operation;
    int64_t columns;
    enum precision precision;
    int threads;                /* of the CPU; 0 on a device */
    struct product_error error; /* the worst of all products that were judged */
    int64_t unjudged;           /* rows that cannot be judged (product_reference.h), in the column
                                   with the most */
    double setup_seconds;       /* of the second set-up */
    int64_t products;           /* of a batch */
    double mean_seconds, median_seconds; /* of one product, over the batches */
    double flops;  /* of one product: 2 for each of csr_entries, or each sample, and each column */
    int64_t bytes; /* that one product must move: operator_columns_bytes, or struct sddmm's */
    int64_t memory_bytes; /* that set-up allocated */
    double copy_rate;     /* bytes read and written a second by a copy, same space and threads */
    int64_t distinct;     /* different results of the rounds */
    uint64_t hash;        /* of the result of the first round (base/hash.h) */
    bool alone;           /* measured alone: the kernels did not fit into memory together */
};

/* Reused for all matrices: spaces, one for each number of threads, their buffers, and copy
 * speeds. */
struct product_bench;

/* threads: of the CPU, for contestants without their own number and for other work; 0:
 * processors_wanted(). The caller calls product_bench_destroy. Errors: STATUS_MEMORY. */
enum status product_bench_create(const struct product_rule *rule, int threads,
                                 struct product_bench **bench, struct error *error);
void product_bench_destroy(struct product_bench *bench); /* accepts NULL */

/* results[count], one for each contestant; contestants with equal columns are consecutive. One with
 * too large X and Y is skipped. Errors: STATUS_MEMORY (except a kernel's), STATUS_DEVICE. */
enum status product_bench_run(struct product_bench *bench, const struct csr *A,
                              const struct product_contestant *contestants, int count,
                              struct product_result *results, struct error *error);

/* "PASS", "FAIL", "skipped" */
const char *product_verdict_name(enum product_verdict verdict);

#endif
