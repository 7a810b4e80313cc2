#include "study/disturbed.h"

#include "made.h"
#include "support.h"

#include "base/random.h"
#include "solver/cg/cg.h"

#include <string.h>

struct given given;
struct fake fake;

static enum status fake_apply(void *state, const struct operands *operands, struct error *error)
{
    (void)error;
    const struct csr *A = state;
    const double *x = operands->x;
    double *y = operands->y;
    csr_multiply(A, x, y);
    fake.product++;
    /* the first product of every run is that of p = b */
    if (memcmp(x, given.b, (size_t)A->n * sizeof *x) == 0) {
        fake.run++;
        fake.product = 0;
    }
    double factor = fake.runs[fake.run].factor;
    if (fake.runs[fake.run].at == fake.product)
        for (int64_t i = 0; i < (factor == LITTLE || factor == LARGE ? 1 : A->n); i++)
            y[i] *= factor;
    return STATUS_OK;
}

static void fake_destroy(void *state)
{
    (void)state;
    fake.destroys++;
}

static const struct operator_table fake_table = {.apply = fake_apply, .destroy = fake_destroy};

static enum status fake_setup(const struct csr *A, const struct kernel_options *options,
                              struct linear_operator *made, struct error *error)
{
    (void)error;
    ck_assert_int_eq(options->values[0], 5);
    fake.run = fake.product = -1;
    fake.setups++;
    made->table = &fake_table;
    made->state = (void *)A;
    made->bytes_per_apply = made->memory_bytes = A->n;
    return STATUS_OK;
}

static const struct parameter fake_parameters[] = {
    KERNEL_INTEGER(0, "five", "must be 5", "3", 1, 9), {0}};

const struct kernel fake_kernel = {
    .component = KERNEL_COMPONENT("fake", "disturbs chosen products", fake_parameters),
    .space = SPACE_CPU,
    .kinds = CSR_SYMMETRIC | CSR_SKEW,
    .setup = fake_setup,
};

void given_grid(void)
{
    struct error error;
    struct poisson3d poisson = {{SIDE, SIDE, SIDE}, {1, 1, 1}, 10, 0, POISSON3D_DIRICHLET};
    expect_ok(poisson3d_create(&poisson, &given.A, &error), &error);
    random_vector(1, N, given.b);
}

enum status try_study(const struct kernel *kernel, int64_t repeats, const struct observer *observer,
                      struct study_kernel *result, struct error *error)
{
    struct space *space;
    struct study_entry entry = {.kernel = kernel, .options = {{5}}, .label = "a label"};
    struct study_system system = {&given.A, given.b, given.number, NULL, 1};
    struct solver_options options = {
        .method = &method_cg, .tolerance = 1e-10, .max_iterations = given.most ? given.most : 200};
    struct space_options wanted = {.reductions = REDUCTIONS_REPRODUCIBLE, .threads = given.threads};
    enum status status = space_cpu_create(&wanted, &space, error);
    if (status)
        return status;
    if (kernel != &fake_kernel)
        entry.options = kernel_defaults(kernel);
    status = study_kernel_run(&entry, &system, space, &options, repeats, observer, result, error);
    space->operations->destroy(space);
    return status;
}

struct study_kernel disturbed(int64_t repeats, const struct disturbance *runs)
{
    struct error error;
    struct study_kernel result;
    fake.runs = runs;
    expect_ok(try_study(&fake_kernel, repeats, NULL, &result, &error), &error);
    ck_assert_str_eq(result.label, "a label");
    ck_assert_ptr_eq(result.kernel, &fake_kernel);
    ck_assert_int_eq(result.runs_count, repeats);
    ck_assert_int_eq(result.bytes_per_apply, given.A.n);
    ck_assert_int_eq(result.memory_bytes, given.A.n);
    ck_assert(result.setup_seconds >= 0);
    for (int64_t k = 0; k < repeats; k++)
        ck_assert_int_eq(result.runs[k].run, k + 1);
    return result;
}

enum status attempt_study(void *kernel, struct error *error)
{
    struct study_kernel result = {0};
    enum status status = try_study(kernel, 2, NULL, &result, error);
    study_kernel_free(&result);
    return status;
}
