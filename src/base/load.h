/* Objects that are loaded while the program runs, as plug-ins are. */
#ifndef BASE_LOAD_H
#define BASE_LOAD_H

#include "base/status.h"

/* Load the shared object of that file with all its symbols resolved; its own stay its own. What it
 * needs it finds in the program, and in the library also where that was loaded for one user alone,
 * as Python loads it. Code of the object may run, in a floating-point state of its own. The second
 * time the same object is given back. Errors: STATUS_INPUT (no such file, none that can be loaded,
 * a symbol that is missing). */
enum status object_load(const char *path, void **object, struct error *error);

/* The address of that symbol in it; NULL: it has none. */
const void *object_symbol(void *object, const char *name);

/* Gives an object back of which nothing is used. */
void object_unload(void *object);

#endif
