/* The form of cuda_sym_bitwise for matrices whose entries lie on few diagonals: no column is stored
 * or read. One thread makes one row of cuda_sym_diagonals.cuh, in the frame of cuda_sym_tiles.cuh.
 *
 * Each value of the upper diagonals comes from memory once: its second use, d rows later, finds it
 * in the L2 cache, because the blocks of threads at work at one time span more rows than that, or
 * take them in strips (spmv/symmetric/block_order.h). 8 bytes a diagonal and row, and x and y once:
 * 48 bytes a row for Poisson's matrix, of which 92 % of a copy's speed is reached on an H200. All
 * values and neighbours of a row are on their way before the first is used: for the usual numbers
 * of diagonals the loop over them is unrolled, with no test in tiles that have all their
 * neighbours.
 *
 * Single values are 4 bytes of these 8; they are widened as they come, unless the sums are single
 * too. Then x and y may be singles as well, and neither the dot product nor the next direction is
 * made with the product.
 *
 * Where the rows are few stencils (spmv/symmetric/diagonals/sym_stencils.h), one byte a row and a
 * table in shared memory stand for the values: 17 bytes a row. A warp whose rows all have the most
 * frequent stencil takes it from the launch's constants.
 *
 * With several columns of X (cuda_sym_columns.cuh) a thread makes two of them. The values still
 * come from memory once, X and Y take 16 bytes a row and column, and the traffic in the caches
 * grows with the number of columns. */
#include "spmv/symmetric/diagonals/cuda_sym_diagonals.cuh"

#include "base/memory.h"
#include "matrix/implicit_rows.h"
#include "space/values.h"
#include "spmv/device_csr.h"
#include "spmv/single.h"
#include "spmv/symmetric/cuda_sym_columns.cuh"
#include "spmv/symmetric/cuda_sym_forms.h"
#include "spmv/symmetric/diagonals/build_diagonals.h"
#include "spmv/symmetric/diagonals/sym_diagonals.h"
#include "spmv/symmetric/diagonals/sym_stencils.h"
#include "spmv/symmetric/value_dictionary.h"

#include <inttypes.h>
#include <stdio.h>

template <bool CODED, typename Value, typename Vector>
static enum status launch_count(const struct by_diagonals *kept, const Vector &vector,
                                typename Vector::result *y, double *dot, struct error *error)
{
    if (kept->count == 1)
        return diagonals_launch<1, CODED, Value>(kept, vector, y, dot, error);
    return diagonals_by_count(kept->count, [&]<int COUNT>() {
        return diagonals_launch<COUNT, CODED, Value>(kept, vector, y, dot, error);
    });
}

/* Several columns. The loop is unrolled for 3 and 4 diagonals alone, those of grids of two and
 * three dimensions. */
template <bool CODED, typename Value, typename Sum, typename X>
static enum status launch_count(const struct by_diagonals *kept,
                                const tiles_columns<2, Sum, X> &vector, X *y, double *dot,
                                struct error *error)
{
    auto launch = [&]<int COUNT>() {
        auto rows = diagonals_rows<COUNT, CODED, Value, tiles_columns<2, Sum, X>>(kept);
        rows.strips = diagonals_strips(kept, rows.reach, (int64_t)sizeof(X) * (2 << vector.shift),
                                       CODED ? 0 : sizeof(Value));
        return tiles_launch<1, 2>(kept->space, rows, vector, y, dot, error);
    };
    switch (kept->count) {
    case 3:
        return launch.template operator()<3>();
    case 4:
        return launch.template operator()<4>();
    default:
        return launch.template operator()<0>();
    }
}

/* A table of stencils is of the type of the sums, whatever the values are. */
template <typename Vector>
static enum status multiply_by(const struct by_diagonals *kept, const Vector &vector,
                               typename Vector::result *y, double *dot, struct error *error)
{
    typedef typename tiles_sum<typename Vector::sum>::number Sum;
    if (kept->stencils > 0)
        return launch_count<true, Sum>(kept, vector, y, dot, error);
    if constexpr (std::is_same_v<Sum, double>)
        if (!kept->singles)
            return launch_count<false, double>(kept, vector, y, dot, error);
    return launch_count<false, float>(kept, vector, y, dot, error);
}

/* With sums of that precision. */
template <typename Sum>
static enum status multiply(const struct by_diagonals *kept, const struct operands *operands,
                            struct error *error)
{
    double *y = (double *)operands->y, *dot = operands->dot;
    if (operands->columns > 1)
        return multiply_by(kept, tiles_columns<2, Sum>(operands), y, dot, error);
    return multiply_by(kept, tiles_vector<Sum, double>{(const double *)operands->x}, y, dot, error);
}

