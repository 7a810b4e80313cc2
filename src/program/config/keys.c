/* The table of keys. A new key is one entry here and one field in settings.h: the reader, the
 * overrides, --help and settings.cfg follow. The parameters of components are declared with the
 * components. */
#include "program/config/keys.h"

#include "problem/rhs.h"
#include "program/config/metis_numbering.h"
#include "solver/parameters.h"

#include <string.h>

/* The columns of a line. */
#define INTEGER(member, from, to) TAKES_INTEGER(struct settings, member, from, to)
#define REAL(member, from, to) TAKES_REAL(struct settings, member, from, to)
#define STRING(member) TAKES_STRING(struct settings, member)
#define PATH(member) TAKES_FILE(struct settings, member)
#define CHOICE(member, texts) TAKES_CHOICE(struct settings, member, texts)
#define CHOICES(member, texts) TAKES_CHOICES(struct settings, member, texts)
#define SWITCH(member) TAKES_SWITCH(struct settings, member)
#define COMPONENT(member, kind) TAKES_COMPONENT(struct settings, member, kind)
#define ONLY_FOR(value) .only_for = 1u << (value)
#define FOR_METIS ONLY_FOR(REORDER_METIS), .decider = "reorder"
#define FOR_SYSTEMS .for_methods = METHOD_FINDS_VECTOR
#define ENDS_SYSTEMS FOR_SYSTEMS, COMPLAINS(tolerances_complaint)
#define FOR_TRACED .for_methods = METHOD_TAKES_TRACE
#define FOR_TRACED_VECTORS FOR_TRACED, COMPLAINS(vectors_complaint)
#define FOR_EIGEN .for_methods = METHOD_FINDS_EIGENVALUES
#define FOR_SHIFTED .for_methods = METHOD_TAKES_SHIFT
#define FOR_RELAXED .for_methods = METHOD_TAKES_RELAXATION
#define FOR_PRECONDITIONED .for_methods = METHOD_TAKES_PRECONDITIONER
#define FOR_COLUMNS                                                                                \
    .only_for = 1u << PRODUCT_SPMM | 1u << PRODUCT_SDDMM, COMPLAINS(columns_complaint)
#define FOR_ALL .only_for = 0
#define COMPLAINS(of) .complaint = (of)
#define OPENS_GROUP .opens_group = true
#define IS_LIST(of) .list = (of)

/* A line: group, name, for what it is, and the other columns of struct parameter. */
#define KEY(path, key, applies, ...)                                                               \
    {                                                                                              \
        .group = (path), .parameter = {(key), __VA_ARGS__}, applies                                \
    }

static const char *reorder_complaint(const struct settings *settings)
{
    return settings->problem.reorder == REORDER_METIS ? metis_missing() : NULL;
}

static const char *solution_complaint(const struct settings *settings)
{
    return settings->output.solution != SOLUTION_NONE &&
                   !solver_finds_vector(&settings->solver.options)
               ? "this method has eigenvectors instead, which eigen.vectors = true writes"
               : NULL;
}

static const char *vectors_complaint(const struct settings *settings)
{
    return settings->study.trace.every > 0 &&
                   settings->study.trace.vectors & ~settings->solver.options.method->vectors
               ? "the method shows not all of these"
               : NULL;
}

static const char *devices_complaint(const struct settings *settings)
{
    for (int k = 1; k < DEVICES_MAX && settings->study.devices[k] >= 0; k++)
        for (int j = 0; j < k; j++)
            if (settings->study.devices[j] == settings->study.devices[k])
                return "a device stands there twice";
    return NULL;
}

static const char *tolerances_complaint(const struct settings *settings)
{
    return tolerance_complaint(&settings->solver.options);
}

static const char *columns_complaint(const struct settings *settings)
{
    const int64_t *columns = settings->bench.columns;
    for (int a = 0; a < BENCH_COLUMNS && columns[a]; a++)
        for (int b = 0; b < a; b++)
            if (columns[a] == columns[b])
                return "a number stands there twice";
    return NULL;
}

