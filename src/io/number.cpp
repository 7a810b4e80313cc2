#include "io/number.h"

#include <fast_float/fast_float.h>

extern "C" enum number_fault number_read(const char *first, const char *last, double *value,
                                         const char **end)
{
    if (first != last && *first == '+') {
        ++first;
        if (first != last && *first == '-')
            return NUMBER_MALFORMED;
    }
    double parsed;
    const fast_float::from_chars_result result = fast_float::from_chars(first, last, parsed);
    if (result.ec == std::errc::result_out_of_range)
        return NUMBER_OVERFLOW;
    if (result.ec != std::errc())
        return NUMBER_MALFORMED;
    /* Some versions report no overflow and give infinity; all of them take "inf" and "nan". */
    const double magnitude = parsed < 0 ? -parsed : parsed;
    if (!(magnitude <= std::numeric_limits<double>::max())) {
        const char letter = *first == '-' ? first[1] : *first;
        return (letter >= '0' && letter <= '9') || letter == '.' ? NUMBER_OVERFLOW
                                                                 : NUMBER_MALFORMED;
    }
    *value = parsed;
    *end = result.ptr;
    return NUMBER_OK;
}
