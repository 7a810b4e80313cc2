#include "solver/lanczos/basis.h"

#include "base/memory.h"
#include "base/random.h"
#include "solver/recurrence.h"
#include "solver/time_split.h"

#include <math.h>

/* The scalars of a step, in this order; c_k = v_k . w from ALONG on. Behind them, from again() on,
 * the coefficients of what is taken off besides. */
enum { ALPHA, BETA, NORM_SQUARED, ALONG };

/* Above this a vector is made orthogonal to those before it, the first time or again: half the
 * precision; where good Ritz vectors see to it, what is lost to one of them until it is good
 * (lanczos.c); or never, as no orthogonality is above 1. */
static const double LOST[] = {[REORTHOGONALIZATION_FULL] = 0x1p-26,
                              [REORTHOGONALIZATION_SELECTIVE] = 0x1p-37,
                              [REORTHOGONALIZATION_NONE] = 1};

/* What a good Ritz vector must have of its own, beside those that are there. */
static const double NEW = 0.1;

/* Columns begin on a cache line. */
static int64_t stride_of(int64_t n)
{
    return (n + 15) / 16 * 16;
}

static double *column(const struct panel *V, int64_t k)
{
    return V->values + k * V->stride;
}

static struct panel first_columns(const struct panel *V, int64_t count)
{
    return (struct panel){V->values, V->stride, count};
}

static double *again(const struct lanczos_basis *basis)
{
    return basis->scalars + ALONG + basis->most + 1;
}

static enum status allocate(struct lanczos_basis *basis, struct error *error)
{
    int64_t most = basis->most, stride = stride_of(basis->n);
    bool selective = basis->reorthogonalization == REORTHOGONALIZATION_SELECTIVE;
    struct {
        double **array;
        int64_t count;
        const char *what;
    } scalars[] = {{&basis->scalars, ALONG + 2 * (most + 1), "the scalars"},
                   {&basis->border, most, "the border of a restart"},
                   {&basis->S, most * most, "the rotation of a restart"}};
    enum status status = space_vector(basis->space, (most + 1) * stride, "the Lanczos basis",
                                      &basis->V.values, error);
    if (!status)
        status = space_vector(basis->space, selective ? most * stride : 0, "the good Ritz vectors",
                              &basis->good.values, error);
    for (size_t k = 0; k < sizeof scalars / sizeof *scalars && !status; k++)
        status =
            space_scalars(basis->space, scalars[k].count, scalars[k].what, scalars[k].array, error);
    if (!status) /* they are saved before the first step too */
        status = space_upload(basis->space, ALONG, (const double[ALONG]){0}, basis->scalars, error);
    basis->V.stride = basis->good.stride = stride;
    if (!status) {
        basis->host = memory_array(ALONG + most + 1, sizeof(double), "the scalars", error);
        status = basis->host ? STATUS_OK : STATUS_MEMORY;
    }
    return status;
}

/* w = w - V c, and w . w */
static enum status subtract(struct lanczos_basis *basis, const struct panel *V, const double *c,
                            double *w, struct error *error)
{
    double *s = basis->scalars;
    struct panel_subtraction work = {*V, c, w, &s[NORM_SQUARED]};
    return space_run(basis->space, &panel_subtract, basis->n, &work, error);
}

/* c = V' w */
static enum status multiply_basis(struct lanczos_basis *basis, const struct panel *V,
                                  const double *w, double *c, struct error *error)
{
    struct panel_products work = {*V, w, c};
    return space_run(basis->space, &panel_dot, basis->n, &work, error);
}

/* v of norm 1; what it was is in the scalars. */
static enum status divide_by_norm(struct lanczos_basis *basis, double *v, struct error *error)
{
    double *s = basis->scalars;
    struct normalisation work = {&s[NORM_SQUARED], v, &s[BETA]};
    return space_run(basis->space, &normalise, basis->n, &work, error);
}

/* The same where v . v is not there; also in basis->host[BETA]. */
static enum status norm_and_divide(struct lanczos_basis *basis, double *v, struct error *error)
{
    double *s = basis->scalars;
    enum status status = space_dot(basis->space, basis->n, v, v, &s[NORM_SQUARED], error);
    if (!status)
        status = divide_by_norm(basis, v, error);
    return status ? status : space_download(basis->space, 1, &s[BETA], &basis->host[BETA], error);
}

