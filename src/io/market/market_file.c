#include "io/market/market_file.h"

#include "base/number.h"
#include "base/text.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct place {
    const char *path;
    int64_t line;
    struct error *error;
};

static const char *const FIELDS[] = {"real", "integer", "pattern"};
static const char *const SYMMETRIES[] = {"general", "symmetric", "skew-symmetric"};

const char *market_field_name(enum market_field field)
{
    return FIELDS[field];
}

const char *market_symmetry_name(enum market_symmetry symmetry)
{
    return SYMMETRIES[symmetry];
}

/* --- lines ------------------------------------------------------------------------------------ */

static int is_blank(char c)
{
    return c == ' ' || c == '\t';
}

struct market_line market_line_split(const char *begin, const char *end)
{
    struct market_line line = {0};
    for (const char *p = begin;; line.count++) {
        while (p < end && is_blank(*p))
            p++;
        if (p == end)
            return line;
        const char *first = p;
        while (p < end && !is_blank(*p))
            p++;
        if (line.count < LINE_FIELDS) {
            line.fields[line.count].begin = first;
            line.fields[line.count].end = p;
        }
    }
}

int market_line_is_idle(const char *begin, const char *end)
{
    while (begin < end && is_blank(*begin))
        begin++;
    return begin == end || *begin == '%';
}

/* Equal to `word` in any case. */
static int spells(const struct market_line *line, int field, const char *word)
{
    const char *begin = line->fields[field].begin, *end = line->fields[field].end;
    size_t length = strlen(word);
    if ((size_t)(end - begin) != length)
        return 0;
    for (size_t k = 0; k < length; k++)
        if (tolower((unsigned char)begin[k]) != tolower((unsigned char)word[k]))
            return 0;
    return 1;
}

static int find_word(const struct market_line *line, int field, const char *const *words, int count)
{
    int word = 0;
    while (word < count && !spells(line, field, words[word]))
        word++;
    return word;
}

/* --- the banner ------------------------------------------------------------------------------- */

/* Advice for archives and other formats, by their first bytes. */
static const struct {
    const char *mark;
    int length, at;
    const char *hint;
} containers[] = {
    {"ustar", 5, 257, "; it is a tar archive: tar xf takes the matrix out of it"},
    {"PK\3\4", 4, 0, "; it is a zip archive, as .npz is: unzip takes the matrix out of it"},
    {"BZh", 3, 0, "; it is compressed by bzip2: bunzip2 unpacks it"},
    {"\xfd"
     "7zXZ",
     5, 0, "; it is compressed by xz: unxz unpacks it"},
    {"\x28\xb5\x2f\xfd", 4, 0, "; it is compressed by zstd: unzstd unpacks it"},
    {"7z\xbc\xaf", 4, 0, "; it is a 7z archive: 7z x takes the matrix out of it"},
    {"\x1f\x8b", 2, 0, "; it is gzipped twice: gunzip unpacks it once"},
    {"\x89HDF", 4, 0, "; it is an HDF5 file, as .mat of MATLAB 7.3 is"},
    {"\xff\xfe", 2, 0, "; it is text in UTF-16: iconv -f UTF-16 -t UTF-8 turns it"},
    {"\xfe\xff", 2, 0, "; it is text in UTF-16: iconv -f UTF-16 -t UTF-8 turns it"},
};

/* The first line that is not blank, without a byte order mark of UTF-8 and blanks before it; empty
 * where there is none. */
static enum status first_line(struct text_reader *reader, const char **begin, const char **end,
                              struct error *error)
{
    static const char mark[] = "\xef\xbb\xbf";
    enum status status;
    do {
        status = text_reader_next(reader, begin, end, error);
        if (status || !*begin)
            return status;
        if (reader->line == 1 && *end - *begin >= 3 && memcmp(*begin, mark, 3) == 0)
            *begin += 3;
        while (*begin < *end && (**begin == ' ' || **begin == '\t'))
            ++*begin;
    } while (*begin == *end);
    return STATUS_OK;
}

static enum status refuse_banner(const struct place *at, const char *begin, const char *end)
{
    char quoted[TEXT_QUOTED];
    const char *hint = "";
    text_quote(begin, end, quoted);
    for (size_t k = 0; !*hint && k < sizeof containers / sizeof *containers; k++)
        if (end - begin >= containers[k].at + containers[k].length &&
            memcmp(begin + containers[k].at, containers[k].mark, (size_t)containers[k].length) == 0)
            hint = containers[k].hint;
    return error_at(at->error, at->path, at->line,
                    "a Matrix Market file begins with \"%%%%MatrixMarket matrix "
                    "...\", this one with %s%s",
                    quoted, hint);
}

