/* The preconditioner that is expected to cost least, set-up and one solve together, of jacobi,
 * multigrid and fsai. It is chosen by what set-up sees of A, and never by a clock: so a choice is
 * the same in every run, for any number of threads and ranks, on a CPU and on a GPU. After set-up
 * there is that preconditioner alone, with its bits and its costs.
 *
 * First conjugate gradients with jacobi are begun (attempt.h). Their reduction says how many
 * iterations P they would take. From k/2 to k iterations the mean reduction of an iteration gets
 * worse while small eigenvalues of M^-1 A come into sight, so with N_k, by the mean up to k,
 *
 *     P = max(2 N_k - N_{k/2}, N_k).
 *
 * of (r . M^-1 r)^{1/2}, which is smoother than ||r|| where the scales of rows differ. It is looked
 * at when k = 2, 4, 8, 12, 16, 24, 32, 64 and 128 are done, as long as nothing is decided, but
 * beyond 8 only while k <= n / 15. Jacobi is taken at once where ||r|| foretells at most 5 k + 4
 * iterations, with k <= 8, for then any other set-up costs more. Else costs are compared, in
 * iterations of jacobi:
 *
 *     jacobi      P
 *     multigrid   S + 6 I:  S = 30 + 600000 / n on a grid, else 100 + 250000 / n,
 *                 I = 10 mu^{3/2}, but at least 8; of nearly a tree six times as many
 *     fsai        700 + 0.36 P; of nearly a tree 350 + 0.15 P
 *
 * mu says how well piecewise constant corrections suit A (roughness.h), by the last direction p; it
 * is 1 where a near-null space is known. Above 5 multigrid is no candidate, nor is fsai before k =
 * 32. A is nearly a tree where n rows have less than 1.5 n couplings.
 *
 * A spectrum whose low end is not in sight after k iterations has a P of about
 *
 *     U = k / pi log(2 / tolerance),
 *
 * that of a condition number (2 k / pi)^2, or up to twice as much. So the cheaper one of the others
 * is set up where P is above 1.1 of its cost, and before k = 32 above 0.95 of it where P > U: it
 * will grow. Jacobi stays where P is below 0.82 of its cost, and below 1.73 U. Before k = 12 it
 * stays where P is below 0.55 of what multigrid costs at the least, so that easy systems need no
 * look at A.
 *
 * What was set up is left for jacobi where r . M^-1 r is not above 0, where its levels have so many
 * entries that I cycles cost more than P, and where its set-up refuses A. Jacobi stays too where A
 * turns out not to be positive definite; chebyshev is taken where a diagonal entry is not positive.
 * It is no candidate besides: it takes as many products as jacobi with a diagonal that is constant,
 * more else, and 24 of them in set-up.
 *
 * The numbers are from times of 51 real matrices and 17 generated ones on a CPU
 * (docs/results/multigrid.md). An iteration of jacobi costs more on a small matrix than its entries
 * say, and set-up more still: the terms with 1 / n. On a GPU they would count up to larger n; the
 * choice is the CPU's. */
#include "precondition/automatic/attempt.h"
#include "precondition/automatic/roughness.h"
#include "precondition/multigrid/setup/hierarchy.h"
#include "space/ranks/ranks.h"
#include "spmv/preconditioner.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double ROUGH = 5, MARGIN = 1.1, STEEPEST = 1.73, MANY = 1e9;

enum { SHORT = 8, FSAI_FROM = 32, ROWS_A_STEP = 15 };

struct automatic_options {
    double tolerance;
    char *coordinates, *vectors;
};

struct choice {
    const struct automatic_options *options;
    const struct csr *A;
    const int32_t *number;
    struct linear_operator *spmv;
    struct linear_operator taken; /* jacobi, then perhaps another */
    struct attempt attempt;       /* with jacobi */
    double iterations;            /* P */
    bool seen;                    /* the next three are known */
    int64_t block;
    bool on_grid;
    double mu;
};

static enum status make(const struct choice *c, const char *name, struct linear_operator *made,
                        struct error *error)
{
    struct options options;
    enum status status =
        options_create(component_find(COMPONENT_PRECONDITIONER, name), &options, error);
    *made = (struct linear_operator){0};
    if (!status)
        status = preconditioner_create(&options, c->A, c->number, c->spmv, made, error);
    options_free(&options);
    return status;
}

/* --- costs, in iterations of jacobi ---------------------------------------------------------- */

static bool is_nearly_tree(const struct csr *A)
{
    return (double)(A->nnz - A->n) < 1.5 * (double)A->n;
}

static double multigrid_iterations(const struct choice *c)
{
    return fmax(8, 10 * c->mu * sqrt(c->mu)) * (is_nearly_tree(c->A) ? 6 : 1);
}

static double multigrid_cost(const struct choice *c)
{
    double n = (double)c->A->n;
    double setup = c->on_grid ? 30 + 600000 / n : 100 + 250000 / n;
    return c->mu <= ROUGH ? setup + 6 * multigrid_iterations(c) : INFINITY;
}

