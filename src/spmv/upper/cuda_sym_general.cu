/* The form of cuda_sym_bitwise for matrices of no special structure: one thread makes one row, as
 * one chain, by cuda_sym_staged.h where that is better, else by cuda_sym_entries.cuh. */
#include "spmv/upper/cuda_sym_forms.h"

#include "base/memory.h"
#include "spmv/upper/cuda_sym_entries.cuh"
#include "spmv/upper/cuda_sym_staged.h"
#include "spmv/upper/cuda_sym_tiles.cuh"

/* 40 registers a thread: with 4, which leaves 32, the loads of four entries no longer go out
 * together. */
enum { BLOCKS_A_PROCESSOR = 2 };

struct general {
    struct space_cuda *space;
    struct cuda_staged staged; /* zeroed: entries instead */
    struct cuda_entries entries;
};

struct chain {
    double sum;
    __device__ void add(double a, double x)
    {
        sum = fma(a, x, sum);
    }
};

template <int WIDTH> struct general_rows : entries_rows<WIDTH> {
    using entries_rows<WIDTH>::entries_rows;

    template <typename Vector>
    __device__ double multiply(const Vector &vector, typename Vector::scalars scalars,
                               const double *, int64_t base, int64_t i,
                               typename Vector::element &own) const
    {
        struct chain chain = {0};
        this->walk(vector, scalars, base, i, own, chain);
        return chain.sum;
    }
};

template <int WIDTH>
static enum status launch(const struct general *kept, const struct tiles_vector &vector, double *y,
                          double *dot, struct error *error)
{
    return tiles_launch<1, BLOCKS_A_PROCESSOR>(kept->space, general_rows<WIDTH>(&kept->entries),
                                               vector, y, dot, error);
}

static enum status multiply(const void *state, const double *x, double *y, double *dot,
                            struct error *error)
{
    const struct general *kept = (const struct general *)state;
    struct tiles_vector vector = {x};
    if (kept->staged.tiles)
        return cuda_staged_multiply(&kept->staged, kept->space, x, y, dot, error);
    switch (kept->entries.width) {
    case 0:
        return launch<0>(kept, vector, y, dot, error);
    case 1:
        return launch<1>(kept, vector, y, dot, error);
    case 2:
        return launch<2>(kept, vector, y, dot, error);
    default:
        return launch<SYM_CODES_SINGLES>(kept, vector, y, dot, error);
    }
}

static void destroy(void *state)
{
    struct general *kept = (struct general *)state;
    if (kept) {
        cuda_staged_free(&kept->staged);
        cuda_entries_free(&kept->entries);
    }
    memory_free(kept);
}

static enum status setup(const struct csr *A, const struct sym_choice *choice,
                         struct space_cuda *space, void **state, struct error *error)
{
    *state = nullptr;
    struct general *kept =
        (struct general *)memory_zeros(1, sizeof *kept, "the kernel's state", error);
    if (!kept)
        return STATUS_MEMORY;
    kept->space = space;
    enum status status = cuda_staged_create(space, A, choice, &kept->staged, error);
    if (!status && !kept->staged.tiles)
        status = cuda_entries_create(space, A, choice, &kept->entries, error);
    if (status)
        destroy(kept);
    else
        *state = kept;
    return status;
}

static void describe(const void *state, char *text, size_t size)
{
    const struct general *kept = (const struct general *)state;
    if (kept->staged.tiles)
        cuda_staged_describe(&kept->staged, text, size);
    else
        cuda_entries_describe(&kept->entries, text, size);
}

static int64_t memory_bytes(const void *state)
{
    const struct general *kept = (const struct general *)state;
    return kept->staged.tiles ? cuda_staged_bytes(&kept->staged)
                              : cuda_entries_bytes(&kept->entries);
}

static int64_t bytes_per_apply(const void *state)
{
    const struct general *kept = (const struct general *)state;
    int64_t n = kept->staged.tiles ? kept->staged.n : kept->entries.n;
    return memory_bytes(state) + 2 * n * (int64_t)sizeof(double);
}

const struct cuda_sym_form cuda_sym_general = {
    .setup = setup,
    .multiply = multiply,
    .multiply_direction =
        nullptr, /* it would read r and p of every neighbour through the caches, which are the
                    bound */
    .describe = describe,
    .bytes_per_apply = bytes_per_apply,
    .memory_bytes = memory_bytes,
    .destroy = destroy,
};
