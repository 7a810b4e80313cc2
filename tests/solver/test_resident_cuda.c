/* Launches of many iterations (solver/resident.h): the rows and x of the launches of single
 * iterations, and of the CPU, bit for bit; also where a launch is lost. */
#include "support.h"

#include "base/component.h"
#include "base/cuda_part.h"
#include "cuda_device.h"
#include "made.h"
#include "solver/cg/cg.h"
#include "solver/memory_archive.h"
#include "solver/minres/minres.h"
#include "solver/resident.h"
#include "spaces.h"
#include "spmv/preconditioner.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 1200, LOOKS = 200, LOOK_N = 12 * 12 * 12 };

struct found {
    int64_t rows, looks,
        asks_at;         /* asks_at: in which row the observer asks for the end; 0: never */
    double row[ROWS][3]; /* residual, alpha, beta */
    double *look;        /* [looks][n]: vectors that were shown, or NULL: none are */
    double *x;           /* [n] */
    struct solver_result result;
};

/* The methods. A block has shared memory for `room` tiles at least. */
static const struct way {
    const char *name;
    const struct method *method;
    bool scales; /* with M = the diagonal of A */
    int64_t room;
} ways[] = {{"cg", &method_cg, false, 16},
            {"cg, jacobi", &method_cg, true, 12},
            {"minres", &method_minres, false, 10}};
enum { WAYS = sizeof ways / sizeof *ways };

/* A matrix and its vectors. */
struct system {
    const char *name;
    struct csr A;
    double *b, *x0; /* x0: NULL, 0 */
    const struct way *way;
};

/* What is solved: nx, ny, nz; jump. */
struct box {
    const char *name;
    int64_t n[3];
    double jump;
    enum poisson3d_boundary boundary;
    int64_t most;       /* iterations */
    int64_t processors; /* that suffice: 16 tiles each */
};

static const struct box boxes[] = {
    {"12^3", {12, 12, 12}, 1, POISSON3D_DIRICHLET, 300, 1},
    {"13^3", {13, 13, 13}, 1, POISSON3D_DIRICHLET, 300, 1},
    {"32^3", {32, 32, 32}, 1, POISSON3D_DIRICHLET, 300, 5},
    {"48^3", {48, 48, 48}, 1, POISSON3D_DIRICHLET, 300, 15},
    {"64^3", {64, 64, 64}, 1, POISSON3D_DIRICHLET, 300, 35},
    {"80^3", {80, 80, 80}, 1, POISSON3D_DIRICHLET, 120, 67},
    {"96^3", {96, 96, 96}, 1, POISSON3D_DIRICHLET, 300, 116},
    {"100^3", {100, 100, 100}, 1, POISSON3D_DIRICHLET, 300, 131},
    {"37 x 91 x 23", {37, 91, 23}, 1, POISSON3D_DIRICHLET, 300, 11},
    {"200 x 40 x 90", {200, 40, 90}, 1, POISSON3D_DIRICHLET, 120, 94},
    {"20 x 30 x 700", {20, 30, 700}, 1, POISSON3D_DIRICHLET, 120, 55},
    {"200 x 300", {200, 300, 1}, 1, POISSON3D_DIRICHLET, 300, 8},
    {"5000", {5000, 1, 1}, 1, POISSON3D_DIRICHLET, 200, 1},
    {"7", {7, 1, 1}, 1, POISSON3D_DIRICHLET, 200, 1},
    {"40^3, jump", {40, 40, 40}, 1e3, POISSON3D_DIRICHLET, 300, 9},
    {"31 x 47 x 29, jump", {31, 47, 29}, 7, POISSON3D_DIRICHLET, 300, 6},
    {"96^3, jump", {96, 96, 96}, 1e2, POISSON3D_DIRICHLET, 100, 116},
};
enum { BOXES = sizeof boxes / sizeof *boxes };

static void system_create(const struct box *box, int way, uint64_t *seed, struct system *made)
{
    struct error error;
    struct poisson3d poisson = {.n = {box->n[0], box->n[1], box->n[2]},
                                .weights = {1, box->n[1] > 1, box->n[2] > 1},
                                .jump = box->jump,
                                .boundary = box->boundary};
    *made = (struct system){.name = box->name, .way = &ways[way]};
    expect_ok(poisson3d_create(&poisson, &made->A, &error), &error);
    made->b = malloc((size_t)made->A.n * sizeof *made->b);
    for (int64_t i = 0; i < made->A.n; i++)
        made->b[i] = test_random(seed) - 0.5;
}