enum status basis_begin(struct lanczos_basis *basis, struct linear_operator *spmv, int64_t most,
                        enum reorthogonalization reorthogonalization, const double *b, double *norm,
                        struct error *error)
{
    *basis = (struct lanczos_basis){.spmv = spmv,
                                    .space = spmv->space,
                                    .n = spmv->n,
                                    .most = most,
                                    .reorthogonalization = reorthogonalization};
    enum status status = allocate(basis, error);
    if (!status)
        status = space_upload(basis->space, basis->n, b, basis->V.values, error);
    if (!status)
        status = norm_and_divide(basis, basis->V.values, error);
    if (status)
        return status;
    *norm = basis->host[BETA];
    if (!(*norm > 0 && isfinite(*norm)))
        return error_set(error, STATUS_CONFIG,
                         "the norm of the first Lanczos vector, the start or else the right-hand "
                         "side, is %g: it must be finite and above 0",
                         *norm);
    return STATUS_OK;
}

void basis_free(struct lanczos_basis *basis)
{
    basis->space->operations->forget(basis->space);
    space_release(basis->space, basis->V.values);
    space_release(basis->space, basis->good.values);
    space_release(basis->space, basis->scalars);
    space_release(basis->space, basis->border);
    space_release(basis->space, basis->S);
    memory_free(basis->host);
}

/* w = w - (the panel's part of it), and w . w */
static enum status take_off(struct lanczos_basis *basis, const struct panel *panel, double *w,
                            struct error *error)
{
    double *c = again(basis);
    enum status status = multiply_basis(basis, panel, w, c, error);
    return status ? status : subtract(basis, panel, c, w, error);
}

/* w -= alpha_j v_j + beta_{j-1} v_{j-1}, or the border's vectors in the place of the last. */
static enum status three_terms(struct lanczos_basis *basis, int64_t j, struct error *error)
{
    double *s = basis->scalars, *w = column(&basis->V, j + 1);
    bool arrow = j == basis->restarted && j > 0, two = j > 0 && !arrow;
    struct recurrence work = {.a = &s[ALPHA],
                              .x = column(&basis->V, j),
                              .b = &s[BETA],
                              .u = two ? column(&basis->V, j - 1) : NULL,
                              .y = w,
                              .squared = &s[NORM_SQUARED]};
    enum status status =
        space_run(basis->space, two ? &two_terms : &one_term, basis->n, &work, error);
    if (status || !arrow)
        return status;
    struct panel kept = first_columns(&basis->V, j);
    return subtract(basis, &kept, basis->border, w, error);
}

/* c = V^T w is among the scalars already. */
static enum status reorthogonalize(struct lanczos_basis *basis, const struct panel *V, double *w,
                                   struct error *error)
{
    if (basis->reorthogonalization == REORTHOGONALIZATION_NONE)
        return STATUS_OK;
    bool full = basis->reorthogonalization == REORTHOGONALIZATION_FULL;
    struct panel taken = full ? *V : first_columns(V, basis->restarted);
    enum status status = STATUS_OK;
    if (taken.count > 0)
        status = subtract(basis, &taken, &basis->scalars[ALONG], w, error);
    if (!status && basis->good.count > 0)
        status = take_off(basis, &basis->good, w, error);
    return status;
}

/* v, kept of norm 1, loses its part in the panel; *norm is multiplied by what was left of it. Where
 * that is nothing, *norm is 0, and v is no vector. */
static enum status make_orthogonal(struct lanczos_basis *basis, const struct panel *panel,
                                   int passes, double *v, double *norm, struct error *error)
{
    enum status status = STATUS_OK;
    for (int pass = 0; *norm > 0 && pass < passes && !status; pass++) {
        status = take_off(basis, panel, v, error);
        if (!status)
            status = norm_and_divide(basis, v, error);
        *norm *= basis->host[BETA];
    }
    return status;
}

/* w = A v_j, alpha_j */
static enum status multiply(struct lanczos_basis *basis, int64_t j, struct error *error)
{
    return operator_apply_dot(basis->spmv, column(&basis->V, j), column(&basis->V, j + 1),
                              &basis->scalars[ALPHA], error);
}

