/* Harwell-Boeing files (Duff, Grimes, Lewis 1992, RAL-92-086) and the matrices of Rutherford-Boeing
 * ones (1997, RAL-TR-97-031), plain or packed: lines of a header, then the column pointers, the
 * rows and the values, each in fixed-width fields of a Fortran format.
 *
 * Read: real, integer and pattern matrices, assembled, that are unsymmetric, rectangular, symmetric
 * or skew-symmetric. Right-hand sides after the matrix are skipped. A field may hold blanks before
 * and after its number. A line with as many words as fields is read by words, because SciPy writes
 * fields narrower than its format. The last field of a line may be shorter, unless the file ends
 * there without an end of line. An exponent has the letter E, D or Q, or only a sign. A real number
 * must have a decimal point: a format's implied point is refused. */
#include "base/memory.h"
#include "base/number.h"
#include "base/text.h"
#include "io/arrays/matrix_arrays.h"
#include "io/text_source.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { WINDOW = 1 << 18, LINE = 256, HEADER_LINES = 4, NUMBER_MOST = 100 };

/* How the numbers of one array stand in lines. */
struct layout {
    int64_t first_line;
    int count, width; /* fields in a line, and characters in a field */
    bool is_integer;  /* of integers */
    bool scaled;      /* the format scales numbers without an exponent */
};

/* One array. */
struct fields {
    struct layout layout;
    struct text_source *source;
    struct text_reader reader;
    const char *line, *end; /* the line being read, */
    const char *next;       /* in it: after the last field */
    bool by_words;          /* it has as many words as fields, and these are they */
};

struct boeing { /* what `data` is */
    struct fields array[ARRAYS];
    bool goes_on; /* right-hand sides come after the matrix */
};

static const struct arrays_format boeing_format;

/* The fault is [begin, end) of that line. */
static enum status refuse(const struct matrix_arrays *file, int64_t line, const char *begin,
                          const char *end, const char *what, struct error *error)
{
    char quoted[TEXT_QUOTED];
    return error_set(error, STATUS_INPUT, "%s: line %" PRId64 ": %s %s", file->path, line,
                     text_quote(begin, end, quoted), what);
}

/* --- the header ------------------------------------------------------------------------------- */

struct header {
    char line[HEADER_LINES][LINE + 1];
    int64_t bytes; /* of the text, at most */
};

/* A line that is too long, or missing, is left empty. */
static enum status read_lines(const char *path, struct header *header, struct error *error)
{
    struct text_source *source;
    const char *begin = "", *end;
    enum status status = text_source_open(path, WINDOW, &source, error);
    if (status)
        return status;
    struct text_reader reader = text_reader_start(source);
    header->bytes = text_source_bound(source, 0);
    for (int k = 0; k < HEADER_LINES && !status && begin; k++) {
        status = text_reader_next(&reader, &begin, &end, error);
        if (!status && begin && end - begin <= LINE)
            memcpy(header->line[k], begin, (size_t)(end - begin));
    }
    text_source_close(source);
    return status;
}

/* The third line: a type of three letters, then numbers. */
static bool is_header(const struct header *header)
{
    const char *type = header->line[2];
    int64_t rows, columns, entries;
    return strlen(type) > 3 && strchr("rcpiqxRCPIQX", type[0]) && strchr("suhzrSUHZR", type[1]) &&
           strchr("aeAE", type[2]) && type[3] == ' ' &&
           sscanf(type + 3, "%18" SCNd64 "%18" SCNd64 "%18" SCNd64, &rows, &columns, &entries) == 3;
}

static enum status refuse_header(const struct matrix_arrays *file, const struct header *header,
                                 int line, const char *what, struct error *error)
{
    const char *text = header->line[line - 1];
    return refuse(file, line, text, text + strlen(text), what, error);
}

