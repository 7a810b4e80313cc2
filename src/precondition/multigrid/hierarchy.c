#include "precondition/multigrid/hierarchy.h"

#include "base/hash.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/threads.h"
#include "precondition/multigrid/aggregates.h"
#include "precondition/multigrid/bound.h"
#include "precondition/multigrid/grid.h"
#include "precondition/multigrid/last.h"
#include "precondition/multigrid/matching.h"
#include "precondition/multigrid/narrow.h"
#include "precondition/multigrid/rescale.h"
#include "precondition/multigrid/there.h"
#include "spmv/csr_there.h"
#include "spmv/upper/sym_blocks.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* An axis along which the coupling is so much weaker than along the strongest is not coarsened. */
static const double WEAK = 0.25;

/* Of rescale.h, for a grid and for a matching, whose aggregates lie less evenly. */
static const double CORRECTION_GRID = 2, OF_SUM_GRID = 0.625;
static const double CORRECTION_MATCHING = 1.8, OF_SUM_MATCHING = 0.875;

/* Aggregates that keep more of the rows than this are not worth a level. */
static const double STALLS = 0.8;

/* Entries of a matrix that one thread coarsens sooner than several come together. */
enum { ALONE = 65536 };

struct builder {
    const char *name;
    const struct multigrid_options *options;
    struct hierarchy *hierarchy;
    struct linear_operator *spmv; /* over A of level 0 */
    const struct csr *A;          /* of the level at hand */
    /* A is in the memory of the space, and set-up goes on there; NULL: on the host. */
    const struct there *there;
    struct csr brought; /* then A of level 0 */
    struct cells cells; /* n[0] = 0: no grid */
    int64_t block;
};

/* --- one level ------------------------------------------------------------------------------- */

/* Of A on the host. */
static enum status invert_diagonal(struct space *space, const struct csr *A, double *into,
                                   int64_t *first_wrong, double *value, struct error *error)
{
    int64_t n = A->n, wrong = n;
    bool is_here = space->operations->kind == SPACE_CPU;
    double *inverse = is_here ? into : memory_array(n, sizeof *inverse, "the diagonal", error);
    if (!inverse)
        return STATUS_MEMORY;
#pragma omp parallel for schedule(static) reduction(min : wrong)
    for (int64_t i = 0; i < n; i++) {
        double a = A->values[A->offsets[i]];
        inverse[i] = 1 / a;
        if (!(a > 0 && isfinite(inverse[i])) && i < wrong)
            wrong = i;
    }
    *first_wrong = wrong;
    *value = wrong < n ? A->values[A->offsets[wrong]] : 0;
    if (is_here)
        return STATUS_OK;
    enum status status = space_upload(space, n, inverse, into, error);
    memory_free(inverse);
    return status;
}

static enum status take_diagonal(const struct builder *builder, struct level *level,
                                 struct error *error)
{
    const struct csr *A = builder->A;
    struct space *space = builder->hierarchy->space;
    int64_t wrong;
    double value;
    enum status status =
        builder->there
            ? builder->there->diagonal(space, A, false, level->inverse, &wrong, &value, error)
            : invert_diagonal(space, A, level->inverse, &wrong, &value, error);
    if (status || wrong == A->n)
        return status;
    return error_set(error, STATUS_CONFIG,
                     "preconditioner %s: row %" PRId64 " of level %d has %g on the diagonal, "
                     "which must be above 0: for a matrix that is not positive definite take "
                     "the method minres, and chebyshev or none",
                     builder->name, wrong + 1, builder->hierarchy->count, value);
}

static size_t element_size(const struct hierarchy *hierarchy)
{
    return hierarchy->precision == PRECISION_FLOAT ? sizeof(float) : sizeof(double);
}

/* Those that set-up uses, and all where the cycle's are of that size too. */
static enum status take_vectors(const struct hierarchy *hierarchy, struct level *level, bool first,
                                size_t element, struct error *error)
{
    bool cycles = element == element_size(hierarchy), apart = !first || element == sizeof(float);
    struct {
        void **vector;
        bool there;
    } wanted[] = {{&level->inverse, true},
                  {&level->b, cycles && apart},
                  {&level->x, cycles && apart},
                  {&level->q, true},
                  {&level->d, true},
                  {&level->r, cycles}};
    struct space *space = hierarchy->space;
    enum status status = STATUS_OK;
    for (size_t k = 0; k < sizeof wanted / sizeof *wanted && !status; k++)
        if (wanted[k].there)
            status = space->operations->allocate(space, level->n, element, "a level of a multigrid",
                                                 wanted[k].vector, error);
    return status;
}

