/* y = A x from the upper triangle, threads, no atomics, the same bits for any number of threads.
 *
 * The order of additions is that of spmv/sym_order.h, whatever the form that the matrix is kept in;
 * the form follows from the matrix. cpu_sym_diagonals.c, cpu_sym_blocks.c and cpu_sym_general.c do the
 * work. */
#include "cgsolve/kernel.h"

#include "base/memory.h"
#include "spmv/cpu_sym_forms.h"

struct bitwise {
    const struct cpu_sym_form *form;
    void *state; /* the form's */
};

static void destroy(void *state)
{
    struct bitwise *bitwise = state;
    if (bitwise)
        bitwise->form->destroy(bitwise->state);
    memory_free(bitwise);
}

static enum status setup(const struct csr *A, const struct kernel_options *options,
                         struct space *space, void **state, struct error *error)
{
    static const struct cpu_sym_form *const forms[] = {[SYM_FORM_DIAGONALS] = &cpu_sym_diagonals,
                                                       [SYM_FORM_BLOCKS] = &cpu_sym_blocks,
                                                       [SYM_FORM_GENERAL] = &cpu_sym_general};
    (void)space;
    *state = NULL;
    struct sym_choice choice;
    enum status status = sym_choose(A, options, &choice, error);
    if (status)
        return status;
    struct bitwise *bitwise = memory_zeros(1, sizeof *bitwise, "the kernel's state", error);
    if (!bitwise)
        return STATUS_MEMORY;
    bitwise->form = forms[choice.form];
    status = bitwise->form->setup(A, &choice, &bitwise->state, error);
    if (status)
        destroy(bitwise);
    else
        *state = bitwise;
    return status;
}

static enum status apply_dot(void *state, const double *x, double *y, double *dot,
                             struct error *error)
{
    (void)error;
    const struct bitwise *bitwise = state;
    bitwise->form->multiply(bitwise->state, x, y, dot);
    return STATUS_OK;
}

static enum status apply(void *state, const double *x, double *y, struct error *error)
{
    return apply_dot(state, x, y, NULL, error);
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
    .parameters = sym_parameters,
    .setup = setup,
    .apply = apply,
    .apply_dot = apply_dot,
    .describe = describe,
    .bytes_per_apply = bytes_per_apply,
    .memory_bytes = memory_bytes,
    .destroy = destroy,
};
