/* Which levels are fused, and the list of their steps. */
#include "precondition/multigrid/cycle/fused_levels.h"

#include "base/cuda_part.h"
#include "base/memory.h"
#include "precondition/multigrid/cycle/cycle.h"

#include <string.h>

/* A row and so many entries a thread: on levels with more, all steps together take about what their
 * launches would. Below the last two one block is through sooner than a cluster meets. */
enum { ENTRIES = 32, ALONE_ROWS = FUSED_LEVELS_THREADS, ALONE_ENTRIES = 8192 };

struct fused_levels_limits fused_levels_limits(const struct linear_operator *spmv,
                                               const struct multigrid_options *options,
                                               int64_t coarsest)
{
    struct fused_levels_limits limits = {0, 0};
    /* What adds in the order of fused_rows.h. */
    bool same_bits = spmv->space->operations->kind == SPACE_CUDA &&
                     strcmp(spmv->kernel->component.name, "cuda_sym_bitwise") == 0 &&
                     kernel_precision(spmv->kernel, &spmv->options) == PRECISION_DOUBLE;
    if (same_bits && !options->apart) {
        limits.rows =
            (int64_t)FUSED_LEVELS_THREADS * CUDA_PART(fused_levels_blocks_cuda)(spmv->space);
        limits.entries = ENTRIES * limits.rows;
        if (coarsest * coarsest > limits.entries)
            limits = (struct fused_levels_limits){0, 0};
    }
    return limits;
}

bool fused_levels_takes(const struct fused_levels_limits *limits, const struct csr *A)
{
    return A->n <= limits->rows && csr_nnz_full(A) <= limits->entries;
}

/* The steps on their way. */
struct steps {
    struct cycle cycle;
    int blocks;
    int64_t count, members; /* members: elements that the restriction of the step at hand sums */
    struct fused_levels_step *step; /* the last one is at hand: step[count] */
};

static struct fused_levels_step *at_hand(struct steps *steps)
{
    return &steps->step[steps->count];
}

/* The step at hand is one over the n rows of a level, with so many entries. */
static void end_step(struct steps *steps, int64_t n, int64_t entries)
{
    struct fused_levels_step *step = at_hand(steps);
    entries += 2 * steps->members; /* of b and q */
    steps->members = 0;
    step->n = n;
    step->alone = steps->blocks == 1 || (n <= ALONE_ROWS && entries <= ALONE_ENTRIES);
    steps->count++;
}

static void end_at(struct steps *steps, const struct level *level)
{
    end_step(steps, level->n, 2 * level->nnz - level->n);
}

static void multiply(struct steps *steps, const struct level *level, const void *x)
{
    at_hand(steps)->A = *CUDA_PART(fused_rows_of)(level->spmv);
    at_hand(steps)->multiplied = x;
}

static void keep_product(struct steps *steps, const struct level *level)
{
    at_hand(steps)->product = level->q;
    end_at(steps, level);
}

/* x = S(0, b), which begins in the step at hand, or S(x, b), which does not. */
static void smooth(struct steps *steps, const struct level *level, bool from_zero)
{
    const struct multigrid *m = steps->cycle.m;
    for (int64_t k = 0; k < m->degree; k++) {
        struct smooth work = cycle_step(&steps->cycle, level, k, from_zero, false);
        if (work.q)
            multiply(steps, level, k == 0 ? level->x : level->d);
        if (work.q && cycle_waits(cycle_kind(m, level, k, from_zero, false)))
            keep_product(steps, level);
        at_hand(steps)->smooth = work;
        at_hand(steps)->smooths = true;
        end_at(steps, level);
    }
}

static void solve(struct steps *steps, const struct level *last)
{
    at_hand(steps)->solve =
        (struct dense_solve){last->n, steps->cycle.m->hierarchy.coarsest_inverse, last->b, last->x};
    end_step(steps, last->n, last->n * last->n);
}

/* The restriction makes b of the rows that the first step of a smoothing begins with. */
static void go_down(struct steps *steps, const struct level *level, bool smooths_next)
{
    smooth(steps, level, true);
    multiply(steps, level, level->x);
    keep_product(steps, level);
    at_hand(steps)->restriction = cycle_restriction(&steps->cycle, level);
    steps->members = level->members;
    if (!smooths_next)
        end_at(steps, level + 1);
}

static void go_up(struct steps *steps, const struct level *level)
{
    at_hand(steps)->prolongation = cycle_prolongation(&steps->cycle, level);
    end_at(steps, level);
    smooth(steps, level, false);
}

static void list_steps(struct steps *steps, int first)
{
    const struct hierarchy *h = &steps->cycle.m->hierarchy;
    const struct level *levels = h->levels;
    int last = h->count - 1;
    for (int k = first; k < last; k++)
        go_down(steps, &levels[k], k + 1 < last || !h->coarsest_inverse);
    if (h->coarsest_inverse)
        solve(steps, &levels[last]);
    for (int k = 0; k < LAST_SMOOTHINGS && !h->coarsest_inverse; k++)
        smooth(steps, &levels[last], k == 0);
    for (int k = last - 1; k >= first; k--)
        go_up(steps, &levels[k]);
    for (int64_t s = 0; s < steps->count; s++)
        steps->step[s].meets =
            !steps->step[s].alone || (s + 1 < steps->count && !steps->step[s + 1].alone);
}

enum status fused_levels_create(struct multigrid *m, struct error *error)
{
    static const char *const what = "the small levels of a multigrid";
    struct hierarchy *h = &m->hierarchy;
    struct space *space = h->space;
    int first = h->count;
    while (first > 1 && space->operations->kind == SPACE_CUDA &&
           CUDA_PART(fused_rows_of)(h->levels[first - 1].spmv))
        first--;
    if (first == h->count)
        return STATUS_OK;
    int64_t smoothings = 2 * (h->count - first) + LAST_SMOOTHINGS;
    int64_t most = smoothings * (2 * m->degree + 2);
    struct steps steps = {.cycle = {.m = m, .levels = h->levels},
                          .blocks = CUDA_PART(fused_levels_blocks_cuda)(space)};
    steps.step = memory_zeros(most, sizeof *steps.step, what, error);
    if (!steps.step)
        return STATUS_MEMORY;
    list_steps(&steps, first);
    enum status status = space->operations->allocate(space, steps.count, sizeof *steps.step, what,
                                                     (void **)&m->fused_levels.steps, error);
    if (!status)
        status = space->operations->upload(space, steps.count * (int64_t)sizeof *steps.step,
                                           steps.step, m->fused_levels.steps, error);
    memory_free(steps.step);
    if (status)
        return status;
    m->fused_levels.first = first;
    m->fused_levels.blocks = steps.blocks;
    m->fused_levels.count = steps.count;
    return STATUS_OK;
}

void fused_levels_free(struct space *space, struct fused_levels *fused_levels)
{
    space_release(space, fused_levels->steps);
    *fused_levels = (struct fused_levels){0};
}
