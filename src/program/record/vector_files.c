#include "program/record/vector_files.h"

#include "base/hash.h"
#include "base/memory.h"

#include <inttypes.h>
#include <math.h>
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
                                struct solution_file *file, struct error *error)
{
    *file = (struct solution_file){.format = format, .n = n};
    return format == SOLUTION_NPY ? npy_begin_at(path, n, NPY_VECTOR, &file->npy, error)
                                  : text_file_begin_at(path, &file->text, error);
}

static enum status write_text(struct solution_file *file, const double *x, struct error *error)
{
    struct text_file *text = &file->text;
    enum status status = STATUS_OK;
    if (file->format == SOLUTION_MTX)
        status = text_file_line(
            text, error, "%%%%MatrixMarket matrix array real general\n%" PRId64 " 1", file->n);
    for (int64_t i = 0; i < file->n && !status; i++)
        status = isnan(x[i]) ? text_file_line(text, error, "nan")
                             : text_file_line(text, error, "%.17g", x[i]);
    return status;
}

enum status solution_file_finish(struct solution_file *file, const double *x, struct error *error)
{
    bool is_npy = file->format == SOLUTION_NPY;
    enum status status = is_npy ? npy_append(&file->npy, x, error) : write_text(file, x, error);
    if (!status)
        status = is_npy ? npy_finish(&file->npy, error) : text_file_finish(&file->text, error);
    solution_file_abandon(file);
    return status;
}

void solution_file_abandon(struct solution_file *file)
{
    npy_abandon(&file->npy);
    text_file_abandon(&file->text);
}

enum status solution_file_write(const char *directory, enum solution_format format,
                                const char *label, int64_t run, const double *x, int64_t n,
                                struct error *error)
{
    char name[VECTOR_FILE_NAME];
    struct solution_file file;
    vector_file_name(name, solution, label, run, solution_formats[format]);
    char *path = path_join(directory, name, error);
    enum status status = path ? solution_file_begin(path, format, n, &file, error) : STATUS_MEMORY;
    memory_free(path);
    return status ? status : solution_file_finish(&file, x, error);
}
