/* What a solve does not go on from: another's state, half of one, one that was damaged; and what
 * fails on the way. */
#include "support.h"

#include "solver/cg/cg.h"
#include "solver/lanczos/lanczos.h"
#include "solver/minres/minres.h"
#include "solver/states.h"

#include <string.h>

static const struct way ways[] = {
    {"cg", &method_cg, .kernel = "cpu_csr", .traces = true},
    {"cg, jacobi", &method_cg, .kernel = "directing", .makes_direction = true,
     .preconditioner = "jacobi"},
    {"minres", &method_minres, .kernel = "cpu_csr"},
    {"skew", &method_skew, .kernel = "cpu_csr"},
    {"lanczos, full", &method_lanczos, .kernel = "cpu_csr", .restart = 9,
     .reorthogonalization = REORTHOGONALIZATION_FULL},
    {"lanczos, selective", &method_lanczos, .kernel = "cpu_csr", .restart = 9,
     .reorthogonalization = REORTHOGONALIZATION_SELECTIVE},
    {"lanczos, renewed", &method_lanczos, .kernel = "cpu_csr", .given = GIVEN_FEW, .restart = 30,
     .reorthogonalization = REORTHOGONALIZATION_SELECTIVE},
};
enum { WAYS = sizeof ways / sizeof *ways };

/* Behind a restart there is something in every piece; and behind a vector that vanished. */
enum { SAVED_AT = 26, RENEWED_AT = 8 };

static struct setting setting;
static struct shown whole, other;
static struct memory_archive saved;

static void save_some(struct setting *of, int64_t iterations)
{
    shown_clear(of, &other);
    struct solver *solver = setting_begin(of, &other);
    shown_advance(solver, iterations);
    shown_save(of, solver, &saved);
    solver_free(solver);
}

/* A solve that begins anew loads what was saved. */
static enum status try_load(struct setting *in, struct solver **solver, struct error *error)
{
    struct archive archive = memory_archive_loads(&saved);
    shown_clear(in, &other);
    *solver = setting_begin(in, &other);
    return solver_load(*solver, &in->A, in->b, &archive, error);
}

static int64_t saved_at(const struct way *way)
{
    return way->given == GIVEN_FEW ? RENEWED_AT : SAVED_AT;
}

static void begin_refused(const struct way *way)
{
    setting_create(way, &setting);
    setting.options.time_split = true;
    save_some(&setting, saved_at(way));
}

static void end_refused(void)
{
    memory_archive_free(&saved);
    setting_free(&setting);
    ck_assert_int_eq(memory_live(), 0);
}

/* --- another solve ---------------------------------------------------------------------------- */

static const struct {
    struct way saved, loads;
    const char *says;
} pairs[] = {
    {{"", &method_cg, .kernel = "cpu_csr"},
     {"", &method_minres, .kernel = "cpu_csr"},
     "the saved solve has the method \"cg\", and this one \"minres\""},
    {{"", &method_cg, .kernel = "cpu_csr"},
     {"", &method_cg, .kernel = "cpu_csr", .preconditioner = "jacobi"},
     "the preconditioner \"none\", and this one \"jacobi\""},
    {{"", &method_cg, .kernel = "cpu_csr", .preconditioner = "jacobi"},
     {"", &method_cg, .kernel = "cpu_csr", .preconditioner = "chebyshev"},
     "the preconditioner \"jacobi\", and this one \"chebyshev\""},
    {{"", &method_cg, .kernel = "cpu_csr"},
     {"", &method_cg, .kernel = "cpu_csr", .given = GIVEN_INDEFINITE},
     "the saved solve has another A"},
    {{"", &method_lanczos, .kernel = "cpu_csr"},
     {"", &method_lanczos, .kernel = "cpu_csr", .given = GIVEN_INDEFINITE},
     "the saved solve has another A"},
    {{"", &method_cg, .kernel = "cpu_csr"},
     {"", &method_cg, .kernel = "directing", .makes_direction = true},
     "a kernel that makes p = 0, and this one 1"},
    {{"", &method_cg, .kernel = "directing", .makes_direction = true},
     {"", &method_cg, .kernel = "cpu_csr"},
     "a kernel that makes p = 1, and this one 0"},
    {{"", &method_lanczos, .kernel = "cpu_csr", .restart = 9},
     {"", &method_lanczos, .kernel = "cpu_csr", .restart = 10},
     "eigen.restart = 9, and this one 10"},
    {{"", &method_lanczos, .kernel = "cpu_csr", .restart = 9},
     {"", &method_lanczos, .kernel = "cpu_csr", .restart = 9,
      .reorthogonalization = REORTHOGONALIZATION_FULL},
     "reorthogonalization = 0, and this one 2"},
};