/* v_{j+1} of w */
static enum status orthonormalize(struct lanczos_basis *basis, int64_t j, struct error *error)
{
    struct panel V = first_columns(&basis->V, j + 1);
    double *w = column(&basis->V, j + 1);
    enum status status = three_terms(basis, j, error);
    if (!status)
        status = multiply_basis(basis, &V, w, &basis->scalars[ALONG], error);
    if (!status)
        status = reorthogonalize(basis, &V, w, error);
    return status ? status : divide_by_norm(basis, w, error);
}

/* The next step needs the one of the step before it, whatever has been normalised since. */
static enum status restore_beta(struct lanczos_basis *basis, double beta, struct error *error)
{
    basis->host[BETA] = beta;
    return space_upload(basis->space, 1, &beta, &basis->scalars[BETA], error);
}

enum status basis_step(struct lanczos_basis *basis, int64_t j, struct lanczos_step *step,
                       struct error *error)
{
    struct panel V = first_columns(&basis->V, j + 1);
    double *s = basis->scalars, *w = column(&basis->V, j + 1), *seen = basis->host, largest = 0;
    enum status status = multiply(basis, j, error);
    if (!status)
        status = orthonormalize(basis, j, error);
    if (!status) /* the one time that the host waits */
        status = space_download(basis->space, ALONG + j + 1, s, seen, error);
    if (status)
        return status;
    for (int64_t k = 0; k <= j; k++)
        largest = fmax(largest, fabs(seen[ALONG + k]));
    *step = (struct lanczos_step){seen[ALPHA], seen[BETA],
                                  largest > 0 ? fmin(largest / seen[BETA], 1) : 0};
    bool full = basis->reorthogonalization == REORTHOGONALIZATION_FULL;
    bool is_vector = step->beta > 0 && isfinite(step->beta); /* else v_{j+1} is not a vector */
    if (!is_vector || step->orthogonality <= LOST[basis->reorthogonalization])
        return STATUS_OK;
    /* what no pass over the whole basis has taken off may be most of w: twice is enough (Parlett
     * 1998, section 6.9) */
    status = make_orthogonal(basis, &V, full ? 1 : 2, w, &step->beta, error);
    return status ? status : restore_beta(basis, step->beta, error);
}

enum status basis_renew(struct lanczos_basis *basis, int64_t j, int64_t seed, struct error *error)
{
    struct panel before = first_columns(&basis->V, j);
    double *v = column(&basis->V, j), norm = 1;
    double *random = memory_array(basis->n, sizeof *random, "a random vector", error);
    if (!random)
        return STATUS_MEMORY;
    /* far from the seeds of right-hand sides: the first vector may be a random one */
    random_vector((int64_t)splitmix64(UINT64_MAX, (uint64_t)seed), basis->n, random);
    enum status status = space_upload(basis->space, basis->n, random, v, error);
    memory_free(random);
    if (!status) /* twice is enough */
        status = make_orthogonal(basis, &before, 2, v, &norm, error);
    return status ? status : restore_beta(basis, 0, error);
}

enum status basis_add_good(struct lanczos_basis *basis, int64_t size, double *s,
                           struct error *error)
{
    struct space *space = basis->space;
    struct panel V = first_columns(&basis->V, size);
    double *y = column(&basis->good, basis->good.count), beta = basis->host[BETA];
    for (int64_t k = 0; k < size; k++)
        s[k] = -s[k];
    enum status status = space_upload(space, size, s, again(basis), error);
    if (!status)
        status = space_fill(space, basis->n, 0, y, error);
    if (!status)
        status = subtract(basis, &V, again(basis), y, error);
    for (int pass = 0; pass < 2 && !status; pass++) {
        if (basis->good.count > 0)
            status = take_off(basis, &basis->good, y, error);
        if (!status)
            status = norm_and_divide(basis, y, error);
        if (pass == 0 && !(basis->host[BETA] > NEW && basis->good.count < size)) { /* a copy */
            y = NULL;
            break;
        }
    }
    basis->good.count += y != NULL;
    return status ? status : restore_beta(basis, beta, error);
}

enum status basis_clean(struct lanczos_basis *basis, int64_t j, struct error *error)
{
    double *v = column(&basis->V, j), beta = basis->host[BETA], norm = 1;
    enum status status = make_orthogonal(basis, &basis->good, 1, v, &norm, error);
    return status ? status : restore_beta(basis, beta, error);
}

