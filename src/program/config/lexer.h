/* The text of a config, cut into words before libconfig sees it.
 *
 * libconfig 1.5 reads 3000000000 as -1294967296 and 1e400 as infinity without a word, refuses
 * [1, 2.5], stops at a zero byte, and names the line of the word after a text instead of the text's
 * own. So this pass checks every word, and writes the text anew for libconfig: one word a line,
 * whole numbers with the suffix L, reals with 17 digits, lists in ( ). libconfig's line number is
 * then the number of a word, which leads back to its line in the file. */
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
    WORD_NUMBER,
    WORD_TEXT, /* "..." */
    WORD_SIGN, /* = : ; , and brackets */
};

struct word {
    const char *start; /* in the text that was cut; borrowed */
    int length;
    int line; /* from 1 */
    enum word_kind kind;
    int64_t previous; /* of a key: the key before it in its group, or -1; set by words_check */
};

struct words {
    struct word *words;
    int64_t count, capacity;
    char *clean; /* the text for libconfig, ended by a zero byte */
    int64_t clean_length, clean_capacity;
    int last_line;
    bool has_comments;
    int64_t overflow; /* the first number out of range (it stands as 0 in clean), or -1 */
};

/* Cut text[length] (kept by the caller as long as the words). A number out of range is left for the
 * caller to refuse by words_check_range, because in an override it may be part of a bare word. On
 * failure there is nothing to free. The caller calls words_free. Errors: STATUS_CONFIG,
 * STATUS_MEMORY. */
enum status words_cut(const struct source *source, const char *text, int64_t length,
                      struct words *words, struct error *error);

/* True for a sign that is one of these. */
bool word_is_sign(const struct word *word, const char *signs);

/* The words are settings as libconfig takes them, and no key is repeated: libconfig's own message
 * would not say what was wanted, nor where the key stood first, and some versions leak memory with
 * it. Defined in grammar.c. Errors: STATUS_CONFIG. */
enum status words_check(struct words *words, const struct source *source, struct error *error);

/* Errors: STATUS_CONFIG for the first number that is out of range. */
enum status words_check_range(const struct words *words, const struct source *source,
                              struct error *error);

void words_free(struct words *words); /* accepts a zeroed one */

#endif
