#include "api/handles.h"
#include "api/ranks.h"
#include "base/memory.h"
#include "base/threads.h"
#include "solver/scale.h"
#include "spmv/distributed/exchanged_rows.h"
#include "spmv/kernel.h"

#include <inttypes.h>
#include <math.h>

static const struct kernel *kernel_of(const struct cgs_operator *kernel)
{
    const struct api_operator_options *chosen = kernel->options.values;
    return (const struct kernel *)chosen->kernel.component;
}

static const struct kernel_options *parameters_of(const struct cgs_operator *kernel)
{
    return ((const struct api_operator_options *)kernel->options.values)->kernel.values;
}

/* Over ranks: all rows, if the kernel rounds values to another precision; else the matrix's own
 * rows. */
static enum status take_rows(struct cgs_operator *kernel, struct error *error)
{
    const struct api_division *rows = api_division_of(kernel);
    enum status status = STATUS_OK;
    csr_free(&kernel->replicated);
    kernel->taken = kernel->matrix->A;
    kernel->taken.space = kernel->taken.space ? kernel->space : NULL;
    if (!rows || kernel_precision(kernel_of(kernel), parameters_of(kernel)) == PRECISION_DOUBLE)
        return STATUS_OK;
    status = exchange_all_rows(&rows->parts, &kernel->taken, &kernel->replicated, error);
    kernel->taken = kernel->replicated;
    return status;
}

/* The current values of the matrix, scaled into the range of solves if necessary. */
static enum status take_matrix(struct cgs_operator *kernel, struct error *error)
{
    solver_scale_matrix_free(&kernel->scaled);
    struct threads *before = threads_lend(kernel->space->threads);
    enum status status = take_rows(kernel, error);
    if (!status)
        status = solver_scale_matrix(kernel->space, &kernel->taken, &kernel->scaled, error);
    threads_lend(before);
    kernel->A = kernel->scaled.n > 0 ? &kernel->scaled : &kernel->taken;
    return status;
}

enum status api_operator_refresh(struct cgs_operator *kernel, struct error *error)
{
    if (!kernel->matrix || kernel->updates == kernel->matrix->updates)
        return STATUS_OK;
    kernel->updates = -1;
    operator_destroy(&kernel->spmv);
    enum status status = take_matrix(kernel, error);
    if (!status)
        status = operator_create(kernel_of(kernel), kernel->A, parameters_of(kernel), kernel->space,
                                 &kernel->spmv, error);
    if (!status)
        kernel->updates = kernel->matrix->updates;
    return status;
}

static enum status set_up(struct cgs_operator *made, const char *const *texts, struct error *error)
{
    const struct cgs_context *context = made->matrix->context;
    const struct csr *A = context->exchange ? &made->matrix->kept.A : &made->matrix->A;
    enum status status = api_operator_read(context, texts, &made->options, error);
    const struct api_operator_options *chosen = made->options.values;
    status =
        api_ranks_agree(context, status, "options of an operator", api_ranks_hash(texts), error);
    if (!status)
        status = api_space(context, chosen->reductions, threads_for(context->threads, A->nnz),
                           context->exchange ? A->n : 0, &made->space, error);
    if (!status)
        status = api_operator_refresh(made, error);
    return api_ranks_end(context, status, error);
}

static enum status create(struct cgs_matrix *matrix, const char *const *texts,
                          struct cgs_operator **made, struct error *error)
{
    struct cgs_operator *own = memory_zeros(1, sizeof *own, "an operator", error);
    if (!own)
        return STATUS_MEMORY;
    own->context = matrix->context;
    own->matrix = matrix;
    own->A = &matrix->A;
    own->updates = -1;
    fenv_t host;
    float_state_begin(&host);
    enum status status = set_up(own, texts, error);
    float_state_end(&host);
    if (status)
        cgs_operator_destroy(own);
    else {
        own->space->operations->forget(own->space); /* as api_end */
        *made = own;
    }
    return status;
}

