#include "component/plugin.h"

#include "base/load.h"
#include "base/memory.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

enum { PLUGINS_MOST = 64, NAME_MOST = 40 };

/* The loaded plug-ins. The count is incremented after the entry is filled in. */
static struct {
    char *path;
    void *object;
    const struct plugin *plugin;
} loaded[PLUGINS_MOST];
static atomic_int loaded_count;
static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER;

const char *plugin_path(int k)
{
    return k < atomic_load(&loaded_count) ? loaded[k].path : NULL;
}

const char *plugin_of(const struct component *component)
{
    for (int k = 0; k < atomic_load(&loaded_count); k++)
        for (const struct component *const *own = loaded[k].plugin->components; *own; own++)
            if (*own == component)
                return loaded[k].path;
    return NULL;
}

bool plugin_declares(const struct kernel *kernel, const struct kernel_options *options)
{
    enum kernel_guarantee guarantee = kernel_guarantee(kernel, options);
    return (guarantee == GUARANTEE_RUN || guarantee == GUARANTEE_BITWISE) &&
           plugin_of(&kernel->component) != NULL;
}

const char *plugin_guarantee_name(const struct kernel *kernel, const struct kernel_options *options)
{
    return plugin_declares(kernel, options)
               ? "declared"
               : kernel_guarantee_name(kernel_guarantee(kernel, options));
}

/* --- whether it fits ------------------------------------------------------------------------- */

static const struct {
    const char *name;
    uint32_t size;
} structs[] = {
#define NAME_AND_SIZE(name) {#name, sizeof(struct name)},
    PLUGIN_STRUCTS(NAME_AND_SIZE)};
enum { STRUCTS = sizeof structs / sizeof *structs };

static enum status check_interface(const char *path, const struct plugin *plugin,
                                   struct error *error)
{
    static const char advice[] = "compile it again with the headers of this cgsolve";
    if (plugin->interface != CGSOLVE_PLUGIN_INTERFACE || plugin->structs != STRUCTS)
        return error_set(error, STATUS_INPUT,
                         "%s: is a plug-in for another cgsolve: its interface is %u with %u "
                         "structs, and this cgsolve has %u with %d: %s",
                         path, (unsigned)plugin->interface, (unsigned)plugin->structs,
                         (unsigned)CGSOLVE_PLUGIN_INTERFACE, (int)STRUCTS, advice);
    for (int k = 0; k < STRUCTS; k++)
        if (plugin->sizes[k] != structs[k].size)
            return error_set(error, STATUS_INPUT,
                             "%s: is a plug-in for another cgsolve: its struct %s has %u bytes, "
                             "and here it has %u: %s",
                             path, structs[k].name, (unsigned)plugin->sizes[k],
                             (unsigned)structs[k].size, advice);
    return STATUS_OK;
}

static const char *kernel_lacks(const struct component *component)
{
    const struct kernel *kernel = (const struct kernel *)component;
    if (component->options_size != sizeof(struct kernel_options))
        return "options of struct kernel_options";
    if (kernel_parameter_count(kernel) > KERNEL_PARAMETERS_MAX)
        return "a place for each of its parameters";
    return !kernel->setup ? "a setup" : !kernel->kinds ? "kinds of matrices" : NULL;
}

static const char *method_lacks(const struct component *component)
{
    const struct method *method = (const struct method *)component;
    if (!method->title || !method->needs || !method->matrix)
        return "a title, needs or matrix";
    if (!method->series || method_series(method, "residual") < 0 ||
        method_series_count(method, true) > SERIES_MOST)
        return "series with a residual";
    if (method->size < sizeof(struct solver))
        return "a struct that begins with a struct solver";
    bool solves = method->krylov || (method->begin && method->advance && method->end &&
                                     method->destroy && method->memory_bytes);
    return solves && method->bytes_per_iteration
               ? NULL
               : "a krylov table, or begin, advance, end, destroy and memory_bytes, and "
                 "bytes_per_iteration";
}

static const char *problem_lacks(const struct component *component)
{
    const struct problem *problem = (const struct problem *)component;
    if (!problem->make && !problem->maker && !problem->read)
        return "make, a maker or read";
    if (problem->read && !problem->shape)
        return "a shape";
    return problem->describe ? NULL : "describe";
}

static const char *preconditioner_lacks(const struct component *component)
{
    const struct preconditioner *preconditioner = (const struct preconditioner *)component;
    return preconditioner->setup && preconditioner->setup_bytes ? NULL : "a setup and setup_bytes";
}

/* The required part that this component lacks, by its kind; NULL: none. */
static const char *component_lacks(const struct component *component)
{
    switch (component->kind) {
    case COMPONENT_KERNEL:
        return kernel_lacks(component);
    case COMPONENT_METHOD:
        return method_lacks(component);
    case COMPONENT_PROBLEM:
        return problem_lacks(component);
    case COMPONENT_PRECONDITIONER:
        return preconditioner_lacks(component);
    case COMPONENT_RHS:
        return ((const struct rhs *)component)->fill ? NULL : "fill";
    default:
        return NULL; /* a start without `fill` is zero */
    }
}

