/* y = A x from the upper triangle, threads, no atomics, the same bits for any number of threads.
 *
 * The order of additions is that of spmv/symmetric/sym_order.h, whatever the form that the matrix
 * is kept in; the form follows from the matrix. diagonals/cpu_sym_diagonals.c,
 * blocks/cpu_sym_blocks.c and entries/cpu_sym_general.c do the work. Single values are rounded
 * first, and then kept as a matrix with these values is: its bits are those of cpu_csr in the same
 * precision. */
#include "spmv/kernel.h"

#include "base/memory.h"
#include "spmv/single.h"
#include "spmv/symmetric/cpu_sym_forms.h"

static enum status setup(const struct csr *A, const struct kernel_options *options,
                         struct linear_operator *made, struct error *error)
{
    struct sym_choice choice;
    struct csr rounded = {0};
    enum status status = sym_choose(A, options, &choice, error);
    if (!status && choice.singles)
        status = single_round(A, &rounded, error);
    if (status)
        return status;
    const struct csr *kept = choice.singles ? &rounded : A;
    status = choice.form == SYM_FORM_DIAGONALS ? cpu_sym_diagonals_setup(kept, &choice, made, error)
             : choice.form == SYM_FORM_BLOCKS  ? cpu_sym_blocks_setup(kept, &choice, made, error)
                                               : cpu_sym_general_setup(kept, &choice, made, error);
    memory_free(rounded.values);
    return status;
}

const struct kernel kernel_cpu_sym_bitwise = {
    .component = KERNEL_COMPONENT(
        "cpu_sym_bitwise",
        "upper triangle, threads, no atomics: the same bits for any number of threads",
        sym_parameters),
    .space = SPACE_CPU,
    .storage = STORAGE_UPPER,
    .kinds = CSR_SYMMETRIC | CSR_SKEW,
    .guarantee = GUARANTEE_BITWISE,
    .check = sym_check,
    .setup = setup,
};
