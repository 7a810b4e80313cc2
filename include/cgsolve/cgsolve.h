/* cgsolve, the library: solves symmetric linear systems and eigenvalue problems from other
 * programs, with the same bits as the program cgsolve. docs/library.md begins with an example.
 *
 * A function that can fail gives back CGS_OK or an error code. Unless its last argument is NULL, it
 * also writes a sentence there. The library prints nothing, never exits, and handles no signal.
 * After a failure a new handle is NULL. A NULL handle is refused with CGS_BAD_OPTION, and so is a
 * NULL pointer for a result; functions without a status give back 0.
 *
 * A matrix belongs to its context, an operator to its matrix, a solver to its operator: destroy
 * each before its owner. One thread at a time may use a context and the handles that belong to it,
 * except for cgs_solver_cancel. Several threads may use several contexts at once.
 *
 * Callbacks (monitors, products and other functions of the caller's) must return: no longjmp and no
 * exception may leave them. During a call with callbacks its operator, the operator's solvers, the
 * matrix and the study are in use. Functions that would use or change them are refused with
 * CGS_BAD_OPTION, except cgs_solver_cancel; functions that destroy them or their context do
 * nothing.
 *
 * A call, with its callbacks, works in the default floating-point state, FE_DFL_ENV of <fenv.h>: it
 * rounds to nearest, keeps subnormal numbers and traps nothing. On return the call restores the
 * caller's own state, with its flags. */
#ifndef CGSOLVE_CGSOLVE_H
#define CGSOLVE_CGSOLVE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined __GNUC__
#define CGS_API __attribute__((visibility("default")))
#else
#define CGS_API
#endif

/* --- what went wrong -------------------------------------------------------------------------- */

enum cgs_status {
    CGS_OK = 0,
    CGS_BAD_OPTION,  /* an argument or option is wrong, or several do not fit together */
    CGS_BAD_INPUT,   /* a matrix, a vector or a file is invalid */
    CGS_NO_MEMORY,   /* or a size overflows */
    CGS_DEVICE,      /* a device failed */
    CGS_UNAVAILABLE, /* not possible with this build or on this machine */
    CGS_RANK = 8,    /* another rank has ended, or cannot be reached */
};

/* One line without a newline, which names the value. Untouched on CGS_OK. */
struct cgs_error {
    char text[1024];
};

/* The version of this header. Before 1.0 another MINOR is incompatible. */
#define CGS_VERSION_MAJOR 0
#define CGS_VERSION_MINOR 1
#define CGS_VERSION_PATCH 0
#define CGS_VERSION "0.1.0"

/* The version of the loaded library, in the form of CGS_VERSION. */
CGS_API const char *cgs_version(void);

/* For an interpreter that is about to end with the process, and cannot be entered any more. From
 * here on, any other thread stops before it calls one of the caller's functions (a product, a
 * monitor, a look, a poll), and waits until the process has ended. The thread that calls this goes
 * on as before. */
CGS_API void cgs_end_callbacks(void);

/* Load a plug-in of cgsolve (docs/plugins.md), a shared object with further kernels, methods and
 * preconditioners. Options then name them like built-in ones. The plug-in stays loaded; a second
 * call does nothing. A path without a slash is relative to the working directory. Any thread may
 * call this. A plug-in needs the shared library: a program with libcgsolve.a lacks the functions
 * that it calls. CGS_BAD_INPUT: the file cannot be loaded, is no plug-in, is for another version of
 * cgsolve, or has a component whose name is taken. */
CGS_API enum cgs_status cgs_load(const char *path, struct cgs_error *error);

/* --- options ----------------------------------------------------------------------------------
 *
 * A struct argument begins with its size. So a later library knows which members exist, and an
 * earlier library refuses unknown members, unless they are 0. A member of 0 means the first choice
 * of its comment.
 *
 * Options by name are a list of texts, alternately name and value, and a NULL:
 *
 *     const char *const options[] = {"kernel", "cpu_sym_bitwise", "reductions", "exact", NULL};
 *
 * A value has the form of a config of the program. The order counts: an option with a dot comes
 * after the option that it belongs to, and the last of two equal names holds. NULL for the list:
 * the defaults. */

/* --- arrays of the caller's ------------------------------------------------------------------- */

enum cgs_place {
    CGS_CPU,
    CGS_CUDA,
};

enum cgs_type {
    CGS_DOUBLE,
    CGS_FLOAT,
    CGS_INT32,
    CGS_INT64,
};

