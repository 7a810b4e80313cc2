#include "io/market/line_numbers.h"
#include "base/number.h"

#include "matrix/csr.h"

#include <inttypes.h>
#include <string.h>

/* Walks the entries of a coordinate or array file in file order, positions counted from 0. */
struct entry_walk {
    struct text_reader reader;
    const struct market_header *header;
    struct array_place at;
    bool started;
};

static struct entry_walk walk_start(const struct market_file *file)
{
    struct entry_walk walk = {text_reader_start(file->source), &file->header, {0, 0}, false};
    const char *begin, *end;
    while (walk.reader.line < file->header.size_line)
        if (text_reader_next(&walk.reader, &begin, &end, NULL) || !begin)
            break;
    return walk;
}

/* Go to the next entry; false after the last one, or where the file has changed. */
static bool walk_next(struct entry_walk *walk)
{
    const char *begin, *end;
    do {
        if (text_reader_next(&walk->reader, &begin, &end, NULL) || !begin)
            return false;
    } while (market_line_is_idle(begin, end));
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

int64_t market_line_of(const struct market_file *file, int64_t i, int64_t j)
{
    struct entry_walk walk = walk_start(file);
    while (walk_next(&walk))
        if (walk.at.row == i && walk.at.column == j)
            return walk.reader.line;
    return 0;
}

enum status market_refuse_mirrored(const struct market_file *file, struct csr *A,
                                   struct error *error)
{
    if (file->part)
        return market_leave_unsaid(file, error);
    /* A value becomes the line that met the position first, negative from the lower triangle. */
    memset(A->values, 0, (size_t)A->nnz * sizeof *A->values);
    struct entry_walk walk = walk_start(file);
    while (walk_next(&walk)) {
        int below = walk.at.row > walk.at.column;
        int64_t place = below ? csr_find_entry_from(A, walk.at.column, walk.at.row)
                              : csr_find_entry_from(A, walk.at.row, walk.at.column);
        double line = (double)walk.reader.line;
        if (A->values[place] == 0)
            A->values[place] = below ? -line : line;
        if ((A->values[place] < 0) != below) {
            double first = A->values[place] < 0 ? -A->values[place] : A->values[place];
            return error_at(error, file->path, walk.reader.line,
                            "entry (%" PRId64 ", %" PRId64 ") and on line %.0f "
                            "its mirror image (%" PRId64 ", %" PRId64 "): a %s file holds one of "
                            "the two",
                            walk.at.row + 1, walk.at.column + 1, first, walk.at.column + 1,
                            walk.at.row + 1, market_symmetry_name(file->header.symmetry));
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
    int64_t line = market_line_of(file, i, j);
    if (line == 0) /* it stands in the lower triangle */
        line = market_line_of(file, j, i);
    return error_at(error, file->path, line,
                    "entry (%" PRId64 ", %" PRId64
                    ") is repeated, and the sum is beyond the range of double",
                    i + 1, j + 1);
}