START_TEST(another_solve)
{
    struct error error;
    struct solver *solver;
    setting_create(&pairs[_i].saved, &setting);
    save_some(&setting, 5);
    setting_free(&setting);
    setting_create(&pairs[_i].loads, &setting);
    expect_error(try_load(&setting, &solver, &error), STATUS_INPUT, &error, pairs[_i].says, NULL);
    solver_free(solver);
    end_refused();
}
END_TEST

/* One piece of the archive, as long as a number of this kind, is another. */
static void put(const char *name, const void *value, int64_t bytes)
{
    struct memory_piece *piece = &saved.pieces[memory_archive_find(&saved, name)];
    ck_assert_int_eq(piece->bytes, bytes);
    memcpy(piece->data, value, (size_t)bytes);
}

START_TEST(another_size_shift_or_version)
{
    struct error error;
    struct solver *solver;
    int64_t size = STATES_N + 1, version = 2;
    begin_refused(&ways[3]);
    setting.options.shift = 0.2;
    expect_error(try_load(&setting, &solver, &error), STATUS_INPUT, &error,
                 "shift = 0.1, and this one 0.2", NULL);
    solver_free(solver);
    put("n", &size, sizeof size);
    expect_error(try_load(&setting, &solver, &error), STATUS_INPUT, &error,
                 "n = 126, and this one 125", NULL);
    solver_free(solver);
    put("version", &version, sizeof version);
    expect_error(try_load(&setting, &solver, &error), STATUS_INPUT, &error, "version = 2", NULL);
    solver_free(solver);
    end_refused();
}
END_TEST

/* Eigenvalues are found from any start. */
START_TEST(another_b)
{
    struct error error;
    struct solver *solver;
    begin_refused(&ways[_i]);
    bool matters = setting.way->method != &method_lanczos;
    setting.b[STATES_N - 1] += 1;
    enum status status = try_load(&setting, &solver, &error);
    if (matters)
        expect_error(status, STATUS_INPUT, &error, "the saved solve has another b", NULL);
    else
        expect_ok(status, &error);
    solver_free(solver);
    end_refused();
}
END_TEST

/* --- half of one, and one that was damaged ---------------------------------------------------- */

START_TEST(truncated)
{
    struct error error;
    struct solver *solver;
    begin_refused(&ways[_i]);
    int64_t count = saved.count;
    for (saved.count = 0; saved.count < count; saved.count++) {
        expect_error(try_load(&setting, &solver, &error), STATUS_INPUT, &error,
                     "the archive has no ", NULL);
        solver_free(solver);
    }
    end_refused();
}
END_TEST

/* Whatever the archive holds, it is refused, or a solve goes on to some end, and is saved. Nothing
 * is read or written outside, and no number is carried beyond its range, as sanitizers see. */
static void load_damaged(bool *goes_on)
{
    struct error error;
    struct solver *solver;
    struct memory_archive again = {0};
    struct archive archive = memory_archive_saves(&again);
    bool ended;
    enum status status = try_load(&setting, &solver, &error);
    *goes_on = !status;
    other.rows = other.looks = 0;
    if (!status)
        status = solver_advance(solver, 3, &ended, &error);
    if (!status)
        status = solver_save(solver, &setting.A, setting.b, &archive, &error);
    if (!status)
        status = solver_advance(solver, INT64_MAX, &ended, &error);
    if (!status)
        status = solver_end(solver, &setting.A, setting.b, other.x, &other.result, &error);
    if (!status)
        solver_result_free(&other.result);
    ck_assert_msg(!status || status == STATUS_INPUT, "%s", error.text);
    solver_free(solver);
    memory_archive_free(&again);
}

