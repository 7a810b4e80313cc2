/* cgsolve, the library: solves symmetric linear systems and eigenvalue problems from other
 * programs, with the same bits as the program cgsolve. docs/library.md begins with an example.
 *
 * A function that can fail gives back CGS_OK or what went wrong, and says it in a sentence if its
 * last argument is not NULL. The library prints nothing, never exits, and handles no signal. After
 * a failure the handle that was to be made is NULL. A handle that is NULL is refused with
 * CGS_BAD_OPTION, and so is a pointer to what is to be given back; functions without a status give
 * back 0 for it.
 *
 * A matrix belongs to its context, an operator to its matrix, a solver to its operator: each is
 * destroyed before that. A context with all that belongs to it is used by one thread at a time,
 * but for cgs_solver_cancel; several contexts may be used by several threads at once.
 *
 * Monitors, products and other functions of the caller's return: no longjmp and no exception leaves
 * them. Until the call ends that has called them, its operator, the solvers of that, its matrix and
 * its study are left alone, but for cgs_solver_cancel: what would work with or change them is
 * refused with CGS_BAD_OPTION, and what destroys them or their context does nothing.
 *
 * A call works in the default floating-point state, FE_DFL_ENV of <fenv.h>: it rounds to nearest,
 * keeps subnormal numbers and traps nothing, and so do the functions of the caller's that it calls.
 * The caller's own state, flags and all, is back when the call returns. */
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
    CGS_BAD_OPTION,  /* an argument or option is wrong, or they do not fit together */
    CGS_BAD_INPUT,   /* a matrix, a vector or a file is not what it claims to be */
    CGS_NO_MEMORY,   /* or a size overflows */
    CGS_DEVICE,      /* a device failed */
    CGS_UNAVAILABLE, /* this build or this machine cannot do it */
    CGS_RANK = 8,    /* another rank has ended, or cannot be reached */
};

/* One line without a newline, which names the value. Untouched on CGS_OK. */
struct cgs_error {
    char text[1024];
};

/* The version of this header. Before 1.0 another MINOR is another library. */
#define CGS_VERSION_MAJOR 0
#define CGS_VERSION_MINOR 1
#define CGS_VERSION_PATCH 0
#define CGS_VERSION "0.1.0"

/* The version of the library that runs, as CGS_VERSION has it. */
CGS_API const char *cgs_version(void);

/* The process is about to end. From here on a thread that would call one of the caller's functions
 * (a product, a monitor, a look, a poll) stops before it and waits until the process has ended: an
 * interpreter that has ended cannot be entered any more. The thread that calls this goes on as
 * before. */
CGS_API void cgs_end_callbacks(void);

/* Load a plug-in of cgsolve (docs/plugins.md), a shared object with further kernels, methods and
 * preconditioners, which options then name as they do those that are built in. It stays loaded; the
 * second time nothing is done. A path without a slash is one of the working directory. Any thread
 * may call this. A plug-in needs the shared library: in a program with libcgsolve.a it lacks the
 * functions that it calls. CGS_BAD_INPUT: the file cannot be loaded, is no plug-in, is of another
 * version of cgsolve, or has a component whose name is taken. */
CGS_API enum cgs_status cgs_load(const char *path, struct cgs_error *error);

/* --- options ----------------------------------------------------------------------------------
 *
 * A struct that is handed over begins with its size: a later library knows which members there are,
 * and an earlier one refuses those that it does not know, unless they are 0. A member that is 0
 * asks for what its comment says first.
 *
 * Options by name are a list of texts, name and value in turns, and a NULL:
 *
 *     const char *const options[] = {"kernel", "cpu_sym_bitwise", "reductions", "exact", NULL};
 *
 * A value is what a config of the program would have. They are taken in their order: an option with
 * a dot stands behind the one that it belongs to, and of two the last holds. NULL for the list: the
 * defaults. */

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

