/* Decimal text to a 64-bit integer. */
#ifndef BASE_INTEGER_H
#define BASE_INTEGER_H

#include <stdint.h>

enum integer_fault {
    INTEGER_OK = 0,
    INTEGER_MALFORMED, /* not digits alone */
    INTEGER_TOO_LARGE, /* beyond int64_t */
};

/* value = the digits in [begin, end), any count of leading zeros. A minus before the digits gives
 * the negative number. On a fault value is not set. */
enum integer_fault integer_read(const char *begin, const char *end, int64_t *value);

#endif
