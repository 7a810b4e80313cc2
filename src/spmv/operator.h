/* A linear operator on the vectors of one space: y = A x. A matrix in the form of a kernel is one,
 * and so is M^-1 of a preconditioner; a solver sees nothing else of either.
 *
 * A kernel or a preconditioner fills in the table and the state (spmv/kernel.h,
 * spmv/preconditioner.h). Slots that it does not support for this matrix are NULL.
 * Set-up chooses the table by the matrix, so a product decides nothing. */
#ifndef SPMV_OPERATOR_H
#define SPMV_OPERATOR_H

#include "base/status.h"
#include "matrix/csr.h"
#include "space/space.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What one apply reads and writes, in the operator's space: arrays from its `allocate` (so aligned
 * to 16 bytes at least) that do not overlap. */
struct operands {
    const void *x; /* [width], doubles; singles for apply_float */
    void *y;       /* [n]; every element is overwritten, even where it held NaN */
    int columns;   /* of x and y where they are multivectors, for apply_columns: 2, 4, 8, 16, 32 */
    int used;      /* of these columns the first ones, which are wanted */
    /* x . x by the space's reductions, a scalar in the space's memory that an operator may use and
     * does not change. NULL: not known. */
    const double *squared;
};

/* What conjugate gradients have made while A multiplies; everything is in the space's memory,
 * vectors of n elements that do not overlap. */
struct direction {
    /* p is the `next` of the direction before, or what A was applied to before, unchanged. */
    const double *r, *p;
    double *next;       /* becomes r + beta p */
    const double *beta; /* a scalar */
    /* If x is not NULL, the two preceding steps update it, the one along what `next` held before
     * and the one along p: x_i = fma(alpha, p_i, fma(alpha_before, next_i, x_i)). */
    double *x;
    const double *alpha_before, *alpha; /* scalars */
};

/* No slot but prepare_columns allocates, changes x, or has the host wait for a device: the work can
 * be recorded. The state is the operator's. Errors: STATUS_DEVICE. */
struct operator_table {
    /* y = A x. NULL: apply_dot does it, with dot = NULL. */
    enum status (*apply)(void *state, const struct operands *operands, struct error *error);

    /* The same on vectors of single precision: bit for bit what apply makes of x as doubles. */
    enum status (*apply_float)(void *state, const struct operands *operands, struct error *error);

    /* Y = A X for multivectors of doubles (columns_stride): column j of Y is, where the operator
     * promises bits, bit for bit what apply makes of column j of X, for any number of columns;
     * unless columns_apart. */
    enum status (*apply_columns)(void *state, const struct operands *operands, struct error *error);

    /* Before apply_columns with that many columns (2, 4, 8, 16, 32), and not while work is
     * recorded: what it needs for them, which stays with the state. The second time there is
     * nothing to do. NULL: nothing to prepare. Errors: STATUS_MEMORY, STATUS_DEVICE. */
    enum status (*prepare_columns)(void *state, int columns, struct error *error);

    /* y = A x and *dot = x . y. Of a kernel: the dot by REDUCTIONS_REPRODUCIBLE, bit for bit what
     * the space's gives for x and y, or none for dot = NULL; the slot is NULL where it has no
     * cheaper way than the separate pass. Of a preconditioner: the dot by the space's reductions,
     * always wanted. */
    enum status (*apply_dot)(void *state, const struct operands *operands, double *dot,
                             struct error *error);

    /* next_i = fma(beta, p_i, r_i), x as direction says, then y = A next and *dot = next . y, in
     * one pass: bit for bit what the separate operations give. dot = NULL: not wanted. */
    enum status (*apply_direction)(void *state, const struct direction *direction, double *y,
                                   double *dot, struct error *error);

    /* y = A x and behind it pass->make_of, whenever some rows of y are there; y itself need not be
     * kept. The pass writes nothing that the product reads, and has one sum at the most, by
     * REDUCTIONS_REPRODUCIBLE. */
    enum status (*apply_then)(void *state, const struct operands *operands, const struct pass *pass,
                              const void *work, struct error *error);

    void (*destroy)(void *state); /* accepts NULL */

    bool columns_apart; /* apply_columns has sums of its own, of which no bits are promised */
};

enum { OPERATOR_DESCRIPTION = 160, OPERATOR_LEVELS = 32 };

/* The matrices of an operator that works on several (multigrid), the first one first; count = 0 of
 * all others. */
struct operator_levels {
    int count;
    struct {
        int64_t rows, entries; /* stored ones */
    } level[OPERATOR_LEVELS];
    uint64_t hash; /* of how each one came from the one above it, and of its values */
};

/* Over ranks (space/ranks/ranks.h), what they have of A: the fewest and the most rows of one, and
 * how many rows of x all of them read from others in a product. count = 0: of one alone. */
struct operator_ranks {
    int count;
    int64_t fewest, most, read;
};

/* The options of every kernel (spmv/kernel.h): values[k] belongs to parameter k. */
enum { KERNEL_PARAMETERS_MAX = 8 };
struct kernel_options {
    int64_t values[KERNEL_PARAMETERS_MAX];
};

/* An operator ready to be applied. A zeroed one is none. */
struct linear_operator {
    const char *name;              /* of the kernel or the preconditioner */
    const struct kernel *kernel;   /* whose form of a matrix it is; NULL: of none */
    struct kernel_options options; /* of that */
    const struct operator_table *table;
    void *state;
    struct space *space;
    int64_t n, width;    /* rows, columns */
    int exponent;        /* it stands for 2^exponent times what it does: a kernel's is its A's */
    bool fuses_dot;      /* apply_dot sums as the space does: operator_apply_dot is one pass */
    bool made_on_device; /* of a kernel: set-up was done in the space's memory */