static enum status multiply_direction(const struct by_diagonals *kept,
                                      const struct operands *operands, struct error *error)
{
    double *y = (double *)operands->y, *dot = operands->dot;
    if (operands->direction->x)
        return multiply_by(kept, tiles_direction<true>{*operands->direction}, y, dot, error);
    return multiply_by(kept, tiles_direction<false>{*operands->direction}, y, dot, error);
}

static enum status apply(void *state, const struct operands *operands, struct error *error)
{
    const struct by_diagonals *kept = (const struct by_diagonals *)state;
    if (operands->direction)
        return multiply_direction(kept, operands, error);
    float *y = (float *)operands->y;
    if (operands->singles && operands->columns > 1)
        return multiply_by(kept, tiles_columns<2, float, float>(operands), y, NULL, error);
    if (operands->singles)
        return multiply_by(kept, tiles_vector<float, float>{(const float *)operands->x}, y, NULL,
                           error);
    return (kept->single_sums ? multiply<float> : multiply<double>)(kept, operands, error);
}

static void destroy(void *state)
{
    struct by_diagonals *kept = (struct by_diagonals *)state;
    if (!kept)
        return;
    memory_free(kept->distances);
    cuda_free(kept->space, kept->device_distances);
    cuda_free(kept->space, kept->values);
    cuda_free(kept->space, kept->codes);
    cuda_free(kept->space, kept->table);
    cuda_free(kept->space, kept->repeated);
    cuda_free(kept->space, kept->bricks.memory);
    memory_free(kept);
}

static size_t value_bytes(const struct by_diagonals *kept)
{
    return kept->singles ? sizeof(float) : sizeof(double);
}

/* A is on the host: diagonal after diagonal, so that it needs memory for one of them. */
static enum status put_lines(const struct csr *A, struct by_diagonals *kept, struct error *error)
{
    static const char *const what = "the matrix by diagonals";
    int64_t bytes = A->n * (int64_t)value_bytes(kept);
    double *line = (double *)memory_array(A->n, sizeof *line, "a diagonal", error);
    void *narrow = memory_array(kept->singles ? A->n : 0, sizeof(float), "a diagonal", error);
    enum status status = line && narrow ? STATUS_OK : STATUS_MEMORY;
    for (int64_t k = 0; k < kept->count && !status; k++) {
        sym_diagonals_line(A, kept->distances[k], line);
        if (kept->singles)
            single_narrow(line, A->n, (float *)narrow);
        status = cuda_copy_up(kept->space, bytes, kept->singles ? narrow : line,
                              (char *)kept->values + k * bytes, what, error);
    }
    memory_free(line);
    memory_free(narrow);
    return status;
}

static enum status put_values(const struct csr *A, struct by_diagonals *kept, struct error *error)
{
    enum status status = cuda_array(kept->space, kept->count * A->n, value_bytes(kept),
                                    "the matrix by diagonals", &kept->values, error);
    if (status)
        return status;
    return A->space ? cuda_sym_lines(kept->space, A, kept->device_distances, kept->count,
                                     kept->singles, kept->values, error)
                    : put_lines(A, kept, error);
}

/* The stencils of rows that are known. */
static enum status copy_stencils(const struct csr *A, struct by_diagonals *kept,
                                 struct sym_stencils *stencils, struct error *error)
{
    static const char *const what = "the stencils";
    const struct repeated_rows *rows = &A->repeated;
    int width = 2 * rows->diagonals - 1, entries = rows->count * width;
    *stencils = {.count = rows->count, .width = width, .exact = !kept->singles};
    stencils->table = (double *)memory_array(entries, sizeof(double), what, error);
    enum status status = stencils->table
                             ? cuda_array(kept->space, A->n, 1, what, (void **)&kept->codes, error)
                             : STATUS_MEMORY;
    if (!status)
        status = cuda_check(cudaMemcpyAsync(kept->codes, rows->codes, (size_t)A->n,
                                            cudaMemcpyDeviceToDevice, kept->space->stream),
                            what, error);
    if (!status)
        status = cuda_copy_down(kept->space, entries * (int64_t)sizeof(double), rows->full,
                                stencils->table, what, error);
    for (int k = 0; k < entries && !status && kept->singles; k++)
        stencils->table[k] = (float)stencils->table[k];
    return status;
}

/* The stencils of a generator's rows, with the codes of their kinds. */
struct known_stencils {
    struct row_kinds kinds;
    struct sym_stencils of;
};

/* Moves the table. */
static enum status take_known(struct known_stencils *known, struct by_diagonals *kept,
                              struct sym_stencils *stencils, struct error *error)
{
    *stencils = known->of;
    stencils->codes = NULL;
    known->of.table = NULL;
    stencils->exact = stencils->exact && !kept->singles;
    for (int k = 0; k < stencils->count * stencils->width && kept->singles; k++)
        stencils->table[k] = (float)stencils->table[k];
    return cuda_sym_codes_of_kinds(kept->space, &known->kinds, known->of.codes, &kept->codes,
                                   error);
}