/* rows x columns elements: element (i, j) is data[i row_stride + j column_stride], and no two
 * elements overlap. A zeroed struct is a missing array, if it may be missing. The struct is passed
 * by value. Its data stay the caller's, and are used until the call returns, unless a matrix
 * borrows them. DLPack's DLTensor has the same members: add its byte_offset to `data`. An array
 * that does not fit is refused by its name, with CGS_BAD_OPTION. */
struct cgs_array {
    void *data; /* an input may be const */
    int64_t rows;
    int64_t columns;       /* 0: 1 */
    int64_t row_stride;    /* in elements, at least 1; 0: 1 */
    int64_t column_stride; /* likewise; 0, for a row_stride of 1: rows */
    enum cgs_type type;
    enum cgs_place place; /* of the memory */
    int device;           /* of CGS_CUDA: the context's */
    int reserved[5];      /* 0: for members of later versions */
};

#if defined __GNUC__ && __GNUC__ >= 11 /* without it GCC warns of an uninitialised x that a solve
                                          will write */
#define CGS_ADDRESS_ALONE __attribute__((access(none, 1)))
#else
#define CGS_ADDRESS_ALONE
#endif

/* Doubles v[n] on the host; NULL: an array that is missing. */
CGS_ADDRESS_ALONE static inline struct cgs_array cgs_vector(const double *v, int64_t n)
{
    struct cgs_array array = {(void *)(uintptr_t)v, n, 1, 1, n, CGS_DOUBLE, CGS_CPU, 0,
                              {0, 0, 0, 0, 0}};
    return array;
}

/* The same for integers, such as offsets, rows and columns of a matrix. */
CGS_ADDRESS_ALONE static inline struct cgs_array cgs_int32(const int32_t *v, int64_t n)
{
    struct cgs_array array = {(void *)(uintptr_t)v, n, 1, 1, n, CGS_INT32, CGS_CPU, 0,
                              {0, 0, 0, 0, 0}};
    return array;
}

/* --- ranks ------------------------------------------------------------------------------------
 *
 * Ranks are processes, or threads, that solve a system together. Each has neighbouring rows of A,
 * b, x0 and x: rank 0 has the first rows, and a rank may have none. If the operator promises equal
 * bits, then histories, results and x have the bits of one rank, for any number of ranks and any
 * division of the rows. cgsolve/mpi.h makes the exchange of an MPI communicator. The library itself
 * does not use MPI.
 *
 * A vector [n] in a comment has own_rows (struct cgs_matrix_data) elements on a rank; a rank
 * without rows may omit it. The same holds for x and y of the product of cgs_solver_precondition,
 * which all ranks call together. A look gets the own rows of x_k.
 *
 * Over ranks these functions are collective: all ranks call them, in the same order, with the same
 * options:
 *
 *     cgs_context_create, cgs_operator_create, cgs_multiply, cgs_precondition, cgs_solver_create,
 *     cgs_solver_set, cgs_solve, and all that begin with cgs_matrix but cgs_matrix_destroy,
 *     cgs_matrix_rows and cgs_matrix_averaged
 *
 * They give the same status and the same sentence to all ranks. If only one rank failed, the
 * sentence names it. All ranks of a solve set the same functions by cgs_solver_look and
 * cgs_solver_precondition. Each rank may have a monitor, which gets every row of the history. A
 * monitor that does not return 0, or cgs_solver_cancel, ends the solve of all ranks.
 *
 * A handle that is NULL, or in use, is refused only on its own rank. A rank calls `abandon` if its
 * memory is exhausted while the other ranks wait for it. */

/* A message of `bytes` to or from another rank; 0: none. */
struct cgs_piece {
    void *memory;
    int64_t bytes;
};

/* The communication of ranks. The functions only move bytes. A result other than 0 is a failure:
 * `why`, empty before, may get the reason. The context of a rank calls them one at a time, on the
 * thread that calls the library. */
struct cgs_exchange {
    size_t size;
    int rank, count; /* 0 <= rank < count */
    void *user;
    /* All-gather: in every rank, all[begin[r] <= k < begin[r + 1]] = the bytes of rank r.
     * begin[count + 1] is the same in all ranks. `own` may point to its place in `all`. */
    int (*gather)(void *user, const void *own, const int64_t *begin, void *all,
                  struct cgs_error *why);
    /* All-to-all: sends send[r] to rank r and receives receive[r] from rank r, for each r < count,
     * also the own rank. The sender and the receiver of a piece give the same length. */
    int (*swap)(void *user, const struct cgs_piece *send, const struct cgs_piece *receive,
                struct cgs_error *why);
    /* This rank cannot go on, and the others must not wait for it. The function ends all processes;
     * or it makes gather and swap of the other ranks fail from now on, and returns. */
    void (*abandon)(void *user, const char *why);
};

