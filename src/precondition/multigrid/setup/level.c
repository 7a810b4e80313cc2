/* One level of a hierarchy: its vectors, operator, diagonal and bound. */
#include "base/cuda_part.h"
#include "base/memory.h"
#include "precondition/multigrid/setup/builder.h"

#include "matrix/scale.h"
#include "precondition/diagonal.h"
#include "precondition/multigrid/cycle/fused_rows.h"
#include "precondition/multigrid/distributed/distribute.h"
#include "precondition/multigrid/setup/bound.h"
#include "precondition/multigrid/setup/level_rows.h"
#include "precondition/multigrid/setup/to_float.h"
#include "space/values.h"
#include "spmv/device_csr.h"

#include <inttypes.h>
#include <math.h>

/* Of the largest a_ii of A, and of that times A's rows: the sums of equal rows are rounded alike,
 * so what a level adds to the sum of all entries grows with their number. */
static const double NOTHING = 0x1p-40, NOTHING_OF_ROWS = 0x1p-52;

/* The first wrong row that a rank has, and the largest a_ii. No wrong row: INT64_MAX. */
static enum status join_found(const struct slab *slab, struct diagonal_found *found,
                              struct error *error)
{
    void *gathered;
    found->wrong += found->wrong < INT64_MAX ? slab->fine.base : 0;
    struct partition *partition = &slab->ranks->partition;
    enum status status = partition_gather(partition, found, sizeof *found, &gathered, error);
    const struct diagonal_found *all = gathered;
    for (int r = 0; r < partition->exchange->count && !status; r++) {
        double largest = fmax(found->largest, all[r].largest);
        int64_t positive = found->positive | all[r].positive;
        if (all[r].wrong < found->wrong)
            *found = all[r];
        found->largest = largest;
        found->positive = positive;
    }
    return status;
}

/* Of a coarser level what rounding makes of the sum of a component's entries, which is 0 where all
 * of the component is one row. Where A is not known to be singular, only what could not be
 * smoothed. Of A itself only 0. */
struct diagonal_nothing level_nothing(const struct hierarchy *hierarchy)
{
    double least = hierarchy->nothing;
    if (hierarchy->count == 1)
        return (struct diagonal_nothing){hierarchy->singular ? 0 : 1, 0};
    return (struct diagonal_nothing){-least, hierarchy->singular ? least : 0};
}

enum status take_diagonal(const struct builder *builder, struct level *level, struct error *error)
{
    const struct csr *A = builder->A;
    struct space *space = builder->hierarchy->space;
    struct hierarchy *hierarchy = builder->hierarchy;
    struct diagonal_options options = {.nothing = level_nothing(hierarchy), .looks_right = true};
    struct diagonal_found found = {0};
    enum status status = diagonal_invert(space, A, &options, level->inverse, &found, error);
    found.wrong = found.wrong < A->n ? found.wrong : INT64_MAX;
    if (!status && builder->slab)
        status = join_found(builder->slab, &found, error);
    level->is_m_matrix = found.positive == 0;
    if (!status && hierarchy->count == 1)
        hierarchy->nothing =
            fmax(NOTHING, NOTHING_OF_ROWS * (double)builder->spmv->n) * found.largest;
    if (status || found.wrong == INT64_MAX)
        return status;
    return error_set(error, STATUS_CONFIG,
                     "preconditioner %s: row %" PRId64 " of level %d has %g on the diagonal, "
                     "which must be above 0: for a matrix that is not positive definite take "
                     "the method minres, and no preconditioner",
                     builder->name, found.wrong + 1, hierarchy->count,
                     ldexp(found.value, builder->spmv->exponent));
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
        bool is_wanted;
    } wanted[] = {{&level->inverse, true},
                  {&level->b, cycles && apart},
                  {&level->x, cycles && apart},
                  {&level->q, true},
                  {&level->d, true},
                  {&level->r, cycles}};
    struct space *space = hierarchy->space;
    enum status status = STATUS_OK;
    for (size_t k = 0; k < sizeof wanted / sizeof *wanted && !status; k++)
        if (wanted[k].is_wanted)
            status = space->operations->allocate(space, level->n, element, "a level of a multigrid",
                                                 wanted[k].vector, error);
    return status;
}

