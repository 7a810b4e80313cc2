#include "program/command/options_solve.h"

#include "problem/problem.h"
#include "solver/method.h"

#include <string.h>

enum {
    QUIET = COMMAND_OWN,
    MONITOR,
    PRINT_CONFIG,
    SOLUTION,
    VECTORS,
    PROBLEM,
    RHS,
    START,
    KERNEL,
    METHOD,
    PRECONDITIONER,
    TOLERANCE,
    ABSOLUTE_TOLERANCE,
    EIGEN_TOLERANCE,
    MAX_ITERATIONS,
    THREADS,
    COUNT,
    WHICH
};

static const char default_kernel[] = "cpu_sym_bitwise";

/* What both commands take. */
#define START_OPTION(says)                                                                         \
    {                                                                                              \
        "--start", 0, "FILE", START, says                                                          \
    }
#define COMMON_OPTIONS                                                                             \
    {"--kernel", 0, "NAME", KERNEL,                                                                \
     "the kernel that multiplies by A (cpu_sym_bitwise; see cgsolve --list-kernels)"},             \
        {"--max-iterations", 0, "N", MAX_ITERATIONS, "the iteration limit (10000)"},               \
        {"--threads", 0, "N", THREADS, "use N threads (0: as the size of A asks for)"},            \
        {"--monitor", 0, NULL, MONITOR,                                                            \
         "print a line for each iteration: its number and the relative residual, with all "        \
         "digits"},                                                                                \
        {"--print-config", 0, NULL, PRINT_CONFIG,                                                  \
         "print the config that says the same, and solve nothing"},                                \
        {"--quiet", 0, NULL, QUIET,                                                                \
         "show nothing but what --monitor asks for; a line on the standard error says why the "    \
         "exit status is 1"},                                                                      \
        COMMAND_OPTION_HELP,                                                                       \
    {                                                                                              \
        0                                                                                          \
    }

const struct command_option solve_options_table[] = {
    {"--rhs", 0, "FILE", RHS, "b, a Matrix Market, .npy or text file (ones)"},
    START_OPTION("x_0, a Matrix Market, .npy or text file (0)"),
    {"--method", 0, "NAME", METHOD,
     "the method (cg; skew for a skew-symmetric A; see cgsolve --help solver)"},
    {"--preconditioner", 0, "NAME", PRECONDITIONER,
     "the preconditioner (none; see cgsolve --help preconditioner)"},
    {"--tolerance", 0, "T", TOLERANCE, "done when ||r|| <= T ||b|| (1e-8)"},
    {"--absolute-tolerance", 0, "T", ABSOLUTE_TOLERANCE, "done also when ||r|| <= T (0)"},
    {"--solution", 0, "FILE", SOLUTION,
     "write x: .npy for NumPy, .mtx for Matrix Market, .txt with a number a line"},
    COMMON_OPTIONS};

const struct command_option eigs_options_table[] = {
    {"--count", 'k', "K", COUNT, "how many eigenvalues, from each end that is asked for (10)"},
    {"--which", 0, "END", WHICH, "smallest, largest or both (smallest)"},
    START_OPTION("the first vector of the basis, a Matrix Market, .npy or text file (random)"),
    {"--tolerance", 0, "T", EIGEN_TOLERANCE,
     "done when ||A v - theta v|| <= T |theta| for all of them (1e-10)"},
    {"--vectors", 0, "FILE", VECTORS, "write the eigenvectors: .npy, n x K, in each column one"},
    COMMON_OPTIONS};

/* The override that an option means; a KEY=VALUE is one. */
static void put_override(int option, const char *value, FILE *stream)
{
    static const struct {
        const char *before, *behind; /* behind: of a value that is a text */
    } keys[] = {
        [SOLUTION] = {"output.solution=", ""},
        [VECTORS] = {"eigen.vectors=true", NULL},
        [PROBLEM] = {"problem={type=\"" PROBLEM_OF_FILES "\";path=", ";}"},
        [RHS] = {"rhs={type=\"file\";path=", ";}"},
        [START] = {"solver.start={type=\"file\";path=", ";}"},
        [KERNEL] = {"kernels=(", ")"},
        [METHOD] = {"solver.method=", ""},
        [PRECONDITIONER] = {"solver.preconditioner.type=", ""},
        [TOLERANCE] = {"solver.tolerance=", NULL},
        [ABSOLUTE_TOLERANCE] = {"solver.absolute_tolerance=", NULL},
        [EIGEN_TOLERANCE] = {"eigen.tolerance=", NULL},
        [MAX_ITERATIONS] = {"solver.max_iterations=", NULL},
        [THREADS] = {"threads=", NULL},
        [COUNT] = {"eigen.count=", NULL},
        [WHICH] = {"eigen.which=", ""},
    };
    static const char group[] = "preconditioner.";
    if (option == COMMAND_WORD) {
        bool is_short = strncmp(value, group, strlen(group)) == 0;
        fprintf(stream, "%s%s", is_short ? "solver." : "", value);
        return;
    }
    fputs(keys[option].before, stream);
    if (!keys[option].behind) {
        fputs(value, stream);
        return;
    }
    settings_write_text(value, strlen(value), stream);
    fputs(keys[option].behind, stream);
}

