/* `cgsolve bench --prove a.so`: tests the promises of a plug-in's components. Each is tried in its
 * own process, which it may crash. */
#include "program/command/run_bench.h"

#include "component/plugin.h"
#include "program/terminal/layout.h"
#include "study/kernel_trials.h"
#include "study/method_trials.h"
#include "study/preconditioner_trials.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* In shared memory of both processes. */
struct proof {
    struct trials_found found;
    char untried[256]; /* why it was not tried; "": it was */
    enum status status;
    struct error error;
    bool done;
};

static const char with_threads[] = ", with 1, 2, 3 and 7 threads";

static void print_kernel(FILE *stream, const struct kernel *kernel,
                         const struct trials_found *found)
{
    bool promises = kernel->guarantee == GUARANTEE_RUN || kernel->guarantee == GUARANTEE_BITWISE;
    fprintf(stream, "%s%s%" PRId64 " products of %" PRId64 " matrices are right%s%s\n",
            promises ? kernel_guarantee_name(kernel->guarantee) : "",
            promises ? " holds, and " : "promises no bits, but ", found->done, found->matrices,
            kernel->space == SPACE_CPU ? with_threads : "",
            found->can & (OPERATOR_DIRECTION | OPERATOR_PASS)
                ? "; directions and passes in its sweep were not tried"
                : "");
}

static void print_held(FILE *stream, const struct component *component,
                       const struct trials_found *found)
{
    fprintf(stream, "%s %s: ", component_kind_names[component->kind], component->name);
    if (component->kind == COMPONENT_KERNEL)
        print_kernel(stream, (const struct kernel *)component, found);
    else
        fprintf(stream, "%" PRId64 " %s %" PRId64 " matrices hold%s\n", found->done,
                component->kind == COMPONENT_METHOD ? "solves with" : "applications for",
                found->matrices, with_threads);
}

static bool has_trials(const struct component *component)
{
    return component->kind == COMPONENT_KERNEL || component->kind == COMPONENT_PRECONDITIONER ||
           (component->kind == COMPONENT_METHOD &&
            method_has_trials((const struct method *)component));
}

/* In this process. Methods and preconditioners get a kernel that promises bits and makes
 * directions. */
static void try_now(const struct component *component, struct proof *proof)
{
    static const struct trials_options options = {.seed = 1};
    const struct kernel *kernel = component->kind == COMPONENT_KERNEL
                                      ? (const struct kernel *)component
                                      : kernel_find("cpu_sym_bitwise");
    const char *reason = kernel_unavailable(kernel);
    if (reason)
        snprintf(proof->untried, sizeof proof->untried, "%s", reason);
    else if (component->kind == COMPONENT_KERNEL)
        proof->status = kernel_try(kernel, &options, &proof->found, &proof->error);
    else if (component->kind == COMPONENT_METHOD)
        proof->status = method_try((const struct method *)component, kernel, &options,
                                   &proof->found, &proof->error);
    else
        proof->status =
            preconditioner_try(component, NULL, kernel, &options, &proof->found, &proof->error);
    proof->done = true;
}

/* In a child process; if that ends early, the component is broken. */
static enum status try_apart(const struct component *component, struct proof *proof,
                             struct error *error)
{
    int ended;
    pid_t child = fork();
    if (child < 0)
        return error_set(error, STATUS_MEMORY, "no process for the trials: %s", strerror(errno));
    if (child == 0) {
        try_now(component, proof);
        _exit(0);
    }
    while (waitpid(child, &ended, 0) < 0 && errno == EINTR)
        ;
    if (!proof->done)
        snprintf(proof->found.broken, sizeof proof->found.broken,
                 "in the trial of %s the process ended: %s",
                 proof->found.trial ? proof->found.trial : "set-up",
                 WIFSIGNALED(ended) ? strsignal(WTERMSIG(ended)) : "it left by itself");
    if (proof->status)
        *error = proof->error;
    return proof->status;
}

static enum status prove(const struct component *component, bool quiet, bool *good, FILE *stream,
                         struct error *error)
{
    const char *kind = component_kind_names[component->kind], *name = component->name;
    struct proof *proof =
        mmap(NULL, sizeof *proof, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (proof == MAP_FAILED)
        return error_set(error, STATUS_MEMORY, "no memory for the trials: %s", strerror(errno));
    enum status status = try_apart(component, proof, error);
    if (!status && *proof->untried)
        fprintf(stream, "%s %s: NOT TRIED: it is not available here: %s\n", kind, name,
                proof->untried);
    else if (!status && *proof->found.broken)
        fprintf(stream, "%s %s: BROKEN: %s\n", kind, name, proof->found.broken);
    else if (!status && !quiet)
        print_held(stream, component, &proof->found);
    if (*proof->untried || *proof->found.broken)
        *good = false;
    munmap(proof, sizeof *proof);
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
        if (has_trials(*own))
            status = prove(*own, quiet, good, stream, error);
        else if (!quiet)
            fprintf(stream, "%s %s: has no trials\n", component_kind_names[(*own)->kind],
                    (*own)->name);
    layout_end(&layout);
    return status;
}
