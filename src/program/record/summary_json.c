#include "program/record/results.h"

#include "base/memory.h"
#include "base/parameter.h"
#include "base/text.h"
#include "component/plugin.h"
#include "io/partial_file.h"
#include "study/study.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* JSON knows no NaN and no infinity: they are null. */
static json_t *real_or_null(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

/* JSON is UTF-8; a path may be any bytes. Those that are none are then shown as '?'. */
static json_t *text_json(const char *text)
{
    json_t *made = json_string(text);
    if (made)
        return made;
    char *copy = strdup(text);
    if (!copy)
        return NULL;
    text_clean(copy, "\n\t");
    made = json_string(copy);
    free(copy);
    return made;
}

static json_t *hash_json(uint64_t hash)
{
    char text[17];
    snprintf(text, sizeof text, "%016" PRIx64, hash);
    return json_string(text);
}

static json_t *integer(int64_t value)
{
    return json_integer((json_int_t)value);
}

/* An object from "key", value pairs up to a NULL key. Takes over the values; NULL if any of them is
 * NULL or memory is short. */
static json_t *object(const char *key, ...)
{
    json_t *made = json_object();
    va_list pairs;
    va_start(pairs, key);
    for (; key; key = va_arg(pairs, const char *)) {
        json_t *value = va_arg(pairs, json_t *);
        if (made && json_object_set_new(made, key, value) != 0) {
            json_decref(made);
            made = NULL;
        } else if (!made) {
            json_decref(value);
        }
    }
    va_end(pairs);
    return made;
}

/* Adds the element; NULL, and `list` is freed, if memory is short. Takes over both. */
static json_t *append(json_t *list, json_t *value)
{
    if (list && json_array_append_new(list, value) == 0)
        return list;
    if (!list)
        json_decref(value);
    json_decref(list);
    return NULL;
}

/* A list of `count` elements, each made by element(context, k). */
typedef json_t *json_element(const void *context, int64_t k);

static json_t *list_json(json_element *element, const void *context, int64_t count)
{
    json_t *list = json_array();
    for (int64_t k = 0; list && k < count; k++)
        list = append(list, element(context, k));
    return list;
}

/* Adds the member; NULL, and `made` is freed, if memory is short. Takes over both. */
static json_t *with(json_t *made, const char *key, json_t *value)
{
    if (made && json_object_set_new(made, key, value) == 0)
        return made;
    if (!made)
        json_decref(value);
    json_decref(made);
    return NULL;
}

static json_t *number_element(const void *numbers, int64_t k)
{
    return real_or_null(((const double *)numbers)[k]);
}

static json_t *cells_element(const void *pattern, int64_t k)
{
    return json_string(((const struct csr_pattern *)pattern)->cells[k]);
}

static json_t *distances_json(const struct csr_distances *distances,
                              const struct csr_pattern *pattern)
{
    return object("bandwidth", integer(distances->bandwidth), "mean_distance",
                  json_real(distances->mean), "pattern",
                  list_json(cells_element, pattern, pattern->size), NULL);
}

static json_t *reorder_json(const struct problem_settings *problem,
                            const struct reordering *reordering)
{
    json_t *name = json_string(reorder_name(problem->reorder));
    if (problem->reorder == REORDER_NONE)
        return object("name", name, NULL);
    json_t *made = object("name", name, "before",
                          distances_json(&reordering->before, &reordering->pattern_before), "after",
                          distances_json(&reordering->after, &reordering->pattern_after), "seconds",
                          json_real(reordering->seconds), NULL);
    return problem->reorder == REORDER_METIS ? with(made, "parts", integer(problem->parts)) : made;
}

static json_t *problem_json(const struct problem_settings *problem,
                            const struct linear_system *system, bool rhs_is_eigenvector)
{
    const struct csr *A = &system->A;
    json_t *made =
        object("type", json_string(problem->matrix.component->name), "n", integer(A->n), "nnz_full",
               integer(system->entries), "nnz_upper", integer(A->nnz), "bytes",
               integer(csr_bytes(A)), "rhs", json_string(problem->rhs.component->name), "rhs_norm",
               real_or_null(system->rhs_norm), "matrix_hash", hash_json(system->matrix_hash),
               "rhs_hash", hash_json(system->rhs_hash), "rhs_is_eigenvector",
               json_boolean(rhs_is_eigenvector), "seconds", json_real(system->seconds), "reorder",
               reorder_json(problem, &system->reordering), NULL);
    if (system->columns > 1) {
        made = with(made, "columns", integer(system->columns));
        made =
            with(made, "rhs_norms", list_json(number_element, system->rhs_norms, system->columns));
    }
    const char *path = problem_file(&problem->matrix, NULL);
    if (!made || !path)
        return made;
    json_t *file = object(
        "path", text_json(path), "symmetry", json_string(system->file.symmetry), "field",
        json_string(system->file.field), "entries", integer(system->file.entries), "duplicates",
        integer(system->file.duplicates), "averaged_pairs", integer(system->file.averaged_pairs),
        "asymmetry", json_real(system->file.asymmetry), NULL);
    if (json_object_set_new(made, "file", file) == 0)
        return made;
    json_decref(made);
    return NULL;
}

/* null for what could not be told */
static json_t *told_json(const char *text)
{
    return *text ? text_json(text) : json_null();
}

static json_t *whole_element(const void *numbers, int64_t k)
{
    return integer(((const int64_t *)numbers)[k]);
}

static json_t *machine_json(const struct machine *machine)
{
    json_t *made =
        object("cpu", text_json(machine->cpu), "cores", integer(machine->cores), "threads",
               integer(machine->threads), "memory", integer(machine->memory), "device",
               text_json(machine->device), "system", json_string(machine->system), "compiler",
               json_string(machine->compiler), "version", json_string(CGSOLVE_VERSION), "commit",
               told_json(machine->commit), "host", told_json(machine->host), "command",
               told_json(machine->command), "date", json_string(machine->date), "load",
               machine->load >= 0 ? json_real(machine->load) : json_null(), "others",
               machine->others >= 0 ? json_real(machine->others) : json_null(), NULL);
    if (machine->devices_count > 1)
        return with(with(made, "ranks", integer(machine->devices_count)), "devices",
                    list_json(whole_element, machine->devices, machine->devices_count));
    return machine->ranks > 1 ? with(made, "ranks", integer(machine->ranks)) : made;
}

static json_t *eigen_json(const struct eigen_options *eigen)
{
    return object("count", integer(eigen->count), "which",
                  json_string(eigen_which_name(eigen->which)), "tolerance",
                  json_real(eigen->tolerance), "reorthogonalization",
                  json_string(reorthogonalization_name(eigen->reorthogonalization)), "restart",
                  integer(eigen->restart), NULL);
}

struct value_place {
    const struct parameter *parameter;
    const void *place;
};

static json_t *value_element(const void *context, int64_t k)
{
    const struct value_place *at = context;
    struct value value = parameter_value(at->parameter, at->place, (int)k);
    return value.type == VALUE_INTEGER  ? integer(value.integer)
           : value.type == VALUE_REAL   ? json_real(value.real)
           : value.type == VALUE_SWITCH ? json_boolean(value.integer)
                                        : text_json(value.text);
}

/* `made` with a member for each parameter; null for one that is left out. */
static json_t *with_options(json_t *made, const struct component *component, const void *values)
{
    size_t offset;
    const struct parameter *parameter;
    for (int k = 0; (parameter = component_parameter(component, k, &offset)); k++) {
        struct value_place at = {parameter, (const char *)values + offset};
        made = with(made, parameter->name,
                    parameter_is_left_out(parameter, at.place) ? json_null()
                    : parameter_is_list(parameter)
                        ? list_json(value_element, &at, parameter_length(parameter, at.place))
                        : value_element(&at, 0));
    }
    return made;
}

static json_t *options_json(const struct options *options)
{
    return with_options(object("type", json_string(options->component->name), NULL),
                        options->component, options->values);
}

/* With the hash of x_0 where that is not 0. */
static json_t *start_json(const struct problem_settings *problem,
                          const struct linear_system *system)
{
    json_t *made = options_json(&problem->start);
    return system->x0 ? with(made, "hash", hash_json(system->start_hash)) : made;
}

static json_t *solver_json(const struct problem_settings *problem,
                           const struct solver_settings *solver, const struct linear_system *system)
{
    const struct solver_options *options = &solver->options;
    json_t *made = object(
        "method", json_string(options->method->component.name), "tolerance",
        json_real(solver_tolerance(options)), "max_iterations", integer(options->max_iterations),
        "reductions", json_string(reductions_name(solver->reductions)), "preconditioner",
        options_json(&solver->preconditioner), "start", start_json(problem, system), NULL);
    if (options->absolute_tolerance > 0)
        made = with(made, "absolute_tolerance", json_real(options->absolute_tolerance));
    if (options->method->traits & METHOD_TAKES_SHIFT)
        made = with(made, "shift", json_real(options->shift));
    if (options->method->traits & METHOD_TAKES_RELAXATION)
        made = with(made, "relaxation", json_real(options->relaxation));
    if (solver_finds_vector(options)) {
        made = with(made, "null_space", json_string(null_space_names[options->null_space]));
        made = with(made, "resident", json_string(solver_resident_names[options->resident]));
    }
    return solver_finds_vector(options) ? made : with(made, "eigen", eigen_json(&options->eigen));
}

static json_t *met_element(const void *met, int64_t k)
{
    return json_string(eigen_met_name(((const enum eigen_met *)met)[k]));
}

static json_t *run_json(const struct study_run *run)
{
    const struct solver_result *result = &run->result;
    json_t *made = object(
        "run", integer(run->run), "reason", json_string(reason_name(result->reason)), "iterations",
        integer(result->iterations), "products", integer(result->products), "restarts",
        integer(result->restarts), "residual", real_or_null(result->residual), "true_residual",
        real_or_null(result->true_residual), "ritz_low", real_or_null(result->ritz_low),
        "ritz_high", real_or_null(result->ritz_high), "condition",
        real_or_null(solver_result_condition(result)), "seconds", json_real(result->seconds),
        "seconds_per_iteration", json_real(study_run_seconds_per_iteration(run)), "history_hash",
        hash_json(run->history_hash), "history",
        run->history > 0 ? integer(run->history) : json_null(), "solution_hash",
        hash_json(run->solution_hash), NULL);
    if (result->resident_iterations > 0)
        made = with(made, "resident_iterations", integer(result->resident_iterations));
    if (result->exchange_seconds > 0)
        made = with(made, "exchange_seconds", json_real(result->exchange_seconds));
    if (result->null_vectors > 0) {
        made = with(made, "null_vectors", integer(result->null_vectors));
        made = with(made, "outside", real_or_null(result->outside));
        made = with(made, "projected", json_boolean(result->projected));
    }
    if (!result->eigenvalues)
        return made;
    made = with(made, "eigenvalues",
                list_json(number_element, result->eigenvalues, result->eigen_count));
    made = with(made, "eigen_residuals",
                list_json(number_element, result->eigen_residuals, result->eigen_count));
    made = with(made, "eigen_converged_by",
                list_json(met_element, result->eigen_met, result->eigen_count));
    made = with(made, "eigen_rounding", real_or_null(result->eigen_rounding));
    made = with(made, "eigen_list", json_string(eigen_list_name(result->eigen_list)));
    return with(made, "eigen_rounds", integer(result->eigen_rounds));
}

static json_t *run_element(const void *kernel, int64_t k)
{
    return run_json(&((const struct study_kernel *)kernel)->runs[k]);
}

static json_t *count_element(const void *kernel, int64_t k)
{
    const struct study_count *count = &((const struct study_kernel *)kernel)->counts[k];
    return object("iterations", integer(count->iterations), "runs", integer(count->runs), NULL);
}

/* null for none */
static json_t *iteration_json(int64_t iteration)
{
    return iteration < 0 ? json_null() : integer(iteration);
}

/* What was promised of the bits, and whether it was kept; kernels[k] among the others. */
static json_t *promise_json(const struct study_kernel *kernels, int64_t k)
{
    const struct study_kernel *other;
    if (!promise_is_made(&kernels[k]))
        return json_string("none");
    return json_string(promise_is_broken(kernels, (int)k, &other) ? "broken" : "kept");
}

/* null for a piece that there is not, or that was not measured */
static json_t *piece_json(double seconds)
{
    return seconds > 0 ? real_or_null(seconds) : json_null();
}

static json_t *time_split_json(const struct solver_split *split)
{
    return object("product_seconds", piece_json(split->product), "sums_and_updates_seconds",
                  piece_json(split->updates), "preconditioner_seconds",
                  piece_json(split->preconditioner), "projected_matrix_seconds",
                  piece_json(split->projected), NULL);
}

static json_t *level_element(const void *levels, int64_t k)
{
    const struct operator_levels *of = levels;
    const char *aggregates = of->level[k].aggregates;
    json_t *made =
        object("rows", integer(of->level[k].rows), "entries", integer(of->level[k].entries), NULL);
    if (aggregates)
        made = with(made, "aggregates", json_string(aggregates));
    return of->level[k].distance > 0 ? with(made, "distance", integer(of->level[k].distance))
                                     : made;
}

static json_t *ranks_json(const struct operator_ranks *ranks)
{
    return object("count", integer(ranks->count), "fewest_rows", integer(ranks->fewest),
                  "most_rows", integer(ranks->most), "read_rows", integer(ranks->read), NULL);
}

static json_t *kernel_json(const struct study_kernel *kernels, int64_t k, bool of_columns)
{
    const struct study_kernel *kernel = &kernels[k];
    json_t *made = object(
        "name", json_string(kernel->label), "kernel", json_string(kernel->kernel->component.name),
        "parameters", with_options(json_object(), &kernel->kernel->component, &kernel->options),
        "description", json_string(kernel->description), "storage",
        json_string(kernel_storage_name(kernel->kernel->storage)), "guarantee",
        json_string(kernel_guarantee_name(kernel_guarantee(kernel->kernel, &kernel->options))),
        "reductions", json_string(reductions_name(kernel->reductions)), "threads",
        integer(kernel->threads), "promise", promise_json(kernels, k), "setup_seconds",
        json_real(kernel->setup_seconds), "preconditioner",
        json_string(kernel->preconditioner_description), "preconditioner_setup_seconds",
        json_real(kernel->preconditioner_seconds), "preconditioner_bytes_per_apply",
        integer(kernel->preconditioner_bytes), "preconditioner_asymmetry",
        real_or_null(kernel->preconditioner_asymmetry), "levels",
        list_json(level_element, &kernel->levels, kernel->levels.count), "levels_hash",
        kernel->levels.count > 0 ? hash_json(kernel->levels.hash) : json_null(),
        "products_per_iteration", integer(kernel->products_per_iteration), "bytes_per_apply",
        integer(kernel->bytes_per_apply), "bytes_per_iteration",
        integer(kernel->bytes_per_iteration), "memory_bytes", integer(kernel->memory_bytes),
        "iterations",
        object("min", integer(kernel->iterations_min), "median",
               json_real(kernel->iterations_median), "max", integer(kernel->iterations_max),
               "counts", list_json(count_element, kernel, kernel->counts_count), NULL),
        "distinct_histories", integer(kernel->distinct_histories), "distinct_solutions",
        integer(kernel->distinct_solutions), "first_divergence",
        iteration_json(kernel->first_divergence), "first_apart",
        iteration_json(kernel->first_apart), "solution_spread",
        real_or_null(kernel->solution_spread), "time_split", time_split_json(&kernel->time_split),
        "runs", list_json(run_element, kernel, kernel->runs_count + kernel->has_interrupted), NULL);
    if (kernel->ranks.count > 1)
        made = with(made, "ranks", ranks_json(&kernel->ranks));
    if (plugin_declares(kernel->kernel, &kernel->options))
        made = with(made, "declared", json_true());
    return of_columns ? with(made, "column", integer(kernel->column)) : made;
}

static char *summary_text(const struct problem_settings *problem,
                          const struct solver_settings *solver, const struct linear_system *system,
                          const struct machine *machine, const struct study_kernel *kernels,
                          int count, bool interrupted)
{
    int entries_count = count * (int)system->columns;
    bool is_eigenvector = study_of_eigenvector(&solver->options, kernels, entries_count) != NULL;
    json_t *list = json_array();
    for (int k = 0; k < entries_count; k++)
        list = append(list, kernel_json(kernels, k, system->columns > 1));
    json_t *summary =
        object("schema", integer(1), "problem", problem_json(problem, system, is_eigenvector),
               "machine", machine_json(machine), "solver", solver_json(problem, solver, system),
               "interrupted", json_boolean(interrupted), "kernels", list, NULL);
    char *text = summary ? json_dumps(summary, JSON_INDENT(2) | JSON_REAL_PRECISION(17)) : NULL;
    json_decref(summary);
    return text;
}

enum status summary_json_write(const char *directory, const struct problem_settings *problem,
                               const struct solver_settings *solver,
                               const struct linear_system *system, const struct machine *machine,
                               const struct study_kernel *kernels, int count,
                               enum summary_state state, struct error *error)
{
    char *text = summary_text(problem, solver, system, machine, kernels, count,
                              state == SUMMARY_INTERRUPTED);
    if (!text)
        return error_set(error, STATUS_MEMORY, "out of memory: summary.json");
    bool whole = state != SUMMARY_GOES_ON;
    char *path = path_join(directory, whole ? "summary.json" : "summary.json.partial", error);
    enum status status =
        path ? text_file_whole(NULL, path, text, strlen(text), error) : STATUS_MEMORY;
    if (whole && !status)
        directory_flush(path); /* the last of the results to get its name */
    memory_free(path);
    free(text);
    return status;
}
