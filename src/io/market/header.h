/* The banner and the size line of a Matrix Market file. */
#ifndef IO_MARKET_HEADER_H
#define IO_MARKET_HEADER_H

#include "io/text_source.h"

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

/* Read up to and with the size line, and leave the reader behind it. Errors: STATUS_INPUT,
 * STATUS_MEMORY. */
enum status market_header_read(struct text_reader *reader, const char *path,
                               struct market_header *header, struct error *error);

#endif
