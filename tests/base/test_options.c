/* Options of components, written by name: of a component of this file, with a parameter of every
 * type, and of those of the library. */
#include "support.h"

#include "base/parameter.h"
#include "options.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum colour { RED, GREEN };

static const char *const colours[] = {"red", "green", "blue", NULL};

struct shared {
    double low, high;
};

struct sample {
    int64_t n[3], some[4], wide, block, lanes;
    struct shared shared;
    char *name, *path;
    enum colour colour;
    unsigned several;
    enum switch_state loud;
    struct options inner, smoother;
};

static const struct parameter shared[] = {
    {"low", "", "0.5", TAKES_REAL(struct shared, low, 0, 1), .below = true},
    {"high", "", NULL, TAKES_REAL(struct shared, high, 0, INFINITY), .optional = true,
     .above = true},
    {0}};

static const struct parameter parameters[] = {
    {"n", "", NULL, TAKES_INTEGER(struct sample, n, 1, 100), .count = 3, .one_for_all = true},
    {"some", "", "8", TAKES_INTEGER(struct sample, some, 1, 100), .count = 4, .fewer = true},
    PARAMETERS_OF(struct sample, shared, shared),
    {"name", "", "nobody", TAKES_STRING(struct sample, name)},
    {"path", "", NULL, TAKES_FILE(struct sample, path), .optional = true},
    {"colour", "", "green", TAKES_CHOICE(struct sample, colour, colours)},
    {"wide", "", "blue", TAKES_CHOICE(struct sample, wide, colours)},
    {"several", "", "[\"red\", \"blue\"]", TAKES_CHOICES(struct sample, several, colours)},
    {"loud", "", "false", TAKES_SWITCH(struct sample, loud)},
    {"block", "", "256", TAKES_INTEGER(struct sample, block, 32, 1024), .multiple_of = 32},
    {"lanes", "", "8", TAKES_INTEGER(struct sample, lanes, 0, 32), .powers_of_two = true},
    {"inner", "", "unit", TAKES_COMPONENT(struct sample, inner, COMPONENT_RHS)},
    {"smoother", "", "none", TAKES_COMPONENT(struct sample, smoother, COMPONENT_PRECONDITIONER)},
    {0}};

static const char *complain(const void *options, const char **parameter)
{
    const struct sample *sample = options;
    *parameter = "high";
    return sample->shared.high > 0 && sample->shared.high <= sample->shared.low
               ? "must be above low"
               : NULL;
}

static const struct component component = {
    COMPONENT_PROBLEM, "sample", "for this test", parameters, sizeof(struct sample), complain};

static struct options made(void)
{
    struct options options;
    struct error error;
    expect_ok(options_create(&component, &options, &error), &error);
    return options;
}

static void expect_text(const struct options *options, const char *key, const char *wanted)
{
    expect_option(options, "sample", key, wanted);
}

