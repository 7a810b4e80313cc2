#include "base/load.h"

#include "base/float_state.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* A shared library that was loaded with RTLD_LOCAL hides its symbols until it is opened anew. In a
 * program this call finds no object, and does nothing. */
static void show_own_symbols(void)
{
    static const char own_symbol;
    Dl_info info;
    if (dladdr(&own_symbol, &info) && info.dli_fname)
        dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL);
}

static enum status refuse(const char *path, const char *why, struct error *error)
{
    return error_set(error, STATUS_INPUT, "%s: cannot be loaded: %s", path, why);
}

/* What the loader says, without the path before it. */
static const char *said(const char *path)
{
    const char *text = dlerror();
    size_t length = strlen(path);
    return strncmp(text, path, length) == 0 && !strncmp(text + length, ": ", 2) ? text + length + 2
                                                                                : text;
}

enum status object_load(const char *path, void **object, struct error *error)
{
    struct stat info;
    char *full = realpath(path, NULL); /* dlopen searches other directories for a name without a
                                          slash */
    enum status status = STATUS_OK;
    fenv_t host;
    *object = NULL;
    if (!full || stat(full, &info) != 0)
        status = refuse(path, strerror(errno), error);
    else if (!S_ISREG(info.st_mode))
        status = refuse(path, "it is no regular file", error);
    float_state_begin(&host);
    if (!status) {
        show_own_symbols();
        *object = dlopen(full, RTLD_NOW | RTLD_LOCAL);
    }
    float_state_end(&host);
    if (!status && !*object)
        status = refuse(path, said(full), error);
    free(full);
    return status;
}

const void *object_symbol(void *object, const char *name)
{
    return dlsym(object, name);
}

void object_unload(void *object)
{
    dlclose(object);
}
