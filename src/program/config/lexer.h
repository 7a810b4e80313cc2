/* The text of a config, cut into words.
 *
 * Own code reads the text into libconfig's tree, because libconfig 1.5 reads 3000000000 as
 * -1294967296 and 1e400 as infinity without a word, refuses [1, 2.5], stops at a zero byte, and
 * says of a fault its line alone. */
#ifndef PROGRAM_CONFIG_LEXER_H
#define PROGRAM_CONFIG_LEXER_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

/* Where a piece of config came from: what a message starts with. */
struct source {
    const char *name; /* the file's path, or KEY=VALUE of a --set; borrowed */
    bool is_override;
    const char *place; /* of an override (struct settings_override), or NULL; borrowed */
};

/* STATUS_CONFIG with "FILE:LINE: ..." ("FILE: ..." for line 0), "--set KEY=VALUE: ..." or
 * "PLACE: ...". */
enum status source_fault(const struct source *source, int line, struct error *error,
                         const char *format, ...) __attribute__((format(printf, 4, 5)));

enum word_kind {
    WORD_NAME, /* a key, or true, false */
    WORD_INTEGER,
    WORD_REAL,
    WORD_TEXT, /* "..." */
    WORD_SIGN, /* = : ; , and brackets */
};

struct word {
    /* In the text that was cut; borrowed. The escapes of a WORD_TEXT are characters by now. */
    char *start;
    int length;
    int line; /* from 1 */
    enum word_kind kind;
    union {
        int64_t integer;
        double real;
    };
};

struct words {
    struct word *words;
    int64_t count, capacity;
    int last_line;
    bool has_comments;
    int64_t overflow; /* the first number out of range, or -1 */
};

/* Cut text[length], which the caller keeps as long as the words, and behind which is a zero byte. A
 * number out of range is left for the caller to refuse, because in an override it may be part of a
 * bare word. On failure there is nothing to free. The caller calls words_free. Errors:
 * STATUS_CONFIG, STATUS_MEMORY. */
enum status words_cut(const struct source *source, char *text, int64_t length, struct words *words,
                      struct error *error);

/* The word for a message. Gives back shown. */
const char *word_shown(const struct word *word, char *shown, int size);

void words_free(struct words *words); /* accepts a zeroed one */

#endif
