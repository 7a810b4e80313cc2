/* The options of handles by name, and structs that grow with the library. */
#include "api/handles.h"
#include "base/component.h"
#include "solver/method.h"
#include "solver/parameters.h"

#include <string.h>

_Static_assert(sizeof(struct cgs_error) == sizeof(struct error), "one is the other");
_Static_assert((int)CGS_OK == STATUS_OK && (int)CGS_BAD_OPTION == STATUS_CONFIG &&
                   (int)CGS_BAD_INPUT == STATUS_INPUT && (int)CGS_NO_MEMORY == STATUS_MEMORY &&
                   (int)CGS_DEVICE == STATUS_DEVICE && (int)CGS_UNAVAILABLE == STATUS_UNAVAILABLE &&
                   (int)CGS_RANK == STATUS_RANK,
               "one is the other");

static const struct parameter operator_parameters[] = {
    {"kernel", "what multiplies by A", NULL,
     TAKES_COMPONENT(struct api_operator_options, kernel, COMPONENT_KERNEL)},
    {"reductions", TAKES_REDUCTIONS(struct api_operator_options, reductions)},
    {0},
};

const struct component api_operator_component = {.name = "operator",
                                                 .summary = "what multiplies by A",
                                                 .parameters = operator_parameters,
                                                 .options_size =
                                                     sizeof(struct api_operator_options)};

static const struct parameter product_parameters[] = {
    {"reductions", TAKES_REDUCTIONS(struct api_product_options, reductions)},
    {0},
};

const struct component api_product_component = {.name = "product",
                                                .summary = "a product of the caller's",
                                                .parameters = product_parameters,
                                                .options_size = sizeof(struct api_product_options)};

#define IN_OPTIONS(takes, member) takes(struct api_solver_options, options.member)

static const struct parameter solver_parameters[] = {
    {"method", "how it is solved", "cg",
     TAKES_COMPONENT(struct api_solver_options, method, COMPONENT_METHOD)},
    {"preconditioner", "M, of which the method needs M^-1 r in each iteration", "none",
     TAKES_COMPONENT(struct api_solver_options, preconditioner, COMPONENT_PRECONDITIONER)},
    {"tolerance", IN_OPTIONS(TAKES_TOLERANCE, tolerance)},
    {"absolute_tolerance", IN_OPTIONS(TAKES_ABSOLUTE_TOLERANCE, absolute_tolerance)},
    {"max_iterations", IN_OPTIONS(TAKES_MAX_ITERATIONS, max_iterations)},
    {"shift", IN_OPTIONS(TAKES_SHIFT, shift)},
    {"relaxation", IN_OPTIONS(TAKES_RELAXATION, relaxation)},
    {"null_space", IN_OPTIONS(TAKES_NULL_SPACE, null_space)},
    {"resident", IN_OPTIONS(TAKES_RESIDENT, resident)},
    {"eigen.count", IN_OPTIONS(TAKES_EIGEN_COUNT, eigen.count)},
    {"eigen.which", IN_OPTIONS(TAKES_EIGEN_WHICH, eigen.which)},
    {"eigen.tolerance", IN_OPTIONS(TAKES_EIGEN_TOLERANCE, eigen.tolerance)},
    {"eigen.reorthogonalization", IN_OPTIONS(TAKES_REORTHOGONALIZATION, eigen.reorthogonalization)},
    {"eigen.restart", IN_OPTIONS(TAKES_EIGEN_RESTART, eigen.restart)},
    {0},
};

/* What a method does not take would not be looked at. */
static const char *check_solver(const void *options, const char **parameter)
{
    const struct api_solver_options *solver = options;
    const struct method *method = (const struct method *)solver->method.component;
    *parameter = "shift";
    if (solver->options.shift != 0 && !(method->traits & METHOD_TAKES_SHIFT))
        return "this method takes none";
    *parameter = "relaxation";
    if (solver->options.relaxation != 1 && !(method->traits & METHOD_TAKES_RELAXATION))
        return "this method takes none";
    *parameter = "absolute_tolerance";
    if (solver->options.absolute_tolerance != 0 && !(method->traits & METHOD_FINDS_VECTOR))
        return "this method takes none";
    *parameter = "tolerance";
    return tolerance_complaint(&solver->options);
}

const struct component api_solver_component = {.name = "solver",
                                               .summary = "how a system is solved",
                                               .parameters = solver_parameters,
                                               .options_size = sizeof(struct api_solver_options),
                                               .check = check_solver};

enum status api_options(const struct component *component, const char *const *texts,
                        struct options *made, struct error *error)
{
    fenv_t host;
    float_state_begin(&host);
    enum status status = options_create(component, made, error);
    for (int k = 0; !status && texts && texts[k]; k += 2)
        status = texts[k + 1] ? options_set(made, texts[k], texts[k + 1], error)
                              : error_set(error, STATUS_CONFIG,
                                          "the option '%.64s' stands without a value", texts[k]);
    float_state_end(&host);
    return status;
}

enum status api_struct(const char *name, const void *theirs, size_t given, size_t least, void *own,
                       size_t known, struct error *error)
{
    if (given < least)
        return error_set(error, STATUS_CONFIG, "struct %s says that it has %zu bytes, not %zu",
                         name, given, known);
    for (size_t k = known; k < given; k++)
        if (((const unsigned char *)theirs)[k])
            return error_set(error, STATUS_CONFIG,
                             "struct %s has something that this version of the library, %s, does "
                             "not know",
                             name, CGSOLVE_VERSION);
    memset(own, 0, known);
    memcpy(own, theirs, given < known ? given : known);
    return STATUS_OK;
}

enum status api_copy_struct_out(const char *name, const void *own, size_t known, void *theirs,
                                struct error *error)
{
    size_t size;
    memcpy(&size, theirs, sizeof size);
    if (size < sizeof size)
        return error_set(error, STATUS_CONFIG, "struct %s says that it has %zu bytes", name, size);
    size_t all = size < known ? size : known;
    memcpy((char *)theirs + sizeof size, (const char *)own + sizeof size, all - sizeof size);
    return STATUS_OK;
}

enum status api_operator_read(const struct cgs_context *context, const char *const *texts,
                              struct options *made, struct error *error)
{
    enum status status = api_options(&api_operator_component, texts, made, error);
    const struct api_operator_options *chosen = made->values;
    if (!status && !chosen->kernel.component)
        status = options_set(made, "kernel",
                             context->place == SPACE_CUDA ? "cuda_sym_bitwise" : "cpu_sym_bitwise",
                             error);
    return status ? status : options_check(made, error);
}

/* A program reads files; here arrays come with the matrix. */
static enum status refuse_files(const struct options *preconditioner, struct error *error)
{
    const char *key, *path = options_file(preconditioner, 0, &key);
    return path ? error_set(error, STATUS_CONFIG,
                            "preconditioner.%s = %s: the library reads no such file: "
                            "cgs_matrix_coordinates and cgs_matrix_near_null take arrays",
                            key, path)
                : STATUS_OK;
}

enum status api_solver_fit(struct options *options, const struct csr *A, struct error *error)
{
    struct api_solver_options *own = options->values;
    own->options.method = (const struct method *)own->method.component;
    enum status status = options_check(options, error);
    if (!status)
        status = refuse_files(&own->preconditioner, error);
    return status ? status : solver_takes(&own->options, A, error);
}

enum cgs_status api_missing(const char *what, struct cgs_error *error)
{
    return api_status(error_set(api_error(error), STATUS_CONFIG, "%s is NULL", what));
}