/* rows x columns elements: that of row i and column j is data[i row_stride + j column_stride], and
 * no two are one. Zeroed: an array that is missing, where it may be. The struct is handed over by
 * its value; what it points to stays the caller's, and is used until the call returns, unless a
 * matrix borrows it. DLPack's DLTensor has the same members: its byte_offset is added to `data`. An
 * array that does not fit is refused by its name, with CGS_BAD_OPTION. */
struct cgs_array {
    void *data; /* what is only read may be const */
    int64_t rows;
    int64_t columns;       /* 0: 1 */
    int64_t row_stride;    /* in elements, at least 1; 0: 1 */
    int64_t column_stride; /* likewise; 0, for a row_stride of 1: rows */
    enum cgs_type type;
    enum cgs_place place; /* of the memory */
    int device;           /* of CGS_CUDA: the context's */
    int reserved[5];      /* 0: for members of later versions */
};

#if defined __GNUC__ && __GNUC__ >= 11 /* else it wants an x that a solve will write initialized */
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

/* The same of integers, as offsets, rows and columns of a matrix are. */
CGS_ADDRESS_ALONE static inline struct cgs_array cgs_int32(const int32_t *v, int64_t n)
{
    struct cgs_array array = {(void *)(uintptr_t)v, n, 1, 1, n, CGS_INT32, CGS_CPU, 0,
                              {0, 0, 0, 0, 0}};
    return array;
}

/* --- ranks ------------------------------------------------------------------------------------
 *
 * Ranks are processes, or threads, that solve a system together. Each has neighbouring rows of A,
 * b, x0 and x: rank 0 has the first rows, and a rank may have none. Where the operator promises
 * equal bits, histories, results and x have the bits of one rank, for any number of ranks and any
 * division of the rows. cgsolve/mpi.h makes the exchange of an MPI communicator. The library itself
 * knows no MPI.
 *
 * Where a comment says [n] of a vector, a rank has own_rows (struct cgs_matrix_data) elements of
 * it; the vector of a rank without rows may be missing. The same holds for x and y of the product
 * of cgs_solver_precondition, which all ranks call together. A look gets the own rows of x_k.
 *
 * Over ranks these functions are collective: all ranks call them, in the same order, with the same
 * options:
 *
 *     cgs_context_create, cgs_operator_create, cgs_multiply, cgs_precondition, cgs_solver_create,
 *     cgs_solver_set, cgs_solve, and all that begin with cgs_matrix but cgs_matrix_destroy,
 *     cgs_matrix_rows and cgs_matrix_averaged
 *
 * They give the same status and the same sentence to all ranks. Where one alone has failed, the
 * sentence names it. All ranks of a solve set the same functions by cgs_solver_look and
 * cgs_solver_precondition. Each rank may have a monitor, which gets every row of the history. A
 * monitor that does not return 0, or cgs_solver_cancel, ends the solve of all ranks.
 *
 * A handle that is missing, or at work, is refused in its rank alone. A rank calls `abandon` if its
 * memory does not suffice where the others wait for it. */

/* `bytes` to or from another rank; none where they are 0. */
struct cgs_piece {
    void *memory;
    int64_t bytes;
};

/* How ranks reach each other. The functions move bytes, and add nothing. A result other than 0 is a
 * failure: `why`, empty before, may say the reason. The context of a rank calls them one at a time,
 * on the thread that calls the library. */
struct cgs_exchange {
    size_t size;
    int rank, count; /* 0 <= rank < count */
    void *user;
    /* In every rank: all[begin[r] <= k < begin[r + 1]] = the bytes of rank r. begin[count + 1] is
     * the same in all ranks. `own` may be the place of its bytes in `all`. */
    int (*gather)(void *user, const void *own, const int64_t *begin, void *all,
                  struct cgs_error *why);
    /* Sends send[r] to rank r and receives receive[r] from it, for each r < count, the own rank
     * among them. The sender and the receiver of a piece give the same length. */
    int (*swap)(void *user, const struct cgs_piece *send, const struct cgs_piece *receive,
                struct cgs_error *why);
    /* This rank does not go on, and the others must not wait for it. It ends all processes; or it
     * makes their gather and swap fail from now on, and returns. */
    void (*abandon)(void *user, const char *why);
};

