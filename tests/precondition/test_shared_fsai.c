/* The factor of fsai by ranks that are threads: their rows of G and of G' are those of one, and
 * what they have is freed wherever an allocation fails. */
#include "support.h"

#include "base/random.h"
#include "options.h"
#include "precondition/fsai_rows.h"
#include "precondition/shared_transposed.h"
#include "precondition/transposed_rows.h"
#include "ranks.h"
#include "solver/solve.h"
#include "spmv/preconditioner.h"

#include <math.h>
#include <string.h>

enum { RANKS = 7 };
static const struct fsai_growth growth = {3, 4, 0.02};

/* A definite matrix of n rows. `far`: entries may be anywhere, else near the diagonal. */
static void make(int64_t n, bool far, uint64_t *state, struct csr *A)
{
    enum { OFF = 6 };
    struct error error;
    int64_t at = 0;
    expect_ok(csr_create(A, CSR_SYMMETRIC, n, n * (OFF + 1), &error), &error);
    for (int64_t i = 0; i < n; i++) {
        A->offsets[i] = at;
        A->columns[at] = (int32_t)i;
        A->values[at++] = 2 * OFF + 1 + test_random(state);
        for (int64_t k = 0, j = i; k < OFF; k++) {
            j += 1 + test_random_below(state, far ? n / 4 : 20);
            if (j >= n)
                break;
            A->columns[at] = (int32_t)j;
            A->values[at++] = test_random(state) - 0.5;
        }
    }
    A->offsets[n] = A->nnz = at;
}

struct member {
    struct exchange *exchange; /* first */
    const struct csr *A;
    const struct options *options; /* of fsai; NULL: rows alone are made */
    int64_t allowed;               /* allocations of all ranks, then all fail */
    int64_t first;
    struct csr G, transposed;
    enum status status;
    struct error error;
};

static void *make_rows(void *context)
{
    struct member *member = context;
    const struct csr *A = member->A;
    struct space_options options = {.threads = 1, .exchange = member->exchange, .rows = A->n};
    struct space *space = NULL;
    struct fsai_found found;
    struct error *error = &member->error;
    member->status = space_create(SPACE_CPU, &options, &space, error);
    if (!member->status) {
        struct ranks *ranks = ranks_of(space);
        member->first = partition_first(&ranks->partition);
        member->status = fsai_make_rows(A, member->first, partition_rows(&ranks->partition), growth,
                                        &member->G, &found, error);
        if (!member->status)
            member->status = shared_transposed(ranks, &member->G, &member->transposed, error);
        space->operations->destroy(space);
    }
    if (member->status)
        member->exchange->operations->abandon(member->exchange, 1, error->text);
    return NULL;
}

/* Rows of this rank, whose columns are counted from `first`, among those of all. */
static void expect_rows(const struct csr *all, const struct csr *own, int64_t first)
{
    int64_t begin = all->offsets[first];
    ck_assert_int_eq(own->nnz, all->offsets[first + own->n] - begin);
    for (int64_t i = 0; i <= own->n; i++)
        ck_assert_int_eq(own->offsets[i], all->offsets[first + i] - begin);
    for (int64_t k = 0; k < own->nnz; k++) {
        ck_assert_int_eq(own->columns[k] + first, all->columns[begin + k]);
        ck_assert(memcmp(&own->values[k], &all->values[begin + k], sizeof *own->values) == 0);
    }
}