static void system_free(struct system *system)
{
    csr_free(&system->A);
    free(system->b);
    free(system->x0);
}

static struct found *found_create(const struct system *system)
{
    struct found *found = calloc(1, sizeof *found);
    found->x = malloc((size_t)system->A.n * sizeof *found->x);
    for (int64_t i = 0; i < system->A.n; i++)
        found->x[i] = NAN;
    return found;
}

static void found_free(struct found *found)
{
    solver_result_free(&found->result);
    free(found->look);
    free(found->x);
    free(found);
}

static enum status see(void *context, const struct event *event, struct error *error)
{
    struct found *found = context;
    (void)error;
    if (event->kind == EVENT_VECTOR) {
        ck_assert_int_lt(found->looks, LOOKS);
        memcpy(found->look + LOOK_N * found->looks++, event->values, LOOK_N * sizeof(double));
        return STATUS_OK;
    }
    ck_assert_int_lt(event->iteration, ROWS);
    ck_assert_int_eq(event->iteration, found->rows);
    memcpy(found->row[found->rows++], event->values, sizeof *found->row);
    return found->asks_at > 0 && event->iteration == found->asks_at ? STATUS_INTERRUPTED
                                                                    : STATUS_OK;
}

static struct solver_options options_of(int64_t most, enum solver_resident resident)
{
    return (struct solver_options){.tolerance = 1e-8,
                                   .max_iterations = most,
                                   .null_space = NULL_SPACE_NONE,
                                   .resident = resident};
}

/* A space, A in the form of the kernel, and M^-1, or none. */
struct place {
    struct space *space;
    struct linear_operator spmv, M;
    const struct way *way;
};

static void place_create(const char *kernel, const struct system *system, struct place *made)
{
    struct error error;
    const struct kernel *of = kernel_find(kernel);
    const struct component *jacobi = component_find(COMPONENT_PRECONDITIONER, "jacobi");
    struct options options;
    *made = (struct place){.space = test_space(of->space, REDUCTIONS_REPRODUCIBLE, 0),
                           .way = system->way};
    expect_ok(operator_create(of, &system->A, NULL, made->space, &made->spmv, &error), &error);
    if (!system->way->scales)
        return;
    expect_ok(options_create(jacobi, &options, &error), &error);
    expect_ok(preconditioner_create(&options, &system->A, NULL, &made->spmv, &made->M, &error),
              &error);
    options_free(&options);
}

static void place_free(struct place *place)
{
    operator_destroy(&place->M);
    operator_destroy(&place->spmv);
    place->space->operations->destroy(place->space);
}

static struct observer observer_of(struct found *found)
{
    return (struct observer){.wants = 1u << EVENT_ROW, .see = see, .context = found};
}

static struct solver_options options_in(const struct solver_options *options, struct place *place)
{
    struct solver_options own = *options;
    own.method = place->way->method;
    own.preconditioner = place->M.table ? &place->M : NULL;
    return own;
}

/* The caller calls found_free. */
static struct found *solve_in(struct place *place, const struct system *system,
                              const struct solver_options *options, int64_t asks_at)
{
    struct error error;
    struct found *found = found_create(system);
    struct observer observer = observer_of(found);
    struct solver_options own = options_in(options, place);
    found->asks_at = asks_at;
    expect_ok(solver_solve(&place->spmv, &system->A, system->b, system->x0, &own, &observer,
                           found->x, &found->result, &error),
              &error);
    return found;
}

static struct found *solve_by(const char *kernel, const struct system *system,
                              const struct solver_options *options)
{
    struct place place;
    place_create(kernel, system, &place);
    struct found *found = solve_in(&place, system, options, 0);
    place_free(&place);
    return found;
}

