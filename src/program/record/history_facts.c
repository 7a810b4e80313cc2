#include "program/record/history_facts.h"

#include "base/memory.h"
#include "problem/rhs.h"
#include "program/config/keys.h"

#include <inttypes.h>
#include <string.h>

static const char *const names[FACTS] = {
    [FACT_MATRIX] = "matrix",
    [FACT_RHS] = "rhs",
    [FACT_START] = "start",
    [FACT_REORDER] = "reorder",
    [FACT_PARTS] = "parts",
    [FACT_METHOD] = "method",
    [FACT_KERNEL] = "kernel",
    [FACT_PARAMETERS] = "parameters",
    [FACT_FORM] = "form",
    [FACT_GUARANTEE] = "guarantee",
    [FACT_REDUCTIONS] = "reductions",
    [FACT_TOLERANCE] = "tolerance",
    [FACT_ABSOLUTE_TOLERANCE] = "absolute_tolerance",
    [FACT_MAX_ITERATIONS] = "max_iterations",
    [FACT_THREADS] = "threads",
    [FACT_VERSION] = "version",
    [FACT_ENDED] = "ended",
    [FACT_SOLUTION] = "solution",
    [FACT_RUNS] = "runs",
    [FACT_HISTORIES] = "distinct_histories",
};

const char *fact_name(enum fact fact)
{
    return names[fact];
}

bool facts_are_there(const struct history_facts *facts)
{
    for (int f = 0; f < FACTS; f++)
        if (*facts->text[f])
            return true;
    return false;
}

/* --- leading lines ---------------------------------------------------------------------------- */

static bool is_hash(const char *begin, const char *end)
{
    for (const char *p = begin; p < end; p++)
        if (!(*p >= '0' && *p <= '9') && !(*p >= 'a' && *p <= 'f'))
            return false;
    return end - begin == 16;
}

bool fact_is_of_column(enum fact fact)
{
    return fact == FACT_ENDED || fact == FACT_SOLUTION || fact == FACT_HISTORIES;
}

/* The end of a number below 10^9 after a space, which becomes *column; or `at` itself, with *column
 * = -1. */
static const char *skip_column(const char *at, const char *end, int64_t *column)
{
    const char *digit = at + 1;
    int64_t number = 0;
    for (; digit < end && *digit >= '0' && *digit <= '9' && number < 100000000; digit++)
        number = 10 * number + (*digit - '0');
    if (at == end || *at != ' ' || digit == at + 1)
        return at;
    *column = number;
    return digit;
}

/* The fact that "# NAME: ..." or "# NAME COLUMN: ..." names, in *text where its text begins, and in
 * *column its column or -1; FACTS for a comment. */
static enum fact fact_of_line(const char *begin, const char *end, const char **text,
                              int64_t *column)
{
    const char *name = begin + 1;
    while (name < end && *name == ' ')
        name++;
    for (int f = 0; f < FACTS; f++) {
        size_t length = strlen(names[f]);
        *column = -1;
        if ((size_t)(end - name) <= length || memcmp(name, names[f], length) != 0)
            continue;
        const char *colon = name + length;
        if (fact_is_of_column((enum fact)f))
            colon = skip_column(colon, end, column);
        if (colon == end || *colon != ':')
            continue;
        for (*text = colon + 1; *text < end && **text == ' ';)
            ++*text;
        return (enum fact)f;
    }
    return FACTS;
}

/* Where what is told of the column is kept. Errors: STATUS_MEMORY. */
static enum status find_own(struct column_facts *own, int64_t column, struct history_facts **found,
                            struct error *error)
{
    enum status status = memory_grow((void **)&own->columns, &own->capacity, column + 1,
                                     sizeof *own->columns, "the facts of a column", error);
    if (status)
        return status;
    for (; own->count <= column; own->count++)
        own->columns[own->count] = (struct history_facts){{{0}}};
    *found = &own->columns[column];
    return STATUS_OK;
}

enum status facts_take_line(struct history_facts *facts, struct column_facts *own,
                            const char *begin, const char *end, const char *path, int64_t line,
                            struct error *error)
{
    const char *text = NULL, *complaint = NULL;
    int64_t column;
    enum fact fact = fact_of_line(begin, end, &text, &column);
    if (fact == FACTS)
        return STATUS_OK;
    if (column >= RHS_COLUMNS_MOST)
        return error_set(error, STATUS_INPUT,
                         "%s:%" PRId64 ": '# %s %" PRId64 ":' is of a column that no solve has",
                         path, line, names[fact], column);
    enum status status = column >= 0 ? find_own(own, column, &facts, error) : STATUS_OK;
    if (status)
        return status;
    if (*facts->text[fact])
        complaint = "is given twice";
    else if (text == end)
        complaint = "is empty";
    else if ((size_t)(end - text) >= sizeof facts->text[fact])
        complaint = "is too long";
    else if (fact <= FACT_START && !is_hash(text, end))
        complaint = "wants a hash of 16 digits 0-9a-f";
    if (complaint)
        return error_set(error, STATUS_INPUT, "%s:%" PRId64 ": '# %s:' %s", path, line, names[fact],
                         complaint);
    memcpy(facts->text[fact], text, (size_t)(end - text));
    return STATUS_OK;
}

