/* The contract of an SpMV back end ("kernel"): y = A x, with A symmetric, skew-symmetric or
 * general.
 *
 * One kernel is one file below src/spmv/ that defines one constant `struct kernel kernel_<name>`,
 * and one line in src/spmv/kernels.def. The file's stem, the name in a config and the suffix of the
 * symbol are the same word. A small kernel keeps everything else static; a large one, such as
 * cpu_sym_bitwise, uses more files of its folder. docs/architecture.md has the steps, and
 * docs/example/cpu_csr_descending.c is a small one. */
#ifndef SPMV_KERNEL_H
#define SPMV_KERNEL_H

#include "base/component.h"
#include "base/status.h"
#include "matrix/csr.h"
#include "space/space.h"
#include "spmv/operator.h"

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

/* What a kernel promises of the bits of y, for the same A, x and parameters. With several
 * vectors each column has the bits of a product with it alone; an operator with
 * OPERATOR_APART promises nothing of them. */
enum kernel_guarantee {
    GUARANTEE_NONE,     /* they may differ from run to run */
    GUARANTEE_ACCURATE, /* every error compensated: usually equal, not promised */
    GUARANTEE_RUN,      /* equal on every run on one device with one number of threads */
    GUARANTEE_BITWISE,  /* equal on every run, number of threads, and device */
};

/* How a kernel keeps the values of A and computes: its parameter "precision", where it declares
 * one. The choices of that are some of kernel_precisions; the macros offer all of them or two. The
 * default is double. fl(v) is v rounded to the nearest number of single precision. */
enum precision {
    PRECISION_DOUBLE,
    PRECISION_FLOAT,        /* y = fl(A) fl(x), products and sums in single precision */
    PRECISION_FLOAT_DOUBLE, /* y = fl(A) x, products and sums in double precision */
};

/* What an operator with sums of that precision can: OPERATOR_SINGLES with single ones, or 0. */
static inline unsigned precision_can(enum precision precision)
{
    return precision == PRECISION_FLOAT ? OPERATOR_SINGLES : 0;
}

/* The same of one that takes columns of vectors of either precision. */
static inline unsigned precision_can_columns(bool single_sums)
{
    return OPERATOR_COLUMNS | (single_sums ? OPERATOR_SINGLES | OPERATOR_SINGLE_COLUMNS : 0);
}

/* "double", "float", "float_double", NULL */
extern const char *const kernel_precisions[];

/* For a kernel whose sums are always double: "double", "float_double", NULL */
extern const char *const kernel_precisions_of_values[];

/* Parameter k: a whole number; one of a few texts; the precision. */
#define KERNEL_INTEGER(k, its_name, its_meaning, its_default, from, to)                            \
    {                                                                                              \
        .name = its_name, .meaning = its_meaning, .default_value = its_default,                    \
        TAKES_INTEGER(struct kernel_options, values[k], from, to)                                  \
    }
#define KERNEL_CHOICE(k, its_name, its_meaning, its_default, texts)                                \
    {                                                                                              \
        .name = its_name, .meaning = its_meaning, .default_value = its_default,                    \
        TAKES_CHOICE(struct kernel_options, values[k], texts)                                      \
    }
#define KERNEL_PRECISION(k)                                                                        \
    KERNEL_CHOICE(k, "precision",                                                                  \
                  "values and sums in double; float_double: values in single, sums in double",     \
                  "double", kernel_precisions)
#define KERNEL_PRECISION_OF_VALUES(k)                                                              \
    KERNEL_CHOICE(k, "precision", "values of A in double or single; sums in double", "double",     \
                  kernel_precisions_of_values)

#define KERNEL_COMPONENT(name, summary, parameters)                                                \
    {                                                                                              \
        COMPONENT_KERNEL, name, summary, parameters, sizeof(struct kernel_options), NULL           \
    }

/* Another guarantee for one value of a parameter. */
struct kernel_promise {
    const char *parameter;
    int64_t value;
    enum kernel_guarantee guarantee;
};

struct kernel {
    struct component component; /* its parameters are the members of struct kernel_options */
    enum space_kind space;
    enum kernel_storage storage;
    unsigned kinds;                        /* which enum csr_kind it takes, or-ed */
    enum kernel_guarantee guarantee;       /* with the defaults */
    const struct kernel_promise *promises; /* what makes another of it; ends with a NULL
                                              parameter; NULL for none */

