#include "solver/states.h"

#include "support.h"

#include "base/random.h"
#include "options.h"
#include "solver/cg/cg.h"
#include "solver/lanczos/lanczos.h"
#include "solver/minres/minres.h"
#include "solver/solve.h"
#include "spmv/preconditioner.h"

#ifdef __linux__
#include <malloc.h>
#endif
#include <math.h>
#include <string.h>

/* --- what is solved --------------------------------------------------------------------------- */

static void give_diagonal(struct setting *setting)
{
    double values[STATES_N];
    for (int64_t i = 0; i < STATES_N; i++)
        values[i] = 1 + (double)(i % 6);
    random_vector(7, STATES_N, setting->b);
    diagonal(STATES_N, values, &setting->A);
}

static void give(struct setting *setting)
{
    struct csr *A = &setting->A;
    if (setting->way->given == GIVEN_FEW) {
        give_diagonal(setting);
        return;
    }
    grid(STATES_CUBE, 100, A);
    random_vector(7, STATES_N, setting->b);
    if (setting->way->given == GIVEN_INDEFINITE)
        A->values[A->offsets[STATES_N / 2]] *= -1;
    if (setting->way->method != &method_skew)
        return;
    A->kind = CSR_SKEW;
    for (int64_t i = 0; i < A->n; i++)
        A->values[A->offsets[i]] = 0;
}

/* --- what it shows ---------------------------------------------------------------------------- */

static enum status take_row(struct shown *shown, const struct event *row)
{
    ck_assert_int_lt(shown->rows, STATES_MOST);
    ck_assert_int_eq(row->iteration, shown->rows); /* each once, and in order */
    shown->row[shown->rows++] = row_kept(shown->method, row);
    return row->iteration == shown->asks_at ? STATUS_INTERRUPTED : STATUS_OK;
}

static enum status see(void *context, const struct event *event, struct error *error)
{
    struct shown *shown = context;
    (void)error;
    if (event->kind == EVENT_ROW)
        return take_row(shown, event);
    ck_assert_int_lt(shown->looks, 2 * STATES_MOST);
    shown->look[shown->looks].iteration = event->iteration;
    shown->look[shown->looks].place = event->place;
    memcpy(shown->look[shown->looks++].values, event->values, sizeof shown->x);
    return STATUS_OK;
}

/* --- a setting -------------------------------------------------------------------------------- */

static int ahead;

static int times_ahead(const struct space *space, int64_t n)
{
    (void)space, (void)n;
    return ahead;
}

static void create_space(struct setting *setting, const struct kernel *kernel)
{
    struct error error;
    struct space_options options = {
        .reductions = setting->way->reductions, .threads = 1, .device = setting->way->device};
    expect_ok(space_create(kernel->space, &options, &setting->space, &error), &error);
    setting->usual = setting->space->operations;
    setting->operations = *setting->usual;
    ahead = setting->way->ahead;
    if (ahead > 0)
        setting->operations.replay_times = times_ahead;
    setting->space->operations = &setting->operations;
}

static void precondition(struct setting *setting)
{
    struct error error;
    struct options wanted = test_options(COMPONENT_PRECONDITIONER, setting->way->preconditioner,
                                         setting->way->option, NULL);
    expect_ok(
        preconditioner_create(&wanted, &setting->A, NULL, &setting->spmv, &setting->M, &error),
        &error);
    setting->options.preconditioner = &setting->M;
    options_free(&wanted);
}

void setting_create(const struct way *way, struct setting *setting)
{
    struct error error;
    bool directs = strcmp(way->kernel, "directing") == 0;
    const struct kernel *kernel = directs ? &directing : kernel_find(way->kernel);
    *setting = (struct setting){.way = way};
    setting->options = (struct solver_options){
        .method = way->method,
        .tolerance = 1e-12,
        .max_iterations = STATES_MOST - 1,
        .shift = way->method == &method_skew ? 0.1 : 0,
        .relaxation = way->relaxation,
        .eigen = {2, EIGEN_SMALLEST, 1e-8, way->reorthogonalization, way->restart}};
    setting->observer = (struct observer){
        .wants = 1u << EVENT_ROW | (way->traces ? 1u << EVENT_VECTOR : 0),
        .trace = {3, 1u << VECTOR_R | 1u << VECTOR_X | 1u << VECTOR_P | 1u << VECTOR_Q},
        .see = see};
    give(setting);
    create_space(setting, kernel);
    expect_ok(operator_create(kernel, &setting->A, NULL, setting->space, &setting->spmv, &error),
              &error);
    ck_assert(!(setting->spmv.can & OPERATOR_DIRECTION) == !way->makes_direction);
    if (way->preconditioner)
        precondition(setting);
}

