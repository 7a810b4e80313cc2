#include "spmv/precision.h"

#include <string.h>

bool choose_precision(const struct kernel *kernel, enum precision precision,
                      struct kernel_options *options)
{
    int count = kernel_parameter_count(kernel);
    for (int k = 0; k < count; k++) {
        const struct kernel_parameter *parameter = &kernel->parameters[k];
        if (strcmp(parameter->name, "precision") != 0)
            continue;
        for (int64_t v = 0; v <= parameter->maximum; v++) {
            if (strcmp(parameter->choices[v], kernel_precisions[precision]) != 0)
                continue;
            options->values[k] = v;
            return true;
        }
        return false;
    }
    return precision == PRECISION_DOUBLE;
}
