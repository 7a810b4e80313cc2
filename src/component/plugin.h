/* A plug-in: a shared object with further components. docs/plugins.md explains how to compile and
 * use one; docs/example/plugin.c is an example.
 *
 *     CGSOLVE_PLUGIN(&kernel_mine.component, &problem_mine.component)
 *
 * in one of its sources is all that it needs besides the components. They use the same headers as
 * built-in components, and may call the functions in component/names.h.
 *
 * A program or library accepts only an object with the same contracts: the number
 * CGSOLVE_PLUGIN_INTERFACE, which scripts/plugin-flags computes from the headers for the build and
 * for plug-ins, and the sizes of the structs, which compiler flags may change. */
#ifndef COMPONENT_PLUGIN_H
#define COMPONENT_PLUGIN_H

#include "base/component.h"
#include "problem/problem.h"
#include "problem/rhs.h"
#include "problem/start.h"
#include "solver/krylov.h"
#include "solver/method.h"
#include "space/pass.h"
#include "space/space.h"
#include "spmv/kernel.h"
#include "spmv/preconditioner.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The first two members never move. */
struct plugin {
    uint32_t interface, structs;               /* the number; the number of sizes */
    const uint32_t *sizes;                     /* of PLUGIN_STRUCTS, in their order */
    const struct component *const *components; /* ends with a NULL */
};

#define PLUGIN_STRUCTS(size)                                                                       \
    size(error) size(component) size(parameter) size(options) size(csr) size(csr_maker)            \
        size(kernel) size(kernel_options) size(linear_operator) size(operands)                     \
            size(operator_table) size(direction) size(preconditioner) size(method) size(series)    \
                size(solver) size(solver_options) size(solver_result) size(krylov_method)          \
                    size(krylov_pieces) size(krylov_vector) size(solver_scalars) size(problem)     \
                        size(rhs) size(rhs_part) size(start) size(space) size(space_operations)    \
                            size(pass) size(pass_sum) size(pass_columns)
#define PLUGIN_SIZE(name) sizeof(struct name),

/* The only symbol that is looked up. */
extern const struct plugin cgsolve_plugin __attribute__((visibility("default")));

#define CGSOLVE_PLUGIN(...)                                                                        \
    static const uint32_t plugin_sizes[] = {PLUGIN_STRUCTS(PLUGIN_SIZE)};                          \
    static const struct component *const plugin_components[] = {__VA_ARGS__, NULL};                \
    const struct plugin cgsolve_plugin = {                                                         \
        CGSOLVE_PLUGIN_INTERFACE,                                                                  \
        sizeof plugin_sizes / sizeof *plugin_sizes,                                                \
        plugin_sizes,                                                                              \
        plugin_components,                                                                         \
    };

/* "kernel", "right-hand side", ... */
extern const char *const component_kind_names[COMPONENT_KINDS];

/* Load the plug-in, and append its components to the lists of their kinds (component_list), for the
 * rest of the process: all of them, or none. A path without a slash is relative to the working
 * directory. Several threads may call it, while other threads read the lists. A loaded plug-in is
 * not loaded again. *plugin, unless plugin is NULL, is the object's entry. Errors: STATUS_INPUT
 * (the file; no entry; another interface; a name that is taken; an incomplete component),
 * STATUS_MEMORY. */
enum status plugin_load(const char *path, const struct plugin **plugin, struct error *error);

/* The same for each of "PATH:PATH:..."; NULL or "": none. */
enum status plugin_load_all(const char *paths, struct error *error);

/* The path by which plug-in k = 0, 1, ... was first loaded, or NULL. */
const char *plugin_path(int k);

/* The path of the component's plug-in; NULL: built in. */
const char *plugin_of(const struct component *component);

/* Whether a kernel of a plug-in promises bits with these options. Its guarantee is only declared,
 * because our tests do not cover it. */
bool plugin_declares(const struct kernel *kernel, const struct kernel_options *options);

/* The name of the guarantee, or "declared" instead. */
const char *plugin_guarantee_name(const struct kernel *kernel,
                                  const struct kernel_options *options);

#ifdef __cplusplus
}
#endif
#endif