void setting_free(struct setting *setting)
{
    operator_destroy(&setting->M);
    operator_destroy(&setting->spmv);
    setting->space->operations = setting->usual;
    setting->usual->destroy(setting->space);
    csr_free(&setting->A);
}

/* --- a solve ---------------------------------------------------------------------------------- */

void shown_clear(const struct setting *setting, struct shown *shown)
{
    shown->method = setting->way->method;
    shown->asks_at = -1;
    shown->rows = shown->looks = 0;
    for (int64_t i = 0; i < STATES_N; i++)
        shown->x[i] = 0;
}

struct solver *setting_begin(struct setting *setting, struct shown *shown)
{
    struct error error;
    struct solver *solver;
    setting->observer.context = shown;
    expect_ok(solver_begin(&setting->spmv, &setting->A, setting->b, NULL, &setting->options,
                           &setting->observer, &solver, &error),
              &error);
    return solver;
}

bool shown_advance(struct solver *solver, int64_t iterations)
{
    struct error error;
    bool ended;
    expect_ok(solver_advance(solver, iterations, &ended, &error), &error);
    return ended;
}

void shown_save(const struct setting *setting, struct solver *solver, struct memory_archive *memory)
{
    struct error error;
    struct archive archive = memory_archive_saves(memory);
    expect_ok(solver_save(solver, &setting->A, setting->b, &archive, &error), &error);
}

void shown_load(const struct setting *setting, struct solver *solver, struct memory_archive *memory)
{
    struct error error;
    struct archive archive = memory_archive_loads(memory);
    expect_ok(solver_load(solver, &setting->A, setting->b, &archive, &error), &error);
    ck_assert_int_eq(memory->place, memory->count);
}

void shown_end(struct setting *setting, struct solver *solver, struct shown *shown)
{
    struct error error;
    expect_ok(solver_end(solver, &setting->A, setting->b, shown->x, &shown->result, &error),
              &error);
    solver_free(solver);
    ck_assert_int_eq(shown->rows, shown->result.iterations + 1);
}

void shown_whole(struct setting *setting, struct shown *shown)
{
    shown_clear(setting, shown);
    struct solver *solver = setting_begin(setting, shown);
    ck_assert(shown_advance(solver, INT64_MAX));
    shown_end(setting, solver, shown);
}

/* --- the same --------------------------------------------------------------------------------- */

static bool same_bits(double a, double c)
{
    return memcmp(&a, &c, sizeof a) == 0 || (isnan(a) && isnan(c));
}

static void expect_same_result(const struct solver_result *a, const struct solver_result *c)
{
    ck_assert_int_eq(a->iterations, c->iterations);
    ck_assert_int_eq(a->products, c->products);
    ck_assert(same_bits(a->residual, c->residual) && same_bits(a->true_residual, c->true_residual));
    ck_assert(same_bits(a->rhs_norm, c->rhs_norm));
    ck_assert(same_bits(a->ritz_low, c->ritz_low) && same_bits(a->ritz_high, c->ritz_high));
    ck_assert_int_eq(a->eigen_count, c->eigen_count);
    ck_assert(same_bits(a->eigen_rounding, c->eigen_rounding));
    for (int64_t k = 0; k < a->eigen_count; k++) {
        ck_assert(same_bits(a->eigenvalues[k], c->eigenvalues[k]));
        ck_assert(same_bits(a->eigen_residuals[k], c->eigen_residuals[k]));
        ck_assert_int_eq(a->eigen_met[k], c->eigen_met[k]);
    }
}

void expect_same_shown(const struct shown *one, const struct shown *two, bool reasons_too)
{
    ck_assert_int_eq(one->rows, two->rows);
    for (int64_t k = 0; k < one->rows; k++)
        for (int s = 0; s < SERIES_MOST; s++)
            ck_assert_msg(same_bits(one->row[k].values[s], two->row[k].values[s]),
                          "row %d, series %d", (int)k, s);
    ck_assert_int_eq(one->looks, two->looks);
    for (int64_t k = 0; k < one->looks; k++)
        ck_assert_msg(memcmp(&one->look[k], &two->look[k], sizeof one->look[k]) == 0,
                      "look %d, in iteration %d and %d", (int)k, (int)one->look[k].iteration,
                      (int)two->look[k].iteration);
    for (int64_t i = 0; i < STATES_N; i++)
        ck_assert_msg(same_bits(one->x[i], two->x[i]), "x[%d]", (int)i);
    expect_same_result(&one->result, &two->result);
    if (!reasons_too)
        return;
    ck_assert_int_eq(one->result.reason, two->result.reason);
    ck_assert(same_bits(one->result.curvature, two->result.curvature));
    ck_assert(one->result.eigen_list == two->result.eigen_list);
    ck_assert(one->result.eigen_rounds == two->result.eigen_rounds);
}

