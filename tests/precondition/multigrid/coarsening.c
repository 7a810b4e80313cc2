#include "precondition/multigrid/coarsening.h"

#include "csr_check.h"
#include "made.h"
#include "support.h"

#include "matrix/permute.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const int teams[TEAMS] = {1, 2, 3, 7};

void make_poisson(int64_t nx, int64_t ny, int64_t nz, struct csr *A)
{
    struct error error;
    struct poisson3d poisson = {{nx, ny, nz}, {1, 1, 1}, 1, 0, POISSON3D_DIRICHLET};
    expect_ok(poisson3d_create(&poisson, A, &error), &error);
}

void make_brick(int64_t nx, int64_t ny, int64_t nz, int64_t unknowns, struct csr *A)
{
    struct error error;
    struct fe_brick brick = {
        {nx, ny, nz}, unknowns, 1, {1, 1}, .pattern = {.shift = 0.5, .seed = 1}};
    expect_ok(problem_create(&problem_fe_brick, &brick, A, &error), &error);
}

/* Along an axis: the element's stiffness and mass, summed over the elements of a node. */
static double along(const int64_t n[3], const double h[3], int axis, int64_t step, bool stiff)
{
    if (n[axis] == 1)
        return stiff ? 0 : 1;
    if (stiff)
        return (step == 0 ? 2 : -1) / h[axis];
    return (step == 0 ? 4 : 1) * h[axis] / 6;
}

static double element_entry(const int64_t n[3], const double h[3], const int64_t step[3])
{
    double sum = 0;
    for (int stiff = 0; stiff < 3; stiff++) {
        double product = 1;
        for (int axis = 0; axis < 3; axis++)
            product *= along(n, h, axis, step[axis], axis == stiff);
        sum += product;
    }
    return sum;
}

/* On the pattern of a brick of 27 nodes. */
void make_elements(const int64_t n[3], const double h[3], struct csr *A)
{
    make_brick(n[0], n[1], n[2], 1, A);
    for (int64_t i = 0; i < A->n; i++)
        for (int64_t k = A->offsets[i]; k < A->offsets[i + 1]; k++) {
            int64_t j = A->columns[k],
                    step[3] = {j % n[0] - i % n[0], j / n[0] % n[1] - i / n[0] % n[1],
                               j / n[0] / n[1] - i / n[0] / n[1]};
            A->values[k] = element_entry(n, h, step);
        }
}

void make_cells(const int64_t n[3], const double *k, struct csr *A)
{
    const int64_t stride[3] = {1, n[0], n[0] * n[1]};
    make_poisson(n[0], n[1], n[2], A);
    for (int64_t i = 0; i < A->n; i++)
        A->values[A->offsets[i]] = 0;
    for (int64_t i = 0; i < A->n; i++) {
        double *own = &A->values[A->offsets[i]];
        for (int axis = 0; axis < 3; axis++) {
            int64_t at = i / stride[axis] % n[axis];
            if (n[axis] > 1)
                *own += ((at == 0) + (at == n[axis] - 1)) * 2 * k[i];
        }
        for (int64_t e = A->offsets[i] + 1; e < A->offsets[i + 1]; e++) {
            int32_t j = A->columns[e];
            double coupling = 2 * k[i] * k[j] / (k[i] + k[j]);
            A->values[e] = -coupling;
            *own += coupling;
            A->values[A->offsets[j]] += coupling;
        }
    }
}

static void make_single_phases(const struct phases *phases, uint64_t *state, struct csr *A)
{
    struct error error;
    const int64_t *n = phases->n, size = phases->size, count = n[0] * n[1] * n[2];
    double *drawn = memory_array(2 * count, sizeof *drawn, "phases", &error), *k = drawn + count;
    ck_assert_ptr_nonnull(drawn);
    for (int64_t i = 0; i < count; i++)
        drawn[i] = test_random(state) < 0.5 ? phases->jump : 1;
    for (int64_t i = 0; i < count; i++) {
        int64_t x = i % n[0], y = i / n[0] % n[1], z = i / n[0] / n[1];
        k[i] = drawn[x / size + n[0] * (y / size + n[1] * (z / size))];
    }
    make_cells(n, k, A);
    memory_free(drawn);
}

void make_phases(const struct phases *phases, uint64_t *state, struct csr *A)
{
    struct csr single;
    make_single_phases(phases, state, phases->unknowns > 1 ? &single : A);
    if (phases->unknowns > 1) {
        make_blocks(&single, phases->unknowns, A);
        csr_free(&single);
    }
}