static void expect_same(const char *name, const char *what, const struct system *system,
                        const struct found *wanted, const struct found *found)
{
    int64_t rows = wanted->rows < found->rows ? wanted->rows : found->rows, k = 0, i = 0;
    while (k < rows && memcmp(wanted->row[k], found->row[k], sizeof *found->row) == 0)
        k++;
    if (k < rows)
        ck_abort_msg("%s, %s: row %d of %d is %a %a %a, not %a %a %a", name, what, (int)k,
                     (int)wanted->rows, found->row[k][0], found->row[k][1], found->row[k][2],
                     wanted->row[k][0], wanted->row[k][1], wanted->row[k][2]);
    ck_assert_msg(wanted->rows == found->rows, "%s, %s: %d rows, not %d", name, what,
                  (int)found->rows, (int)wanted->rows);
    ck_assert_msg(wanted->result.reason == found->result.reason, "%s, %s: %s, not %s", name, what,
                  reason_name(found->result.reason), reason_name(wanted->result.reason));
    ck_assert_msg(memcmp(&wanted->result.curvature, &found->result.curvature, sizeof(double)) ==
                          0 ||
                      (isnan(wanted->result.curvature) && isnan(found->result.curvature)),
                  "%s, %s: p . A p = %a, not %a", name, what, found->result.curvature,
                  wanted->result.curvature);
    while (i < system->A.n && (memcmp(&wanted->x[i], &found->x[i], sizeof(double)) == 0 ||
                               (isnan(wanted->x[i]) && isnan(found->x[i]))))
        i++;
    if (i < system->A.n)
        ck_abort_msg("%s, %s: x[%d] = %a, not %a", name, what, (int)i, found->x[i], wanted->x[i]);
}

static int64_t processors(void)
{
    const char *told = getenv("CGSOLVE_PROCESSORS"); /* of the device, where it has fewer */
    return told ? atoll(told) : 132;
}

static void set_fault(int block, int64_t cycles, int64_t looks)
{
    struct resident_fault fault = {block, cycles, looks};
    CUDA_PART(resident_set_fault)(&fault);
}

START_TEST(every_box)
{
    const struct box *box = &boxes[_i / WAYS];
    const struct way *way = &ways[_i % WAYS];
    struct system system;
    uint64_t seed = test_seed();
    if (!cuda_device_is_there())
        return;
    system_create(box, _i % WAYS, &seed, &system);
    struct solver_options options = options_of(box->most, SOLVER_RESIDENT_AUTO);
    struct solver_options never = options_of(box->most, SOLVER_RESIDENT_NEVER);
    struct found *found = solve_by("cuda_sym_bitwise", &system, &options);
    struct found *apart = solve_by("cuda_sym_bitwise", &system, &never);
    struct found *host = solve_by("cpu_sym_bitwise", &system, &never);
    printf("%s, %s: %d of %d iterations in long launches, %.2f us an iteration; %.2f in others\n",
           box->name, way->name, (int)found->result.resident_iterations,
           (int)found->result.iterations,
           1e6 * found->result.seconds / (double)(found->result.iterations + 1),
           1e6 * apart->result.seconds / (double)(apart->result.iterations + 1));
    expect_same(box->name, "against launches of an iteration", &system, apart, found);
    expect_same(box->name, "against the CPU", &system, host, found);
    ck_assert_int_eq(apart->result.resident_iterations, 0);
    ck_assert_int_eq(host->result.resident_iterations, 0);
    if (16 * box->processors <= way->room * processors())
        ck_assert_msg(found->result.resident_iterations == found->result.iterations,
                      "%s: %d of %d iterations in long launches", box->name,
                      (int)found->result.resident_iterations, (int)found->result.iterations);
    found_free(found);
    found_free(apart);
    found_free(host);
    system_free(&system);
}
END_TEST

/* Many solves in one space: no launch finds words of one before. */
START_TEST(again_and_again)
{
    struct system system;
    struct place place;
    uint64_t seed = test_seed();
    if (!cuda_device_is_there())
        return;
    system_create(&boxes[4], _i % WAYS, &seed, &system);
    struct solver_options options = options_of(300, SOLVER_RESIDENT_AUTO);
    struct solver_options never = options_of(300, SOLVER_RESIDENT_NEVER);
    place_create("cuda_sym_bitwise", &system, &place);
    struct found *wanted = solve_in(&place, &system, &never, 0);
    for (int k = 0; k < 100; k++) {
        struct found *found = solve_in(&place, &system, &options, 0);
        expect_same(boxes[4].name, "again", &system, wanted, found);
        found_free(found);
    }
    found_free(wanted);
    place_free(&place);
    system_free(&system);
}
END_TEST

