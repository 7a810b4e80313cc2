/* b = (shift I + A) x for a known x, all 1 or random: b_i = fma(shift, x_i, (A x)_i), or (A x)_i
 * where shift is 0, by csr_multiply. The random x of column j has seed + j. */
#include "base/memory.h"
#include "base/random.h"
#include "base/threads.h"
#include "matrix/implicit_rows.h"
#include "problem/rhs.h"

#include <math.h>

enum known {
    KNOWN_ONES,
    KNOWN_RANDOM,
};

static const char *const knowns[] = {[KNOWN_ONES] = "ones", [KNOWN_RANDOM] = "random", NULL};

struct solution {
    enum known x;
    int64_t seed;
};

/* The x of a column, from row `first` on. */
struct known_rows {
    enum known kind;
    uint64_t seed;
    int64_t first;
    double *x;
};

static void set_known(void *context, int64_t begin, int64_t end)
{
    const struct known_rows *rows = context;
    for (int64_t k = begin; k < end; k++)
        rows->x[k] = rows->kind == KNOWN_RANDOM
                         ? random_uniform(rows->seed, (uint64_t)(rows->first + k))
                         : 1;
}

/* The rows first <= i < last of b: column j's. `rows` are those of A from `base` on, and all that
 * reach into these. */
static enum status multiply(const struct solution *solution, const struct csr *rows, int64_t base,
                            double shift, int64_t j, int64_t first, int64_t last, double *b,
                            struct error *error)
{
    double *x = memory_array(rows->width, sizeof *x, "the known solution", error);
    double *y = memory_array(rows->width, sizeof *y, "the known solution", error);
    enum status status = x && y ? STATUS_OK : STATUS_MEMORY;
    if (!status) {
        struct known_rows known = {solution->x, (uint64_t)solution->seed + (uint64_t)j, base, x};
        threads_each(threads_lent(), rows->width, set_known, &known);
        csr_multiply(rows, x, y);
    }
    for (int64_t i = first; i < last && !status; i++)
        b[i] = shift != 0 ? fma(shift, x[i - base], y[i - base]) : y[i - base];
    memory_free(x);
    memory_free(y);
    return status;
}

/* Of an A that is not stored, some rows at a time. */
static enum status multiply_made(const struct solution *solution, const struct csr *A, double shift,
                                 const struct rhs_part *part, double *B, struct error *error)
{
    enum { PART = 1 << 22 };
    int64_t reach = A->maker->reach(A->maker_options), most = PART > 4 * reach ? PART : 4 * reach;
    enum status status = STATUS_OK;
    for (int64_t first = part->first; first < part->last && !status; first += most) {
        struct csr rows;
        int64_t base = first > reach ? first - reach : 0;
        int64_t last = part->last - first < most ? part->last : first + most;
        status = csr_make_rows(A, base, last, &rows, error);
        for (int64_t j = 0; j < part->columns && !status; j++)
            status = multiply(solution, &rows, base, shift, j, first, last, B + j * A->n, error);
        csr_free(&rows);
    }
    return status;
}

static enum status fill(const void *options, const struct csr *A, double shift,
                        const struct rhs_part *part, double *B, struct error *error)
{
    enum status status = STATUS_OK;
    if (!A->offsets)
        return multiply_made(options, A, shift, part, B, error);
    for (int64_t j = 0; j < part->columns && !status; j++)
        status = multiply(options, A, 0, shift, j, part->first, part->last, B + j * A->n, error);
    return status;
}

static const struct parameter parameters[] = {
    PARAMETERS_OF(struct solution, seed, rhs_seed),
    {"x", "the known x", "ones", TAKES_CHOICE(struct solution, x, knowns)},
    {0}};

const struct rhs rhs_solution = {
    {COMPONENT_RHS, "solution", "b = A x for a known x", parameters, sizeof(struct solution), NULL},
    fill,
    NULL};
