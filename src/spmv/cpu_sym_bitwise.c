/* y = A x from the upper triangle, threads, no atomics, the same bits for any number of threads.
 *
 * The order of additions is that of spmv/sym_order.h, whatever the form that the matrix is kept in;
 * the form follows from the matrix. cpu_sym_diagonals.c, cpu_sym_blocks.c and cpu_sym_general.c do the
 * work. Single values are rounded first, and then kept as a matrix with these values is: its bits are
 * those of cpu_csr in the same precision. */
#include "cgsolve/kernel.h"

#include "base/memory.h"
#include "spmv/cpu_sym_forms.h"
#include "spmv/single.h"

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

/* rounded = A with its values rounded, as doubles. */
static enum status round_values(const struct csr *A, struct csr *rounded, struct error *error)
{
    float *singles;
    enum status status = single_values(A, &singles, error);
    if (status)
        return status;
    *rounded = *A;
    rounded->values = memory_array(A->nnz, sizeof *A->values, "the rounded values", error);
    if (!rounded->values) {
        memory_free(singles);
        return STATUS_MEMORY;
    }
#pragma omp parallel for schedule(static)
    for (int64_t k = 0; k < A->nnz; k++)
        rounded->values[k] = singles[k];
    memory_free(singles);
    return STATUS_OK;
}

static enum status make_form(struct bitwise *bitwise, const struct csr *A,
                             const struct kernel_options *options, struct error *error)
{
    static const struct cpu_sym_form *const forms[] = {[SYM_FORM_DIAGONALS] = &cpu_sym_diagonals,
                                                       [SYM_FORM_BLOCKS] = &cpu_sym_blocks,
                                                       [SYM_FORM_GENERAL] = &cpu_sym_general};
    struct sym_choice choice;
    enum status status = sym_choose(A, options, &choice, error);
    if (status)
        return status;
    choice.singles = A == &bitwise->rounded;
    bitwise->form = forms[choice.form];
    return bitwise->form->setup(A, &choice, &bitwise->state, error);
}

static enum status setup(const struct csr *A, const struct kernel_options *options,
                         struct space *space, void **state, struct error *error)
{
    (void)space;
    *state = NULL;
    struct bitwise *bitwise = memory_zeros(1, sizeof *bitwise, "the kernel's state", error);
    if (!bitwise)
        return STATUS_MEMORY;
    bool singles = kernel_precision(&kernel_cpu_sym_bitwise, options) != PRECISION_DOUBLE;
    enum status status = singles ? round_values(A, &bitwise->rounded, error) : STATUS_OK;
    if (!status)
        status = make_form(bitwise, singles ? &bitwise->rounded : A, options, error);
    memory_free(bitwise->rounded.values);
    bitwise->rounded.values = NULL;
    if (status)
        destroy(bitwise);
    else
        *state = bitwise;
    return status;
}

enum status cpu_sym_codes(const struct sym_choice *choice, const double *values, int64_t lines,
                          int64_t length, struct sym_codes *codes, struct error *error)
{
    *codes = (struct sym_codes){0};
    enum status status = STATUS_OK;
    if (choice->compress)
        status = sym_codes_create(values, lines, length, codes, error);
    int64_t singles = lines * length * (int64_t)sizeof(float);
    if (status || !choice->singles || (codes->width && sym_codes_bytes(codes) < singles))
        return status;
    sym_codes_free(codes);
    return sym_codes_singles(values, lines, length, codes, error);
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
    .parameters = sym_parameters_with_precision,
    .setup = setup,
    .apply = apply,
    .apply_dot = apply_dot,
    .describe = describe,
    .bytes_per_apply = bytes_per_apply,
    .memory_bytes = memory_bytes,
    .destroy = destroy,
};
