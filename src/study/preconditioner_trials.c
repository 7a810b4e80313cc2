#include "study/preconditioner_trials.h"

#include "base/parameter.h"
#include "study/test_matrices.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* --- options ---------------------------------------------------------------------------------- */

static enum status set_up(struct trial_case *of, struct error *error)
{
    struct linear_operator spmv, M = {0};
    enum status status =
        operator_create(of->kernel, of->A, &of->options, of->spaces.with[0], &spmv, error);
    if (!status)
        status = preconditioner_create(&of->with, of->A, NULL, &spmv, &M, error);
    operator_destroy(&M);
    operator_destroy(&spmv);
    return status;
}

static enum status try_these(struct trial_case *of, const struct options *with, struct error *error)
{
    struct error unused;
    if (options_check(with, &unused) != STATUS_OK)
        return STATUS_OK; /* values that are wrong together */
    of->with = *with;
    of->values = with->values;
    return trials_of_options(preconditioner_trial_list, of, set_up, error);
}

/* Every integer becomes `number`, or the nearest one in its range. */
static enum status set_numbers(struct options *with, int64_t number, struct error *error)
{
    const struct parameter *parameter;
    size_t offset;
    enum status status = STATUS_OK;
    for (int k = 0;
         !status && (parameter = component_parameter(with->component, k, &offset)) != NULL; k++) {
        char text[32];
        int64_t step = parameter->multiple_of > 1 ? parameter->multiple_of : 1;
        int64_t value = (number + step - 1) / step * step;
        value = value < parameter->least  ? parameter->least
                : value > parameter->most ? parameter->most
                                          : value;
        if (parameter->type != PARAMETER_INTEGER || parameter->count > 0)
            continue;
        snprintf(text, sizeof text, "%" PRId64, value);
        status = options_set(with, parameter->name, text, error);
        if (status == STATUS_CONFIG)
            status = STATUS_OK; /* it keeps its default: a power of two is wanted */
    }
    return status;
}

/* `with`, and on top of it each other choice of one parameter. */
static enum status try_choices(struct trial_case *of, const struct options *with,
                               struct error *error)
{
    const struct parameter *parameter;
    size_t offset;
    enum status status = try_these(of, with, error);
    for (int k = 0; !status && trial_holds(of) &&
                    (parameter = component_parameter(with->component, k, &offset)) != NULL;
         k++)
        for (unsigned c = 0; parameter->type == PARAMETER_CHOICE && parameter->choices[c] &&
                             !status && trial_holds(of);
             c++) {
            struct options other;
            if (c == parameter_bits(parameter, (const char *)with->values + offset))
                continue;
            status = options_copy(with, &other, error);
            if (!status)
                status = options_set(&other, parameter->name, parameter->choices[c], error);
            if (!status)
                status = try_these(of, &other, error);
            options_free(&other);
        }
    return status;
}

static enum status try_all_options(struct trial_case *of, struct error *error)
{
    static const int64_t numbers[] = {0, 1, 37}; /* 0: the defaults */
    enum status status = STATUS_OK;
    int step = of->quick ? 3 : 1; /* the seed decides which one */
    for (int k = (int)trial_below(of, step); k < 3 && !status && trial_holds(of); k += step) {
        struct options with;
        status = options_create(of->component, &with, error);
        if (!status && numbers[k] > 0)
            status = set_numbers(&with, numbers[k], error);
        if (!status)
            status = try_choices(of, &with, error);
        options_free(&with);
    }
    return status;
}

/* --- matrices --------------------------------------------------------------------------------- */

static double condition_of(const struct csr *A)
{
    double most = 0;
    for (int64_t i = 0; i < A->n; i++)
        most = fmax(most, A->values[A->offsets[i]]);
    return 2 * most;
}

static enum status try_matrix(struct trial_case *of, const struct test_matrix *matrix,
                              const struct options *with, struct error *error)
{
    struct csr A;
    enum status status = test_matrix_make_positive(matrix, &of->random, &A, error);
    if (status)
        return status;
    of->matrix = matrix->name;
    of->A = &A;
    of->condition = condition_of(&A);
    of->taken = false;
    status = with ? try_these(of, with, error) : try_all_options(of, error);
    of->found->matrices += of->taken;
    csr_free(&A);
    return status;
}

enum status preconditioner_try(const struct component *component, const struct options *with,
                               const struct kernel *kernel, const struct trials_options *options,
                               struct trials_found *found, struct error *error)
{
    struct trial_case of = trial_case_of(component, kernel, options, found);
    enum status status =
        trial_spaces_create(kernel->space, REDUCTIONS_REPRODUCIBLE, &of.spaces, error);
    int step = of.quick ? TRIALS_QUICK : 1; /* the seed decides which of them */
    for (int m = (int)trial_below(&of, step);
         m < test_matrices_count && !status && trial_holds(&of); m += step)
        status = try_matrix(&of, &test_matrices[m], with, error);
    if (!status && trial_holds(&of) && found->matrices == 0)
        snprintf(found->broken, sizeof found->broken,
                 "set-up takes none of the positive definite matrices");
    trial_spaces_destroy(&of.spaces);
    return status;
}
