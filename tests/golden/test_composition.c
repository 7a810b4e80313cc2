/* The tables of what composes in docs/reproducibility.md say what the program does. That each cell
 * has the bits of its single solves is for tests/solver/test_columns.c and test_ranks.c. */
#include "support.h"

#include "made.h"
#include "main/program.h"
#include "options.h"
#include "ranks.h"
#include "solver/method.h"
#include "space/space.h"
#include "spmv/preconditioner.h"

#include <stdio.h>
#include <string.h>

/* How the page names it; 3 lines of the grid's tiles are enough for blocks of it. */
static const struct tried {
    const char *row, *name, *option;
    int side; /* of the cube, in cells */
} tried[] = {
    {"`jacobi`", "jacobi", NULL, 12},
    {"`block_jacobi`", "block_jacobi", NULL, 12},
    {"`chebyshev`", "chebyshev", NULL, 12},
    {"`fsai`, in either precision", "fsai", NULL, 12},
    {"`fsai`, in either precision", "fsai", "precision=float", 12},
    {"`multigrid`, in either precision", "multigrid", NULL, 12},
    {"`multigrid`, in either precision", "multigrid", "precision=float", 12},
    {"`multigrid` with `smoother = \"fsai\"`", "multigrid", "smoother=fsai", 12},
    {"`multigrid`, in either precision", "multigrid", "transfer=smoothed", 12},
    {"`multigrid` of a system that it solves directly", "multigrid", NULL, 5},
    {"`block_jacobi` with blocks that do not divide 480", "block_jacobi", "block=7", 12},
};

/* M^-1 in one process, or in each of several ranks. */
struct seen {
    struct exchange *exchange; /* first; NULL: alone */
    const struct csr *A;
    const struct tried *of;
    bool own_rows, sweeps;
    enum status status;
    struct error error;
};

static void *see(void *context)
{
    struct seen *seen = context;
    struct options options =
        test_options(COMPONENT_PRECONDITIONER, seen->of->name, seen->of->option, NULL);
    const struct preconditioner *its = (const struct preconditioner *)options.component;
    struct space_options wanted = {.threads = 1, .exchange = seen->exchange, .rows = seen->A->n};
    struct space *space = NULL;
    struct linear_operator spmv = {0}, M = {0};
    seen->own_rows = its->by_rows && its->by_rows(options.values, seen->A);
    seen->status = space_create(SPACE_CPU, &wanted, &space, &seen->error);
    if (!seen->status)
        seen->status = operator_create(kernel_find("cpu_sym_bitwise"), seen->A, NULL, space, &spmv,
                                       &seen->error);
    if (!seen->status)
        seen->status = preconditioner_create(&options, seen->A, NULL, &spmv, &M, &seen->error);
    if (seen->status && seen->exchange)
        seen->exchange->operations->abandon(seen->exchange, 1, seen->error.text);
    else
        seen->sweeps = !seen->status && M.can & OPERATOR_COLUMNS;
    operator_destroy(&M);
    operator_destroy(&spmv);
    if (space)
        space->operations->destroy(space);
    options_free(&options);
    return NULL;
}

/* The cells of the row behind its name, as the page has them. */
static void expect_row(const char *table, const char *name, const char *cells)
{
    static char row[300];
    snprintf(row, sizeof row, "\n| %s | %s |\n", name, cells);
    const char *page = strstr(file_text("docs/reproducibility.md"), table);
    ck_assert_msg(page != NULL, "docs/reproducibility.md: no table \"%s\"", table);
    ck_assert_msg(strstr(page, row) != NULL, "docs/reproducibility.md: no row \"%s\"", row + 1);
}

START_TEST(the_page_says_what_composes)
{
    enum { RANKS = 3 };
    static const char *const columns[] = {"column by column", "one sweep"};
    static const char *const rows[] = {"all rows in each rank", "its own rows in each rank"};
    for (size_t k = 0; k < sizeof tried / sizeof *tried; k++) {
        struct error error;
        struct csr A;
        int64_t side = tried[k].side;
        struct poisson3d cube = {.n = {side, side, side}, .weights = {1, 1, 1}, .jump = 10};
        expect_ok(poisson3d_create(&cube, &A, &error), &error);
        struct seen alone = {.A = &A, .of = &tried[k]}, ranks[RANKS];
        char cells[200];
        see(&alone);
        expect_ok(alone.status, &alone.error);
        for (int r = 0; r < RANKS; r++)
            ranks[r] = (struct seen){.A = &A, .of = &tried[k]};
        test_ranks(RANKS, see, ranks, sizeof *ranks);
        for (int r = 0; r < RANKS; r++)
            expect_ok(ranks[r].status, &ranks[r].error);
        snprintf(cells, sizeof cells, "%s | %s | %s", columns[alone.sweeps],
                 rows[ranks[0].own_rows], columns[ranks[0].sweeps]);
        expect_row("| preconditioner | several columns | several ranks | both |", tried[k].row,
                   cells);
        csr_free(&A);
    }
}
END_TEST

#define METHOD(name) extern const struct method method_##name;
#include "solver/methods.def"
#undef METHOD
#define METHOD(name) &method_##name,
static const struct method *const methods[] = {
#include "solver/methods.def"
};
#undef METHOD

START_TEST(the_page_says_what_methods_take)
{
    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
        unsigned traits = methods[k]->traits;
        char name[64], cells[200];
        snprintf(name, sizeof name, "`%s`", methods[k]->component.name);
        snprintf(cells, sizeof cells, "%s | %s",
                 !(traits & METHOD_FINDS_VECTOR) ? "refused: it takes one vector to begin with"
                 : traits & METHOD_TAKES_COLUMNS ? "together"
                                                 : "one after the other",
                 traits & METHOD_TAKES_PRECONDITIONER ? "any" : "refused");
        expect_row("| method | several columns | preconditioner |", name, cells);
    }
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {the_page_says_what_composes, the_page_says_what_methods_take, NULL};
    return suite_of("golden/composition", tests);
}
