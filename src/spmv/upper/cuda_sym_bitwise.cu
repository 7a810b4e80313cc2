/* y = A x from the upper triangle on a GPU, without atomics: the bits of cpu_sym_bitwise on every
 * run.
 *
 * The order of additions is the one of spmv/upper/sym_order.h, whatever the form that the matrix is
 * kept in; the form follows from the matrix. cuda_sym_diagonals.cu, cuda_sym_blocks.cu and
 * cuda_sym_general.cu do the work. Single values are rounded first, and then kept as a matrix with
 * these values is. */
#include "base/memory.h"
#include "space/cuda.h"
#include "spmv/single.h"
#include "spmv/upper/cuda_sym_forms.h"

extern "C" const struct kernel kernel_cuda_sym_bitwise;

struct bitwise {
    const struct cuda_sym_form *form;
    void *state; /* the form's */
};

static void destroy(void *state)
{
    struct bitwise *bitwise = (struct bitwise *)state;
    if (bitwise && bitwise->form)
        bitwise->form->destroy(bitwise->state);
    memory_free(bitwise);
}

static enum status make_form(struct bitwise *bitwise, const struct csr *A,
                             const struct kernel_options *options, struct space_cuda *space,
                             struct error *error)
{
    struct sym_choice choice;
    struct csr rounded = {};
    enum status status = sym_choose(A, options, &choice, error);
    if (!status && choice.singles)
        status = single_round(A, &rounded, error);
    if (status)
        return status;
    bitwise->form = choice.form == SYM_FORM_DIAGONALS ? &cuda_sym_diagonals
                    : choice.form == SYM_FORM_BLOCKS  ? &cuda_sym_blocks
                                                      : &cuda_sym_general;
    status =
        bitwise->form->setup(choice.singles ? &rounded : A, &choice, space, &bitwise->state, error);
    memory_free(rounded.values);
    return status;
}

static enum status setup(const struct csr *A, const struct kernel_options *options,
                         struct space *space, void **state, struct error *error)
{
    *state = NULL;
    struct bitwise *bitwise =
        (struct bitwise *)memory_zeros(1, sizeof *bitwise, "the kernel's state", error);
    if (!bitwise)
        return STATUS_MEMORY;
    enum status status = make_form(bitwise, A, options, space_cuda_of(space), error);
    if (status)
        destroy(bitwise);
    else
        *state = bitwise;
    return status;
}

static enum status apply_dot(void *state, const double *x, double *y, double *dot,
                             struct error *error)
{
    const struct bitwise *bitwise = (const struct bitwise *)state;
    return bitwise->form->multiply(bitwise->state, x, y, dot, error);
}

static enum status apply(void *state, const double *x, double *y, struct error *error)
{
    return apply_dot(state, x, y, nullptr, error);
}

static enum status apply_direction(void *state, const struct direction *direction, double *y,
                                   double *dot, struct error *error)
{
    const struct bitwise *bitwise = (const struct bitwise *)state;
    return bitwise->form->multiply_direction(bitwise->state, direction, y, dot, error);
}

static bool makes_direction(const void *state)
{
    return ((const struct bitwise *)state)->form->multiply_direction != nullptr;
}

static void describe(const void *state, char *text, size_t size)
{
    const struct bitwise *bitwise = (const struct bitwise *)state;
    bitwise->form->describe(bitwise->state, text, size);
}

static int64_t memory_bytes(const void *state)
{
    const struct bitwise *bitwise = (const struct bitwise *)state;
    return bitwise->form->memory_bytes(bitwise->state);
}

static int64_t bytes_per_apply(const void *state)
{
    const struct bitwise *bitwise = (const struct bitwise *)state;
    return bitwise->form->bytes_per_apply(bitwise->state);
}

/* At the least: how far codes go is not known before they are tried, and a form may pad. */
static int64_t setup_bytes(const struct csr *A, const struct kernel_options *options)
{
    bool never = options->values[SYM_COMPRESS] == 1, singles = options->values[SYM_PRECISION] != 0;
    return never ? A->nnz * (int64_t)(singles ? sizeof(float) : sizeof(double)) : A->n;
}

const struct kernel kernel_cuda_sym_bitwise = {
    .name = "cuda_sym_bitwise",
    .summary = "upper triangle, no atomics: the bits of cpu_sym_bitwise on every run",
    .space = SPACE_CUDA,
    .storage = STORAGE_UPPER,
    .kinds = CSR_SYMMETRIC | CSR_SKEW,
    .guarantee = GUARANTEE_BITWISE,
    .parameters = sym_parameters,
    .unavailable = cuda_unavailable,
    .setup_bytes = setup_bytes,
    .setup = setup,
    .apply = apply,
    .apply_dot = apply_dot,
    .apply_direction = apply_direction,
    .makes_direction = makes_direction,
    .describe = describe,
    .bytes_per_apply = bytes_per_apply,
    .memory_bytes = memory_bytes,
    .destroy = destroy,
};