struct history_facts facts_of_column(const struct history_facts *facts,
                                     const struct column_facts *own, int64_t column)
{
    struct history_facts made = *facts;
    for (int f = 0; f < FACTS && column < own->count; f++)
        if (*own->columns[column].text[f])
            memcpy(made.text[f], own->columns[column].text[f], sizeof made.text[f]);
    return made;
}

/* --- summary.json ----------------------------------------------------------------------------- */

static void take_text(struct history_facts *facts, enum fact fact, const json_t *value)
{
    char *text = facts->text[fact];
    size_t size = sizeof facts->text[fact];
    if (json_is_string(value))
        snprintf(text, size, "%s", json_string_value(value));
    else if (json_is_integer(value))
        snprintf(text, size, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    else if (json_is_real(value))
        real_text(json_real_value(value), text, (int)size);
}

/* "form = auto, compress = auto" */
static void take_parameters(struct history_facts *facts, json_t *parameters)
{
    char *text = facts->text[FACT_PARAMETERS];
    int size = sizeof facts->text[0], length = 0;
    const char *name;
    json_t *value;
    json_object_foreach(parameters, name, value)
    {
        const char *comma = length > 0 ? ", " : "";
        if (length < size && json_is_string(value))
            length += snprintf(text + length, (size_t)(size - length), "%s%s = %s", comma, name,
                               json_string_value(value));
        else if (length < size)
            length +=
                snprintf(text + length, (size_t)(size - length), "%s%s = %" JSON_INTEGER_FORMAT,
                         comma, name, json_integer_value(value));
    }
}

/* The kernel of that label in that column; NULL if there is none. A member that is missing counts
 * as column 0. */
static json_t *find_kernel(const json_t *kernels, const char *label, int64_t column)
{
    for (size_t k = 0; k < json_array_size(kernels); k++) {
        json_t *kernel = json_array_get(kernels, k), *name = json_object_get(kernel, "name");
        if (json_is_string(name) && !strcmp(json_string_value(name), label) &&
            json_integer_value(json_object_get(kernel, "column")) == column)
            return kernel;
    }
    return NULL;
}

static json_t *find_run(const json_t *runs, int64_t number)
{
    for (size_t k = 0; k < json_array_size(runs); k++) {
        json_t *run = json_array_get(runs, k), *value = json_object_get(run, "run");
        if (json_is_integer(value) && json_integer_value(value) == number)
            return run;
    }
    return NULL;
}

struct history_facts facts_of_summary(const json_t *summary, const char *label, int64_t run,
                                      int64_t column, double *seconds)
{
    struct history_facts facts = {{{0}}};
    const json_t *problem = json_object_get(summary, "problem");
    const json_t *solver = json_object_get(summary, "solver");
    const json_t *machine = json_object_get(summary, "machine");
    json_t *kernel = find_kernel(json_object_get(summary, "kernels"), label, column);
    json_t *ran = find_run(json_object_get(kernel, "runs"), run);
    *seconds = json_number_value(json_object_get(ran, "seconds"));
    if (!kernel || !ran)
        return facts;
    const struct {
        enum fact fact;
        const json_t *object;
        const char *key;
    } places[] = {
        {FACT_MATRIX, problem, "matrix_hash"},
        {FACT_RHS, problem, "rhs_hash"},
        {FACT_START, json_object_get(solver, "start"), "hash"},
        {FACT_REORDER, json_object_get(problem, "reorder"), "name"},
        {FACT_PARTS, json_object_get(problem, "reorder"), "parts"},
        {FACT_METHOD, solver, "method"},
        {FACT_KERNEL, kernel, "kernel"},
        {FACT_FORM, kernel, "description"},
        {FACT_GUARANTEE, kernel, "guarantee"},
        {FACT_REDUCTIONS, json_object_get(kernel, "reductions") ? kernel : solver, "reductions"},
        {FACT_TOLERANCE, solver, "tolerance"},
        {FACT_ABSOLUTE_TOLERANCE, solver, "absolute_tolerance"},
        {FACT_MAX_ITERATIONS, solver, "max_iterations"},
        {FACT_THREADS, json_object_get(kernel, "threads") ? kernel : machine, "threads"},
        {FACT_VERSION, machine, "version"},
        {FACT_ENDED, ran, "reason"},
        {FACT_SOLUTION, ran, "solution_hash"},
        {FACT_HISTORIES, kernel, "distinct_histories"},
    };
    for (size_t k = 0; k < sizeof places / sizeof *places; k++)
        take_text(&facts, places[k].fact, json_object_get(places[k].object, places[k].key));
    take_parameters(&facts, json_object_get(kernel, "parameters"));
    snprintf(facts.text[FACT_RUNS], sizeof facts.text[0], "%zu",
             json_array_size(json_object_get(kernel, "runs")));
    return facts;
}

/* --- what they say ---------------------------------------------------------------------------- */

static enum status check_start(const struct history_facts *history, const char *history_name,
                               const struct history_facts *reference, const char *reference_name,
                               struct error *error)
{
    const char *its = history->text[FACT_START], *wanted = reference->text[FACT_START];
    if (!*history->text[FACT_MATRIX] || !*reference->text[FACT_MATRIX] || strcmp(its, wanted) == 0)
        return STATUS_OK;
    return error_set(error, STATUS_INPUT,
                     "%s: is the history of a solve that began elsewhere: x_0 there %s%s, and that "
                     "of %s %s%s",
                     reference_name, *wanted ? "has the hash " : "is 0", wanted, history_name,
                     *its ? "has the hash " : "is 0", its);
}

enum status facts_check_problem(const struct history_facts *history, const char *history_name,
                                const struct history_facts *reference, const char *reference_name,
                                struct error *error)
{
    static const struct {
        enum fact fact;
        const char *what;
    } parts[] = {{FACT_MATRIX, "the matrix"}, {FACT_RHS, "b"}};
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
        const char *its = history->text[parts[k].fact], *wanted = reference->text[parts[k].fact];
        if (*its && *wanted && strcmp(its, wanted) != 0)
            return error_set(error, STATUS_INPUT,
                             "%s: is the history of another problem: %s there has the hash %s, and "
                             "that of %s %s",
                             reference_name, parts[k].what, wanted, history_name, its);
    }
    return check_start(history, history_name, reference, reference_name, error);
}