const char *const component_kind_names[COMPONENT_KINDS] = {
    [COMPONENT_PROBLEM] = "problem", [COMPONENT_RHS] = "right-hand side",
    [COMPONENT_START] = "start",     [COMPONENT_KERNEL] = "kernel",
    [COMPONENT_METHOD] = "method",   [COMPONENT_PRECONDITIONER] = "preconditioner",
};

/* Names appear unquoted in configs, files and messages. */
static bool name_is_plain(const char *name)
{
    size_t length = strlen(name);
    return *name >= 'a' && *name <= 'z' && length <= NAME_MOST &&
           strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_") == length;
}

/* Checks component k, after the previous ones. */
static enum status check_component(const char *path, const struct component *const *list, int k,
                                   struct error *error)
{
    const struct component *own = list[k];
    if ((unsigned)own->kind >= COMPONENT_KINDS || !own->name || !name_is_plain(own->name) ||
        !own->summary)
        return error_set(error, STATUS_INPUT,
                         "%s: component %d has no kind, no summary, or no name of a-z, 0-9 and _, "
                         "at most %d bytes",
                         path, k, (int)NAME_MOST);
    const char *kind = component_kind_names[own->kind], *lacks = component_lacks(own);
    if (lacks)
        return error_set(error, STATUS_INPUT, "%s: the %s %s has not %s", path, kind, own->name,
                         lacks);
    const struct component *other = component_find(own->kind, own->name);
    if (other) {
        const char *from = plugin_of(other);
        return error_set(error, STATUS_INPUT, "%s: there is a %s %s already: it is %s%s", path,
                         kind, own->name, from ? "of " : "built in", from ? from : "");
    }
    for (int j = 0; j < k; j++)
        if (list[j]->kind == own->kind && !strcmp(list[j]->name, own->name))
            return error_set(error, STATUS_INPUT, "%s: has two %ss %s", path, kind, own->name);
    return STATUS_OK;
}

static enum status check_components(const char *path, const struct plugin *plugin,
                                    struct error *error)
{
    enum status status = STATUS_OK;
    int of_kind[COMPONENT_KINDS] = {0}, present, count = 0;
    for (; plugin->components[count] && !status; count++)
        status = check_component(path, plugin->components, count, error);
    for (int k = 0; k < count && !status; k++) {
        enum component_kind kind = plugin->components[k]->kind;
        int most = kind == COMPONENT_METHOD ? METHODS_MOST : COMPONENTS_MOST;
        component_list(kind, &present);
        if (++of_kind[kind] + present > most)
            status = error_set(error, STATUS_INPUT, "%s: there is room for %d %ss, and not more",
                               path, most, component_kind_names[kind]);
    }
    return status;
}

/* --- loading --------------------------------------------------------------------------------- */

static enum status take(const char *path, void *object, struct error *error)
{
    int count = atomic_load(&loaded_count);
    const struct plugin *plugin = object_symbol(object, "cgsolve_plugin");
    if (!plugin)
        return error_set(error, STATUS_INPUT,
                         "%s: is no plug-in of cgsolve: it has no cgsolve_plugin, which the line "
                         "CGSOLVE_PLUGIN(...) in one of its sources makes",
                         path);
    if (count == PLUGINS_MOST)
        return error_set(error, STATUS_INPUT, "%s: there is room for %d plug-ins, and not more",
                         path, (int)PLUGINS_MOST);
    enum status status = check_interface(path, plugin, error);
    if (!status)
        status = check_components(path, plugin, error);
    char *own_path = status ? NULL : memory_text(path, "the path of a plug-in", error);
    if (!own_path)
        return status ? status : STATUS_MEMORY;
    loaded[count].path = own_path;
    loaded[count].object = object;
    loaded[count].plugin = plugin;
    atomic_store(&loaded_count, count + 1);
    for (const struct component *const *own = plugin->components; *own; own++)
        component_add(*own); /* there is room */
    return STATUS_OK;
}

static enum status load(const char *path, const struct plugin **plugin, struct error *error)
{
    void *object;
    enum status status = object_load(path, &object, error);
    if (status)
        return status;
    int k = 0;
    while (k < atomic_load(&loaded_count) && loaded[k].object != object)
        k++;
    bool twice = k < atomic_load(&loaded_count);
    if (!twice)
        status = take(path, object, error);
    if (twice || status)
        object_unload(object);
    if (!status && plugin)
        *plugin = loaded[k].plugin;
    return status;
}

enum status plugin_load(const char *path, const struct plugin **plugin, struct error *error)
{
    pthread_mutex_lock(&loading);
    enum status status = load(path, plugin, error);
    pthread_mutex_unlock(&loading);
    return status;
}

enum status plugin_load_all(const char *paths, struct error *error)
{
    enum status status = STATUS_OK;
    while (paths && *paths && !status) {
        size_t length = strcspn(paths, ":");
        char *path = memory_text_part(paths, (int64_t)length, "the path of a plug-in", error);
        if (!path)
            return STATUS_MEMORY;
        if (length)
            status = plugin_load(path, NULL, error);
        memory_free(path);
        paths += length + (paths[length] == ':');
    }
    return status;
}
