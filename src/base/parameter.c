#include "base/parameter.h"

#include "base/memory.h"
#include "base/number.h"
#include "base/suggest.h"
#include "base/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- storing --------------------------------------------------------------------------------- */

/* "KEY wants ..., not ..." */
static enum status wrong(const struct parameter *parameter, const char *path,
                         const struct value *value, struct error *error)
{
    char wants[512], given[128];
    return error_set(error, STATUS_CONFIG, "%s wants %s, not %s", path,
                     parameter_wants(parameter, wants, sizeof wants),
                     value_shown(value, given, sizeof given));
}

static bool is_text(enum parameter_type type)
{
    return type == PARAMETER_STRING || type == PARAMETER_FILE;
}

static enum status text_take(const char *path, const char *text, void *place, struct error *error)
{
    char *copy, *old;
    if (!*text)
        return error_set(error, STATUS_CONFIG, "%s is empty", path);
    copy = memory_text(text, path, error);
    if (!copy)
        return STATUS_MEMORY;
    memcpy(&old, place, sizeof old);
    memory_free(old);
    memcpy(place, &copy, sizeof copy);
    return STATUS_OK;
}

/* *choice = the index of the text. A choice such as "7" may also be given as a number. */
static enum status choice_take(const struct parameter *parameter, const char *path,
                               const struct value *value, unsigned *choice, struct error *error)
{
    const char *names[CHOICES_MAX + 1];
    const char *const *choices = parameter_choices(parameter, names);
    char wants[512], given[128], shown[128];
    value_shown(value, given, sizeof given);
    const char *text = value->type == VALUE_STRING ? value->text : given; /* 7 for "7" */
    struct suggestion suggestion;
    suggest_start(&suggestion, text);
    for (*choice = 0; choices[*choice]; ++*choice) {
        if (!strcmp(choices[*choice], text))
            return STATUS_OK;
        suggest_offer(&suggestion, choices[*choice]);
    }
    choices_text(choices, 0, wants, sizeof wants);
    if (value->type != VALUE_STRING)
        return error_set(error, STATUS_CONFIG, "%s wants %s, not %s", path, wants, given);
    return error_set(error, STATUS_CONFIG, "%s wants %s, not \"%s\"%s", path, wants,
                     shown_text(text, shown, sizeof shown), suggest_text(&suggestion));
}

static void choice_store(const struct parameter *parameter, unsigned choice, void *place)
{
    int64_t wide = choice;
    memcpy(place, parameter->size == sizeof wide ? (void *)&wide : (void *)&choice,
           parameter->size);
}

/* A list of texts, each once, at least one. */
static enum status choices_take(const struct parameter *parameter, const char *path,
                                const struct value *value, void *place, int *element,
                                struct error *error)
{
    unsigned bits = 0, choice;
    if (value->type != VALUE_LIST || value->integer == 0)
        return wrong(parameter, path, value, error);
    for (*element = 0; *element < value->integer; ++*element) {
        enum status status =
            choice_take(parameter, path, &value->elements[*element], &choice, error);
        if (status)
            return status;
        if (bits >> choice & 1)
            return error_set(error, STATUS_CONFIG, "%s names \"%s\" twice", path,
                             parameter->choices[choice]);
        bits |= 1u << choice;
    }
    memcpy(place, &bits, sizeof bits);
    return STATUS_OK;
}

static enum status component_take(const struct parameter *parameter, const char *path,
                                  const struct value *value, void *place, struct error *error)
{
    unsigned choice;
    int count;
    struct options made;
    enum status status = choice_take(parameter, path, value, &choice, error);
    if (!status)
        status = options_create(component_list(parameter->kind, &count)[choice], &made, error);
    if (status)
        return status;
    options_free(place);
    memcpy(place, &made, sizeof made);
    return STATUS_OK;
}

static bool in_range(const struct parameter *parameter, const struct value *value)
{
    int64_t integer = value->integer;
    if (parameter->type == PARAMETER_INTEGER)
        return value->type == VALUE_INTEGER && integer >= parameter->least &&
               integer <= parameter->most &&
               (!parameter->powers_of_two || (integer & (integer - 1)) == 0) &&
               (!parameter->multiple_of || integer % parameter->multiple_of == 0);
    double real = value->type == VALUE_REAL      ? value->real
                  : value->type == VALUE_INTEGER ? (double)value->integer
                                                 : NAN;
    return (parameter->above ? real > parameter->minimum : real >= parameter->minimum) &&
           (parameter->below ? real < parameter->maximum : real <= parameter->maximum) &&
           isfinite(real);
}

