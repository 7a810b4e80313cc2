/* The table of a config's keys, and their descriptions. */
#ifndef PROGRAM_CONFIG_KEYS_H
#define PROGRAM_CONFIG_KEYS_H

#include "base/parameter.h"
#include "program/config/settings.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum key_list {
    KEY_PARAMETER, /* none: a parameter like those of components */
    KEY_PLUGINS,   /* the list of plug-ins, see plugins.h */
    KEY_KERNELS,   /* the list of kernels, see kernels.h */
    KEY_VARY,      /* multiplies that list, see kernels.h; settings.cfg shows the product */
};

struct key {
    const char *group; /* "" at the top level; "solver.preconditioner": a group in a group */

    /* Its name, default, range and meaning; its offset is in struct settings. The parameters of a
     * PARAMETER_COMPONENT's component are in the same group. A PARAMETER_CHOICE is an enum. */
    struct parameter parameter;

    /* The values of the group's first key, a choice, for which this key is valid: bits. 0: all. */
    unsigned only_for;
    const char *decider; /* the key of the group that decides instead of the first; NULL: none */

    /* For methods with one of these traits alone (bits enum method_trait): solver.method, which
     * stands before it in the table, then decides in place of the group's first key. 0: for all. */
    unsigned for_methods;

    /* Of a string without a default: its whole group may be left out, and the text is then NULL.
     * With the group, the key must be given too. */
    bool opens_group;

    enum key_list list;

    /* The fault of the settings in this key, or NULL; static. */
    const char *(*complaint)(const struct settings *settings);
};

/* All keys, in the order of --help and settings.cfg; ends with a NULL group. The keys of a group
 * are consecutive, and a nested group follows the keys of its outer group. Keys of one group may
 * share a name when no value of only_for is in both. */
extern const struct key settings_keys[];

/* The address of the key's value. */
void *key_place(const struct key *key, struct settings *settings);
const void *key_value(const struct key *key, const struct settings *settings);

/* The first key of its group. */
const struct key *key_first(const struct key *key);

/* The key whose value decides whether this key is valid, and that value. */
const struct key *key_decider(const struct key *key);
unsigned key_decision(const struct key *key, const struct settings *settings);

/* For which of that key's values it does: bits; 0: for all. */
unsigned key_only_for(const struct key *key);

/* Whether the key is valid for that. */
bool key_applies(const struct key *key, const struct settings *settings);

/* Whether the key's optional group was given. */
bool key_group_is_given(const struct key *key, const struct settings *settings);

/* key_only_for of all keys that share the key's group and name, together. */
unsigned key_name_only_for(const struct key *key);

/* "solver.tolerance" */
const char *key_path(const struct key *key, char *text, int size);

/* parameter_wants, and for the two lists what they are. */
const char *key_wants(const struct key *key, char *text, int size);

/* Whether its value is a component. */
bool key_is_component(const struct key *key);

/* A walk over the names in groups: those of the table and, after a key of a component, the
 * parameters of every component of its kind. It begins zeroed. */
struct key_name {
    const struct key *key; /* in whose group it stands */
    const char *name;
    int component, parameter; /* where to go on */
};

/* False after the last one. */
bool key_name_next(struct key_name *at);

/* The components of the kind with a parameter of that name: a bit for each index in the list. */
uint64_t components_that_take(enum component_kind kind, const char *name);

#endif
