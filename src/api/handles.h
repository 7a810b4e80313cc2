/* The structs of the handles of cgsolve/cgsolve.h. Each handle has a file: context.c, matrix.c,
 * operator.c, solver.c, study.c. solve.c is a solve, multiply.c a product, precondition.c M^-1. */
#ifndef API_HANDLES_H
#define API_HANDLES_H

#include "base/float_state.h"
#include "base/status.h"
#include "cgsolve/cgsolve.h"
#include "matrix/implicit_rows.h"
#include "matrix/near_null.h"
#include "solver/null_space.h"
#include "solver/solver.h"
#include "space/ranks/partition.h"
#include "space/space.h"
#include "spmv/operator.h"

#include <stdatomic.h>
#include <stdbool.h>

struct cgs_context {
    enum space_kind place;
    int threads, device;
    void *stream;              /* the caller's */
    bool called;               /* each iteration calls the caller's products */
    struct space *space;       /* its memory has matrices from arrays of the device */
    struct exchange *exchange; /* of several ranks (api/exchange.h); NULL: alone */
    atomic_int at_work;        /* its operators and studies that are at work */
};

/* The distribution of rows over several ranks. Zeroed: one rank. */
struct api_division {
    struct partition parts;        /* the distribution of the space */
    int64_t *given;                /* [count + 1]: the caller's distribution */
    struct exchange_piece *pieces; /* [2 count] */
};

struct cgs_matrix {
    struct cgs_context *context; /* borrowed */
    struct csr A;                /* on the host, or in the memory of the context's space */
    struct api_division rows;    /* over ranks; A has a maker then, */
    struct partial_csr kept;     /* of these */
    bool borrows;                /* the columns and values of A */
    struct near_null near_null;  /* A's; zeroed: not known */
    int64_t updates;             /* of its values, or of its near-null space */
    int64_t near_nulls;          /* of its near-null space */
    int64_t averaged_pairs;
    double asymmetry;   /* the largest of these pairs */
    atomic_int at_work; /* its operators and studies that are at work */
};

/* Call it before each callback: it does not return after cgs_end_callbacks. */
void api_before_callback(void);

/* The caller's product. */
struct api_product {
    cgs_product *product;
    bool several; /* columns in a call */
    void *user;
    const struct cgs_context *context;
    const struct api_division *rows; /* of several ranks; NULL: of one alone */
    double *x, *y;                   /* the caller's rows then */
    struct cgs_array form;           /* of a vector */
    void *stream;
};

struct cgs_operator {
    struct cgs_context *context; /* borrowed */
    const struct csr *A;         /* the matrix's, a scaled copy, or the shape */
    struct csr taken;            /* the matrix's; on a device in the memory of this space */
    struct csr replicated;       /* over ranks: all rows of the matrix in each, where needed */
    struct csr scaled;           /* zeroed if the matrix's values are not scaled */
    struct cgs_matrix *matrix;   /* borrowed; NULL: matrix-free */
    struct csr shape;            /* of that */
    struct api_product own;
    struct options options; /* of api_operator_component */
    int64_t updates;        /* the matrix's updates at the set-up of spmv; -1: no spmv */
    struct space *space;
    struct linear_operator spmv;
    double *x, *y; /* [n] in the space, of cgs_multiply; made at first need */
    fenv_t host;   /* the caller's floating-point state during a call */
    atomic_bool at_work;
};

/* The history of one column. */
struct api_rows {
    int64_t count, capacity; /* capacity: of numbers */
    double *values;          /* [count][series] until the solve has ended, then [series][count] */
};

struct api_history {
    int series;
    int64_t columns;
    struct api_rows *of; /* [columns] */
};

struct cgs_solver {
    struct cgs_operator *kernel; /* borrowed */
    struct options options;      /* of api_solver_component */
    struct linear_operator M;    /* zeroed without one */
    int64_t updates, near_nulls; /* the matrix's updates at the set-up of M */
    struct csr replicated;       /* over ranks: all rows of A in each, where M needs them */
    struct csr A;                /* the kernel's, with its null space if known, */
    struct null_space null_space;
    int64_t null_space_updates;         /* the matrix's updates at that time; -1: not yet
                                           determined, */
    enum null_space_use null_space_use; /* and the option of its search */
    struct api_product own;             /* the M of cgs_solver_precondition */
    cgs_monitor *monitor;               /* NULL: none */
    void *user;
    cgs_look *look;
    void *look_user;
    int64_t look_every;
    cgs_poll *poll;
    void *poll_user;
    double poll_seconds, polled; /* polled: when it was last called */
    atomic_bool cancelled;       /* the current solve */
    struct api_history history;
    const struct method *solved_by; /* the last solve; NULL: none */
};

/* The options of an operator. */
struct api_operator_options {
    struct options kernel;
    enum reductions reductions;
};