/* known: or NULL */
static enum status find_stencils(const struct csr *A, struct known_stencils *known,
                                 struct by_diagonals *kept, struct sym_stencils *stencils,
                                 struct error *error)
{
    if (known)
        return take_known(known, kept, stencils, error);
    if (A->repeated.codes)
        return copy_stencils(A, kept, stencils, error);
    if (A->space)
        return cuda_sym_stencils(kept->space, A, kept->device_distances, kept->count, kept->singles,
                                 stencils, &kept->codes, error);
    enum status status = sym_stencils_create(A, kept->distances, kept->count, stencils, error);
    if (status || stencils->count == 0)
        return status;
    return cuda_put(kept->space, stencils->codes, A->n, 1, "the codes of the rows",
                    (void **)&kept->codes, error);
}

/* The rows of the upper triangle by the stencils: values, then offsets, then columns. */
static enum status put_repeated(const struct sym_stencils *stencils, struct by_diagonals *kept,
                                struct repeated_rows *rows, struct error *error)
{
    static const char *const what = "the repeated rows";
    int64_t most = stencils->count * (int64_t)kept->count, count = 0;
    size_t bytes = (size_t)most * (sizeof(double) + sizeof(int32_t)) +
                   ((size_t)stencils->count + 1) * sizeof(int32_t);
    double *values = (double *)memory_zeros((int64_t)bytes, 1, what, error);
    if (!values)
        return STATUS_MEMORY;
    int32_t *offsets = (int32_t *)(values + most), *ahead = offsets + stencils->count + 1;
    for (int s = 0; s < stencils->count; s++) {
        const double *upper = stencils->table + s * stencils->width + kept->count - 1;
        for (int64_t k = 0; k < kept->count; k++)
            if (upper[k] != 0) {
                values[count] = upper[k];
                ahead[count++] = kept->distances[k];
            }
        offsets[s + 1] = (int32_t)count;
    }
    enum status status =
        cuda_put(kept->space, values, (int64_t)bytes, 1, what, &kept->repeated, error);
    const double *device = (const double *)kept->repeated;
    *rows = {.codes = kept->codes,
             .offsets = (const int32_t *)(device + most),
             .ahead = (const int32_t *)(device + most) + stencils->count + 1,
             .values = device,
             .count = stencils->count,
             .diagonals = (int32_t)kept->count,
             .distances = kept->device_distances,
             .full = (const double *)kept->table};
    memory_free(values);
    return status;
}

static enum status put_stencils(const struct csr *A, struct known_stencils *known,
                                struct by_diagonals *kept, struct repeated_rows *repeated,
                                struct error *error)
{
    struct sym_stencils stencils;
    enum status status = find_stencils(A, known, kept, &stencils, error);
    if (!status && stencils.count > 0) {
        kept->stencils = stencils.count;
        for (int k = 0; k < stencils.width; k++)
            kept->common[k] = stencils.table[k];
        status = cuda_sym_put(kept->space, kept->single_sums, stencils.table,
                              stencils.count * (int64_t)stencils.width, "the stencils",
                              &kept->table, error);
        if (!status && stencils.exact)
            status = put_repeated(&stencils, kept, repeated, error);
    }
    sym_stencils_free(&stencils);
    return status;
}

static const struct operator_table table = {.apply = apply, .destroy = destroy};

const struct by_diagonals *cuda_sym_diagonals_of(const struct linear_operator *A)
{
    return A->table == &table ? (const struct by_diagonals *)A->state : NULL;
}

enum status cuda_sym_diagonals_bricks(const struct by_diagonals *kept, int blocks,
                                      struct cuda_bricks *made, struct error *error)
{
    enum status status = STATUS_OK;
    if (kept->bricks.blocks != blocks) {
        cuda_free(kept->space, kept->bricks.memory);
        status = cuda_bricks_create(kept->space, kept->n, kept->distances, kept->count, blocks,
                                    &kept->bricks, error);
    }
    if (status) {
        cuda_free(kept->space, kept->bricks.memory);
        kept->bricks = {};
    }
    *made = kept->bricks;
    return status;
}

