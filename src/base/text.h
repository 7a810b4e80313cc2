/* Foreign texts (names of files, labels) for a terminal, a message or a page.
 *
 * A character is odd when it is a control character (C0, DEL, and C1 from U+0080 to U+009F, which a
 * terminal obeys as it does ESC), one that ends a line or changes the direction of the following
 * text (U+2028, U+2029, and the property Bidi_Control of Unicode, UAX #9), so that a text looks
 * like another, U+FFFE or U+FFFF (not in XML), or a byte that is not UTF-8. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The bytes of the first character of a text that is not empty; 1 for an invalid byte. */
int text_character(const char *text, bool *odd);

/* Every byte of an odd character becomes '?', in place, except control characters in `kept`, such
 * as "\n\t". */
void text_clean(char *text, const char *kept);

/* True when nothing in it is odd. */
bool text_is_clean(const char *text);

/* Copy text for a message or the terminal into shown[size], clean; a long one is cut. Gives back
 * shown. */
const char *shown_text(const char *text, char *shown, int size);

enum { TEXT_QUOTED = 48 };

/* The bytes in [begin, end) in quotation marks, for a message: a long text is cut, and '?' replaces
 * all but printable ASCII. Gives back `quoted`. */
const char *text_quote(const char *begin, const char *end, char quoted[TEXT_QUOTED]);

/* The ending of a noun after that number: "" for 1, else "s". */
const char *text_plural(int64_t count);

enum { TEXT_BYTES = 16 };

/* "1.23 MB", of 10^6 bytes. Gives back `text`. */
const char *text_bytes(char text[TEXT_BYTES], double bytes);

/* As character data of HTML or XML, or as the value of an attribute in double quotes; '?' replaces
 * the bytes of odd characters, except tabs and ends of lines. */
void html_text(FILE *stream, const char *text);

/* Print the text folded at its spaces into lines of at most 80 columns. The first line continues at
 * `column`; the following lines have an indent of `indent` spaces. A newline ends the last line. */
void text_fold(const char *text, int column, int indent, FILE *file);

#ifdef __cplusplus
}
#endif
#endif