/* Those of a product of the caller's. */
struct api_product_options {
    enum reductions reductions;
};

/* Those of a solver; options.method and options.preconditioner are filled in from the other two. */
struct api_solver_options {
    struct options method, preconditioner;
    struct solver_options options;
};

extern const struct component api_operator_component, api_product_component, api_solver_component;

/* Reads and checks options of an operator on that context. The caller calls options_free, also
 * after a failure. Errors: STATUS_CONFIG, STATUS_MEMORY. */
enum status api_operator_read(const struct cgs_context *context, const char *const *texts,
                              struct options *made, struct error *error);

/* A space of the context with these reductions and threads; rows > 0: for
 * vectors of `rows` rows over all ranks; 0: for this rank alone. */
enum status api_space(const struct cgs_context *context, enum reductions reductions, int threads,
                      int64_t rows, struct space **space, struct error *error);

/* Updates the operator's spmv if the values of its matrix have changed. Errors: those of
 * operator_create. */
enum status api_operator_refresh(struct cgs_operator *kernel, struct error *error);

/* After a product with `by`, an operator's spmv or a solver's M: if `by` belongs to a scaled
 * matrix, scales y[n] in the space back. Overwrites spare[n]. */
enum status api_operator_rescale(const struct linear_operator *by, int64_t n, double *y,
                                 double *spare, struct error *error);

/* Y = A X by `by`, the operator's spmv or a solver's M, both refreshed. names: of x and y in
 * messages. Errors: those of cgs_multiply. */
enum status api_multiply(struct cgs_operator *kernel, const struct linear_operator *by,
                         const char *const names[2], const struct cgs_array *x,
                         const struct cgs_array *y, struct error *error);

/* An operator of such a product that replaces `kernel`, with its rows and columns. It is never
 * destroyed. */
struct linear_operator api_product_operator(struct api_product *own,
                                            const struct cgs_operator *kernel);

enum cgs_guarantee api_guarantee(enum kernel_guarantee guarantee);

/* Fills in options.method, and checks a solver's options against A. Errors: STATUS_CONFIG. */
enum status api_solver_fit(struct options *options, const struct csr *A, struct error *error);

/* M by name, for the values that the matrix has now. Errors: those of preconditioner_renew. */
enum status api_solver_refresh(struct cgs_solver *solver, struct error *error);

/* The history of a solve, stored for cgs_solver_history.
 * For a solve by the method with `columns` columns, with a preconditioner or without. Errors:
 * STATUS_MEMORY. */
enum status history_begin(struct api_history *history, const struct method *method, bool with_M,
                          int64_t columns, struct error *error);

/* Append a row of that column. Errors: STATUS_MEMORY. */
enum status history_take(struct api_history *history, int64_t column, const struct event *row,
                         struct error *error);

/* Transpose the rows into series. Errors: STATUS_MEMORY. */
enum status history_end(struct api_history *history, struct error *error);

void history_free(struct api_history *history);

/* The two enums have the same members under other names. */
static inline enum cgs_status api_status(enum status status)
{
    return (enum cgs_status)status;
}

static inline struct error *api_error(struct cgs_error *error)
{
    return (struct error *)error;
}

/* A matrix and its context (matrix = NULL: only the context) begin and end work: meanwhile they
 * cannot be changed or destroyed. */
void api_matrix_begin(struct cgs_context *context, struct cgs_matrix *matrix);
void api_matrix_end(struct cgs_context *context, struct cgs_matrix *matrix);

/* Begin a call that works in the operator's space, and end it with that status. Between the two the
 * thread has the default floating-point state, and callbacks may run; their calls with the same
 * operator are refused: api_begin then gives back false, with CGS_BAD_OPTION's sentence. */
bool api_begin(struct cgs_operator *kernel, struct cgs_error *error);
enum cgs_status api_end(struct cgs_operator *kernel, enum status status);

/* CGS_BAD_OPTION: `what` is NULL. */
enum cgs_status api_missing(const char *what, struct cgs_error *error);

/* Defaults with options set by name. Errors: STATUS_CONFIG, STATUS_MEMORY. texts: as in
 * cgsolve/cgsolve.h. The caller calls options_free, also after a failure. */
enum status api_options(const struct component *component, const char *const *texts,
                        struct options *made, struct error *error);

/* Copies a caller's struct, whose size member is `given`, to *own of `known` bytes; missing members
 * become 0. STATUS_CONFIG if it is shorter than `least`, or has nonzero unknown members. */
enum status api_struct(const char *name, const void *theirs, size_t given, size_t least, void *own,
                       size_t known, struct error *error);

/* Copies *own to the caller's struct, as far as its size (its first member, a size_t) allows. */
enum status api_copy_struct_out(const char *name, const void *own, size_t known, void *theirs,
                                struct error *error);

#endif
