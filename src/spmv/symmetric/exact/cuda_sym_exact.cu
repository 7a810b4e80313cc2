/* y = A x from the upper triangle on a GPU, every y_i the exact value rounded once: the bits of
 * cpu_sym_exact, on every run and device, in any numbering of the rows.
 *
 * One thread makes one row, in the frame of cuda_sym_tiles.cuh: it walks the row as
 * cuda_sym_bitwise does in its general form (cuda_sym_entries.cuh), and adds each product to three
 * doubles in registers (spmv/symmetric/exact/sym_exact.h). There are no atomics, nothing is asked
 * of x beforehand, and nothing is decided for a launch: a thread whose row turns out not to fit
 * walks it again, into six doubles, and where these are not enough twice more, into a window of
 * limbs in local memory.
 *
 * The diagonals and blocks of cuda_sym_bitwise hold zeros where the matrix has no entry. Infinities
 * in x would make NaN of them, and another numbering may fill other places: rows of entries alone
 * are the same in all.
 *
 * Predicted cost, p products and n rows of them: 32 p + 25 n operations in double precision, and
 * about 15 p on integers beside those of the walk; bytes as the general form: 8 + 2 an entry right
 * of the diagonal (4 + 2 where values are single), 2 + 4 its mirror image, 3 for what a row has in
 * the lists, x and y once, and 8 p / 2 again from the L2 cache, in sectors of 32. On an H200 (16 T
 * instructions in double precision a second, 4 TB/s) Poisson3D 512^3, p = 938 M, n = 134 M: 2.1 ms
 * of operations, and 75 bytes a row, 2.5 ms; fe_cube, p = 127 M: 0.25 ms and 0.25 ms. Measured: 5.4
 * and 0.54 ms. */
#include "base/memory.h"
#include "spmv/single.h"
#include "spmv/symmetric/cuda_sym_tiles.cuh"
#include "spmv/symmetric/entries/cuda_sym_entries.cuh"
#include "spmv/symmetric/exact/sym_exact.h"

extern "C" const struct kernel kernel_cuda_sym_exact;

static const struct parameter parameters[] = {KERNEL_PRECISION_OF_VALUES(0), {}};

struct exact {
    struct space_cuda *space;
    struct cuda_entries entries;
};

template <int PARTS> struct parts {
    struct sym_exact_parts sum;
    __device__ void add(double a, double x)
    {
        sym_exact_parts_add(&sum, PARTS, a, x);
    }
};

struct window {
    struct sym_exact_window sum;
    __device__ void add(double a, double x)
    {
        sym_exact_window_visit(&sum, a, x);
    }
};

template <int WIDTH> struct exact_rows : entries_rows<WIDTH> {
    using entries_rows<WIDTH>::entries_rows;

    /* For a row that does not fit. Not inline: its registers and local memory are no matter of
     * those that do. */
    template <typename Vector>
    __device__ __noinline__ double again(const Vector &vector, typename Vector::scalars scalars,
                                         int64_t base, int64_t i) const
    {
        typename Vector::element own;
        struct parts<SYM_EXACT_MOST> most = {
        };
        this->walk(vector, scalars, base, i, own, most);
        double y;
        if (sym_exact_parts_round(&most.sum, SYM_EXACT_MOST, &y))
            return y;
        return by_window(vector, scalars, base, i);
    }

    template <typename Vector>
    __device__ __noinline__ double by_window(const Vector &vector, typename Vector::scalars scalars,
                                             int64_t base, int64_t i) const
    {
        typename Vector::element own;
        struct window window;
        sym_exact_window_begin(&window.sum);
#pragma unroll 1
        for (int pass = 0; pass < 2; pass++) {
            this->walk(vector, scalars, base, i, own, window);
            if (pass == 0)
                sym_exact_window_open(&window.sum);
        }
        return sym_exact_window_round(&window.sum);
    }

    template <typename Vector>
    __device__ double multiply(const Vector &vector, typename Vector::scalars scalars,
                               const double *, int64_t base, int64_t i,
                               typename Vector::element &own) const
    {
        struct parts<SYM_EXACT_FEW> few = {
        };
        this->walk(vector, scalars, base, i, own, few);
        double y;
        if (!sym_exact_parts_round(&few.sum, SYM_EXACT_FEW, &y))
            y = again(vector, scalars, base, i);
        return y;
    }
};

template <int WIDTH>
static enum status multiply(const struct exact *kept, const struct operands *operands,
                            struct error *error)
{
    const struct direction *direction = operands->direction;
    auto launch = [&](const auto &vector) {
        return tiles_launch<1, 2>(kept->space, exact_rows<WIDTH>(&kept->entries), vector,
                                  (double *)operands->y, operands->dot, error);
    };
    if (!direction)
        return launch(tiles_vector<double, double>{(const double *)operands->x});
    return direction->x ? launch(tiles_direction<true>{*direction})
                        : launch(tiles_direction<false>{*direction});
}

static enum status apply(void *state, const struct operands *operands, struct error *error)
{
    const struct exact *kept = (const struct exact *)state;
    switch (kept->entries.width) {
    case 0:
        return multiply<0>(kept, operands, error);
    case 1:
        return multiply<1>(kept, operands, error);
    case 2:
        return multiply<2>(kept, operands, error);
    default:
        return multiply<VALUE_DICTIONARY_SINGLES>(kept, operands, error);
    }
}

static void destroy(void *state)
{
    struct exact *kept = (struct exact *)state;
    if (kept)
        cuda_entries_free(kept->space, &kept->entries);
    memory_free(kept);
}

/* From A, or from A with its values rounded. */
static enum status put_entries(const struct csr *A, bool singles, struct exact *kept,
                               struct error *error)
{
    struct sym_choice choice = {SYM_FORM_GENERAL, 0, true, singles};
    if (!singles)
        return cuda_entries_create(kept->space, A, &choice, &kept->entries, error);
    struct csr rounded;
    enum status status = single_round(A, &rounded, error);
    if (!status)
        status = cuda_entries_create(kept->space, &rounded, &choice, &kept->entries, error);
    memory_free(rounded.values);
    return status;
}

static const struct operator_table table = {.apply = apply, .destroy = destroy};

static enum status setup(const struct csr *A, const struct kernel_options *options,
                         struct linear_operator *made, struct error *error)
{
    struct exact *kept = cuda_state_create<struct exact>(&table, made, error);
    if (!kept)
        return STATUS_MEMORY;
    bool singles = kernel_precision(&kernel_cuda_sym_exact, options) != PRECISION_DOUBLE;
    enum status status = put_entries(A, singles, kept, error);
    made->can = OPERATOR_DOT | OPERATOR_DIRECTION;
    if (!status)
        cuda_entries_tell(&kept->entries, made);
    return status;
}

static int64_t setup_bytes(const struct csr *A, const struct kernel_options *options)
{
    (void)options;
    return cuda_entries_least_bytes(A);
}

const struct kernel kernel_cuda_sym_exact = {
    .component = KERNEL_COMPONENT(
        "cuda_sym_exact",
        "upper triangle, exact sums rounded once: the bits of cpu_sym_exact on every run",
        parameters),
    .space = SPACE_CUDA,
    .storage = STORAGE_UPPER,
    .kinds = CSR_SYMMETRIC | CSR_SKEW,
    .guarantee = GUARANTEE_BITWISE,
    .unavailable = cuda_unavailable,
    .setup_bytes = setup_bytes,
    .setup = setup,
};
CUDA_PUT_CONSTANT(kernel_cuda_sym_exact)
