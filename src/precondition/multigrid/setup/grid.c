#include "precondition/multigrid/setup/grid.h"

#include "base/memory.h"
#include "base/threads.h"
#include "precondition/multigrid/setup/grid_rows.h"
#include "precondition/multigrid/setup/samples.h"
#include "precondition/multigrid/setup/slab.h"

#include <math.h>
#include <string.h>

/* --- the neighbours of a cell ---------------------------------------------------------------- */

static void add_neighbour(const struct cells *cells, const int step[3], struct neighbours *made)
{
    int64_t offset = step[0] + cells->n[0] * (step[1] + cells->n[1] * step[2]);
    for (int axis = 0; axis < 3; axis++)
        if (step[axis] != 0 && cells->n[axis] == 1)
            return;
    if (offset <= 0)
        return;
    int k = made->count++, at = k;
    made->offset[k] = offset;
    memcpy(made->step[k], step, 3 * sizeof *step);
    made->at_step[neighbours_step(step[0], step[1], step[2])] = k;
    for (; at > 0 && made->offset[made->sorted[at - 1]] > offset; at--)
        made->sorted[at] = made->sorted[at - 1];
    made->sorted[at] = k;
}

struct neighbours neighbours_of(const struct cells *cells)
{
    struct neighbours made = {0};
    memset(made.at_step, -1, sizeof made.at_step);
    for (int axis = 0; axis < 3; axis++)
        add_neighbour(cells, (const int[3]){axis == 0, axis == 1, axis == 2}, &made);
    made.along = made.count;
    for (int z = 0; z <= 1; z++)
        for (int y = -1; y <= 1; y++)
            for (int x = -1; x <= 1; x++)
                if ((x != 0) + (y != 0) + (z != 0) > 1 && (z > 0 || y > 0))
                    add_neighbour(cells, (const int[3]){x, y, z}, &made);
    made.distinct = true;
    for (int s = 1; s < made.count; s++)
        made.distinct =
            made.distinct && made.offset[made.sorted[s - 1]] != made.offset[made.sorted[s]];
    return made;
}

/* --- a walk over a tile of cells ------------------------------------------------------------- */

static inline __attribute__((always_inline)) void walk(const struct csr *A,
                                                       const struct cells *cells, uint32_t block,
                                                       int64_t base, int64_t begin, int64_t end,
                                                       struct survey *survey)
{
    const struct neighbours all = neighbours_of(cells);
    const int64_t n[3] = {cells->n[0], cells->n[1], cells->n[2]};
    double sums[SURVEY_LANES][3] = {{0}};
    struct cell cell = cell_of(n, begin);
    for (int64_t node = begin; node < end; node++) {
        if (!survey_cell(A, n, &all, block, node - base, &cell, sums[(node - begin) % SURVEY_LANES],
                         survey->count)) {
            survey->fits = false;
            return;
        }
        for (int axis = 0; axis < 3 && ++cell.at[axis] == n[axis]; axis++)
            cell.at[axis] = 0;
    }
    for (int axis = 0; axis < 3; axis++)
        for (int lane = 0; lane < SURVEY_LANES; lane++)
            survey->sum[axis] += sums[lane][axis];
}

int64_t survey_base(const struct surveyor *by, const struct cells *cells)
{
    return by->slab ? by->slab->fine.base / cells->block : 0;
}

struct look {
    const struct surveyor *by;
    const struct cells *cells;
    struct survey *of; /* each tile */
    int64_t first;     /* tiles from there on */
};

static void look_at_tiles(void *context, int64_t tile, int64_t last)
{
    const struct look *look = context;
    int64_t nodes = cells_count(look->cells), step = survey_tile(nodes);
    int64_t base = survey_base(look->by, look->cells);
    for (tile += look->first, last += look->first; tile < last; tile++) {
        int64_t begin = tile * step, end = begin + step < nodes ? begin + step : nodes;
        look->of[tile] = (struct survey){.fits = true};
        if (look->cells->block == 1)
            walk(look->by->A, look->cells, 1, base, begin, end, &look->of[tile]);
        else
            walk(look->by->A, look->cells, (uint32_t)look->cells->block, base, begin, end,
                 &look->of[tile]);
    }
}

enum status survey_host(const struct surveyor *by, const struct cells *cells, int64_t first,
                        int64_t last, struct survey *of, struct error *error)
{
    (void)error;
    struct look look = {by, cells, of, first};
    threads_each(threads_lent(), last - first, look_at_tiles, &look);
    return STATUS_OK;
}

/* The tiles as one. */
static void join_tiles(const struct survey *tiles, int64_t count, struct survey *survey)
{
    *survey = tiles[0];
    for (int64_t t = 1; t < count && survey->fits; t++) {
        survey->fits = tiles[t].fits;
        for (int axis = 0; axis < 3; axis++) {
            survey->sum[axis] += tiles[t].sum[axis];
            survey->count[axis] += tiles[t].count[axis];
        }
    }
}

