/* The right-hand sides, and common code with the starts. */
#include "problem/rhs.h"

#include "base/memory.h"
#include "base/random.h"
#include "base/text.h"
#include "base/threads.h"
#include "io/market/matrix_market.h"
#include "matrix/implicit_rows.h"

#include <inttypes.h>
#include <math.h>

static const struct rhs *rhs_of(const struct options *options)
{
    return (const struct rhs *)options->component;
}

enum status rhs_fill_part(const struct options *options, const struct csr *A, double shift,
                          const struct rhs_part *part, double *B, struct error *error)
{
    return rhs_of(options)->fill(options->values, A, shift, part, B, error);
}

enum status rhs_fill(const struct options *options, const struct csr *A, double shift,
                     int64_t columns, double *B, struct error *error)
{
    return rhs_fill_part(options, A, shift, &(struct rhs_part){columns, 0, A->n}, B, error);
}

enum status rhs_columns(const struct options *options, int64_t n, int64_t wanted, int64_t *columns,
                        struct error *error)
{
    const struct rhs *rhs = rhs_of(options);
    *columns = wanted > 0 ? wanted : 1;
    enum status status =
        rhs->columns ? rhs->columns(options->values, n, columns, error) : STATUS_OK;
    if (status)
        return status;
    const char *path = options_file(options, 0, NULL);
    if (wanted > 0 && *columns != wanted)
        return error_set(error, STATUS_CONFIG,
                         "rhs.columns = %" PRId64 ": %s has %" PRId64 " column%s", wanted, path,
                         *columns, text_plural(*columns));
    if (*columns > RHS_COLUMNS_MOST)
        return error_set(error, STATUS_INPUT,
                         "%s: has %" PRId64 " columns, and at most %d are solved together", path,
                         *columns, RHS_COLUMNS_MOST);
    return STATUS_OK;
}

void rhs_draw(int64_t seed, int64_t n, const struct rhs_part *part, double *B)
{
    for (int64_t j = 0; j < part->columns; j++)
        random_vector_part((int64_t)((uint64_t)seed + (uint64_t)j), part->first, part->last,
                           B + j * n);
}

const struct parameter rhs_seed[] = {{"seed", "the seed; column j = 0, 1, ... uses seed + j", "1",
                                      .type = PARAMETER_INTEGER, .size = sizeof(int64_t),
                                      .most = INT64_MAX},
                                     {0}};

const struct parameter rhs_path[] = {
    {"path", "a Matrix Market, .npy, PETSc or text file, with one column for each right-hand side",
     NULL, .type = PARAMETER_FILE, .size = sizeof(char *)},
    {0}};

/* ---- files of vectors ------------------------------------------------------------------------ */

static enum status find_format(const char *path, const struct vector_format **format,
                               struct error *error)
{
    static const struct vector_format *const formats[] = {&npy_vectors, &petsc_vectors,
                                                          &text_vectors, &market_vectors};
    enum status status = STATUS_OK;
    bool is = false;
    for (int k = 0; !is && !status; k++) {
        *format = formats[k];
        is = !formats[k]->begins;
        if (!is)
            status = formats[k]->begins(path, &is, error);
    }
    return status;
}

enum status vector_file_columns(const char *path, int64_t n, int64_t *columns, struct error *error)
{
    const struct vector_format *format;
    enum status status = find_format(path, &format, error);
    return status ? status : format->columns(path, n, columns, error);
}

enum status vector_file_read(const char *path, int64_t n, const struct rhs_part *part, double *B,
                             struct error *error)
{
    const struct vector_format *format;
    enum status status = find_format(path, &format, error);
    return status ? status
                  : format->read(path, n, part->columns, part->first, part->last, B, error);
}

/* ---- ones ------------------------------------------------------------------------------------ */

/* b_i = 1, in every column. */
static void set_ones(void *context, int64_t begin, int64_t end)
{
    double *b = context;
    for (int64_t i = begin; i < end; i++)
        b[i] = 1;
}

static enum status fill_ones(const void *options, const struct csr *A, double shift,
                             const struct rhs_part *part, double *B, struct error *error)
{
    (void)options, (void)shift, (void)error;
    for (int64_t j = 0; j < part->columns; j++)
        threads_each(threads_lent(), part->last - part->first, set_ones,
                     B + j * A->n + part->first);
    return STATUS_OK;
}

const struct rhs rhs_ones = {{COMPONENT_RHS, "ones", "b_i = 1", NULL, 0, NULL}, fill_ones, NULL};