/* --- context: where the work is done ---------------------------------------------------------- */

struct cgs_context_options {
    size_t size;
    enum cgs_place place;
    /* Of the CPU. 0: one for each 2^15 stored entries of a matrix, up to the maximum; for a study
     * the maximum. The maximum is the number of processors by the affinity of this process and the
     * quota of its control group, but at most OMP_NUM_THREADS. */
    int threads;
    int device; /* of CUDA, as this process numbers them */
    /* A cudaStream_t. Calls wait for the work on this stream before they read the caller's arrays
     * in the device's memory. NULL: CUDA's default stream. */
    void *stream;
    /* NULL: one rank. The struct is copied; `user` must live until the context is destroyed.
     * Several ranks need CGS_CPU; CGS_CUDA gives CGS_UNAVAILABLE. */
    const struct cgs_exchange *exchange;
    /* For the caller's products and preconditioners on CUDA. 0: they only send work to their
     * stream; a solve records some iterations and replays them. 1: each iteration calls them; they
     * may allocate memory and wait for the device. */
    int called;
};

struct cgs_context;

/* options = NULL: zeros. Errors: CGS_BAD_OPTION, CGS_NO_MEMORY, CGS_DEVICE, CGS_UNAVAILABLE,
 * CGS_RANK. */
CGS_API enum cgs_status cgs_context_create(const struct cgs_context_options *options,
                                           struct cgs_context **context, struct cgs_error *error);
CGS_API void cgs_context_destroy(struct cgs_context *context); /* accepts NULL */

/* Frees the memory that the process keeps on GPUs for later contexts: at most two destroyed
 * contexts and solvers stay ready, each with at most an eighth of the device's memory. The
 * library does so itself before an allocation fails. Any thread may call this. */
CGS_API void cgs_empty_cache(void);

/* --- matrix ----------------------------------------------------------------------------------- */

/* The given part of the matrix. UPPER and LOWER are one triangle, which implies the other; FULL
 * must have both, and they must agree. */
enum cgs_part {
    CGS_UPPER = 1,
    CGS_LOWER,
    CGS_FULL,
};

enum cgs_kind {
    CGS_SYMMETRIC, /* a_ji = a_ij */
    CGS_SKEW,      /* a_ji = -a_ij */
};

/* An n x n matrix as compressed sparse rows (offsets), or as coordinates (rows). Rows and columns
 * may have any order; repeated entries are added in their given order, row by row. Unless the
 * arrays are borrowed, they are not needed after the call. */
struct cgs_matrix_data {
    size_t size;
    int64_t n; /* 1 to 2^31 - 1 */
    /* Of one column without gaps, on the host or in the memory of the context's device. Integers
     * are CGS_INT32 or CGS_INT64. If all arrays are on the device, the device checks and sorts them
     * and makes A symmetric. This takes some 32 bytes an entry; it takes none for rows given by
     * offsets whose columns increase, CGS_UPPER or exactly symmetric CGS_FULL. If that memory is
     * missing, or to name an error, the library copies the arrays to the host. */
    struct cgs_array offsets; /* [n + 1]: row i has the entries offsets[i] <= k < offsets[i + 1] */
    struct cgs_array rows;    /* [nnz]; one of the two, the other is missing */
    struct cgs_array columns; /* [nnz] */
    struct cgs_array values;  /* [nnz], finite; CGS_DOUBLE or CGS_FLOAT */
    int base;                 /* 0 or 1: of the first row, column and entry */
    enum cgs_part part;       /* required */
    enum cgs_kind kind;
    /* For CGS_FULL and CGS_SYMMETRIC: the largest accepted |a_ij - a_ji| / s_ij; both entries
     * become their mean. s_ij = min(m_i, m_j), with m_i the largest |a_ik|, |a_ki| of row and
     * column i, because entries may cancel, and then have the errors of the added terms. All of a
     * row may cancel: then s_ij = max(m_i, m_j) / 64, if that is larger and the smaller row has no
     * symmetric coupling to a row of its size. An entry that is not stored counts as 0. Must be
     * below 1, because 1 accepts any missing entry. 0: the default for rounding errors, 1e-12, or
     * 1e-4 for CGS_FLOAT. Below 0: the entries must be equal. */
    double asymmetry;
    /* 0 or 1: the matrix borrows columns and values, and makes no copy. They must stay unchanged
     * until the matrix is destroyed, or an update has replaced them. Borrowed arrays need offsets,
     * CGS_UPPER, columns of CGS_INT32, values of CGS_DOUBLE, memory of the host, base 0, the
     * diagonal first in each row, zero or not, and increasing columns; others are refused. */
    int borrow;
    /* One rank: 0 and 0. Over ranks this rank gives the rows first_row <= i < first_row + own_rows,
     * counted from 0; with CGS_LOWER and CGS_UPPER the rows of the triangle. Rank r + 1 begins
     * where rank r ends, and together they have n rows. Offsets are [own_rows + 1] and begin with
     * `base`; nnz counts the entries of the own rows; rows and columns are global numbers. The
     * other members, except the types, are equal in all ranks; `borrow` is 0.
     *
     * The library redistributes the rows, in tiles of 480 (cgsolve/order.h), and keeps each entry
     * in one or two ranks. A rank also needs 8 bytes for each of the n rows, and 20 more while A is
     * made. Each rank holds all of A with a kernel of single precision, and with some
     * preconditioners (docs/ranks.md). */
    int64_t first_row, own_rows;
};

