/* `cgsolve solve A.mtx` and `cgsolve eigs A.mtx`: one solve without a config. The command line
 * becomes overrides of an empty config. */
#include "problem/problem.h"
#include "program/command/overrides.h"
#include "program/command/run_solve.h"
#include "solver/method.h"

#include <string.h>

struct solve_options {
    struct overrides overrides;
    bool print_config;
    struct solve_request request;
};

static const char default_kernel[] = "cpu_sym_bitwise", kernel_key[] = "kernels=(@)",
                  method_key[] = "solver.method=@", vectors_key[] = "eigen.vectors=true",
                  matrix_key[] = "problem={type=\"" PROBLEM_OF_FILES "\";path=@;}";

/* The matrix, and then KEY=VALUE. Keys for studies are refused, because they would have no
 * effect. */
static enum status take_word(void *into, const char *word, struct error *error)
{
    static const char *const of_studies[] = {"output", "reference", "trace",
                                             "bench",  "vary",      "repeats"};
    static const char group[] = "preconditioner.";
    struct solve_options *options = into;
    const char *matrix = options->request.matrix;
    if (!matrix) {
        options->request.matrix = word;
        return STATUS_OK;
    }
    if (!strchr(word, '='))
        return error_set(error, STATUS_CONFIG, "%s %s: one matrix is taken, and then KEY=VALUE",
                         matrix, word);
    for (size_t k = 0; k < sizeof of_studies / sizeof *of_studies; k++) {
        size_t length = strlen(of_studies[k]);
        if (strncmp(word, of_studies[k], length) == 0 && strchr(" .=", word[length]))
            return error_set(error, STATUS_CONFIG,
                             "%s: is for a study, whose config --print-config begins", word);
    }
    bool is_short = strncmp(word, group, strlen(group)) == 0;
    return overrides_add(&options->overrides, is_short ? "solver.%" : "%", word, word, error);
}

/* "npy" of "x.npy", for the ending of such a file; NULL: another ending. */
static const char *format_of(const char *path)
{
    const char *dot = strrchr(path, '.');
    for (int format = SOLUTION_NONE + 1; dot && solution_formats[format]; format++)
        if (strcmp(dot + 1, solution_formats[format]) == 0)
            return dot + 1;
    return NULL;
}

static enum status take_output(void *into, const struct command_option *option, const char *word,
                               const char *path, struct error *error)
{
    struct solve_options *options = into;
    const char *format = format_of(path);
    bool vectors = option->with == vectors_key;
    options->request.output = path;
    return format && (!vectors || strcmp(format, solution_formats[SOLUTION_NPY]) == 0)
               ? option_override(into, option, word, format, error)
               : error_set(error, STATUS_CONFIG, "%s %s: the name must end with %s", option->name,
                           path, vectors ? ".npy" : ".npy, .mtx or .txt");
}

#define START_OPTION(says)                                                                         \
    {                                                                                              \
        "--start", 0, "FILE", says, TAKES_OVERRIDE("solver.start={type=\"file\";path=@;}")         \
    }
#define COMMON_OPTIONS                                                                             \
    {"--kernel",                                                                                   \
     0,                                                                                            \
     "NAME",                                                                                       \
     "the kernel that multiplies by A (cpu_sym_bitwise; see cgsolve --list-kernels)",              \
     option_override,                                                                              \
     0,                                                                                            \
     kernel_key},                                                                                  \
        {"--max-iterations", 0, "N", "the iteration limit (10000)",                                \
         TAKES_OVERRIDE("solver.max_iterations=%")},                                               \
        {"--threads", 0, "N", "use N threads (0: as the size of A asks for)",                      \
         TAKES_OVERRIDE("threads=%")},                                                             \
        {"--monitor", 0, NULL,                                                                     \
         "print a line for each iteration: its number and the relative residual, with all "        \
         "digits",                                                                                 \
         TAKES_FLAG(struct solve_options, request.monitor)},                                       \
        {"--print-config", 0, NULL, "print the config that says the same, and solve nothing",      \
         TAKES_FLAG(struct solve_options, print_config)},                                          \
        {"--quiet", 0, NULL,                                                                       \
         "show nothing but what --monitor asks for; a line on the standard error says why the "    \
         "exit status is 1",                                                                       \
         TAKES_FLAG(struct solve_options, request.quiet)},                                         \
        OPTION_HELP,                                                                               \
    {                                                                                              \
        0                                                                                          \
    }

static const struct command_option solve_options[] = {
    {"--rhs", 0, "FILE", "b, a Matrix Market, .npy, PETSc or text file (ones)",
     TAKES_OVERRIDE("rhs={type=\"file\";path=@;}")},
    START_OPTION("x_0, a Matrix Market, .npy, PETSc or text file (0)"),
    {"--method", 0, "NAME",
     "the method (cg; skew for a skew-symmetric A; see cgsolve --help solver)",
     TAKES_OVERRIDE(method_key)},
    {"--preconditioner", 0, "NAME", "the preconditioner (none; see cgsolve --help preconditioner)",
     TAKES_OVERRIDE("solver.preconditioner.type=@")},
    {"--tolerance", 0, "T", "done when ||r|| <= T ||b|| (1e-8)",
     TAKES_OVERRIDE("solver.tolerance=%")},
    {"--absolute-tolerance", 0, "T", "done also when ||r|| <= T (0)",
     TAKES_OVERRIDE("solver.absolute_tolerance=%")},
    {"--solution", 0, "FILE",
     "write x: .npy for NumPy, .mtx for Matrix Market, .txt with a number a line",
     TAKES_WITH(take_output, "output.solution=@")},
    COMMON_OPTIONS};

