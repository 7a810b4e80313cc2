#include "spmv/rounded.h"

enum { LANES = 32 };

double rounded_take_parts(enum precision precision, const double *parts, int64_t count)
{
    double s[LANES] = {0};
    for (int64_t k = 0; k < count; k++)
        s[k % LANES] = rounded_add(precision, s[k % LANES], parts[k]);
    for (int half = LANES / 2; half >= 1; half /= 2)
        for (int l = 0; l < half && half < count; l++)
            s[l] = rounded_add(precision, s[l], s[l + half]);
    return s[0];
}
