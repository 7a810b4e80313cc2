/* A space: the memory of vectors, and the passes of a solver over them (space/pass.h).
 *
 * A solver is written once, over this interface. Vectors and scalars are in the space's memory; the
 * solver passes their addresses on and never reads through them. The host gets scalars by
 * `download`. Every space makes the elements of a pass by the same correctly rounded operations, so
 * the bits are equal everywhere; the sums follow the reductions of the space. */
#ifndef SPACE_SPACE_H
#define SPACE_SPACE_H

#include "base/status.h"
#include "space/pass.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How a dot product is summed. */
enum reductions {
    REDUCTIONS_REPRODUCIBLE, /* the fixed tree of space/sum/sum_order.h: the same bits for any
                                number of threads, on every CPU and GPU */
    REDUCTIONS_ATOMIC,       /* tiles of the same tree, added in the order in which they finish:
                                other bits on every run */
    REDUCTIONS_BLAS,         /* the vendor's dot product, with its own promises */
    REDUCTIONS_COMPENSATED,  /* Dot2 (Ogita, Rump, Oishi 2005) in the lanes, TwoSum in the tree of
                                space/sum/sum_order.h: nearly twice the precision, the same bits for
                                any number of threads */
    REDUCTIONS_EXACT, /* the exact sum of the exact products, rounded once to nearest even: bits
                         that depend on the pairs (x_i, y_i) alone, and not on their order */
};

/* Their names: "reproducible", "atomic", "blas", "compensated", "exact", NULL; static. */
extern const char *const reductions_names[];
const char *reductions_name(enum reductions reductions);

enum space_kind {
    SPACE_CPU,
    SPACE_CUDA,
};

/* A zeroed one asks for the first reductions, all processors and the first device. */
struct exchange;
struct partition;
struct space_options {
    enum reductions reductions;
    int threads; /* of the host; 0: processors_wanted() of base/processors.h */
    int device;  /* of CUDA: 0, 1, ..., among those that this process sees */
    bool called; /* of CUDA: a replay calls the work again, which may allocate and wait */
    /* Vectors of `rows` elements are spread over the ranks of the exchange (space/ranks/ranks.h),
     * which is borrowed. NULL: this rank alone has them. */
    struct exchange *exchange;
    int64_t rows;
};

/* A piece of work, in the space's order of operations, that is recorded and replayed. */
typedef enum status space_work(void *context, struct error *error);

/* What one space can do. Vectors do not overlap unless said; all pointers are into the space's
 * memory except where it says host. Errors: STATUS_MEMORY, STATUS_DEVICE. */
struct space_operations {
    const char *name;
    enum space_kind kind;

    /* Makes the space's device the calling thread's current device. Call it before functions of an
     * operator's table; the slots below call it themselves. NULL: no device. */
    void (*enter)(struct space *space);

    /* STATUS_MEMORY, with the needed and available bytes, if the space has fewer bytes left (a CPU:
     * less memory in total). "`what` needs ..." */
    enum status (*fits)(struct space *space, int64_t bytes, const char *what, struct error *error);
    /* count uninitialised elements of `size` bytes, aligned to 16 bytes at least. `what` names them
     * in the message of a failure. */
    enum status (*allocate)(struct space *space, int64_t count, size_t size, const char *what,
                            void **memory, struct error *error);
    /* The same for elements of vectors: of one, or of several together. NULL: as allocate. */
    enum status (*vectors)(struct space *space, int64_t count, size_t size, const char *what,
                           void **memory, struct error *error);
    void (*release)(struct space *space, void *memory); /* accepts NULL */

    /* Copies between the host and the space; complete when they return. */
    enum status (*upload)(struct space *space, int64_t bytes, const void *host, void *memory,
                          struct error *error);
    enum status (*download)(struct space *space, int64_t bytes, const void *memory, void *host,
                            struct error *error);

    /* Run the pass over vectors of n elements: make its elements, take its sums, join them over
     * ranks, and then call its function `after`. While *space->ended is not 0 this may be skipped,
     * unless the pass is `always`. */
    enum status (*run)(struct space *space, const struct pass *pass, int64_t n, const void *work,
                       struct error *error);
    /* The same over columns of multivectors of n rows, each with the bits of a run over it alone.
     * STATUS_UNAVAILABLE if the pass has no such form. */
    enum status (*run_columns)(struct space *space, const struct pass *pass, int64_t n,
                               const struct pass_columns *columns, struct error *error);

    /* Memory shared by host and space, zeroed: the space writes, and the host reads later. */
    enum status (*allocate_shared)(struct space *space, int64_t bytes, const char *what,
                                   void **shared, struct error *error);
    void (*release_shared)(struct space *space, void *shared); /* accepts NULL */

    /* Record `times` calls of work(context) for later replay, in the order of the other operations.
     * A device records its operations now, unless they are `called`; the data of context must stay.
     * Earlier operations are complete when it returns. */
    enum status (*record)(struct space *space, space_work *work, void *context, int times,
                          struct error *error);
    /* Start the recorded work, without waiting for its end. NULL, for a column's space: the columns
     * of a group are replayed together, before their rows are read (solver/columns.c). */
    enum status (*replay)(struct space *space, struct error *error);
    /* The same `times` times, timed by the space's clock: *seconds from before the first to the
     * completion of the last. */
    enum status (*replay_timed)(struct space *space, int64_t times, double *seconds,
                                struct error *error);
    /* Wait for all pending work, and drop the recording, if any. */
    void (*forget)(struct space *space);
    /* The best number of iterations in one recording for vectors of n elements; the solver keeps up
     * to twice as many in flight. At most SOLVER_ROWS / 2; even if work is recorded, because a
     * method may alternate between two buffers. */
    int (*replay_times)(const struct space *space, int64_t n);