void make_blocks(const struct csr *A, int64_t unknowns, struct csr *blocks)
{
    struct error error;
    int64_t b = unknowns, n = A->n * b, at = 0;
    expect_ok(
        csr_create(blocks, CSR_SYMMETRIC, n, b * b * A->nnz - A->n * (b * (b - 1) / 2), &error),
        &error);
    for (int64_t row = 0; row < n; row++) {
        blocks->offsets[row] = at;
        for (int64_t k = A->offsets[row / b]; k < A->offsets[row / b + 1]; k++)
            for (int64_t u = 0; u < b; u++) {
                int64_t column = A->columns[k] * b + u;
                if (column < row)
                    continue;
                blocks->columns[at] = (int32_t)column;
                blocks->values[at++] = A->values[k] / (double)(1 + llabs(u - row % b));
            }
    }
    blocks->offsets[n] = at;
    expect_ok(csr_check(blocks, &error), &error);
}

void make_unmatched(int64_t n, struct csr *A)
{
    make_poisson(n, 1, 1, A);
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = A->offsets[i] + 1; k < A->offsets[i + 1]; k++)
            A->values[k] = i % 10 == 0 ? -1 : 1;
    for (int64_t i = 0; i < n; i++)
        A->values[A->offsets[i]] = 2.5;
}

void make_hubs(int64_t hubs, int64_t leaves, struct csr *A)
{
    struct error error;
    int64_t n = hubs * (leaves + 1), at = 0;
    expect_ok(csr_create(A, CSR_SYMMETRIC, n, n + hubs - 1 + hubs * leaves, &error), &error);
    for (int64_t i = 0; i < n; i++) {
        bool hub = i < hubs;
        int64_t ends = (i > 0) + (i + 1 < hubs);
        A->offsets[i] = at;
        A->columns[at] = (int32_t)i;
        A->values[at++] = 1e-3 + (double)(hub ? leaves + ends : 1);
        for (int64_t k = -1; hub && k < leaves; k++) {
            if (k < 0 && i + 1 == hubs)
                continue;
            A->columns[at] = (int32_t)(k < 0 ? i + 1 : hubs + i * leaves + k);
            A->values[at++] = -1;
        }
    }
    A->offsets[n] = at;
    expect_ok(csr_check(A, &error), &error);
}

void make_shuffled(const struct csr *A, uint64_t *state, struct csr *shuffled)
{
    struct error error;
    int32_t *number = test_random_numbering(A->n, state);
    expect_ok(csr_permute(A, number, shuffled, &error), &error);
    memory_free(number);
}

void make_with_entry(const struct csr *A, int64_t i, int64_t j, double value, struct csr *more)
{
    struct error error;
    int64_t at = A->offsets[i];
    while (at < A->offsets[i + 1] && A->columns[at] < j)
        at++;
    expect_ok(csr_create(more, CSR_SYMMETRIC, A->n, A->nnz + 1, &error), &error);
    for (int64_t row = 0; row <= A->n; row++)
        more->offsets[row] = A->offsets[row] + (row > i);
    for (int64_t k = 0; k < A->nnz; k++) {
        more->columns[k + (k >= at)] = A->columns[k];
        more->values[k + (k >= at)] = A->values[k];
    }
    more->columns[at] = (int32_t)j;
    more->values[at] = value;
    expect_ok(csr_check(more, &error), &error);
}

void take_sums_away(struct csr *A)
{
    for (int64_t i = 0; i < A->n; i++)
        A->values[A->offsets[i]] = 0;
    for (int64_t i = 0; i < A->n; i++)
        for (int64_t k = A->offsets[i] + 1; k < A->offsets[i + 1]; k++) {
            A->values[A->offsets[i]] -= A->values[k];
            A->values[A->offsets[A->columns[k]]] -= A->values[k];
        }
}

struct cells grid_of(const struct csr *A, int64_t block)
{
    struct error error;
    struct cells cells;
    expect_ok(cells_find(&(struct surveyor){survey_host, NULL, A, NULL}, block, &cells, &error),
              &error);
    return cells;
}

void expect_lists(const struct aggregates *a)
{
    int64_t in_one = 0;
    for (int64_t i = 0; i < a->n; i++) {
        ck_assert(a->map[i] >= IN_NO_AGGREGATE && a->map[i] < a->count);
        in_one += a->map[i] != IN_NO_AGGREGATE;
    }
    ck_assert_int_eq(a->offsets[0], 0);
    ck_assert_int_eq(a->offsets[a->count], in_one);
    for (int64_t I = 0; I < a->count; I++) {
        ck_assert_int_lt(a->offsets[I], a->offsets[I + 1]);
        for (int32_t k = a->offsets[I]; k < a->offsets[I + 1]; k++) {
            ck_assert_int_eq(a->map[a->members[k]], I);
            ck_assert(k == a->offsets[I] || a->members[k] > a->members[k - 1]);
        }
    }
}

/* An entry of P' A P: its terms in both triangles of A. */
struct sum {
    int64_t terms;
    long double value, size;
};

/* A term goes through terms - 1 additions at the most, whatever their order: each makes a relative
 * error of u (Higham 2002, section 4.2), and to take an entry twice makes none. */