static void release_vectors(struct level *level)
{
    void **held[] = {&level->inverse, &level->b, &level->x, &level->q, &level->d, &level->r};
    for (size_t h = 0; h < sizeof held / sizeof *held; h++) {
        space_release(level->space, *held[h]);
        *held[h] = NULL;
    }
}

enum status level_come_back(struct builder *builder, struct error *error)
{
    struct hierarchy *hierarchy = builder->hierarchy;
    struct level *level = &hierarchy->levels[hierarchy->count - 1];
    const struct csr *A = builder->A;
    bool is_given = hierarchy->count == 1 && hierarchy->exponent == 0;
    enum status status =
        is_given ? builder_return(builder, error) : device_csr_fetch(A, &level->coarse, error);
    if (status)
        return status;
    if (!is_given)
        builder->A = &level->coarse;
    device_csr_free(&builder->brought);
    builder->device_setup = NULL;
    return STATUS_OK;
}

/* By the same kernel, with its options where they suit this matrix too: an order of additions does.
 * A form that was asked for may not, and has no bits of its own; then with the defaults. */
static const struct kernel_options *options_for(const struct builder *builder, const struct csr *A)
{
    struct error ignored;
    const struct kernel_options *options = &builder->spmv->options;
    return kernel_check(builder->spmv->kernel, A, options, &ignored) ? NULL : options;
}

/* A small level in the form of fused_rows.h; *suits: whether it has it. */
static enum status make_small(const struct builder *builder, struct level *level, bool single,
                              bool *suits, struct error *error)
{
    *suits = false;
    const struct hierarchy *hierarchy = builder->hierarchy;
    struct csr brought = {0};
    const struct csr *A = builder->A;
    if (hierarchy->count == 1 || !fused_levels_takes(&builder->small, A))
        return STATUS_OK;
    enum status status = STATUS_OK;
    if (!A->space) {
        status = device_csr_bring(hierarchy->space, A, &brought, error);
        A = &brought;
    }
    if (!status)
        status =
            CUDA_PART(fused_rows_create)(hierarchy->space, A, single, &level->own, suits, error);
    device_csr_free(&brought);
    return status;
}

static enum status make_operator(struct builder *builder, struct level *level, struct error *error)
{
    struct space *space = builder->hierarchy->space;
    const struct kernel *kernel = builder->spmv->kernel;
    const struct csr *A = builder->A;
    bool suits;
    enum status status = make_small(builder, level, false, &suits, error);
    return status || suits
               ? status
               : operator_create(kernel, A, options_for(builder, A), space, &level->own, error);
}

/* The matrix at hand, on a device, takes the repeated rows that its operator lends. */
static void take_repeated(struct builder *builder, const struct level *level)
{
    struct csr *own = builder->A == &builder->seen      ? &builder->seen
                      : builder->A == &builder->brought ? &builder->brought
                                                        : NULL;
    if (own && own->space)
        own->repeated = level->spmv->repeated;
}

/* The last level needs no smoother, where it is solved. */
static bool smooths_by_fsai(const struct builder *builder)
{
    return builder->options->smoother == SMOOTHER_FSAI && builder->A->n > builder->coarsest;
}

/* Jacobi leaves out rows that are 0 but for rounding; G has a row for each. */
static enum status smooth_by_fsai(const struct builder *builder, const int32_t *number,
                                  struct level *level, struct error *error)
{
    const struct csr *A = builder->A;
    struct diagonal_nothing nothing = level_nothing(builder->hierarchy);
    struct found found;
    enum status status =
        space_find(A->space, &find_extremes, A->n, &(struct level_rows){.A = *A}, &found, error);
    if (status)
        return status;
    if (-found.most[1] <= nothing.until)
        return error_set(error, STATUS_CONFIG,
                         "preconditioner %s: smoother = \"fsai\": a row of level %d has %g on the "
                         "diagonal, which is 0 but for rounding: take smoother = \"jacobi\"",
                         builder->name, level->number,
                         ldexp(-found.most[1], builder->spmv->exponent));
    return level_fsai_make(builder->name, A, number, level, error);
}