    /* STATUS_OK unless something has failed; called while the host waits for shared memory. */
    enum status (*poll)(struct space *space, struct error *error);

    void (*destroy)(struct space *space); /* accepts NULL */
};

/* The first member of every space. */
struct space {
    const struct space_operations *operations;
    enum reductions reductions;
    /* The team of the space, for the host's part of work on its vectors, and lent for set-up
     * (base/threads.h). */
    struct threads *threads;
    void *stream; /* of a device, a cudaStream_t; else NULL */
    /* If not NULL: a flag in the space's memory, set by the solver. While it is not zero, passes
     * and operators may skip their work, so that pending work after the end of an iteration does no
     * harm. */
    const int64_t *ended;
    /* For the real space of a rank during work with sums over all ranks: the distribution of the
     * rows, and the number of preceding tiles of other ranks (space/ranks/partition.h). NULL: sums
     * are over this space only. */
    struct partition *partition;
    int64_t tiles_before;
    struct ranks
        *ranks; /* whose rows its vectors have (space/ranks/ranks.h); NULL: vectors have all */
};

/* --- what every method needs ------------------------------------------------------------------
 *
 * Vectors of n doubles, and of n floats where it says so; the errors are those of the operations
 * above. */

enum status space_vector(struct space *space, int64_t n, const char *what, double **v,
                         struct error *error);
enum status space_upload(struct space *space, int64_t n, const double *host, double *v,
                         struct error *error);
enum status space_download(struct space *space, int64_t n, const double *v, double *host,
                           struct error *error);

enum status space_vector_float(struct space *space, int64_t n, const char *what, float **v,
                               struct error *error);
enum status space_upload_float(struct space *space, int64_t n, const float *host, float *v,
                               struct error *error);
enum status space_download_float(struct space *space, int64_t n, const float *v, float *host,
                                 struct error *error);

/* `count` doubles that are no elements of vectors. */
enum status space_scalars(struct space *space, int64_t count, const char *what, double **scalars,
                          struct error *error);

void space_release(struct space *space, void *v); /* accepts NULL */

/* v_i = value */
enum status space_fill(struct space *space, int64_t n, double value, double *v,
                       struct error *error);
/* y_i = x_i */
enum status space_copy(struct space *space, int64_t n, const double *x, double *y,
                       struct error *error);
/* y_i = fma(a, x_i, y_i), a on the host */
enum status space_axpy(struct space *space, int64_t n, double a, const double *x, double *y,
                       struct error *error);
/* *result = x . y; x and y may be the same vector */
enum status space_dot(struct space *space, int64_t n, const double *x, const double *y,
                      double *result, struct error *error);

/* The passes of these functions, for their traffic. */
extern const struct pass pass_fill, pass_copy, pass_axpy, pass_dot;

static inline void space_enter(struct space *space)
{
    if (space->operations->enter)
        space->operations->enter(space);
}

static inline enum status space_run(struct space *space, const struct pass *pass, int64_t n,
                                    const void *work, struct error *error)
{
    return space->operations->run(space, pass, n, work, error);
}

static inline enum status space_run_columns(struct space *space, const struct pass *pass, int64_t n,
                                            const struct pass_columns *columns, struct error *error)
{
    return space->operations->run_columns(space, pass, n, columns, error);
}

/* The bytes that the pass moves between memory and processor for vectors of n doubles, each counted
 * for every sweep: sums taken separately read new elements again. */
int64_t space_bytes(const struct space *space, const struct pass *pass, int64_t n);

/* --- making one ------------------------------------------------------------------------------- */

/* That CUDA device, its driver and runtime; or why there is none. */
void space_describe_device(int device, char *text, size_t size);

/* How many CUDA devices this process sees; 0 without the CUDA part. */
int space_devices(void);

/* Destroys the idle spaces: a destroyed space of a CUDA device waits for reuse, with its stream,
 * and with at most an eighth of the device's memory. */
void space_empty_cache(void);

/* A space of that kind. The caller owns it and calls space->operations->destroy. Errors:
 * STATUS_MEMORY; STATUS_UNAVAILABLE when this build or machine has none. */
enum status space_create(enum space_kind kind, const struct space_options *options,
                         struct space **space, struct error *error);

/* The space of the host's memory. The caller owns it and calls space->operations->destroy. Errors:
 * STATUS_MEMORY. */
enum status space_cpu_create(const struct space_options *options, struct space **space,
                             struct error *error);

/* Waits for the work on `stream`, a cudaStream_t, and checks that the caller's `array` is in the
 * memory of the space's device, possibly managed memory. "`what` is not in ..." Errors:
 * STATUS_CONFIG; STATUS_DEVICE. */
enum status space_check_array(struct space *space, void *stream, const void *array,
                              const char *what, struct error *error);

/* The space of options->device. Errors: STATUS_MEMORY, STATUS_DEVICE; STATUS_UNAVAILABLE when there
 * is no such device. These functions are in the CUDA part (base/cuda_part.h). */
enum status space_cuda_create(const struct space_options *options, struct space **space,
                              struct error *error);
enum status space_cuda_borrow(struct space *space, void *stream, const void *array,
                              const char *what, struct error *error);
void space_cuda_describe(int device, char *text, size_t size);
int space_cuda_devices(void);
void space_cuda_empty_cache(void);

#ifdef __cplusplus
}
#endif
#endif
