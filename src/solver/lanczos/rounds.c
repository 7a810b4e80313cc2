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
static const double APART = 0x1p-20;

/* The chance that a random vector has too little of an eigenvector for a round to be sure. */
static const double CHANCE = 0x1p-20;

/* What a Ritz value may be off by. */
static double allowed_of(const struct ritz *ritz, double theta)
{
    return fmax(ritz->tolerance * ritz_scale(ritz, theta), SAME * ritz->norm);
}

/* Whether a round has left the wanted ones what they were before. */
static bool all_are_same(const struct lanczos *lanczos)
{
    const struct ritz *ritz = &lanczos->ritz;
    int64_t wanted = ritz->low + ritz->high;
    for (int64_t k = 0; k < wanted; k++) {
        double theta = ritz->theta[k < ritz->low ? k : ritz->size - wanted + k];
        if (!(fabs(theta - lanczos->locked[k]) <= allowed_of(ritz, theta)))
            return false;
    }
    return true;
}

/* From wanted Ritz value i, the last one at an end, to the next of them that is another. */
static double distance_within(const struct ritz *ritz, int64_t i, int64_t step)
{
    double allowed = allowed_of(ritz, ritz->theta[i]);
    for (int64_t k = i - step; k >= 0 && k < ritz->size && ritz_is_wanted(ritz, k); k -= step)
        if (fabs(ritz->theta[k] - ritz->theta[i]) > allowed)
            return fabs(ritz->theta[k] - ritz->theta[i]);
    return INFINITY;
}

/* A locked Ritz value has the bound 0. Others come to have it, too, where a round goes on long
 * enough: the first and the last with that bound are locked, as many as are wanted at their end. */
static bool is_locked(const struct ritz *ritz, int64_t i)
{
    int64_t before = 0, behind = 0;
    for (int64_t k = 0; k < ritz->size; k++) {
        before += k < i && ritz->bound[k] == 0;
        behind += k > i && ritz->bound[k] == 0;
    }
    return ritz->bound[i] == 0 && (before < ritz->low || behind < ritz->high);
}

/* The first Ritz value from i on that is not locked; -1: none. */
static int64_t next_new(const struct ritz *ritz, int64_t i, int64_t step)
{
    while (i >= 0 && i < ritz->size && is_locked(ritz, i))
        i += step;
    return i < ritz->size ? i : -1;
}

/* Whether the first new Ritz value at one end, from which `step` leads inwards, is known to bring
 * no wanted one. It may be another copy of the last wanted one, on either side of that, which is
 * known sooner, by the square of its bound over the distance to the next one (Parlett 1998, section
 * 11.7). */
static bool is_beyond(const struct ritz *ritz, int64_t step)
{
    int64_t end = step > 0 ? 0 : ritz->size - 1;
    int64_t last = step > 0 ? ritz->low - 1 : ritz->size - ritz->high;
    int64_t i = next_new(ritz, end, step), next = i < 0 ? -1 : next_new(ritz, i + step, step);
    if (i < 0)
        return true;
    bool wanted = (last - i) * step >= 0;
    double distance = fabs(ritz->theta[i] - ritz->theta[last]), bound = ritz->bound[i];
    double allowed = allowed_of(ritz, ritz->theta[i]);
    if (bound <= fmax(wanted ? 0 : APART * distance, 0x1p-53 * ritz->norm))
        return true;
    if (next < 0 || distance > allowed)
        return false;
    double gap = fabs(ritz->theta[next] - ritz->theta[i]) - ritz->bound[next];
    return bound <= APART * distance_within(ritz, wanted ? i : last, step) &&
           bound * bound <= allowed * gap;
}

/* The most that the first vector v of the round has of an eigenvector u that is not locked, with
 * the eigenvalue theta or one farther out, where all of T's lie farther in (step = 1: above, -1:
 * below): (T - theta) V^T u = - beta_k (v_{k+1} . u) e_k, so that
 *
 *     |v . u| <= beta_k |e_1^T (T - theta)^-1 e_k| = beta_1 ... beta_k / |det(T - theta)|.
 *
 * INFINITY: they do not. */
