/* A linear operator on the vectors of one space: y = A x. A matrix in the form of a kernel is one,
 * and so is M^-1 of a preconditioner; a solver sees nothing else of either.
 *
 * A kernel or a preconditioner fills in the table, the state and `can` (spmv/kernel.h,
 * spmv/preconditioner.h): what it can do in the same sweep as the product. operator_apply_to does
 * the rest in further sweeps, with the same bits. */
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

/* What an operator can, besides y = A x of one vector of doubles. */
enum operator_can {
    OPERATOR_SINGLES = 1, /* x and y of single precision */
    OPERATOR_COLUMNS = 2, /* several columns in one sweep; column j has the bits of x_j alone */
    OPERATOR_APART = 4,   /* several columns in one sweep, with sums of its own: no bits promised */
    OPERATOR_DOT = 8,     /* x . y of one vector of doubles, with the bits of the space's sums */
    OPERATOR_DIRECTION = 16, /* makes x first (struct direction) */
    OPERATOR_PASS = 32, /* runs a pass that has make_of on rows of y, right after it made them */
    OPERATOR_SINGLE_COLUMNS = 64, /* several columns of single precision in one sweep, likewise */
};

/* Makes x of a product: next_i = fma(beta, p_i, r_i). Vectors of n doubles that do not overlap, and
 * scalars, all in the space's memory. */
struct direction {
    /* p is the `next` of the direction before, or what A was applied to before, unchanged. */
    const double *r, *p;
    double *next;       /* becomes r + beta p, and is the x of the product */
    const double *beta; /* a scalar */
    /* If x is not NULL, the two preceding steps update it, the one along what `next` held before
     * and the one along p: x_i = fma(alpha, p_i, fma(alpha_before, next_i, x_i)). */
    double *x;
    const double *alpha_before, *alpha; /* scalars */
};

/* One product: its operands, and what is made of them besides. Vectors and scalars
 * are in the operator's space, vectors from its `allocate` (so aligned to 16 bytes at least), and
 * do not overlap. */
/* Elements that are not rows of the operator, such as aggregates, by tiles of its rows
 * (space/sum/sum_order.h): a pass over those of a tile reads rows of this tile, and of at most
 * `reach` tiles before it. */
struct tiled_elements {
    int64_t count;
    int64_t *begin; /* [tiles + 1]: the first element of each tile */
    int64_t reach;
};

struct operands {
    const void *x; /* [width] */
    void *y;       /* [n]; every element is overwritten, even where it held NaN */
    bool singles;  /* x and y are singles: y has the bits of the product with x as doubles */
    int columns;   /* of x and y where they are multivectors: 2, 4, 8, 16, 32; else 0 or 1 */
    int used;      /* of these columns the first ones, which are wanted */
    /* x . x by the space's reductions, a scalar that an operator may use. NULL: not known. */
    const double *squared;
    const struct direction *direction; /* makes x. NULL: x is given */
    /* Of one vector of doubles alone: */
    double *dot; /* becomes x . y. NULL: not wanted */
    /* A pass over y, or NULL. It writes nothing that the product reads, and has one sum at most. y
     * itself need not be kept. */
    const struct pass *pass;
    const void *work;
    const struct tiled_elements *elements; /* of a pass alone; NULL: A's rows */
};

/* Only `prepare` allocates, and nothing has the host wait for a device: work can be recorded. The
 * state is the operator's. Errors: STATUS_DEVICE. */
struct operator_table {
    /* The product, and all that operands ask for: no more than the operator can. */
    enum status (*apply)(void *state, const struct operands *operands, struct error *error);

    /* Several sweeps of operator_apply_all that ask for no more than products of one vector, passes
     * that are part of the sweep, and passes alone. The last one may have a sum, with a product.
     * NULL: it makes one after the other. */
    enum status (*apply_all)(void *state, const struct operands *sweeps, int count,
                             struct error *error);

    /* Before a product with that many columns (2, 4, 8, 16, 32), and not while work is recorded:
     * allocates what it needs for them, which stays with the state. The second time it does
     * nothing. NULL: nothing to prepare. Errors: STATUS_MEMORY, STATUS_DEVICE. */
    enum status (*prepare)(void *state, int columns, struct error *error);

    void (*destroy)(void *state); /* accepts NULL */
};