/* Each rank has looked at the tiles from begin[rank] on. */
static enum status gather_tiles(const struct slab *slab, int64_t *begin, struct survey *of,
                                struct error *error)
{
    struct exchange *exchange = slab->ranks->partition.exchange;
    const struct survey *own = of + begin[exchange->rank];
    for (int r = 0; r <= exchange->count; r++)
        begin[r] *= (int64_t)sizeof *of;
    return exchange->operations->gather(exchange, own, begin, of, error);
}

/* Of several ranks each looks at the tiles that begin in its own rows. */
static enum status survey_all(const struct surveyor *by, const struct cells *cells,
                              struct survey *survey, struct error *error)
{
    static const char *const what = "the couplings of a grid";
    const struct partition *partition = by->slab ? &by->slab->ranks->partition : NULL;
    int ranks = partition ? partition->exchange->count : 1;
    int rank = partition ? partition->exchange->rank : 0;
    int64_t nodes = cells_count(cells), rows = survey_tile(nodes) * cells->block;
    int64_t *begin = memory_zeros(ranks + 1, sizeof *begin, what, error);
    struct survey *of = memory_array(survey_tiles(nodes), sizeof *of, what, error);
    enum status status = begin && of ? STATUS_OK : STATUS_MEMORY;
    for (int r = 1; r <= ranks && !status; r++)
        begin[r] = partition ? (partition->begin[r] + rows - 1) / rows : survey_tiles(nodes);
    if (!status)
        status = by->survey(by, cells, begin[rank], begin[rank + 1], of, error);
    if (!status && partition)
        status = gather_tiles(by->slab, begin, of, error);
    if (!status)
        join_tiles(of, survey_tiles(nodes), survey);
    memory_free(begin);
    memory_free(of);
    return status;
}

static void take_strengths(const struct survey *survey, struct cells *cells)
{
    cells->along = 0;
    for (int axis = 0; axis < 3; axis++) {
        int64_t count = survey->count[axis];
        cells->strength[axis] = count > 0 ? survey->sum[axis] / (double)count : 0;
        cells->along += count;
    }
}

enum status cells_measure(const struct surveyor *by, struct cells *cells, struct error *error)
{
    struct survey survey;
    enum status status = survey_all(by, cells, &survey, error);
    if (!status)
        take_strengths(&survey, cells);
    return status;
}

/* --- finding a grid -------------------------------------------------------------------------- */

/* Whether a cell has neighbours at all distances that samples of A have: else A does not fit. */
static bool may_fit(const struct cells *cells, const struct distances *found)
{
    const struct neighbours all = neighbours_of(cells);
    bool fits = true;
    for (int d = 0; d < found->count && fits; d++) {
        int k = 0;
        while (k < all.count && all.offset[k] != found->of[d])
            k++;
        fits = k < all.count;
    }
    return fits;
}

/* The cells of a line, and those of a plane, by the distances: the neighbour along the next axis,
 * or one beside it, is the nearest of those that are not in the line (the plane). */
enum status cells_find(const struct surveyor *by, int64_t block, struct cells *cells,
                       struct error *error)
{
    const struct csr *A = by->slab ? by->slab->A : by->A;
    struct distances offsets;
    int64_t nodes = A->n / block;
    *cells = (struct cells){.block = block};
    enum status status = samples_distances(A, by->slab, block, &offsets, error);
    if (status)
        return status;
    for (int k = 1; k < 2 * offsets.count && offsets.of[0] == 1; k++) { /* of[0] is in the line */
        int64_t line = k == 1 ? nodes : offsets.of[k / 2] + k % 2;
        for (int m = 0; m < 4 * offsets.count && line >= 2 && nodes % line == 0; m++) {
            int64_t beside[4] = {0, 1, line, line + 1};
            int64_t plane = m == 0 ? nodes : offsets.of[m / 4] + beside[m % 4];
            if (plane < line || plane % line != 0 || nodes % plane != 0)
                continue;
            struct cells tried = {.n = {line, plane / line, nodes / plane}, .block = block};
            memcpy(tried.first, tried.n, sizeof tried.first);
            memcpy(tried.before, tried.n, sizeof tried.before);
            if (!may_fit(&tried, &offsets))
                continue;
            struct survey survey;
            status = survey_all(by, &tried, &survey, error);
            if (status)
                return status;
            if (survey.fits) {
                *cells = tried;
                take_strengths(&survey, cells);
                return STATUS_OK;
            }
        }
    }
    return STATUS_OK;
}

/* --- aggregates ------------------------------------------------------------------------------ */

/* Aggregates along an axis of at least 2 cells. */
static int64_t halved_size(const struct cells *cells, int axis)
{
    int64_t n = cells->n[axis];
    int halvings = cells->halvings[axis];
    double last = cells_width(cells, axis, halvings, n, n - 1);
    return n % 2 == 1 && 2 * last > cells_width(cells, axis, halvings, n, 0) ? n / 2 + 1 : n / 2;
}

void cells_halve(struct cells *cells, const bool halved[3])
{
    struct cells fine = *cells;
    for (int axis = 0; axis < 3; axis++) {
        cells->before[axis] = fine.n[axis];
        cells->n[axis] = halved[axis] ? halved_size(&fine, axis) : fine.n[axis];
        cells->halvings[axis] += halved[axis];
    }
}