const struct key settings_keys[] = {
    KEY("problem", "type", FOR_ALL, "where the matrix is from:", NULL,
        COMPONENT(problem.matrix, COMPONENT_PROBLEM)),
    KEY("problem", "reorder", COMPLAINS(reorder_complaint),
        "the numbering in which the system is solved: as given; reverse Cuthill-McKee, which "
        "brings "
        "the entries near the diagonal; part by part, as METIS cuts the graph, with few entries "
        "between parts, where the build has METIS",
        "none", CHOICE(problem.reorder, reorder_names)),
    KEY("problem", "parts", FOR_METIS,
        "how many parts of equal size: best a multiple of the number of ranks", "8",
        INTEGER(problem.parts, 1, INT32_MAX)),

    KEY("solver", "method", FOR_ALL, "how it is solved:", "cg",
        COMPONENT(solver.method, COMPONENT_METHOD)),
    KEY("solver", "tolerance", ENDS_SYSTEMS,
        TAKES_TOLERANCE(struct settings, solver.options.tolerance)),
    KEY("solver", "absolute_tolerance", FOR_SYSTEMS,
        TAKES_ABSOLUTE_TOLERANCE(struct settings, solver.options.absolute_tolerance)),
    KEY("solver", "max_iterations", FOR_ALL,
        TAKES_MAX_ITERATIONS(struct settings, solver.options.max_iterations)),
    KEY("solver", "shift", FOR_SHIFTED, TAKES_SHIFT(struct settings, solver.options.shift)),
    KEY("solver", "relaxation", FOR_RELAXED,
        TAKES_RELAXATION(struct settings, solver.options.relaxation)),
    KEY("solver", "null_space", FOR_SYSTEMS,
        TAKES_NULL_SPACE(struct settings, solver.options.null_space)),
    KEY("solver", "resident", FOR_SYSTEMS,
        TAKES_RESIDENT(struct settings, solver.options.resident)),
    KEY("solver", "reductions", FOR_ALL, TAKES_REDUCTIONS(struct settings, solver.reductions)),

    KEY("solver.preconditioner", "type", FOR_PRECONDITIONED,
        "M, of which the solver needs M^-1 r in each iteration (docs/preconditioners.md):", "none",
        COMPONENT(solver.preconditioner, COMPONENT_PRECONDITIONER)),

    KEY("solver.start", "type", FOR_ALL,
        "x_0, where each solve begins; of eigenvalues the first vector of the basis, in the place "
        "of the right-hand side where it is not zero:",
        "zero", COMPONENT(problem.start, COMPONENT_START)),

    KEY("eigen", "count", FOR_EIGEN,
        TAKES_EIGEN_COUNT(struct settings, solver.options.eigen.count)),
    KEY("eigen", "which", FOR_EIGEN,
        TAKES_EIGEN_WHICH(struct settings, solver.options.eigen.which)),
    KEY("eigen", "tolerance", FOR_EIGEN,
        TAKES_EIGEN_TOLERANCE(struct settings, solver.options.eigen.tolerance)),
    KEY("eigen", "reorthogonalization", FOR_EIGEN,
        TAKES_REORTHOGONALIZATION(struct settings, solver.options.eigen.reorthogonalization)),
    KEY("eigen", "restart", FOR_EIGEN,
        TAKES_EIGEN_RESTART(struct settings, solver.options.eigen.restart)),
    KEY("eigen", "vectors", FOR_EIGEN, "whether the eigenvectors are written too", "false",
        SWITCH(output.eigenvectors)),

    KEY("rhs", "type", FOR_SYSTEMS, "the right-hand side:", "ones",
        COMPONENT(problem.rhs, COMPONENT_RHS)),
    KEY("rhs", "type", FOR_EIGEN,
        "for eigenvalues: the start vector of the Krylov basis, which is normalised", "random",
        COMPONENT(problem.rhs, COMPONENT_RHS)),

    KEY("rhs", "columns", FOR_SYSTEMS,
        "how many right-hand sides; 0: as many as the file has, or 1 if there is no file", "0",
        INTEGER(problem.rhs_columns, 0, RHS_COLUMNS_MOST)),

    KEY("", "plugins", IS_LIST(KEY_PLUGINS),
        "shared objects with further kernels, preconditioners, methods and problems "
        "(docs/plugins.md), which are loaded before all other keys are looked at; so are those of "
        "the environment variable CGSOLVE_PLUGINS, PATH:PATH:...",
        .default_value = "none"),
    KEY("", "kernels", IS_LIST(KEY_KERNELS),
        "the kernels to compare: each a name, or a group of name, label (default: the name; "
        "unique, at most 511 bytes), the kernel's parameters, and its own reductions and threads",
        .default_value = NULL),
    KEY("", "vary", IS_LIST(KEY_VARY),
        "lists of values, as in vary = { threads = [1, 2]; reductions = [\"reproducible\", "
        "\"exact\"]; }: each kernel is taken with each combination of them. A list is of threads, "
        "of reductions, or of a parameter of a kernel; kernels without it, and those whose group "
        "sets it, are left as they are",
        .default_value = "none"),
    KEY("", "repeats", FOR_ALL, "solves with each kernel", "1",
        INTEGER(study.repeats, 1, 1000000000)),
    KEY("", "threads", FOR_ALL, "threads of the CPU; 0: as many as this process may use", "0",
        INTEGER(study.threads, 0, THREADS_MAX)),
    KEY("", "devices", COMPLAINS(devices_complaint),
        "the CUDA devices that a CUDA kernel is solved on, by their numbers: several ones solve "
        "together, with the bits of one",
        "0", INTEGER(study.devices, 0, 1023), .count = DEVICES_MAX, .fewer = true),

    KEY("output", "directory", FOR_ALL, "where all output files go", "results",
        STRING(output.directory)),
    KEY("output", "solution", COMPLAINS(solution_complaint),
        "whether the solution x is written among them, in the problem's own numbering, as "
        "solution-LABEL-RUN.npy, .mtx or .txt: for NumPy; as a Matrix Market file, which rhs.path "
        "and solver.start.path take; a number a line. Not with a method that finds eigenvalues",
        "none", CHOICE(output.solution, solution_formats)),
    KEY("output", "solution_of", FOR_ALL,
        "which solutions: of the first run of each kernel; of every run", "first",
        CHOICE(output.solution_of, solution_ofs)),
    KEY("output", "report", FOR_ALL,
        "whether report.html, a page of pictures, is written among them", "true, but for --quiet",
        SWITCH(output.report)),

    KEY("reference", "mode", FOR_ALL,
        "which residuals are the same: of equal bits; with at most so many doubles from one to the "
        "other; near relative to the reference's",
        "bitwise", CHOICE(reference.rule.mode, comparison_modes)),
    KEY("reference", "history", OPENS_GROUP,
        "the residual history that every run is compared with, a file of --write-reference; "
        "without the group nothing is compared",
        NULL, PATH(reference.history)),
    KEY("reference", "tolerance", ONLY_FOR(COMPARISON_ULPS),
        "the largest distance in ulps that passes", NULL,
        INTEGER(reference.rule.ulps, 0, INT64_MAX)),
    KEY("reference", "tolerance", ONLY_FOR(COMPARISON_RELATIVE),
        "the largest |r - reference| / |reference| of two residuals that passes", NULL,
        REAL(reference.rule.relative, 0, 1e300)),
    KEY("reference", "iterations", FOR_ALL,
        "by how many the counts of iterations may differ; those that both have are compared", "0",
        INTEGER(reference.rule.iterations, 0, INT64_MAX)),

    KEY("trace", "every", FOR_TRACED,
        "look at vectors every so many iterations, for cgsolve trace-diff; 0: never", "0",
        INTEGER(study.trace.every, 0, INT64_MAX)),
    KEY("trace", "vectors", FOR_TRACED_VECTORS,
        "which ones: the residual, the iterate, the direction p, the product q = A p",
        "[\"r\", \"x\"]", CHOICES(study.trace.vectors, solver_vector_names)),
    KEY("trace", "keep", FOR_TRACED,
        "what is kept: a hash of each 4096 elements, in trace.csv; all values, in trace.npy",
        "hash", CHOICE(study.trace.keep, trace_keeps)),

    KEY("bench", "operation", FOR_ALL,
        "what cgsolve bench, which takes the problem and the kernels, measures: a "
        "product with one vector, y = A x, or with several at once, Y = A X, or sampled products, "
        "x_i . y_j where A has a stored entry",
        "spmv", CHOICE(bench.operation, product_operations)),
    KEY("bench", "columns", FOR_COLUMNS,
        "columns of X and Y; each number is measured separately, the kernels interleaved", "8",
        INTEGER(bench.columns, 1, BENCH_COLUMNS_MOST), .count = BENCH_COLUMNS, .fewer = true),
    KEY("bench", "rounds", FOR_ALL,
        "how many batches of products each kernel makes, in turns with the others", "11",
        INTEGER(bench.rounds, 1, 1000000)),
    KEY("bench", "products", FOR_ALL,
        "products in a batch; 0: as many as take about bench.seconds, or 1 with bench.cold", "0",
        INTEGER(bench.products, 0, 1 << 20)),
    KEY("bench", "seconds", FOR_ALL, "how long a batch is to take, in seconds", "0.01",
        REAL(bench.seconds, 0, 3600), .above = true),
    KEY("bench", "cold", FOR_ALL,
        "whether the caches are overwritten before each product, which is then timed alone",
        "false", SWITCH(bench.cold)),
    KEY("bench", "seed", FOR_ALL,
        "seed of the x that is multiplied, uniform in [-1, 1); column j of X, counted "
        "from 0, has bench.seed + j, and the columns of a Y that is multiplied follow",
        "1", INTEGER(bench.seed, 0, INT64_MAX)),
    KEY("bench", "baseline", FOR_ALL,
        "the label of the kernel, or the name of the sampled products, that the others are "
        "compared with; left out: the first",
        NULL, STRING(bench.baseline), .optional = true),
    KEY("bench", "csv", FOR_ALL,
        "the file of the results; what it holds already is not measured again; left out: bench.csv "
        "in the output directory for a directory of matrices, none for one",
        NULL, STRING(bench.csv), .optional = true),
    {0},
};