START_TEST(from_a_start)
{
    struct system system;
    uint64_t seed = test_seed();
    if (!cuda_device_is_there())
        return;
    system_create(&boxes[2], _i % WAYS, &seed, &system);
    system.x0 = malloc((size_t)system.A.n * sizeof *system.x0);
    for (int64_t i = 0; i < system.A.n; i++)
        system.x0[i] = test_random(&seed) - 0.5;
    struct solver_options options = options_of(300, SOLVER_RESIDENT_AUTO);
    struct solver_options never = options_of(300, SOLVER_RESIDENT_NEVER);
    struct found *found = solve_by("cuda_sym_bitwise", &system, &options);
    struct found *host = solve_by("cpu_sym_bitwise", &system, &never);
    expect_same(boxes[2].name, "from x_0", &system, host, found);
    ck_assert_int_gt(found->result.resident_iterations, 0);
    found_free(found);
    found_free(host);
    system_free(&system);
}
END_TEST

/* Every number of iterations, from 0 on, and the limit that each one ends by. */
START_TEST(every_number_of_iterations)
{
    static const struct box box = {"12^3", {12, 12, 12}, 1, POISSON3D_DIRICHLET, 0, 1};
    struct system system;
    struct place place;
    uint64_t seed = test_seed();
    if (!cuda_device_is_there())
        return;
    system_create(&box, _i % WAYS, &seed, &system);
    place_create("cuda_sym_bitwise", &system, &place);
    for (int64_t most = 0; most < 60; most++) {
        struct solver_options options = options_of(most, SOLVER_RESIDENT_AUTO);
        struct solver_options never = options_of(most, SOLVER_RESIDENT_NEVER);
        struct found *found = solve_in(&place, &system, &options, 0);
        struct found *apart = solve_in(&place, &system, &never, 0);
        expect_same(box.name, "with a limit", &system, apart, found);
        ck_assert_int_eq(found->result.resident_iterations, found->result.iterations);
        found_free(found);
        found_free(apart);
    }
    place_free(&place);
    system_free(&system);
}
END_TEST

/* What is not finite, and a b so small that rho becomes 0 or loses its bits. */
START_TEST(numbers_that_end_a_solve)
{
    static const double values[] = {NAN, -NAN, INFINITY, 1e200, 1e-200};
    struct system system;
    uint64_t seed = test_seed();
    if (!cuda_device_is_there())
        return;
    system_create(&boxes[2], _i % WAYS, &seed, &system);
    system.b[test_random_below(&seed, system.A.n)] = values[_i / WAYS];
    struct solver_options options = options_of(300, SOLVER_RESIDENT_AUTO);
    struct solver_options never = options_of(300, SOLVER_RESIDENT_NEVER);
    struct found *found = solve_by("cuda_sym_bitwise", &system, &options);
    struct found *apart = solve_by("cuda_sym_bitwise", &system, &never);
    expect_same(boxes[2].name, "with such a number in b", &system, apart, found);
    found_free(found);
    found_free(apart);
    system_free(&system);
}
END_TEST

/* An indefinite A: cg ends by p . A p <= 0, in a launch that goes on. */
START_TEST(indefinite)
{
    struct error error;
    struct system system = {.name = "indefinite", .way = &ways[_i]};
    struct poisson3d poisson = {.n = {30, 30, 30}, .weights = {1, 1, 1}, .jump = 1, .shift = -1};
    uint64_t seed = test_seed();
    if (!cuda_device_is_there())
        return;
    expect_ok(poisson3d_create(&poisson, &system.A, &error), &error);
    system.b = malloc((size_t)system.A.n * sizeof *system.b);
    for (int64_t i = 0; i < system.A.n; i++)
        system.b[i] = test_random(&seed);
    struct solver_options options = options_of(300, SOLVER_RESIDENT_AUTO);
    struct solver_options never = options_of(300, SOLVER_RESIDENT_NEVER);
    struct found *found = solve_by("cuda_sym_bitwise", &system, &options);
    struct found *host = solve_by("cpu_sym_bitwise", &system, &never);
    expect_same(system.name, "against the CPU", &system, host, found);
    ck_assert_int_gt(found->result.resident_iterations, 0);
    ck_assert((found->result.reason == REASON_NOT_POSITIVE) == (ways[_i].method == &method_cg));
    found_free(found);
    found_free(host);
    system_free(&system);
}
END_TEST