    /* What one apply must move between memory and the processor, an array as often as the algorithm
     * passes over it, its own products with other operators counted; with the dot product where
     * that is fused by a preconditioner. */
    int64_t bytes_per_apply;
    int64_t bytes_per_column; /* what of it is moved for each column, besides x and y: slots */
    int64_t columns_bytes;    /* what a sweep for several columns moves more, once; launches too */
    int64_t products;         /* with A in an apply: 1 of a kernel's */
    int64_t memory_bytes;     /* what set-up left allocated, the matrix on the host not counted */

    /* How set-up keeps it, for the report: "diagonals, 4 in the upper triangle"; "" : nothing to
     * tell. */
    char description[OPERATOR_DESCRIPTION];
    struct operator_levels levels;
    struct operator_ranks ranks;
};

/* Accepts a zeroed one. */
void operator_destroy(struct linear_operator *A);

/* --- several vectors at once ------------------------------------------------------------------
 *
 * A multivector of K columns keeps its rows one after the other: element i of column j is
 * v[i stride + j], stride = K rounded up to 1, 2, 4, 8, 16 or 32. Of more than 32 columns each 32
 * are a multivector of their own, the next one behind it: 32 n elements further. Columns from K to
 * the stride are padding: they may hold any number. */

enum { COLUMNS_AT_ONCE = 32 };

/* What a device could move while a launch begins, some three microseconds. */
enum { LAUNCH_BYTES = 10000000 };

/* The stride of a multivector of 1 <= columns <= 32. */
int columns_stride(int64_t columns);

/* Elements of one of n rows and that many columns, 1 or more. */
int64_t columns_elements(int64_t n, int64_t columns);

/* Products Y = A X with that many columns: by apply_columns, or column by column where A has no
 * such slot or K is 1. The bits of a column are the same, but for a library's product that has sums
 * of its own (columns_apart). */
struct operator_columns {
    const struct linear_operator *A; /* borrowed */
    int64_t columns;
    double *x, *y; /* a column of each, where A takes one at a time */
};

/* Whether one sweep for several columns has the bits of a product with each: a library's may not.
 */
bool operator_sweeps_columns(const struct linear_operator *A);

/* prepare_columns, where there is something to prepare. */
enum status operator_prepare_columns(const struct linear_operator *A, int columns,
                                     struct error *error);

/* The caller calls operator_columns_destroy. Errors: STATUS_MEMORY, those of prepare_columns. */
enum status operator_columns_create(const struct linear_operator *A, int64_t columns,
                                    struct operator_columns *made, struct error *error);
void operator_columns_destroy(struct operator_columns *made); /* accepts a zeroed one */

/* Y = A X, multivectors in A's space that do not overlap. Nothing is allocated, so it can be
 * recorded. */
enum status operator_columns_apply(const struct operator_columns *of, const double *X, double *Y,
                                   struct error *error);

/* What that moves, as bytes_per_apply counts for one vector: by apply_columns the matrix once for
 * each 32 columns, and columns_bytes, X and Y once, and bytes_per_column for each column, the
 * padding too; else each column by itself, and copied. The count is right only where apply moves x
 * and y once: only such kernels may have apply_columns. */
int64_t operator_columns_bytes(const struct linear_operator *A, int64_t columns);

/* A->table->apply, or apply_columns, of what it can: STATUS_CONFIG for several columns or a start
 * from y that it cannot. */
enum status operator_apply_to(const struct linear_operator *A, const struct operands *operands,
                              struct error *error);

/* y = A x. x[width], y[n] */
enum status operator_apply(const struct linear_operator *A, const double *x, double *y,
                           struct error *error);

/* y = A x of vectors of single precision; for an operator that has the slot. */
enum status operator_apply_float(const struct linear_operator *A, const float *x, float *y,
                                 struct error *error);

/* y = A x and *dot = x . y, of a square A, fused where A->fuses_dot, else in two passes: the bits
 * are the same. */
enum status operator_apply_dot(const struct linear_operator *A, const double *x, double *y,
                               double *dot, struct error *error);

/* The same where *squared = x . x is there, in the space's memory. */
enum status operator_apply_dot_to(const struct linear_operator *A, const double *x,
                                  const double *squared, double *y, double *dot,
                                  struct error *error);

/* y = A x, and the pass over it, which writes nothing that the product reads; y may be left without
 * the product. In one sweep where A and the pass can, and the sums are those of
 * REDUCTIONS_REPRODUCIBLE or none; else one after the other: the bits are the same. */
enum status operator_apply_then(const struct linear_operator *A, const double *x, double *y,
                                const struct pass *pass, const void *work, struct error *error);

/* Whether that can be one sweep. */
bool operator_applies_then(const struct linear_operator *A, const struct pass *pass);

/* Whether A makes the direction while it multiplies. */
bool operator_makes_direction(const struct linear_operator *A);

/* What making the direction moves besides the product: r, p and the next one, and x every second
 * time. */
int64_t operator_direction_bytes(const struct linear_operator *A);

/* The slot apply_direction, with dot = next . y by the space's reductions, or NULL: not wanted; for
 * an operator that makes directions. */
enum status operator_apply_direction(const struct linear_operator *A,
                                     const struct direction *direction, double *y, double *dot,
                                     struct error *error);

#ifdef __cplusplus
}
#endif
#endif
