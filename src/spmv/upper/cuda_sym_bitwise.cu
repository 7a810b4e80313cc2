/* y = A x from the upper triangle on a GPU, without atomics: the bits of cpu_sym_bitwise on every
 * run.
 *
 * The order of additions is the one of spmv/upper/sym_order.h, whatever the form that the matrix is
 * kept in; the form follows from the matrix. cuda_sym_diagonals.cu, cuda_sym_blocks.cu and
 * cuda_sym_general.cu do the work. Single values are rounded first, and then kept as a matrix with
 * these values is. */
#include "spmv/single.h"
#include "spmv/upper/cuda_sym_forms.h"

extern "C" const struct kernel kernel_cuda_sym_bitwise;

static enum status setup(const struct csr *A, const struct kernel_options *options,
                         struct linear_operator *made, struct error *error)
{
    struct sym_choice choice;
    struct csr rounded = {};
    enum status status = sym_choose(A, options, &choice, error);
    if (!status && choice.singles)
        status = single_round(A, &rounded, error);
    if (status)
        return status;
    auto make = choice.form == SYM_FORM_DIAGONALS ? cuda_sym_diagonals_setup
                : choice.form == SYM_FORM_BLOCKS  ? cuda_sym_blocks_setup
                                                  : cuda_sym_general_setup;
    status = make(choice.singles ? &rounded : A, &choice, made, error);
    memory_free(rounded.values);
    return status;
}

/* At the least: how far codes go is not known before they are tried, and a form may pad. */
static int64_t setup_bytes(const struct csr *A, const struct kernel_options *options)
{
    bool never = options->values[SYM_COMPRESS] == 1;
    bool singles = options->values[SYM_PRECISION] != PRECISION_DOUBLE;
    return never ? A->nnz * (int64_t)(singles ? sizeof(float) : sizeof(double)) : A->n;
}

const struct kernel kernel_cuda_sym_bitwise = {
    .component = KERNEL_COMPONENT(
        "cuda_sym_bitwise", "upper triangle, no atomics: the bits of cpu_sym_bitwise on every run",
        sym_parameters),
    .space = SPACE_CUDA,
    .storage = STORAGE_UPPER,
    .kinds = CSR_SYMMETRIC | CSR_SKEW,
    .guarantee = GUARANTEE_BITWISE,
    .unavailable = cuda_unavailable,
    .check = sym_check,
    .setup_bytes = setup_bytes,
    .setup = setup,
};
