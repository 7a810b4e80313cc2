/* The kernels that promise equal bits, under schedules that are as bad as can be had: other numbers
 * of threads, parts in random order, late threads, several threads on one processor. Three kernels
 * made here promise the same and break it, each in another way: the comparison has to see that. */
#include "made.h"
#include "support.h"

#include "base/hash.h"
#include "base/threads.h"
#include "spaces.h"
#include "spmv/host_product.h"
#include "spmv/kernel.h"
#include "spmv/precision.h"
#include "spmv/schedules.h"

#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

static const int thread_counts[] = {1, 16, 3, 7};
enum { THREAD_COUNTS = sizeof thread_counts / sizeof *thread_counts, ROUNDS = 24 };

/* ---- the ones that break it ------------------------------------------------------------------ */

static struct {
    const struct csr *A;
    struct threads *threads;
    int64_t parts;
} broken;

static void destroy_broken(void *state)
{
    (void)state;
}

/* Add the products of the rows of a part of the upper triangle, its mirrored entries too. */
static void add_part(int64_t part, int64_t parts, const double *x, double *y)
{
    const struct csr *A = broken.A;
    for (int64_t i = A->n * part / parts; i < A->n * (part + 1) / parts; i++)
        for (int64_t p = A->offsets[i]; p < A->offsets[i + 1]; p++) {
            int64_t j = A->columns[p];
            ATOMIC_ADD(&y[i], A->values[p] * x[j]);
            if (j == i)
                continue;
            ATOMIC_ADD(&y[j], A->values[p] * x[i]);
        }
}

static void add_parts(void *context, int64_t turn, int64_t last)
{
    const struct operands *operands = context;
    for (; turn < last; turn++)
        add_part(schedule_part(turn, broken.parts), broken.parts, operands->x, operands->y);
}

static enum status apply_as_it_arrives(void *state, const struct operands *operands,
                                       struct error *error)
{
    (void)state, (void)error;
    struct operands copy = *operands;
    memset(copy.y, 0, (size_t)broken.A->n * sizeof(double));
    threads_each(broken.threads, broken.parts, add_parts, &copy);
    return STATUS_OK;
}

static void add_to_own(void *context, int64_t part, int64_t last)
{
    const struct operands *operands = context;
    for (double *own = operands->y; part < last; part++)
        add_part(part, broken.parts, operands->x, own + part * broken.A->n);
}

/* A vector for each thread, and these added in their order. */
static enum status apply_by_threads(void *state, const struct operands *operands,
                                    struct error *error)
{
    (void)state;
    double *y = operands->y;
    int64_t n = broken.A->n, parts = broken.parts;
    double *own = memory_zeros(parts * n, sizeof *own, "a vector a thread", error);
    ck_assert_ptr_nonnull(own);
    threads_each(broken.threads, parts, add_to_own, &(struct operands){.x = operands->x, .y = own});
    memset(y, 0, (size_t)n * sizeof *y);
    for (int64_t part = 0; part < parts; part++)
        for (int64_t i = 0; i < n; i++)
            y[i] += own[part * n + i];
    memory_free(own);
    return STATUS_OK;
}

static enum status apply_right(void *state, const struct operands *operands, struct error *error)
{
    (void)state, (void)error;
    csr_multiply(broken.A, operands->x, operands->y);
    return STATUS_OK;
}

struct dot {
    const double *x, *y;
    double sum;
};

static void add_dots(void *context, int64_t turn, int64_t last)
{
    struct dot *dot = context;
    for (int64_t n = broken.A->n; turn < last; turn++) {
        double its = 0;
        int64_t part = schedule_part(turn, broken.parts);
        for (int64_t i = n * part / broken.parts; i < n * (part + 1) / broken.parts; i++)
            its = fma(dot->x[i], dot->y[i], its);
        ATOMIC_ADD(&dot->sum, its);
    }
}

/* y is right: the sum of the parts of x . y alone is not. */
static enum status apply_dot_as_it_arrives(void *state, const struct operands *operands,
                                           struct error *error)
{
    struct dot made = {operands->x, operands->y, 0};
    apply_right(state, operands, error);
    threads_each(broken.threads, broken.parts, add_dots, &made);
    if (operands->dot)
        *operands->dot = made.sum;
    return STATUS_OK;
}

