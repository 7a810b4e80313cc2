/* y = A x from the upper triangle, threads, no atomics, the same bits for any number of threads.
 *
 * The order of additions is that of spmv/upper/sym_order.h, whatever the form that the matrix is
 * kept in; the form follows from the matrix. cpu_sym_diagonals.c, cpu_sym_blocks.c and
 * cpu_sym_general.c do the work. Single values are rounded first, and then kept as a matrix with
 * these values is: its bits are those of cpu_csr in the same precision. */
#include "cgsolve/kernel.h"

#include "base/memory.h"
#include "spmv/single.h"
#include "spmv/upper/cpu_sym_forms.h"

extern const struct kernel kernel_cpu_sym_bitwise;

struct bitwise {
    const struct cpu_sym_form *form;
    void *state;        /* the form's */
    struct csr rounded; /* A with single values, which last as long as set-up; the rest is A's */
};

static void destroy(void *state)
{
    struct bitwise *bitwise = state;
    if (!bitwise)
        return;
    if (bitwise->form)
        bitwise->form->destroy(bitwise->state);
    memory_free(bitwise);
}

static enum status make_form(struct bitwise *bitwise, const struct csr *A,
                             const struct kernel_options *options, struct error *error)
{
    static const struct cpu_sym_form *const forms[] = {[SYM_FORM_DIAGONALS] = &cpu_sym_diagonals,
                                                       [SYM_FORM_BLOCKS] = &cpu_sym_blocks,
                                                       [SYM_FORM_GENERAL] = &cpu_sym_general};
    struct sym_choice choice;
    enum status status = sym_choose(A, options, &choice, error);
    if (!status && choice.singles)
        status = single_round(A, &bitwise->rounded, error);
    if (status)
        return status;
    bitwise->form = forms[choice.form];
    return bitwise->form->setup(choice.singles ? &bitwise->rounded : A, &choice, &bitwise->state,
                                error);
}

static enum status setup(const struct csr *A, const struct kernel_options *options,
                         struct space *space, void **state, struct error *error)
{
    (void)space;
    *state = NULL;
    struct bitwise *bitwise = memory_zeros(1, sizeof *bitwise, "the kernel's state", error);
    if (!bitwise)
        return STATUS_MEMORY;
    enum status status = make_form(bitwise, A, options, error);
    memory_free(bitwise->rounded.values);
    bitwise->rounded.values = NULL;
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