static void expect_sum(const struct sum *sum, double made, int64_t I, int64_t J)
{
    long double bound = (long double)(sum->terms - 1) * 0x1.01p-53L * sum->size;
    ck_assert_msg(fabsl((long double)made - sum->value) <= bound,
                  "(%d, %d) is %.17g instead of %.17Lg, bound %Lg", (int)I, (int)J, made,
                  sum->value, bound);
}

void expect_coarse(const struct csr *A, const struct aggregates *a, const struct csr *coarse)
{
    struct error error;
    struct csr full;
    expect_ok(csr_check(coarse, &error), &error);
    ck_assert_int_eq(coarse->n, a->count);
    ck_assert_int_eq(coarse->kind, CSR_SYMMETRIC);
    expect_ok(csr_expand(A, &full, &error), &error);
    struct sum *sums = memory_zeros(a->count, sizeof *sums, "the sums of a row", &error);
    ck_assert_ptr_nonnull(sums);
    for (int64_t I = 0; I < a->count; I++) {
        int64_t entries = 0;
        for (int32_t m = a->offsets[I]; m < a->offsets[I + 1]; m++)
            for (int64_t i = a->members[m], k = full.offsets[i]; k < full.offsets[i + 1]; k++) {
                int32_t J = a->map[full.columns[k]];
                if (J < I)
                    continue;
                entries += sums[J].terms++ == 0;
                sums[J].value += (long double)full.values[k];
                sums[J].size += fabsl((long double)full.values[k]);
            }
        ck_assert_int_eq(coarse->offsets[I + 1] - coarse->offsets[I], entries);
        for (int64_t k = coarse->offsets[I]; k < coarse->offsets[I + 1]; k++) {
            struct sum *sum = &sums[coarse->columns[k]];
            ck_assert_int_gt(sum->terms, 0);
            expect_sum(sum, coarse->values[k], I, coarse->columns[k]);
            *sum = (struct sum){0};
        }
    }
    memory_free(sums);
    csr_free(&full);
}

/* Axis `a` of the d-th of all steps to neighbours; of the 27 those with two axes at the most. */
static int64_t step_along(int d, int a)
{
    const int digits[3] = {d / 9, d / 3 % 3, d % 3};
    return digits[a] - 1;
}

/* The entries of row c of node `at`, on the diagonal and right of it; returns their number. */
static int64_t springs_row(const int64_t n[3], const int64_t at[3], int c, int32_t *columns,
                           double *values)
{
    int64_t node = (at[0] * n[1] + at[1]) * n[2] + at[2], count = 3 - c;
    for (int m = c; m < 3; m++) {
        columns[m - c] = (int32_t)(3 * node + m);
        values[m - c] = 0;
    }
    for (int d = 0; d < 27; d++) {
        int64_t step[3], squares = 0;
        bool inside = true, held = false;
        for (int a = 0; a < 3; a++) {
            step[a] = step_along(d, a);
            squares += step[a] * step[a];
            held = held || (a == 0 && at[0] + step[0] < 0);
            inside = inside && at[a] + step[a] < n[a] && (a == 0 || at[a] + step[a] >= 0);
        }
        if (!inside || squares == 0 || squares > 2)
            continue;
        for (int m = c; m < 3; m++)
            values[m - c] += (double)(step[c] * step[m]) / (double)squares;
        for (int m = 0; m < 3 && d > 13 && !held; m++)
            if (step[c] * step[m] != 0) {
                columns[count] =
                    (int32_t)(3 * (node + (step[0] * n[1] + step[1]) * n[2] + step[2]) + m);
                values[count++] = -(double)(step[c] * step[m]) / (double)squares;
            }
    }
    return count;
}

void make_springs(int64_t nx, int64_t ny, int64_t nz, struct csr *A, struct near_null *near_null)
{
    struct error error;
    const int64_t n[3] = {nx, ny, nz}, rows = 3 * nx * ny * nz;
    int32_t columns[3 * 28];
    double values[3 * 28], *coordinates = malloc((size_t)rows * sizeof *coordinates);
    int64_t filled = 0;
    ck_assert_ptr_nonnull(coordinates);
    expect_ok(csr_create(A, CSR_SYMMETRIC, rows, rows * 28, &error), &error);
    for (int64_t i = 0; i < rows; i++) {
        const int64_t node = i / 3, at[3] = {node / nz / ny, node / nz % ny, node % nz};
        coordinates[i] = (double)at[i % 3];
        A->offsets[i] = filled;
        int64_t count = springs_row(n, at, (int)(i % 3), columns, values);
        for (int64_t k = 0; k < count; k++) {
            A->columns[filled] = columns[k];
            A->values[filled++] = values[k];
        }
    }
    A->offsets[rows] = A->nnz = filled;
    expect_ok(csr_check(A, &error), &error);
    expect_ok(near_null_rigid_body(rows / 3, 3, coordinates, near_null, &error), &error);
    free(coordinates);
}
