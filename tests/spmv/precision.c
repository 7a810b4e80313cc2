#include "spmv/precision.h"

#include <string.h>

int64_t parameter_last(const struct parameter *parameter)
{
    int64_t count = 0;
    while (parameter->choices && parameter->choices[count])
        count++;
    return parameter->choices ? count - 1 : parameter->most;
}

bool choose_precision(const struct kernel *kernel, enum precision precision,
                      struct kernel_options *options)
{
    int count = kernel_parameter_count(kernel);
    for (int k = 0; k < count; k++) {
        const struct parameter *parameter = &kernel->component.parameters[k];
        if (strcmp(parameter->name, "precision") != 0)
            continue;
        for (int64_t v = 0; v <= parameter_last(parameter); v++) {
            if (strcmp(parameter->choices[v], kernel_precisions[precision]) != 0)
                continue;
            options->values[k] = v;
            return true;
        }
        return false;
    }
    return precision == PRECISION_DOUBLE;
}