void *key_place(const struct key *key, struct settings *settings)
{
    return (char *)settings + key->parameter.offset;
}

const void *key_value(const struct key *key, const struct settings *settings)
{
    return (const char *)settings + key->parameter.offset;
}

const struct key *key_first(const struct key *key)
{
    while (key > settings_keys && !strcmp(key[-1].group, key->group))
        key--;
    return key;
}

const struct key *key_decider(const struct key *key)
{
    const struct key *decider = key->for_methods ? settings_keys : key_first(key);
    while (key->for_methods && strcmp(decider->group, "solver") != 0)
        decider++;
    while (key->decider && strcmp(decider->parameter.name, key->decider) != 0)
        decider++;
    return decider;
}

unsigned key_decision(const struct key *key, const struct settings *settings)
{
    const struct key *decider = key_decider(key);
    return parameter_bits(&decider->parameter, key_value(decider, settings));
}

bool key_applies(const struct key *key, const struct settings *settings)
{
    return (!key->only_for && !key->for_methods) ||
           (key_only_for(key) >> key_decision(key, settings) & 1);
}

bool key_group_is_given(const struct key *key, const struct settings *settings)
{
    for (const struct key *other = key_first(key); other->group; other++) {
        if (strcmp(other->group, key->group) != 0)
            break;
        if (other->opens_group &&
            parameter_is_missing(&other->parameter, key_value(other, settings)))
            return false;
    }
    return true;
}

