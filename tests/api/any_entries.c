#include "api/any_entries.h"

#include "support.h"

#include "base/random.h"

#include <float.h>
#include <math.h>

/* a_ij, the same from both sides but for the sign of a skew-symmetric one; 0: it is not stored. */
static double entry(const struct any_entries *made, uint64_t seed, int64_t i, int64_t j,
                    double scale)
{
    int64_t low = i < j ? i : j, place = low * ANY_ROWS + (i < j ? j : i);
    bool skew = made->data.kind == CGS_SKEW;
    if (i == j)
        return skew ? 0 : scale * (1 + (double)made->n);
    double value = random_uniform(seed, (uint64_t)place);
    bool stored = random_uniform(77, (uint64_t)place) < -0.7 || j - i == 1 || i - j == 1;
    return stored ? scale * (skew && j < i ? -value : value) : 0;
}

static void add(struct any_entries *made, int64_t i, int64_t j, double value)
{
    made->rows[made->nnz] = i;
    made->columns[made->nnz] = j;
    made->values[made->nnz++] = value;
}

static void swap(struct any_entries *made, int64_t k, int64_t m)
{
    int64_t row = made->rows[k], column = made->columns[k];
    double value = made->values[k];
    made->rows[k] = made->rows[m];
    made->columns[k] = made->columns[m];
    made->values[k] = made->values[m];
    made->rows[m] = row;
    made->columns[m] = column;
    made->values[m] = value;
}

static void shuffle(struct any_entries *made, int64_t begin, int64_t end, uint64_t *state)
{
    for (int64_t k = begin; k < end; k++)
        swap(made, k, k + test_random_below(state, end - k));
}

/* Rows of which some are small, and no two entries are alike. */
static void add_noise(struct any_entries *made, uint64_t *state)
{
    for (int64_t k = 0; k < made->nnz; k++) {
        bool small = made->rows[k] % 5 == 3 || made->columns[k] % 5 == 3;
        made->values[k] *= (small ? 0x1p-9 : 1) * (1 + 1e-3 * test_random(state));
    }
    if (made->data.part == CGS_FULL && made->data.kind == CGS_SYMMETRIC)
        made->data.asymmetry = test_random_below(state, 2) ? 0.5 : 0.001;
}

static void spoil(struct any_entries *made, enum any_fault fault, uint64_t *state)
{
    int64_t k = test_random_below(state, made->nnz), row = test_random_below(state, made->n);
    if (fault == FAULT_ROUNDED)
        made->values[k] *= 1 + 0x1p-48;
    if (fault == FAULT_NOISY)
        add_noise(made, state);
    if (fault == FAULT_UNSYMMETRIC)
        made->values[k] *= 2;
    if (fault == FAULT_LONELY)
        made->columns[k] = test_random_below(state, made->n);
    if (fault == FAULT_NOT_FINITE)
        made->values[k] = test_random_below(state, 2) ? NAN : -INFINITY;
    if (fault == FAULT_OVERFLOW)
        made->values[k] = DBL_MAX;
    if (fault == FAULT_OUTSIDE)
        made->columns[k] = test_random_below(state, 2) ? made->n : -1 - row;
    if (fault == FAULT_BACKWARD)
        made->offsets[row] = made->offsets[row + 1] + 1;
    if (fault == FAULT_TOO_FEW)
        made->offsets[made->n]--;
}

static struct cgs_array integers(int64_t *wide, int32_t *narrow, int64_t count, bool is_narrow)
{
    return is_narrow ? cgs_int32(narrow, count)
                     : (struct cgs_array){wide, count, .type = CGS_INT64};
}

/* In the types and with the base that are random. */
static void hand_over(struct any_entries *made, bool by_rows, uint64_t *state)
{
    struct cgs_matrix_data *data = &made->data;
    bool narrow = test_random_below(state, 2), shorter = test_random_below(state, 2);
    bool single = test_random_below(state, 3) == 0;
    data->base = (int)test_random_below(state, 2);
    for (int64_t i = 0; i <= made->n; i++)
        made->narrow_offsets[i] = (int32_t)(made->offsets[i] += data->base);
    for (int64_t k = 0; k < made->nnz; k++) {
        made->narrow_rows[k] = (int32_t)(made->rows[k] += data->base);
        made->narrow_columns[k] = (int32_t)(made->columns[k] += data->base);
        made->singles[k] = (float)made->values[k];
    }
    if (by_rows)
        data->offsets = integers(made->offsets, made->narrow_offsets, made->n + 1, narrow);
    else
        data->rows = integers(made->rows, made->narrow_rows, made->nnz, narrow);
    data->columns = integers(made->columns, made->narrow_columns, made->nnz, shorter);
    data->values = single ? (struct cgs_array){made->singles, made->nnz, .type = CGS_FLOAT}
                          : cgs_vector(made->values, made->nnz);
}

/* Row by row in ascending columns; with `twice` some as a sum, the same of both triangles. */
static void make_entries(struct any_entries *made, uint64_t seed, double scale, bool diagonal,
                         bool twice)
{
    enum cgs_part part = made->data.part;
    for (int64_t i = 0; i < made->n; i++) {
        for (int64_t j = 0; j < made->n; j++) {
            double value = entry(made, seed, i, j, scale);
            if (i == j ? !diagonal
                       : value == 0 || (part == CGS_UPPER && j < i) || (part == CGS_LOWER && j > i))
                continue;
            bool splits = twice && (i + j) % 3 == 0;
            if (splits)
                add(made, i, j, value - value / 4);
            add(made, i, j, splits ? value / 4 : value);
        }
        made->offsets[i + 1] = made->nnz;
    }
}

void any_entries_make(uint64_t seed, double scale, enum any_fault fault, uint64_t state,
                      struct any_entries *made)
{
    *made = (struct any_entries){.n = 2 + test_random_below(&state, ANY_ROWS - 1)};
    enum cgs_part part = (enum cgs_part)(CGS_UPPER + test_random_below(&state, 3));
    made->data =
        (struct cgs_matrix_data){.size = sizeof made->data,
                                 .n = made->n,
                                 .part = test_random_below(&state, 2) ? CGS_FULL : part,
                                 .kind = test_random_below(&state, 4) ? CGS_SYMMETRIC : CGS_SKEW};
    bool diagonal = test_random_below(&state, 4) > 0 && made->data.kind == CGS_SYMMETRIC;
    bool by_rows = test_random_below(&state, 3) > 0, in_order = test_random_below(&state, 2);
    make_entries(made, seed, scale, diagonal, test_random_below(&state, 2));
    spoil(made, fault, &state);
    for (int64_t i = 0; i < made->n && by_rows && !in_order; i++)
        shuffle(made, i == 0 ? 0 : made->offsets[i], made->offsets[i + 1], &state);
    if (!by_rows && !in_order)
        shuffle(made, 0, made->nnz, &state);
    hand_over(made, by_rows, &state);
    bool rounded = scale != 1 && made->data.values.type == CGS_FLOAT;
    made->positive = diagonal && fault == FAULT_NONE && !rounded;
}
