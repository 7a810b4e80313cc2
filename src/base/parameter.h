/* One parameter of a component, or one key of a config: checks and stores its value, writes it back
 * as text, and describes it. `place` is the address of its member. */
#ifndef BASE_PARAMETER_H
#define BASE_PARAMETER_H

#include "base/component.h"

enum { CHOICES_MAX = 64, ELEMENTS_MAX = 33 }; /* one more than the number of choices */

enum value_type {
    VALUE_INTEGER,
    VALUE_REAL,
    VALUE_STRING,
    VALUE_SWITCH,
    VALUE_LIST,
    VALUE_GROUP, /* no parameter takes it */
};

struct value {
    enum value_type type;
    int64_t integer; /* of a switch 0 or 1; of a list its length */
    double real;
    const char *text;             /* borrowed */
    const struct value *elements; /* of a list, the first ELEMENTS_MAX at most; borrowed */
};

/* What it is, for the end of a message: "2.5", "the string \"abc\"", "a list of 3", ... */
const char *value_shown(const struct value *value, char *text, int size);

/* Store the value. `path` names the parameter in messages. On failure *element is the element of
 * the list whose fault it is, or -1. Errors: STATUS_CONFIG, STATUS_MEMORY. */
enum status parameter_take(const struct parameter *parameter, const char *path,
                           const struct value *value, void *place, int *element,
                           struct error *error);

/* The same from a text (options_set). */
enum status parameter_take_text(const struct parameter *parameter, const char *path,
                                const char *text, void *place, struct error *error);

/* Store the default, or the mark of an absent value. `place` holds nothing to be freed. Errors:
 * STATUS_MEMORY. */
enum status parameter_default(const struct parameter *parameter, void *place, struct error *error);

void parameter_free(const struct parameter *parameter, void *place);

/* Whether it is required and missing. */
bool parameter_is_missing(const struct parameter *parameter, const void *place);

/* Whether it is absent, and its absence has a meaning. */
bool parameter_is_left_out(const struct parameter *parameter, const void *place);

/* The bits of a PARAMETER_CHOICES, the place of a PARAMETER_CHOICE or, in its kind's list, of a
 * PARAMETER_COMPONENT, which is there, the state of a PARAMETER_SWITCH. */
unsigned parameter_bits(const struct parameter *parameter, const void *place);

/* Whether it is a list; and its number of elements, 1 if it is none. */
bool parameter_is_list(const struct parameter *parameter);
int parameter_length(const struct parameter *parameter, const void *place);

/* The k-th of them; never a list. */
struct value parameter_value(const struct parameter *parameter, const void *place, int k);

/* The value as options_set takes it; "" if absent. Gives back `text`. */
const char *parameter_text(const struct parameter *parameter, const void *place, char *text,
                           int size);

/* STATUS_CONFIG if a number is outside its range, or a required value is missing. */
enum status parameter_check(const struct parameter *parameter, const char *path, const void *place,
                            struct error *error);

/* options_check, with a prefix of each name in a message: "problem.". */
enum status options_check_below(const struct options *options, const char *path,
                                struct error *error);

/* What it takes: "a whole number, at least 1", "a real in (0, 1)", ... */
const char *parameter_wants(const struct parameter *parameter, char *text, int size);

/* The texts to choose from, ended by a NULL: its own; or the names of the components of its kind,
 * which are put into `names`. */
const char *const *parameter_choices(const struct parameter *parameter,
                                     const char *names[CHOICES_MAX + 1]);

/* The texts whose bit is set in `bits` (all for 0): "\"ones\", \"random\" or \"file\"". */
const char *choices_text(const char *const *choices, uint64_t bits, char *text, int size);

/* 15 digits, or as many as the round trip to the same double needs; with a point or an exponent.
 */
const char *real_text(double value, char *text, int size);

#endif