static void release_vectors(struct space *space, struct level *level)
{
    void **held[] = {&level->inverse, &level->b, &level->x, &level->q, &level->d, &level->r};
    for (size_t h = 0; h < sizeof held / sizeof *held; h++) {
        space_release(space, *held[h]);
        *held[h] = NULL;
    }
}

static void free_matrix(struct space *space, struct csr *A)
{
    if (A->there)
        csr_there_free(space, A);
    else
        csr_free(A);
}

/* The matrix at hand comes to the host, and set-up goes on there. */
static enum status come_back(struct builder *builder, struct level *level, struct error *error)
{
    struct csr here;
    enum status status = csr_there_fetch(builder->hierarchy->space, builder->A, &here, error);
    if (status)
        return status;
    csr_there_free(builder->hierarchy->space, &level->coarse);
    level->coarse = here;
    builder->A = &level->coarse;
    builder->there = NULL;
    return STATUS_OK;
}

/* By the same kernel, with its options where they suit this matrix too: an order of additions does.
 * A form that was asked for may not, and has no bits of its own; then with the defaults. */
static enum status make_operator(struct builder *builder, struct level *level, struct error *error)
{
    struct linear_operator *made = &level->own;
    struct space *space = builder->hierarchy->space;
    const struct kernel *kernel = builder->spmv->kernel;
    const struct kernel_options *options = &builder->spmv->options;
    struct error ignored;
    if (kernel_check(kernel, builder->A, options, &ignored))
        options = NULL;
    if (builder->there) {
        bool suits;
        enum status status =
            operator_create_there(kernel, builder->A, options, space, made, &suits, error);
        if (!status && !suits)
            status = come_back(builder, level, error);
        if (status || suits)
            return status;
    }
    return operator_create(kernel, builder->A, options, space, made, error);
}

/* What the cycle uses of the level in the place of what set-up did. */
static enum status narrow_level(const struct builder *builder, struct level *level, bool first,
                                struct error *error)
{
    const struct narrowing by = {builder->name, builder->spmv, builder->there,
                                 builder->hierarchy->count - 1};
    release_vectors(builder->hierarchy->space, level);
    operator_destroy(&level->own);
    level->spmv = &level->own;
    enum status status = narrow_operator(&by, builder->A, &level->own, error);
    if (!status)
        status = take_vectors(builder->hierarchy, level, first, sizeof(float), error);
    return status ? status : narrow_diagonal(&by, builder->A, level->inverse, error);
}

/* From here on the matrices are in the scale of the cycle. */
static enum status choose_scale(struct builder *builder, struct error *error)
{
    struct hierarchy *hierarchy = builder->hierarchy;
    const struct narrowing by = {builder->name, builder->spmv, builder->there, 0};
    enum status status = narrow_exponent(&by, builder->A, &hierarchy->exponent, error);
    if (status || hierarchy->exponent == 0)
        return status;
    if (builder->there)
        return builder->there->scale(hierarchy->space, &builder->brought, hierarchy->exponent,
                                     error);
    status = narrow_scale(builder->A, hierarchy->exponent, &hierarchy->scaled, error);
    builder->A = &hierarchy->scaled;
    return status;
}

/* The matrix at hand as one more level. */
static enum status add_level(struct builder *builder, const int32_t *number,
                             struct linear_operator *spmv, struct error *error)
{
    struct hierarchy *hierarchy = builder->hierarchy;
    bool first = hierarchy->count == 0;
    struct level *level = &hierarchy->levels[hierarchy->count++];
    level->n = builder->A->n;
    level->nnz = builder->A->nnz;
    level->spmv = first ? spmv : &level->own;
    enum status status = take_vectors(hierarchy, level, first, sizeof(double), error);
    if (!status && !first)
        status = make_operator(builder, level, error);
    if (!status)
        status = take_diagonal(builder, level, error);
    if (!status)
        status =
            bound_of(builder->name, builder->there, builder->A, number, level, &level->lmax, error);
    if (status || hierarchy->precision == PRECISION_DOUBLE)
        return status;
    if (first)
        status = choose_scale(builder, error);
    return status ? status : narrow_level(builder, level, first, error);
}

