/* A tile of space/sum/sum_order.h of w stays in the first-level cache while the columns of V go by
 * once. */
#include "solver/lanczos/basis_products.h"

#include "base/memory.h"
#include "base/threads.h"
#include "space/host_loops.h"
#include "space/space.h"

static bool panel_dot_sum(const void *work, int64_t k, struct pass_sum *sum)
{
    const struct panel_products *given = work;
    const struct panel *V = &given->V;
    if (k >= V->count)
        return false;
    *sum = (struct pass_sum){V->values + k * V->stride, given->w, &given->c[k]};
    return true;
}

/* Four columns at a time: w goes to registers and back once for them. */
MULTIVERSION static void panel_subtract_elements(const void *work, int64_t begin, int64_t end)
{
    const struct panel_subtraction *given = work;
    const struct panel *V = &given->V;
    const double *c = given->c;
    double *restrict w = given->w + begin;
    int64_t k = 0, stride = V->stride, count = end - begin;
    for (; k + 4 <= V->count; k += 4) {
        const double *v = V->values + k * stride + begin;
        double c0 = c[k], c1 = c[k + 1], c2 = c[k + 2], c3 = c[k + 3];
        for (int64_t i = 0; i < count; i++) {
            double wi = fma(-c1, v[stride + i], fma(-c0, v[i], w[i]));
            w[i] = fma(-c3, v[3 * stride + i], fma(-c2, v[2 * stride + i], wi));
        }
    }
    for (; k < V->count; k++)
        for (int64_t i = 0; i < count; i++)
            w[i] = fma(-c[k], V->values[k * stride + begin + i], w[i]);
}

static bool panel_subtract_sum(const void *work, int64_t k, struct pass_sum *sum)
{
    const struct panel_subtraction *given = work;
    *sum = (struct pass_sum){given->w, given->w, given->squared};
    return k == 0;
}

enum { ROWS = 16, COLUMNS = 4 };

/* made[wanted][ROWS] from old[count][ROWS]: COLUMNS sums of ROWS rows at a time in registers. */
MULTIVERSION static void multiply_rows(int64_t count, int64_t wanted, const double *restrict old,
                                       const double *restrict S, double *restrict made)
{
    for (int64_t j = 0; j < wanted; j += COLUMNS) {
        int64_t together = wanted - j < COLUMNS ? wanted - j : COLUMNS;
        double sum[COLUMNS][ROWS] = {{0}};
        if (together == COLUMNS)
            for (int64_t k = 0; k < count; k++)
                for (int c = 0; c < COLUMNS; c++)
                    for (int r = 0; r < ROWS; r++)
                        sum[c][r] = fma(old[k * ROWS + r], S[(j + c) * count + k], sum[c][r]);
        else
            for (int64_t c = 0; c < together; c++)
                for (int64_t k = 0; k < count; k++)
                    for (int r = 0; r < ROWS; r++)
                        sum[c][r] = fma(old[k * ROWS + r], S[(j + c) * count + k], sum[c][r]);
        for (int64_t c = 0; c < together; c++)
            for (int r = 0; r < ROWS; r++)
                made[(j + c) * ROWS + r] = sum[c][r];
    }
}

/* ROWS rows of a panel, to or from a place of their own; those past the end are 0. */
static void copy_rows(int64_t n, const struct panel *V, int64_t columns, int64_t begin, bool out,
                      double *rows)
{
    int64_t count = n - begin < ROWS ? n - begin : ROWS;
    for (int64_t k = 0; k < columns; k++)
        for (int64_t r = 0; r < ROWS; r++) {
            if (!out)
                rows[k * ROWS + r] = r < count ? V->values[k * V->stride + begin + r] : 0;
            else if (r < count)
                V->values[k * V->stride + begin + r] = rows[k * ROWS + r];
        }
}

struct shared_rotation {
    int64_t n;
    const struct panel_rotation *given;
    double *rows; /* [shares][V.count + wanted][ROWS] */
    int64_t shares;
};

static void multiply_shares(void *context, int64_t first, int64_t last)
{
    const struct shared_rotation *work = context;
    const struct panel *V = &work->given->V;
    int64_t groups = (work->n + ROWS - 1) / ROWS, wanted = work->given->wanted;
    for (int64_t share = first; share < last; share++) {
        double *old = work->rows + share * (V->count + wanted) * ROWS;
        double *made = old + V->count * ROWS;
        int64_t group = groups * share / work->shares, end = groups * (share + 1) / work->shares;
        for (; group < end; group++) {
            copy_rows(work->n, V, V->count, group * ROWS, false, old);
            multiply_rows(V->count, wanted, old, work->given->S, made);
            copy_rows(work->n, V, wanted, group * ROWS, true, made);
        }
    }
}

/* Every thread has rows of its own to keep the old ones in. */
static enum status panel_multiply_cpu(struct space *space, const struct pass *pass, int64_t n,
                                      const void *work, struct error *error)
{
    (void)pass;
    const struct panel_rotation *given = work;
    int64_t size = (given->V.count + given->wanted) * ROWS, shares = threads_count(space->threads);
    double *rows = memory_array(shares * size, sizeof *rows, "rows of the basis", error);
    if (!rows)
        return STATUS_MEMORY;
    threads_each(space->threads, shares, multiply_shares,
                 &(struct shared_rotation){n, given, rows, shares});
    memory_free(rows);
    return STATUS_OK;
}

HOST_LOOP(normalise, normalisation)

const struct pass panel_dot = {
    .name = "products with a basis", .sum = panel_dot_sum, .cuda = "panel_dot_cuda", .reads = 1};
const struct pass panel_subtract = {.name = "a basis' part of a vector",
                                    .make = panel_subtract_elements,
                                    .sum = panel_subtract_sum,
                                    .cuda = "panel_subtract_cuda",
                                    .reads = 1,
                                    .writes = 1,
                                    .summed = 1};
const struct pass panel_multiply = {
    .name = "a restart of a basis", .cpu = panel_multiply_cpu, .cuda = "panel_multiply_cuda"};
const struct pass normalise = {.name = "a norm of 1",
                               .make = normalise_elements,
                               .after = normalise_after,
                               .cuda = "normalise_cuda",
                               .reads = 1,
                               .writes = 1};
