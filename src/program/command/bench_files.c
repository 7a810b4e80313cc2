/* The matrices of a bench: one file, or those below a directory. */
#include "program/command/run_bench.h"

#include "base/memory.h"
#include "io/text_file.h"
#include "io/unpack.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

bool bench_is_directory(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

/* The list takes *path over, which becomes NULL. */
static enum status add(struct bench_files *files, char **path, struct error *error)
{
    enum status status = memory_grow((void **)&files->paths, &files->capacity, files->count + 1,
                                     sizeof *files->paths, "the list of matrices", error);
    if (!status) {
        files->paths[files->count++] = *path;
        *path = NULL;
    }
    return status;
}

static enum status walk(const char *directory, struct bench_files *files, struct error *error);

/* The kind of the directory's entry of that name. */
static enum status visit(const char *directory, const char *name, struct bench_files *files,
                         struct error *error)
{
    struct stat itself, target;
    char *path = path_join(directory, name, error);
    if (!path)
        return STATUS_MEMORY;
    enum status status = STATUS_OK;
    if (lstat(path, &itself) == 0 && S_ISDIR(itself.st_mode))
        status = walk(path, files, error);
    else if (unpack_name_ends(name, ".mtx") && stat(path, &target) == 0 && S_ISREG(target.st_mode))
        status = add(files, &path, error);
    memory_free(path);
    return status;
}

static enum status walk(const char *directory, struct bench_files *files, struct error *error)
{
    DIR *open = opendir(directory);
    if (!open)
        return error_set(error, STATUS_INPUT, "%s: cannot read the directory: %s", directory,
                         strerror(errno));
    enum status status = STATUS_OK;
    for (const struct dirent *entry; !status && (entry = readdir(open));)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            status = visit(directory, entry->d_name, files, error);
    closedir(open);
    return status;
}

static int compare(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

enum status bench_files_find(const char *directory, struct bench_files *files, struct error *error)
{
    *files = (struct bench_files){0};
    enum status status = walk(directory, files, error);
    if (status)
        bench_files_free(files);
    else if (files->count > 0)
        qsort(files->paths, (size_t)files->count, sizeof *files->paths, compare);
    return status;
}

void bench_files_free(struct bench_files *files)
{
    for (int64_t k = 0; k < files->count; k++)
        memory_free(files->paths[k]);
    memory_free(files->paths);
    *files = (struct bench_files){0};
}
