#include "io/market/line_numbers.h"
#include "base/number.h"

#include "matrix/csr.h"

#include <inttypes.h>
#include <string.h>

/* Walks the entries of a coordinate or array file in file order, positions counted from 0. */
struct entry_walk {
    struct text_reader reader;
    struct matrix_arrays *arrays; /* of a file that has them */
    int64_t k, count;             /* the entry in their last piece */
    const struct market_header *header;
    struct array_place at;
    int64_t place; /* its line, or its number from 1 */
    bool started, ended;
};

static struct entry_walk walk_start(const struct market_file *file)
{
    struct entry_walk walk = {.header = &file->header, .arrays = file->arrays};
    const char *begin, *end;
    if (file->arrays) {
        walk.ended = arrays_rewind(file->arrays, NULL);
        return walk;
    }
    walk.reader = text_reader_start(file->source);
    while (walk.reader.line < file->header.size_line)
        if (text_reader_next(&walk.reader, &begin, &end, NULL) || !begin)
            break;
    return walk;
}

static bool next_of_arrays(struct entry_walk *walk)
{
    struct matrix_arrays *arrays = walk->arrays;
    if (++walk->k >= walk->count) {
        walk->ended = walk->ended || arrays_next(arrays, &walk->count, NULL) || walk->count == 0;
        walk->k = 0;
    }
    if (walk->ended)
        return false;
    walk->place++;
    walk->at = (struct array_place){arrays->row[walk->k], arrays->column[walk->k]};
    return true;
}

/* Go to the next entry; false after the last one, or where the file has changed. */
static bool walk_next(struct entry_walk *walk)
{
    const char *begin, *end;
    if (walk->arrays)
        return next_of_arrays(walk);
    do {
        if (text_reader_next(&walk->reader, &begin, &end, NULL) || !begin)
            return false;
    } while (market_line_is_idle(begin, end));
    walk->place = walk->reader.line;
    if (walk->header->array) {
        if (walk->started)
            array_place_step(walk->header, &walk->at);
        else
            walk->at = array_place_of(walk->header, 0);
        walk->started = true;
        return true;
    }
    struct market_line line = market_line_split(begin, end);
    integer_read(line.fields[0].begin, line.fields[0].end, &walk->at.row);
    integer_read(line.fields[1].begin, line.fields[1].end, &walk->at.column);
    walk->at.row--;
    walk->at.column--;
    return walk->at.row >= 0 && walk->at.row < walk->header->rows && walk->at.column >= 0 &&
           walk->at.column < walk->header->columns;
}

int64_t market_place_of(const struct market_file *file, int64_t i, int64_t j)
{
    struct entry_walk walk = walk_start(file);
    while (walk_next(&walk))
        if (walk.at.row == i && walk.at.column == j)
            return walk.place;
    return 0;
}

enum status market_refuse_mirrored(const struct market_file *file, struct csr *A,
                                   struct error *error)
{
    if (file->part)
        return market_leave_unsaid(file, error);
    /* A value becomes the line, or the number, of the first entry at its position, negative for the
     * lower triangle. */
    memset(A->values, 0, (size_t)A->nnz * sizeof *A->values);
    struct entry_walk walk = walk_start(file);
    while (walk_next(&walk)) {
        int below = walk.at.row > walk.at.column;
        int64_t place = below ? csr_find_entry_from(A, walk.at.column, walk.at.row)
                              : csr_find_entry_from(A, walk.at.row, walk.at.column);
        double number = (double)walk.place;
        if (A->values[place] == 0)
            A->values[place] = below ? -number : number;
        if ((A->values[place] < 0) != below) {
            double first = A->values[place] < 0 ? -A->values[place] : A->values[place];
            char text[ARRAYS_PLACE];
            market_place_text(file, (int64_t)first, text);
            return market_refuse(
                file, walk.place, error,
                "entry (%" PRId64 ", %" PRId64 ") and %s %s "
                "its mirror image (%" PRId64 ", %" PRId64 "): a %s file holds one of "
                "the two",
                walk.at.row + 1, walk.at.column + 1, file->arrays ? "at" : "on", text,
                walk.at.column + 1, walk.at.row + 1, market_symmetry_name(file->header.symmetry));
        }
    }
    return error_set(error, STATUS_INPUT, "%s: entries (i, j) and (j, i) in a %s file", file->path,
                     market_symmetry_name(file->header.symmetry));
}

enum status market_refuse_overflow(const struct market_file *file, int64_t i, int64_t j,
                                   struct error *error)
{
    if (file->part)
        return market_leave_unsaid(file, error);
    int64_t place = market_place_of(file, i, j);
    if (place == 0) /* it stands in the lower triangle */
        place = market_place_of(file, j, i);
    return market_refuse(file, place, error,
                         "entry (%" PRId64 ", %" PRId64
                         ") is repeated, and the sum is beyond the range of double",
                         i + 1, j + 1);
}