static enum status numbers_take(const struct parameter *parameter, const char *path,
                                const struct value *value, void *place, int *element,
                                struct error *error)
{
    bool list = parameter->count > 0 && value->type == VALUE_LIST;
    int64_t most = parameter->count ? parameter->count : 1, given = list ? value->integer : 1;
    bool suits = parameter->fewer ? given >= 1 && given <= most
                                  : given == most || (!list && parameter->one_for_all);
    if (!suits)
        return wrong(parameter, path, value, error);
    for (int k = 0; k < given; k++) {
        const struct value *number = list ? &value->elements[k] : value;
        *element = list ? k : -1;
        if (!in_range(parameter, number))
            return wrong(parameter, path, number, error);
    }
    for (int64_t k = 0; k < most; k++) {
        const struct value *number = list && k < given ? &value->elements[k] : value;
        if (parameter->type == PARAMETER_INTEGER)
            ((int64_t *)place)[k] =
                parameter->fewer && k >= given ? parameter->least - 1 : number->integer;
        else
            ((double *)place)[k] =
                number->type == VALUE_REAL ? number->real : (double)number->integer;
    }
    return STATUS_OK;
}

enum status parameter_take(const struct parameter *parameter, const char *path,
                           const struct value *value, void *place, int *element,
                           struct error *error)
{
    enum status status;
    unsigned choice;
    *element = -1;
    switch (parameter->type) {
    case PARAMETER_CHOICE:
        status = choice_take(parameter, path, value, &choice, error);
        if (!status)
            choice_store(parameter, choice, place);
        return status;
    case PARAMETER_CHOICES:
        return choices_take(parameter, path, value, place, element, error);
    case PARAMETER_COMPONENT:
        return component_take(parameter, path, value, place, error);
    case PARAMETER_STRING:
    case PARAMETER_FILE:
        return value->type == VALUE_STRING ? text_take(path, value->text, place, error)
                                           : wrong(parameter, path, value, error);
    case PARAMETER_SWITCH:
        if (value->type != VALUE_SWITCH)
            return wrong(parameter, path, value, error);
        *(enum switch_state *)place = value->integer ? SWITCH_ON : SWITCH_OFF;
        return STATUS_OK;
    default:
        return numbers_take(parameter, path, value, place, element, error);
    }
}

/* ---- values as texts ------------------------------------------------------------------------- */

static struct value word_value(const char *word)
{
    const char *end = word + strlen(word), *after;
    struct value value = {.type = VALUE_STRING, .text = word};
    if (!strcmp(word, "true") || !strcmp(word, "false")) {
        value.type = VALUE_SWITCH;
        value.integer = *word == 't';
    } else if (integer_read(word, end, &value.integer) == INTEGER_OK) {
        value.type = VALUE_INTEGER;
    } else if (number_read(word, end, &value.real, &after) == NUMBER_OK && after == end) {
        value.type = VALUE_REAL;
    }
    return value;
}

/* Strips spaces and quotes around the word, in place. */
static char *trim(char *word, const char *around)
{
    word += strspn(word, around);
    size_t length = strlen(word);
    while (length > 0 && strchr(around, word[length - 1]))
        word[--length] = '\0';
    return word;
}

/* Splits the text at its commas, in place. alone: one word without brackets is no list. */
static struct value list_value(char *text, bool alone, struct value elements[ELEMENTS_MAX])
{
    char *rest = trim(text, " ");
    bool brackets = *rest == '[' || *rest == '(';
    if (alone && !brackets && !strchr(rest, ','))
        return word_value(rest);
    struct value list = {.type = VALUE_LIST, .elements = elements};
    rest = trim(rest, " []()");
    if (!*rest)
        return list;
    for (char *word; (word = strsep(&rest, ",")); list.integer++)
        if (list.integer < ELEMENTS_MAX)
            elements[list.integer] = word_value(trim(word, " \""));
    return list;
}

enum status parameter_take_text(const struct parameter *parameter, const char *path,
                                const char *text, void *place, struct error *error)
{
    struct value value = {.type = VALUE_STRING, .text = text}, elements[ELEMENTS_MAX];
    char words[1024];
    int element;
    if (parameter_is_list(parameter) && strlen(text) < sizeof words)
        value = list_value(strcpy(words, text), parameter->count > 0, elements);
    else if (parameter->type == PARAMETER_INTEGER || parameter->type == PARAMETER_REAL ||
             parameter->type == PARAMETER_SWITCH)
        value = word_value(text);
    return parameter_take(parameter, path, &value, place, &element, error);
}

/* ---- defaults -------------------------------------------------------------------------------- */

enum status parameter_default(const struct parameter *parameter, void *place, struct error *error)
{
    if (parameter->optional || parameter->type == PARAMETER_SWITCH)
        return STATUS_OK;
    struct parameter all = *parameter;
    all.one_for_all = true;
    if (parameter->default_value)
        return parameter_take_text(&all, parameter->name, parameter->default_value, place, error);
    if (parameter->type == PARAMETER_INTEGER)
        *(int64_t *)place = INT64_MIN;
    else if (parameter->type == PARAMETER_REAL)
        *(double *)place = NAN;
    else if (parameter->type == PARAMETER_CHOICE)
        memset(place, 0xff, parameter->size);
    return STATUS_OK;
}

static char *text_at(const void *place)
{
    char *text;
    memcpy(&text, place, sizeof text);
    return text;
}

void parameter_free(const struct parameter *parameter, void *place)
{
    if (is_text(parameter->type))
        memory_free(text_at(place));
    else if (parameter->type == PARAMETER_COMPONENT)
        options_free(place);
}

