/* What a basis that does not grow becomes: the best of it (thick restart), or the eigenvectors that
 * were found alone, and the next round. */
#include "base/clock.h"
#include "solver/lanczos/work.h"

#include <math.h>

/* Ritz values that differ by no more than this, over ||A||, are one: it is rounding errors. */
static const double SAME = 0x1p-48;

/* The first Ritz value of a round that is not wanted is known to lie beyond those that are when its
 * bound is so much of the distance: its vector has at most as much of an eigenvector that would be
 * wanted (Parlett 1998, section 11.7). */
static const double APART = 0x1p-10;

/* Ritz value i is the k-th of those wanted: whether a round has left it what it was before. */
static bool is_same(const struct lanczos *lanczos, int64_t i, int64_t k)
{
    const struct ritz *ritz = &lanczos->ritz;
    double allowed = fmax(ritz->tolerance * ritz_scale(ritz, ritz->theta[i]), SAME * ritz->norm);
    return fabs(ritz->theta[i] - lanczos->locked[k]) <= allowed;
}

static bool all_are_same(const struct lanczos *lanczos)
{
    const struct ritz *ritz = &lanczos->ritz;
    int64_t wanted = ritz->low + ritz->high;
    for (int64_t k = 0; k < wanted; k++)
        if (!is_same(lanczos, k < ritz->low ? k : ritz->size - wanted + k, k))
            return false;
    return true;
}

/* Ritz value i is the first that is not wanted, and `edge` the last that is, at one end. */
static bool is_beyond(const struct ritz *ritz, int64_t i, int64_t edge)
{
    return ritz->bound[i] <= APART * fabs(ritz->theta[i] - ritz->theta[edge]) ||
           ritz_has_converged(ritz, i);
}

static bool round_brought_nothing(const struct lanczos *lanczos)
{
    const struct ritz *ritz = &lanczos->ritz;
    int64_t low = ritz->low, high = ritz->size - ritz->high;
    return ritz->size > ritz->low + ritz->high && all_are_same(lanczos) &&
           (ritz->low == 0 || is_beyond(ritz, low, low - 1)) &&
           (ritz->high == 0 || is_beyond(ritz, high - 1, high));
}

enum eigen_list lanczos_list(const struct lanczos *lanczos)
{
    if (lanczos->base.options.eigen.reorthogonalization == REORTHOGONALIZATION_NONE)
        return EIGEN_LIST_OPEN;
    if (lanczos->ritz.size == lanczos->basis.n)
        return EIGEN_LIST_ALL;
    return lanczos->rounds > 0 && round_brought_nothing(lanczos) ? EIGEN_LIST_SEARCHED
                                                                 : EIGEN_LIST_OPEN;
}

bool lanczos_round_is_over(const struct lanczos *lanczos)
{
    return (lanczos->rounds == 0 || !all_are_same(lanczos)) && ritz_can_be_locked(&lanczos->ritz);
}

static void lock(struct lanczos *lanczos)
{
    struct ritz *ritz = &lanczos->ritz;
    ritz_lock(ritz, lanczos->border);
    for (int64_t k = 0; k < ritz->size; k++)
        lanczos->locked[k] = ritz->d[k];
    lanczos->rounds++;
}

enum status lanczos_restart(struct lanczos *lanczos, bool next_round, struct error *error)
{
    struct ritz *ritz = &lanczos->ritz;
    int64_t size = ritz->size;
    double begin = clock_seconds();
    enum status status = ritz_vectors(ritz, error);
    if (status)
        return status;
    if (next_round)
        lock(lanczos);
    else
        ritz_restart_basis(ritz, lanczos->border);
    lanczos->projected += clock_seconds() - begin;
    lanczos->known_count = 0;
    lanczos->restarts++;
    status = basis_multiply(&lanczos->basis, size, ritz->S, ritz->size, error);
    return status ? status
                  : basis_restart(&lanczos->basis, size, ritz->size, lanczos->border, error);
}
