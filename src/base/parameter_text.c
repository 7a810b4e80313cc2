/* Texts for messages: the values that a parameter takes, and a value. */
#include "base/parameter.h"

#include "base/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *value_shown(const struct value *value, char *text, int size)
{
    char shown[64];
    switch (value->type) {
    case VALUE_INTEGER:
        snprintf(text, (size_t)size, "%" PRId64, value->integer);
        break;
    case VALUE_REAL:
        snprintf(text, (size_t)size, "%s", real_text(value->real, shown, sizeof shown));
        break;
    case VALUE_STRING:
        snprintf(text, (size_t)size, "the string \"%s\"",
                 shown_text(value->text, shown, sizeof shown));
        break;
    case VALUE_SWITCH:
        snprintf(text, (size_t)size, "%s", value->integer ? "true" : "false");
        break;
    case VALUE_GROUP:
        snprintf(text, (size_t)size, "a group");
        break;
    case VALUE_LIST:
        snprintf(text, (size_t)size, "a list of %" PRId64, value->integer);
        break;
    }
    return text;
}

/* What one value of it may be. */
static void value_wants(const struct parameter *parameter, char *text, size_t size)
{
    const char *names[CHOICES_MAX + 1];
    const char *list = parameter->type == PARAMETER_CHOICES ? "a list of " : "";
    int length;
    switch (parameter->type) {
    case PARAMETER_INTEGER:
        length = snprintf(text, size, "a whole number, ");
        length += parameter->most == INT64_MAX
                      ? snprintf(text + length, size - (size_t)length, "at least %" PRId64,
                                 parameter->least)
                      : snprintf(text + length, size - (size_t)length, "%" PRId64 "..%" PRId64,
                                 parameter->least, parameter->most);
        if (parameter->powers_of_two)
            snprintf(text + length, size - (size_t)length, ", 0 or a power of two");
        if (parameter->multiple_of)
            snprintf(text + length, size - (size_t)length, ", a multiple of %" PRId64,
                     parameter->multiple_of);
        return;
    case PARAMETER_REAL:
        if (isinf(parameter->maximum))
            snprintf(text, size, "a real%s %g", parameter->above ? " above" : ", at least",
                     parameter->minimum);
        else
            snprintf(text, size, "a real in %c%g, %g%c", parameter->above ? '(' : '[',
                     parameter->minimum, parameter->maximum, parameter->below ? ')' : ']');
        return;
    case PARAMETER_SWITCH:
        snprintf(text, size, "true or false");
        return;
    case PARAMETER_CHOICE:
    case PARAMETER_CHOICES:
    case PARAMETER_COMPONENT:
        snprintf(text, size, "%s", list);
        choices_text(parameter_choices(parameter, names), 0, text + strlen(list),
                     (int)(size - strlen(list)));
        return;
    default:
        snprintf(text, size, "a string");
        return;
    }
}

const char *parameter_wants(const struct parameter *parameter, char *text, int size)
{
    char value[512];
    value_wants(parameter, value, sizeof value);
    if (parameter->count == 0)
        snprintf(text, (size_t)size, "%s", value);
    else
        snprintf(text, (size_t)size, "%sa list of %s%d, each %s",
                 parameter->one_for_all ? "one for all, or " : "", parameter->fewer ? "up to " : "",
                 parameter->count, value);
    return text;
}

const char *const *parameter_choices(const struct parameter *parameter,
                                     const char *names[CHOICES_MAX + 1])
{
    if (parameter->type != PARAMETER_COMPONENT)
        return parameter->choices;
    int count;
    const struct component *const *list = component_list(parameter->kind, &count);
    for (int k = 0; k < count; k++)
        names[k] = list[k]->name;
    names[count] = NULL;
    return names;
}

const char *real_text(double value, char *text, int size)
{
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, (size_t)size, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    if (isfinite(value) && !strpbrk(text, ".e"))
        strcat(text, ".0");
    return text;
}

const char *choices_text(const char *const *choices, uint64_t bits, char *text, int size)
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