struct cgs_matrix;

/* Errors: CGS_BAD_OPTION, CGS_BAD_INPUT (rows and columns are counted from 1 in its sentence),
 * CGS_NO_MEMORY, CGS_DEVICE, CGS_RANK. */
CGS_API enum cgs_status cgs_matrix_create(struct cgs_context *context,
                                          const struct cgs_matrix_data *data,
                                          struct cgs_matrix **matrix, struct cgs_error *error);

/* From a file: Matrix Market, plain or packed (gzip, bzip2, xz), .npz of scipy.sparse.save_npz
 * (csr, csc, coo), a Mat of PETSc in binary form, a MAT-file of MATLAB (version 5), Harwell-Boeing
 * or Rutherford-Boeing; its content tells the format. The matrix is symmetric, skew-symmetric, or
 * general with the symmetry that `asymmetry` demands, as in cgs_matrix_data. Errors:
 * CGS_BAD_OPTION, CGS_BAD_INPUT ("FILE:LINE: ..."), CGS_NO_MEMORY; CGS_UNAVAILABLE over ranks. */
CGS_API enum cgs_status cgs_matrix_read(struct cgs_context *context, const char *path,
                                        double asymmetry, struct cgs_matrix **matrix,
                                        struct cgs_error *error);

/* Replace the values on the same pattern of the upper triangle. Operators and preconditioners of
 * the matrix are set up again at their next use; multigrid keeps its aggregates if its option
 * `reuse` says so. data: complete, as for cgs_matrix_create, with the same `borrow`; borrowed
 * arrays may be the same arrays with other values. Errors: as for cgs_matrix_create, and
 * CGS_BAD_INPUT for another pattern; then the matrix is unchanged. */
CGS_API enum cgs_status cgs_matrix_update(struct cgs_matrix *matrix,
                                          const struct cgs_matrix_data *data,
                                          struct cgs_error *error);

/* The near-null space of A, vectors v with small A v, for the preconditioner multigrid
 * (docs/preconditioners.md): the rigid body modes of an elastic body, from the coordinates of its
 * nodes; or any vectors. The arrays have doubles, on the host or in the memory of the context's
 * device, and are copied. The last call of either function holds; a call with a missing array
 * removes the near-null space. An update of A's values keeps it. Operators, and preconditioners by
 * name, are set up again at their next use.
 *
 * coordinates    [nodes][d], d = 2 or 3: a row for each node. Node i, counted from 0, has the rows
 *                d i, ..., d i + d - 1 of A, its displacements along the axes
 * vectors [n][count], 1 to 12 block consecutive rows of A that are the unknowns of a node; 0:
 * multigrid looks for it
 *
 * Each rank gives the part of its own rows, complete nodes, and then stores the part of all rows: 8
 * count bytes for each of the n rows. Errors: CGS_BAD_OPTION (also for a number that is not finite,
 * and for a vector of zeros), CGS_NO_MEMORY, CGS_DEVICE, CGS_RANK; then nothing has changed. */
CGS_API enum cgs_status cgs_matrix_coordinates(struct cgs_matrix *matrix,
                                               struct cgs_array coordinates,
                                               struct cgs_error *error);