/* --- from one level to the next -------------------------------------------------------------- */

static struct surveyor surveyor_of(const struct builder *builder)
{
    surveys *survey = builder->there ? builder->there->survey : survey_host;
    return (struct surveyor){survey, builder->hierarchy->space, builder->A};
}

/* The axes along which pairs of cells are joined. */
static enum status choose_axes(struct builder *builder, bool halved[3], struct error *error)
{
    const double *strength = builder->cells.strength;
    if (builder->hierarchy->count > 1) {
        struct surveyor by = surveyor_of(builder);
        enum status status = cells_measure(&by, &builder->cells, error);
        if (status)
            return status;
    }
    double most = fmax(strength[0], fmax(strength[1], strength[2]));
    for (int axis = 0; axis < 3; axis++)
        halved[axis] = builder->cells.n[axis] > 1 && strength[axis] >= WEAK * most;
    return STATUS_OK;
}

static enum status coarsen_grid(struct builder *builder, struct aggregates *made,
                                struct csr *coarse, struct error *error)
{
    bool halved[3];
    enum status status = choose_axes(builder, halved, error);
    if (!status)
        status = cells_aggregate(&builder->cells, halved, made, error);
    return status ? status : coarse_matrix(builder->A, made, coarse, error);
}

static enum status coarsen(struct builder *builder, struct aggregates *made, struct csr *coarse,
                           struct error *error)
{
    if (builder->cells.n[0] > 0)
        return coarsen_grid(builder, made, coarse, error);
    return matching_aggregate(builder->A, builder->block, (int)builder->options->passes, made,
                              coarse, error);
}

static struct rescaling rescaling_of(const struct builder *builder)
{
    bool grid = builder->cells.n[0] > 0;
    double given = builder->options->correction;
    double usual = grid ? CORRECTION_GRID : CORRECTION_MATCHING;
    return (struct rescaling){.correction = given > 0 ? given : usual,
                              .of_sum = grid ? OF_SUM_GRID : OF_SUM_MATCHING,
                              .block = builder->block,
                              .cells = &builder->cells};
}

static enum status upload(struct space *space, const int32_t *host, int64_t count, int32_t **there,
                          struct error *error)
{
    enum status status = space->operations->allocate(space, count, sizeof **there, "the aggregates",
                                                     (void **)there, error);
    return status ? status
                  : space->operations->upload(space, count * (int64_t)sizeof *host, host, *there,
                                              error);
}

/* In the space; of a CPU that is where they are. */
static enum status keep_aggregates(struct space *space, struct aggregates *made,
                                   struct aggregates *kept, struct error *error)
{
    if (space->operations->kind == SPACE_CPU) {
        *kept = *made;
        *made = (struct aggregates){0};
        return STATUS_OK;
    }
    kept->n = made->n;
    kept->count = made->count;
    enum status status = upload(space, made->map, made->n, &kept->map, error);
    if (!status)
        status = upload(space, made->offsets, made->count + 1, &kept->offsets, error);
    return status ? status
                  : upload(space, made->members, made->offsets[made->count], &kept->members, error);
}

static void release_aggregates(struct space *space, struct aggregates *kept)
{
    if (space->operations->kind == SPACE_CPU) {
        aggregates_free(kept);
        return;
    }
    space_release(space, kept->map);
    space_release(space, kept->offsets);
    space_release(space, kept->members);
}

static void take_hash(struct hierarchy *hierarchy, uint64_t map, uint64_t matrix)
{
    hierarchy->hash = hash_word(hash_word(hierarchy->hash, map), matrix);
}

/* Of what stands where: sums, which have no order. */
static void hash_level(struct hierarchy *hierarchy, const struct aggregates *made,
                       const struct csr *coarse)
{
    uint64_t map = 0, matrix = 0;
#pragma omp parallel for schedule(static) reduction(+ : map)
    for (int64_t i = 0; i < made->n; i++)
        map += splitmix64((uint64_t)(int64_t)made->map[i], (uint64_t)i);
#pragma omp parallel for schedule(static) reduction(+ : matrix)
    for (int64_t I = 0; I < coarse->n; I++)
        for (int64_t k = coarse->offsets[I]; k < coarse->offsets[I + 1]; k++) {
            uint64_t bits;
            memcpy(&bits, &coarse->values[k], sizeof bits);
            matrix += splitmix64(bits, (uint64_t)I << 32 | (uint64_t)coarse->columns[k]);
        }
    take_hash(hierarchy, map, matrix);
}