enum cgs_status cgs_operator_create(struct cgs_matrix *matrix, const char *const *options,
                                    struct cgs_operator **made, struct cgs_error *error)
{
    if (!made)
        return api_missing("the pointer to an operator", error);
    *made = NULL;
    if (!matrix)
        return api_missing("a matrix", error);
    return api_status(create(matrix, options, made, api_error(error)));
}

/* --- a product of the caller's ---------------------------------------------------------------- */

static enum status refuse_product(int failed, struct error *error)
{
    return failed ? error_set(error, STATUS_INPUT, "a product of the caller's failed: %d", failed)
                  : STATUS_OK;
}

/* For the caller's rows; a failure is one of all ranks. */
static enum status call_shared(const struct api_product *own, const struct operands *operands,
                               struct error *error)
{
    struct cgs_array x = own->form, y = own->form;
    bool one_failed;
    x.data = own->x;
    y.data = own->y;
    enum status status = api_division_give(own->rows, operands->x, own->x, error);
    if (status)
        return status;
    api_before_callback();
    int failed = own->product(own->user, &x, &y, own->stream);
    one_failed = failed;
    status = api_ranks_any(own->context, &one_failed, error);
    if (!status && one_failed)
        status = refuse_product(failed ? failed : 1, error);
    return status ? status : api_division_take(own->rows, own->y, operands->y, error);
}

static enum status call(void *state, const struct operands *operands, struct error *error)
{
    const struct api_product *own = state;
    struct cgs_array x = own->form, y;
    if (own->rows)
        return call_shared(own, operands, error);
    if (operands->columns > 1) {
        x.columns = operands->used;
        x.row_stride = operands->columns;
        x.column_stride = 1;
    }
    y = x;
    x.data = (void *)operands->x;
    y.data = operands->y;
    api_before_callback();
    return refuse_product(own->product(own->user, &x, &y, own->stream), error);
}

static void keep_product(void *state)
{
    (void)state;
}

static const struct operator_table product_table = {.apply = call, .destroy = keep_product};

struct linear_operator api_product_operator(struct api_product *own,
                                            const struct cgs_operator *kernel)
{
    int64_t n = kernel->A->n;
    own->form = cgs_vector(NULL, api_given_rows(kernel));
    own->form.place = kernel->context->place == SPACE_CUDA ? CGS_CUDA : CGS_CPU;
    own->form.device = kernel->context->device;
    own->stream = kernel->space->stream;
    return (struct linear_operator){.name = "a product of the caller's",
                                    .table = &product_table,
                                    .state = own,
                                    .can = own->several ? OPERATOR_COLUMNS : 0,
                                    .space = kernel->space,
                                    .n = n,
                                    .width = n,
                                    .products = 1};
}

static enum status create_of_product(struct cgs_context *context, int64_t n, enum cgs_kind kind,
                                     const char *const *texts, struct cgs_operator *made,
                                     struct error *error)
{
    struct options options = {0};
    if (context->exchange)
        return error_set(error, STATUS_UNAVAILABLE,
                         "several ranks multiply by a matrix, and not by a product of the "
                         "caller's");
    if (n < 1 || n > INT32_MAX)
        return error_set(error, STATUS_CONFIG,
                         "an operator has n = %" PRId64 " rows: it can have 1 to %d", n, INT32_MAX);
    if (kind != CGS_SYMMETRIC && kind != CGS_SKEW)
        return error_set(error, STATUS_CONFIG, "an operator has the kind %d, which is none",
                         (int)kind);
    enum status status = api_options(&api_product_component, texts, &options, error);
    const struct api_product_options *chosen = options.values;
    if (!status)
        status = api_space(context, chosen->reductions, threads_for(context->threads, n), 0,
                           &made->space, error);
    options_free(&options);
    if (status)
        return status;
    made->shape =
        (struct csr){.kind = kind == CGS_SKEW ? CSR_SKEW : CSR_SYMMETRIC, .n = n, .width = n};
    made->A = &made->shape;
    made->spmv = api_product_operator(&made->own, made);
    return STATUS_OK;
}

