#include "program/record/vector_files.h"

#include "base/hash.h"
#include "base/memory.h"
#include "io/csv.h"

#include <inttypes.h>
#include <string.h>

enum { LABEL_MOST = 150 };
static const char eigenvectors[] = "eigenvectors", solution[] = "solution";

static bool is_plain(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
           (byte >= '0' && byte <= '9') || (byte && strchr("._=-", byte));
}

const char *vector_file_name(char name[VECTOR_FILE_NAME], const char *what, const char *label,
                             int64_t run, const char *extension)
{
    char text[LABEL_MOST + 4];
    int length = 0;
    uint64_t hash = HASH_START;
    for (const char *at = label; *at; at++) {
        hash = hash_word(hash, (unsigned char)*at);
        if (length <= LABEL_MOST)
            length +=
                snprintf(text + length, 4, is_plain(*at) ? "%c" : "%%%02X", (unsigned char)*at);
    }
    if (length > LABEL_MOST)
        snprintf(text, sizeof text, "%016" PRIx64, hash);
    snprintf(name, VECTOR_FILE_NAME, "%s-%s-%" PRId64 ".%s", what, text, run, extension);
    return name;
}

/* Whether the name is WHAT-...-RUN.EXTENSION, or that with .partial. */
static bool is_of(const char *name, const char *what, const char *extension)
{
    char end[32];
    size_t length = strlen(what);
    const char *run = strrchr(name, '-');
    if (strncmp(name, what, length) != 0 || name[length] != '-' || run == name + length)
        return false;
    size_t digits = strspn(run + 1, "0123456789");
    const char *rest = run + 1 + digits;
    snprintf(end, sizeof end, ".%s.partial", extension);
    return digits > 0 &&
           (strcmp(rest, end) == 0 || (rest[0] == '.' && strcmp(rest + 1, extension) == 0));
}

bool vector_file_is_named(const char *name)
{
    bool found = is_of(name, eigenvectors, "npy");
    for (int format = SOLUTION_NONE + 1; solution_formats[format]; format++)
        found |= is_of(name, solution, solution_formats[format]);
    return found;
}

enum status eigenvector_file_take(struct npy_file *file, const char *directory,
                                  const struct event *vector, int64_t n, struct error *error)
{
    char name[VECTOR_FILE_NAME];
    enum status status = STATUS_OK;
    if (vector->place == 0)
        status = npy_begin(directory,
                           vector_file_name(name, eigenvectors, vector->label, vector->run, "npy"),
                           n, NPY_COLUMNS, file, error);
    return status ? status : npy_append(file, vector->values, error);
}

enum status solution_file_begin(const char *path, enum solution_format format, int64_t n,
                                int64_t columns, struct solution_file *file, struct error *error)
{
    *file = (struct solution_file){.format = format, .n = n, .columns = columns};
    return format == SOLUTION_NPY
               ? npy_begin(NULL, path, columns > 1 ? n : 1, columns > 1 ? NPY_COLUMNS : NPY_VECTOR,
                           &file->npy, error)
               : text_file_begin(NULL, path, &file->text, error);
}

/* The last number of a line, or one before it. */
static enum status write_number(struct text_file *text, double value, bool ends,
                                struct error *error)
{
    char number[CSV_NUMBER];
    csv_number(number, "%.17g", value);
    return ends ? text_file_line(text, error, "%s", number)
                : text_file_part(text, error, "%s ", number);
}

/* Column after column, a number a line. */
static enum status write_market(struct solution_file *file, const struct event *piece,
                                struct error *error)
{
    enum status status = STATUS_OK;
    if (piece->first == 0)
        status = text_file_line(&file->text, error,
                                "%%%%MatrixMarket matrix array real general\n%" PRId64 " %" PRId64,
                                file->n, file->columns);
    for (int64_t k = 0; k < piece->count * file->columns && !status; k++)
        status = write_number(&file->text, piece->values[k], true, error);
    return status;
}

/* Row after row. */
static enum status write_text(struct solution_file *file, const struct event *piece,
                              struct error *error)
{
    enum status status = STATUS_OK;
    for (int64_t i = 0; i < piece->count; i++)
        for (int64_t j = 0; j < file->columns && !status; j++)
            status = write_number(&file->text, piece->values[j * piece->count + i],
                                  j + 1 == file->columns, error);
    return status;
}

enum status solution_file_piece(struct solution_file *file, const struct event *piece,
                                struct error *error)
{
    bool is_npy = file->format == SOLUTION_NPY, is_last = piece->first + piece->count == file->n;
    int64_t rows = file->columns > 1 ? file->columns : piece->count; /* of the array */
    enum status status = is_npy ? npy_append_rows(&file->npy, rows, piece->values, error)
                         : file->format == SOLUTION_MTX ? write_market(file, piece, error)
                                                        : write_text(file, piece, error);
    if (!status && is_last)
        status = is_npy ? npy_finish(&file->npy, error) : text_file_finish(&file->text, error);
    if (status || is_last)
        solution_file_abandon(file);
    return status;
}

void solution_file_abandon(struct solution_file *file)
{
    npy_abandon(&file->npy);
    text_file_abandon(&file->text);
}

enum status solution_file_take(struct solution_file *file, const char *directory,
                               enum solution_format format, const struct event *piece, int64_t n,
                               int64_t columns, struct error *error)
{
    char name[VECTOR_FILE_NAME];
    enum status status = STATUS_OK;
    if (piece->first == 0) {
        vector_file_name(name, solution, piece->label, piece->run, solution_formats[format]);
        char *path = path_join(directory, name, error);
        status = path ? solution_file_begin(path, format, n, columns, file, error) : STATUS_MEMORY;
        memory_free(path);
    }
    return status ? status : solution_file_piece(file, piece, error);
}
