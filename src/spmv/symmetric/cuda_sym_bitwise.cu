/* y = A x from the upper triangle on a GPU, without atomics: the bits of cpu_sym_bitwise on every
 * run.
 *
 * The order of additions is the one of spmv/symmetric/sym_order.h, whatever the form that the
 * matrix is kept in; the form follows from the matrix. diagonals/cuda_sym_diagonals.cu,
 * blocks/cuda_sym_blocks.cu and entries/cuda_sym_general.cu do the work. Single values are rounded
 * first, and then kept as a matrix with these values is. */
#include "matrix/implicit_rows.h"
#include "matrix/row_kinds.h"
#include "spmv/device_csr.h"
#include "spmv/single.h"
#include "spmv/symmetric/blocks/sym_blocks.h"
#include "spmv/symmetric/cuda_sym_forms.h"
#include "spmv/symmetric/entries/cuda_sym_staged.h"

extern "C" const struct kernel kernel_cuda_sym_bitwise;

/* The forms borrow nothing of A, so rows that are made for them go again. */
static enum status setup_here(const struct csr *A, const struct kernel_options *options,
                              struct linear_operator *made, struct error *error)
{
    struct sym_choice choice;
    struct csr stored = *A, rounded = {};
    enum status status = csr_store(&stored, error);
    if (!status)
        status = sym_choose(&stored, options, &choice, error);
    if (!status && choice.singles)
        status = single_round(&stored, &rounded, error);
    if (!status) {
        auto make = choice.form == SYM_FORM_DIAGONALS ? cuda_sym_diagonals_setup
                    : choice.form == SYM_FORM_BLOCKS  ? cuda_sym_blocks_setup
                                                      : cuda_sym_general_setup;
        status = make(choice.singles ? &rounded : &stored, &choice, made, error);
    }
    memory_free(rounded.values);
    if (!A->offsets)
        csr_free(&stored);
    return status;
}

/* From A in the space's memory; *suits: whether A has such a form that is made there. */
static enum status make_on_device(const struct csr *A, const struct kernel_options *options,
                                  struct linear_operator *made, bool *suits, struct error *error)
{
    struct sym_choice choice = sym_wanted(options);
    enum status status = STATUS_OK;
    *suits = false;
    if (choice.form == SYM_FORM_AUTO || choice.form == SYM_FORM_DIAGONALS)
        status = cuda_sym_diagonals_setup_on_device(A, &choice, made, suits, error);
    if (!status && !*suits && (choice.form == SYM_FORM_AUTO || choice.form == SYM_FORM_BLOCKS))
        status = cuda_sym_blocks_setup_on_device(A, &choice, made, suits, error);
    if (!status && !*suits && (choice.form == SYM_FORM_AUTO || choice.form == SYM_FORM_GENERAL))
        status = cuda_sym_general_setup_on_device(A, &choice, made, suits, error);
    made->made_on_device = *suits;
    return status;
}

/* Whether so many rows, all of them if there are few, leave it open that A has few diagonals. */
static bool may_be_diagonals(const struct csr *A)
{
    enum { SAMPLES = 256 };
    int32_t distances[SYM_DIAGONALS_MAX];
    int count = 0;
    int64_t samples = A->n < SAMPLES ? A->n : SAMPLES;
    for (int64_t s = 0; s < samples; s++) {
        int64_t i = A->n * s / samples;
        for (int64_t k = A->offsets[i]; k < A->offsets[i + 1]; k++) {
            int32_t distance = (int32_t)(A->columns[k] - i);
            int m = 0;
            while (m < count && distances[m] != distance)
                m++;
            if (m == SYM_DIAGONALS_MAX)
                return false;
            distances[m] = distance;
            count += m == count;
        }
    }
    return true;
}

/* Whether the general form may be made on the device. So few entries are ordered on the host as
 * soon. */
static bool may_be_general(const struct csr *A, const struct sym_choice *choice)
{
    enum { FEW = 1 << 16 };
    return A->nnz >= FEW && (choice->form == SYM_FORM_AUTO || choice->form == SYM_FORM_GENERAL);
}

/* At the least: how far codes go is not known before they are tried, and a form may pad. */
static int64_t setup_bytes(const struct csr *A, const struct kernel_options *options)
{
    bool never = options->values[SYM_COMPRESS] == 1;
    bool singles = options->values[SYM_PRECISION] != PRECISION_DOUBLE;
    return never ? A->nnz * (int64_t)(singles ? sizeof(float) : sizeof(double)) : A->n;
}

/* Whether A's form can be made in the space's memory, as it seems, and finds room there. Of an A
 * that is not stored no rows are looked at, and as much is asked for as the smallest form takes. */
static bool fits_device(const struct csr *A, const struct kernel_options *options,
                        struct space *space)
{
    struct sym_choice choice = sym_wanted(options);
    struct error ignored;
    int64_t bytes = csr_bytes(A);
    bool blocks = choice.form == SYM_FORM_AUTO || choice.form == SYM_FORM_BLOCKS;
    if (!A->offsets)
        bytes += A->n;
    else if (choice.form <= SYM_FORM_DIAGONALS && may_be_diagonals(A))
        bytes += A->nnz * (int64_t)sizeof(double) + A->n; /* without codes */
    else if (blocks && sym_blocks_likely(A))
        bytes += 2 * A->nnz * (int64_t)sizeof(double) + A->n; /* they are sorted */
    else if (may_be_general(A, &choice))
        bytes += cuda_staged_bytes_on_device(A, choice.singles ? sizeof(float) : sizeof(double));
    else
        return false;
    return !space->operations->fits(space, bytes, "", &ignored);
}

static enum status setup_of_kinds(const struct csr *A, const struct kernel_options *options,
                                  struct linear_operator *made, bool *suits, struct error *error)
{
    struct sym_choice choice = sym_wanted(options);
    bool diagonals = choice.form == SYM_FORM_AUTO || choice.form == SYM_FORM_DIAGONALS;
    *suits = false;
    if (A->space || !row_kinds_known(A) || !diagonals || !choice.compress)
        return STATUS_OK;
    enum status status = cuda_sym_diagonals_setup_of_kinds(A, &choice, made, suits, error);
    made->made_on_device = *suits;
    return status;
}

static enum status setup(const struct csr *A, const struct kernel_options *options,
                         struct linear_operator *made, struct error *error)
{
    struct csr copy = {};
    const struct linear_operator before = *made;
    bool suits = false;
    enum status status = setup_of_kinds(A, options, made, &suits, error);
    if (status || suits)
        return status;
    bool brings = !A->space && fits_device(A, options, made->space);
    status = brings ? device_csr_bring(made->space, A, &copy, error) : STATUS_OK;
    if (!status && (brings || A->space))
        status = make_on_device(brings ? &copy : A, options, made, &suits, error);
    device_csr_free(&copy);
    if (status ? !brings || status != STATUS_MEMORY : suits)
        return status;
    if (made->table) /* it did not fit, after all */
        made->table->destroy(made->state);
    *made = before;
    status = device_csr_on_host(A, &A, &copy, error);
    if (!status)
        status = setup_here(A, options, made, error);
    csr_free(&copy);
    return status;
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
    .device_rows = true,
};
CUDA_PUT_CONSTANT(kernel_cuda_sym_bitwise)