/* --- context: where the work is done ---------------------------------------------------------- */

struct cgs_context_options {
    size_t size;
    enum cgs_place place;
    /* Of the CPU. 0: one for each 2^15 stored entries of a matrix, for a study as many as there can
     * be: those are the processors that this process may use by its affinity and by the quota of
     * its control group, but no more than OMP_NUM_THREADS. */
    int threads;
    int device; /* of CUDA, among those that this process sees */
    /* A cudaStream_t: what was sent to it is done before a call looks at arrays of the caller's in
     * the device's memory. NULL: CUDA's default stream. */
    void *stream;
    /* NULL: one rank. The struct is copied; the object of `user` stays until the context is
     * destroyed. Several ranks need CGS_CPU: with CGS_CUDA they get CGS_UNAVAILABLE. */
    const struct cgs_exchange *exchange;
    /* For products and preconditioners of the caller's on CUDA. 0: they only send work to their
     * stream, and a solve records some iterations and replays them. 1: each iteration calls them,
     * and they may allocate memory and wait for the device. */
    int called;
};

struct cgs_context;

/* options = NULL: zeros. Errors: CGS_BAD_OPTION, CGS_NO_MEMORY, CGS_DEVICE, CGS_UNAVAILABLE,
 * CGS_RANK. */
CGS_API enum cgs_status cgs_context_create(const struct cgs_context_options *options,
                                           struct cgs_context **context, struct cgs_error *error);
CGS_API void cgs_context_destroy(struct cgs_context *context); /* accepts NULL */

/* Frees the memory that the process keeps on GPUs for later contexts: at most two destroyed
 * contexts and solvers stay ready, each with at most a sixteenth of the device's memory. The
 * library does so itself before an allocation fails. Any thread may call this. */
CGS_API void cgs_empty_cache(void);

/* --- matrix ----------------------------------------------------------------------------------- */

/* Which part of the matrix is given. The other triangle of UPPER and LOWER follows; FULL must
 * have both, and they must agree. */
enum cgs_part {
    CGS_UPPER = 1,
    CGS_LOWER,
    CGS_FULL,
};

enum cgs_kind {
    CGS_SYMMETRIC, /* a_ji = a_ij */
    CGS_SKEW,      /* a_ji = -a_ij */
};

/* n x n entries as compressed sparse rows (offsets), or one by one (rows). Rows and columns come in
 * any order; what comes twice is added in the order in which it comes, row by row. Unless the
 * arrays are borrowed, they are not needed afterwards. */
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
    /* Of CGS_FULL and CGS_SYMMETRIC: the largest |a_ij - a_ji| / s_ij that is taken; both are then
     * their mean. s_ij = min(m_i, m_j), with m_i the largest |a_ik|, |a_ki| of row and column i:
     * entries may cancel, and their errors are then those of the terms that were added. All of a
     * row may cancel: s_ij is max(m_i, m_j) / 64 where that is larger and the smaller row has no
     * symmetric coupling to a row of its size. An entry that is not stored counts as 0. Below 1,
     * from where on any entry might be missing. 0: what rounding leaves, 1e-12, of CGS_FLOAT 1e-4;
     * below 0: they must be equal. */
    double asymmetry;
    /* 0 or 1: the matrix reads columns and values where they are, and has no copy of them. They
     * stay unchanged until it is destroyed, or an update has replaced them. It takes rows of
     * offsets, CGS_UPPER, columns of CGS_INT32, values of CGS_DOUBLE, on the host, and base 0, with
     * the diagonal first in each row, zero or not, and columns that increase; what else there is,
     * it refuses. */
    int borrow;
    /* One rank: 0 and 0. Over ranks this rank gives the rows first_row <= i < first_row + own_rows,
     * counted from 0; with CGS_LOWER and CGS_UPPER those of the triangle. Rank r + 1 begins where
     * rank r ends, and together they have n rows. Offsets are [own_rows + 1] and begin with `base`,
     * nnz counts the entries of the own rows, and rows and columns are numbers in all of A. The
     * other members, but for the types, are the same in all ranks; `borrow` is 0.
     *
     * The library divides the rows anew, in tiles of 480 (cgsolve/order.h), and keeps each entry in
     * one or two ranks. A rank also needs 8 bytes for each of the n rows, and 20 more while A is
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
 * or Rutherford-Boeing; its content says which. It is symmetric, skew-symmetric, or general and as
 * symmetric as `asymmetry` says, a number as in cgs_matrix_data. Errors: CGS_BAD_OPTION,
 * CGS_BAD_INPUT ("FILE:LINE: ..."), CGS_NO_MEMORY; CGS_UNAVAILABLE over ranks. */
