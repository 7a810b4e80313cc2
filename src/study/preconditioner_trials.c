#include "study/preconditioner_trials.h"

#include "base/parameter.h"
#include "study/test_matrices.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

struct trials {
    struct trial_case of;
    uint64_t random;
    bool taken; /* some options took the current matrix */
};

/* --- options ---------------------------------------------------------------------------------- */

/* Whether these options make an M of the matrix. */
static enum status takes(struct trial_case *of, bool *taken, struct error *error)
{
    struct linear_operator spmv, M = {0};
    struct error why;
    of->team = 0;
    enum status status =
        operator_create(of->kernel, of->A, &of->options, of->spaces.with[0], &spmv, &why);
    if (!status)
        status = preconditioner_create(&of->with, of->A, NULL, &spmv, &M, &why);
    operator_destroy(&M);
    operator_destroy(&spmv);
    return trial_is_taken(of, status, &why, taken, error);
}

static enum status try_these(struct trials *trials, const struct options *with, struct error *error)
{
    struct trial_case *of = &trials->of;
    bool taken;
    struct error unused;
    if (options_check(with, &unused) != STATUS_OK)
        return STATUS_OK; /* values that are wrong together */
    of->with = *with;
    of->values = with->values;
    enum status status = takes(of, &taken, error);
    trials->taken |= taken;
    return !status && taken ? trials_run(preconditioner_trial_list, of, error) : status;
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
static enum status try_choices(struct trials *trials, const struct options *with,
                               struct error *error)
{
    const struct parameter *parameter;
    size_t offset;
    enum status status = try_these(trials, with, error);
    for (int k = 0; !status && trial_holds(&trials->of) &&
                    (parameter = component_parameter(with->component, k, &offset)) != NULL;
         k++)
        for (unsigned c = 0; parameter->type == PARAMETER_CHOICE && parameter->choices[c] &&
                             !status && trial_holds(&trials->of);
             c++) {
            struct options other;
            if (c == parameter_bits(parameter, (const char *)with->values + offset))
                continue;
            status = options_copy(with, &other, error);
            if (!status)
                status = options_set(&other, parameter->name, parameter->choices[c], error);
            if (!status)
                status = try_these(trials, &other, error);
            options_free(&other);
        }
    return status;
}

static enum status try_all_options(struct trials *trials, struct error *error)
{
    static const int64_t numbers[] = {0, 1, 37}; /* 0: the defaults */
    struct trial_case *of = &trials->of;
    enum status status = STATUS_OK;
    int step = of->quick ? 3 : 1; /* the seed decides which one */
    for (int k = (int)trial_below(of, step); k < 3 && !status && trial_holds(of); k += step) {
        struct options with;
        status = options_create(of->component, &with, error);
        if (!status && numbers[k] > 0)
            status = set_numbers(&with, numbers[k], error);
        if (!status)
            status = try_choices(trials, &with, error);
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

static enum status try_matrix(struct trials *trials, const struct test_matrix *matrix,
                              const struct options *with, struct error *error)
{
    struct csr A;
    struct trial_case *of = &trials->of;
    enum status status = test_matrix_make_positive(matrix, &trials->random, &A, error);
    if (status)
        return status;
    of->matrix = matrix->name;
    of->A = &A;
    of->condition = condition_of(&A);
    trials->taken = false;
    status = with ? try_these(trials, with, error) : try_all_options(trials, error);
    of->found->matrices += trials->taken;
    csr_free(&A);
    return status;
}

enum status preconditioner_try(const struct component *component, const struct options *with,
                               const struct kernel *kernel, const struct trials_options *options,
                               struct trials_found *found, struct error *error)
{
    struct trials trials = {.random = options->seed};
    struct trial_case *of = &trials.of;
    *found = (struct trials_found){.trial = "set-up"};
    *of = (struct trial_case){.component = component,
                              .kernel = kernel,
                              .options = kernel_defaults(kernel),
                              .quick = options->quick,
                              .random = &trials.random,
                              .found = found};
    enum status status =
        trial_spaces_create(kernel->space, REDUCTIONS_REPRODUCIBLE, &of->spaces, error);
    int step = of->quick ? TRIALS_QUICK : 1; /* the seed decides which of them */
    for (int m = (int)trial_below(of, step); m < test_matrices_count && !status && trial_holds(of);
         m += step)
        status = try_matrix(&trials, &test_matrices[m], with, error);
    if (!status && trial_holds(of) && found->matrices == 0)
        snprintf(found->broken, sizeof found->broken,
                 "set-up takes none of the positive definite matrices");
    trial_spaces_destroy(&of->spaces);
    return status;
}
