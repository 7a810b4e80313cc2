/* Products over ranks that are threads, with what kernels take and make within them: the bits of
 * one rank, however far rows reach. */
#include "csr_check.h"
#include "support.h"

#include "base/random.h"
#include "options.h"
#include "ranks.h"
#include "solver/solve.h"
#include "space/ranks/ranks.h"
#include "spmv/kernel.h"

#include <math.h>
#include <string.h>

enum { N = 5062, OUTCOMES = 5, DIRECTIONS = 3, SCALARS = 4 };

/* --- the forms of a matrix -------------------------------------------------------------------- */

struct form {
    const char *kernel, *form, *compress, *precision;
    const char *description; /* which the form of a rank begins with */
    enum reductions reductions;
    bool fuses;
};

static const struct form forms[] = {
    {"cpu_csr", .fuses = true},
    {"cpu_csr", .precision = "precision=float", .fuses = true},
    {"cpu_csr", .reductions = REDUCTIONS_COMPENSATED},
    {"cpu_sym", .fuses = false},
    {"cpu_sym_exact", .fuses = true},
    {"cpu_sym_exact", .reductions = REDUCTIONS_EXACT},
    {"cpu_sym_bitwise", "form=diagonals", "compress=never", .description = "diagonals",
     .fuses = true},
    {"cpu_sym_bitwise", "form=diagonals", "compress=auto", .description = "diagonals",
     .fuses = true},
    {"cpu_sym_bitwise", "form=blocks", "compress=never", .description = "2 x 2 blocks",
     .fuses = true},
    {"cpu_sym_bitwise", "form=blocks", "compress=auto", "precision=float",
     .description = "2 x 2 blocks", .fuses = true},
    {"cpu_sym_bitwise", "form=general", "compress=never", .description = "rows", .fuses = true},
    {"cpu_sym_bitwise", "form=general", "compress=auto", "precision=float_double",
     .description = "rows", .fuses = true},
    {"cpu_sym_bitwise", "form=diagonals", "compress=never", .description = "diagonals",
     .reductions = REDUCTIONS_EXACT},
};
enum { FORMS = sizeof forms / sizeof *forms };

/* Blocks of 2 x 2 on few diagonals, of few values. */
static void blocks(int far, struct csr *A)
{
    struct error error;
    const int steps[] = {0, 1, far};
    int64_t at = 0;
    expect_ok(csr_create(A, CSR_SYMMETRIC, N, 6 * N, &error), &error);
    for (int32_t i = 0; i < N; i++) {
        A->offsets[i] = at;
        for (int s = 0; s < 3; s++)
            for (int32_t j = (i / 2 + steps[s]) * 2; j < (i / 2 + steps[s]) * 2 + 2 && j < N; j++)
                if (j >= i) {
                    A->columns[at] = j;
                    A->values[at++] = i == j ? 5 : 1.0 / (3 + (i + j) % 7);
                }
    }
    A->offsets[N] = A->nnz = at;
    expect_ok(csr_check(A, &error), &error);
}

/* Row 0 reaches all rows: with those of other ranks, and empty ones, the first rank has more rows
 * than A. */
static void arrow(struct csr *A)
{
    struct error error;
    expect_ok(csr_create(A, CSR_SYMMETRIC, N, 2 * N - 1, &error), &error);
    for (int32_t i = 0; i < N; i++) {
        A->columns[i] = i;
        A->values[i] = i == 0 ? 5 : 1.0 / i;
        A->offsets[i] = i == 0 ? 0 : N + i - 1;
        if (i > 0) {
            A->columns[N + i - 1] = i;
            A->values[N + i - 1] = 3;
        }
    }
    A->offsets[N] = A->nnz;
    expect_ok(csr_check(A, &error), &error);
}

/* --- a kernel that counts, and can less in some ranks ----------------------------------------- */

static _Thread_local bool goes_without;
static _Atomic int64_t dots_taken;

static enum status apply(void *state, const struct operands *operands, struct error *error)
{
    dots_taken += operands->dot != NULL;
    return operator_apply_to(state, operands, error);
}

static void destroy(void *state)
{
    if (state)
        operator_destroy(state);
    memory_free(state);
}

static const struct operator_table table = {.apply = apply, .destroy = destroy};