CGS_API enum cgs_status cgs_matrix_near_null(struct cgs_matrix *matrix, struct cgs_array vectors,
                                             int64_t block, struct cgs_error *error);

CGS_API void cgs_matrix_destroy(struct cgs_matrix *matrix); /* accepts NULL */

CGS_API int64_t cgs_matrix_rows(const struct cgs_matrix *matrix);
/* Of both triangles, the diagonal once. */
CGS_API int64_t cgs_matrix_entries(const struct cgs_matrix *matrix);
/* The number of unequal pairs a_ij, a_ji that became their mean. *asymmetry, unless it is NULL: the
 * largest asymmetry of a pair, as in cgs_matrix_data. Both are 0 if A was exactly symmetric. */
CGS_API int64_t cgs_matrix_averaged(const struct cgs_matrix *matrix, double *asymmetry);
/* The hash of the matrix, as in the program's summary.json. */
CGS_API uint64_t cgs_matrix_hash(const struct cgs_matrix *matrix);
/* The hash of a vector v[n] on the host: b, x_0 or x. */
CGS_API uint64_t cgs_vector_hash(const double *v, int64_t n);

/* --- operator: what multiplies by A ----------------------------------------------------------- */

struct cgs_operator;

/* A in the form of a kernel. Options:
 *
 *     kernel        docs/kernels.md; default: cpu_sym_bitwise, on CUDA cuda_sym_bitwise. A dot
 *                   leads to the kernel's own options: "kernel.precision"
 *     reductions    the sums of dot products; default: reproducible
 *
 * Errors: CGS_BAD_OPTION (no such option or value; the kernel does not take this matrix, or does
 * not work in this place), CGS_NO_MEMORY, CGS_DEVICE, CGS_UNAVAILABLE. */
CGS_API enum cgs_status cgs_operator_create(struct cgs_matrix *matrix, const char *const *options,
                                            struct cgs_operator **op, struct cgs_error *error);
CGS_API void cgs_operator_destroy(struct cgs_operator *op); /* accepts NULL */

/* The caller's product Y = A X, for doubles x[n][columns] and y[n][columns] that do not overlap:
 * one column without gaps; or of several with column_stride = 1, the same row_stride of both, at
 * most 32, and any values in the gaps. The library does not check that A is symmetric. On CUDA x
 * and y are in the device's memory, and the function sends its work to `stream`, a cudaStream_t,
 * which may be recording: it must not wait or allocate, unless the context has `called`. A result
 * other than 0 ends the solve with CGS_BAD_INPUT. */
typedef int cgs_product(void *user, const struct cgs_array *x, const struct cgs_array *y,
                        void *stream);

/* A matrix-free A, symmetric or skew-symmetric.
 * several    0: a call of the product has one column. 1: up to 32 columns; a solve of several
 *            columns then also multiplies columns that have ended, as long as two go on. The caller
 *            promises that a column has the bits of its own solve
 * Options: reductions. The true residual is only as precise as the product, and equal bits are the
 * caller's promise. Errors: CGS_BAD_OPTION, CGS_NO_MEMORY, CGS_DEVICE. */
CGS_API enum cgs_status cgs_operator_create_product(
    struct cgs_context *context, int64_t n, enum cgs_kind kind, cgs_product *product, int several,
    void *user, const char *const *options, struct cgs_operator **op, struct cgs_error *error);

/* The promise on the bits of a product, and of a solve with ordered reductions. A kernel of a
 * plug-in declares its own. */
enum cgs_guarantee {
    CGS_NO_GUARANTEE,
    CGS_USUAL_BITS,   /* compensated errors: usually equal, not promised */
    CGS_EQUAL_IN_RUN, /* on every run on one device with one number of threads */
    CGS_EQUAL_BITS,   /* on every run, number of threads, and device */
};

CGS_API enum cgs_guarantee cgs_operator_guarantee(const struct cgs_operator *op);

/* Y = A X for doubles x[n][columns] and y[n][columns]. Either may be on the host or in the memory
 * of the context's device, and both may be one array. If it can, the kernel multiplies several
 * columns in one sweep over A. If x or y is on the host, both are copied through the host; then the
 * columns of a y on a device, or all its rows, must be without gaps. A column has the bits of its
 * own product, except with kernels of cuSPARSE. Errors: CGS_BAD_OPTION, CGS_NO_MEMORY, CGS_DEVICE,
 * those of the set-up after an update; CGS_BAD_INPUT: the caller's product failed. */