static const struct command_option eigs_options[] = {
    {"--count", 'k', "K", "how many eigenvalues, from each end that is asked for (10)",
     TAKES_OVERRIDE("eigen.count=%")},
    {"--which", 0, "END", "smallest, largest or both (smallest)", TAKES_OVERRIDE("eigen.which=@")},
    START_OPTION(
        "the first vector of the basis, a Matrix Market, .npy, PETSc or text file (random)"),
    {"--tolerance", 0, "T", "done when ||A v - theta v|| <= T |theta| for all of them (1e-10)",
     TAKES_OVERRIDE("eigen.tolerance=%")},
    {"--vectors", 0, "FILE", "write the eigenvectors: .npy, n x K, in each column one",
     TAKES_WITH(take_output, vectors_key)},
    COMMON_OPTIONS};

enum { DEFAULTS = 3 };

/* Defaults, before the overrides of the command line. */
static enum status add_defaults(struct solve_options *options, bool eigs, struct error *error)
{
    const char *matrix = options->request.matrix, *method = eigs ? "lanczos" : NULL;
    struct overrides *overrides = &options->overrides;
    struct settings_override defaults[DEFAULTS];
    struct csr shape = {0};
    int given = overrides->count;
    enum status status = eigs ? STATUS_OK : matrix_market_shape(matrix, &shape, error);
    if (shape.kind == CSR_SKEW)
        method = method_for(CSR_SKEW);
    if (!status)
        status = overrides_add(overrides, matrix_key, matrix, matrix, error);
    if (!status)
        status = overrides_add(overrides, kernel_key, default_kernel, matrix, error);
    if (!status && method)
        status = overrides_add(overrides, method_key, method, matrix, error);
    size_t added = (size_t)(overrides->count - given);
    memcpy(defaults, overrides->list + given, added * sizeof *defaults);
    memmove(overrides->list + added, overrides->list, (size_t)given * sizeof *defaults);
    memcpy(overrides->list, defaults, added * sizeof *defaults);
    return status;
}

static enum status run(const struct command *command, int argc, char *argv[], bool *good,
                       struct error *error)
{
    struct solve_options options = {.print_config = false};
    struct settings settings = {0};
    enum status status = overrides_begin(argc + DEFAULTS, &options.overrides, error);
    if (!status)
        status = command_parse(command, argc, argv, take_word, &options, error);
    if (!status && !options.request.matrix)
        status = error_set(error, STATUS_CONFIG, "%s wants a matrix (see cgsolve %s --help)",
                           command->name, command->name);
    if (!status)
        status = add_defaults(&options, command == &command_eigs, error);
    if (!status)
        status =
            settings_read(NULL, options.overrides.list, options.overrides.count, &settings, error);
    if (!status && options.print_config)
        settings_write(&settings, stdout);
    else if (!status)
        status = run_solve(&settings, &options.request, good, error);
    settings_free(&settings);
    overrides_free(&options.overrides);
    return status;
}

static enum status run_solve_command(int argc, char *argv[], bool *good, struct error *error)
{
    return run(&command_solve, argc, argv, good, error);
}

static enum status run_eigs_command(int argc, char *argv[], bool *good, struct error *error)
{
    return run(&command_eigs, argc, argv, good, error);
}

const struct command command_solve = {
    .name = "solve",
    .usage = {{"solve [options] A.mtx [KEY=VALUE...]", "solve A x = b"}},
    .about = "Solve A x = b once, with A from a file, and show the iterations, the "
             "true residual and the time. Nothing is written but what --solution names. KEY=VALUE "
             "sets any config key (solver.shift=1) but those of a study: repeats, vary, reference, "
             "trace and output; preconditioner.KEY is short for solver.preconditioner.KEY. Ctrl-C "
             "ends the solve "
             "with the x that it has.",
    .options = solve_options,
    .good = "the solve converged",
    .not_good = "the solve did not converge",
    .examples = {{"x for NumPy", "solve problems/plate.mtx.gz --solution x.npy"},
                 {"fewer iterations, each of them shown",
                  "solve problems/plate.mtx.gz --preconditioner jacobi --monitor"},
                 {"the config of a study that begins here",
                  "solve problems/plate.mtx.gz --print-config"}},
    .takes_ranks = true,
    .run = run_solve_command,
};

const struct command command_eigs = {
    .name = "eigs",
    .usage = {{"eigs [options] A.mtx [KEY=VALUE...]", "find eigenvalues of A"}},
    .about = "Find eigenvalues of a symmetric A from a file, at the ends of its "
             "spectrum, and show them with their residuals. Nothing is written but what --vectors "
             "names. KEY=VALUE sets any config key (eigen.restart=100) but those of a "
             "study: repeats, vary, reference, trace and output. Ctrl-C ends the search with the "
             "eigenvalues that it has.",
    .options = eigs_options,
    .good = "all eigenvalues were found",
    .not_good = "some eigenvalues were not found",
    .examples = {{"the largest eigenvalues, and their vectors for NumPy",
                  "eigs problems/plate.mtx.gz -k 5 --which largest --vectors v.npy"}},
    .takes_ranks = true,
    .run = run_eigs_command,
};