static enum status setup(const struct csr *A, const struct kernel_options *options,
                         struct linear_operator *made, struct error *error)
{
    (void)options;
    made->state = memory_zeros(1, sizeof(struct linear_operator), "the real one", error);
    made->table = &table;
    made->can = goes_without ? 0 : OPERATOR_DOT | OPERATOR_DIRECTION;
    return made->state ? operator_create(&directing, A, NULL, made->space, made->state, error)
                       : STATUS_MEMORY;
}

static const struct kernel counting = {.component = KERNEL_COMPONENT("counting", "", NULL),
                                       .space = SPACE_CPU,
                                       .kinds = CSR_SYMMETRIC,
                                       .setup = setup};

/* --- what a rank does ------------------------------------------------------------------------- */

struct trial {
    const struct kernel *kernel;
    const struct kernel_options *options;
    enum reductions reductions;
    const struct csr *A;
    const struct csr *farther; /* of which a second operator is made; NULL: none */
    bool farther_vectors;      /* which then gets the vectors of the first one */
    int without;               /* the rank without slots; -1: none */
    double v[4][N];
};

struct found {
    struct exchange *exchange; /* first; NULL: alone */
    const struct trial *trial;
    struct error error;
    enum status status;
    bool fuses, directs;
    char description[OPERATOR_DESCRIPTION];
    double vectors[OUTCOMES + 3 * DIRECTIONS][N], dots[OUTCOMES + DIRECTIONS];
};

static enum status vector(struct space *space, int64_t count, const double *from, double **v,
                          struct error *error)
{
    enum status status = space_vector(space, count * N, "a vector", v, error);
    for (int64_t k = 0; k < count && !status; k++)
        status = space_upload(space, N, from + k * N, *v + k * N, error);
    return status;
}

/* A vector of its own, and neighbours: a product with one leaves the others as they are. */
static enum status multiply(struct found *found, struct linear_operator *A, double *dot)
{
    const struct trial *trial = found->trial;
    struct space *space = A->space;
    struct error *error = &found->error;
    double *x = NULL, *y = NULL, *several = NULL;
    enum status status = vector(space, 1, trial->v[0], &x, error);
    if (!status)
        status = vector(space, 1, trial->v[3], &y, error);
    if (!status)
        status = vector(space, 3, trial->v[0], &several, error);
    const struct {
        const double *x;
        double *y;
        const double *shown[2];
    } products[] = {{x, y, {x, y}},
                    {several, several + 2 * N, {several + N, several + 2 * N}},
                    {y, several, {several}}};
    int vectors = 0;
    for (int k = 0; k < 3 && !status; k++) {
        status = operator_apply_dot(A, products[k].x, products[k].y, dot, error);
        if (!status)
            status = space_download(space, 1, dot, &found->dots[k], error);
        for (int j = 0; j < 2 && products[k].shown[j] && !status; j++)
            status =
                space_download(space, N, products[k].shown[j], found->vectors[vectors++], error);
    }
    space_release(space, x);
    space_release(space, y);
    space_release(space, several);
    return status;
}

/* Behind a product with p, which leaves p of other ranks' rows there; of r none are there. */
static enum status direct(struct found *found, struct linear_operator *A,
                          struct linear_operator *farther, double *scalars)
{
    const struct trial *trial = found->trial;
    struct space *space = A->space;
    struct error *error = &found->error;
    double *v[5] = {NULL}; /* r, p, next, x, y */
    enum status status = STATUS_OK;
    for (int k = 0; k < 5 && !status; k++)
        status = vector(space, 1, trial->v[k % 4], &v[k], error);
    if (trial->farther && !status)
        status = operator_create(trial->kernel, trial->farther, NULL, space, farther, error);
    if (!status)
        status = operator_apply(A, v[1], v[4], error);
    if (trial->farther_vectors)
        A = farther;
    for (int k = 0; k < DIRECTIONS && !status; k++) {
        struct direction direction = {.r = v[0],
                                      .p = v[1 + k % 2],
                                      .next = v[2 - k % 2],
                                      .beta = scalars + 1,
                                      .x = k % 2 == 1 ? v[3] : NULL,
                                      .alpha_before = scalars + 2,
                                      .alpha = scalars + 3};
        double **made[] = {&v[2 - k % 2], &v[3], &v[4]};
        status = operator_apply_to(
            A, &(struct operands){.y = v[4], .dot = scalars, .direction = &direction}, error);
        if (!status)
            status = space_download(space, 1, scalars, &found->dots[OUTCOMES + k], error);
        for (int j = 0; j < 3 && !status; j++)
            status =
                space_download(space, N, *made[j], found->vectors[OUTCOMES + 3 * k + j], error);
    }
    for (int k = 0; k < 5; k++)
        space_release(space, v[k]);
    return status;
}