CGS_API enum cgs_status cgs_matrix_read(struct cgs_context *context, const char *path,
                                        double asymmetry, struct cgs_matrix **matrix,
                                        struct cgs_error *error);

/* Other values on the same pattern of the upper triangle, for all that was made from the matrix:
 * operators and preconditioners are set up again when they are next used, multigrid with the
 * aggregates that it has if its option `reuse` says so. data: complete, as for cgs_matrix_create,
 * with the same `borrow`; borrowed ones may be the same arrays with other values in them. Errors:
 * as there, and CGS_BAD_INPUT for another pattern; the matrix is then what it was. */
CGS_API enum cgs_status cgs_matrix_update(struct cgs_matrix *matrix,
                                          const struct cgs_matrix_data *data,
                                          struct cgs_error *error);

/* What A nearly sends to 0, for the preconditioner multigrid (docs/preconditioners.md): the rigid
 * body modes of an elastic body, which are made of the coordinates of its nodes; or any vectors.
 * The arrays are of doubles, on the host or in the memory of the context's device, and are copied.
 * The last call of either holds; after one with a missing array nothing is known. Other values of A
 * do not change it. Operators, and preconditioners by name, are set up again when they are next
 * used.
 *
 * coordinates    [nodes][d], d = 2 or 3: a row for each node. Node i, counted from 0, has the rows
 *                d i, ..., d i + d - 1 of A, its displacements along the axes
 * vectors        [n][count], 1 to 12
 * block          neighbouring rows of A that are the unknowns of a node; 0: multigrid looks for it
 *
 * Over ranks each gives what belongs to its own rows, complete nodes, and has all of it afterwards:
 * 8 count bytes for each of the n rows. Errors: CGS_BAD_OPTION (also for a number that is not
 * finite, and for a vector of zeros), CGS_NO_MEMORY, CGS_DEVICE, CGS_RANK; nothing has changed
 * then. */
CGS_API enum cgs_status cgs_matrix_coordinates(struct cgs_matrix *matrix,
                                               struct cgs_array coordinates,
                                               struct cgs_error *error);
CGS_API enum cgs_status cgs_matrix_near_null(struct cgs_matrix *matrix, struct cgs_array vectors,
                                             int64_t block, struct cgs_error *error);

CGS_API void cgs_matrix_destroy(struct cgs_matrix *matrix); /* accepts NULL */

CGS_API int64_t cgs_matrix_rows(const struct cgs_matrix *matrix);
/* Of both triangles, the diagonal once. */
CGS_API int64_t cgs_matrix_entries(const struct cgs_matrix *matrix);
/* How many pairs a_ij, a_ji were unequal, and became their mean; *asymmetry, unless it is NULL: the
 * largest of theirs, as in cgs_matrix_data. Both are 0 where A was exactly symmetric. */
CGS_API int64_t cgs_matrix_averaged(const struct cgs_matrix *matrix, double *asymmetry);
/* What the matrix is, as summary.json of the program has it. */
CGS_API uint64_t cgs_matrix_hash(const struct cgs_matrix *matrix);
/* The same of a vector, v[n] on the host: b, x_0 or x. */
CGS_API uint64_t cgs_vector_hash(const double *v, int64_t n);

