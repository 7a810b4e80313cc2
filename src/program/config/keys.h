/* The table of the keys that a config may hold, and how a key speaks of itself. */
#ifndef PROGRAM_CONFIG_KEYS_H
#define PROGRAM_CONFIG_KEYS_H

#include "program/config/settings.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum key_type {
    KEY_WHOLE,   /* int64_t, or an array of them */
    KEY_REAL,    /* double, or an array of them */
    KEY_TEXT,    /* char *, not empty, owned by the settings */
    KEY_CHOICE,  /* an enum: the place of the text in `choices` */
    KEY_SWITCH,  /* enum switch_state: true, false, or left out; its default only tells what that
                    means */
    KEY_CHOICES, /* unsigned: a bit for each text of a list, by its place in `choices` */
    KEY_KERNELS, /* the list of kernels, see settings_kernels.h */
    KEY_VARY,    /* what that list is multiplied by, see settings_vary.h; settings.cfg shows the
                    product */
};

struct key {
    const char *group; /* "" at the top level; "solver.preconditioner": a group in a group */
    const char *name;
    const char *standard; /* the default, as in a config; NULL: the key must be given */
    enum key_type type;
    size_t offset; /* in struct settings */

    int count;        /* 0: one value; else a list of so many */
    bool one_for_all; /* one value may stand for the list */

    int64_t least, most;        /* of KEY_WHOLE */
    double minimum, maximum;    /* of KEY_REAL */
    bool above, below;          /* the minimum, the maximum itself is excluded */
    const char *const *choices; /* of KEY_CHOICE and KEY_CHOICES; ends with NULL */

    /* Of a KEY_TEXT without a default: its whole group may be left out, and the text is then NULL.
     * With the group, the key must be given too. */
    bool opens_group;

    /* A KEY_TEXT that may be left out, and is then NULL, or a KEY_REAL above 0, which is then 0. */
    bool optional;

    /* For which values of its group's first key, a choice, this one means something: bits. 0: for
     * all. */
    unsigned only_for;

    /* For methods with one of these traits alone (bits enum method_trait): solver.method, which
     * stands before it in the table, then decides in place of the group's first key. 0: for all. */
    unsigned for_methods;

    /* What is wrong with the settings as far as this key is concerned, or NULL; static. */
    const char *(*complaint)(const struct settings *settings);

    const char *meaning; /* for --help; NULL: each method's summary */
};

/* All keys, in the order of --help and settings.cfg; ends with a NULL name. The keys of one group
 * stand together, and a group in a group right behind the keys of that. Keys of one group may share
 * a name when no value of only_for is in both. */
extern const struct key settings_keys[];

/* Where the key's value is. */
void *key_place(const struct key *key, struct settings *settings);
const void *key_value(const struct key *key, const struct settings *settings);

/* The value of a KEY_CHOICE or a KEY_SWITCH, the bits of a KEY_CHOICES. */
unsigned key_choice(const struct key *key, const struct settings *settings);

/* The first key of its group. */
const struct key *key_first(const struct key *key);

/* The key whose value decides whether this one means something. */
const struct key *key_decider(const struct key *key);

/* For which of that key's values it does: bits; 0: for all. */
unsigned key_only_for(const struct key *key);

/* Whether the key means something, given that. */
bool key_applies(const struct key *key, const struct settings *settings);

/* Whether the group of the key was given, as far as it may be left out. */
bool key_group_is_given(const struct key *key, const struct settings *settings);

/* key_only_for of all keys that share the key's group and name, together. */
unsigned key_name_only_for(const struct key *key);

/* "solver.tolerance" */
const char *key_path(const struct key *key, char *text, int size);

/* What the key takes: "a whole number, at least 1", "a real in (0, 1)", ... */
const char *key_wants(const struct key *key, char *text, int size);

/* "a whole number, 1..64" */
const char *whole_wants(int64_t least, int64_t most, char *text, int size);

/* 15 digits, or as many as it takes to come back as the same double; with a point or an exponent.
 */
const char *real_text(double value, char *text, int size);

/* The texts whose bit is set in `bits` (all for 0): "\"ones\", \"random\" or \"file\"". */
const char *choices_text(const char *const *choices, unsigned bits, char *text, int size);

#endif
