/* Files that are cut off, or of which a byte is another. */
#ifndef TESTS_IO_ARRAYS_DAMAGE_H
#define TESTS_IO_ARRAYS_DAMAGE_H

#include <stdbool.h>
#include <stdint.h>

/* The matrix of the file with that content, as a general one; hash 0 where it is refused, by a
 * sentence that begins with the name of the file. */
uint64_t hash_of_content(const void *bytes, int64_t count);

/* Every beginning of the file is refused, down to `least` bytes less than all. No byte of
 * which a bit is changed ends in a crash; with `checked` it is noticed, or changes nothing. */
void expect_damage_found(const void *bytes, int64_t count, int64_t least, bool checked);

/* Reading the file as a general matrix survives every allocation that fails. */
void expect_memory_may_be_short(const char *path);

/* The hash of the matrix that a Matrix Market file of this text is. */
uint64_t hash_of_text(const char *text);

#endif
