/* The precisions that kernels may offer, and the parameters that a kernel has. */
#include "spmv/kernel.h"

#include <string.h>

const char *const kernel_precisions[] = {"double", "float", "float_double", NULL};
const char *const kernel_precisions_of_values[] = {"double", "float_double", NULL};

int kernel_parameter_count(const struct kernel *kernel)
{
    int count = 0;
    const struct parameter *parameters = kernel->component.parameters;
    while (parameters && parameters[count].name)
        count++;
    return count;
}

int kernel_parameter_place(const struct kernel *kernel, const char *name)
{
    int k = kernel_parameter_count(kernel) - 1;
    while (k >= 0 && strcmp(kernel->component.parameters[k].name, name) != 0)
        k--;
    return k;
}

enum precision kernel_precision(const struct kernel *kernel, const struct kernel_options *options)
{
    int place = kernel_parameter_place(kernel, "precision"), precision = PRECISION_DOUBLE;
    if (place >= 0)
        while (strcmp(kernel_precisions[precision],
                      kernel->component.parameters[place].choices[options->values[place]]) != 0)
            precision++;
    return (enum precision)precision;
}

bool kernel_set_precision(const struct kernel *kernel, enum precision precision,
                          struct kernel_options *options)
{
    int place = kernel_parameter_place(kernel, "precision");
    if (place < 0)
        return false;
    const char *const *choices = kernel->component.parameters[place].choices;
    for (int choice = 0; choices[choice]; choice++)
        if (strcmp(choices[choice], kernel_precisions[precision]) == 0) {
            options->values[place] = choice;
            return true;
        }
    return false;
}