/* What the cycle uses of the level in the place of what set-up did. */
static enum status to_float_level(struct builder *builder, struct level *level, bool first,
                                  struct error *error)
{
    const struct to_float by = {builder->name, builder->spmv, builder->hierarchy->space,
                                builder->hierarchy->count - 1};
    bool suits;
    release_vectors(level);
    struct linear_operator doubles = level->own;
    level->own = (struct linear_operator){0};
    level->spmv = &level->own;
    if (!doubles.repeated.codes) /* which the next form is made of */
        operator_destroy(&doubles);
    struct error why;
    enum status status = make_small(builder, level, true, &suits, &why);
    if (status)
        status = to_float_failed(&by, status, &why, error);
    else if (!suits)
        status = to_float_operator(&by, builder->A, &level->own, error);
    if (doubles.repeated.codes)
        builder->brought.repeated.codes = NULL;
    operator_destroy(&doubles);
    if (!status)
        status = take_vectors(builder->hierarchy, level, first, sizeof(float), error);
    struct diagonal_nothing nothing = level_nothing(builder->hierarchy);
    if (!status)
        status = to_float_diagonal(&by, builder->A, &nothing, level->inverse, error);
    if (status || !smooths_by_fsai(builder))
        return status;
    return level_fsai_to_float(builder->name, first ? builder->hierarchy->exponent : 0, level,
                               error);
}

/* From here on the matrices are in the scale of the cycle. */
static enum status choose_scale(struct builder *builder, struct error *error)
{
    struct hierarchy *hierarchy = builder->hierarchy;
    enum status status = to_float_exponent(builder->A, NULL, &hierarchy->exponent, error);
    if (status || hierarchy->exponent == 0)
        return status;
    if (builder->device_setup) {
        struct csr *own = &builder->brought;
        status =
            own->space ? STATUS_OK : device_csr_bring(hierarchy->space, builder->given, own, error);
        own->host = NULL; /* which is in another scale */
        own->repeated.codes = NULL;
        builder->A = own;
        return status ? status
                      : space_run(hierarchy->space, &pass_values_scaling, own->nnz,
                                  &(struct values_scaling){-hierarchy->exponent, own->values,
                                                           own->values},
                                  error);
    }
    status = csr_scale(builder->A, hierarchy->exponent, &hierarchy->scaled, error);
    builder->A = &hierarchy->scaled;
    return status;
}

enum status level_add(struct builder *builder, const int32_t *number, struct error *error)
{
    struct hierarchy *hierarchy = builder->hierarchy;
    bool first = hierarchy->count == 0;
    struct level *level = &hierarchy->levels[hierarchy->count];
    level->number = hierarchy->count++;
    if (!level->space) /* else ranks will share it */
        level->space = hierarchy->space;
    level->n = builder->A->n;
    level->nnz = builder->A->nnz;
    level->spmv = first ? builder->spmv : &level->own;
    enum status status = take_vectors(hierarchy, level, first, sizeof(double), error);
    if (!status && !first)
        status = make_operator(builder, level, error);
    if (!status)
        take_repeated(builder, level);
    if (!status)
        status = take_diagonal(builder, level, error);
    if (!status)
        status = bound_of(builder->A, number, level, &level->lmax, &hierarchy->singular, error);
    if (!status && smooths_by_fsai(builder))
        status = smooth_by_fsai(builder, number, level, error);
    if (status || hierarchy->precision == PRECISION_DOUBLE)
        return status;
    if (first) {
        status = choose_scale(builder, error);
        hierarchy->nothing = ldexp(hierarchy->nothing, -hierarchy->exponent);
    }
    return status ? status : to_float_level(builder, level, first, error);
}

void level_keep(struct builder *builder)
{
    struct hierarchy *hierarchy = builder->hierarchy;
    if (!hierarchy->keeps_matrices || hierarchy->count < 2 || !builder->brought.space)
        return;
    builder->brought.repeated.codes = NULL;
    hierarchy->levels[hierarchy->count - 1].kept = builder->brought;
    builder->brought = (struct csr){0};
}

void level_free(struct space *space, struct level *level)
{
    aggregates_free(&level->aggregates);
    interpolation_free(&level->P);
    passes_free(&level->joining.passes);
    release_vectors(level);
    legs_free(&level->legs);
    memory_free(level->restricting.begin);
    level_fsai_free(level);
    operator_destroy(&level->own);
    csr_free(&level->coarse);
    device_csr_free(&level->kept);
    distribute_free(level);
    if (level->space != space && level->number > 0) /* made by distribute.c; not the caller's */
        level->space->operations->destroy(level->space);
}