START_TEST(defaults)
{
    struct options options = made();
    struct error error;
    const struct sample *sample = options.values;
    ck_assert(sample->shared.low == 0.5 && sample->shared.high == 0);
    ck_assert(sample->colour == GREEN && sample->wide == 2 && sample->several == 5);
    ck_assert(!sample->path && sample->loud == SWITCH_UNSET);
    expect_text(&options, "name", "nobody");
    expect_text(&options, "several", "red, blue");
    expect_text(&options, "n", "");
    expect_text(&options, "some", "8");
    expect_text(&options, "high", "");
    expect_text(&options, "inner", "unit");
    expect_text(&options, "inner.row", "1");
    ck_assert_ptr_null(options_file(&options, 0, NULL));
    expect_error(options_check(&options, &error), STATUS_CONFIG, &error,
                 "n is missing: it wants one for all, or a list of 3, each a whole number, 1..100",
                 NULL);
    options_free(&options);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* What is set is told again; a second copy has the same values and shares nothing. */
START_TEST(values_come_back)
{
    static const char *const sets[][3] = {
        {"n", "7", "7, 7, 7"},
        {"n", "[1,2 , 3]", "1, 2, 3"},
        {"n", "4, 5, 6", "4, 5, 6"},
        {"some", "[1, 2, 3, 4]", "1, 2, 3, 4"},
        {"some", "5, 6", "5, 6"},
        {"some", "7", "7"},
        {"low", "0", "0.0"},
        {"low", "2.5e-1", "0.25"},
        {"high", "3", "3.0"},
        {"name", "7, true", "7, true"},
        {"path", "a b", "a b"},
        {"path", "b", "b"},
        {"colour", "red", "red"},
        {"wide", "red", "red"},
        {"several", "green", "green"},
        {"several", "(blue, \"red\")", "red, blue"},
        {"loud", "true", "true"},
        {"block", "96", "96"},
        {"lanes", "0", "0"},
        {"lanes", "32", "32"},
        {"loud", "false", "false"},
        {"inner.row", "12", "12"},
        {"inner", "random", "random"},
        {"inner.seed", "9223372036854775807", "9223372036854775807"},
        {"smoother", "chebyshev", "chebyshev"},
        {"smoother.degree", "7", "7"},
        {"smoother.low", "0.5", "0.5"},
    };
    struct options options = made(), copy;
    struct error error;
    for (size_t k = 0; k < sizeof sets / sizeof *sets; k++) {
        expect_ok(options_set(&options, sets[k][0], sets[k][1], &error), &error);
        expect_text(&options, sets[k][0], sets[k][2]);
        expect_ok(options_copy(&options, &copy, &error), &error);
        expect_equal_options(&options, &copy);
        options_free(&copy);
    }
    const char *key;
    ck_assert_str_eq(options_file(&options, 0, &key), "b");
    ck_assert_str_eq(key, "path");
    ck_assert_ptr_null(options_file(&options, 1, &key));
    expect_ok(options_check(&options, &error), &error);
    options_free(&options);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

START_TEST(faults)
{
    static const struct {
        const char *key, *text, *message;
    } wrong[] = {
        {"n", "0", "n wants one for all, or a list of 3, each a whole number, 1..100, not 0"},
        {"n", "101", "1..100, not 101"},
        {"n", "1, 2", "not a list of 2"},
        {"n", "[]", "not a list of 0"},
        {"n", "1, 2.5, 3", "not 2.5"},
        {"n", "1, x, 3", "not the string \"x\""},
        {"n", "99999999999999999999", "not 1e+20"},
        {"some", "1, 2, 3, 4, 5",
         "some wants a list of up to 4, each a whole number, 1..100, not a list of 5"},
        {"some", "[]", "not a list of 0"},
        {"some", "1, 0", "not 0"},
        {"low", "1", "low wants a real in [0, 1), not 1"},
        {"low", "nan", "not the string \"nan\""},
        {"high", "-0.5", "high wants a real above 0, not -0.5"},
        {"high", "0.1, 0.2", "not the string \"0.1, 0.2\""},
        {"name", "", "name is empty"},
        {"colour", "gren",
         "colour wants \"red\", \"green\" or \"blue\", not \"gren\"; did you "
         "mean 'green'?"},
        {"several", "", "not a list of 0"},
        {"several", "red, red", "several names \"red\" twice"},
        {"several", "red, 7", "several wants \"red\", \"green\" or \"blue\", not 7"},
        {"block", "48", "block wants a whole number, 32..1024, a multiple of 32, not 48"},
        {"block", "1056", "not 1056"},
        {"lanes", "6", "lanes wants a whole number, 0..32, 0 or a power of two, not 6"},
        {"loud", "1", "loud wants true or false, not 1"},
        {"inner", "unti",
         "inner wants \"ones\", \"unit\", \"random\", \"solution\" or \"file\", "
         "not \"unti\"; did you mean 'unit'?"},
        {"inner.row", "0", "inner.row wants a whole number, 1..2147483647, not 0"},
        {"inner.rwo", "1", "unknown option 'inner.rwo'; did you mean 'row'?"},
        {"smoother.degree", "3", "unknown option 'smoother.degree'"},
        {"colr", "red", "unknown option 'colr'; did you mean 'colour'?"},
        {"elephants", "1", "unknown option 'elephants'"},
        {"colour.depth", "1", "unknown option 'colour.depth': 'colour' has no options"},
        {"", "1", "unknown option ''"},
    };
    struct options options = made();
    struct error error;
    expect_ok(options_set(&options, "n", "1", &error), &error);
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++)
        expect_error(options_set(&options, wrong[k].key, wrong[k].text, &error), STATUS_CONFIG,
                     &error, wrong[k].message, NULL);
    struct options untouched = made();
    expect_ok(options_set(&untouched, "n", "1", &error), &error);
    expect_equal_options(&options, &untouched);
    options_free(&untouched);

    /* values that somebody wrote into the struct, and such as are wrong together */
    struct sample *sample = options.values;
    sample->n[1] = 1000;
    expect_error(options_check(&options, &error), STATUS_CONFIG, &error, "n wants", "not 1000",
                 NULL);
    sample->n[1] = 1;
    sample->shared.high = 0.25;
    expect_error(options_check(&options, &error), STATUS_CONFIG, &error,
                 "high = 0.25: must be above low", NULL);
    sample->shared.high = 0;
    expect_ok(options_set(&options, "inner", "file", &error), &error);
    expect_error(options_check(&options, &error), STATUS_CONFIG, &error,
                 "inner.path is missing: it wants a string", NULL);
    expect_ok(options_set(&options, "inner", "ones", &error), &error);
    expect_ok(options_set(&options, "smoother", "chebyshev", &error), &error);
    expect_error(options_set(&options, "smoother.degree", "65", &error), STATUS_CONFIG, &error,
                 "smoother.degree wants a whole number, 1..64, not 65", NULL);
    expect_ok(options_set(&options, "smoother.low", "3", &error), &error);
    expect_ok(options_set(&options, "smoother.high", "2", &error), &error);
    expect_error(options_check(&options, &error), STATUS_CONFIG, &error,
                 "smoother.low = 3.0: must lie below", NULL);
    options_free(&options);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

static enum status attempt(void *context, struct error *error)
{
    struct options options, copy = {0};
    (void)context;
    enum status status = options_create(&component, &options, error);
    if (!status)
        status = options_set(&options, "path", "p", error);
    if (!status)
        status = options_set(&options, "inner", "random", error);
    if (!status)
        status = options_set(&options, "smoother", "chebyshev", error);
    if (!status)
        status = options_copy(&options, &copy, error);
    options_free(&copy);
    options_free(&options);
    return status;
}

START_TEST(every_allocation_may_fail)
{
    walk_allocation_failures(attempt, NULL);
}
END_TEST

/* Of every component its declaration holds together: its name is its own, its defaults lie in their
 * ranges, no two parameters share a name or the one that config groups keep for the component, and
 * no parameter lies outside the struct. */
START_TEST(declarations)
{
    for (enum component_kind kind = 0; kind < COMPONENT_KINDS; kind++) {
        int count;
        const struct component *const *list = component_list(kind, &count);
        ck_assert_int_le(count, CHOICES_MAX);
        for (int c = 0; c < count; c++) {
            struct options options;
            struct error error;
            size_t offset, other;
            const struct parameter *parameter;
            ck_assert_ptr_eq(component_find(kind, list[c]->name), list[c]);
            ck_assert(list[c]->kind == kind && *list[c]->summary);
            expect_ok(options_create(list[c], &options, &error), &error);
            for (int k = 0; (parameter = component_parameter(list[c], k, &offset)); k++) {
                const char *name = parameter->name;
                ck_assert_msg(*name && *parameter->meaning && strcmp(name, "type") != 0 &&
                                  strcmp(name, "reorder") != 0,
                              "%s.%s", list[c]->name, name);
                ck_assert_uint_le(offset + parameter->size, list[c]->options_size);
                for (int before = 0; before < k; before++)
                    ck_assert_str_ne(component_parameter(list[c], before, &other)->name, name);
                if (parameter->default_value)
                    expect_ok(
                        parameter_check(parameter, name, (char *)options.values + offset, &error),
                        &error);
            }
            options_free(&options);
        }
    }
    ck_assert_ptr_null(component_find(COMPONENT_RHS, "grid2d"));
}
END_TEST

Suite *suite(void)
{
    const TTest *const tests[] = {
        defaults, values_come_back, faults, every_allocation_may_fail, declarations, NULL};
    return suite_of("base/options", tests);
}