    /* How a row is summed follows from the whole matrix: from where the row lies in it, or how long
     * its rows are. Of another matrix with this row, as a rank has it
     * (spmv/distributed/rank_operator.h), the sum has other bits. */
    bool sums_by_matrix;

    /* Why it cannot run here ("no CUDA device: ..."), or NULL when it can.
     * The slot may be NULL: always available. The text is static. */
    const char *(*unavailable)(void);

    /* What is wrong with the options for this A, as far as their ranges do not say it. NULL:
     * nothing can be. Errors: STATUS_CONFIG. */
    enum status (*check)(const struct csr *A, const struct kernel_options *options,
                         struct error *error);

    /* What setup will leave allocated in the space, at the least, for a matrix of this shape: A's
     * kind, n, width and nnz alone are looked at. NULL: not known beforehand. */
    int64_t (*setup_bytes)(const struct csr *A, const struct kernel_options *options);

    /* Make the kernel's own form of A and fill in of *made: table, state, can, bytes_per_apply (the
     * matrix, x and y), memory_bytes, and a description if there is something to tell. *made comes
     * zeroed but for name, space, n, width, exponent and products = 1. A kernel of the host may
     * borrow A, which outlives *made; one of a GPU borrows nothing. x and y will live in the space.
     * The team of the space is lent (base/threads.h) for the loops of set-up, as it does those of a
     * product. On failure the caller destroys what table and state hold by then. */
    enum status (*setup)(const struct csr *A, const struct kernel_options *options,
                         struct linear_operator *made, struct error *error);

    /* Set-up also takes an A whose rows are in the space's memory, and then looks at values that
     * are asked for in single precision itself (single_check). Other kernels get such an A on the
     * host. */
    bool device_rows;
};

/* Whether the kernel can run here and takes A with these options: its kind, the ranges, values that
 * single precision holds where it is asked for, and the kernel's own check. So that a study asks it
 * of all its kernels before the first of them is set up. Errors: STATUS_CONFIG (kind, option),
 * STATUS_UNAVAILABLE. */
enum status kernel_check(const struct kernel *kernel, const struct csr *A,
                         const struct kernel_options *options, struct error *error);

/* A in the form of the kernel: kernel_fits, then set up. A is on the host, or its rows are in the
 * memory of the space (spmv/device_csr.h). options = NULL takes the defaults. A on the host and the
 * space are borrowed and outlive *made. The caller calls operator_destroy; on failure *made is
 * zeroed. Errors: those of kernel_fits, STATUS_DEVICE. */
enum status operator_create(const struct kernel *kernel, const struct csr *A,
                            const struct kernel_options *options, struct space *space,
                            struct linear_operator *made, struct error *error);

/* kernel_check, and whether set-up, by what it knows beforehand, and `more` bytes besides fit into
 * what the space has left. operator_create asks for itself; a solver asks before that, with its
 * vectors. Errors: those of kernel_check, STATUS_CONFIG (the space is another kind's),
 * STATUS_MEMORY with how much is needed and how much there is. */
enum status kernel_fits(const struct kernel *kernel, const struct csr *A,
                        const struct kernel_options *options, struct space *space, int64_t more,
                        struct error *error);

/* The kernels of kernels.def, in its order, and then those of plug-ins; *count of them. One that
 * this build lacks is there by name, unavailable, with setup = NULL. */
const struct kernel *const *kernel_list(int *count);

/* The same as components. */
const struct component *const *kernel_components(int *count);

/* component_add of a kernel. */
bool kernel_add(const struct kernel *kernel);

/* The kernel of that name, or NULL. */
const struct kernel *kernel_find(const char *name);

/* How many parameters it declares. */
int kernel_parameter_count(const struct kernel *kernel);

/* Where the parameter of that name stands among them; -1: it has none. */
int kernel_parameter_place(const struct kernel *kernel, const char *name);

/* What it promises with these options. */
enum kernel_guarantee kernel_guarantee(const struct kernel *kernel,
                                       const struct kernel_options *options);

/* The precision that these options ask for: double where the kernel has no such parameter. */
enum precision kernel_precision(const struct kernel *kernel, const struct kernel_options *options);

/* Has the options ask for that precision; false where the kernel does not offer it as a choice. */
bool kernel_set_precision(const struct kernel *kernel, enum precision precision,
                          struct kernel_options *options);

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
