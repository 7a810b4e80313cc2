/* `cgsolve bench --prove a.so`: whether the kernels of a plug-in keep what they promise. */
#include "program/command/run_bench.h"

#include "component/plugin.h"
#include "program/terminal/layout.h"
#include "study/kernel_trials.h"

#include <inttypes.h>
#include <stdio.h>

static void print_held(FILE *stream, const struct kernel *kernel, const struct trials_found *found)
{
    bool promises = kernel->guarantee == GUARANTEE_RUN || kernel->guarantee == GUARANTEE_BITWISE;
    fprintf(stream, "kernel %s: %s%s%" PRId64 " products of %" PRId64 " matrices are right%s%s\n",
            kernel->component.name, promises ? kernel_guarantee_name(kernel->guarantee) : "",
            promises ? " holds, and " : "promises no bits, but ", found->products, found->matrices,
            kernel->space == SPACE_CPU ? ", with 1, 2, 3 and 7 threads" : "",
            found->can & (OPERATOR_DIRECTION | OPERATOR_PASS)
                ? "; directions and passes in its sweep were not tried"
                : "");
}

static enum status prove(const struct kernel *kernel, bool quiet, bool *good, FILE *stream,
                         struct error *error)
{
    struct trials_found found;
    const char *name = kernel->component.name, *reason = kernel_unavailable(kernel);
    if (reason) {
        fprintf(stream, "kernel %s: NOT TRIED: it is not available here: %s\n", name, reason);
        *good = false;
        return STATUS_OK;
    }
    enum status status = kernel_try(kernel, &(struct trials_options){.seed = 1}, &found, error);
    if (!status && *found.broken) {
        fprintf(stream, "kernel %s: BROKEN: %s\n", name, found.broken);
        *good = false;
    } else if (!status && !quiet) {
        print_held(stream, kernel, &found);
    }
    return status;
}

enum status run_prove(const char *path, bool quiet, bool *good, struct error *error)
{
    const struct plugin *plugin;
    struct layout layout;
    enum status status = plugin_load(path, &plugin, error);
    if (status)
        return status;
    FILE *stream = layout_begin(&layout, stdout);
    for (const struct component *const *own = plugin->components; *own && !status; own++)
        if ((*own)->kind == COMPONENT_KERNEL)
            status = prove((const struct kernel *)*own, quiet, good, stream, error);
        else if (!quiet)
            fprintf(stream, "%s %s: has no trials\n", component_kind_names[(*own)->kind],
                    (*own)->name);
    layout_end(&layout);
    return status;
}
