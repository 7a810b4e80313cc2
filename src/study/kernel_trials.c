#include "study/kernel_trials.h"

#include "study/test_matrices.h"

#include <stdio.h>

/* A form may suit some matrices only. */
static enum status set_up(struct trial_case *of, struct error *error)
{
    struct linear_operator spmv;
    enum status status =
        operator_create(of->kernel, of->A, &of->options, of->spaces.with[0], &spmv, error);
    operator_destroy(&spmv);
    return status;
}

/* Each choice of the parameters from k on; each integer is `number`, or the nearest one in its
 * range. */
static enum status try_choices(struct trial_case *of, int k, int64_t number, struct error *error)
{
    if (k == kernel_parameter_count(of->kernel))
        return trials_of_options(kernel_trial_list, of, set_up, error);
    const struct parameter *parameter = &of->component->parameters[k];
    int64_t first = 0, last = 0;
    if (parameter->type == PARAMETER_CHOICE)
        while (parameter->choices[last + 1])
            last++;
    else
        first = last = number < parameter->least  ? parameter->least
                       : number > parameter->most ? parameter->most
                                                  : number;
    enum status status = STATUS_OK;
    for (int64_t value = first; value <= last && !status && trial_holds(of); value++) {
        of->options.values[k] = value;
        status = try_choices(of, k + 1, number, error);
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
static enum status try_matrix(struct trial_case *of, const char *name, const struct csr *A,
                              bool every_column, struct error *error)
{
    of->matrix = name;
    of->A = A;
    of->options = kernel_defaults(of->kernel);
    of->every_column = every_column;
    of->taken = false;
    enum status status = trials_of_options(kernel_trial_list, of, set_up, error);
    of->every_column = false;
    if (!status && trial_holds(of) && kernel_parameter_count(of->kernel) > 0)
        status = try_choices(of, 0, 1, error);
    if (!status && trial_holds(of) && has_numbers(of->kernel))
        status = try_choices(of, 0, 37, error);
    of->found->matrices += of->taken;
    return status;
}

/* A random one of the matrices is tried with every number of columns. */
static enum status try_kind(struct trial_case *of, enum csr_kind kind, struct error *error)
{
    bool general = kind == CSR_GENERAL;
    int count = general ? test_rectangles_count : test_matrices_count;
    int step = of->quick ? TRIALS_QUICK : 1, first = (int)trial_below(of, step); /* which of them */
    int chosen = first + step * (int)trial_below(of, (count - first + step - 1) / step);
    enum status status = STATUS_OK;
    for (int m = first; m < count && !status && trial_holds(of); m += step) {
        struct csr A;
        status = general ? test_rectangle_make(&test_rectangles[m], &of->random, &A, error)
                         : test_matrix_make(&test_matrices[m], kind, &of->random, &A, error);
        if (!status)
            status = try_matrix(of, general ? test_rectangles[m].name : test_matrices[m].name, &A,
                                m == chosen, error);
        csr_free(&A);
    }
    return status;
}

enum status kernel_try(const struct kernel *kernel, const struct trials_options *options,
                       struct trials_found *found, struct error *error)
{
    struct trial_case of = trial_case_of(&kernel->component, kernel, options, found);
    of.values = &of.options;
    enum status status =
        trial_spaces_create(kernel->space, REDUCTIONS_REPRODUCIBLE, &of.spaces, error);
    for (int kind = CSR_SYMMETRIC; kind <= CSR_GENERAL && !status; kind *= 2)
        if (kernel->kinds & (unsigned)kind)
            status = try_kind(&of, (enum csr_kind)kind, error);
    if (!status && trial_holds(&of) && found->matrices == 0)
        snprintf(found->broken, sizeof found->broken, "it takes none of the matrices of its kinds");
    trial_spaces_destroy(&of.spaces);
    return status;
}