enum cgs_status cgs_operator_create_product(struct cgs_context *context, int64_t n,
                                            enum cgs_kind kind, cgs_product *product, int several,
                                            void *user, const char *const *options,
                                            struct cgs_operator **made, struct cgs_error *error)
{
    if (!made)
        return api_missing("the pointer to an operator", error);
    *made = NULL;
    if (!context || !product)
        return api_missing(context ? "a product" : "a context", error);
    struct cgs_operator *own = memory_zeros(1, sizeof *own, "an operator", api_error(error));
    if (!own)
        return CGS_NO_MEMORY;
    own->context = context;
    own->own = (struct api_product){.product = product, .several = several, .user = user};
    enum status status = create_of_product(context, n, kind, options, own, api_error(error));
    if (status)
        cgs_operator_destroy(own);
    else
        *made = own;
    return api_status(status);
}

/* --- all of them ------------------------------------------------------------------------------ */

bool api_begin(struct cgs_operator *kernel, struct cgs_error *error)
{
    if (atomic_exchange(&kernel->at_work, true)) {
        error_set(api_error(error), STATUS_CONFIG,
                  "a call goes on that works with this operator: until it ends, cgs_solver_cancel "
                  "alone is for it and its solvers");
        return false;
    }
    api_matrix_begin(kernel->context, kernel->matrix);
    float_state_begin(&kernel->host);
    return true;
}

/* Pending work of a device may read the matrix, and the caller's arrays. */
enum cgs_status api_end(struct cgs_operator *kernel, enum status status)
{
    kernel->space->operations->forget(kernel->space);
    float_state_end(&kernel->host);
    api_matrix_end(kernel->context, kernel->matrix);
    atomic_store(&kernel->at_work, false);
    return api_status(status);
}

void cgs_operator_destroy(struct cgs_operator *kernel)
{
    if (!kernel || atomic_load(&kernel->at_work))
        return;
    operator_destroy(&kernel->spmv);
    solver_scale_matrix_free(&kernel->scaled);
    csr_free(&kernel->replicated);
    if (kernel->space) {
        space_release(kernel->space, kernel->x);
        space_release(kernel->space, kernel->y);
        kernel->space->operations->destroy(kernel->space);
    }
    options_free(&kernel->options);
    memory_free(kernel);
}

enum cgs_guarantee api_guarantee(enum kernel_guarantee guarantee)
{
    static const enum cgs_guarantee guarantees[] = {[GUARANTEE_NONE] = CGS_NO_GUARANTEE,
                                                    [GUARANTEE_ACCURATE] = CGS_USUAL_BITS,
                                                    [GUARANTEE_RUN] = CGS_EQUAL_IN_RUN,
                                                    [GUARANTEE_BITWISE] = CGS_EQUAL_BITS};
    return guarantees[guarantee];
}

enum cgs_guarantee cgs_operator_guarantee(const struct cgs_operator *kernel)
{
    return kernel && kernel->matrix
               ? api_guarantee(kernel_guarantee(kernel_of(kernel), parameters_of(kernel)))
               : CGS_NO_GUARANTEE;
}

/* y = a x */
static enum status times(struct space *space, int64_t n, double a, const double *x, double *y,
                         struct error *error)
{
    enum status status = space_fill(space, n, 0, y, error);
    return status ? status : space_axpy(space, n, a, x, y, error);
}

/* By half of the exponent twice, because the full power may overflow. */
enum status api_operator_rescale(const struct linear_operator *by, int64_t n, double *y,
                                 double *spare, struct error *error)
{
    if (by->exponent == 0)
        return STATUS_OK;
    double root = ldexp(1, by->exponent / 2);
    enum status status = times(by->space, n, root, y, spare, error);
    return status ? status : times(by->space, n, root, spare, y, error);
}
