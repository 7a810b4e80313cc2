/* How a key says what it takes, and what it is for. */
#include "program/config/keys.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *whole_wants(int64_t least, int64_t most, char *text, int size)
{
    if (most == INT64_MAX)
        snprintf(text, (size_t)size, "a whole number, at least %" PRId64, least);
    else
        snprintf(text, (size_t)size, "a whole number, %" PRId64 "..%" PRId64, least, most);
    return text;
}

/* What one value of the key may be. */
static const char *value_wants(const struct key *key, char *text, int size)
{
    switch (key->type) {
    case KEY_WHOLE:
        return whole_wants(key->least, key->most, text, size);
    case KEY_REAL:
        if (isinf(key->maximum))
            snprintf(text, (size_t)size, "a real%s %g", key->above ? " above" : ", at least",
                     key->minimum);
        else
            snprintf(text, (size_t)size, "a real in %c%g, %g%c", key->above ? '(' : '[',
                     key->minimum, key->maximum, key->below ? ')' : ']');
        return text;
    case KEY_SWITCH:
        snprintf(text, (size_t)size, "true or false");
        return text;
    case KEY_TEXT:
        snprintf(text, (size_t)size, "a string");
        return text;
    case KEY_CHOICE:
        return choices_text(key->choices, 0, text, size);
    case KEY_CHOICES:
        snprintf(text, (size_t)size, "a list of ");
        choices_text(key->choices, 0, text + strlen(text), size - (int)strlen(text));
        return text;
    case KEY_KERNELS:
        snprintf(text, (size_t)size, "a list ( \"NAME\", ... )");
        return text;
    case KEY_VARY:
        break;
    }
    snprintf(text, (size_t)size, "a group { NAME = [ VALUE, ... ]; ... }");
    return text;
}

const char *key_wants(const struct key *key, char *text, int size)
{
    char value[256];
    value_wants(key, value, sizeof value);
    if (key->count == 0)
        snprintf(text, (size_t)size, "%s", value);
    else
        snprintf(text, (size_t)size, "%sa list of %d, each %s",
                 key->one_for_all ? "one for all, or " : "", key->count, value);
    return text;
}

const char *real_text(double value, char *text, int size)
{
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, (size_t)size, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    if (!strpbrk(text, ".e"))
        strcat(text, ".0");
    return text;
}

const char *choices_text(const char *const *choices, unsigned bits, char *text, int size)
{
    int length = 0, left = 0;
    for (int k = 0; choices[k]; k++)
        left += !bits || (bits >> k & 1);
    text[0] = '\0';
    for (int k = 0; choices[k] && length < size; k++)
        if (!bits || (bits >> k & 1)) {
            left--;
            length += snprintf(text + length, (size_t)(size - length), "\"%s\"%s", choices[k],
                               left > 1    ? ", "
                               : left == 1 ? " or "
                                           : "");
        }
    return text;
}

unsigned key_only_for(const struct key *key)
{
    unsigned bits = key->only_for;
    int count;
    const struct method *const *methods = method_list(&count);
    for (int k = 0; k < count; k++)
        bits |= methods[k]->traits & key->for_methods ? 1u << k : 0;
    return bits;
}

unsigned key_name_only_for(const struct key *key)
{
    unsigned together = 0;
    for (const struct key *other = key_first(key); other->name; other++)
        if (!strcmp(other->group, key->group) && !strcmp(other->name, key->name))
            together |= key_only_for(other);
    return together;
}
