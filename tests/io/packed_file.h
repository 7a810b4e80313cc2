/* Files that gzip, bzip2 or xz has packed, for tests. */
#ifndef TESTS_IO_PACKED_FILE_H
#define TESTS_IO_PACKED_FILE_H

#include <stddef.h>

/* A new file of one part in the test's directory; its path, as temporary_path gives it; NULL: the
 * library of that form is not here. form: a name of an unpack_form. */
const char *packed_file(const char *form, const char *name, const char *text, size_t bytes);

#endif
