/* A space: where vectors live, and the passes of a solver over them (space/pass.h).
 *
 * A solver is written once, over this interface. Vectors and scalars live in the space's memory;
 * the solver hands their addresses around and never reads through them. The host learns scalars by
 * `download`. Every element of a pass is made by the same correctly rounded operations in every
 * space, so its bits are the same everywhere; the sums follow the reductions that the space was
 * made with. */
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

/* A piece of work in the space's order of operations that is done over and over. */
typedef enum status space_work(void *context, struct error *error);

/* What one space can do. Vectors do not overlap unless said; all pointers are into the space's
 * memory except where it says host. Errors: STATUS_MEMORY, STATUS_DEVICE. */
struct space_operations {
    const char *name;
    enum space_kind kind;

    /* Makes the space's device the calling thread's. Whoever calls into an operator's table does so
     * first; the slots below do it themselves. NULL: the space has no device. */
    void (*enter)(struct space *space);

    /* STATUS_MEMORY, with how much is needed and how much there is, when the space has not that
     * many bytes left (a CPU: has not that much memory at all). "`what` needs ..." */
    enum status (*fits)(struct space *space, int64_t bytes, const char *what, struct error *error);
    /* count uninitialised elements of `size` bytes, aligned to 16 bytes at least. `what` names them
     * in the message of a failure. */
    enum status (*allocate)(struct space *space, int64_t count, size_t size, const char *what,
                            void **memory, struct error *error);
    /* The same for elements of vectors: of one, or of several together. NULL: there is no
     * difference. */
    enum status (*vectors)(struct space *space, int64_t count, size_t size, const char *what,
                           void **memory, struct error *error);
    void (*release)(struct space *space, void *memory); /* accepts NULL */

    /* Copies between the host and the space; complete when they return. */
    enum status (*upload)(struct space *space, int64_t bytes, const void *host, void *memory,
                          struct error *error);
    enum status (*download)(struct space *space, int64_t bytes, const void *memory, void *host,
                            struct error *error);

    /* The pass over vectors of n elements: its elements are made, its sums taken, and then done
     * what follows from them. Those of several ranks are joined between these two.
     * While *space->ended is not 0 nothing need be done, unless the pass is one for always. */
    enum status (*run)(struct space *space, const struct pass *pass, int64_t n, const void *work,
                       struct error *error);
    /* The same over columns of multivectors of n rows, each with the bits of a run over it alone.
     * STATUS_UNAVAILABLE where the pass has no such form. */
    enum status (*run_columns)(struct space *space, const struct pass *pass, int64_t n,
                               const struct pass_columns *columns, struct error *error);

    /* Memory that the host and the space both see, zeroed; what the space writes, the host reads
     * behind it. */
    enum status (*allocate_shared)(struct space *space, int64_t bytes, const char *what,
                                   void **shared, struct error *error);
    void (*release_shared)(struct space *space, void *shared); /* accepts NULL */

    /* Record `times` calls of work(context) for later replay, in the order of the other operations.
     * A device records its operations now, unless they are `called`; what context points to must
     * stay. Operations queued before are done when it returns. */
    enum status (*record)(struct space *space, space_work *work, void *context, int times,
                          struct error *error);
    /* Start what was recorded, without waiting for its end. NULL, of a column's space: the columns
     * of a group are replayed together, before their rows are read (solver/columns.c). */
    enum status (*replay)(struct space *space, struct error *error);
    /* The same `times` times over, by the space's own clock: *seconds from before the first to
     * behind the last, all of them done. */
    enum status (*replay_timed)(struct space *space, int64_t times, double *seconds,
                                struct error *error);
    /* Wait until nothing is on its way, and drop the recording, if there is one. */
    void (*forget)(struct space *space);
    /* How many iterations at once pay for vectors of n elements; the solver keeps up to twice as
     * many on their way. At most SOLVER_ROWS / 2; even where record takes work down, because a
     * method may change between two buffers from one iteration to the next. */
    int (*replay_times)(const struct space *space, int64_t n);

    /* STATUS_OK as long as nothing has failed; called while the host waits for shared memory to
     * change. */
    enum status (*poll)(struct space *space, struct error *error);

    void (*destroy)(struct space *space); /* accepts NULL */
};

/* Every space starts with this; what it needs besides is its own. */
struct space {
    const struct space_operations *operations;
    enum reductions reductions;
    /* The space's own, for the host's part of what is done with its vectors, and lent for set-up
     * (base/threads.h). */
    struct threads *threads;
    void *stream; /* of a device, a cudaStream_t; else NULL */
    /* When not NULL: a flag in the space's memory. While it is not zero, passes and operators may
     * leave their vectors and results as they are, so that work on its way when an iteration ends
     * does no harm. The solver sets it. */
    const int64_t *ended;
    /* Of a space under that of a rank, while work goes on whose sums are those of all ranks: whose
     * rows the elements are, and how many tiles of other ranks come before them
     * (space/ranks/partition.h). NULL: sums are of this space alone. */
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

/* The passes behind these, for who asks what they move. */
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

/* What the pass moves between memory and the processor over vectors of n doubles, each as often as
 * it is passed over: what a pass makes is read again where its sums are taken apart. */
int64_t space_bytes(const struct space *space, const struct pass *pass, int64_t n);

/* --- making one ------------------------------------------------------------------------------- */

/* That CUDA device, its driver and runtime; or why there is none. */
void space_describe_device(int device, char *text, size_t size);

/* How many CUDA devices this process sees; 0 without the CUDA part. */
int space_devices(void);

/* Destroys the idle spaces: a space of a CUDA device that was destroyed waits for the next one,
 * with its stream, and with memory of at most a sixteenth of the device's. */
void space_empty_cache(void);

/* A space of that kind. The caller owns it and calls space->operations->destroy. Errors:
 * STATUS_MEMORY; STATUS_UNAVAILABLE when this build or machine has none. */
enum status space_create(enum space_kind kind, const struct space_options *options,
                         struct space **space, struct error *error);

/* The space of the host's memory. The caller owns it and calls space->operations->destroy. Errors:
 * STATUS_MEMORY. */
enum status space_cpu_create(const struct space_options *options, struct space **space,
                             struct error *error);

/* What was sent to `stream`, a cudaStream_t, is done when it returns; and `array`, the caller's, is
 * in the memory of the space's device, which may be managed. "`what` is not in ..." Errors:
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
