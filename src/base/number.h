/* Decimal text to 64-bit integers; and to doubles, correctly rounded (Lemire 2021, "Number parsing
 * at a gigabyte per second", through the fast_float library, which is C++). */
#ifndef BASE_NUMBER_H
#define BASE_NUMBER_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum integer_fault {
    INTEGER_OK = 0,
    INTEGER_MALFORMED, /* not digits alone */
    INTEGER_TOO_LARGE, /* beyond int64_t */
};

/* value = the digits in [begin, end), any count of leading zeros. A minus before the digits gives
 * the negative number. On a fault value is not set. */
enum integer_fault integer_read(const char *begin, const char *end, int64_t *value);

enum number_fault {
    NUMBER_OK = 0,
    NUMBER_MALFORMED, /* no decimal number: "abc", "nan", "inf", "0x10", "1e", "--1", "" */
    NUMBER_OVERFLOW,  /* its magnitude rounds to infinity */
    NUMBER_UNDERFLOW, /* it is not 0, and rounds to 0 */
};

/* value = the number that first[0], first[1], ... before `last` spells: [+-] digits [. digits]
 * [e|E [+-] digits], with a digit before or after the point, and any count of digits. *end is
 * after its last character; the caller looks at what follows. A subnormal number is rounded
 * like any other. On a fault value and end are not set. */
enum number_fault number_read(const char *first, const char *last, double *value, const char **end);

enum { NUMBER_FORTRAN_MOST = 100 };

/* The same; the exponent letter may also be Fortran's D or Q, of either case. *end is at that
 * letter if no exponent follows, or if the number has more than NUMBER_FORTRAN_MOST characters. */
enum number_fault number_read_fortran(const char *first, const char *last, double *value,
                                      const char **end);

#ifdef __cplusplus
}
#endif
#endif