CGS_API enum cgs_status cgs_multiply(struct cgs_operator *op, struct cgs_array x,
                                     struct cgs_array y, struct cgs_error *error);

/* --- solver ----------------------------------------------------------------------------------- */

/* Of A x = b, (shift I + A) x = b, or A v = lambda v. */
struct cgs_solver;

/* Options:
 *
 *     method           "cg", "minres", "skew", "richardson", "lanczos"; default: cg
 *     preconditioner   of cg, minres and richardson: "jacobi", ... (docs/preconditioners.md);
 *                      default: none. A dot leads to its own options: "preconditioner.degree"
 *     tolerance, absolute_tolerance
 *                      done when ||b - A x|| <= max(tolerance ||b||, absolute_tolerance), which may
 *                      be at x0; defaults: 1e-8, 0. tolerance = 0 is allowed if absolute_tolerance
 *                      is above 0. If ||b|| is 0, x is 0
 *     max_iterations   default: 10000
 *     shift            of skew: the system is (shift I + A) x = b; default: 0
 *     relaxation       of richardson: x = x + relaxation M^-1 r; default: 1
 *     null_space       for a singular A, such as a graph's Laplacian (docs/singular.md). "auto":
 *                      cgs_solve refuses a b outside A's range, except with minres; "project": it
 *                      removes b's part outside the range; "none": no test for a singular A;
 *                      default: auto
 *     resident         of cg and minres: "auto": a GPU may keep a small system in its processors
 *                      for many iterations (docs/kernels.md); "never"; the bits are the same;
 *                      default: auto
 *     eigen.count, eigen.which, eigen.tolerance, eigen.reorthogonalization, eigen.restart
 *
 * Errors: CGS_BAD_OPTION (no such option or value; the method does not take this matrix, or the
 * preconditioner), CGS_NO_MEMORY, CGS_DEVICE. */
CGS_API enum cgs_status cgs_solver_create(struct cgs_operator *op, const char *const *options,
                                          struct cgs_solver **solver, struct cgs_error *error);
CGS_API void cgs_solver_destroy(struct cgs_solver *solver); /* accepts NULL */

/* Change one option, but none of the preconditioner's, for later solves. Errors: as above; then the
 * option is unchanged. */
CGS_API enum cgs_status cgs_solver_set(struct cgs_solver *solver, const char *option,
                                       const char *value, struct cgs_error *error);

/* Later solves use the caller's preconditioner z = M^-1 r: symmetric and positive definite, even if
 * A is not, and the same in every call. `several`: as for cgs_operator_create_product. NULL: none.
 * Errors: CGS_BAD_OPTION (the method takes none; the solver has one by name); then the solver is
 * unchanged. */
CGS_API enum cgs_status cgs_solver_precondition(struct cgs_solver *solver, cgs_product *product,
                                                int several, void *user, struct cgs_error *error);

/* Z = M^-1 R by the solver's preconditioner, for doubles r[n][columns] and z[n][columns], with the
 * rules for x and y of cgs_multiply. Each column has the bits of its own product. Errors: as for
 * cgs_multiply; CGS_BAD_OPTION: the solver has no preconditioner, or none is possible after an
 * update. */
CGS_API enum cgs_status cgs_precondition(struct cgs_solver *solver, struct cgs_array r,
                                         struct cgs_array z, struct cgs_error *error);

/* Called with every row of the history of each column of b, on the solving thread, the rows of one
 * column in order. `residual` is ||b - A x_k||, the recursive residual; with lanczos the largest
 * ||A v - theta v|| / |theta| of the wanted pairs. A result other than 0 ends the solve of all
 * columns. */
typedef int cgs_monitor(void *user, int64_t column, int64_t iteration, double residual);

/* monitor = NULL: none. */
CGS_API void cgs_solver_monitor(struct cgs_solver *solver, cgs_monitor *monitor, void *user);

/* Called with x_k[n] for k = 0, every, 2 every, ..., after the row of that iteration. x is on the
 * host, and valid until the function returns. A result other than 0 ends the solve at the next row,
 * without another look. */
typedef int cgs_look(void *user, int64_t iteration, const double *x);

/* look = NULL: none. A look changes no bit of the solve. It takes time: the solve waits for each
 * x_k, and copies it from the device. Errors: CGS_BAD_OPTION: every < 1. A method without an x_k
 * refuses to solve. */
CGS_API enum cgs_status cgs_solver_look(struct cgs_solver *solver, int64_t every, cgs_look *look,
                                        void *user, struct cgs_error *error);

