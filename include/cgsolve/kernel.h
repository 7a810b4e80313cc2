/* The contract of an SpMV back end ("kernel"): y = A x, with A symmetric, skew-symmetric or
 * general.
 *
 * One kernel is one file below src/spmv/ that defines one constant `struct kernel kernel_<name>`
 * and keeps everything else static, and one line in src/spmv/kernels.def. The file's stem, the name
 * in a config and the suffix of the symbol are the same word. docs/architecture.md walks through
 * it.
 */
#ifndef CGSOLVE_KERNEL_H
#define CGSOLVE_KERNEL_H

#include "cgsolve/csr.h"
#include "cgsolve/space.h"
#include "cgsolve/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum kernel_storage {
    STORAGE_FULL,  /* both triangles */
    STORAGE_UPPER, /* the upper triangle only */
};

/* What a kernel promises of the bits of y, for the same A, x and parameters. */
enum kernel_guarantee {
    GUARANTEE_NONE,     /* they may differ from run to run */
    GUARANTEE_ACCURATE, /* every error compensated: usually equal, not promised */
    GUARANTEE_RUN,      /* equal on every run on one device with one number of threads */
    GUARANTEE_BITWISE,  /* equal on every run, number of threads, and device */
};

/* A parameter that a kernel takes from the config: a whole number, or one of a few texts. */
struct kernel_parameter {
    const char *name;
    const char *meaning;
    int64_t minimum, maximum, standard; /* standard = the default */
    const char *const *choices;         /* the texts that stand for 0, 1, ..., maximum, and then a
                                           NULL (minimum is 0); NULL for a number */
};

enum { KERNEL_PARAMETERS_MAX = 8 };

/* How a kernel keeps the values of A and computes: its parameter "precision", where it declares
 * one. The choices of that are some of kernel_precisions; the macros offer all of them or two. The
 * default is double. fl(v) is v rounded to the nearest number of single precision. */
enum precision {
    PRECISION_DOUBLE,
    PRECISION_FLOAT,        /* y = fl(A) fl(x), products and sums in single precision */
    PRECISION_FLOAT_DOUBLE, /* y = fl(A) x, products and sums in double precision */
};

/* "double", "float", "float_double", NULL */
extern const char *const kernel_precisions[];

#define KERNEL_PARAMETER_PRECISION                                                                 \
    {                                                                                              \
        .name = "precision",                                                                       \
        .meaning = "of A's values and of the sums; float_double: values single, sums double",      \
        .minimum = 0, .maximum = PRECISION_FLOAT_DOUBLE, .standard = PRECISION_DOUBLE,             \
        .choices = kernel_precisions                                                               \
    }

/* For a kernel whose sums are always double: "double", "float_double", NULL */
extern const char *const kernel_precisions_of_values[];

#define KERNEL_PARAMETER_PRECISION_OF_VALUES                                                       \
    {                                                                                              \
        .name = "precision", .meaning = "of A's values; the sums are double in both",              \
        .minimum = 0, .maximum = 1, .standard = 0, .choices = kernel_precisions_of_values          \
    }

/* values[k] belongs to kernel->parameters[k]. */
struct kernel_options {
    int64_t values[KERNEL_PARAMETERS_MAX];
};

/* What a fused step of conjugate gradients reads and writes besides q; everything is in the space's
 * memory, vectors of n elements that do not overlap. */
struct direction {
    const double *r, *p;
    double *next;       /* becomes r + beta p */
    const double *beta; /* a scalar */
    /* When x is not NULL it is brought up to date by two steps, the one along what `next` held
     * before and the one along p: x_i = fma(alpha, p_i, fma(alpha_before, next_i, x_i)). */
    double *x;
    const double *alpha_before, *alpha; /* scalars */
};

struct kernel {
    const char *name;
    const char *summary; /* one line: what it does */
    enum space_kind space;
    enum kernel_storage storage;
    unsigned kinds; /* which enum csr_kind it takes, or-ed */
    enum kernel_guarantee guarantee;
    const struct kernel_parameter *parameters; /* ends with a NULL name; NULL for none */

    /* Its guarantee with these options, where they make a difference; else NULL. `guarantee` is
     * then the one of the defaults. */
    enum kernel_guarantee (*guarantee_with)(const struct kernel_options *options);

    /* Why it cannot run here ("built without CUDA", "no CUDA device: ..."), or NULL when it can.
     * The slot may be NULL: always available. The text is static. */
    const char *(*unavailable)(void);

    /* What setup will leave allocated in the space, at the least, for a matrix of this shape: A's
     * kind, n, width and nnz alone are looked at. NULL: not known beforehand. */
    int64_t (*setup_bytes)(const struct csr *A, const struct kernel_options *options);

    /* Build the kernel's own form of A. A is borrowed and outlives the state; `space` is the one in
     * which x and y will live. The caller owns *state and calls destroy. On failure *state is NULL
     * and nothing is leaked. A kernel without state may leave *state = (void *)A. */
    enum status (*setup)(const struct csr *A, const struct kernel_options *options,
                         struct space *space, void **state, struct error *error);

    /* y = A x. x[width], y[n] in the space's memory, from its `allocate` (so aligned to 16 bytes at
     * least), not overlapping. Every y[i] is overwritten, even where it held NaN; x is not touched;
     * nothing is allocated. Errors: STATUS_DEVICE. */
    enum status (*apply)(void *state, const double *x, double *y, struct error *error);

