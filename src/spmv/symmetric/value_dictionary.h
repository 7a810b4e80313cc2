/* Doubles as codes of one or two bytes: code c stands for table[c]. Nothing is lost, because values
 * are told apart by their bits: -0 is not +0, and a NaN keeps its payload.
 *
 * A matrix from a stencil, a graph, or an assembly with one material has few different values; then
 * the codes are an eighth or a quarter of what the values take.
 *
 * The table is in descending order of how often a value occurs, ties in ascending order of the bits
 * as an unsigned number: it depends on the values only.
 *
 * Values that are numbers of single precision may also be kept as such: "codes" of four bytes, each
 * its own value, without a table. */
#ifndef SPMV_SYMMETRIC_VALUE_DICTIONARY_H
#define SPMV_SYMMETRIC_VALUE_DICTIONARY_H

#include "base/status.h"
#include "spmv/symmetric/sym_order.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    VALUE_DICTIONARY_MAX = 65536, /* different values that two bytes can tell apart */
    VALUE_DICTIONARY_TIMES = 4,   /* of over 256 values each occurs so often on average */
    VALUE_DICTIONARY_ALIGN = 16,  /* a line's codes begin at a multiple of so many codes */
    VALUE_DICTIONARY_SINGLES = 4, /* the width of single values */
};

struct value_dictionary {
    int width;     /* bytes of a code: 1 for at most 256 different values, else 2; 0: no codes;
                       VALUE_DICTIONARY_SINGLES */
    int32_t count; /* of different values */
    bool single_table;
    void *table;    /* [count] double, or float with single_table */
    int64_t lines;  /* the values are that many lines */
    int64_t length; /* of so many values each */
    int64_t stride; /* length rounded up to a multiple of VALUE_DICTIONARY_ALIGN */
    void *codes;    /* [lines stride] uint8_t, uint16_t or float: value i of line l has the code [l
                       stride + i]. The padding holds codes too: 0 */
};

/* The codes of values[lines length], line after line; plain arrays are one line. *codes is all zero
 * (width 0) if there are more than VALUE_DICTIONARY_MAX different values, if of over 256 a value
 * occurs fewer than VALUE_DICTIONARY_TIMES times on average, or if codes and table take as much as
 * the values, of `size` bytes each. The caller calls value_dictionary_free. Errors: STATUS_MEMORY;
 * *codes is then all zero. */
enum status value_dictionary_create(const double *values, int64_t lines, int64_t length,
                                    size_t size, struct value_dictionary *codes,
                                    struct error *error);

/* For set-up on a device. The shape of the codes. */
struct value_dictionary value_dictionary_of(int64_t lines, int64_t length);
/* How many different ones of `count` values are worth codes at most: a table of more than 256 takes
 * time to make and to read, so each of its values must occur several times. */
int64_t value_dictionary_most(int64_t count);
/* Sets width and count for that many different values. Whether the codes take fewer bytes than the
 * values, of `size` bytes each. */
bool value_dictionary_save(struct value_dictionary *codes, int64_t different, size_t size);

/* One of the different values: its bits, how often it comes, and its code. */
struct value_count {
    uint64_t bits;
    int64_t times, code;
};

/* The list in the order of the table, in `list` or in `room`; both have `count` elements. */
struct value_count *value_dictionary_sort(struct value_count *list, struct value_count *room,
                                          int64_t count);

/* The same values as singles, which they must be. */
enum status value_dictionary_singles(const double *values, int64_t lines, int64_t length,
                                     struct value_dictionary *codes, struct error *error);

/* The values as the choice wants them: codes, or singles; width 0 where they stay doubles. The
 * table is single where the sums are. */
enum status value_dictionary_choose(const struct sym_choice *choice, const double *values,
                                    int64_t lines, int64_t length, struct value_dictionary *codes,
                                    struct error *error);
void value_dictionary_free(struct value_dictionary *codes); /* accepts a zeroed one */

/* For an operator's description, of a width: ", values as codes of 1 byte", or "". */
const char *value_dictionary_text(int width);

/* Bytes of the codes and the table, and of the table. */
int64_t value_dictionary_bytes(const struct value_dictionary *codes);
int64_t value_dictionary_table_bytes(const struct value_dictionary *codes);

#ifdef __cplusplus
}
#endif
#endif
