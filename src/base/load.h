/* Shared objects loaded at run time, such as plug-ins. */
#ifndef BASE_LOAD_H
#define BASE_LOAD_H

#include "base/status.h"

/* Load the shared object of that file, and resolve all its symbols. Its own symbols stay local. It
 * finds others in the program, and in the library, also if that was loaded with RTLD_LOCAL, as
 * Python does. The object's constructors run in the default floating-point state; the caller's is
 * restored. The second call gives back the same object. Errors: STATUS_INPUT (no such file, none
 * that can be loaded, a symbol that is missing). */
enum status object_load(const char *path, void **object, struct error *error);

/* The address of that symbol; NULL: the object has none. */
const void *object_symbol(void *object, const char *name);

/* Unload an object. Nothing of it may be in use. */
void object_unload(void *object);

#endif