static bool is_empty(const struct parameter *parameter, const void *place)
{
    switch (parameter->type) {
    case PARAMETER_INTEGER:
        return *(const int64_t *)place == (parameter->optional ? 0 : INT64_MIN);
    case PARAMETER_REAL:
        return !(*(const double *)place > (parameter->optional ? 0 : -INFINITY));
    case PARAMETER_CHOICE:
        return parameter_bits(parameter, place) == UINT32_MAX;
    case PARAMETER_CHOICES:
    case PARAMETER_SWITCH:
        return parameter_bits(parameter, place) == 0;
    case PARAMETER_COMPONENT:
        return !((const struct options *)place)->component;
    default:
        return !text_at(place);
    }
}

bool parameter_is_missing(const struct parameter *parameter, const void *place)
{
    return !parameter->default_value && !parameter->optional && is_empty(parameter, place);
}

bool parameter_is_left_out(const struct parameter *parameter, const void *place)
{
    return (parameter->optional || parameter->type == PARAMETER_SWITCH) &&
           is_empty(parameter, place);
}

/* ---- told again ------------------------------------------------------------------------------ */

unsigned parameter_bits(const struct parameter *parameter, const void *place)
{
    int64_t wide;
    unsigned bits = 0;
    int count;
    _Static_assert(sizeof bits == sizeof(enum switch_state), "an enum is an unsigned int");
    if (parameter->type == PARAMETER_COMPONENT) {
        const struct component *const *list = component_list(parameter->kind, &count);
        while (list[bits] != ((const struct options *)place)->component)
            bits++;
        return bits;
    }
    if (parameter->size != sizeof wide)
        return (memcpy(&bits, place, sizeof bits), bits);
    memcpy(&wide, place, sizeof wide);
    return (unsigned)wide;
}

bool parameter_is_list(const struct parameter *parameter)
{
    return parameter->count > 0 || parameter->type == PARAMETER_CHOICES;
}

int parameter_length(const struct parameter *parameter, const void *place)
{
    if (parameter->type == PARAMETER_CHOICES)
        return __builtin_popcount(parameter_bits(parameter, place));
    int length = parameter->count ? parameter->count : 1;
    while (parameter->fewer && length > 1 &&
           ((const int64_t *)place)[length - 1] == parameter->least - 1)
        length--;
    return length;
}

struct value parameter_value(const struct parameter *parameter, const void *place, int k)
{
    unsigned choice = 0;
    struct value value = {.type = VALUE_STRING};
    switch (parameter->type) {
    case PARAMETER_INTEGER:
        return (struct value){.type = VALUE_INTEGER, .integer = ((const int64_t *)place)[k]};
    case PARAMETER_REAL:
        return (struct value){.type = VALUE_REAL, .real = ((const double *)place)[k]};
    case PARAMETER_SWITCH:
        value.type = VALUE_SWITCH;
        value.integer = parameter_bits(parameter, place) == SWITCH_ON;
        return value;
    case PARAMETER_CHOICE:
        value.text = parameter->choices[parameter_bits(parameter, place)];
        return value;
    case PARAMETER_CHOICES:
        for (unsigned bits = parameter_bits(parameter, place); !(bits >> choice & 1) || k-- > 0;)
            choice++;
        value.text = parameter->choices[choice];
        return value;
    case PARAMETER_COMPONENT:
        value.text = ((const struct options *)place)->component->name;
        return value;
    default:
        value.text = text_at(place);
        return value;
    }
}

const char *parameter_text(const struct parameter *parameter, const void *place, char *text,
                           int size)
{
    char number[64];
    int length = 0;
    bool is_present =
        !parameter_is_left_out(parameter, place) && !parameter_is_missing(parameter, place);
    text[0] = '\0';
    for (int k = 0; is_present && k < parameter_length(parameter, place) && length < size; k++) {
        struct value value = parameter_value(parameter, place, k);
        length += snprintf(text + length, (size_t)(size - length), "%s%s", k ? ", " : "",
                           value.type == VALUE_STRING ? value.text
                                                      : value_shown(&value, number, sizeof number));
    }
    return text;
}

enum status parameter_check(const struct parameter *parameter, const char *path, const void *place,
                            struct error *error)
{
    char wants[512];
    if (parameter_is_missing(parameter, place))
        return error_set(error, STATUS_CONFIG, "%s is missing: it wants %s", path,
                         parameter_wants(parameter, wants, sizeof wants));
    if (parameter->type == PARAMETER_CHOICE) {
        struct value place_of = {.type = VALUE_INTEGER,
                                 .integer = parameter_bits(parameter, place)};
        for (int64_t k = 0; k <= place_of.integer; k++)
            if (!parameter->choices[k])
                return wrong(parameter, path, &place_of, error);
    }
    bool number = parameter->type == PARAMETER_INTEGER || parameter->type == PARAMETER_REAL;
    if (!number || parameter_is_left_out(parameter, place))
        return STATUS_OK;
    for (int k = 0; k < parameter_length(parameter, place); k++) {
        struct value value = parameter_value(parameter, place, k);
        if (!in_range(parameter, &value))
            return wrong(parameter, path, &value, error);
    }
    return STATUS_OK;
}
