#include "precondition/definite.h"

#include "precondition/spectrum.h"
#include "space/ranks/ranks.h"

#include <math.h>

static const double MOST = 0x1p-10;

struct trial {
    const struct linear_operator *M;
    double *vectors[3]; /* [n] in the space: x, y and M^-1 of one of them */
    double *scalar;
};

static enum status begin(struct trial *t, const int32_t *number, struct error *error)
{
    struct space *space = t->M->space;
    enum status status = space_scalars(space, 1, "a scalar", &t->scalar, error);
    for (int k = 0; k < 3 && !status; k++)
        status = space_vector(space, t->M->n, "a vector of a preconditioner's trial",
                              &t->vectors[k], error);
    if (ranks_of(space)) /* all have their vectors before one waits for another */
        status = ranks_barrier(ranks_of(space), status, error);
    for (int k = 0; k < 2 && !status; k++)
        status =
            spectrum_first_vector(space, t->M->n, number, (uint64_t)k + 1, t->vectors[k], error);
    return status;
}

static enum status dot(struct trial *t, const double *u, const double *v, double *value,
                       struct error *error)
{
    struct space *space = t->M->space;
    enum status status = space_dot(space, t->M->n, u, v, t->scalar, error);
    return status ? status : space_download(space, 1, t->scalar, value, error);
}

/* of[0] = v . M^-1 v, of[1] = other . M^-1 v, of[2] = v . v */
static enum status apply(struct trial *t, const double *v, const double *other, double *of,
                         struct error *error)
{
    enum status status = operator_apply_dot(t->M, v, t->vectors[2], t->scalar, error);
    if (!status)
        status = space_download(t->M->space, 1, t->scalar, &of[0], error);
    if (!status)
        status = dot(t, other, t->vectors[2], &of[1], error);
    return status ? status : dot(t, v, v, &of[2], error);
}

enum status definite_try(const struct linear_operator *M, const int32_t *number,
                         struct definite *found, struct error *error)
{
    struct trial t = {.M = M};
    double of[2][3] = {{0}};
    enum status status = begin(&t, number, error);
    for (int k = 0; k < 2 && !status; k++)
        status = apply(&t, t.vectors[k], t.vectors[1 - k], of[k], error);
    for (int k = 0; k < 3; k++)
        space_release(M->space, t.vectors[k]);
    space_release(M->space, t.scalar);
    double x = of[0][0], y = of[1][0];
    bool positive = x > 0 && y > 0;
    found->asymmetry = positive ? fabs(of[0][1] - of[1][1]) / (sqrt(x) * sqrt(y)) : NAN;
    found->least = fmin(x / of[0][2], y / of[1][2]);
    return status;
}

enum status definite_check(const struct linear_operator *M, const int32_t *number,
                           struct definite *found, struct error *error)
{
    enum status status = definite_try(M, number, found, error);
    if (!status && found->least <= 0)
        return error_set(error, STATUS_CONFIG,
                         "preconditioner %s: M is not positive definite: x . M^-1 x is %g x . x "
                         "for a vector x of random numbers",
                         M->name, ldexp(found->least, M->exponent));
    if (!status && found->asymmetry > MOST / sqrt((double)M->n))
        return error_set(error, STATUS_CONFIG,
                         "preconditioner %s: M is not symmetric: for vectors x and y of random "
                         "numbers x . M^-1 y and y . M^-1 x are %.3g apart, relative to M's norms "
                         "of x and y",
                         M->name, found->asymmetry);
    return status;
}
