/* summary.json of results that were never solved: what belongs to a method. */
#include "program/record/results.h"

#include "io/text_file.h"
#include "main/program.h"
#include "options.h"
#include "solver/cg/cg.h"
#include "solver/lanczos/lanczos.h"
#include "support.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static double values[] = {-2, 1e-3}, residuals[] = {1e-12, NAN};

static const int64_t devices[] = {3, 0};
static int devices_count; /* that solve together; 0: one */

/* The summary of one run with that result; the caller calls json_decref. */
static json_t *written(const struct solver_options *options, const struct solver_result *result)
{
    struct error error;
    struct study_run run = {.run = 1, .history = 1, .result = *result};
    struct study_kernel kernel = {.label = "k",
                                  .kernel = kernel_find("cpu_csr"),
                                  .threads = 1,
                                  .runs_count = 1,
                                  .runs = &run,
                                  .distinct_histories = 1,
                                  .first_divergence = -1,
                                  .first_apart = -1,
                                  .time_split = result->time_split};
    struct settings settings = {
        .problem.matrix = {component_find(COMPONENT_PROBLEM, "poisson3d"), NULL},
        .problem.rhs = {component_find(COMPONENT_RHS, "ones"), NULL},
        .solver.preconditioner =
            test_options(COMPONENT_PRECONDITIONER, "chebyshev", "high=2", NULL),
        .problem.start = {component_find(COMPONENT_START, "zero"), NULL},
        .solver.options = *options,
        .study.kernels_count = 1,
    };
    settings.output.directory = (char *)temporary_path("summary");
    struct linear_system system = {.columns = 1};
    struct machine machine;
    machine_describe(&machine);
    strcpy(machine.device, "none");
    machine.devices = devices;
    machine.devices_count = devices_count;
    expect_ok(csr_create(&system.A, CSR_SYMMETRIC, 1, 1, &error), &error);
    system.A.offsets[1] = 1;
    expect_ok(directory_make(settings.output.directory, &error), &error);
    expect_ok(summary_json_write(settings.output.directory, &settings.problem, &settings.solver,
                                 &system, &machine, &kernel, 1, SUMMARY_COMPLETE, &error),
              &error);
    csr_free(&system.A);
    options_free(&settings.solver.preconditioner);
    return read_summary(settings.output.directory);
}

static json_t *first_run(json_t *summary)
{
    return json_array_get(json_object_get(summary_kernel(summary, 0), "runs"), 0);
}

START_TEST(conjugate_gradients_tell_the_condition)
{
    struct solver_options options = {
        .method = &method_cg, .tolerance = 1e-9, .eigen.tolerance = 1e-3};
    struct solver_result result = {.ritz_low = 0.5, .ritz_high = 3, .products = 17};
    json_t *summary = written(&options, &result);
    const char *method;
    double tolerance, low, high, condition;
    json_int_t products;
    json_error_t error;
    ck_assert_msg(json_unpack_ex(summary, &error, 0, "{s:{s:s, s:F}}", "solver", "method", &method,
                                 "tolerance", &tolerance) == 0,
                  "%s", error.text);
    ck_assert_str_eq(method, "cg");
    ck_assert(tolerance == 1e-9);
    ck_assert_ptr_null(json_object_get(json_object_get(summary, "solver"), "eigen"));
    /* what the component takes, whether the config gives it, leaves it to its default or out */
    ck_assert_msg(json_unpack_ex(summary, &error, 0, "{s:{s:{s:s, s:I, s:n, s:F!}}}", "solver",
                                 "preconditioner", "type", &method, "degree", &products, "low",
                                 "high", &high) == 0,
                  "%s", error.text);
    ck_assert_str_eq(method, "chebyshev");
    ck_assert(products == 4 && high == 2);
    ck_assert_msg(json_unpack_ex(first_run(summary), &error, 0, "{s:F, s:F, s:F, s:I}", "ritz_low",
                                 &low, "ritz_high", &high, "condition", &condition, "products",
                                 &products) == 0,
                  "%s", error.text);
    ck_assert(low == 0.5 && high == 3 && condition == 6 && products == 17);
    ck_assert_ptr_null(json_object_get(first_run(summary), "eigenvalues"));
    json_decref(summary);

    result.ritz_low = 1e-17;
    summary = written(&options, &result);
    ck_assert(json_real_value(json_object_get(first_run(summary), "condition")) == 0x1p49);
    json_decref(summary);

    result.ritz_low = NAN;
    summary = written(&options, &result);
    ck_assert(json_is_null(json_object_get(first_run(summary), "ritz_low")));
    ck_assert(json_is_null(json_object_get(first_run(summary), "condition")));
    json_decref(summary);
}
END_TEST