/* Of any multigrid at the least. */
static double least_cost(const struct choice *c)
{
    double n = (double)c->A->n;
    return c->A->near_null ? 0 : fmin(30 + 600000 / n, 100 + 250000 / n) + 6 * 8;
}

static double fsai_cost(const struct choice *c, int k)
{
    if (k < FSAI_FROM)
        return INFINITY;
    return is_nearly_tree(c->A) ? 350 + 0.15 * c->iterations : 700 + 0.36 * c->iterations;
}

/* P of a spectrum whose low end is not in sight after k iterations: Chebyshev's bound with a
 * condition number of (2 k / pi)^2. */
static double unseen(const struct choice *c, int k)
{
    return k / 3.14159265358979 * log(2 / c->options->tolerance);
}

static double foretold(double before, double now)
{
    return fmin(before < MANY ? fmax(2 * now - before, now) : now, MANY);
}

/* P after k iterations. Where rows have very different scales ||r|| grows at first, and the norm of
 * M^-1, which is smoother, tells more. */
static double foretell(const struct choice *c, int k)
{
    double tolerance = c->options->tolerance;
    return foretold(attempt_steps_of_M(&c->attempt, k / 2, tolerance),
                    attempt_steps_of_M(&c->attempt, k, tolerance));
}

/* --- what is seen of A ------------------------------------------------------------------------ */

static enum status see(struct choice *c, struct error *error)
{
    struct cells cells;
    const struct attempt *attempt = &c->attempt;
    if (c->seen)
        return STATUS_OK;
    c->seen = true;
    c->mu = 1;
    if (c->A->near_null)
        return STATUS_OK;
    enum status status = hierarchy_look(c->A, &c->block, &cells, error);
    c->on_grid = !status && cells.n[0] > 0;
    if (!status)
        status = roughness_of(c->A, c->block, c->spmv->space, attempt->p, attempt->curvature,
                              &c->mu, error);
    return status;
}

/* --- the choice ------------------------------------------------------------------------------- */

/* Whether P is so far below what another would have to cost that jacobi stays. */
static bool is_below(const struct choice *c, int k, double least)
{
    return c->iterations <= (k <= SHORT ? 0.5 : 0.75) * least &&
           c->iterations <= STEEPEST * unseen(c, k);
}

/* Jacobi stays, or which other one is to be set up; NULL: it is not known yet. */
static enum status compare(struct choice *c, int k, const char **name, struct error *error)
{
    c->iterations = foretell(c, k);
    if (!c->seen && is_below(c, k, MARGIN * least_cost(c)))
        *name = "jacobi";
    if (k <= SHORT || *name)
        return STATUS_OK;
    enum status status = see(c, error);
    double by_multigrid = multigrid_cost(c), by_fsai = fsai_cost(c, k);
    double least = fmin(by_multigrid, by_fsai);
    bool grows = k < FSAI_FROM && c->iterations > unseen(c, k);
    if (!status && c->iterations > (grows ? 0.95 : MARGIN) * least)
        *name = by_multigrid <= by_fsai ? "multigrid" : "fsai";
    else if (!status && is_below(c, k, MARGIN * least))
        *name = "jacobi";
    return status;
}

/* The same, by one more look. */
static enum status decide(struct choice *c, int k, const char **name, struct error *error)
{
    c->iterations = attempt_steps(&c->attempt, c->attempt.steps, c->options->tolerance);
    if (c->attempt.steps < k || (k <= SHORT && c->iterations <= 5 * k + 4)) {
        *name = "jacobi";
        return STATUS_OK;
    }
    return k < SHORT ? STATUS_OK : compare(c, k, name, error);
}

/* Iterations with jacobi, until one is named. */
static enum status attempt(struct choice *c, const char **name, struct error *error)
{
    static const int looks[] = {2, 4, SHORT, 12, 16, 24, FSAI_FROM, 64, ATTEMPT_MOST};
    enum { LOOKS = sizeof looks / sizeof *looks };
    enum status status =
        attempt_begin(c->spmv, &c->taken, c->number, c->A->null_space != NULL, &c->attempt, error);
    for (int l = 0; l < LOOKS && !status && !*name; l++) {
        if (looks[l] > SHORT && looks[l] > c->A->n / ROWS_A_STEP)
            break;
        status = attempt_advance(&c->attempt, looks[l], error);
        if (!status)
            status = decide(c, looks[l], name, error);
    }
    if (!*name)
        *name = "jacobi";
    return status;
}

/* I iterations with M, by the levels that it has. A cycle has four products on each level, and as
 * much again in passes. */
static double cost_by_levels(const struct choice *c, const struct linear_operator *M)
{
    double entries = 0;
    for (int k = 0; k < M->levels.count; k++)
        entries += (double)M->levels.level[k].entries;
    return multigrid_iterations(c) * (1 + 5 * entries / (double)c->A->nnz);
}

