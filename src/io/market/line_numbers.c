#include "io/market/line_numbers.h"
#include "base/number.h"

#include "io/market/line.h"
#include "matrix/find_entry.h"

#include <inttypes.h>
#include <string.h>

/* Walks the entries of a coordinate or array file in file order, positions counted from 0. */
struct entry_walk {
    struct text_reader reader;
    const struct market_header *header;
    int64_t i, j;
    int started;
};

static struct entry_walk walk_start(const struct market_file *file)
{
    struct entry_walk walk = {text_reader_start(file->source), &file->header, 0, 0, 0};
    const char *begin, *end;
    while (walk.reader.line < file->header.size_line)
        if (text_reader_next(&walk.reader, &begin, &end, NULL) || !begin)
            break;
    return walk;
}

static void advance_in_array(struct entry_walk *walk)
{
    const struct market_header *header = walk->header;
    int skew = header->symmetry == SYMMETRY_SKEW;
    if (!walk->started) {
        walk->started = 1;
        walk->i = skew;
    } else if (++walk->i == header->rows) {
        walk->j++;
        walk->i = header->symmetry == SYMMETRY_GENERAL ? 0 : walk->j + skew;
    }
}

/* Go to the next entry; 0 behind the last one, or where the file is no longer what was parsed. */
static int walk_next(struct entry_walk *walk)
{
    const char *begin, *end;
    do {
        if (text_reader_next(&walk->reader, &begin, &end, NULL) || !begin)
            return 0;
    } while (market_line_is_idle(begin, end));
    if (walk->header->array) {
        advance_in_array(walk);
        return 1;
    }
    struct market_line line = market_line_split(begin, end);
    integer_read(line.fields[0].begin, line.fields[0].end, &walk->i);
    integer_read(line.fields[1].begin, line.fields[1].end, &walk->j);
    walk->i--;
    walk->j--;
    return walk->i >= 0 && walk->i < walk->header->rows && walk->j >= 0 &&
           walk->j < walk->header->columns;
}

int64_t market_line_of(const struct market_file *file, int64_t i, int64_t j)
{
    struct entry_walk walk = walk_start(file);
    while (walk_next(&walk))
        if (walk.i == i && walk.j == j)
            return walk.reader.line;
    return 0;
}

enum status market_refuse_mirrored(const struct market_file *file, struct csr *A,
                                   struct error *error)
{
    /* A value becomes the line that met the position first, negative from the lower triangle. */
    memset(A->values, 0, (size_t)A->nnz * sizeof *A->values);
    struct entry_walk walk = walk_start(file);
    while (walk_next(&walk)) {
        int below = walk.i > walk.j;
        int64_t place =
            below ? csr_find_entry_from(A, walk.j, walk.i) : csr_find_entry_from(A, walk.i, walk.j);
        double line = (double)walk.reader.line;
        if (A->values[place] == 0)
            A->values[place] = below ? -line : line;
        if ((A->values[place] < 0) != below) {
            double first = A->values[place] < 0 ? -A->values[place] : A->values[place];
            return error_set(error, STATUS_INPUT,
                             "%s:%" PRId64 ": entry (%" PRId64 ", %" PRId64 ") and on line %.0f "
                             "its mirror image (%" PRId64 ", %" PRId64 "): a %s file holds one of "
                             "the two",
                             file->path, walk.reader.line, walk.i + 1, walk.j + 1, first,
                             walk.j + 1, walk.i + 1, market_symmetry_name(file->header.symmetry));
        }
    }
    return error_set(error, STATUS_INPUT, "%s: entries (i, j) and (j, i) in a %s file", file->path,
                     market_symmetry_name(file->header.symmetry));
}

enum status market_refuse_overflow(const struct market_file *file, int64_t i, int64_t j,
                                   struct error *error)
{
    int64_t line = market_line_of(file, i, j);
    if (line == 0) /* it stands in the lower triangle */
        line = market_line_of(file, j, i);
    return error_set(error, STATUS_INPUT,
                     "%s:%" PRId64 ": entry (%" PRId64 ", %" PRId64
                     ") is repeated, and the sum is beyond the range of double",
                     file->path, line, i + 1, j + 1);
}
