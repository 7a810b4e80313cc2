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
#ifndef SPMV_UPPER_SYM_CODES_H
#define SPMV_UPPER_SYM_CODES_H

#include "cgsolve/status.h"
#include "spmv/upper/sym_order.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    SYM_CODES_MAX = 65536, /* different values that two bytes can tell apart */
    SYM_CODES_TIMES = 4,   /* so often each of them comes in the mean, where there are over 256 */
    SYM_CODES_ALIGN = 16,  /* a line's codes begin at a multiple of so many codes */
    SYM_CODES_SINGLES = 4, /* the width of single values */
};

struct sym_codes {
    int width;     /* bytes of a code: 1 for at most 256 different values, else 2; 0: no codes;
                       SYM_CODES_SINGLES */
    int32_t count; /* of different values */
    bool single_table;
    void *table;    /* [count] double, or float with single_table */
    int64_t lines;  /* the values are that many lines */
    int64_t length; /* of so many values each */
    int64_t stride; /* length rounded up to a multiple of SYM_CODES_ALIGN */
    void *codes;    /* [lines stride] uint8_t, uint16_t or float: value i of line l has the code [l
                       stride + i]. The padding holds codes too: 0 */
};

/* The codes of values[lines length], line after line; plain arrays are one line. *codes is all zero
 * (width 0) when there are too many different values, more than SYM_CODES_MAX or than come
 * SYM_CODES_TIMES, or codes and table would take as much as the values or more, which take `size`
 * bytes each. The caller calls sym_codes_free. Errors: STATUS_MEMORY; *codes is then all zero. */
enum status sym_codes_create(const double *values, int64_t lines, int64_t length, size_t size,
                             struct sym_codes *codes, struct error *error);

/* For who counts the different values elsewhere: the shape of the codes; how many different ones of
 * `count` are worth codes at most (a table of more than 256 is not read for nothing, and takes time
 * to make, so each of its values shall come some times); and whether so many become codes, whose
 * width and count are then set. */
struct sym_codes sym_codes_of(int64_t lines, int64_t length);
int64_t sym_codes_most(int64_t count);
bool sym_codes_save(struct sym_codes *codes, int64_t different, size_t size);

/* The same values as singles, which they must be. */
enum status sym_codes_singles(const double *values, int64_t lines, int64_t length,
                              struct sym_codes *codes, struct error *error);

/* The values as the choice wants them: codes, or singles; width 0 where they stay doubles. The
 * table is single where the sums are. */
enum status sym_codes_choose(const struct sym_choice *choice, const double *values, int64_t lines,
                             int64_t length, struct sym_codes *codes, struct error *error);
void sym_codes_free(struct sym_codes *codes); /* accepts a zeroed one */

/* For an operator's description, of a width: ", values as codes of 1 byte", or "". */
const char *sym_codes_text(int width);

/* Bytes of the codes and the table, and of the table. */
int64_t sym_codes_bytes(const struct sym_codes *codes);
int64_t sym_codes_table_bytes(const struct sym_codes *codes);

#ifdef __cplusplus
}
#endif
#endif