static void *run(void *context)
{
    struct found *found = context;
    const struct trial *trial = found->trial;
    struct exchange *exchange = found->exchange;
    struct error *error = &found->error;
    struct space *space = NULL;
    struct linear_operator A = {0}, farther = {0};
    struct space_options options = {.reductions = trial->reductions,
                                    .threads = 1 + (exchange ? exchange->rank % 3 : 1),
                                    .exchange = exchange,
                                    .rows = N};
    double *scalars = NULL;
    goes_without = exchange && exchange->rank == trial->without;
    enum status status = space_create(SPACE_CPU, &options, &space, error);
    if (!status)
        status = operator_create(trial->kernel, trial->A, trial->options, space, &A, error);
    if (!status) {
        found->fuses = A.can & OPERATOR_DOT;
        found->directs = A.can & OPERATOR_DIRECTION;
        memcpy(found->description, A.description, sizeof found->description);
        status = space_scalars(space, SCALARS, "scalars", &scalars, error);
    }
    if (!status)
        status = space_upload(space, SCALARS, (double[]){0, 0.75, -0.3, 1.7}, scalars, error);
    if (!status)
        status = multiply(found, &A, scalars);
    if (!status && found->directs)
        status = direct(found, &A, &farther, scalars);
    if (status && exchange)
        exchange->operations->abandon(exchange, 1, error->text);
    operator_destroy(&farther);
    operator_destroy(&A);
    if (space) {
        space_release(space, scalars);
        space->operations->destroy(space);
    }
    found->status = status;
    return NULL;
}

static struct found alone, ranked[TEST_RANKS_MAX];

static void run_over(const struct trial *trial, int ranks)
{
    for (int r = 0; r < ranks; r++) {
        memset(&ranked[r], 0, sizeof ranked[r]);
        ranked[r].trial = trial;
    }
    test_ranks(ranks, run, ranked, sizeof *ranked);
}

static void expect_bits(const struct found *found, const char *name, int rank, int ranks)
{
    expect_ok(found->status, &found->error);
    for (size_t k = 0; k < sizeof found->dots / sizeof *found->dots; k++)
        ck_assert_msg(memcmp(&found->dots[k], &alone.dots[k], sizeof *found->dots) == 0,
                      "%s, rank %d of %d, dot %d: %a, alone %a", name, rank, ranks, (int)k,
                      found->dots[k], alone.dots[k]);
    for (size_t k = 0; k < sizeof found->vectors / sizeof *found->vectors; k++)
        ck_assert_msg(memcmp(found->vectors[k], alone.vectors[k], sizeof *found->vectors) == 0,
                      "%s, rank %d of %d, vector %d", name, rank, ranks, (int)k);
}

static void run_alone(struct trial *trial)
{
    uint64_t seed = test_seed();
    random_vector(seed, 4 * (int64_t)N, trial->v[0]);
    memset(&alone, 0, sizeof alone);
    alone.trial = trial;
    run(&alone);
    expect_ok(alone.status, &alone.error);
}

/* The options of a form, which the caller frees. */
static struct options options_of(const struct form *form)
{
    const char *given[3] = {NULL}, *const all[] = {form->form, form->compress, form->precision};
    int count = 0;
    for (int k = 0; k < 3; k++)
        if (all[k])
            given[count++] = all[k];
    return test_options(COMPONENT_KERNEL, form->kernel, given[0], given[1], given[2], NULL);
}