/* One solve in portions, each of them saved by one solver and loaded by the next one, which goes
 * the other way. */
START_TEST(saved_and_loaded_by_both_ways)
{
    static const int64_t portions[] = {2, 3, 7, 64, 1, 33, 300, 4, 300};
    struct error error;
    struct system system;
    struct place place;
    uint64_t seed = test_seed();
    if (!cuda_device_is_there())
        return;
    system_create(&boxes[3], _i / 2, &seed, &system);
    place_create("cuda_sym_bitwise", &system, &place);
    struct solver_options by[] = {options_of(300, SOLVER_RESIDENT_AUTO),
                                  options_of(300, SOLVER_RESIDENT_NEVER)};
    by[0] = options_in(&by[0], &place);
    by[1] = options_in(&by[1], &place);
    struct found *wanted = solve_in(&place, &system, &by[1], 0), *found = found_create(&system);
    struct observer observer = observer_of(found), none = {0};
    struct memory_archive memory = {0};
    bool ended = false;
    int portion = 0;
    for (int way = _i % 2; portion == 0 || !ended; way = !way, portion++) {
        struct solver *solver;
        /* the first solver alone shows row 0 */
        struct archive loads = memory_archive_loads(&memory);
        expect_ok(solver_begin(&place.spmv, &system.A, system.b, NULL, &by[way], &observer, &solver,
                               &error),
                  &error);
        if (portion > 0)
            expect_ok(solver_load(solver, &system.A, system.b, &loads, &error), &error);
        expect_ok(solver_advance(solver, portions[portion % 9], &ended, &error), &error);
        struct archive saves = memory_archive_saves(&memory);
        expect_ok(solver_save(solver, &system.A, system.b, &saves, &error), &error);
        if (ended) { /* which the other way ends */
            struct solver *last;
            solver_free(solver);
            loads = memory_archive_loads(&memory);
            expect_ok(solver_begin(&place.spmv, &system.A, system.b, NULL, &by[!way], &none, &last,
                                   &error),
                      &error);
            expect_ok(solver_load(last, &system.A, system.b, &loads, &error), &error);
            expect_ok(solver_end(last, &system.A, system.b, found->x, &found->result, &error),
                      &error);
            solver = last;
        }
        solver_free(solver);
    }
    expect_same(boxes[3].name, "saved and loaded", &system, wanted, found);
    memory_archive_free(&memory);
    found_free(wanted);
    found_free(found);
    place_free(&place);
    system_free(&system);
}
END_TEST

/* Vectors are shown on the way, so launches end there; odd and even iterations. */
START_TEST(vectors_on_the_way)
{
    struct system system;
    struct place place;
    uint64_t seed = test_seed();
    if (!cuda_device_is_there())
        return;
    system_create(&boxes[0], _i % WAYS, &seed, &system);
    place_create("cuda_sym_bitwise", &system, &place);
    struct found *by[2];
    for (int way = 0; way < 2; way++) {
        struct error error;
        struct solver_options options =
            options_of(300, way == 0 ? SOLVER_RESIDENT_AUTO : SOLVER_RESIDENT_NEVER);
        options = options_in(&options, &place);
        by[way] = found_create(&system);
        by[way]->look = malloc(LOOKS * LOOK_N * sizeof(double));
        struct observer observer = observer_of(by[way]);
        observer.wants |= 1u << EVENT_VECTOR;
        observer.trace = (struct trace_wish){5, options.method->vectors};
        expect_ok(solver_solve(&place.spmv, &system.A, system.b, NULL, &options, &observer,
                               by[way]->x, &by[way]->result, &error),
                  &error);
    }
    expect_same(boxes[0].name, "with vectors shown", &system, by[1], by[0]);
    ck_assert_int_gt(by[0]->result.resident_iterations, 0);
    ck_assert_int_eq(by[0]->looks, by[1]->looks);
    ck_assert_mem_eq(by[0]->look, by[1]->look, (size_t)by[0]->looks * LOOK_N * sizeof(double));
    found_free(by[0]);
    found_free(by[1]);
    place_free(&place);
    system_free(&system);
}
END_TEST