enum status basis_multiply(struct lanczos_basis *basis, int64_t size, const double *S,
                           int64_t wanted, struct error *error)
{
    struct panel V = first_columns(&basis->V, size);
    enum status status = space_upload(basis->space, size * wanted, S, basis->S, error);
    struct panel_rotation work = {V, basis->S, wanted};
    return status ? status : space_run(basis->space, &panel_multiply, basis->n, &work, error);
}

enum status basis_restart(struct lanczos_basis *basis, int64_t size, int64_t kept, const double *b,
                          struct error *error)
{
    basis->restarted = kept;
    basis->good.count = 0;
    enum status status =
        space_copy(basis->space, basis->n, column(&basis->V, size), column(&basis->V, kept), error);
    return status ? status : space_upload(basis->space, kept, b, basis->border, error);
}

enum status basis_start_over(struct lanczos_basis *basis, struct error *error)
{
    basis->restarted = 0;
    basis->good.count = 0;
    return norm_and_divide(basis, basis->V.values, error);
}

enum status basis_download(const struct lanczos_basis *basis, int64_t k, double *v,
                           struct error *error)
{
    return space_download(basis->space, basis->n, column(&basis->V, k), v, error);
}

static enum status keep_columns(struct lanczos_basis *basis, const struct panel *V,
                                const char *name, struct archive *archive, struct error *error)
{
    enum status status = STATUS_OK;
    for (int64_t k = 0; k < V->count && !status; k++)
        status = archive_vector(archive, basis->space, name, basis->n, column(V, k), error);
    return status;
}

enum status basis_keep(struct lanczos_basis *basis, int64_t size, int64_t kept,
                       struct archive *archive, struct error *error)
{
    struct panel V = first_columns(&basis->V, size + 1);
    bool selective = basis->reorthogonalization == REORTHOGONALIZATION_SELECTIVE;
    basis->restarted = kept;
    enum status status =
        archive_expect(archive, "reorthogonalization", basis->reorthogonalization, error);
    if (!status)
        status = archive_count(archive, "good", &basis->good.count, selective ? size : 0, error);
    if (!status)
        status = archive_bytes(archive, "beta", &basis->host[BETA], sizeof(double), error);
    if (!status)
        status = archive_vector(archive, basis->space, "scalars", ALONG, basis->scalars, error);
    if (!status)
        status = archive_vector(archive, basis->space, "border", kept, basis->border, error);
    if (!status)
        status = keep_columns(basis, &V, "a vector of the basis", archive, error);
    return status ? status
                  : keep_columns(basis, &basis->good, "a good Ritz vector", archive, error);
}

struct piece {
    struct lanczos_basis *basis;
    int64_t j;
};

/* v . w counts as product if the kernel computes it. */
static enum status update(void *context, struct error *error)
{
    const struct piece *piece = context;
    struct lanczos_basis *basis = piece->basis;
    double *v = column(&basis->V, piece->j), *w = column(&basis->V, piece->j + 1);
    enum status status = STATUS_OK;
    if (!(basis->spmv->can & OPERATOR_DOT))
        status = space_dot(basis->space, basis->n, v, w, &basis->scalars[NORM_SQUARED], error);
    return status ? status : orthonormalize(basis, piece->j, error);
}

static enum status product(void *context, struct error *error)
{
    const struct piece *piece = context;
    struct lanczos_basis *basis = piece->basis;
    return basis->spmv->can & OPERATOR_DOT
               ? multiply(basis, piece->j, error)
               : operator_apply(basis->spmv, column(&basis->V, piece->j),
                                column(&basis->V, piece->j + 1), error);
}

enum status basis_split_time(struct lanczos_basis *basis, int64_t j,
                             const struct solver_result *result, struct solver_split *split,
                             struct error *error)
{
    struct piece piece = {basis, j};
    double zeros[] = {[ALPHA] = 0, [BETA] = 0};
    enum status status = space_upload(basis->space, 2, zeros, basis->scalars, error);
    if (!status)
        status = time_split_take(basis->space, update, &piece, result, &split->updates, error);
    return status ? status
                  : time_split_take(basis->space, product, &piece, result, &split->product, error);
}