const char *facts_no_promise(const struct history_facts *facts)
{
    const char *guarantee = facts->text[FACT_GUARANTEE], *reductions = facts->text[FACT_REDUCTIONS];
    if (!strcmp(reductions, "atomic"))
        return "atomic reductions promise no equal bits: they add in another order on every run";
    if (!strcmp(reductions, "blas"))
        return "blas reductions promise no equal bits: they are the vendor library's affair";
    if (!strcmp(guarantee, "none"))
        return "the kernel promises no equal bits: they may differ on every run";
    if (!strcmp(guarantee, "accurate"))
        return "the kernel promises no equal bits: they are equal on most runs, not on all";
    if (!strcmp(guarantee, "run"))
        return "the kernel promises equal bits on one device with one number of threads only";
    return NULL;
}

/* The fact, or its default if absent. */
static const char *text_or_default(const struct history_facts *facts, enum fact fact)
{
    const char *text = facts->text[fact];
    return *text || fact != FACT_METHOD ? text : "cg";
}

void facts_suggest(FILE *stream, const char *indent, const struct history_facts *history,
                   const struct history_facts *reference)
{
    const char *no_promise = facts_no_promise(history),
               *histories = reference->text[FACT_HISTORIES];
    bool explained = no_promise || (*histories && strcmp(histories, "1") != 0);
    if (no_promise)
        fprintf(stream, "%s%s\n", indent, no_promise);
    if (*histories && strcmp(histories, "1") != 0)
        fprintf(stream, "%sthe reference is one of %s histories that %s runs had\n", indent,
                histories, reference->text[FACT_RUNS]);
    if (!facts_are_there(history) || !facts_are_there(reference)) {
        fprintf(stream, "%sit is not known how the %s was made\n", indent,
                facts_are_there(history) ? "reference" : "history");
        return;
    }
    for (int f = FACT_REORDER; f <= FACT_VERSION; f++) {
        const char *its = text_or_default(history, (enum fact)f);
        const char *other = text_or_default(reference, (enum fact)f);
        if (strcmp(its, other) == 0)
            continue;
        fprintf(stream, "%s%s: %s, in the reference %s\n", indent, names[f], *its ? its : "-",
                *other ? other : "-");
        explained = true;
    }
    if (!explained)
        fprintf(
            stream,
            "%smethod, kernel, form, reductions, settings and version are the same\n"
            "%sso look at the compiler and its flags, the libraries, the machine, and at orders of "
            "additions in the sources\n",
            indent, indent);
}