static void report_costs(const struct by_diagonals *kept, struct linear_operator *made)
{
    bool singles = kept->singles && kept->stencils == 0;
    int64_t number = kept->single_sums ? sizeof(float) : sizeof(double);
    int64_t values = kept->stencils * (2 * kept->count - 1) * number;
    made->memory_bytes =
        kept->stencils > 0 ? kept->n + values : kept->count * kept->n * (int64_t)value_bytes(kept);
    made->bytes_per_apply = made->memory_bytes + cuda_vector_bytes(made);
    char *text = made->description;
    size_t size = sizeof made->description;
    int used = snprintf(text, size, "diagonals, %" PRId64 " in the upper triangle%s", kept->count,
                        value_dictionary_text(singles ? VALUE_DICTIONARY_SINGLES : 0));
    if (kept->stencils > 0)
        snprintf(text + used, size - (size_t)used, ", %d different rows", kept->stencils);
}

/* known: or NULL */
static enum status keep(const struct csr *A, int32_t *distances, int64_t count,
                        struct known_stencils *known, const struct sym_choice *choice,
                        struct linear_operator *made, struct error *error)
{
    struct by_diagonals *kept = cuda_state_create<struct by_diagonals>(&table, made, error);
    if (!kept) {
        memory_free(distances);
        return STATUS_MEMORY;
    }
    made->can = precision_can_columns(choice->single_sums) |
                (choice->single_sums ? 0 : (unsigned)OPERATOR_DOT | OPERATOR_DIRECTION);
    kept->n = A->n;
    kept->sign = A->kind == CSR_SKEW ? -1 : 1;
    kept->singles = choice->singles;
    kept->single_sums = choice->single_sums;
    kept->distances = distances;
    kept->count = count;
    enum status status = cuda_put(kept->space, distances, count, sizeof *distances, "the distances",
                                  (void **)&kept->device_distances, error);
    if (!status && choice->compress)
        status = put_stencils(A, known, kept, &made->repeated, error);
    if (!status && kept->stencils == 0)
        status = put_values(A, kept, error);
    report_costs(kept, made);
    return status;
}

enum status cuda_sym_diagonals_setup(const struct csr *A, const struct sym_choice *choice,
                                     struct linear_operator *made, struct error *error)
{
    int32_t *distances;
    int64_t count;
    enum status status = sym_diagonals_find(A, A->n, &distances, &count, error);
    return status ? status : keep(A, distances, count, NULL, choice, made, error);
}

static enum status find_distances(struct space_cuda *space, const struct csr *A,
                                  int32_t **distances, int64_t *count, struct error *error)
{
    static const char *const what = "the distances";
    if (!A->repeated.codes)
        return device_csr_distances(&space->base, A, distances, count, error);
    *count = A->repeated.diagonals;
    *distances = (int32_t *)memory_array(*count, sizeof **distances, what, error);
    return *distances ? cuda_copy_down(space, *count * (int64_t)sizeof **distances,
                                       A->repeated.distances, *distances, what, error)
                      : STATUS_MEMORY;
}

enum status cuda_sym_diagonals_setup_on_device(const struct csr *A, const struct sym_choice *choice,
                                               struct linear_operator *made, bool *suits,
                                               struct error *error)
{
    struct space_cuda *space = space_cuda_of(made->space);
    int32_t *distances;
    int64_t count;
    enum status status = find_distances(space, A, &distances, &count, error);
    static_assert((int)SYM_DIAGONALS_MAX <= (int)CSR_DISTANCES_MAX, "all distances are wanted");
    *suits = count <= SYM_DIAGONALS_MAX &&
             (choice->form == SYM_FORM_DIAGONALS || sym_fills_diagonals(A, count));
    if (!status && *suits && choice->singles)
        status = cuda_sym_single_check(space, A, error);
    if (!status && *suits)
        return keep(A, distances, count, NULL, choice, made, error);
    memory_free(distances);
    return status;
}

static enum status check_singles(const struct sym_stencils *stencils, struct error *error)
{
    int64_t count = stencils->count * (int64_t)stencils->width;
    double least, largest;
    enum status status = values_range(NULL, count, stencils->table, &least, &largest, error);
    return status ? status : single_check_largest(largest, error);
}

enum status cuda_sym_diagonals_setup_of_kinds(const struct csr *A, const struct sym_choice *choice,
                                              struct linear_operator *made, bool *suits,
                                              struct error *error)
{
    struct known_stencils known = {};
    int32_t *distances = NULL;
    int64_t count = 0;
    enum status status = csr_check_rows(A->n, error);
    if (!status)
        status = row_kinds_create(A, &known.kinds, error);
    if (!status)
        status = sym_stencils_of_kinds(A, &known.kinds, &distances, &count, &known.of, error);
    *suits = !status && known.of.count > 0 &&
             (choice->form == SYM_FORM_DIAGONALS || sym_fills_diagonals(A, count));
    if (*suits && choice->singles)
        status = check_singles(&known.of, error);
    if (*suits && !status)
        status = keep(A, distances, count, &known, choice, made, error);
    else
        memory_free(distances);
    sym_stencils_free(&known.of);
    row_kinds_free(&known.kinds);
    return status;
}
