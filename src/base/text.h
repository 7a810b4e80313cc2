/* Texts of others, names of files and labels, on their way to a terminal, into a message or a page.
 *
 * A character is odd when it is a control character (C0, DEL, and C1 from U+0080 to U+009F, which a
 * terminal obeys as it does ESC), one that ends a line or turns the direction of what follows
 * (U+2028, U+2029, and the property Bidi_Control of Unicode, UAX #9), so that a text looks like
 * another, U+FFFE or U+FFFF (XML knows neither), or a byte that belongs to no character of
 * UTF-8. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How many bytes the character at the start of a text has that is not empty: 1 for a byte that
 * begins none. */
int text_character(const char *text, bool *odd);

/* Every byte of an odd character becomes '?', in place, but for the control characters in `kept`,
 * such as "\n\t". */
void text_clean(char *text, const char *kept);

/* True when nothing in it is odd. */
bool text_is_clean(const char *text);

/* Copy text for a message or the terminal into shown[size], clean; a long one is cut. Gives back
 * shown. */
const char *shown_text(const char *text, char *shown, int size);

enum { TEXT_QUOTED = 48 };

/* The bytes in [begin, end) in quotation marks, fit for a message: cut when there are many, '?' for
 * what is no printable ASCII. Gives back `quoted`. */
const char *text_quote(const char *begin, const char *end, char quoted[TEXT_QUOTED]);

/* The ending of a noun after that number: "" for 1, else "s". */
const char *text_plural(int64_t count);

enum { TEXT_BYTES = 16 };

/* "1.23 MB", of 10^6 bytes. Gives back `text`. */
const char *text_bytes(char text[TEXT_BYTES], double bytes);

/* As character data of HTML or XML, or as the value of an attribute in double quotes; the bytes of
 * what is odd stand as '?', but for tabs and ends of lines. */
void html_text(FILE *stream, const char *text);

/* Print the text folded at its spaces into lines of at most 80 columns. The first line goes on at
 * `column`, where something stands already; the others begin after `indent` spaces. A newline ends
 * the last one. */
void text_fold(const char *text, int column, int indent, FILE *file);

#ifdef __cplusplus
}
#endif
#endif