static enum status refuse_word(const struct place *at, const char *what,
                               const struct market_line *line, int field, const char *known)
{
    char quoted[TEXT_QUOTED];
    return error_at(at->error, at->path, at->line, "the %s %s is not %s", what,
                    text_quote(line->fields[field].begin, line->fields[field].end, quoted), known);
}

static enum status check_combination(const struct market_header *header, const struct place *at)
{
    if (header->field != FIELD_PATTERN)
        return STATUS_OK;
    if (header->array)
        return error_at(at->error, at->path, at->line,
                        "an array cannot be a pattern: it would be empty");
    if (header->symmetry == SYMMETRY_SKEW)
        return error_at(at->error, at->path, at->line,
                        "a pattern cannot be skew-symmetric: it has no signs");
    return STATUS_OK;
}

static enum status read_banner(const struct market_line *line, struct market_header *header,
                               const struct place *at)
{
    if (line->count != 5)
        return error_at(at->error, at->path, at->line,
                        "the banner has %d words instead of 5 (%%%%MatrixMarket "
                        "matrix FORMAT FIELD SYMMETRY)",
                        line->count);
    if (!spells(line, 1, "matrix"))
        return refuse_word(at, "object", line, 1, "\"matrix\"");
    header->array = spells(line, 2, "array");
    if (!header->array && !spells(line, 2, "coordinate"))
        return refuse_word(at, "format", line, 2, "\"coordinate\" or \"array\"");
    if (spells(line, 3, "complex"))
        return error_at(at->error, at->path, at->line,
                        "the matrix is complex: only real matrices can be read");
    /* "double" is no word of the format, but some programs write it for "real". */
    int field = spells(line, 3, "double") ? FIELD_REAL : find_word(line, 3, FIELDS, 3);
    if (field == 3)
        return refuse_word(at, "field", line, 3, "\"real\", \"integer\" or \"pattern\"");
    /* A hermitian matrix of real values is a symmetric one. */
    int symmetry =
        spells(line, 4, "hermitian") ? SYMMETRY_SYMMETRIC : find_word(line, 4, SYMMETRIES, 3);
    if (symmetry == 3)
        return refuse_word(at, "symmetry", line, 4,
                           "\"symmetric\", \"skew-symmetric\" or \"general\"");
    header->field = (enum market_field)field;
    header->symmetry = (enum market_symmetry)symmetry;
    return check_combination(header, at);
}

/* --- the size line ---------------------------------------------------------------------------- */

static enum status read_size(const struct market_line *line, int field, int64_t limit,
                             const char *what, int64_t *value, const struct place *at)
{
    char quoted[TEXT_QUOTED];
    const char *begin = line->fields[field].begin, *end = line->fields[field].end;
    enum integer_fault fault = integer_read(begin, end, value);
    if (fault == INTEGER_MALFORMED || (fault == INTEGER_OK && *value < 0))
        return error_at(at->error, at->path, at->line, "%s is no number of %s",
                        text_quote(begin, end, quoted), what);
    if (fault == INTEGER_TOO_LARGE || *value > limit)
        return error_at(at->error, at->path, at->line, "%s %s are too many, the limit is %" PRId64,
                        text_quote(begin, end, quoted), what, limit);
    return STATUS_OK;
}

static int64_t array_entries(const struct market_header *header)
{
    int64_t n = header->columns;
    if (header->symmetry == SYMMETRY_GENERAL)
        return header->rows * n;
    return header->symmetry == SYMMETRY_SYMMETRIC ? n * (n + 1) / 2 : n * (n - 1) / 2;
}

static enum status read_sizes(const struct market_line *line, struct market_header *header,
                              const struct place *at)
{
    int wanted = header->array ? 2 : 3;
    if (line->count != wanted)
        return error_at(at->error, at->path, at->line,
                        "the size line has %d field%s instead of %d (%s)", line->count,
                        text_plural(line->count), wanted,
                        header->array ? "rows, columns" : "rows, columns, entries");
    enum status status = read_size(line, 0, INT32_MAX, "rows", &header->rows, at);
    if (status == STATUS_OK)
        status = read_size(line, 1, INT32_MAX, "columns", &header->columns, at);
    if (status)
        return status;
    if (header->rows == 0 || header->columns == 0)
        return error_at(at->error, at->path, at->line,
                        "the matrix is empty, %" PRId64 " x %" PRId64 ": it must be at least 1 x 1",
                        header->rows, header->columns);
    header->size_line = at->line;
    header->entries = array_entries(header);
    return header->array ? STATUS_OK
                         : read_size(line, 2, INT64_MAX, "entries", &header->entries, at);
}

