#include "study/kernel_trials.h"

#include "study/test_matrices.h"

#include <stdio.h>

struct trials {
    struct trial_case of;
    uint64_t random;
    bool taken; /* some options took the current matrix */
};

static bool holds(const struct trials *trials)
{
    return trial_holds(&trials->of);
}

/* --- one matrix ------------------------------------------------------------------------------- */

/* Whether the kernel takes the matrix with these options: a form may suit some only. */
static enum status takes(struct trial_case *of, bool *taken, struct error *error)
{
    struct linear_operator spmv;
    struct error why;
    of->team = 0;
    enum status status =
        operator_create(of->kernel, of->A, &of->options, of->spaces.with[0], &spmv, &why);
    operator_destroy(&spmv);
    return trial_is_taken(of, status, &why, taken, error);
}

static enum status try_options(struct trials *trials, struct error *error)
{
    bool taken;
    enum status status = takes(&trials->of, &taken, error);
    trials->taken |= taken;
    return !status && taken ? trials_run(kernel_trial_list, &trials->of, error) : status;
}

/* Each choice of the parameters from k on; each integer is `number`, or the nearest one in its
 * range. */
static enum status try_choices(struct trials *trials, int k, int64_t number, struct error *error)
{
    if (k == kernel_parameter_count(trials->of.kernel))
        return try_options(trials, error);
    const struct parameter *parameter = &trials->of.kernel->component.parameters[k];
    int64_t first = 0, last = 0;
    if (parameter->type == PARAMETER_CHOICE)
        while (parameter->choices[last + 1])
            last++;
    else
        first = last = number < parameter->least  ? parameter->least
                       : number > parameter->most ? parameter->most
                                                  : number;
    enum status status = STATUS_OK;
    for (int64_t value = first; value <= last && !status && holds(trials); value++) {
        trials->of.options.values[k] = value;
        status = try_choices(trials, k + 1, number, error);
    }
    return status;
}

static bool has_numbers(const struct kernel *kernel)
{
    for (int k = 0; k < kernel_parameter_count(kernel); k++)
        if (kernel->component.parameters[k].type != PARAMETER_CHOICE)
            return true;
    return false;
}

/* The defaults first; `every_column`: with every number of columns. */
static enum status try_matrix(struct trials *trials, const char *name, const struct csr *A,
                              bool every_column, struct error *error)
{
    struct trial_case *of = &trials->of;
    of->matrix = name;
    of->A = A;
    of->options = kernel_defaults(of->kernel);
    of->every_column = every_column;
    trials->taken = false;
    enum status status = try_options(trials, error);
    of->every_column = false;
    if (!status && holds(trials) && kernel_parameter_count(of->kernel) > 0)
        status = try_choices(trials, 0, 1, error);
    if (!status && holds(trials) && has_numbers(of->kernel))
        status = try_choices(trials, 0, 37, error);
    of->found->matrices += trials->taken;
    return status;
}

/* --- all of them ------------------------------------------------------------------------------ */

static enum status make(struct trials *trials, enum csr_kind kind, int m, struct csr *A,
                        struct error *error)
{
    return kind == CSR_GENERAL
               ? test_rectangle_make(&test_rectangles[m], &trials->random, A, error)
               : test_matrix_make(&test_matrices[m], kind, &trials->random, A, error);
}

/* A random one of the matrices is tried with every number of columns. */
static enum status try_kind(struct trials *trials, enum csr_kind kind, struct error *error)
{
    bool general = kind == CSR_GENERAL;
    int count = general ? test_rectangles_count : test_matrices_count;
    int step = trials->of.quick ? TRIALS_QUICK : 1,
        first = (int)trial_below(&trials->of, step); /* which of them */
    int chosen = first + step * (int)trial_below(&trials->of, (count - first + step - 1) / step);
    enum status status = STATUS_OK;
    for (int m = first; m < count && !status && holds(trials); m += step) {
        struct csr A;
        status = make(trials, kind, m, &A, error);
        if (!status)
            status = try_matrix(trials, general ? test_rectangles[m].name : test_matrices[m].name,
                                &A, m == chosen, error);
        csr_free(&A);
    }
    return status;
}

enum status kernel_try(const struct kernel *kernel, const struct trials_options *options,
                       struct trials_found *found, struct error *error)
{
    struct trials trials = {.random = options->seed};
    struct trial_case *of = &trials.of;
    *found = (struct trials_found){.trial = "set-up"};
    *of = (struct trial_case){.component = &kernel->component,
                              .values = &of->options,
                              .kernel = kernel,
                              .quick = options->quick,
                              .random = &trials.random,
                              .found = found};
    enum status status =
        trial_spaces_create(kernel->space, REDUCTIONS_REPRODUCIBLE, &of->spaces, error);
    for (int kind = CSR_SYMMETRIC; kind <= CSR_GENERAL && !status; kind *= 2)
        if (kernel->kinds & (unsigned)kind)
            status = try_kind(&trials, (enum csr_kind)kind, error);
    if (!status && holds(&trials) && found->matrices == 0)
        snprintf(found->broken, sizeof found->broken, "it takes none of the matrices of its kinds");
    trial_spaces_destroy(&of->spaces);
    return status;
}