/* --- the checks ------------------------------------------------------------------------------- */

static struct setting setting;
static struct shown whole, parts;

static void begin_check(const struct way *way)
{
    setting_create(way, &setting);
    shown_whole(&setting, &whole);
    ck_assert_msg(whole.result.reason == way->ends, "%s: %s", way->name,
                  reason_name(whole.result.reason));
    ck_assert_msg(whole.result.iterations >= way->at_least, "%s: %d iterations", way->name,
                  (int)whole.result.iterations);
}

static void end_check(void)
{
    solver_result_free(&whole.result);
    setting_free(&setting);
    ck_assert_int_eq(memory_live(), 0);
}

/* What is saved does not depend on what has been loaded before: but for the time. */
static void expect_same_archive(const struct memory_archive *one, const struct memory_archive *two)
{
    ck_assert_int_eq(one->count, two->count);
    for (int64_t k = 0; k < one->count; k++) {
        const struct memory_piece *a = &one->pieces[k], *c = &two->pieces[k];
        ck_assert_str_eq(a->name, c->name);
        ck_assert_int_eq(a->bytes, c->bytes);
        if (strcmp(a->name, "seconds") != 0)
            ck_assert_msg(memcmp(a->data, c->data, (size_t)a->bytes) == 0, "%s", a->name);
    }
}

/* Behind row k, and, where it has not been for the end, once more `later` iterations after that. */
static void go_on_twice(int64_t k, int64_t later)
{
    struct memory_archive first = {0}, second = {0};
    shown_clear(&setting, &parts);
    struct solver *solver = setting_begin(&setting, &parts);
    if (k > 0)
        shown_advance(solver, k);
    shown_save(&setting, solver, &first);
    ck_assert_int_eq(parts.rows, (k < whole.result.iterations ? k : whole.result.iterations) + 1);
    solver_free(solver);
    solver = setting_begin(&setting, &parts);
    shown_load(&setting, solver, &first);
    if (later > 0)
        shown_advance(solver, later);
    shown_save(&setting, solver, &second);
    if (later == 0)
        expect_same_archive(&first, &second);
    solver_free(solver);
    solver = setting_begin(&setting, &parts);
    shown_load(&setting, solver, &second);
    ck_assert(shown_advance(solver, INT64_MAX));
    shown_end(&setting, solver, &parts);
    expect_same_shown(&parts, &whole, true);
    solver_result_free(&parts.result);
    memory_archive_free(&first);
    memory_archive_free(&second);
}

void check_every_iteration(const struct way *way)
{
    begin_check(way);
    for (int64_t k = 0; k <= whole.result.iterations; k += test_is_slow() ? 5 : 1)
        go_on_twice(k, k % 4);
    go_on_twice(whole.result.iterations + 1, 0); /* it has ended */
    end_check();
}

/* Behind `iterations`, with memory that malloc fills. */
static void save_filled(int64_t iterations, int fill, struct memory_archive *archive)
{
#ifdef M_PERTURB
    mallopt(M_PERTURB, fill);
#endif
    shown_clear(&setting, &parts);
    struct solver *solver = setting_begin(&setting, &parts);
    if (iterations > 0)
        shown_advance(solver, iterations);
    shown_save(&setting, solver, archive);
    solver_free(solver);
}

void check_what_is_written(const struct way *way)
{
    setting_create(way, &setting);
    for (int64_t iterations = 0; iterations < 3; iterations++) {
        struct memory_archive one = {0}, two = {0};
        save_filled(iterations, 0x55, &one);
        save_filled(iterations, 0xaa, &two);
        expect_same_archive(&one, &two);
        memory_archive_free(&one);
        memory_archive_free(&two);
    }
    setting_free(&setting);
    ck_assert_int_eq(memory_live(), 0);
}

void check_portions(const struct way *way)
{
    static const int64_t portions[] = {1, 2, 3, 5, 16, 17, 33};
    begin_check(way);
    for (size_t p = 0; p < sizeof portions / sizeof *portions; p++) {
        bool ended = false;
        shown_clear(&setting, &parts);
        struct solver *solver = setting_begin(&setting, &parts);
        for (int64_t k = portions[p]; !ended; k += portions[p]) {
            ended = shown_advance(solver, portions[p]);
            ck_assert(ended || parts.rows == k + 1);
        }
        shown_end(&setting, solver, &parts);
        expect_same_shown(&parts, &whole, true);
        solver_result_free(&parts.result);
    }
    end_check();
}