#define BROKEN(kernel_name, letter, its_apply, its_can)                                            \
    static enum status setup_##letter(const struct csr *A, const struct kernel_options *options,   \
                                      struct linear_operator *made, struct error *error)           \
    {                                                                                              \
        static const struct operator_table table = {.destroy = destroy_broken,                     \
                                                    .apply = its_apply};                           \
        (void)options, (void)error;                                                                \
        broken.A = A;                                                                              \
        broken.threads = made->space->threads;                                                     \
        broken.parts = threads_count(broken.threads);                                              \
        made->table = &table;                                                                      \
        made->can = its_can;                                                                       \
        return STATUS_OK;                                                                          \
    }                                                                                              \
    static const struct kernel broken_##letter = {                                                 \
        .component = KERNEL_COMPONENT(kernel_name, "breaks its promise", NULL),                    \
        .space = SPACE_CPU,                                                                        \
        .storage = STORAGE_UPPER,                                                                  \
        .kinds = CSR_SYMMETRIC,                                                                    \
        .guarantee = GUARANTEE_BITWISE,                                                            \
        .setup = setup_##letter};

BROKEN("adds to y as it arrives", a, apply_as_it_arrives, 0)
BROKEN("adds a vector of each thread", b, apply_by_threads, 0)
BROKEN("adds to x . y as it arrives", c, apply_dot_as_it_arrives, OPERATOR_DOT)

static const struct kernel *const broken_kernels[] = {&broken_a, &broken_b, &broken_c};

/* ---- the comparison -------------------------------------------------------------------------- */

static cpu_set_t all_processors;

static void move_thread(void *context, int64_t thread, int64_t last)
{
    const uint64_t *seed = context;
    for (; thread < last; thread++) {
        cpu_set_t one = all_processors;
        uint64_t its = *seed + (uint64_t)thread;
        int64_t skip = test_random_below(&its, CPU_COUNT(&all_processors));
        for (int c = 0; c < CPU_SETSIZE; c++)
            if (CPU_ISSET(c, &all_processors) && skip-- != 0)
                CPU_CLR(c, &one);
        if (sched_setaffinity(0, sizeof one, &one) != 0)
            perror("a thread stays where it is");
    }
}

/* Every thread to a processor of its own choice, so that some share one while another is idle. */
static void move_threads(struct threads *threads, uint64_t *state)
{
    uint64_t seed = (uint64_t)test_random_below(state, INT64_MAX);
    threads_each(threads, threads_count(threads), move_thread, &seed);
}

enum { COLUMNS = 8 };

/* Of y = A x with x . y, and of Y = A X, which begins where x does. */
static uint64_t hash_of_product(struct linear_operator *spmv, const double *x, double *y)
{
    struct error error;
    double dot = NAN;
    struct operator_columns several;
    expect_ok(operator_columns_create(spmv, COLUMNS, &several, &error), &error);
    for (int64_t i = 0; i < spmv->n; i++)
        y[i] = NAN;
    expect_ok(operator_apply_dot(spmv, x, y, &dot, &error), &error);
    uint64_t hash = hash_doubles(hash_doubles(HASH_START, y, spmv->n), &dot, 1);
    for (int64_t i = 0; i < COLUMNS * spmv->n; i++)
        y[i] = NAN;
    expect_ok(operator_columns_apply(&several, x, y, &error), &error);
    operator_columns_destroy(&several);
    return hash_doubles(hash, y, COLUMNS * spmv->n);
}

struct product {
    struct linear_operator *spmv;
    const double *x;
    double *y;
    uint64_t hash;
};

static void multiply(void *context, int64_t begin, int64_t end)
{
    struct product *product = context;
    if (begin < end)
        product->hash = hash_of_product(product->spmv, product->x, product->y);
}

/* How many different products it makes, x . y included, with different numbers of threads, and by
 * one of them in the midst of a loop; 0 when it does not take this matrix with these options. */
