#include "precondition/multigrid/setup/level_fsai.h"

#include "precondition/fsai_rows.h"
#include "precondition/multigrid/setup/hierarchy.h"
#include "precondition/multigrid/setup/interpolation_rows.h"
#include "precondition/spectrum.h"
#include "space/rows.h"
#include "space/values.h"
#include "spmv/device_csr.h"

static const char what[] = "a smoother of a multigrid";

static const struct fsai_growth LEVEL_FSAI_GROWTH = {.looks = 5, .step = 4, .threshold = 0.01};

static const double SAFETY = 1.1;
enum { STEPS = 12 }; /* of Lanczos' method, as of bound.h */

enum status level_fsai_apply(const struct level *level, bool singles, int shift, const void *x,
                             void *y, struct error *error)
{
    const struct level_fsai *fsai = &level->fsai;
    const struct row_chains *rows[] = {&fsai->G, &fsai->transposed};
    const void *from[] = {x, fsai->t};
    void *to[] = {fsai->t, y};
    enum status status = STATUS_OK;
    for (int k = 0; k < 2 && !status; k++) {
        struct row_chains_work doubles = {
            .rows = *rows[k], .x = from[k], .y = to[k], .shift = shift};
        struct row_chains_singles of_singles = {
            .rows = *rows[k], .x = from[k], .y = to[k], .shift = shift};
        if (singles)
            status = space_run(level->space, &pass_row_chains_singles, level->n << shift,
                               &of_singles, error);
        else if (shift > 0)
            status = space_run(level->space, &pass_row_chains_columns, level->n << shift, &doubles,
                               error);
        else
            status = space_run(level->space, &pass_row_chains, level->n, &doubles, error);
    }
    return status;
}

/* y = G A G' x */
static enum status apply_between(void *state, const struct operands *operands, struct error *error)
{
    const struct level *level = state;
    struct row_chains_work down = {.rows = level->fsai.transposed, .x = operands->x, .y = level->d};
    struct row_chains_work up = {.rows = level->fsai.G, .x = level->q, .y = operands->y};
    enum status status = space_run(level->space, &pass_row_chains, level->n, &down, error);
    if (!status)
        status = operator_apply(level->spmv, level->d, level->q, error);
    return status ? status : space_run(level->space, &pass_row_chains, level->n, &up, error);
}

static enum status find_lmax(struct level *level, const int32_t *number, struct error *error)
{
    static const struct operator_table between = {.apply = apply_between};
    struct linear_operator of = {.name = "the matrix between G and G'",
                                 .table = &between,
                                 .state = level,
                                 .space = level->space,
                                 .n = level->n,
                                 .width = level->n};
    struct spectrum spectrum;
    enum status status = spectrum_estimate(&of, number, STEPS, &spectrum, error);
    if (!status)
        level->fsai.lmax = SAFETY * (spectrum.high + spectrum.bound);
    return status;
}

static enum status take_vectors(struct level *level, size_t element, struct error *error)
{
    struct level_fsai *fsai = &level->fsai;
    const struct space_operations *operations = level->space->operations;
    space_release(level->space, fsai->t);
    space_release(level->space, fsai->b);
    fsai->t = fsai->b = NULL;
    enum status status =
        operations->allocate(level->space, level->n, element, what, &fsai->t, error);
    return status ? status
                  : operations->allocate(level->space, level->n, element, what, &fsai->b, error);
}

enum status level_fsai_make(const char *name, const struct csr *A, const int32_t *number,
                            struct level *level, struct error *error)
{
    struct level_fsai *fsai = &level->fsai;
    struct fsai_found found;
    struct csr G, transposed;
    int64_t wrong;
    enum status status =
        fsai_make_both(name, LEVEL_FSAI_GROWTH, A, NULL, &G, &transposed, &found, error);
    if (!status)
        status = row_chains_take(level->space, &G, false, &fsai->G, &wrong, error);
    if (!status)
        status =
            row_chains_take(level->space, &transposed, false, &fsai->transposed, &wrong, error);
    device_csr_free(&G);
    device_csr_free(&transposed);
    if (!status)
        status = take_vectors(level, sizeof(double), error);
    if (!status)
        status = find_lmax(level, number, error);
    return status ? status : space_fill(level->space, level->n, 1, level->inverse, error);
}

static enum status round_rows(const char *name, int exponent, struct level *level,
                              struct row_chains *rows, struct error *error)
{
    int64_t wrong;
    struct values_scaling scaling = {exponent, rows->doubles, rows->doubles};
    enum status status = space_run(level->space, &pass_values_scaling, rows->nnz, &scaling, error);
    if (!status)
        status = row_chains_round(level->space, rows, &wrong, error);
    if (status || wrong == rows->n)
        return status;
    return error_set(
        error, STATUS_CONFIG,
        "preconditioner %s: precision = \"float\": the approximate inverse of level %d "
        "leaves the range of single precision: take precision = \"double\"",
        name, level->number);
}

/* 1 in each element; t holds doubles on the way. */
static enum status fill_ones(struct level *level, struct error *error)
{
    struct rounding by = {level->fsai.t, level->inverse};
    enum status status = space_fill(level->space, level->n, 1, level->fsai.t, error);
    return status ? status : space_run(level->space, &pass_rounding, level->n, &by, error);
}

/* G'G of 2^-exponent A is 2^exponent that of A: a half of it goes to either factor. */
enum status level_fsai_to_float(const char *name, int exponent, struct level *level,
                                struct error *error)
{
    struct level_fsai *fsai = &level->fsai;
    int half = exponent / 2;
    enum status status = round_rows(name, half, level, &fsai->G, error);
    if (!status)
        status = round_rows(name, exponent - half, level, &fsai->transposed, error);
    if (!status)
        status = fill_ones(level, error);
    return status ? status : take_vectors(level, sizeof(float), error);
}

int64_t level_fsai_bytes(const struct level *level)
{
    return row_chains_bytes(&level->fsai.G) + row_chains_bytes(&level->fsai.transposed);
}

int64_t level_fsai_bytes_per_column(const struct level *level, int64_t element)
{
    enum { VECTORS = 4 }; /* x, t, t again, y */
    return VECTORS * level->n * element;
}

void level_fsai_free(struct level *level)
{
    struct level_fsai *fsai = &level->fsai;
    if (!level->space)
        return;
    row_chains_free(level->space, &fsai->G);
    row_chains_free(level->space, &fsai->transposed);
    space_release(level->space, fsai->t);
    space_release(level->space, fsai->b);
    *fsai = (struct level_fsai){0};
}