START_TEST(products_have_the_bits_of_one_rank)
{
    static const int counts[] = {2, 3, 4, 5, 6, 7, 10, 12, 0}; /* 11 tiles */
    static struct trial trial;
    const struct form *form = &forms[_i];
    struct options options = options_of(form);
    struct csr A;
    blocks(40, &A);
    trial = (struct trial){.kernel = kernel_find(form->kernel),
                           .options = options.values,
                           .reductions = form->reductions,
                           .A = &A,
                           .without = -1};
    run_alone(&trial);
    for (int c = 0; counts[c]; c++) {
        run_over(&trial, counts[c]);
        for (int r = 0; r < counts[c]; r++) {
            const struct found *found = &ranked[r];
            expect_bits(found, form->kernel, r, counts[c]);
            ck_assert(alone.fuses == form->fuses && found->fuses == form->fuses && !found->directs);
            if (form->description)
                ck_assert_msg(
                    strncmp(found->description, form->description, strlen(form->description)) == 0,
                    "rank %d of %d has %s", r, counts[c], found->description);
        }
    }
    options_free(&options);
    csr_free(&A);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

START_TEST(rows_of_other_ranks_may_be_all)
{
    static struct trial trial;
    struct csr A;
    arrow(&A);
    trial = (struct trial){.kernel = &counting, .A = &A, .without = -1};
    run_alone(&trial);
    for (int ranks = 2; ranks <= 4; ranks++) {
        run_over(&trial, ranks);
        for (int r = 0; r < ranks; r++)
            expect_bits(&ranked[r], "counting", r, ranks);
    }
    csr_free(&A);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* Dot products are taken, and directions made, within the products of every rank. A second
 * operator whose rows reach farther leaves the first one's vectors good. */
START_TEST(directions_have_the_bits_of_one_rank)
{
    static struct trial trial;
    struct csr A, farther;
    blocks(40, &A);
    blocks(1500, &farther);
    for (int ranks = 2; ranks <= 10; ranks += ranks < 7 ? 1 : 3)
        for (int more = 0; more < 2; more++) {
            trial = (struct trial){
                .kernel = &counting, .A = &A, .farther = more ? &farther : NULL, .without = -1};
            run_alone(&trial);
            directions_made = directions_with_x = dots_taken = 0;
            run_over(&trial, ranks);
            for (int r = 0; r < ranks; r++) {
                expect_bits(&ranked[r], "counting", r, ranks);
                ck_assert(ranked[r].fuses && ranked[r].directs);
            }
            ck_assert_int_eq(dots_taken, (3 + DIRECTIONS) * ranks);
            ck_assert_int_eq(directions_made, DIRECTIONS * ranks);
            ck_assert_int_eq(directions_with_x, DIRECTIONS / 2 * ranks);
        }
    csr_free(&A);
    csr_free(&farther);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

START_TEST(what_one_rank_cannot_none_does)
{
    static struct trial trial;
    struct csr A;
    blocks(40, &A);
    trial = (struct trial){.kernel = &counting, .A = &A, .without = 1};
    run_alone(&trial);
    memset(alone.vectors[OUTCOMES], 0, (size_t)(3 * DIRECTIONS) * sizeof *alone.vectors);
    memset(alone.dots + OUTCOMES, 0, DIRECTIONS * sizeof *alone.dots);
    dots_taken = 0;
    run_over(&trial, 3);
    for (int r = 0; r < 3; r++) {
        expect_bits(&ranked[r], "counting", r, 3);
        ck_assert(!ranked[r].fuses && !ranked[r].directs);
    }
    ck_assert_int_eq(dots_taken, 0);
    csr_free(&A);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

START_TEST(vectors_without_room_are_refused)
{
    static struct trial trial;
    struct csr A, farther;
    blocks(40, &A);
    blocks(1500, &farther);
    trial = (struct trial){
        .kernel = &counting, .A = &A, .farther = &farther, .farther_vectors = true, .without = -1};
    run_over(&trial, 3);
    int refused = 0;
    for (int r = 0; r < 3; r++)
        if (ranked[r].status == STATUS_UNAVAILABLE) {
            expect_error(ranked[r].status, STATUS_UNAVAILABLE, &ranked[r].error,
                         "no room for the rows of other ranks", NULL);
            refused++;
        } else {
            expect_error(ranked[r].status, STATUS_RANK, &ranked[r].error, NULL);
        }
    ck_assert_int_gt(refused, 0);
    csr_free(&A);
    csr_free(&farther);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* --- several columns, and singles ------------------------------------------------------------- */

enum { COLUMNS = 4 };

/* y = A x of one rank, of the columns v[j] as doubles. */
static void multiply_alone(const struct trial *trial, double y[COLUMNS][N])
{
    struct error error;
    struct linear_operator A;
    struct space *space;
    expect_ok(space_create(SPACE_CPU, &(struct space_options){.threads = 1}, &space, &error),
              &error);
    expect_ok(operator_create(trial->kernel, trial->A, trial->options, space, &A, &error), &error);
    for (int j = 0; j < COLUMNS; j++)
        expect_ok(operator_apply(&A, trial->v[j], y[j], &error), &error);
    operator_destroy(&A);
    space->operations->destroy(space);
}

/* A rank of those, and where its y is not y[j] of its own rows: at row `wrong`, or -1. */
struct of_columns {
    struct exchange *exchange; /* first */
    const struct trial *trial;
    const double (*y)[N];
    int columns;
    bool singles;
    int64_t wrong;
    enum status status;
    struct error error;
};

static double element(const void *v, bool singles, int64_t k)
{
    return singles ? ((const float *)v)[k] : ((const double *)v)[k];
}

/* The memory of a CPU's rank is read and written where it is. */
static enum status multiply_columns(struct of_columns *of, const struct linear_operator *A)
{
    struct space *space = A->space;
    int64_t first = ranks_first_row(space), rows = ranks_rows(space, N);
    size_t size = of->singles ? sizeof(float) : sizeof(double);
    void *x = NULL, *y = NULL;
    enum status status = operator_prepare(A, of->columns, &of->error);
    if (!status)
        status = ranks_multivector(space, N, of->columns, size, "X", &x, &of->error);
    if (!status)
        status = ranks_multivector(space, N, of->columns, size, "Y", &y, &of->error);
    for (int64_t k = 0; k < rows * of->columns && !status; k++) {
        double value = of->trial->v[k % of->columns][first + k / of->columns];
        if (of->singles) {
            ((float *)x)[k] = (float)value;
            ((float *)y)[k] = NAN;
        } else {
            ((double *)x)[k] = value;
            ((double *)y)[k] = NAN;
        }
    }
    struct operands operands = {
        .x = x, .y = y, .singles = of->singles, .columns = of->columns, .used = of->columns};
    if (!status)
        status = operator_apply_to(A, &operands, &of->error);
    for (int64_t k = rows * of->columns - 1; k >= 0 && !status; k--)
        if (element(y, of->singles, k) != of->y[k % of->columns][first + k / of->columns])
            of->wrong = first + k / of->columns;
    space_release(space, x);
    space_release(space, y);
    return status;
}

static void *run_columns(void *context)
{
    struct of_columns *of = context;
    const struct trial *trial = of->trial;
    struct space_options options = {.threads = 1, .exchange = of->exchange, .rows = N};
    struct space *space = NULL;
    struct linear_operator A = {0};
    of->status = space_create(SPACE_CPU, &options, &space, &of->error);
    if (!of->status)
        of->status =
            operator_create(trial->kernel, trial->A, trial->options, space, &A, &of->error);
    if (!of->status)
        of->status = multiply_columns(of, &A);
    if (of->status)
        of->exchange->operations->abandon(of->exchange, 1, of->error.text);
    operator_destroy(&A);
    if (space)
        space->operations->destroy(space);
    return NULL;
}

/* With and without columns, of doubles and of singles. */
START_TEST(columns_and_singles_have_the_bits_of_one_rank)
{
    static const struct form all[] = {
        {"cpu_csr", .precision = "precision=float"},
        {"cpu_sym_bitwise", "form=diagonals", .precision = "precision=float"},
        {"cpu_sym_bitwise", "form=blocks", .precision = "precision=float"},
        {"cpu_sym_bitwise", "form=general", .precision = "precision=float"}};
    static const int counts[] = {2, 3, 7, 12, 0};
    static struct trial trial;
    static double y[COLUMNS][N];
    static struct of_columns of[TEST_RANKS_MAX];
    struct options options = options_of(&all[_i / 4]);
    struct csr A;
    blocks(40, &A);
    trial = (struct trial){
        .kernel = kernel_find(all[_i / 4].kernel), .options = options.values, .A = &A};
    random_vector(test_seed(), 4 * (int64_t)N, trial.v[0]);
    multiply_alone(&trial, y);
    for (int c = 0; counts[c]; c++) {
        for (int r = 0; r < counts[c]; r++)
            of[r] = (struct of_columns){.trial = &trial,
                                        .y = (const double(*)[N])y,
                                        .columns = _i % 2 ? COLUMNS : 1,
                                        .singles = _i % 4 / 2,
                                        .wrong = -1};
        test_ranks(counts[c], run_columns, of, sizeof *of);
        for (int r = 0; r < counts[c]; r++) {
            expect_ok(of[r].status, &of[r].error);
            ck_assert_int_eq(of[r].wrong, -1);
        }
    }
    options_free(&options);
    csr_free(&A);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* --- failures, beside a rank that is not there ------------------------------------------------ */

static bool gather_fails, swap_fails;

/* The other one can what this one can, and all its numbers are 0. */
static enum status gather(struct exchange *exchange, const void *own, const int64_t *begin,
                          void *all, struct error *error)
{
    (void)exchange;
    if (gather_fails)
        return error_set(error, STATUS_RANK, "nothing is gathered");
    char *other = (char *)all + begin[1];
    int64_t its = begin[2] - begin[1];
    memmove(all, own, (size_t)begin[1]);
    memset(other, 0, (size_t)its);
    if (its == begin[1])
        memcpy(other, all, (size_t)its);
    return STATUS_OK;
}

static enum status swap(struct exchange *exchange, const struct exchange_piece *send,
                        const struct exchange_piece *receive, struct error *error)
{
    (void)exchange;
    (void)send;
    if (swap_fails)
        return error_set(error, STATUS_RANK, "nothing is swapped");
    memset(receive[1].memory, 0, (size_t)receive[1].bytes);
    return STATUS_OK;
}

static const struct exchange_operations lonely = {.gather = gather, .swap = swap};

struct attempt {
    const struct kernel *kernel;
    const struct kernel_options *options;
    const struct csr *A;
    bool fails;
};

static void expect_failures(struct linear_operator *A, const double *x, double *y, double *dot)
{
    struct error error;
    struct ranks *ranks = ranks_of(A->space);
    gather_fails = true;
    expect_error(operator_apply_dot(A, x, y, dot, &error), STATUS_RANK, &error, "gathered", NULL);
    gather_fails = false;
    swap_fails = true;
    expect_error(operator_apply_dot(A, x, y, dot, &error), STATUS_RANK, &error, "swapped", NULL);
    expect_error(operator_apply(A, x, y, &error), STATUS_RANK, &error, "swapped", NULL);
    swap_fails = false;
    ck_assert_ptr_null(ranks->real->partition);
}

static enum status try_one(void *context, struct error *error)
{
    struct attempt *attempt = context;
    int64_t begins[3];
    struct exchange exchange = {.operations = &lonely, .rank = 0, .count = 2, .begins = begins};
    struct space_options options = {.threads = 2, .exchange = &exchange, .rows = N};
    struct space *space = NULL;
    struct linear_operator A = {0};
    double *x = NULL, *y = NULL, dot;
    enum status status = space_create(SPACE_CPU, &options, &space, error);
    if (!status)
        status = operator_create(attempt->kernel, attempt->A, attempt->options, space, &A, error);
    if (!status)
        status = operator_prepare(&A, 4, error);
    if (!status)
        status = space_vector(space, N, "x", &x, error);
    if (!status)
        status = space_vector(space, N, "y", &y, error);
    if (!status)
        status = space_fill(space, N, 1, x, error);
    if (!status)
        status = operator_apply_dot(&A, x, y, &dot, error);
    if (!status && attempt->fails)
        expect_failures(&A, x, y, &dot);
    operator_destroy(&A);
    if (space) {
        space_release(space, x);
        space_release(space, y);
        space->operations->destroy(space);
    }
    return status;
}

START_TEST(errors_are_handed_on)
{
    const struct form *form = &forms[_i];
    struct error error;
    struct csr A;
    struct options options = options_of(form);
    blocks(40, &A);
    struct attempt attempt = {
        .kernel = kernel_find(form->kernel), .options = options.values, .A = &A, .fails = true};
    expect_ok(try_one(&attempt, &error), &error);
    options_free(&options);
    csr_free(&A);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

START_TEST(every_allocation_may_fail)
{
    struct csr A;
    blocks(40, &A);
    walk_allocation_failures(
        try_one, &(struct attempt){.kernel = _i ? &counting : kernel_find("cpu_csr"), .A = &A});
    csr_free(&A);
}
END_TEST

Suite *suite(void)
{
    Suite *made = suite_create("spmv/rank_operator");
    TCase *tests = tcase_of("all");
    tcase_add_loop_test(tests, products_have_the_bits_of_one_rank, 0, FORMS);
    tcase_add_loop_test(tests, columns_and_singles_have_the_bits_of_one_rank, 0, 4 * 4);
    tcase_add_test(tests, rows_of_other_ranks_may_be_all);
    tcase_add_test(tests, directions_have_the_bits_of_one_rank);
    tcase_add_test(tests, what_one_rank_cannot_none_does);
    tcase_add_test(tests, vectors_without_room_are_refused);
    tcase_add_loop_test(tests, errors_are_handed_on, 0, FORMS);
    tcase_add_loop_test(tests, every_allocation_may_fail, 0, 2);
    suite_add_tcase(made, tests);
    return made;
}