/* The named one in the place of jacobi; or *failed, why it is not. */
static enum status change(struct choice *c, const char *name, const char **failed,
                          struct error *error)
{
    struct linear_operator other;
    bool positive = false;
    *failed = "refuses A";
    enum status status = make(c, name, &other, error);
    if (status == STATUS_CONFIG)
        return STATUS_OK;
    if (!status)
        status = attempt_try(&c->attempt, &other, &positive, error);
    bool loses = !status && other.levels.count > 0 && cost_by_levels(c, &other) > c->iterations;
    if (status || !positive || loses) {
        operator_destroy(&other);
        *failed = positive ? "hardly coarsens" : "is not positive definite";
        return status;
    }
    operator_destroy(&c->taken);
    c->taken = other;
    *failed = NULL;
    return STATUS_OK;
}

/* What was taken, and why: "multigrid, as jacobi takes about 232 iterations: 5 levels ..." */
static void describe(const struct choice *c, const char *name, const char *failed, char *text)
{
    char jacobi[32] = "very many";
    if (c->iterations < MANY)
        snprintf(jacobi, sizeof jacobi, "about %.0f", c->iterations);
    if (c->attempt.indefinite)
        snprintf(text, OPERATOR_DESCRIPTION, "jacobi, as A is not positive definite");
    else if (c->attempt.infinite)
        snprintf(text, OPERATOR_DESCRIPTION, "jacobi, as a product is not finite");
    else if (failed)
        snprintf(text, OPERATOR_DESCRIPTION, "jacobi, %s iterations, as %s %s", jacobi, name,
                 failed);
    else if (c->taken.levels.count == 0 && strcmp(name, "jacobi") == 0)
        snprintf(text, OPERATOR_DESCRIPTION, "jacobi, %s iterations", jacobi);
    else
        snprintf(text, OPERATOR_DESCRIPTION, "%s, as jacobi would take %s iterations: %.94s", name,
                 jacobi, c->taken.description);
}

static enum status choose(struct choice *c, char *text, struct error *error)
{
    const char *name = NULL, *failed = NULL;
    enum status status = attempt(c, &name, error);
    if (!status && strcmp(name, "jacobi") != 0)
        status = change(c, name, &failed, error);
    attempt_end(&c->attempt);
    if (!status)
        describe(c, name, failed, text);
    return status;
}

/* Jacobi has refused A. */
static enum status do_without(struct choice *c, char *text, struct error *error)
{
    enum status status = make(c, "chebyshev", &c->taken, error);
    if (!status)
        snprintf(text, OPERATOR_DESCRIPTION, "chebyshev, as A's diagonal is not positive: %.100s",
                 c->taken.description);
    return status;
}

static enum status setup(const void *options, const struct csr *A, const int32_t *number,
                         struct linear_operator *spmv, struct linear_operator *made,
                         struct error *error)
{
    struct choice c = {.options = options, .A = A, .number = number, .spmv = spmv};
    char text[OPERATOR_DESCRIPTION];
    enum status status = make(&c, "jacobi", &c.taken, error);
    if (status == STATUS_CONFIG)
        status = do_without(&c, text, error);
    else if (!status)
        status = choose(&c, text, error);
    if (status) {
        operator_destroy(&c.taken);
        return status;
    }
    c.taken.name = made->name;
    *made = c.taken;
    snprintf(made->description, sizeof made->description, "%s", text);
    return STATUS_OK;
}

/* Of jacobi, the least. */
static int64_t setup_bytes(const void *options, const struct csr *A)
{
    (void)options;
    return A->n * (int64_t)sizeof(double);
}

static bool by_rows(const void *options, const struct csr *A)
{
    (void)options, (void)A;
    return true; /* what is taken is made by rows or is not, by itself */
}

static struct near_null_wanted near_null(const void *options)
{
    const struct automatic_options *given = options;
    return (struct near_null_wanted){NEAR_NULL_AUTO, given->coordinates, given->vectors};
}

static const char *complaint(const void *options, const char **parameter)
{
    const struct automatic_options *given = options;
    *parameter = "coordinates";
    return given->coordinates && given->vectors
               ? "vectors are given too: one of the two says what a level of multigrid keeps"
               : NULL;
}

static const struct parameter parameters[] = {
    {"tolerance", "of ||r|| / ||b||: the costs are those of a solve to there", "1e-8",
     TAKES_REAL(struct automatic_options, tolerance, 0, 1), .above = true, .below = true},
    {"coordinates", "a file of the nodes' coordinates, as multigrid takes it", NULL,
     TAKES_FILE(struct automatic_options, coordinates), .optional = true},
    {"vectors", "a file of near-null vectors, as multigrid takes it", NULL,
     TAKES_FILE(struct automatic_options, vectors), .optional = true},
    {0}};

const struct preconditioner preconditioner_auto = {
    .component = {COMPONENT_PRECONDITIONER, "auto",
                  "jacobi, multigrid or fsai: the one that should cost least", parameters,
                  sizeof(struct automatic_options), complaint},
    .setup_bytes = setup_bytes,
    .setup = setup,
    .device_rows = true,
    .by_rows = by_rows,
    .near_null = near_null,
};