/* --- operator: what multiplies by A ----------------------------------------------------------- */

struct cgs_operator;

/* A in the form of a kernel. Options:
 *
 *     kernel        docs/kernels.md; default: cpu_sym_bitwise, on CUDA cuda_sym_bitwise. A dot
 *                   leads to the kernel's own options: "kernel.precision"
 *     reductions    how dot products are summed; default: reproducible
 *
 * Errors: CGS_BAD_OPTION (no such option or value; the kernel does not take this matrix, or does
 * not work in this place), CGS_NO_MEMORY, CGS_DEVICE, CGS_UNAVAILABLE. */
CGS_API enum cgs_status cgs_operator_create(struct cgs_matrix *matrix, const char *const *options,
                                            struct cgs_operator **op, struct cgs_error *error);
CGS_API void cgs_operator_destroy(struct cgs_operator *op); /* accepts NULL */

/* Y = A X, made by the caller, for doubles x[n][columns] and y[n][columns] that do not overlap: of
 * one column without gaps; or of several with column_stride = 1, the same row_stride of both, at
 * most 32, and any values in the gaps. That A is symmetric is not looked at. On CUDA they are in
 * the device's memory, and the work is sent to `stream`, a cudaStream_t, which may be recording: it
 * is not waited for, and nothing is allocated, unless the context says `called`. A result other
 * than 0 ends the solve with CGS_BAD_INPUT. */
typedef int cgs_product(void *user, const struct cgs_array *x, const struct cgs_array *y,
                        void *stream);

/* An A that is known by its products alone, symmetric or skew-symmetric.
 * several    0: a call of the product has one column. 1: up to 32; a solve of several columns then
 *            multiplies by those that have ended, too, as long as two go on. Whether a column has
 *            the bits of its own solve is the caller's promise
 * Options: reductions. The true residual of a solution is then as precise as a product is, and
 * whether equal bits come of it is the caller's promise. Errors: CGS_BAD_OPTION, CGS_NO_MEMORY,
 * CGS_DEVICE. */
CGS_API enum cgs_status cgs_operator_create_product(
    struct cgs_context *context, int64_t n, enum cgs_kind kind, cgs_product *product, int several,
    void *user, const char *const *options, struct cgs_operator **op, struct cgs_error *error);

/* What is promised of the bits of a product, and of a solve with reductions that have an order. Of
 * a kernel of a plug-in: what that declares. */
enum cgs_guarantee {
    CGS_NO_GUARANTEE,
    CGS_USUAL_BITS,   /* every error is compensated: usually equal, not promised */
    CGS_EQUAL_IN_RUN, /* on every run on one device with one number of threads */
    CGS_EQUAL_BITS,   /* on every run, number of threads, and device */
};

CGS_API enum cgs_guarantee cgs_operator_guarantee(const struct cgs_operator *op);

/* Y = A X for doubles x[n][columns] and y[n][columns]. Either may be on the host or in the memory
 * of the context's device, and both may be one array. The kernel multiplies several columns in one
 * sweep over A if it can; where x or y is on the host, they are copied through it, and on a device
 * the columns of y, or all its rows, are without gaps. A column has the bits of its own product,
 * except for kernels of cuSPARSE. Errors: CGS_BAD_OPTION, CGS_NO_MEMORY, CGS_DEVICE, those of the
 * set-up after an update; CGS_BAD_INPUT: a product of the caller's failed. */
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
 *                      be at x0; defaults: 1e-8, 0. tolerance = 0 is taken where absolute_tolerance
 *                      is above 0. Where ||b|| is 0, x is 0
 *     max_iterations   default: 10000
 *     shift            of skew: the system is (shift I + A) x = b; default: 0
 *     relaxation       of richardson: x = x + relaxation M^-1 r; default: 1
 *     null_space       where A is singular, as a graph's Laplacian is (docs/singular.md): "auto": a
 *                      b that is not in A's range is refused by cgs_solve, but for minres;
 *                      "project": it loses its part outside of the range; "none": nobody looks
 *                      whether A is; default: auto
 *     eigen.count, eigen.which, eigen.tolerance, eigen.reorthogonalization, eigen.restart
 *
 * Errors: CGS_BAD_OPTION (no such option or value; the method does not take this matrix, or the
 * preconditioner), CGS_NO_MEMORY, CGS_DEVICE. */