enum { OPERATOR_DESCRIPTION = 288, OPERATOR_LEVELS = 32 };

/* The matrices of an operator that works on several (multigrid), the first one first; count = 0 of
 * all others. */
struct operator_levels {
    int count;
    struct {
        int64_t rows, entries;  /* stored ones */
        const char *aggregates; /* how its rows were joined for the next one; NULL: of the last */
        int distance;           /* above which their roots lie apart; 0: they have none */
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
    unsigned can; /* enum operator_can, or-ed */
    struct space *space;
    int64_t n, width;       /* rows, columns */
    int exponent;           /* it stands for 2^exponent times what it does: a kernel's is its A's */
    bool made_on_device;    /* of a kernel: set-up was done in the space's memory */
    bool singular;          /* of a preconditioner: set-up has met a singular part of A */
    const double *diagonal; /* [n], in the space: y_i = diagonal_i x_i; NULL: it is no diagonal */
    struct repeated_rows repeated; /* of a kernel: A's, in the space, if its form has them */

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

/* Products Y = A X with that many columns: each 32 in one sweep, or column by column where A cannot
 * or K is 1. */
struct operator_columns {
    const struct linear_operator *A; /* borrowed */
    int64_t columns;
    double *x, *y; /* a column of each, where A takes one at a time */
};

/* Whether a product with several columns is one sweep. */
bool operator_sweeps(const struct linear_operator *A);

/* The slot prepare, if it is not NULL. */
enum status operator_prepare(const struct linear_operator *A, int columns, struct error *error);

/* The caller calls operator_columns_destroy. Errors: STATUS_MEMORY, those of operator_prepare. */
enum status operator_columns_create(const struct linear_operator *A, int64_t columns,
                                    struct operator_columns *made, struct error *error);
void operator_columns_destroy(struct operator_columns *made); /* accepts a zeroed one */

/* Y = A X, multivectors in A's space that do not overlap. Nothing is allocated, so it can be
 * recorded. */
enum status operator_columns_apply(const struct operator_columns *of, const double *X, double *Y,
                                   struct error *error);

/* Bytes that this moves, as bytes_per_apply counts them for one vector: in one sweep the matrix and
 * columns_bytes once for each 32 columns, X and Y once, and bytes_per_column for each column, the
 * padding too; else each column by itself, and copied. The count is right only where a product
 * moves x and y once: only such kernels may take several columns. */
int64_t operator_columns_bytes(const struct linear_operator *A, int64_t columns);

/* The product and everything that operands ask for. What A cannot do in the same sweep follows in
 * further ones; the bits are the same. On a CPU nothing is done if the space has ended (space.h)
 * and operands ask for a dot product, a direction or a pass. Errors: STATUS_CONFIG (operands ask
 * for singles, several columns or a direction that A cannot, or for a dot product or a pass of
 * others than one vector of doubles), those of the slot and of the space. */
enum status operator_apply_to(const struct linear_operator *A, const struct operands *operands,
                              struct error *error);

/* operator_apply_to with each of sweeps[count], in this order and with the same bits. x = NULL: its
 * pass alone, over n elements of each column, or over other elements. An operator with the slot
 * apply_all may keep what a sweep makes in a cache for the next one. Errors: those of
 * operator_apply_to, and of passes. */
enum status operator_apply_all(const struct linear_operator *A, const struct operands *sweeps,
                               int count, struct error *error);

/* y = A x. x[width], y[n] */
enum status operator_apply(const struct linear_operator *A, const double *x, double *y,
                           struct error *error);

/* y = A x and *dot = x . y, of a square A. */
enum status operator_apply_dot(const struct linear_operator *A, const double *x, double *y,
                               double *dot, struct error *error);

/* Bytes that the dot product moves besides the product: 0 where it is part of the sweep. */
int64_t operator_dot_bytes(const struct linear_operator *A);

/* Whether the pass is part of the sweep: if A can, the pass has make_of, and the sums are those of
 * REDUCTIONS_REPRODUCIBLE. */
bool operator_fuses_pass(const struct linear_operator *A, const struct pass *pass);

/* Bytes that making a direction moves besides the product: r, p and the next one, and x every
 * second time. */
int64_t operator_direction_bytes(const struct linear_operator *A);

#ifdef __cplusplus
}
#endif
#endif