static bool stalls(const struct level *above, int64_t count)
{
    return count == 0 || (double)count > STALLS * (double)above->n;
}

/* The matrix of one more level below `above`, unless it is not worth one. */
static enum status go_below(struct builder *builder, struct level *above, struct csr *coarse,
                            bool *done, struct error *error)
{
    struct hierarchy *hierarchy = builder->hierarchy;
    struct aggregates made = {0};
    struct rescaling by = rescaling_of(builder);
    enum status status = coarsen(builder, &made, coarse, error);
    *done = !status && stalls(above, made.count);
    if (!status && !*done)
        status = rescale(&by, coarse, error);
    if (!status && !*done) {
        hash_level(hierarchy, &made, coarse);
        above->members = made.offsets[made.count];
        status = keep_aggregates(hierarchy->space, &made, &above->aggregates, error);
    }
    aggregates_free(&made);
    return status;
}

static enum status go_below_there(struct builder *builder, struct level *above, struct csr *coarse,
                                  bool *done, struct error *error)
{
    struct hierarchy *hierarchy = builder->hierarchy;
    struct cells *cells = &builder->cells;
    struct rescaling by = rescaling_of(builder);
    uint64_t hash[2];
    bool halved[3];
    enum status status = choose_axes(builder, halved, error);
    if (status)
        return status;
    cells_halve(cells, halved);
    *done = stalls(above, cells->n[0] * cells->n[1] * cells->n[2]);
    if (*done)
        return STATUS_OK;
    above->members = above->n;
    status = builder->there->coarsen(hierarchy->space, builder->A, &by, &above->aggregates, coarse,
                                     hash, error);
    if (!status)
        take_hash(hierarchy, hash[0], hash[1]);
    return status;
}

/* What set-up alone uses of a level. */
static void leave(struct builder *builder, struct level *level)
{
    struct csr *A = level == builder->hierarchy->levels ? &builder->brought : &level->coarse;
    if (A->there)
        csr_there_free(builder->hierarchy->space, A);
}

/* One more level below the last one, unless it is not worth one. */
static enum status descend(struct builder *builder, bool *done, struct error *error)
{
    struct hierarchy *hierarchy = builder->hierarchy;
    struct level *above = &hierarchy->levels[hierarchy->count - 1];
    struct csr coarse = {0};
    enum status status = builder->there ? go_below_there(builder, above, &coarse, done, error)
                                        : go_below(builder, above, &coarse, done, error);
    if (status || *done) {
        free_matrix(hierarchy->space, &coarse);
        return status;
    }
    leave(builder, above);
    struct level *below = &hierarchy->levels[hierarchy->count];
    below->coarse = coarse;
    builder->A = &below->coarse;
    return add_level(builder, NULL, NULL, error);
}

/* --------------------------------------------------------------------------------------------- */

/* Whether some row in four has more than half of its columns in common with the next one, as all
 * but the last one of a node have: of samples, so that most matrices are not looked through. */
static bool shares_columns(const struct csr *A)
{
    enum { SAMPLES = 1024 };
    int64_t samples = A->n - 1 < SAMPLES ? A->n - 1 : SAMPLES, sharing = 0;
    for (int64_t s = 0; s < samples; s++) {
        int64_t i = (A->n - 1) * s / samples, k = A->offsets[i] + 1, end = A->offsets[i + 1];
        int64_t common = 0, length = end - k;
        for (int64_t m = end; m < A->offsets[i + 2]; m++) {
            while (k < end && A->columns[k] < A->columns[m])
                k++;
            common += k < end && A->columns[k] == A->columns[m];
        }
        sharing += 2 * common > length;
    }
    return 4 * sharing >= samples && samples > 0;
}

