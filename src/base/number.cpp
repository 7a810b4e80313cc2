#include "base/number.h"

#include <cstdint>
#include <cstring>
#include <limits>
#include <system_error>

/* fast_float if installed; else the C++ library's from_chars, which also rounds correctly (and is
 * the same code from GCC 12 on). */
#if __has_include(<fast_float/fast_float.h>)
#include <fast_float/fast_float.h>
using fast_float::from_chars;
#else
#include <charconv>
using std::from_chars;
#endif

extern "C" enum integer_fault integer_read(const char *begin, const char *end, int64_t *value)
{
    const bool negative = begin < end && *begin == '-';
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

/* Is a number that is out of range too large or too small? The value that the libraries leave
 * depends on their version. So the place of the leading digit decides. */
static bool is_too_large(const char *first, const char *last)
{
    int64_t place = 0, exponent = 0; /* the value lies below 10^(place + exponent) */
    bool point = false, leading = false;
    for (; first != last && *first != 'e' && *first != 'E'; ++first) {
        if (*first == '.')
            point = true;
        else if (*first >= '1' && *first <= '9')
            leading = true;
        if (*first >= '0' && *first <= '9')
            place += leading && !point ? 1 : !leading && point ? -1 : 0;
    }
    bool negative = false;
    if (first != last)
        for (++first; first != last; ++first) {
            negative = negative || *first == '-';
            if (*first >= '0' && *first <= '9' && exponent < INT64_MAX / 100)
                exponent = 10 * exponent + (*first - '0');
        }
    return place + (negative ? -exponent : exponent) > 0;
}

/* Whether a number read as 0 is 0: all digits before its exponent are 0. */
static bool is_zero(const char *first, const char *last)
{
    for (; first != last && *first != 'e' && *first != 'E'; ++first)
        if (*first >= '1' && *first <= '9')
            return false;
    return true;
}

extern "C" enum number_fault number_read(const char *first, const char *last, double *value,
                                         const char **end)
{
    if (first != last && *first == '+') {
        ++first;
        if (first != last && *first == '-')
            return NUMBER_MALFORMED;
    }
    double parsed = 0;
    const auto result = from_chars(first, last, parsed);
    if (result.ec == std::errc::result_out_of_range) {
        if (is_too_large(first, result.ptr))
            return NUMBER_OVERFLOW;
        parsed = *first == '-' ? -0.0 : 0.0;
    } else if (result.ec != std::errc()) {
        return NUMBER_MALFORMED;
    }
    /* Some versions report no overflow and give infinity; all of them take "inf" and "nan". */
    const double magnitude = parsed < 0 ? -parsed : parsed;
    if (!(magnitude <= std::numeric_limits<double>::max())) {
        const char letter = *first == '-' ? first[1] : *first;
        return (letter >= '0' && letter <= '9') || letter == '.' ? NUMBER_OVERFLOW
                                                                 : NUMBER_MALFORMED;
    }
    if (parsed == 0 && !is_zero(first, result.ptr))
        return NUMBER_UNDERFLOW;
    *value = parsed;
    *end = result.ptr;
    return NUMBER_OK;
}

static const char *skip_digits(const char *p, const char *last)
{
    while (p != last && *p >= '0' && *p <= '9')
        ++p;
    return p;
}

/* With an E in the place of the letter. */
static enum number_fault read_with_e(const char *first, const char *letter, const char *last,
                                     double *value, const char **end)
{
    char copy[NUMBER_FORTRAN_MOST];
    const char *digits = letter + 1;
    if (digits != last && (*digits == '-' || *digits == '+'))
        ++digits;
    const char *after = skip_digits(digits, last), *copied;
    if (after == digits || after - first > NUMBER_FORTRAN_MOST)
        return NUMBER_OK;
    std::memcpy(copy, first, static_cast<size_t>(after - first));
    copy[letter - first] = 'e';
    const enum number_fault fault = number_read(copy, copy + (after - first), value, &copied);
    if (!fault)
        *end = first + (copied - copy);
    return fault;
}

extern "C" enum number_fault number_read_fortran(const char *first, const char *last, double *value,
                                                 const char **end)
{
    const enum number_fault fault = number_read(first, last, value, end);
    const bool fortran = !fault && *end != last && std::memchr("DdQq", **end, 4);
    return fortran ? read_with_e(first, *end, last, value, end) : fault;
}
