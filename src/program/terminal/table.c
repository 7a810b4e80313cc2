#include "program/terminal/table.h"

#include "base/text.h"
#include "program/terminal/layout.h"

#include <inttypes.h>
#include <string.h>

enum { GAP = 2, LABEL_LEAST = 12 };

/* ---- which columns --------------------------------------------------------------------------- */

static bool is_alone(const struct table *table, int c)
{
    return table->columns[c].alone[0] && c > 0 && table->out[c - 1];
}

static int width_of(const struct table *table, int c)
{
    const struct table_column *column = &table->columns[c];
    int width = table->room > 0 ? column->least : column->width;
    for (int line = 0; line < 2 && is_alone(table, c); line++) {
        int head = layout_width(column->alone[line]);
        width = head > width ? head : width;
    }
    return width;
}

/* Of the columns that are not left out, with their gaps. */
static int width_of_all(const struct table *table)
{
    int width = 0;
    for (int c = 0; c < table->count; c++)
        width += table->out[c] ? 0 : GAP + width_of(table, c);
    return width;
}

/* Leave columns of a rank below `limit` out until the others fit beside labels of that width. */
static void leave_out(struct table *table, int label, int limit)
{
    while (label + width_of_all(table) > table->room) {
        int least = -1;
        for (int c = 0; c < table->count; c++)
            if (!table->out[c] && table->columns[c].rank < limit &&
                (least < 0 || table->columns[c].rank < table->columns[least].rank))
                least = c;
        if (least < 0)
            return;
        table->out[least] = true;
        table->left_out++;
    }
}

void table_begin(struct table *table, FILE *stream, const struct table_column *columns, int count,
                 int label, bool wide)
{
    *table = (struct table){
        .stream = stream, .room = wide ? 0 : layout_room(stream), .label = label, .count = count};
    int best = 0;
    for (int c = 0; c < count; c++) {
        table->columns[c] = columns[c];
        best = columns[c].rank > best ? columns[c].rank : best;
    }
    if (table->room > 0) {
        leave_out(table, label, TABLE_NEEDED);
        int least = label < LABEL_LEAST ? label : LABEL_LEAST;
        leave_out(table, least, best);
        int left = table->room - width_of_all(table);
        table->label = left >= label ? label : left > least ? left : least;
    }
    int at = table->label;
    for (int c = 0; c < count; c++) {
        table->begins[c] = at + GAP;
        at += table->out[c] ? 0 : GAP + width_of(table, c);
        table->ends[c] = at;
    }
}

/* ---- what is printed ------------------------------------------------------------------------- */

/* Blanks up to a column, at least so many. */
static int print_blanks(FILE *stream, int at, int to, int least)
{
    int blanks = to - at > least ? to - at : least;
    fprintf(stream, "%*s", blanks, "");
    return at + blanks;
}

/* Cells after a label, none of blanks at the end. */
static void print_line(FILE *stream, const struct table *table, const char *label,
                       const char *const *cells)
{
    int at = layout_width(label);
    fputs(label, stream);
    for (int c = 0; c < table->count; c++) {
        if (table->out[c] || !*cells[c])
            continue;
        int width = layout_width(cells[c]);
        bool left = table->columns[c].left;
        at = print_blanks(stream, at, left ? table->begins[c] : table->ends[c] - width, 1) + width;
        fputs(cells[c], stream);
    }
}

/* Lines of a table that has no room to keep are not wrapped. */
static FILE *lines_begin(const struct table *table, struct layout *layout)
{
    *layout = (struct layout){0};
    return table->room > 0 ? layout_begin(layout, table->stream) : table->stream;
}

void table_print_head(const struct table *table, const char *name)
{
    struct layout layout;
    const char *cells[TABLE_COLUMNS_MOST];
    FILE *stream = lines_begin(table, &layout);
    for (int line = 0; line < 2; line++) {
        for (int c = 0; c < table->count; c++)
            cells[c] =
                is_alone(table, c) ? table->columns[c].alone[line] : table->columns[c].head[line];
        print_line(stream, table, line == 0 ? "" : name, cells);
        fputc('\n', stream);
    }
    layout_end(&layout);
}

void table_iteration(char cell[TABLE_CELL], int64_t iteration)
{
    snprintf(cell, TABLE_CELL, iteration < 0 ? "-" : "%" PRId64, iteration);
}

void table_print_row(const struct table *table, const char *label, char (*cells)[TABLE_CELL],
                     bool marked)
{
    struct layout layout;
    const char *texts[TABLE_COLUMNS_MOST];
    bool red = marked && layout_has_colours(table->stream);
    bool stacked = layout_width(label) > table->label;
    FILE *stream = lines_begin(table, &layout);
    for (int c = 0; c < table->count; c++)
        texts[c] = cells[c];
    if (red)
        fputs(layout_red, stream);
    if (stacked)
        fprintf(stream, "%s\n", label);
    print_line(stream, table, stacked ? "" : label, texts);
    fprintf(stream, "%s\n", red ? layout_plain : "");
    layout_end(&layout);
    fflush(table->stream);
}

void table_print_left_out(const struct table *table)
{
    if (table->left_out > 0)
        layout_print(table->stream, "%d more column%s: --wide\n", table->left_out,
                     text_plural(table->left_out));
}
