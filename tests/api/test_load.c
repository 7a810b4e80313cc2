/* Plug-ins in the C library: what they bring is named as what is built in. */
#include "support.h"

#include "api/over_grid.h"
#include "base/component.h"
#include "main/copy.h"

#include <pthread.h>

enum { N = HANDLES_N, THREADS = 4 };

static struct cgs_error error;
static struct error *const said = (struct error *)&error;

/* By the plug-in's kernel: its operators, with what the method counts. */
static int64_t solve(const char *const *solver)
{
    static double b[N], x[N];
    struct handles handles;
    struct cgs_result result = {.size = sizeof result};
    for (int i = 0; i < N; i++)
        b[i] = 1 + i % 7;
    expect(handles_create(LIST("kernel", "cpu_csr_descending"), solver, 2, &handles, &error),
           &error);
    expect(cgs_solve(handles.solver, vec(b), vec(NULL), vec(x), &result, &error), &error);
    ck_assert_int_eq(result.reason, CGS_CONVERGED);
    handles_destroy(&handles);
    return result.iterations;
}

static void *load(void *path)
{
    struct cgs_error own;
    expect(cgs_load(path, &own), &own);
    return NULL;
}

/* Of several threads one loads it, while another reads the list. */
static void load_by_threads(const char *example)
{
    pthread_t threads[THREADS];
    int before, after;
    char *path = memory_text(example, "a path", said);
    component_list(COMPONENT_KERNEL, &before);
    for (int t = 0; t < THREADS; t++)
        ck_assert(pthread_create(&threads[t], NULL, load, path) == 0);
    do {
        const struct component *const *list = component_list(COMPONENT_KERNEL, &after);
        ck_assert_ptr_nonnull(list[after - 1]->name);
    } while (after == before);
    for (int t = 0; t < THREADS; t++)
        pthread_join(threads[t], NULL);
    component_list(COMPONENT_KERNEL, &after);
    ck_assert_int_eq(after, before + 1);
    memory_free(path);
}

START_TEST(components_are_named)
{
    struct handles handles;
    const char *path = make_example_plugin();
    expect_error((enum status)handles_create(LIST("kernel", "cpu_csr_descending"), NULL, 1,
                                             &handles, &error),
                 STATUS_CONFIG, said, "kernel wants", "not \"cpu_csr_descending\"", NULL);
    handles_destroy(&handles);
    load_by_threads(path);
    expect(cgs_load(path, &error), &error);
    int64_t without = solve(LIST("method", "cg"));
    ck_assert_int_lt(solve(LIST("method", "cg", "preconditioner", "richardson")), without);
    ck_assert_int_gt(solve(LIST("method", "steepest_descent", "max_iterations", "100000")),
                     without);
}
END_TEST

START_TEST(refusals_have_a_sentence)
{
    ck_assert_int_eq(cgs_load(NULL, &error), CGS_BAD_OPTION);
    ck_assert_int_eq(cgs_load("none.so", NULL), CGS_BAD_INPUT);
    expect_error((enum status)cgs_load("none.so", &error), STATUS_INPUT, said,
                 "none.so: cannot be loaded: No such file", NULL);
    expect_error((enum status)cgs_load(temporary_file("text.so", "text", -1), &error), STATUS_INPUT,
                 said, "text.so: cannot be loaded: ", NULL);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {components_are_named, refusals_have_a_sentence, NULL};
    return suite_of("api/load", tests);
}
