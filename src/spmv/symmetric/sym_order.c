#include "spmv/symmetric/sym_order.h"

#include "base/memory.h"
#include "spmv/symmetric/blocks/sym_blocks.h"
#include "spmv/symmetric/diagonals/sym_diagonals.h"

#include <inttypes.h>

static const char *const form_names[] = {"auto", "diagonals", "blocks", "general", NULL};
static const char *const compress_names[] = {"auto", "never", NULL};

const struct parameter sym_parameters[] = {
    KERNEL_CHOICE(SYM_FORM, "form",
                  "how the matrix is stored: what suits it; by its diagonals; by blocks of 2 x 2 "
                  "to 6 x 6; by "
                  "entries. The bits are the same",
                  "auto", form_names),
    KERNEL_CHOICE(
        SYM_COMPRESS, "compress",
        "store the values as codes of 1 or 2 bytes where that saves memory. The bits are the same",
        "auto", compress_names),
    KERNEL_PRECISION(SYM_PRECISION),
    {0}};

bool sym_fills_diagonals(const struct csr *A, int64_t count)
{
    return 4 * count * A->n <= 5 * A->nnz;
}

/* Whether the upper triangle lies on few diagonals and fills them. */
static enum status has_diagonals(const struct csr *A, bool *has, struct error *error)
{
    int32_t *distances;
    int64_t count;
    enum status status = sym_diagonals_find(A, SYM_DIAGONALS_MAX, &distances, &count, error);
    memory_free(distances);
    *has = count <= SYM_DIAGONALS_MAX && sym_fills_diagonals(A, count);
    return status;
}

enum status sym_check(const struct csr *A, const struct kernel_options *options,
                      struct error *error)
{
    if (options->values[SYM_FORM] != SYM_FORM_BLOCKS)
        return STATUS_OK;
    for (int k = 2; k <= SYM_BLOCK_MAX; k++)
        if (A->n % k == 0)
            return STATUS_OK;
    return error_set(error, STATUS_CONFIG,
                     "form = \"blocks\": n = %" PRId64 " is a multiple of none of 2 to %d", A->n,
                     SYM_BLOCK_MAX);
}

struct sym_choice sym_wanted(const struct kernel_options *options)
{
    return (struct sym_choice){.form = (enum sym_form)options->values[SYM_FORM],
                               .compress = options->values[SYM_COMPRESS] == 0,
                               .singles = options->values[SYM_PRECISION] != PRECISION_DOUBLE,
                               .single_sums = options->values[SYM_PRECISION] == PRECISION_FLOAT};
}

enum status sym_choose(const struct csr *A, const struct kernel_options *options,
                       struct sym_choice *choice, struct error *error)
{
    *choice = sym_wanted(options);
    int64_t bytes;
    if (choice->form == SYM_FORM_BLOCKS)
        choice->k = sym_blocks_best(A, &bytes);
    if (choice->form != SYM_FORM_AUTO)
        return STATUS_OK;
    bool diagonals;
    enum status status = has_diagonals(A, &diagonals, error);
    if (status)
        return status;
    choice->form = SYM_FORM_DIAGONALS;
    if (!diagonals) {
        choice->k = sym_blocks_find(A);
        choice->form = choice->k ? SYM_FORM_BLOCKS : SYM_FORM_GENERAL;
    }
    return STATUS_OK;
}