static double most_of_another(const struct ritz *ritz, double theta, int64_t step)
{
    double pivot = INFINITY, before = 0, most = 1;
    for (int64_t i = ritz->locked; i < ritz->size; i++) {
        pivot = (double)step * (ritz->d[i] - theta) - before * before / pivot;
        if (!(pivot > 0))
            return INFINITY;
        before = ritz->e[i];
        most *= fabs(before) / pivot;
    }
    return most;
}

/* Whether a round that has not been restarted excludes what is wanted beside the locked ones: with
 * what rounding and the residuals of these may add to the above, less than a random vector has of
 * any one vector. */
static bool has_none(const struct lanczos *lanczos, int64_t step)
{
    const struct ritz *ritz = &lanczos->ritz;
    int64_t end = step > 0 ? 0 : ritz->size - 1, i = next_new(ritz, end, step);
    double theta = ritz->theta[step > 0 ? ritz->low - 1 : ritz->size - ritz->high];
    if (ritz->locked == 0 || i < 0)
        return false;
    double gap = (double)step * (ritz->theta[i] - theta), left = ritz->left_norm / gap;
    bool selective = lanczos->basis.reorthogonalization == REORTHOGONALIZATION_SELECTIVE;
    double rounding = (selective ? 0x1p-37 : 0x1p-53) * (double)ritz->size * ritz->norm / gap;
    double most = most_of_another(ritz, theta, step) + rounding + left * left;
    return gap > 0 && most * sqrt((double)lanczos->basis.n) <= CHANCE;
}

static bool round_brought_nothing(const struct lanczos *lanczos)
{
    const struct ritz *ritz = &lanczos->ritz;
    return ritz->size > ritz->low + ritz->high && all_are_same(lanczos) &&
           (ritz->low == 0 || has_none(lanczos, 1) || is_beyond(ritz, 1)) &&
           (ritz->high == 0 || has_none(lanczos, -1) || is_beyond(ritz, -1));
}

bool lanczos_spans_all(const struct lanczos *lanczos, int64_t size)
{
    return size == lanczos->basis.n &&
           lanczos->basis.reorthogonalization != REORTHOGONALIZATION_NONE;
}

enum eigen_list lanczos_list(const struct lanczos *lanczos)
{
    if (lanczos_spans_all(lanczos, lanczos->ritz.size))
        return EIGEN_LIST_ALL;
    return lanczos->rounds > 0 && round_brought_nothing(lanczos) ? EIGEN_LIST_SEARCHED
                                                                 : EIGEN_LIST_OPEN;
}

bool lanczos_can_search(const struct lanczos *lanczos)
{
    return lanczos->basis.reorthogonalization != REORTHOGONALIZATION_NONE &&
           lanczos->ritz.low + lanczos->ritz.high < lanczos->basis.n;
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
        ritz_restart_basis(ritz, lanczos->rounds > 0, lanczos->border);
    lanczos->projected += clock_seconds() - begin;
    lanczos->known_count = 0;
    lanczos->restarts++;
    status = basis_multiply(&lanczos->basis, size, ritz->S, ritz->size, error);
    return status ? status
                  : basis_restart(&lanczos->basis, size, ritz->size, lanczos->border, error);
}

enum status lanczos_start_over(struct lanczos *lanczos, struct error *error)
{
    struct ritz *ritz = &lanczos->ritz;
    int64_t size = ritz->size;
    enum status status = ritz_vectors(ritz, error);
    if (status)
        return status;
    ritz_start_over(ritz);
    lanczos->known_count = 0;
    lanczos->rounds = 0;
    lanczos->restarts++;
    status = basis_multiply(&lanczos->basis, size, ritz->S, 1, error);
    return status ? status : basis_start_over(&lanczos->basis, error);
}
