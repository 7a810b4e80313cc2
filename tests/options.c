#include "options.h"

#include "base/parameter.h"
#include "problem/rhs.h"
#include "support.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct options test_options(enum component_kind kind, const char *name, ...)
{
    struct options options;
    struct error error;
    const struct component *component = component_find(kind, name);
    ck_assert_msg(component != NULL, "no component %s", name);
    expect_ok(options_create(component, &options, &error), &error);
    va_list list;
    va_start(list, name);
    for (const char *text; (text = va_arg(list, const char *));) {
        char key[64];
        snprintf(key, sizeof key, "%.*s", (int)strcspn(text, "="), text);
        expect_ok(options_set(&options, key, strchr(text, '=') + 1, &error), &error);
    }
    va_end(list);
    expect_ok(options_check(&options, &error), &error);
    return options;
}

void test_rhs_fill(struct options rhs, const struct csr *A, double shift, double *b)
{
    struct error error;
    expect_ok(rhs_fill(&rhs, A, shift, 1, b, &error), &error);
    options_free(&rhs);
}

/* The value of a parameter, or "NAME.KEY" of the component that a parameter holds. */
static const char *text_of(const struct options *options, const char *key, char *text, int size)
{
    size_t offset, name = strcspn(key, ".");
    const struct parameter *parameter;
    for (int k = 0; (parameter = component_parameter(options->component, k, &offset)); k++) {
        const void *place = (const char *)options->values + offset;
        if (!strcmp(parameter->name, key))
            return parameter_text(parameter, place, text, size);
        if (parameter->type == PARAMETER_COMPONENT && strlen(parameter->name) == name &&
            !memcmp(parameter->name, key, name))
            return text_of(place, key + name + 1, text, size);
    }
    return NULL;
}

void expect_option(const struct options *options, const char *name, const char *key,
                   const char *value)
{
    char text[256];
    ck_assert_str_eq(options->component->name, name);
    ck_assert_ptr_nonnull(text_of(options, key, text, sizeof text));
    ck_assert_str_eq(text, value);
}

void expect_equal_options(const struct options *a, const struct options *b)
{
    char of_a[256], of_b[256];
    size_t offset;
    const struct parameter *parameter;
    ck_assert_ptr_eq(a->component, b->component);
    for (int k = 0; (parameter = component_parameter(a->component, k, &offset)); k++) {
        text_of(a, parameter->name, of_a, sizeof of_a);
        text_of(b, parameter->name, of_b, sizeof of_b);
        ck_assert_msg(!strcmp(of_a, of_b), "%s: %s and %s", parameter->name, of_a, of_b);
    }
}
