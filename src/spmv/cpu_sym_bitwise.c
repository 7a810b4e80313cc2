/* y = A x from the upper triangle, threads, no atomics, the same bits for any number of threads.
 *
 * The order of additions is the one that spmv/sym_order.h gives to the form that the matrix is kept
 * in; the form follows from the matrix. cpu_sym_diagonals.c and cpu_sym_general.c do the work. */
#include "base/memory.h"
#include "spmv/cpu_sym_forms.h"

static const char *const form_names[] = {"auto", "diagonals", "general", NULL};

static const struct kernel_parameter parameters[] = {
    [SYM_FORM] = {.name = "form",
                  .meaning = "how the matrix is kept: what suits it; by its diagonals; by blocks "
                             "of rows. Each form has an order of additions of its own",
                  .maximum = SYM_FORM_GENERAL,
                  .choices = form_names},
    [SYM_BLOCK] = {.name = "block",
                   .meaning = "for the form general, stored entries of a block of rows; 0: chosen "
                              "from the matrix",
                   .maximum = INT64_MAX},
    {0},
};

struct bitwise {
    const struct kernel *form;
    void *state; /* the form's */
};

static void destroy(void *state)
{
    struct bitwise *bitwise = state;
    if (bitwise && bitwise->form)
        bitwise->form->destroy(bitwise->state);
    memory_free(bitwise);
}

static enum status setup(const struct csr *A, const struct kernel_options *options,
                         struct space *space, void **state, struct error *error)
{
    *state = NULL;
    struct bitwise *bitwise = memory_zeros(1, sizeof *bitwise, "the kernel's state", error);
    if (!bitwise)
        return STATUS_MEMORY;
    enum sym_form form = (enum sym_form)options->values[SYM_FORM];
    enum status status = STATUS_OK;
    if (form == SYM_FORM_AUTO)
        status = sym_form_choose(A, &form, error);
    if (!status) {
        bitwise->form = form == SYM_FORM_DIAGONALS ? &cpu_sym_diagonals : &cpu_sym_general;
        status = bitwise->form->setup(A, options, space, &bitwise->state, error);
    }
    if (status)
        destroy(bitwise);
    else
        *state = bitwise;
    return status;
}

static enum status apply(void *state, const double *x, double *y, struct error *error)
{
    const struct bitwise *bitwise = state;
    return bitwise->form->apply(bitwise->state, x, y, error);
}

static enum status apply_dot(void *state, const double *x, double *y, double *dot,
                             struct error *error)
{
    const struct bitwise *bitwise = state;
    return bitwise->form->apply_dot(bitwise->state, x, y, dot, error);
}

static void describe(const void *state, char *text, size_t size)
{
    const struct bitwise *bitwise = state;
    bitwise->form->describe(bitwise->state, text, size);
}

static int64_t memory_bytes(const void *state)
{
    const struct bitwise *bitwise = state;
    return (int64_t)sizeof *bitwise + bitwise->form->memory_bytes(bitwise->state);
}

static int64_t bytes_per_apply(const void *state)
{
    const struct bitwise *bitwise = state;
    return bitwise->form->bytes_per_apply(bitwise->state);
}

const struct kernel kernel_cpu_sym_bitwise = {
    .name = "cpu_sym_bitwise",
    .summary = "upper triangle, threads, no atomics: the same bits for any number of threads",
    .space = SPACE_CPU,
    .storage = STORAGE_UPPER,
    .kinds = CSR_SYMMETRIC | CSR_SKEW,
    .guarantee = GUARANTEE_BITWISE,
    .parameters = parameters,
    .setup = setup,
    .apply = apply,
    .apply_dot = apply_dot,
    .describe = describe,
    .bytes_per_apply = bytes_per_apply,
    .memory_bytes = memory_bytes,
    .destroy = destroy,
};
