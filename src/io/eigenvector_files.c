#include "io/eigenvector_files.h"

#include "base/hash.h"
#include "io/text_file.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>

enum { LABEL_MOST = 150 };
static const char begin[] = "eigenvectors-";

static bool is_plain(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
           (byte >= '0' && byte <= '9') || (byte && strchr("._=-", byte));
}

const char *eigenvector_file_name(char name[EIGENVECTOR_NAME], const char *label, int64_t run)
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
    snprintf(name, EIGENVECTOR_NAME, "%s%s-%" PRId64 ".npy", begin, text, run);
    return name;
}

static bool ends_with(const char *name, const char *end)
{
    size_t length = strlen(name), wanted = strlen(end);
    return length >= wanted && strcmp(name + length - wanted, end) == 0;
}

bool eigenvector_file_is_named(const char *name)
{
    return strncmp(name, begin, strlen(begin)) == 0 &&
           (ends_with(name, ".npy") || ends_with(name, ".npy.partial"));
}

enum status eigenvector_file_take(struct npy_file *file, const char *directory, const char *label,
                                  int64_t run, int64_t k, const double *v, int64_t n,
                                  struct error *error)
{
    char name[EIGENVECTOR_NAME];
    enum status status = STATUS_OK;
    if (k == 0)
        status =
            npy_begin(directory, eigenvector_file_name(name, label, run), n, true, file, error);
    return status ? status : npy_append(file, v, error);
}

enum status eigenvector_files_remove(const char *directory, struct error *error)
{
    DIR *entries = opendir(directory);
    if (!entries)
        return error_set(error, STATUS_OUTPUT, "%s: cannot read: %s", directory, strerror(errno));
    enum status status = STATUS_OK;
    for (const struct dirent *entry; !status && (entry = readdir(entries));)
        if (eigenvector_file_is_named(entry->d_name))
            status = text_file_remove(directory, entry->d_name, error);
    closedir(entries);
    return status;
}