static enum status take_type(struct matrix_arrays *file, const struct header *header,
                             struct error *error)
{
    const char *line = header->line[2];
    char value = (char)tolower(line[0]), shape = (char)tolower(line[1]);
    file->base = 1;
    file->by_columns = true;
    file->no_values = value == 'p';
    file->integer_values = value == 'i';
    file->kind = strchr("sh", shape) ? CSR_SYMMETRIC : shape == 'z' ? CSR_SKEW : CSR_GENERAL;
    sscanf(line + 3, "%18" SCNd64 "%18" SCNd64 "%18" SCNd64, &file->rows, &file->columns,
           &file->entries);
    if (!strchr("rip", value))
        return refuse_header(file, header, 3,
                             "has values of another type than real, integer or pattern", error);
    if (tolower(line[2]) != 'a')
        return refuse_header(file, header, 3, "is of elements, and not assembled", error);
    return file->rows >= 0 && file->columns >= 0 && file->entries >= 0 &&
                   (file->kind == CSR_GENERAL || file->rows == file->columns)
               ? STATUS_OK
               : refuse_header(file, header, 3, "has not the sizes of such a matrix", error);
}

/* Read the digits at *at, and move *at past them. -1: no digit. */
static int take_digits(const char **at)
{
    int number = 0, digits = 0;
    for (; isdigit((unsigned char)**at) && digits < 4; digits++)
        number = 10 * number + (*(*at)++ - '0');
    return digits ? number : -1;
}

/* Skips "1P,", if the text begins with it. */
static const char *skip_scale(const char *at, bool *scaled)
{
    const char *letter = at + strspn(at, " +-0123456789");
    if (toupper(*letter) != 'P')
        return at;
    *scaled = at + strcspn(at, "123456789") < letter;
    return letter + 1 + strspn(letter + 1, " ,");
}

/* "(1P,3E26.18)" at *text, which moves on after it. */
static bool take_format(const char **text, const char *letters, struct layout *layout)
{
    const char *at = *text + strspn(*text, " ");
    if (*at++ != '(')
        return false;
    at = skip_scale(at, &layout->scaled);
    at += strspn(at, " ");
    layout->count = isdigit((unsigned char)*at) ? take_digits(&at) : 1;
    char letter = (char)toupper(*at);
    if (!letter || !strchr(letters, letter))
        return false;
    at++;
    layout->is_integer = letter == 'I';
    layout->width = take_digits(&at);
    for (const char *part = ".E"; *part; part++)
        if (toupper(*at) == *part && isdigit((unsigned char)at[1])) {
            at++;
            take_digits(&at);
        }
    at += strspn(at, " ");
    *text = at + 1;
    return *at == ')' && layout->count >= 1 && layout->width >= 1 && layout->width <= NUMBER_MOST;
}

static int64_t numbers_of(const struct matrix_arrays *file, enum array which)
{
    return which == ARRAY_MAJOR                       ? file->columns + 1
           : which == ARRAY_VALUES && file->no_values ? 0
                                                      : file->entries;
}

/* The layouts of the arrays, by their formats and the line counts of the second line. */
static enum status take_layouts(const struct matrix_arrays *file, const struct header *header,
                                struct boeing *boeing, struct error *error)
{
    int64_t cards[ARRAYS] = {0}, others = 0;
    const char *format = header->line[3];
    if (sscanf(header->line[1], "%*18d %18" SCNd64 "%18" SCNd64 "%18" SCNd64 "%18" SCNd64,
               &cards[0], &cards[1], &cards[2], &others) < 3)
        return refuse_header(file, header, 2, "has not the numbers of lines", error);
    boeing->goes_on = others > 0;
    int64_t line = HEADER_LINES + boeing->goes_on + 1;
    for (int a = 0; a < ARRAYS; a++) {
        struct layout *layout = &boeing->array[a].layout;
        int64_t numbers = numbers_of(file, (enum array)a);
        if (numbers > 0 && !take_format(&format, a == ARRAY_VALUES ? "EDFGI" : "I", layout))
            return refuse_header(file, header, 4, "has no format of Fortran that can be read",
                                 error);
        int64_t lines = numbers > 0 ? (numbers - 1) / layout->count + 1 : 0;
        if (cards[a] != lines)
            return refuse_header(file, header, 2,
                                 "does not have the numbers of lines that sizes and formats give",
                                 error);
        layout->first_line = line;
        line += lines;
    }
    return STATUS_OK;
}

