/* Components: the user chooses one by its name, and it has parameters. A component is declared
 * once, in its own file, as a constant whose first member is a struct component, and has a line in
 * the .def file of its kind. The reader of configs, --help, settings.cfg and summary.json follow
 * what it declares.
 *
 * The options of a component are a struct of its own. A user of the library writes them by name:
 *
 *     options_create(component_find(COMPONENT_PROBLEM, "grid2d"), &options, &error);
 *     options_set(&options, "n", "[30, 40]", &error);
 *     options_check(&options, &error);
 */
#ifndef BASE_COMPONENT_H
#define BASE_COMPONENT_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum component_kind {
    COMPONENT_PROBLEM,
    COMPONENT_RHS,
    COMPONENT_START,
    COMPONENT_KERNEL,
    COMPONENT_PRECONDITIONER,
    COMPONENT_METHOD,
    COMPONENT_KINDS,
};

enum parameter_type {
    PARAMETER_INTEGER,   /* int64_t, or an array of them */
    PARAMETER_REAL,      /* double, or an array of them */
    PARAMETER_STRING,    /* char *, not empty, owned by the options */
    PARAMETER_FILE,      /* likewise; names a file that is read */
    PARAMETER_CHOICE,    /* an enum or an int64_t: the place of the text in `choices` */
    PARAMETER_CHOICES,   /* unsigned: a bit for each text of a list, by its place in `choices` */
    PARAMETER_SWITCH,    /* enum switch_state; its default only says what an absent value means */
    PARAMETER_COMPONENT, /* struct options: a component of the kind `kind`, and its options */
    PARAMETER_TABLE,     /* no parameter: the parameters of `table` follow here, with offsets
                            relative to this one. Several components may share a table */
};

/* A switch whose absence has a meaning of its own. */
enum switch_state { SWITCH_UNSET, SWITCH_OFF, SWITCH_ON };

/* C++ needs the members in this order for a line of the macros below. */
struct parameter {
    const char *name;
    const char *meaning;
    const char *default_value; /* as options_set takes it; NULL: it must be given */
    enum parameter_type type;
    size_t offset, size; /* in the options; size: of the member */

    int64_t least, most;           /* of integers; a required one cannot be INT64_MIN */
    bool powers_of_two;            /* of integers only these, and 0 */
    int64_t multiple_of;           /* of integers only such ones; 0: any */
    double minimum, maximum;       /* of reals */
    const char *const *choices;    /* at most 32, and a NULL */
    enum component_kind kind;      /* of PARAMETER_COMPONENT */
    const struct parameter *table; /* of PARAMETER_TABLE */

    int count;         /* 0: one value; else a list of `count` numbers */
    bool one_for_all;  /* one value may stand for the list */
    bool fewer;        /* a list of whole numbers may be shorter: the missing elements are least -
                          1 */
    bool optional;     /* has no default, and may be absent: then a string is NULL, a number (else
                          above 0) is 0, and a component is none */
    bool above, below; /* the minimum, the maximum itself is excluded */
};

/* The columns of a line after name, meaning and default: { "seed", "of the values", "1",
 * TAKES_INTEGER(struct tied, seed, 0, INT64_MAX) }. `options` is the type of the struct. */
#define PARAMETER_AT(options, member)                                                              \
    .offset = offsetof(options, member), .size = sizeof(((options *)NULL)->member)
#define TAKES_INTEGER(options, member, from, to)                                                   \
    .type = PARAMETER_INTEGER, PARAMETER_AT(options, member), .least = (from), .most = (to)
#define TAKES_REAL(options, member, from, to)                                                      \
    .type = PARAMETER_REAL, PARAMETER_AT(options, member), .minimum = (from), .maximum = (to)
#define TAKES_STRING(options, member) .type = PARAMETER_STRING, PARAMETER_AT(options, member)
#define TAKES_FILE(options, member) .type = PARAMETER_FILE, PARAMETER_AT(options, member)
#define TAKES_CHOICE(options, member, texts)                                                       \
    .type = PARAMETER_CHOICE, PARAMETER_AT(options, member), .choices = (texts)
#define TAKES_CHOICES(options, member, texts)                                                      \
    .type = PARAMETER_CHOICES, PARAMETER_AT(options, member), .choices = (texts)
#define TAKES_SWITCH(options, member) .type = PARAMETER_SWITCH, PARAMETER_AT(options, member)
#define TAKES_COMPONENT(options, member, of_kind)                                                  \
    .type = PARAMETER_COMPONENT, PARAMETER_AT(options, member), .kind = (of_kind)

/* A whole line. */
#define PARAMETERS_OF(options, member, lines)                                                      \
    {                                                                                              \
        .name = "", .type = PARAMETER_TABLE, PARAMETER_AT(options, member), .table = (lines)       \
    }

struct component {
    enum component_kind kind;
    const char *name;
    const char *summary;                /* a few words: what it is */
    const struct parameter *parameters; /* ends with a NULL name; NULL for none */
    size_t options_size;                /* of the struct that their offsets are in; 0: none */

    /* Checks parameters together, after each is within its range. Gives back the fault as a
     * sentence without a subject, with *parameter the one at fault; or NULL. The texts are static.
     * The slot may be NULL. */
    const char *(*check)(const void *options, const char **parameter);
};

/* The components of a kind, in the order of its .def file, then those of plug-ins
 * (component/plugin.h), in the order in which they were added. The list does not move. */
const struct component *const *component_list(enum component_kind kind, int *count);

/* Append a component to the list of its kind, for the rest of the process. Others may read the list
 * meanwhile; one thread adds at a time. false: the list has no room. */
bool component_add(const struct component *component);
enum { COMPONENTS_MOST = 63, METHODS_MOST = 32 };

/* NULL: no component has that name. */
const struct component *component_find(enum component_kind kind, const char *name);

/* Parameter k = 0, 1, ... of a component, those of shared tables among them, and NULL after the
 * last one. *offset is the offset of its member in the options. */
const struct parameter *component_parameter(const struct component *component, int k,
                                            size_t *offset);

/* A component and its options. A zeroed one is none. */
struct options {
    const struct component *component;
    void *values; /* component->options_size bytes, or NULL for 0 */
};

/* The defaults. A required parameter is still missing: options_check says so. The caller calls
 * options_free. On failure *options is zeroed. Errors: STATUS_MEMORY. */
enum status options_create(const struct component *component, struct options *options,
                           struct error *error);

/* The same component with the same values. `to` is overwritten; the caller calls options_free.
 * Errors: STATUS_MEMORY. */
enum status options_copy(const struct options *from, struct options *to, struct error *error);

void options_free(struct options *options); /* accepts a zeroed one */

/* Give a parameter the value that the text says: "4", "0.5", "true", "random", a path; a list is
 * "1, 2, 3", and may stand in brackets and its texts in quotes. A dot leads into a nested component
 * ("smoother.degree"). Setting the nested component itself replaces it, with its defaults. Errors:
 * STATUS_CONFIG ("unknown key ...", "KEY wants ..., not ..."), STATUS_MEMORY. */
enum status options_set(struct options *options, const char *key, const char *text,
                        struct error *error);

/* Checks that no required parameter is missing, that every value is in its range, and the
 * component's own check; for nested components too. Errors: STATUS_CONFIG. */
enum status options_check(const struct options *options, struct error *error);

/* The k-th file that the options name, or NULL. *key, unless key is NULL, is its parameter. */
const char *options_file(const struct options *options, int k, const char **key);

#ifdef __cplusplus
}
#endif
#endif