CGS_API enum cgs_status cgs_solver_create(struct cgs_operator *op, const char *const *options,
                                          struct cgs_solver **solver, struct cgs_error *error);
CGS_API void cgs_solver_destroy(struct cgs_solver *solver); /* accepts NULL */

/* Another value of one option, but for the preconditioner's, for the solves that follow. Errors: as
 * above; the option is then what it was. */
CGS_API enum cgs_status cgs_solver_set(struct cgs_solver *solver, const char *option,
                                       const char *value, struct cgs_error *error);

/* The solves that follow have the preconditioner z = M^-1 r, made by the caller, symmetric and
 * positive definite, also where A is not, the same in every call; `several` as of
 * cgs_operator_create_product; NULL: none. Errors: CGS_BAD_OPTION (the method takes none; the
 * solver has one by name; it is then as it was). */
CGS_API enum cgs_status cgs_solver_precondition(struct cgs_solver *solver, cgs_product *product,
                                                int several, void *user, struct cgs_error *error);

/* Z = M^-1 R by the solver's preconditioner, for doubles r[n][columns] and z[n][columns], which are
 * as x and y of cgs_multiply. Each column has the bits of its own product. Errors: as there;
 * CGS_BAD_OPTION: the solver has no preconditioner, or none for the values after an update. */
CGS_API enum cgs_status cgs_precondition(struct cgs_solver *solver, struct cgs_array r,
                                         struct cgs_array z, struct cgs_error *error);

/* Called with every row of the history of each column of b, ||b - A x_k|| of the recursive residual
 * (of lanczos the largest ||A v - theta v|| / |theta| that is wanted), on the thread that solves;
 * the rows of one column in their order. A result other than 0 ends the solve of all columns. */
typedef int cgs_monitor(void *user, int64_t column, int64_t iteration, double residual);

/* monitor = NULL: none. */
CGS_API void cgs_solver_monitor(struct cgs_solver *solver, cgs_monitor *monitor, void *user);

/* Called with x_k[n] for k = 0, every, 2 every, ..., behind the row of that iteration; x is on the
 * host, and there until it returns. What is not 0 ends the solve at the next row, without another
 * look. */
typedef int cgs_look(void *user, int64_t iteration, const double *x);

/* look = NULL: none. No bit of the solve changes; its time does, as each x_k is waited for, and
 * comes from the device. Errors: CGS_BAD_OPTION: every < 1. A method without an x_k refuses to
 * solve. */
CGS_API enum cgs_status cgs_solver_look(struct cgs_solver *solver, int64_t every, cgs_look *look,
                                        void *user, struct cgs_error *error);

/* Called behind a row of the history, on the thread that solves, when so many seconds have gone by
 * since the solve began or since the last call: an interpreter looks for signals in it. What is not
 * 0 ends the solve there. */
typedef int cgs_poll(void *user);

/* poll = NULL: none. */
CGS_API void cgs_solver_poll(struct cgs_solver *solver, double seconds, cgs_poll *poll, void *user);

/* Ends the solve that is under way, set-up included, at the next row of its history. It may be
 * called from another thread and from a signal handler; without a solve under way it does
 * nothing. */
CGS_API void cgs_solver_cancel(struct cgs_solver *solver); /* accepts NULL */