    /* The same on vectors of single precision, for a state set up with PRECISION_FLOAT: bit for bit
     * what apply makes of x as doubles. NULL when the kernel has no such precision. */
    enum status (*apply_float)(void *state, const float *x, float *y, struct error *error);

    /* The same, and *dot = x . y by REDUCTIONS_REPRODUCIBLE, bit for bit what the space's dot gives
     * for x and y. NULL when the kernel has no cheaper way than the separate pass. */
    enum status (*apply_dot)(void *state, const double *x, double *y, double *dot,
                             struct error *error);

    /* next_i = fma(beta, p_i, r_i), x as direction says, then y = A next and *dot = next . y, in
     * one pass: bit for bit what the separate operations give. dot = NULL: not wanted. NULL when
     * the kernel has no such pass. */
    enum status (*apply_direction)(void *state, const struct direction *direction, double *y,
                                   double *dot, struct error *error);

    /* Whether apply_direction may be called for this matrix; NULL: always, where there is one. */
    bool (*makes_direction)(const void *state);

    /* How set-up keeps this matrix, for the report: "diagonals, 4 in the upper triangle"; NULL:
     * nothing to tell. */
    void (*describe)(const void *state, char *text, size_t size);

    int64_t (*bytes_per_apply)(const void *state); /* the byte model: what one apply must move
                                                      between memory and the processor, an array
                                                      as often as the algorithm passes over it */
    int64_t (*memory_bytes)(const void *state);    /* what setup allocated, A itself not counted */
    void (*destroy)(void *state);                  /* accepts NULL */
};

/* A kernel ready to be applied. */
struct linear_operator {
    const struct kernel *kernel;
    struct space *space;
    void *state;
    int64_t n, width; /* of A */
    enum precision precision;
};

/* Check the kind of A and the ranges of the options, then set up. options = NULL takes the
 * defaults. A and space are borrowed and outlive the spmv. The caller owns it and calls
 * operator_destroy. Errors: STATUS_CONFIG (kind, option), STATUS_UNAVAILABLE, STATUS_MEMORY,
 * STATUS_DEVICE. */
enum status operator_create(const struct kernel *kernel, const struct csr *A,
                            const struct kernel_options *options, struct space *space,
                            struct linear_operator *spmv, struct error *error);
void operator_destroy(struct linear_operator *spmv); /* accepts a zeroed one */

/* Whether set-up, by what it knows beforehand, and `more` bytes besides fit into what the space has
 * left. operator_create asks for itself; a solver asks before that, with its vectors. Errors: those
 * of operator_create, STATUS_MEMORY with how much is needed and how much there is. */
enum status kernel_fits(const struct kernel *kernel, const struct csr *A,
                        const struct kernel_options *options, struct space *space, int64_t more,
                        struct error *error);

/* y = A x. x[width], y[n] */
enum status operator_apply(struct linear_operator *spmv, const double *x, double *y,
                           struct error *error);

/* y = A x by single precision, for an spmv whose precision is PRECISION_FLOAT. */
enum status operator_apply_float(struct linear_operator *spmv, const float *x, float *y,
                                 struct error *error);

/* y = A x and *dot = x . y, of a square A, fused where the kernel can and the space's reductions
 * are reproducible, else in two passes: the bits are the same. */
enum status operator_apply_dot(struct linear_operator *spmv, const double *x, double *y,
                               double *dot, struct error *error);

/* Whether the kernel makes the direction of this matrix while it multiplies. */
bool operator_makes_direction(const struct linear_operator *spmv);

/* struct kernel's apply_direction, with dot = next . y by the space's reductions, or NULL: not
 * wanted; for an spmv that makes directions. */
enum status operator_apply_direction(struct linear_operator *spmv,
                                     const struct direction *direction, double *y, double *dot,
                                     struct error *error);

/* Whether operator_apply_dot is one pass. */
bool operator_fuses_dot(const struct linear_operator *spmv);

/* The kernels of kernels.def, in its order; *count of them. One that this build lacks is there by
 * name, unavailable, with setup = NULL. */
const struct kernel *const *kernel_list(int *count);

/* The kernel of that name, or NULL. */
const struct kernel *kernel_find(const char *name);

/* How many parameters it declares. */
int kernel_parameter_count(const struct kernel *kernel);

/* What it promises with these options. */
enum kernel_guarantee kernel_guarantee(const struct kernel *kernel,
                                       const struct kernel_options *options);

/* The precision that these options ask for: double where the kernel has no such parameter. */
enum precision kernel_precision(const struct kernel *kernel, const struct kernel_options *options);

/* A value of a parameter as a config writes it, without quotes: "auto", "16". Gives back text, or
 * the choice itself. */
const char *kernel_parameter_text(const struct kernel_parameter *parameter, int64_t value,
                                  char *text, size_t size);

/* The default of every parameter. */
struct kernel_options kernel_defaults(const struct kernel *kernel);

/* Why it cannot run here, or NULL. */
const char *kernel_unavailable(const struct kernel *kernel);

/* "full", "upper"; "none", "accurate", "run", "bitwise". */
const char *kernel_storage_name(enum kernel_storage storage);
const char *kernel_guarantee_name(enum kernel_guarantee guarantee);

#ifdef __cplusplus
}
#endif
#endif