/* Rows of any number, and no more than the solve may make from where it is said to be. */
static enum status see_any(void *context, const struct event *event, struct error *error)
{
    (void)event, (void)error;
    struct shown *shown = context;
    ck_assert_int_le(++shown->rows, 8 * STATES_MOST);
    return STATUS_OK;
}

START_TEST(random_bytes)
{
    uint64_t state = test_seed();
    int64_t refused = 0;
    begin_refused(&ways[_i]);
    setting.observer.see = see_any;
    setting.options.max_iterations = 60;
    for (int64_t p = 0; p < saved.count; p++)
        for (int round = 0; round < 3; round++) {
            struct memory_piece *piece = &saved.pieces[p];
            unsigned char *good = memory_array(piece->bytes, 1, "a piece", NULL);
            bool goes_on;
            memcpy(good, piece->data, (size_t)piece->bytes);
            for (int64_t k = 0; k < piece->bytes; k++)
                piece->data[k] = (unsigned char)test_random_below(&state, 256);
            load_damaged(&goes_on);
            refused += !goes_on;
            memcpy(piece->data, good, (size_t)piece->bytes);
            memory_free(good);
        }
    ck_assert_int_gt(refused, 0);
    end_refused();
}
END_TEST

/* Every piece of one word, as a number that is near, or at the end of its range. */
START_TEST(other_words)
{
    static const int64_t words[] = {INT64_MIN, -1,  0,   1,         2,         3,
                                    9,         100, 999, INT32_MAX, INT64_MAX, INT64_MAX - 1};
    enum { WORDS = sizeof words / sizeof *words };
    begin_refused(&ways[_i]);
    setting.observer.see = see_any;
    setting.options.max_iterations = 60;
    for (int64_t p = 0; p < saved.count; p++)
        for (int w = 0; w < WORDS + 2 && saved.pieces[p].bytes == sizeof *words; w++) {
            int64_t good, bad;
            bool goes_on;
            memcpy(&good, saved.pieces[p].data, sizeof good);
            bad = w < WORDS ? words[w] : (int64_t)((uint64_t)good + (w == WORDS ? 1 : UINT64_MAX));
            memcpy(saved.pieces[p].data, &bad, sizeof bad);
            load_damaged(&goes_on);
            memcpy(saved.pieces[p].data, &good, sizeof good);
        }
    end_refused();
}
END_TEST

/* Counts that no solve has are named. */
START_TEST(counts_that_cannot_be)
{
    static const struct {
        int way;
        const char *name;
        int64_t value;
    } bad[] = {{0, "ended", 2},
               {0, "reason", REASON_INTERRUPTED + 1},
               {0, "iterations", -1},
               {0, "iterations", INT64_MAX},
               {0, "stagnant", -1},
               {0, "coefficients", -1},
               {0, "coefficients", SAVED_AT + 1},
               {0, "lost", 2},
               {4, "size", 10},
               {4, "kept", 10},
               {4, "good", 1}, /* without selective reorthogonalization */
               {4, "known", 10},
               {4, "restarts", SAVED_AT + 1},
               {4, "renewed", -1},
               {4, "vectors", 9 * SAVED_AT + 1},
               {5, "good", 10},
               {5, "goes on", -1}};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        struct error error;
        struct solver *solver;
        begin_refused(&ways[bad[k].way]);
        put(bad[k].name, &bad[k].value, sizeof bad[k].value);
        expect_error(try_load(&setting, &solver, &error), STATUS_INPUT, &error,
                     "the saved solve has ", bad[k].name, "must be from 0 to ", NULL);
        solver_free(solver);
        end_refused();
    }
}
END_TEST