/* Called after a row of the history, on the solving thread, when at least `seconds` have passed
 * since the solve began or since the last call: for an interpreter that handles signals in it. A
 * result other than 0 ends the solve. */
typedef int cgs_poll(void *user);

/* poll = NULL: none. */
CGS_API void cgs_solver_poll(struct cgs_solver *solver, double seconds, cgs_poll *poll, void *user);

/* Ends the current solve at the next row of its history; a call during its set-up counts too.
 * Another thread or a signal handler may call it; without a current solve it does nothing. */
CGS_API void cgs_solver_cancel(struct cgs_solver *solver); /* accepts NULL */

/* Why a solve has ended. Only with CGS_CONVERGED x satisfies the request. */
enum cgs_reason {
    CGS_NOT_SOLVED, /* the call failed */
    CGS_CONVERGED,
    CGS_RESIDUAL_GAP, /* the recursive residual passed; the true residual is above 1.1 times the
                         recursive one */
    CGS_ITERATION_LIMIT,
    CGS_NOT_POSITIVE_DEFINITE, /* A, or the preconditioner */
    CGS_NOT_FINITE,
    CGS_STAGNATION,    /* rounding prevents further progress */
    CGS_SINGULAR,      /* minres: x has grown too large to be of use */
    CGS_LEAST_SQUARES, /* minres: b is not in the range of A, and ||b - A x|| is least, with a
                          preconditioner in the norm of M^-1 */
    CGS_CANCELLED,     /* by the monitor, or by cgs_solver_cancel */
};

/* "not solved", "converged", ...; "unknown" for other values. */
CGS_API const char *cgs_reason_name(enum cgs_reason reason);

/* How it is known that a list of eigenvalues is complete: it has the outermost eigenvalues, each
 * with its multiplicity. */
enum cgs_eigen_list {
    CGS_LIST_OPEN,     /* not known: the solve ended earlier; or it was for a solution x */
    CGS_LIST_SEARCHED, /* a search from a random vector orthogonal to their eigenvectors found no
                          other */
    CGS_LIST_ALL,      /* the basis was the whole space */
};

struct cgs_result {
    size_t size; /* set by the caller */
    enum cgs_reason reason;
    int64_t iterations;
    double residual;            /* ||b - A x|| of the recurrence */
    double true_residual;       /* the same, recomputed in twice the precision */
    double rhs_norm;            /* ||b||; with a singular A, of the projected b */
    double ritz_low, ritz_high; /* estimates of the extreme eigenvalues (of M^-1 A); NaN: none */
    double start_seconds;       /* before the first iteration */
    double seconds;             /* of the iterations */
    int64_t products;           /* with A, without that of the true residual */
    enum cgs_eigen_list eigen_list;
    /* The number of known null vectors of a singular A; then x is the solution of least norm. 0:
     * none */
    int64_t null_vectors;
    double outside; /* the norm of b's part outside of A's range, over ||b|| */
};

/* Solve A X = B, each column of b like a solve of it alone. If the kernel promises equal bits, its
 * x, result and history have the bits of that solve.
 * b          [n][columns]. b, x0 and x have doubles, each on the host or in the memory of the
 *            context's device
 * x0         [n][columns], the start of a solve; missing: 0. If ||b|| is 0 or not finite, the start
 *            is 0
 * x          [n][columns], may be x0 or b. If x is on a device and b or x0 on the host, the columns
 *            of x, or all its rows, must be without gaps
 * results    [columns], with the size of each; NULL: not wanted. The seconds are of all columns
 *            together; with an x0 and a column of b that is 0 or not finite, of a part of the
 *            columns
 * Contiguous columns without gaps are used in place; other arrays are copied. If all arrays are on
 * a device, the data stay there, unless a column is so large or so small that it is scaled, or the
 * solve restarts from its own x. If only some are on a device, these are copied to the host; with a
 * singular A all are. The true residual b - A x is computed on the device if A is there, else on
 * the host. A solve that ends for another reason than CGS_CONVERGED has not failed: it gives back
 * CGS_OK, and its last x. After a failure x is unspecified. Errors: CGS_BAD_OPTION (an array does
 * not fit; the method finds eigenvalues; the preconditioner is impossible after an update; several
 * columns with a cgs_look; A is singular, and a column of b is not in its range), CGS_NO_MEMORY,
 * CGS_DEVICE; CGS_BAD_INPUT: a product of the caller's failed. */