/* ---- unit ------------------------------------------------------------------------------------ */

/* b_i = 1 for i = row - 1, 0 else; in column j for i = row - 1 + j. */
struct unit {
    int64_t row; /* from 1 */
};

static enum status fill_unit(const void *options, const struct csr *A, double shift,
                             const struct rhs_part *part, double *B, struct error *error)
{
    const struct unit *unit = options;
    int64_t columns = part->columns;
    (void)shift;
    if (unit->row < 1 || unit->row > A->n)
        return error_set(error, STATUS_CONFIG,
                         "rhs.row = %" PRId64 ": the matrix has the rows 1 to %" PRId64, unit->row,
                         A->n);
    if (columns > A->n - unit->row + 1)
        return error_set(error, STATUS_CONFIG,
                         "rhs.columns = %" PRId64 " does not fit: the last row is %" PRId64
                         ", and rhs.row = %" PRId64 " leaves %" PRId64,
                         columns, A->n, unit->row, A->n - unit->row + 1);
    for (int64_t j = 0; j < columns; j++)
        for (int64_t i = part->first; i < part->last; i++)
            B[j * A->n + i] = i == unit->row - 1 + j;
    return STATUS_OK;
}

static const struct parameter unit_parameters[] = {
    {"row", "the row of the 1, counted from 1; of column j, counted from 0, row + j", "1",
     TAKES_INTEGER(struct unit, row, 1, INT32_MAX)},
    {0}};

const struct rhs rhs_unit = {{COMPONENT_RHS, "unit", "1 in one row, 0 elsewhere", unit_parameters,
                              sizeof(struct unit), NULL},
                             fill_unit,
                             NULL};

/* ---- random ---------------------------------------------------------------------------------- */

/* b_i uniform in [-1, 1): random_vector of base/random.h, column j with seed + j. */
static enum status fill_random(const void *options, const struct csr *A, double shift,
                               const struct rhs_part *part, double *B, struct error *error)
{
    (void)shift, (void)error;
    rhs_draw(*(const int64_t *)options, A->n, part, B);
    return STATUS_OK;
}

const struct rhs rhs_random = {
    {COMPONENT_RHS, "random", "b_i uniform in [-1, 1)", rhs_seed, sizeof(int64_t), NULL},
    fill_random,
    NULL};

/* ---- solution -------------------------------------------------------------------------------- */

/* b = (shift I + A) x for a known x, all 1 or random: b_i = fma(shift, x_i, (A x)_i), or (A x)_i
 * where shift is 0, by csr_multiply. The random x of column j has seed + j. */
enum known { KNOWN_ONES, KNOWN_RANDOM };

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

/* The rows first <= i < last of column j of b. `rows` are rows of A from `base` on, with all rows
 * that reach into first ... last - 1. */
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

/* If A is not stored, some rows at a time. */
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

static enum status fill_solution(const void *options, const struct csr *A, double shift,
                                 const struct rhs_part *part, double *B, struct error *error)
{
    enum status status = STATUS_OK;
    if (!A->offsets)
        return multiply_made(options, A, shift, part, B, error);
    for (int64_t j = 0; j < part->columns && !status; j++)
        status = multiply(options, A, 0, shift, j, part->first, part->last, B + j * A->n, error);
    return status;
}

static const struct parameter solution_parameters[] = {
    PARAMETERS_OF(struct solution, seed, rhs_seed),
    {"x", "the known x", "ones", TAKES_CHOICE(struct solution, x, knowns)},
    {0}};

const struct rhs rhs_solution = {{COMPONENT_RHS, "solution", "b = A x for a known x",
                                  solution_parameters, sizeof(struct solution), NULL},
                                 fill_solution,
                                 NULL};

/* ---- file ------------------------------------------------------------------------------------ */

/* b from a file, a column for each right-hand side. */
static enum status fill_file(const void *options, const struct csr *A, double shift,
                             const struct rhs_part *part, double *B, struct error *error)
{
    (void)shift;
    return vector_file_read(*(char *const *)options, A->n, part, B, error);
}

static enum status file_columns(const void *options, int64_t n, int64_t *columns,
                                struct error *error)
{
    return vector_file_columns(*(char *const *)options, n, columns, error);
}

const struct rhs rhs_file = {{COMPONENT_RHS, "file", "a Matrix Market, .npy, PETSc or text file",
                              rhs_path, sizeof(char *), NULL},
                             fill_file,
                             file_columns};