START_TEST(lanczos_tells_eigenvalues)
{
    enum eigen_met met[] = {EIGEN_MET_ROUNDING, EIGEN_MET_NO};
    struct solver_options options = {
        .method = &method_lanczos,
        .tolerance = 0,
        .eigen = {2, EIGEN_BOTH, 1e-10, REORTHOGONALIZATION_SELECTIVE, 40}};
    struct solver_result result = {.ritz_low = -2,
                                   .ritz_high = 3,
                                   .eigen_count = 2,
                                   .eigenvalues = values,
                                   .eigen_residuals = residuals,
                                   .eigen_met = met,
                                   .eigen_rounding = 0.125,
                                   .eigen_list = EIGEN_LIST_SEARCHED,
                                   .eigen_rounds = 3};
    json_t *summary = written(&options, &result), *missing;
    const char *method, *which, *reorthogonalization, *by, *by_not, *list;
    double tolerance, eigen_tolerance, first, second, residual, rounding;
    json_int_t count, restart, rounds;
    json_error_t error;
    ck_assert_msg(json_unpack_ex(summary, &error, 0, "{s:{s:s, s:F, s:{s:I, s:s, s:F, s:s, s:I!}}}",
                                 "solver", "method", &method, "tolerance", &tolerance, "eigen",
                                 "count", &count, "which", &which, "tolerance", &eigen_tolerance,
                                 "reorthogonalization", &reorthogonalization, "restart",
                                 &restart) == 0,
                  "%s", error.text);
    ck_assert_str_eq(method, "lanczos");
    ck_assert_str_eq(which, "both");
    ck_assert_str_eq(reorthogonalization, "selective");
    ck_assert(tolerance == 1e-10 && eigen_tolerance == 1e-10 && count == 2 && restart == 40);
    ck_assert_msg(json_unpack_ex(first_run(summary), &error, 0,
                                 "{s:[F, F!], s:[F, o!], s:[s, s!], s:F, s:s, s:I}", "eigenvalues",
                                 &first, &second, "eigen_residuals", &residual, &missing,
                                 "eigen_converged_by", &by, &by_not, "eigen_rounding", &rounding,
                                 "eigen_list", &list, "eigen_rounds", &rounds) == 0,
                  "%s", error.text);
    ck_assert(first == -2 && second == 1e-3 && residual == 1e-12 && json_is_null(missing));
    ck_assert_str_eq(by, "rounding");
    ck_assert_str_eq(by_not, "no");
    ck_assert(rounding == 0.125 && rounds == 3);
    ck_assert_str_eq(list, "searched");
    ck_assert(json_is_null(json_object_get(first_run(summary), "condition"))); /* -2 is below 0 */
    json_decref(summary);
}
END_TEST

START_TEST(pieces_that_were_not_measured_are_null)
{
    static const char *const names[] = {"product_seconds", "sums_and_updates_seconds",
                                        "preconditioner_seconds", "projected_matrix_seconds"};
    for (int which = 0; which < 1 << 4; which++) {
        double seconds[4];
        for (int k = 0; k < 4; k++)
            seconds[k] = which >> k & 1 ? 0.125 * (k + 1) : 0;
        struct solver_options options = {.method = &method_cg, .tolerance = 1e-9};
        struct solver_result result = {
            .time_split = {seconds[0], seconds[1], seconds[2], seconds[3]}};
        json_t *summary = written(&options, &result);
        json_t *split = json_object_get(summary_kernel(summary, 0), "time_split");
        ck_assert_uint_eq(json_object_size(split), 4);
        for (int k = 0; k < 4; k++) {
            json_t *piece = json_object_get(split, names[k]);
            ck_assert(seconds[k] > 0 ? json_real_value(piece) == seconds[k] : json_is_null(piece));
        }
        json_decref(summary);
    }
}
END_TEST

/* When it was run, on which host, by which command line. */
START_TEST(the_run_is_told)
{
    struct solver_options options = {.method = &method_cg, .tolerance = 1e-9};
    struct solver_result result = {.products = 1};
    json_t *summary = written(&options, &result), *machine = json_object_get(summary, "machine");
    const char *date = json_string_value(json_object_get(machine, "date"));
    const char *command = json_string_value(json_object_get(machine, "command"));
    char host[128] = "";
    gethostname(host, sizeof host - 1);
    int year, rest[5], length = 0;
    ck_assert_ptr_nonnull(date);
    ck_assert_int_eq(sscanf(date, "%4d-%2d-%2dT%2d:%2d:%2dZ%n", &year, &rest[0], &rest[1], &rest[2],
                            &rest[3], &rest[4], &length),
                     6);
    ck_assert_int_eq(length, 20);
    ck_assert_str_eq(json_string_value(json_object_get(machine, "host")), host);
    ck_assert_ptr_nonnull(command);
    expect_text(command, "test_summary_json");
    ck_assert_ptr_nonnull(json_object_get(machine, "load"));
    json_decref(summary);
}
END_TEST

START_TEST(devices_are_told)
{
    struct solver_options options = {.method = &method_cg, .tolerance = 1e-9};
    struct solver_result result = {.products = 1};
    for (devices_count = 1; devices_count <= 2; devices_count++) {
        json_t *summary = written(&options, &result),
               *machine = json_object_get(summary, "machine");
        json_t *ranks = json_object_get(machine, "ranks");
        json_t *numbers = json_object_get(machine, "devices");
        ck_assert_int_eq(json_integer_value(ranks), devices_count == 2 ? 2 : 0);
        ck_assert_uint_eq(json_array_size(numbers), devices_count == 2 ? 2 : 0);
        for (size_t k = 0; k < json_array_size(numbers); k++)
            ck_assert_int_eq(json_integer_value(json_array_get(numbers, k)), devices[k]);
        json_decref(summary);
    }
    devices_count = 0;
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {
        the_run_is_told,  conjugate_gradients_tell_the_condition, lanczos_tells_eigenvalues,
        devices_are_told, pieces_that_were_not_measured_are_null, NULL};
    return suite_of("program/record/summary_json", tests);
}
