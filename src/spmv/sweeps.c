#include "spmv/sweeps.h"

enum { SWEEPS_MOST = 16, STEP = 8 }; /* tiles of a step */

struct shares {
    const struct sweeps *of;
    int64_t count;
};

static int64_t share_begin(const struct shares *shares, int64_t s)
{
    return shares->of->tiles * s / shares->count;
}

/* All sweeps over the shares s, without the tiles that need more than these. */
static void make_shares(void *context, int64_t s, int64_t last)
{
    const struct shares *shares = context;
    const struct sweeps *of = shares->of;
    for (; s < last; s++) {
        int64_t begin = share_begin(shares, s), end = share_begin(shares, s + 1);
        int64_t left = s > 0 ? of->reach : 0, right = s + 1 < shares->count ? of->reach : 0;
        int64_t done[SWEEPS_MOST];
        for (int k = 0; k < of->count; k++)
            done[k] = begin + k * left;
        for (int64_t front = begin; front < end;) {
            front = front + STEP < end ? front + STEP : end;
            for (int k = 0; k < of->count; k++) {
                int64_t to = front < end ? front - k * of->reach : end - k * right;
                if (to > end - k * right)
                    to = end - k * right;
                if (to > done[k]) {
                    of->make(of->context, k, done[k], to);
                    done[k] = to;
                }
            }
        }
    }
}

/* What is left between share s and the next one. */
static void make_borders(void *context, int64_t s, int64_t last)
{
    const struct shares *shares = context;
    const struct sweeps *of = shares->of;
    for (; s < last; s++) {
        int64_t border = share_begin(shares, s + 1);
        for (int k = 1; k < of->count; k++)
            of->make(of->context, k, border - k * of->reach, border + k * of->reach);
    }
}

struct apart {
    const struct sweeps *of;
    int sweep;
};

static void make_apart(void *context, int64_t tile, int64_t last)
{
    const struct apart *apart = context;
    apart->of->make(apart->of->context, apart->sweep, tile, last);
}

/* The borders of short shares overlap: then the sweeps run one after the other. */
void sweeps_run(struct threads *threads, const struct sweeps *sweeps)
{
    struct shares shares = {sweeps, threads_count(threads)};
    int64_t least = 4 * sweeps->count * sweeps->reach; /* tiles of a share */
    if (sweeps->count > 1 && sweeps->count <= SWEEPS_MOST &&
        sweeps->tiles / shares.count >= least) {
        threads_each(threads, shares.count, make_shares, &shares);
        threads_each(threads, shares.count - 1, make_borders, &shares);
        return;
    }
    for (int k = 0; k < sweeps->count; k++) {
        struct apart apart = {sweeps, k};
        threads_each(threads, sweeps->tiles, make_apart, &apart);
    }
}