static int different_products(const struct kernel *kernel, const struct kernel_options *options,
                              const struct csr *A, uint64_t *state)
{
    struct error error;
    uint64_t seen[THREAD_COUNTS * ROUNDS];
    int different = 0;
    double *x = host_vector(COLUMNS * A->n), *y = host_vector(COLUMNS * A->n);
    host_randomise(x, COLUMNS * A->n, state);
    for (int t = 0; t < THREAD_COUNTS; t++) {
        struct linear_operator spmv;
        struct space *space = test_space(SPACE_CPU, REDUCTIONS_REPRODUCIBLE, thread_counts[t]);
        enum status status = operator_create(kernel, A, options, space, &spmv, &error);
        if (status == STATUS_CONFIG) {
            space->operations->destroy(space);
            break;
        }
        expect_ok(status, &error);
        for (int round = 0; round < ROUNDS; round++) {
            struct product product = {&spmv, x, y, 0};
            move_threads(space->threads, state);
            schedule_shuffle(state);
            if (round % 4 == 3)
                threads_each(space->threads, 1, multiply, &product);
            else
                multiply(&product, 0, 1);
            int k = 0;
            while (k < different && seen[k] != product.hash)
                k++;
            if (k == different)
                seen[different++] = product.hash;
        }
        schedule_end();
        sched_setaffinity(0, sizeof all_processors, &all_processors);
        operator_destroy(&spmv);
        space->operations->destroy(space);
    }
    memory_free(x);
    memory_free(y);
    return different;
}

static void begin(struct csr *A)
{
    struct error error;
    struct fe_mesh mesh = {{16, 15, 14}, 3, 1e-3, .seed = 1};
    expect_ok(fe_mesh_create(&mesh, A, &error), &error);
    ck_assert_int_eq(sched_getaffinity(0, sizeof all_processors, &all_processors), 0);
}

/* The options after these, each parameter that is a choice from its first to its last; false behind
 * the last ones. */
static bool next_options(const struct kernel *kernel, struct kernel_options *options)
{
    for (int k = 0; k < kernel_parameter_count(kernel); k++) {
        if (!kernel->component.parameters[k].choices)
            continue;
        if (++options->values[k] <= parameter_last(&kernel->component.parameters[k]))
            return true;
        options->values[k] = 0;
    }
    return false;
}

START_TEST(promises_are_kept)
{
    uint64_t state = test_seed();
    struct csr A;
    begin(&A);
    int count, held = 0;
    const struct kernel *const *kernels = kernel_list(&count);
    for (int k = 0; k < count; k++) {
        if (kernels[k]->space != SPACE_CPU)
            continue;
        struct kernel_options options = kernel_defaults(kernels[k]);
        for (int p = 0; p < kernel_parameter_count(kernels[k]); p++)
            if (kernels[k]->component.parameters[p].choices)
                options.values[p] = 0;
        do {
            if (kernel_guarantee(kernels[k], &options) != GUARANTEE_BITWISE)
                continue;
            int different = different_products(kernels[k], &options, &A, &state);
            ck_assert_msg(different <= 1, "%s: %d different products", kernels[k]->component.name,
                          different);
            held += different;
        } while (next_options(kernels[k], &options));
    }
    printf("%d kernels and forms\n", held);
    ck_assert_int_ge(held, 3 + 4 * 2); /* cpu_sym_bitwise has four forms, with and without codes */
    csr_free(&A);
}
END_TEST

START_TEST(a_broken_promise_is_seen)
{
    uint64_t state = test_seed();
    struct csr A;
    begin(&A);
    for (size_t k = 0; k < sizeof broken_kernels / sizeof *broken_kernels; k++) {
        int different = different_products(broken_kernels[k], NULL, &A, &state);
        ck_assert_msg(different > 1, "a kernel that %s: %d products",
                      broken_kernels[k]->component.name, different);
        printf("a kernel that %s: %d different products\n", broken_kernels[k]->component.name,
               different);
    }
    csr_free(&A);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {promises_are_kept, a_broken_promise_is_seen, NULL};
    return suite_of("spmv/schedules", tests);
}
