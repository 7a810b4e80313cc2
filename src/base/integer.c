#include "base/integer.h"

enum integer_fault integer_read(const char *begin, const char *end, int64_t *value)
{
    int negative = begin < end && *begin == '-';
    const char *p = begin + negative;
    int64_t parsed = 0;
    enum integer_fault fault = p < end ? INTEGER_OK : INTEGER_MALFORMED;
    for (; p < end; p++) {
        int digit = *p - '0';
        if (digit < 0 || digit > 9)
            return INTEGER_MALFORMED;
        if (parsed > (INT64_MAX - digit) / 10)
            fault = INTEGER_TOO_LARGE;
        else
            parsed = 10 * parsed + digit;
    }
    if (fault == INTEGER_OK)
        *value = negative ? -parsed : parsed;
    return fault;
}