/* Why a solve has ended. All but CGS_CONVERGED say that x is not what was asked for. */
enum cgs_reason {
    CGS_NOT_SOLVED, /* the call failed */
    CGS_CONVERGED,
    CGS_RESIDUAL_GAP, /* the recursive residual passed, and the true one is above 1.1 times that */
    CGS_ITERATION_LIMIT,
    CGS_NOT_POSITIVE_DEFINITE, /* A, or the preconditioner */
    CGS_NOT_FINITE,
    CGS_STAGNATION,    /* rounding lets it come no nearer */
    CGS_SINGULAR,      /* minres: x has grown too large to be of use */
    CGS_LEAST_SQUARES, /* minres: b is not in the range of A, and ||b - A x|| is least, with a
                          preconditioner in the norm of M^-1 */
    CGS_CANCELLED,     /* by the monitor, or by cgs_solver_cancel */
};

/* "not solved", "converged", ...; "unknown" of what is none. */
CGS_API const char *cgs_reason_name(enum cgs_reason reason);

/* How a list of eigenvalues is known to be complete, to have the first ones at its ends, each as
 * often as A has it. */
enum cgs_eigen_list {
    CGS_LIST_OPEN,     /* it is not known: the solve ended before; or it was for a solution x */
    CGS_LIST_SEARCHED, /* a search from a random vector that is orthogonal to their eigenvectors
                          brought no other */
    CGS_LIST_ALL,      /* the basis was the whole space */
};

struct cgs_result {
    size_t size; /* set by the caller */
    enum cgs_reason reason;
    int64_t iterations;
    double residual;            /* ||b - A x|| as the recurrence has it */
    double true_residual;       /* and computed once more in twice the precision */
    double rhs_norm;            /* ||b||, of a singular A of the b that is solved for */
    double ritz_low, ritz_high; /* estimates of the extreme eigenvalues (of M^-1 A); NaN: none */
    double start_seconds;       /* before the first iteration */
    double seconds;             /* of the iterations */
    int64_t products;           /* with A, that of the true residual not counted */
    enum cgs_eigen_list eigen_list;
    /* Null vectors of a singular A that are known; then x is the solution of least norm. 0: none */
    int64_t null_vectors;
    double outside; /* the norm of b's part outside of A's range, over ||b|| */
};

/* A X = B: for each column of b what a solve of it alone does, with the same bits of its x, its
 * result and its history, where the kernel promises equal bits.
 * b          [n][columns], doubles, as x0 and x; each of them on the host or in the memory of the
 *            context's device
 * x0         [n][columns], where a solve begins; missing: 0. Where ||b|| is 0 or not finite it
 *            begins with 0
 * x          [n][columns], which may be x0 or b. On a device, where b or x0 is on the host, its
 *            columns, or all its rows, are without gaps
 * results    [columns], with the size of each; NULL: not wanted. The seconds are those of all
 *            columns; where there is an x0 and a column of b is 0 or not finite, of a part
 * Arrays that are column after column without gaps are taken as they are, others are copied. If all
 * arrays are on a device they stay on it, unless a column is so large or so small that it is
 * scaled, or the solve begins again from its own x. If only some are on a device, those are copied
 * to the host; so are all of a singular A. b - A x is computed once more on the device if A is on
 * it, else on the host. A solve that ends for another reason than CGS_CONVERGED has not failed: it
 * gives back CGS_OK, and the x that it has reached. After a failure x is unspecified. Errors:
 * CGS_BAD_OPTION (an array does not fit; the method finds eigenvalues; after an update there is no
 * such preconditioner; several columns where there is a cgs_look; A is singular, and a column of b
 * is not in its range), CGS_NO_MEMORY, CGS_DEVICE; CGS_BAD_INPUT: a product of the caller's
 * failed. */
CGS_API enum cgs_status cgs_solve(struct cgs_solver *solver, struct cgs_array b,
                                  struct cgs_array x0, struct cgs_array x,
                                  struct cgs_result *results, struct cgs_error *error);

/* How many numbers cgs_solve_eigen gives, at the most: eigen.count, or twice that of both ends. */
CGS_API int64_t cgs_solver_eigen_count(const struct cgs_solver *solver);