static enum status check_length(const struct matrix_arrays *file, const struct header *header,
                                struct error *error)
{
    return file->columns < header->bytes && file->entries < header->bytes
               ? STATUS_OK
               : refuse_header(file, header, 3, "announces more than the file can hold", error);
}

enum status boeing_open(struct matrix_arrays *file, bool *is, struct error *error)
{
    struct header header = {.bytes = 0};
    struct error ignored; /* the Matrix Market reader describes faults of other files */
    *is = !read_lines(file->path, &header, &ignored) && is_header(&header);
    if (!*is)
        return STATUS_OK;
    struct boeing *boeing = memory_zeros(1, sizeof *boeing, "a piece of a file", error);
    file->format = &boeing_format;
    file->data = boeing;
    enum status status = boeing ? take_type(file, &header, error) : STATUS_MEMORY;
    if (!status)
        status = check_length(file, &header, error);
    return status ? status : take_layouts(file, &header, boeing, error);
}

/* --- arrays ----------------------------------------------------------------------------------- */

static void close_arrays(struct matrix_arrays *file)
{
    struct boeing *boeing = file->data;
    for (int a = 0; a < ARRAYS; a++)
        text_source_close(boeing->array[a].source);
    memory_free(boeing);
}

static enum status rewind_arrays(struct matrix_arrays *file, struct error *error)
{
    struct boeing *boeing = file->data;
    const char *begin = "", *end;
    enum status status = STATUS_OK;
    for (int a = 0; a < ARRAYS && !status; a++) {
        struct fields *fields = &boeing->array[a];
        text_source_close(fields->source);
        fields->source = NULL;
        status = text_source_open(file->path, WINDOW, &fields->source, error);
        if (!status)
            fields->reader = text_reader_start(fields->source);
        while (!status && begin && fields->reader.line < fields->layout.first_line - 1)
            status = text_reader_next(&fields->reader, &begin, &end, error);
    }
    return status;
}

static const char *skip_blanks(const char *at, const char *end)
{
    while (at < end && *at == ' ')
        at++;
    return at;
}

static const char *skip_word(const char *at, const char *end)
{
    while (at < end && *at != ' ')
        at++;
    return at;
}

static int64_t count_words(const char *at, const char *end)
{
    int64_t count = 0;
    for (at = skip_blanks(at, end); at < end; count++)
        at = skip_blanks(skip_word(at, end), end);
    return count;
}

/* The line whose first field is k. */
static enum status next_line(struct matrix_arrays *file, enum array which, int64_t k,
                             struct error *error)
{
    struct fields *fields = &((struct boeing *)file->data)->array[which];
    int64_t left = numbers_of(file, which) - k, count = fields->layout.count;
    enum status status = text_reader_next(&fields->reader, &fields->line, &fields->end, error);
    if (!status && !fields->line)
        status = arrays_refuse(file, which, k, error, "the file ends before this line");
    if (status)
        return status;
    fields->next = fields->line;
    fields->by_words = count_words(fields->line, fields->end) == (left < count ? left : count);
    return STATUS_OK;
}

/* [begin, end) = field k, without blanks around it. */
static enum status next_field(struct matrix_arrays *file, enum array which, int64_t k,
                              const char **begin, const char **end, struct error *error)
{
    struct fields *fields = &((struct boeing *)file->data)->array[which];
    int count = fields->layout.count, width = fields->layout.width;
    int64_t place = k % count;
    enum status status = place == 0 ? next_line(file, which, k, error) : STATUS_OK;
    if (status)
        return status;
    const char *line_end = fields->end;
    int64_t left = line_end - fields->next;
    bool whole_line = line_end < fields->reader.span.end, extra = false;
    bool complete = whole_line || (place + 1) * width <= line_end - fields->line;
    *begin = skip_blanks(fields->next, line_end);
    if (fields->by_words) {
        fields->next = *end = skip_word(*begin, line_end);
        complete = complete && *end - *begin <= width;
    } else {
        fields->next += left < width ? left : width;
        *end = *begin < fields->next ? fields->next : *begin;
        while (*begin < *end && (*end)[-1] == ' ')
            --*end;
        bool is_last = place + 1 == count || k + 1 == numbers_of(file, which);
        extra = is_last && skip_blanks(fields->next, line_end) < line_end;
    }
    if (complete && !extra && *begin < *end)
        return STATUS_OK;
    char quoted[TEXT_QUOTED];
    return arrays_refuse(file, which, k, error, "field %d of %d characters is %s%s", (int)place + 1,
                         width, text_quote(*begin, *end, quoted),
                         extra ? ", and the line goes on" : "");
}

