/* cuda_rode is its twin, bit for bit, by loads and by its pipeline, also as one of several vectors.
 * Without a device nothing is run, and it says why. */
#include "support.h"

#include "base/memory.h"
#include "cuda_device.h"
#include "spaces.h"
#include "spmv/full_trials.h"
#include "spmv/host_product.h"
#include "spmv/rode_twin.h"

/* split, block, precision, pipeline */
static void choose(int value, struct kernel_options *options)
{
    const struct rode_choice *choice = &rode_choices[value % RODE_CHOICES];
    options->values[0] = choice->split;
    options->values[1] = choice->block;
    options->values[3] = value >= RODE_CHOICES;
}

START_TEST(the_kernel_is_its_twin_bit_for_bit)
{
    struct full_twin rode = {.kernel = "cuda_rode", .multiply = twin_rode_choice, .choose = choose};
    for (int value = 0; value < 2 * RODE_CHOICES; value += test_is_slow() ? 3 : 1)
        rode.values[rode.count++] = value;
    if (cuda_device_is_there())
        full_trial_device(&rode);
}
END_TEST

/* So many rows that a warp has several rounds, the last ones not full. */
START_TEST(columns_in_rounds_have_the_bits_of_one_vector)
{
    enum { ROWS = 33333, WIDTH = 700, COLUMNS = 32 };
    static int64_t lengths[ROWS];
    if (!cuda_device_is_there())
        return;
    uint64_t state = test_seed();
    struct error error;
    struct linear_operator spmv;
    struct csr A;
    for (int64_t i = 0; i < ROWS; i++)
        lengths[i] = i % 100 == 0 ? 600 : i % 3 == 0 ? 16 : 60;
    full_matrix(ROWS, WIDTH, lengths, &state, &A);
    struct space *space = test_space(SPACE_CUDA, REDUCTIONS_REPRODUCIBLE, 0);
    double *x = host_vector(WIDTH * COLUMNS), *y = host_vector(ROWS * COLUMNS);
    double *wanted = host_vector(ROWS * COLUMNS);
    host_randomise(x, WIDTH * COLUMNS, &state);
    for (int pipeline = 0; pipeline < 2; pipeline++) {
        const struct kernel *kernel = kernel_find("cuda_rode");
        struct kernel_options options = kernel_defaults(kernel);
        options.values[3] = pipeline;
        expect_ok(operator_create(kernel, &A, &options, space, &spmv, &error), &error);
        for (int j = 0; j < COLUMNS; j++)
            host_product(&spmv, x + j * WIDTH, wanted + j * ROWS, NULL);
        for (int columns = 2; columns <= COLUMNS; columns *= 2) {
            host_product_columns(&spmv, columns, x, y);
            expect_same_bits("cuda_rode", "rounds", columns, ROWS * columns, wanted, y);
        }
        operator_destroy(&spmv);
    }
    memory_free(x);
    memory_free(y);
    memory_free(wanted);
    space->operations->destroy(space);
    csr_free(&A);
}
END_TEST

START_TEST(numbers_that_do_not_fit_are_refused)
{
    if (!cuda_device_is_there())
        return;
    static const int64_t lengths[] = {3, 40};
    struct error error;
    struct space *space;
    struct linear_operator spmv;
    struct csr A;
    uint64_t state = test_seed();
    const struct kernel *kernel = kernel_find("cuda_rode");
    struct kernel_options options = kernel_defaults(kernel);
    options.values[0] = 500;
    full_matrix(2, 50, lengths, &state, &A);
    space = test_space(SPACE_CUDA, REDUCTIONS_REPRODUCIBLE, 0);
    expect_error(operator_create(kernel, &A, &options, space, &spmv, &error), STATUS_CONFIG, &error,
                 "kernel cuda_rode: split = 500 is not a multiple of block = 32", NULL);
    space->operations->destroy(space);
    csr_free(&A);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {the_kernel_is_its_twin_bit_for_bit,
                            columns_in_rounds_have_the_bits_of_one_vector,
                            numbers_that_do_not_fit_are_refused, NULL};
    return suite_of("spmv/rode_cuda", tests);
}
