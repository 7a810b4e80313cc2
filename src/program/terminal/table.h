/* A table that is printed row by row. It leaves out the least important columns until it fits into
 * the terminal, or into layout_room() of another stream. */
#ifndef PROGRAM_TERMINAL_TABLE_H
#define PROGRAM_TERMINAL_TABLE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum {
    TABLE_COLUMNS_MOST = 16,
    TABLE_CELL = 64, /* bytes of a cell */
    TABLE_NEEDED =
        10, /* a column of this rank or above is left out only when a cut label does not do */
};

struct table_column {
    const char
        *head[2]; /* its two lines; the upper one may reach over the column before, where that has
                     none */
    const char *alone[2]; /* instead of them where the column before is left out; NULL: the same */
    int width;            /* where there is room for all */
    int least;            /* elsewhere: as wide as its usual cells and its head */
    int rank;             /* the lowest is left out first */
    bool left;            /* aligned */
};

struct table {
    FILE *stream;
    int room;  /* how wide it may be; 0: as wide as all columns */
    int label; /* columns of the labels, which stand before the others */
    int count, left_out;
    struct table_column columns[TABLE_COLUMNS_MOST];
    bool out[TABLE_COLUMNS_MOST];
    int begins[TABLE_COLUMNS_MOST]; /* where the others begin, */
    int ends[TABLE_COLUMNS_MOST];   /* and end */
};

/* Choose the columns for the stream as it is now; wide: all of them; label: the width of the widest
 * label. The texts are borrowed. */
void table_begin(struct table *table, FILE *stream, const struct table_column *columns, int count,
                 int label, bool wide);

/* The two lines of the head; `name` stands above the labels. */
void table_print_head(const struct table *table, const char *name);

/* An iteration into a cell; "-" for one below 0, which is none. */
void table_iteration(char cell[TABLE_CELL], int64_t iteration);

/* A row of cells[count]. A label that is too wide stands on a line of its own. A cell that is too
 * wide takes from the blanks after it; a row that is still too wide is wrapped. marked: in red,
 * where there are colours. */
void table_print_row(const struct table *table, const char *label, char (*cells)[TABLE_CELL],
                     bool marked);

/* Where columns were left out: how many, and the option that shows them. */
void table_print_left_out(const struct table *table);

#endif
