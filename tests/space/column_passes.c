#include "space/column_passes.h"

#include "support.h"

#include "space/trial_pass.h"
#include "space/trials.h"
#include "spaces.h"

#include <math.h>
#include <string.h>

/* A multivector of the pass's x and y, on the host and in the space, and scalars of each column. */
struct panel {
    int64_t n, stride;
    double *x, *y, *before_x, *before_y; /* [n stride], on the host */
    double *x_device, *y_local;
    double scalars[PASS_COLUMNS][TRIAL_SCALARS];
    double *scalars_there[PASS_COLUMNS];
    int64_t *ended_there[PASS_COLUMNS];
    bool asked[PASS_COLUMNS], ended[PASS_COLUMNS];
};

static double *copy_of(const double *v, int64_t n)
{
    double *made = vector(n);
    memcpy(made, v, (size_t)n * sizeof *made);
    return made;
}

static void panel_create(struct space *space, int64_t n, int64_t stride, uint64_t *state,
                         struct panel *panel)
{
    struct error error;
    *panel = (struct panel){.n = n, .stride = stride};
    panel->x = vector(n * stride);
    panel->y = vector(n * stride);
    randomise(panel->x, n * stride, state);
    randomise(panel->y, n * stride, state);
    panel->before_x = copy_of(panel->x, n * stride);
    panel->before_y = copy_of(panel->y, n * stride);
    panel->x_device = put(space, n * stride, panel->x);
    panel->y_local = put(space, n * stride, panel->y);
    for (int64_t c = 0; c < stride; c++) {
        int64_t chance = test_random_below(state, 5);
        const double scalars[TRIAL_SCALARS] = {
            1 + test_random(state), chance == 0 ? 0 : 3, NAN, NAN, NAN, 0};
        void *ended = NULL;
        memcpy(panel->scalars[c], scalars, sizeof scalars);
        panel->scalars_there[c] = put(space, TRIAL_SCALARS, scalars);
        panel->asked[c] = c == 0 || chance != 1;
        panel->ended[c] = chance == 2;
        int64_t flag = panel->ended[c];
        expect_ok(space->operations->allocate(space, 1, sizeof flag, "a flag", &ended, &error),
                  &error);
        expect_ok(space->operations->upload(space, sizeof flag, &flag, ended, &error), &error);
        panel->ended_there[c] = ended;
    }
}

static void panel_free(struct space *space, struct panel *panel)
{
    for (int64_t c = 0; c < panel->stride; c++) {
        space_release(space, panel->scalars_there[c]);
        space_release(space, panel->ended_there[c]);
    }
    space_release(space, panel->x_device);
    space_release(space, panel->y_local);
    memory_free(panel->x);
    memory_free(panel->y);
    memory_free(panel->before_x);
    memory_free(panel->before_y);
}

static void run_columns(struct space *space, struct panel *panel, bool always)
{
    struct error error;
    struct trial_work works[PASS_COLUMNS];
    struct pass_columns columns = {.stride = panel->stride};
    for (int c = 0; c < panel->stride; c++) {
        if (!panel->asked[c])
            continue;
        works[c] = (struct trial_work){panel->x_device + c, panel->y_local + c,
                                       panel->scalars_there[c], false};
        columns.work[columns.count] = &works[c];
        columns.place[columns.count] = c; /* the first column is asked for */
        columns.ended[columns.count++] = panel->ended_there[c];
    }
    expect_ok(space_run_columns(space, always ? &trial_always : &trial, panel->n, &columns, &error),
              &error);
    expect_ok(space_download(space, panel->n * panel->stride, panel->x_device, panel->x, &error),
              &error);
    expect_ok(space_download(space, panel->n * panel->stride, panel->y_local, panel->y, &error),
              &error);
    for (int64_t c = 0; c < panel->stride; c++)
        expect_ok(space_download(space, TRIAL_SCALARS, panel->scalars_there[c], panel->scalars[c],
                                 &error),
                  &error);
}

/* Column c of a multivector. The caller calls memory_free. */
static double *column_of(const struct panel *panel, const double *v, int64_t c)
{
    double *made = vector(panel->n);
    for (int64_t i = 0; i < panel->n; i++)
        made[i] = v[i * panel->stride + c];
    return made;
}

/* By the CPU's space, with a = 0 where the column is to stay. */
static void expect_column(struct space *host, const struct panel *panel, int64_t c, bool runs)
{
    int64_t n = panel->n;
    const double *got = panel->scalars[c];
    double scalars[TRIAL_SCALARS] = {
        got[TRIAL_NUMERATOR], got[TRIAL_DENOMINATOR], NAN, NAN, NAN, 0};
    double *x = column_of(panel, panel->x, c), *y = column_of(panel, panel->y, c);
    struct trial_work wanted = {column_of(panel, panel->before_x, c),
                                column_of(panel, panel->before_y, c), scalars, false};
    if (runs)
        run_pass(host, &trial, n, &wanted);
    expect_same_vectors(x, wanted.x, n, "x");
    expect_same_vectors(y, wanted.y, n, "y");
    if (runs) {
        expect_sum(host, n, x, x, got[TRIAL_SQUARE]);
        expect_sum(host, n, x, y, got[TRIAL_PRODUCT]);
        expect_bits(got[TRIAL_RATIO], got[TRIAL_PRODUCT] / got[TRIAL_SQUARE], "ratio", n, 0);
    }
    ck_assert(got[TRIAL_RUNS] == (runs ? 1 : 0));
    memory_free(x);
    memory_free(y);
    memory_free(wanted.x);
    memory_free(wanted.y);
}

static void one_panel(struct space *space, struct space *host, int64_t n, int64_t stride,
                      uint64_t *state)
{
    struct panel panel;
    bool always = test_random_below(state, 4) == 0;
    panel_create(space, n, stride, state, &panel);
    run_columns(space, &panel, always);
    for (int64_t c = 0; c < stride; c++)
        expect_column(host, &panel, c, panel.asked[c] && (always || !panel.ended[c]));
    panel_free(space, &panel);
}

void trial_column_passes(enum space_kind kind)
{
    static const int64_t rows[] = {1, 2, 31, 32, 33, 479, 480, 481, 961, 5000};
    uint64_t state = test_seed();
    for (int r = 0; r < KINDS; r++) {
        struct space *space = test_space(kind, all_reductions[r], 1 + r % 3);
        struct space *host = test_space(SPACE_CPU, all_reductions[r], 1);
        for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
            for (int64_t stride = 1; stride <= PASS_COLUMNS; stride *= 2)
                one_panel(space, host, rows[k], stride, &state);
        host->operations->destroy(host);
        space->operations->destroy(space);
    }
    ck_assert_int_eq(memory_live(), 0);
}
