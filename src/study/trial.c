#include "study/trial.h"

#include "base/memory.h"
#include "base/parameter.h"
#include "base/text.h"
#include "study/test_matrices.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const int trial_threads[TRIAL_TEAMS] = {1, 2, 3, 7};

enum status trial_spaces_create(enum space_kind kind, enum reductions reductions,
                                struct trial_spaces *spaces, struct error *error)
{
    enum status status = STATUS_OK;
    *spaces = (struct trial_spaces){0};
    for (int k = 0; k < (kind == SPACE_CPU ? TRIAL_TEAMS : 1) && !status; k++) {
        struct space_options options = {.reductions = reductions, .threads = trial_threads[k]};
        status = space_create(kind, &options, &spaces->with[k], error);
        spaces->teams += !status;
    }
    return status;
}

void trial_spaces_destroy(struct trial_spaces *spaces)
{
    for (int k = 0; k < spaces->teams; k++)
        spaces->with[k]->operations->destroy(spaces->with[k]);
    *spaces = (struct trial_spaces){0};
}

struct trial_case trial_case_of(const struct component *component, const struct kernel *kernel,
                                const struct trials_options *options, struct trials_found *found)
{
    *found = (struct trials_found){.trial = "set-up"};
    return (struct trial_case){.component = component,
                               .kernel = kernel,
                               .options = kernel_defaults(kernel),
                               .quick = options->quick,
                               .random = options->seed,
                               .found = found};
}

bool trial_holds(const struct trial_case *of)
{
    return !*of->found->broken;
}

/* "form = general, precision = double, " */
static void options_text(const struct trial_case *of, char *text, size_t size)
{
    char value[64];
    const struct parameter *parameter;
    size_t length = 0, offset;
    *text = '\0';
    for (int k = 0; of->values && length < size &&
                    (parameter = component_parameter(of->component, k, &offset)) != NULL;
         k++)
        length += (size_t)snprintf(
            text + length, size - length, "%s = %s, ", parameter->name,
            parameter_text(parameter, (const char *)of->values + offset, value, sizeof value));
}

void trial_broken(struct trial_case *of, const char *format, ...)
{
    char what[512], options[256], where[32];
    va_list arguments;
    if (!trial_holds(of))
        return;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    options_text(of, options, sizeof options);
    int threads = trial_threads[of->team];
    snprintf(where, sizeof where, "%d thread%s", threads, text_plural(threads));
    snprintf(of->found->broken, sizeof of->found->broken,
             "%s (%s, %" PRId64 " x %" PRId64 "), %s%s: %s", of->matrix, csr_kind_name(of->A->kind),
             of->A->n, of->A->width, options,
             of->kernel->space == SPACE_CPU ? where : "on the device", what);
}

enum status trials_run(const struct trial *list, struct trial_case *of, struct error *error)
{
    enum status status = STATUS_OK;
    for (; list->name && !status && trial_holds(of); list++) {
        of->found->trial = list->name;
        status = list->run(of, error);
    }
    return status;
}

enum status trials_of_options(const struct trial *list, struct trial_case *of,
                              enum status (*set_up)(struct trial_case *of, struct error *error),
                              struct error *error)
{
    struct error why;
    of->team = 0;
    enum status status = set_up(of, &why);
    if (status == STATUS_MEMORY || status == STATUS_DEVICE)
        return error_set(error, status, "%s", why.text);
    if (status == STATUS_CONFIG)
        return STATUS_OK;
    of->taken = true;
    if (status)
        trial_broken(of, "set-up ends with: %s", why.text);
    return trials_run(list, of, error);
}

enum status trial_allocations(struct trial_case *of,
                              enum status (*attempt)(struct trial_case *of, struct error *error),
                              struct error *error)
{
    enum { MOST = 10000 };
    of->team = 0;
    for (int64_t allowed = 0; allowed < MOST; allowed++) {
        struct error why = {""};
        int64_t live = memory_live();
        memory_fail_after(allowed);
        enum status status = attempt(of, &why);
        memory_fail_after(-1);
        if (memory_live() != live)
            trial_broken(of, "it leaks where allocation %" PRId64 " fails", allowed + 1);
        else if (status == STATUS_DEVICE)
            return error_set(error, status, "%s", why.text);
        else if (status && (status != STATUS_MEMORY || !strstr(why.text, "out of memory")))
            trial_broken(of, "it ends with \"%s\" where allocation %" PRId64 " fails", why.text,
                         allowed + 1);
        if (!status || !trial_holds(of))
            return STATUS_OK;
    }
    trial_broken(of, "it fails after %d allocations", (int)MOST);
    return STATUS_OK;
}

bool trial_is_small(const struct trial_case *of)
{
    return of->A->n <= 500 && of->kernel->space == SPACE_CPU;
}

int64_t trial_below(struct trial_case *of, int64_t count)
{
    return (int64_t)(test_stream(&of->random) * (double)count);
}