CGS_API enum cgs_status cgs_solve(struct cgs_solver *solver, struct cgs_array b,
                                  struct cgs_array x0, struct cgs_array x,
                                  struct cgs_result *results, struct cgs_error *error);

/* The most eigenvalues of cgs_solve_eigen: eigen.count, or twice that for both ends of the
 * spectrum. */
CGS_API int64_t cgs_solver_eigen_count(const struct cgs_solver *solver);

/* Eigenvalues with the method "lanczos": values[cgs_solver_eigen_count], ascending, on the host,
 * and, unless missing, vectors[n][cgs_solver_eigen_count], a column of norm 1 for each. Unfound
 * ones are NaN. If the reason is not CGS_CONVERGED, they are the best approximations so far,
 * possibly far off. A multiple eigenvalue comes with its multiplicity, unless result->eigen_list is
 * CGS_LIST_OPEN. The basis begins with start[n]; missing: a random vector, always the same. start
 * and vectors follow the rules for b and x of cgs_solve. result->residual and true_residual are the
 * largest ||A v - theta v|| / |theta|. Errors: as above. */
CGS_API enum cgs_status cgs_solve_eigen(struct cgs_solver *solver, struct cgs_array start,
                                        double *values, struct cgs_array vectors,
                                        struct cgs_result *result, struct cgs_error *error);

/* One series of the last solve's history of one column, "residual" or another series of the method
 * (docs/reading-results.md): *values[0 ... *rows - 1], with row k after k iterations. The solver
 * owns the values; they are valid until its next solve. Errors: CGS_BAD_OPTION: no such series or
 * column. */
CGS_API enum cgs_status cgs_solver_history(const struct cgs_solver *solver, int64_t column,
                                           const char *series, const double **values, int64_t *rows,
                                           struct cgs_error *error);

/* --- study: how far the runs of kernels differ ------------------------------------------------ */

/* The same system, solved several times by each of several kernels. */
struct cgs_study;

/* options: those of cgs_solver_create, for every kernel. Errors: as for cgs_solver_create. */
CGS_API enum cgs_status cgs_study_create(struct cgs_matrix *matrix, const char *const *options,
                                         struct cgs_study **study, struct cgs_error *error);
CGS_API void cgs_study_destroy(struct cgs_study *study); /* accepts NULL */

/* Add a kernel, with the options of cgs_operator_create. label: its name in the study; NULL: the
 * kernel's name. Errors: as for cgs_operator_create; CGS_BAD_OPTION: the label is taken. */
CGS_API enum cgs_status cgs_study_add(struct cgs_study *study, const char *label,
                                      const char *const *options, struct cgs_error *error);

/* As cgs_monitor, with the kernel's label and the number of its run, from 1. A result other than 0
 * ends the study. */
typedef int cgs_study_monitor(void *user, const char *label, int64_t run, int64_t iteration,
                              double residual);

/* Solve from x0 (NULL: 0) `repeats` times with each kernel, in the order of their addition. Results
 * of an earlier call are dropped. monitor = NULL: none. Errors: those of cgs_operator_create and
 * cgs_solve; CGS_BAD_OPTION: no kernel, or repeats < 1. */
CGS_API enum cgs_status cgs_study_run(struct cgs_study *study, const double *b, const double *x0,
                                      int64_t repeats, cgs_study_monitor *monitor, void *user,
                                      struct cgs_error *error);

/* Results over all runs of one kernel. */
struct cgs_study_kernel {
    size_t size;       /* set by the caller */
    const char *label; /* the study's */
    enum cgs_guarantee guarantee;
    int promise_is_broken; /* by its own runs, or together with another kernel of the study */
    int64_t runs, converged;
    int64_t iterations_min, iterations_max;
    double iterations_median;
    int64_t histories, solutions; /* the number of different ones, by their bits */
    int64_t first_divergence;     /* the first iteration at which two runs differ; -1: none */
    double spread;                /* the largest ||x - x'||_inf / ||x||_inf of two runs */
    double setup_seconds;         /* of the kernel and the preconditioner */
    double iteration_seconds;     /* the median over the runs */
};

/* The number of kernels that cgs_study_run has finished, and kernel k = 0, 1, ... of these. Errors:
 * CGS_BAD_OPTION. */
CGS_API int64_t cgs_study_kernels(const struct cgs_study *study);
CGS_API enum cgs_status cgs_study_get(const struct cgs_study *study, int64_t k,
                                      struct cgs_study_kernel *kernel, struct cgs_error *error);

#ifdef __cplusplus
}
#endif
#endif