/* Up to and with the size line. */
static enum status read_header(struct text_reader *reader, const char *path,
                               struct market_header *header, struct error *error)
{
    const char *begin, *end;
    *header = (struct market_header){0};
    enum status status = first_line(reader, &begin, &end, error);
    if (status)
        return status;
    struct place at = {path, reader->line, error};
    if (!begin)
        return error_set(error, STATUS_INPUT, "%s:1: the file is empty", path);
    header->banner_line = at.line;
    struct market_line line = market_line_split(begin, end);
    if (line.count == 0 || *begin != '%' || !spells(&line, 0, "%%MatrixMarket"))
        return refuse_banner(&at, begin, end);
    status = read_banner(&line, header, &at);
    while (status == STATUS_OK) {
        status = text_reader_next(reader, &begin, &end, error);
        if (status)
            return status;
        at.line = reader->line;
        if (!begin)
            return error_at(error, path, at.line, "the file ends before a size line");
        if (memchr(begin, '\0', (size_t)(end - begin)))
            return error_at(error, path, at.line, "a NUL byte: this is no text file");
        if (!market_line_is_idle(begin, end)) {
            line = market_line_split(begin, end);
            return read_sizes(&line, header, &at);
        }
    }
    return status;
}

/* What arrays are, in the words of a Matrix Market file. */
static struct market_header header_of(const struct matrix_arrays *arrays)
{
    return (struct market_header){
        .field = arrays->no_values        ? FIELD_PATTERN
                 : arrays->integer_values ? FIELD_INTEGER
                                          : FIELD_REAL,
        .symmetry = arrays->kind == CSR_SYMMETRIC ? SYMMETRY_SYMMETRIC
                    : arrays->kind == CSR_SKEW    ? SYMMETRY_SKEW
                                                  : SYMMETRY_GENERAL,
        .rows = arrays->rows,
        .columns = arrays->columns,
        .entries = arrays->entries,
    };
}

enum status market_open(struct market_file *file, const char *path, int64_t window,
                        struct text_reader *reader, struct error *error)
{
    *file = (struct market_file){.path = path};
    *reader = (struct text_reader){.source = NULL};
    enum status status = arrays_open(path, &file->arrays, error);
    if (file->arrays)
        file->header = header_of(file->arrays);
    if (status || file->arrays)
        return status;
    status = text_source_open(path, window, &file->source, error);
    if (status)
        return status;
    *reader = text_reader_start(file->source);
    return read_header(reader, path, &file->header, error);
}

void market_close(struct market_file *file)
{
    text_source_close(file->source);
    arrays_close(file->arrays);
}

void market_place_text(const struct market_file *file, int64_t place, char text[ARRAYS_PLACE])
{
    if (file->arrays)
        arrays_place(file->arrays, place - 1, text);
    else
        snprintf(text, ARRAYS_PLACE, "line %" PRId64, place);
}

enum status market_refuse(const struct market_file *file, int64_t place, struct error *error,
                          const char *format, ...)
{
    char text[ARRAYS_PLACE], what[sizeof error->text];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    if (!file->arrays)
        return error_at(error, file->path, place, "%s", what);
    if (place == 0)
        return error_set(error, STATUS_INPUT, "%s: %s", file->path, what);
    market_place_text(file, place, text);
    return error_set(error, STATUS_INPUT, "%s: %s: %s", file->path, text, what);
}

enum status market_leave_unsaid(const struct market_file *file, struct error *error)
{
    *file->unsaid = true;
    return error_set(error, STATUS_INPUT,
                     "%s: has a fault for several ranks, and none for one: has "
                     "it changed?",
                     file->path);
}

/* --- array files ------------------------------------------------------------------------------ */

static int64_t first_row(const struct market_header *header, int64_t column)
{
    return header->symmetry == SYMMETRY_GENERAL ? 0 : column + (header->symmetry == SYMMETRY_SKEW);
}

struct array_place array_place_of(const struct market_header *header, int64_t k)
{
    if (header->symmetry == SYMMETRY_GENERAL)
        return (struct array_place){k % header->rows, k / header->rows};
    struct array_place place = {0, 0};
    for (; place.column < header->columns && k >= header->rows - first_row(header, place.column);
         place.column++)
        k -= header->rows - first_row(header, place.column);
    place.row = first_row(header, place.column) + k;
    return place;
}

void array_place_step(const struct market_header *header, struct array_place *place)
{
    if (++place->row == header->rows)
        place->row = first_row(header, ++place->column);
}
