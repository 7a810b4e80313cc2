/* A file that is being read: a Matrix Market file, its header and its lines, or one of another
 * format, which has arrays. */
#ifndef IO_MARKET_MARKET_FILE_H
#define IO_MARKET_MARKET_FILE_H

#include "io/arrays/matrix_arrays.h"
#include "io/market/matrix_market.h"
#include "io/text_source.h"

#include <stdbool.h>

enum market_field { FIELD_REAL, FIELD_INTEGER, FIELD_PATTERN };
enum market_symmetry { SYMMETRY_GENERAL, SYMMETRY_SYMMETRIC, SYMMETRY_SKEW };

struct market_header {
    int array; /* values alone, column by column; else row, column, value */
    enum market_field field;
    enum market_symmetry symmetry;
    int64_t rows, columns; /* each 1 to INT32_MAX */
    int64_t entries;       /* lines that must follow */
    int64_t banner_line, size_line;
};

/* As they are written in a banner. */
const char *market_field_name(enum market_field field);
const char *market_symmetry_name(enum market_symmetry symmetry);

/* The common data of all steps of reading a file. */
struct market_file {
    const char *path;
    struct text_source *source;
    struct matrix_arrays *arrays; /* of another format, or NULL: a Matrix Market file */
    struct market_header header;  /* of another format: its data in these words, with 0 lines */
    const struct matrix_market_ranks *ranks; /* that read it together, or NULL: this one alone */
    const struct matrix_market_part *part;   /* of ranks: the entries that this one keeps, */
    bool *unsaid;                            /* of ranks: a fault is not described yet */
};

/* Bytes of text in work at a time. */
enum { MARKET_WINDOW = 4 << 20, MARKET_HEADER_WINDOW = 64 << 10 };

/* Open the file and read its banner and its size line. *reader stands after that line. The caller
 * calls market_close, also after an error. Errors: STATUS_INPUT, STATUS_MEMORY. */
enum status market_open(struct market_file *file, const char *path, int64_t window,
                        struct text_reader *reader, struct error *error);

void market_close(struct market_file *file);

/* "PATH:LINE: " and then the message. For another format, place is the number of an entry, from 1,
 * and the message has its place in the file; 0: no place. Gives back STATUS_INPUT. */
enum status market_refuse(const struct market_file *file, int64_t place, struct error *error,
                          const char *format, ...) __attribute__((format(printf, 4, 5)));

/* "line 9", or where entry number `place` stands. */
void market_place_text(const struct market_file *file, int64_t place, char text[ARRAYS_PLACE]);

/* The file has a fault, which a reader of the complete file will describe. Sets *file->unsaid, and
 * gives back STATUS_INPUT in case that reader finds none. */
enum status market_leave_unsaid(const struct market_file *file, struct error *error);

/* --- lines, taken apart without hurry: for the header and for messages ------------------------ */

enum { LINE_FIELDS = 6 };

struct market_line {
    int count; /* fields in the line; only the first LINE_FIELDS are in the array */
    struct {
        const char *begin, *end;
    } fields[LINE_FIELDS];
};

/* The fields between blanks and tabs. */
struct market_line market_line_split(const char *begin, const char *end);

/* True for a line to pass over: nothing but blanks and tabs, or a comment. */
int market_line_is_idle(const char *begin, const char *end);

/* --- array files ------------------------------------------------------------------------------ */

/* Positions of the values of an array file: column by column; if symmetric, from the diagonal down;
 * if skew-symmetric, from below it. */
struct array_place {
    int64_t row, column; /* from 0 */
};

/* Of value number k. */
struct array_place array_place_of(const struct market_header *header, int64_t k);

/* Of the value after it. */
void array_place_step(const struct market_header *header, struct array_place *place);

#endif
