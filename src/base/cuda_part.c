/* Looks for the CUDA part, and loads it. */
#include "base/cuda_part.h"

#include "base/cuda_host.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char file[] = "libcgsolve_cuda.so";

static const struct cuda_host host = {
#define MEMBER(function) .function = (function),
    CUDA_HOST_FUNCTIONS(MEMBER)
#undef MEMBER
};

static const struct cuda_part linked_in = {sizeof linked_in, CUDA_PART_VERSION, "linked in",
                                           cuda_entry_find};

static const struct cuda_part *part;
static char missing[PATH_MAX + 256] = "not in libcgsolve_cuda.so"; /* where that is there */

/* The directory, with a "/", of the program, or of the library that has this function. For a
 * program, dladdr gives the first word of the command line, which may be no path. */
static void find_directory(char path[PATH_MAX])
{
    Dl_info object;
    bool by_path = dladdr(&host, &object) && strchr(object.dli_fname, '/');
    if (!realpath(by_path ? object.dli_fname : "/proc/self/exe", path))
        strcpy(path, "/");
    strrchr(path, '/')[1] = '\0';
}

static void *open_at(const char *path)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        snprintf(missing, sizeof missing, "%s", dlerror());
    return library;
}

/* In $CGSOLVE_CUDA_PART; else beside this file, in the lib/ beside its bin/, or where the system
 * looks for libraries. */
static void *open_part(void)
{
    static const char *const places[] = {"", "../lib/"};
    const char *named = getenv("CGSOLVE_CUDA_PART");
    char directory[PATH_MAX], path[PATH_MAX + 64];
    if (named && *named)
        return open_at(named);
    find_directory(directory);
    for (int k = 0; k < 2; k++) {
        snprintf(path, sizeof path, "%s%s%s", directory, places[k], file);
        if (access(path, F_OK) == 0)
            return open_at(path);
    }
    void *library = open_at(file);
    if (!library && strncmp(missing, file, strlen(file)) == 0) /* the part is missing, not a library
                                                                  that it needs */
        snprintf(missing, sizeof missing, "%s, the CUDA part, is not here", file);
    return library;
}

/* NULL, with the reason in `missing`. It stays loaded. */
static const struct cuda_part *load(void)
{
    void *library = open_part();
    cuda_part_entry *entry = NULL;
    if (!library)
        return NULL;
    *(void **)&entry = dlsym(library, "cgsolve_cuda_part");
    if (!entry) {
        snprintf(missing, sizeof missing, "%s", dlerror());
        return NULL;
    }
    const struct cuda_part *found = entry(&host);
    if (!found)
        snprintf(missing, sizeof missing, "another cgsolve in this process has %s", file);
    else if (found->size != sizeof *found || strcmp(found->version, CUDA_PART_VERSION) != 0)
        snprintf(missing, sizeof missing, "%s is of version %s, this is %s", file, found->version,
                 CUDA_PART_VERSION);
    else
        return found;
    return NULL;
}

static void find_part(void)
{
    part = cuda_entries_are_here() ? &linked_in : load();
}

const struct cuda_part *cuda_part(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_part);
    return part;
}

const char *cuda_part_missing(void)
{
    cuda_part();
    return missing;
}