/* Inserts the E into an exponent without a letter: "1.5-100". Gives back the length. */
static int64_t copy_number(const char *begin, const char *end, char text[NUMBER_MOST + 1])
{
    int64_t length = 0;
    for (const char *at = begin; at < end; at++) {
        if (at > begin && strchr("+-", *at) && (isdigit((unsigned char)at[-1]) || at[-1] == '.'))
            text[length++] = 'E';
        text[length++] = *at;
    }
    return length;
}

/* Why the field is no number, or NULL. */
static const char *take_value(const struct layout *layout, const char *begin, const char *end,
                              double *value)
{
    char text[2 * NUMBER_MOST];
    const char *stop = text, *last = text + copy_number(begin, end, text);
    enum number_fault fault = number_read_fortran(text, last, value, &stop);
    bool has_exponent = false;
    for (const char *at = text; at < last; at++)
        has_exponent = has_exponent || strchr("eEdDqQ", *at);
    if (fault == NUMBER_OVERFLOW)
        return "is beyond the range of double";
    if (fault == NUMBER_UNDERFLOW)
        return "is too small for a double, which would be 0";
    if (fault || stop != last)
        return "is not a number";
    if (layout->is_integer)
        return memchr(text, '.', (size_t)(last - text)) || has_exponent ? "is not a whole number"
                                                                        : NULL;
    if (!memchr(text, '.', (size_t)(last - text)))
        return "has no decimal point";
    return layout->scaled && !has_exponent ? "has no exponent, and the format scales it" : NULL;
}

static enum status read_numbers(struct matrix_arrays *file, enum array which, int64_t first,
                                int64_t count, int64_t *integers, double *real, struct error *error)
{
    const struct boeing *boeing = file->data;
    enum status status = STATUS_OK;
    for (int64_t k = 0; k < count && !status; k++) {
        const char *begin = NULL, *end = NULL, *fault = NULL;
        char quoted[TEXT_QUOTED];
        status = next_field(file, which, first + k, &begin, &end, error);
        if (status)
            return status;
        if (real)
            fault = take_value(&boeing->array[which].layout, begin, end, &real[k]);
        else if (integer_read(begin, end, &integers[k]))
            fault = "is not a whole number";
        if (fault)
            status = arrays_refuse(file, which, first + k, error, "%s %s",
                                   text_quote(begin, end, quoted), fault);
    }
    return status;
}

/* After the matrix only announced right-hand sides, or blanks, may follow. */
static enum status check_end(struct matrix_arrays *file, struct error *error)
{
    struct boeing *boeing = file->data;
    struct text_reader *reader =
        &boeing->array[file->no_values ? ARRAY_MINOR : ARRAY_VALUES].reader;
    const char *begin = "", *end;
    enum status status = STATUS_OK;
    while (!status && !boeing->goes_on && begin) {
        status = text_reader_next(reader, &begin, &end, error);
        while (!status && begin && begin < end && *begin == ' ')
            begin++;
        if (!status && begin && begin < end)
            status = refuse(file, reader->line, begin, end, "comes after the matrix", error);
    }
    return status;
}

static void place(const struct matrix_arrays *file, enum array which, int64_t k,
                  char text[ARRAYS_PLACE])
{
    const struct layout *layout = &((const struct boeing *)file->data)->array[which].layout;
    snprintf(text, ARRAYS_PLACE, "line %" PRId64,
             layout->first_line + (layout->count ? k / layout->count : 0));
}

static const struct arrays_format boeing_format = {.rewind = rewind_arrays,
                                                   .read = read_numbers,
                                                   .end = check_end,
                                                   .place = place,
                                                   .close = close_arrays};