/* Eigenvalues with the method "lanczos": values[cgs_solver_eigen_count], ascending, on the host,
 * and vectors[n][that], of norm 1, a column for each, unless it is missing. NaN where there is
 * none; where the reason is not CGS_CONVERGED they are the best that there are, which may be far
 * off. A multiple eigenvalue is given as often as A has it, unless result->eigen_list is
 * CGS_LIST_OPEN. The basis begins with start[n]; missing: a random vector, always the same. start
 * and vectors are as b and x of cgs_solve. result->residual and true_residual are the largest
 * ||A v - theta v|| / |theta|. Errors: as above. */
CGS_API enum cgs_status cgs_solve_eigen(struct cgs_solver *solver, struct cgs_array start,
                                        double *values, struct cgs_array vectors,
                                        struct cgs_result *result, struct cgs_error *error);

/* Of the last solve's history of one column one series, "residual" or another of the method's
 * (docs/reading-results.md): *values[0 ... *rows - 1], row k behind k iterations; the solver's,
 * until its next solve. Errors: CGS_BAD_OPTION: there is no such series, or column. */
CGS_API enum cgs_status cgs_solver_history(const struct cgs_solver *solver, int64_t column,
                                           const char *series, const double **values, int64_t *rows,
                                           struct cgs_error *error);

/* --- study: how far the runs of kernels differ ------------------------------------------------ */

/* The same system, solved several times by each of several kernels. */
struct cgs_study;

/* options: those of cgs_solver_create, which hold for every kernel. Errors: as there. */
CGS_API enum cgs_status cgs_study_create(struct cgs_matrix *matrix, const char *const *options,
                                         struct cgs_study **study, struct cgs_error *error);
CGS_API void cgs_study_destroy(struct cgs_study *study); /* accepts NULL */

/* One kernel more, by the options of cgs_operator_create. label: what it is called; NULL: the
 * kernel's name. Errors: as there; CGS_BAD_OPTION: the label is taken. */
CGS_API enum cgs_status cgs_study_add(struct cgs_study *study, const char *label,
                                      const char *const *options, struct cgs_error *error);

/* As cgs_monitor, with the kernel's label and which of its runs it is, from 1. What is not 0 ends
 * the study there. */
typedef int cgs_study_monitor(void *user, const char *label, int64_t run, int64_t iteration,
                              double residual);

/* Solve from x0 (NULL: 0) `repeats` times by each kernel, in the order in which they were added.
 * What an earlier call found is forgotten. monitor = NULL: none. Errors: those of
 * cgs_operator_create and cgs_solve; CGS_BAD_OPTION: no kernel, or repeats < 1. */
CGS_API enum cgs_status cgs_study_run(struct cgs_study *study, const double *b, const double *x0,
                                      int64_t repeats, cgs_study_monitor *monitor, void *user,
                                      struct cgs_error *error);

/* What the runs of one kernel have in common. */
struct cgs_study_kernel {
    size_t size;       /* set by the caller */
    const char *label; /* the study's */
    enum cgs_guarantee guarantee;
    int promise_is_broken; /* by its runs, or by it and another kernel of the study */
    int64_t runs, converged;
    int64_t iterations_min, iterations_max;
    double iterations_median;
    int64_t histories, solutions; /* how many were different, by their bits */
    int64_t first_divergence;     /* the first iteration at which two runs differ; -1: none */
    double spread;                /* the largest ||x - x'||_inf / ||x||_inf of two runs */
    double setup_seconds;         /* of the kernel and the preconditioner */
    double iteration_seconds;     /* the median over the runs */
};

/* How many kernels cgs_study_run has finished, and kernel k = 0, 1, ... of them. Errors:
 * CGS_BAD_OPTION. */
CGS_API int64_t cgs_study_kernels(const struct cgs_study *study);
CGS_API enum cgs_status cgs_study_get(const struct cgs_study *study, int64_t k,
                                      struct cgs_study_kernel *kernel, struct cgs_error *error);

#ifdef __cplusplus
}
#endif
#endif