/* The solve ends behind the launches that are on their way. */
START_TEST(the_observer_ends_the_solve)
{
    struct system system;
    struct place place;
    uint64_t seed = test_seed();
    if (!cuda_device_is_there())
        return;
    /* a line takes as many iterations as it has points, and some launches are on their way when row
     * 20 is seen */
    static const struct box line = {"5000", {5000, 1, 1}, 1, POISSON3D_DIRICHLET, 0, 1};
    system_create(&line, _i % WAYS, &seed, &system);
    place_create("cuda_sym_bitwise", &system, &place);
    struct solver_options options = options_of(20 + 4 * RESIDENT_ITERATIONS, SOLVER_RESIDENT_AUTO);
    struct found *found = solve_in(&place, &system, &options, 20);
    /* as many iterations as were on their way */
    struct solver_options never = options_of(found->result.iterations, SOLVER_RESIDENT_NEVER);
    struct found *apart = solve_in(&place, &system, &never, 0);
    ck_assert_int_eq(found->result.reason, REASON_INTERRUPTED);
    ck_assert_int_lt(found->result.iterations, 20 + 3 * RESIDENT_ITERATIONS);
    ck_assert_mem_eq(found->row, apart->row, (size_t)found->rows * sizeof *found->row);
    ck_assert_mem_eq(found->x, apart->x, (size_t)system.A.n * sizeof *found->x);
    found_free(found);
    found_free(apart);
    place_free(&place);
    system_free(&system);
}
END_TEST

/* A block that does not come: the launch is lost, and others go on from where it began. One that is
 * late, by less than the others wait and by more. */
START_TEST(a_block_is_missing_or_late)
{
    static const struct {
        const char *name;
        int block;
        int64_t cycles, looks;
        bool lost;
    } faults[] = {{"missing", 3, -1, 1 << 12, true},
                  {"the first one is missing", 0, -1, 1 << 12, true},
                  {"late", 5, 200000, 0, false},
                  {"the first one is late", 0, 200000, 0, false},
                  {"too late", 7, 200000000, 1 << 12, true}};
    struct system system;
    struct place place;
    uint64_t seed = test_seed();
    if (!cuda_device_is_there())
        return;
    system_create(&boxes[3], _i % WAYS, &seed, &system);
    place_create("cuda_sym_bitwise", &system, &place);
    struct solver_options options = options_of(300, SOLVER_RESIDENT_AUTO);
    struct solver_options never = options_of(300, SOLVER_RESIDENT_NEVER);
    struct found *apart = solve_in(&place, &system, &never, 0);
    set_fault(faults[_i / WAYS].block, faults[_i / WAYS].cycles, faults[_i / WAYS].looks);
    struct found *found = solve_in(&place, &system, &options, 0);
    set_fault(-1, 0, 0);
    struct found *healthy = solve_in(&place, &system, &options, 0);
    expect_same(faults[_i / WAYS].name, "of a solve", &system, apart, found);
    expect_same(faults[_i / WAYS].name, "of the next solve", &system, apart, healthy);
    ck_assert_msg((found->result.resident_iterations == 0) == faults[_i / WAYS].lost,
                  "%s: %d iterations in long launches", faults[_i / WAYS].name,
                  (int)found->result.resident_iterations);
    ck_assert_int_gt(healthy->result.resident_iterations, 0);
    found_free(found);
    found_free(healthy);
    found_free(apart);
    place_free(&place);
    system_free(&system);
}
END_TEST