static enum status add(struct solve_options *options, int option, const char *value,
                       const char *place, struct error *error)
{
    return overrides_add(&options->overrides, put_override, option, value, place, error);
}

static enum status take_matrix(void *into, int code, const char *word, const char *value,
                               struct error *error)
{
    struct solve_options *options = into;
    (void)word;
    (void)error;
    if (code == COMMAND_WORD && !options->request.matrix)
        options->request.matrix = value;
    return STATUS_OK;
}

/* A word behind the matrix. What a study alone can do is refused, because nothing would come of
 * it. */
static enum status take_key(struct solve_options *options, const char *word, struct error *error)
{
    static const char *const of_studies[] = {"output", "reference", "trace",
                                             "bench",  "vary",      "repeats"};
    const char *matrix = options->request.matrix;
    if (word == matrix)
        return STATUS_OK;
    if (!strchr(word, '='))
        return error_set(error, STATUS_CONFIG, "%s %s: one matrix is taken, and then KEY=VALUE",
                         matrix, word);
    for (size_t k = 0; k < sizeof of_studies / sizeof *of_studies; k++) {
        size_t length = strlen(of_studies[k]);
        if (strncmp(word, of_studies[k], length) == 0 && strchr(" .=", word[length]))
            return error_set(error, STATUS_CONFIG,
                             "%s: is for a study, whose config --print-config begins", word);
    }
    return add(options, COMMAND_WORD, word, word, error);
}

/* "npy" of "x.npy", where that is the end of the name of such a file; NULL: it is none. */
static const char *format_of(const char *path)
{
    const char *dot = strrchr(path, '.');
    for (int format = SOLUTION_NONE + 1; dot && solution_formats[format]; format++)
        if (strcmp(dot + 1, solution_formats[format]) == 0)
            return dot + 1;
    return NULL;
}

static enum status take_output(struct solve_options *options, int code, const char *path,
                               const char *word, struct error *error)
{
    const char *format = format_of(path);
    options->request.output = path;
    if (code == VECTORS && (!format || strcmp(format, solution_formats[SOLUTION_NPY]) != 0))
        return error_set(error, STATUS_CONFIG, "--vectors %s: the name must end with .npy", path);
    if (!format)
        return error_set(error, STATUS_CONFIG,
                         "--solution %s: the name must end with .npy, .mtx or .txt", path);
    return add(options, code, code == VECTORS ? "" : format, word, error);
}

static enum status take(void *into, int code, const char *word, const char *value,
                        struct error *error)
{
    struct solve_options *options = into;
    switch (code) {
    case COMMAND_WORD:
        return take_key(options, value, error);
    case QUIET:
        options->request.quiet = true;
        return STATUS_OK;
    case MONITOR:
        options->request.monitor = true;
        return STATUS_OK;
    case PRINT_CONFIG:
        options->print_config = true;
        return STATUS_OK;
    case SOLUTION:
    case VECTORS:
        return take_output(options, code, value, word, error);
    default:
        return add(options, code, value, word, error);
    }
}

/* What holds unless the command line says something else. */
static enum status add_defaults(struct solve_options *options, bool eigs, struct error *error)
{
    const char *matrix = options->request.matrix;
    const char *method = eigs ? "lanczos" : NULL;
    struct csr shape = {0};
    enum status status = eigs ? STATUS_OK : matrix_market_shape(matrix, &shape, error);
    if (shape.kind == CSR_SKEW)
        method = method_for(CSR_SKEW);
    if (!status)
        status = add(options, PROBLEM, matrix, matrix, error);
    if (!status)
        status = add(options, KERNEL, default_kernel, matrix, error);
    return status || !method ? status : add(options, METHOD, method, matrix, error);
}

enum status solve_options_parse(const struct command *command, int argc, char *const argv[],
                                struct solve_options *options, struct error *error)
{
    enum { DEFAULTS = 3 };
    *options = (struct solve_options){0};
    enum status status = overrides_begin(argc + DEFAULTS, &options->overrides, error);
    if (!status)
        status = command_parse(command, argc, argv, take_matrix, options, error);
    if (!status && !options->request.matrix)
        status = error_set(error, STATUS_CONFIG, "%s wants a matrix (see cgsolve %s --help)",
                           command->name, command->name);
    if (!status)
        status = add_defaults(options, command == &command_eigs, error);
    return status ? status : command_parse(command, argc, argv, take, options, error);
}

void solve_options_free(struct solve_options *options)
{
    overrides_free(&options->overrides);
    *options = (struct solve_options){0};
}