START_TEST(ranks_have_the_rows_of_one)
{
    static struct member member[RANKS];
    uint64_t state = test_seed();
    struct error error;
    struct csr A, G, transposed;
    struct fsai_found found;
    make(500 + test_random_below(&state, 3000), _i % 2, &state, &A);
    expect_ok(fsai_make_rows(&A, 0, A.n, growth, &G, &found, &error), &error);
    expect_ok(transposed_rows(&G, &transposed, &error), &error);
    for (int ranks = 2; ranks <= RANKS; ranks++) {
        int64_t rows = 0;
        for (int r = 0; r < ranks; r++)
            member[r] = (struct member){.A = &A};
        test_ranks(ranks, make_rows, member, sizeof *member);
        for (int r = 0; r < ranks; r++) {
            expect_ok(member[r].status, &member[r].error);
            expect_rows(&G, &member[r].G, member[r].first);
            expect_rows(&transposed, &member[r].transposed, member[r].first);
            rows += member[r].G.n;
            csr_free(&member[r].G);
            csr_free(&member[r].transposed);
        }
        ck_assert_int_eq(rows, A.n);
    }
    csr_free(&G);
    csr_free(&transposed);
    csr_free(&A);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* All ranks have begun, then allocations fail, then all go on. */
static void begin_to_fail(const struct member *member)
{
    static const int64_t begin[RANKS + 1]; /* nothing is gathered */
    char nothing[1] = "";
    for (int turn = 0; turn < 2; turn++) {
        struct error error;
        member->exchange->operations->gather(member->exchange, nothing, begin, nothing, &error);
        if (turn == 0 && member->exchange->rank == 0)
            memory_fail_after(member->allowed);
    }
}

static enum status apply(struct space *space, const struct linear_operator *M, struct error *error)
{
    double *r = NULL, *z = NULL, *dot = NULL;
    enum status status = space_vector(space, M->n, "r", &r, error);
    if (!status)
        status = space_vector(space, M->n, "z", &z, error);
    if (!status)
        status = space_scalars(space, 1, "r . z", &dot, error);
    if (!status)
        status = space_fill(space, M->n, 1, r, error);
    if (!status)
        status = operator_prepare(M, 4, error);
    if (!status)
        status = operator_apply_dot(M, r, z, dot, error);
    space_release(space, r);
    space_release(space, z);
    space_release(space, dot);
    return status;
}

static void *set_up(void *context)
{
    struct member *member = context;
    const struct csr *A = member->A;
    struct space_options options = {.threads = 1, .exchange = member->exchange, .rows = A->n};
    struct space *space = NULL;
    struct linear_operator spmv = {0}, M = {0};
    struct error *error = &member->error;
    begin_to_fail(member);
    member->status = space_create(SPACE_CPU, &options, &space, error);
    if (!member->status)
        member->status = operator_create(kernel_find("cpu_csr"), A, NULL, space, &spmv, error);
    if (!member->status)
        member->status = preconditioner_create(member->options, A, NULL, &spmv, &M, error);
    if (!member->status)
        member->status = apply(space, &M, error);
    if (member->status)
        member->exchange->operations->abandon(member->exchange, 1, error->text);
    operator_destroy(&M);
    operator_destroy(&spmv);
    if (space)
        space->operations->destroy(space);
    return NULL;
}

START_TEST(allocations_fail)
{
    static struct member both[2];
    uint64_t state = test_seed();
    struct csr A;
    struct options options = test_options(COMPONENT_PRECONDITIONER, "fsai",
                                          _i ? "precision=float" : "precision=double", NULL);
    bool enough = false;
    make(1200, true, &state, &A);
    int64_t live = memory_live();
    for (int64_t allowed = 0; !enough; allowed += 1 + test_random_below(&state, 1 + allowed / 16)) {
        for (int r = 0; r < 2; r++)
            both[r] = (struct member){.A = &A, .options = &options, .allowed = allowed};
        test_ranks(2, set_up, both, sizeof *both);
        memory_fail_after(-1);
        ck_assert_int_eq(memory_live(), live);
        enough = true;
        for (int r = 0; r < 2; r++) {
            enum status status = both[r].status;
            ck_assert_msg(status == STATUS_OK || status == STATUS_MEMORY || status == STATUS_RANK,
                          "%d allocations: %s", (int)allowed, both[r].error.text);
            enough = enough && !status;
        }
    }
    options_free(&options);
    csr_free(&A);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* Row 700 is the second rank's. */
START_TEST(ranks_refuse_the_same_row)
{
    static struct member member[3];
    uint64_t state = test_seed();
    struct csr A;
    struct options options =
        test_options(COMPONENT_PRECONDITIONER, "fsai", _i ? "precision=float" : NULL, NULL);
    make(1400, false, &state, &A);
    for (int64_t k = A.offsets[700]; k < A.offsets[701]; k++)
        A.values[k] = _i ? ldexp(A.values[k], -300) : -1;
    for (int64_t i = 0; i < 700; i++) /* alone, so that its row of G is its diagonal */
        for (int64_t k = A.offsets[i]; k < A.offsets[i + 1]; k++)
            A.values[k] = A.columns[k] == 700 ? 0 : A.values[k];
    for (int64_t k = A.offsets[700] + 1; k < A.offsets[701]; k++)
        A.values[k] = 0;
    for (int r = 0; r < 3; r++)
        member[r] = (struct member){.A = &A, .options = &options, .allowed = -1};
    test_ranks(3, set_up, member, sizeof *member);
    for (int r = 0; r < 3; r++)
        if (member[r].status != STATUS_RANK) /* it has heard of another's end before */
            expect_error(member[r].status, STATUS_CONFIG, &member[r].error, "row 701 ",
                         _i ? "leaves the range" : "has -1 on the diagonal", NULL);
    ck_assert(member[0].status == STATUS_CONFIG || member[1].status == STATUS_CONFIG ||
              member[2].status == STATUS_CONFIG);
    options_free(&options);
    csr_free(&A);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

Suite *suite(void)
{
    Suite *made = suite_create("precondition/shared_fsai");
    TCase *tests = tcase_of("all");
    tcase_add_loop_test(tests, ranks_have_the_rows_of_one, 0, 4);
    tcase_add_loop_test(tests, ranks_refuse_the_same_row, 0, 2);
    tcase_add_loop_test(tests, allocations_fail, 0, 2);
    suite_add_tcase(made, tests);
    return made;
}