/* A block is missing in the middle of a solve. */
START_TEST(lost_in_the_middle)
{
    struct error error;
    struct system system;
    struct place place;
    uint64_t seed = test_seed();
    bool ended;
    if (!cuda_device_is_there())
        return;
    system_create(&boxes[3], _i % WAYS, &seed, &system);
    place_create("cuda_sym_bitwise", &system, &place);
    struct solver_options options = options_of(300, SOLVER_RESIDENT_AUTO);
    struct solver_options never = options_of(300, SOLVER_RESIDENT_NEVER);
    options = options_in(&options, &place);
    struct found *apart = solve_in(&place, &system, &never, 0), *found = found_create(&system);
    struct observer observer = observer_of(found);
    struct solver *solver;
    expect_ok(
        solver_begin(&place.spmv, &system.A, system.b, NULL, &options, &observer, &solver, &error),
        &error);
    int64_t first = 2 + test_random_below(&seed, 40);
    expect_ok(solver_advance(solver, first, &ended, &error), &error);
    set_fault(2, -1, 1 << 12);
    expect_ok(solver_advance(solver, 1 + test_random_below(&seed, 30), &ended, &error), &error);
    expect_ok(solver_advance(solver, INT64_MAX, &ended, &error), &error);
    set_fault(-1, 0, 0);
    ck_assert(ended);
    expect_ok(solver_end(solver, &system.A, system.b, found->x, &found->result, &error), &error);
    solver_free(solver);
    expect_same("48^3", "lost in the middle", &system, apart, found);
    ck_assert_int_eq(found->result.resident_iterations, first / 2 * 2);
    found_free(found);
    found_free(apart);
    place_free(&place);
    system_free(&system);
}
END_TEST

static bool stops;

/* Solves on the same device until it is told to stop. */
static void *keep_busy(void *given)
{
    const struct system *system = given;
    struct solver_options never = options_of(200, SOLVER_RESIDENT_NEVER);
    struct place place;
    place_create("cuda_sym_bitwise", system, &place);
    while (!__atomic_load_n(&stops, __ATOMIC_RELAXED))
        found_free(solve_in(&place, system, &never, 0));
    place_free(&place);
    return NULL;
}

START_TEST(a_busy_device)
{
    static const struct box large = {"128^3", {128, 128, 128}, 1, POISSON3D_DIRICHLET, 0, 0};
    struct system system, other;
    struct place place;
    pthread_t thread;
    uint64_t seed = test_seed();
    if (!cuda_device_is_there())
        return;
    system_create(&boxes[4], _i % WAYS, &seed, &system);
    system_create(&large, 0, &seed, &other);
    place_create("cuda_sym_bitwise", &system, &place);
    struct solver_options options = options_of(300, SOLVER_RESIDENT_AUTO);
    struct solver_options never = options_of(300, SOLVER_RESIDENT_NEVER);
    struct found *apart = solve_in(&place, &system, &never, 0);
    int64_t within = 0, all = 0;
    stops = false;
    ck_assert_int_eq(pthread_create(&thread, NULL, keep_busy, &other), 0);
    for (int k = 0; k < 20; k++) {
        struct found *found = solve_in(&place, &system, &options, 0);
        expect_same("64^3", "on a busy device", &system, apart, found);
        within += found->result.resident_iterations;
        all += found->result.iterations;
        found_free(found);
    }
    __atomic_store_n(&stops, true, __ATOMIC_RELAXED);
    pthread_join(thread, NULL);
    printf("busy: %d of %d iterations in long launches\n", (int)within, (int)all);
    found_free(apart);
    place_free(&place);
    system_free(&system);
    system_free(&other);
}
END_TEST

Suite *suite(void)
{
    Suite *made = suite_create("solver/resident_cuda");
    TCase *tests = tcase_of("all");
    /* each by all ways, in turn */
    tcase_add_loop_test(tests, every_box, 0, WAYS * BOXES);
    tcase_add_loop_test(tests, again_and_again, 0, WAYS);
    tcase_add_loop_test(tests, from_a_start, 0, WAYS);
    tcase_add_loop_test(tests, every_number_of_iterations, 0, WAYS);
    tcase_add_loop_test(tests, numbers_that_end_a_solve, 0, WAYS * 5);
    tcase_add_loop_test(tests, indefinite, 0, WAYS);
    tcase_add_loop_test(tests, saved_and_loaded_by_both_ways, 0, WAYS * 2);
    tcase_add_loop_test(tests, vectors_on_the_way, 0, WAYS);
    tcase_add_loop_test(tests, the_observer_ends_the_solve, 0, WAYS);
    tcase_add_loop_test(tests, a_block_is_missing_or_late, 0, WAYS * 5);
    tcase_add_loop_test(tests, lost_in_the_middle, 0, WAYS);
    tcase_add_loop_test(tests, a_busy_device, 0, WAYS);
    suite_add_tcase(made, tests);
    return made;
}