unsigned key_only_for(const struct key *key)
{
    unsigned bits = key->only_for;
    int count;
    const struct component *const *methods = component_list(COMPONENT_METHOD, &count);
    for (int k = 0; k < count; k++)
        bits |= ((const struct method *)methods[k])->traits & key->for_methods ? 1u << k : 0;
    return bits;
}

unsigned key_name_only_for(const struct key *key)
{
    unsigned together = 0;
    for (const struct key *other = key_first(key); other->group; other++)
        if (!strcmp(other->group, key->group) &&
            !strcmp(other->parameter.name, key->parameter.name))
            together |= key_only_for(other);
    return together;
}

const char *key_path(const struct key *key, char *text, int size)
{
    snprintf(text, (size_t)size, "%s%s%s", key->group, *key->group ? "." : "", key->parameter.name);
    return text;
}

const char *key_wants(const struct key *key, char *text, int size)
{
    static const char *const lists[] = {
        [KEY_PLUGINS] = "a list ( \"PATH\", ... )",
        [KEY_KERNELS] = "a list ( \"NAME\", ... )",
        [KEY_VARY] = "a group { NAME = [ VALUE, ... ]; ... }",
    };
    if (key->list == KEY_PARAMETER)
        return parameter_wants(&key->parameter, text, size);
    snprintf(text, (size_t)size, "%s", lists[key->list]);
    return text;
}

bool key_is_component(const struct key *key)
{
    return key->list == KEY_PARAMETER && key->parameter.type == PARAMETER_COMPONENT;
}

bool key_name_next(struct key_name *at)
{
    size_t offset;
    int count = 0;
    const struct component *const *list = NULL;
    if (at->key && key_is_component(at->key))
        list = component_list(at->key->parameter.kind, &count);
    for (; at->component < count; at->component++, at->parameter = 0) {
        const struct parameter *parameter =
            component_parameter(list[at->component], at->parameter, &offset);
        if (parameter) {
            at->parameter++;
            at->name = parameter->name;
            return true;
        }
    }
    *at = (struct key_name){.key = at->key ? at->key + 1 : settings_keys};
    at->name = at->key->parameter.name;
    return at->name != NULL;
}

uint64_t components_that_take(enum component_kind kind, const char *name)
{
    int count;
    size_t offset;
    uint64_t bits = 0;
    const struct component *const *list = component_list(kind, &count);
    const struct parameter *parameter;
    for (int c = 0; c < count; c++)
        for (int k = 0; (parameter = component_parameter(list[c], k, &offset)); k++)
            if (!strcmp(parameter->name, name))
                bits |= UINT64_C(1) << c;
    return bits;
}