/* A full basis goes on by a restart. */
START_TEST(a_basis_without_room)
{
    struct error error;
    struct solver *solver;
    int64_t nothing = 0;
    setting_create(&ways[4], &setting);
    save_some(&setting, 9);
    put("goes on", &nothing, sizeof nothing);
    expect_error(try_load(&setting, &solver, &error), STATUS_INPUT, &error,
                 "the saved solve has a basis that it cannot have", NULL);
    solver_free(solver);
    end_refused();
}
END_TEST

/* --- what fails ------------------------------------------------------------------------------- */

static struct solver *standing;

static enum status attempt_save(void *context, struct error *error)
{
    (void)context;
    struct memory_archive memory = {0};
    struct archive archive = memory_archive_saves(&memory);
    enum status status = solver_save(standing, &setting.A, setting.b, &archive, error);
    memory_archive_free(&memory);
    return status;
}

static enum status attempt_load(void *context, struct error *error)
{
    (void)context;
    struct archive archive = memory_archive_loads(&saved);
    struct solver *solver;
    enum status status = solver_begin(&setting.spmv, &setting.A, setting.b, NULL, &setting.options,
                                      &setting.observer, &solver, error);
    if (!status)
        status = solver_load(solver, &setting.A, setting.b, &archive, error);
    solver_free(solver);
    return status;
}

START_TEST(failing_allocations)
{
    begin_refused(&ways[_i]);
    walk_allocation_failures(attempt_load, NULL);
    shown_whole(&setting, &whole);
    shown_clear(&setting, &other);
    standing = setting_begin(&setting, &other);
    shown_advance(standing, SAVED_AT);
    walk_allocation_failures(attempt_save, NULL);
    ck_assert(shown_advance(standing, INT64_MAX)); /* as if nothing had been */
    shown_end(&setting, standing, &other);
    expect_same_shown(&whole, &other, true);
    solver_result_free(&whole.result);
    solver_result_free(&other.result);
    end_refused();
}
END_TEST

/* At every piece. */
START_TEST(failing_archives)
{
    struct error error;
    struct solver *solver;
    begin_refused(&ways[_i]);
    int64_t count = saved.count;
    saved.fails = true;
    for (saved.fail_at = 0; saved.fail_at < count; saved.fail_at++) {
        expect_error(try_load(&setting, &solver, &error), STATUS_OUTPUT, &error, "the disk is full",
                     NULL);
        solver_free(solver);
    }
    shown_whole(&setting, &whole);
    shown_clear(&setting, &other);
    solver = setting_begin(&setting, &other);
    shown_advance(solver, saved_at(&ways[_i]));
    for (saved.fail_at = 0; saved.fail_at < count; saved.fail_at++) {
        struct archive archive = memory_archive_saves(&saved);
        expect_error(solver_save(solver, &setting.A, setting.b, &archive, &error), STATUS_OUTPUT,
                     &error, "the disk is full", NULL);
    }
    ck_assert(shown_advance(solver, INT64_MAX));
    shown_end(&setting, solver, &other);
    expect_same_shown(&whole, &other, true);
    solver_result_free(&whole.result);
    solver_result_free(&other.result);
    end_refused();
}
END_TEST

Suite *suite(void)
{
    Suite *made = suite_create("solver/save_load_refused");
    TCase *tests = tcase_of("all");
    tcase_add_loop_test(tests, another_solve, 0, sizeof pairs / sizeof *pairs);
    tcase_add_test(tests, another_size_shift_or_version);
    tcase_add_loop_test(tests, another_b, 0, WAYS);
    tcase_add_loop_test(tests, truncated, 0, WAYS);
    tcase_add_loop_test(tests, random_bytes, 0, WAYS);
    tcase_add_loop_test(tests, other_words, 0, WAYS);
    tcase_add_test(tests, counts_that_cannot_be);
    tcase_add_test(tests, a_basis_without_room);
    tcase_add_loop_test(tests, failing_allocations, 0, WAYS);
    tcase_add_loop_test(tests, failing_archives, 0, WAYS);
    suite_add_tcase(made, tests);
    return made;
}
