#include "xml.h"

#include "support.h"

#include <stdbool.h>
#include <string.h>

enum { DEPTH = 64 };

static void expect_entity(const char *at)
{
    static const char *const entities[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&apos;"};
    bool known = strncmp(at, "&#", 2) == 0;
    for (size_t k = 0; k < sizeof entities / sizeof *entities; k++)
        known |= strncmp(at, entities[k], strlen(entities[k])) == 0;
    ck_assert_msg(known, "no entity: %.80s", at);
}

/* The name behind < or </. */
static size_t name_length(const char *name)
{
    size_t length =
        strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789:-");
    ck_assert_msg(length > 0, "a tag without a name: %.80s", name);
    return length;
}

/* at: the < of a tag. Gives back its >. */
static const char *tag_end(const char *at)
{
    char quote = '\0';
    for (const char *begin = at++; *at; at++) {
        ck_assert_msg(*at != '<', "< in a tag: %.80s", begin);
        if (*at == '&')
            expect_entity(at);
        if (quote)
            quote = *at == quote ? '\0' : quote;
        else if (*at == '"' || *at == '\'')
            quote = *at;
        else if (*at == '>')
            return at;
    }
    ck_abort_msg("a tag is not closed");
    return NULL;
}

void expect_xml(const char *text)
{
    const char *names[DEPTH];
    size_t lengths[DEPTH];
    int depth = 0, elements = 0;
    for (const char *at = text; *at; at++) {
        ck_assert_msg((unsigned char)*at >= ' ' || *at == '\n' || *at == '\t',
                      "a control character: %.80s", at);
        ck_assert_msg(strncmp(at, "\xef\xbf\xbe", 3) != 0 && strncmp(at, "\xef\xbf\xbf", 3) != 0,
                      "U+FFFE or U+FFFF: %.80s", at);
        if (*at == '&')
            expect_entity(at);
        if (strncmp(at, "<![CDATA[", 9) == 0) {
            at = strstr(at, "]]>");
            ck_assert_msg(at != NULL, "a CDATA section is not closed");
            at += 2;
            continue;
        }
        ck_assert_msg(strncmp(at, "]]>", 3) != 0, "]]> in a text: %.80s", at);
        if (*at != '<')
            continue;
        bool closes = at[1] == '/';
        const char *name = at + 1 + closes, *begin = at;
        size_t length = name_length(name);
        at = tag_end(at);
        if (closes) {
            depth--;
            ck_assert_msg(depth >= 0 && lengths[depth] == length &&
                              strncmp(names[depth], name, length) == 0,
                          "closed in another order: %.80s", begin);
        } else if (at[-1] != '/') {
            ck_assert_int_lt(depth, DEPTH);
            names[depth] = name;
            lengths[depth++] = length;
        }
        elements++;
    }
    ck_assert_int_gt(elements, 0);
    ck_assert_int_eq(depth, 0);
}