/* A of level 0 to the memory of the space, where the kernel has gone before; and there is room. */
static enum status go_there(struct builder *builder, struct error *error)
{
    struct space *space = builder->hierarchy->space;
    const struct there *there = space->operations->kind == SPACE_CUDA ? THERE_ON_CUDA : NULL;
    struct error ignored;
    struct csr *brought = &builder->spmv->brought;
    int64_t more = csr_bytes(builder->A) * (brought->there ? 1 : 2);
    if (!there || !builder->spmv->made_there || builder->block > 1 ||
        space->operations->fits(space, more, "", &ignored))
        return STATUS_OK;
    enum status status = STATUS_OK;
    if (!brought->there)
        status = csr_there_bring(space, builder->A, brought, error);
    if (status)
        return status;
    builder->brought = *brought;
    *brought = (struct csr){0};
    builder->there = there;
    builder->A = &builder->brought;
    return STATUS_OK;
}

static enum status look_for_grid(struct builder *builder, struct error *error)
{
    int block = shares_columns(builder->A) ? sym_blocks_find(builder->A) : 0;
    builder->block = block ? block : 1;
    if (builder->options->aggregates == AGGREGATION_MATCHING)
        return STATUS_OK;
    const struct csr *A = builder->A;
    enum status status = go_there(builder, error);
    struct surveyor by = surveyor_of(builder);
    if (!status)
        status = cells_find(&by, A, builder->block, &builder->cells, error);
    if (builder->cells.n[0] == 0) { /* what follows reads A on the host */
        csr_there_free(builder->hierarchy->space, &builder->brought);
        builder->there = NULL;
        builder->A = A;
    }
    if (status || builder->cells.n[0] > 0 || builder->options->aggregates == AGGREGATION_AUTO)
        return status;
    return error_set(error, STATUS_CONFIG,
                     "preconditioner %s: aggregates = \"grid\": the places of A's entries are not "
                     "those of a grid; take \"matching\"",
                     builder->name);
}

static enum status solve_last(struct builder *builder, struct error *error)
{
    struct space *space = builder->hierarchy->space;
    struct csr here = {0};
    enum status status =
        builder->there ? csr_there_fetch(space, builder->A, &here, error) : STATUS_OK;
    if (!status)
        status = last_solve(builder->name, builder->there ? &here : builder->A, builder->hierarchy,
                            error);
    csr_free(&here);
    return status;
}

enum status hierarchy_build(const char *name, const struct multigrid_options *options,
                            const struct csr *A, const int32_t *number,
                            struct linear_operator *spmv, struct hierarchy *hierarchy,
                            struct error *error)
{
    struct builder builder = {
        .name = name, .options = options, .hierarchy = hierarchy, .spmv = spmv, .A = A};
    hierarchy->space = spmv->space;
    hierarchy->precision = (enum precision)options->precision;
    hierarchy->hash = HASH_START;
    if (!spmv->kernel)
        return error_set(error, STATUS_CONFIG,
                         "preconditioner %s: needs a kernel for its coarser matrices, and %s is "
                         "none",
                         name, spmv->name);
    int threads = threads_openmp_use(A->nnz < ALONE ? 1 : threads_openmp());
    enum status status = STATUS_OK;
    if (hierarchy->precision == PRECISION_FLOAT)
        status = narrow_check(name, spmv, error);
    if (!status)
        status = look_for_grid(&builder, error);
    hierarchy->on_grid = builder.cells.n[0] > 0;
    if (!status)
        status = add_level(&builder, number, spmv, error);
    bool done = false;
    while (!status && !done && builder.A->n > options->coarsest &&
           hierarchy->count < OPERATOR_LEVELS) {
        threads_openmp_use(builder.A->nnz < ALONE ? 1 : threads);
        status = descend(&builder, &done, error);
    }
    threads_openmp_use(threads);
    if (!status && builder.A->n <= options->coarsest)
        status = solve_last(&builder, error);
    leave(&builder, &hierarchy->levels[0]);
    if (hierarchy->count > 0)
        leave(&builder, &hierarchy->levels[hierarchy->count - 1]);
    return status;
}

void hierarchy_free(struct hierarchy *hierarchy)
{
    struct space *space = hierarchy->space;
    for (int k = 0; k < hierarchy->count; k++) {
        struct level *level = &hierarchy->levels[k];
        release_aggregates(space, &level->aggregates);
        release_vectors(space, level);
        operator_destroy(&level->own);
        free_matrix(space, &level->coarse);
    }
    if (hierarchy->last_inverse)
        space_release(space, hierarchy->last_inverse);
    memory_free(hierarchy->scaled.values);
    memset(hierarchy, 0, sizeof *hierarchy);
}
