/* A table of what conjugate gradients do with every matrix of a directory, kernel by kernel:
 *
 *     build/release/bench/suitesparse DIRECTORY [REPEATS] > suitesparse.md
 *     build/release/bench/suitesparse DIRECTORY REPEATS preconditioners
 *
 * Every .mtx and .mtx.gz file is read; A x = b with b_i = 1 is solved from x = 0 to a relative
 * residual of 1e-8 in at most 20 n iterations, by every CPU kernel of this build, and with both
 * ways to compensate: first those that promise bitwise equality, then the others, which are slower,
 * unless n is above 5000 and the first have all run into the limit. A file that is not a symmetric
 * matrix, and a matrix that some kernel does not solve, gets its reason in a second table.
 *
 * With the word `preconditioners`: one kernel, without a preconditioner and with each of those that
 * need no key, for a random b: iterations, and the ms of the processor for set-up and solve, the
 * least sum of REPEATS rounds in which all take turns. The last column is what auto takes over the
 * least of the other preconditioners. Threads that wait count too: `taskset -c 0` takes one. */
#include "base/machine.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/threads.h"
#include "io/market/matrix_market.h"
#include "io/market/symmetry.h"
#include "solver/cg/cg.h"
#include "spmv/kernel.h"
#include "spmv/preconditioner.h"
#include "spmv/symmetric/scatter/compensate.h"
#include "study/study.h"

#include <dirent.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const double TOLERANCE = 1e-8;
enum { ITERATIONS_A_ROW = 20, LARGE = 5000, MOST = 20000 /* with preconditioners */ };

/* A matrix and what each kernel did with it. */
struct line {
    char *name;
    int64_t n, nnz;
    struct study_kernel *results; /* [kernels_count]; runs = NULL where it could not be tried */
    struct matrix_market_report report;
    struct error error; /* why it was not solved at all, or empty */
};

static struct study_entry kernels[64];
static int kernels_count;
static bool preconditioned;

static void add_kernel(const struct kernel *kernel)
{
    struct study_entry *entry = &kernels[kernels_count++];
    *entry = (struct study_entry){
        .kernel = kernel, .options = kernel_defaults(kernel), .label = kernel->component.name};
    if (strcmp(kernel->component.name, "cpu_sym_compensated") != 0)
        return;
    kernels[kernels_count] = *entry;
    entry = &kernels[kernels_count++];
    entry->label = "cpu_sym_compensated, all";
    for (int p = 0; p < kernel_parameter_count(kernel); p++)
        if (strcmp(kernel->component.parameters[p].name, "compensate") == 0)
            entry->options.values[p] = COMPENSATE_ALL;
}

static void choose_kernels(void)
{
    int count;
    const struct kernel *const *list = kernel_list(&count);
    for (int bitwise = 1; bitwise >= 0; bitwise--)
        for (int k = 0; k < count && kernels_count < 63; k++)
            if (list[k]->space == SPACE_CPU && (list[k]->kinds & CSR_SYMMETRIC) &&
                (list[k]->guarantee == GUARANTEE_BITWISE) == bitwise)
                add_kernel(list[k]);
}

/* False without memory. */
static bool choose_preconditioners(void)
{
    static const char *const names[] = {"none", "jacobi", "chebyshev", "fsai", "multigrid", "auto"};
    const struct kernel *kernel = kernel_find("cpu_sym_bitwise");
    struct error error;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        struct study_entry *entry = &kernels[kernels_count++];
        *entry = (struct study_entry){
            .kernel = kernel, .options = kernel_defaults(kernel), .label = names[k]};
        if (options_create(component_find(COMPONENT_PRECONDITIONER, names[k]),
                           &entry->preconditioner, &error))
            return false;
    }
    return true;
}

static int is_matrix(const struct dirent *entry)
{
    const char *name = entry->d_name;
    size_t length = strlen(name);
    return (length > 4 && strcmp(name + length - 4, ".mtx") == 0) ||
           (length > 7 && strcmp(name + length - 7, ".mtx.gz") == 0);
}

static const struct study_run *unconverged(const struct study_kernel *kernel)
{
    for (int64_t r = 0; r < kernel->runs_count; r++)
        if (kernel->runs[r].result.reason != REASON_CONVERGED)
            return &kernel->runs[r];
    return NULL;
}

/* Of all threads of the process. */
static double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double seconds_of(const struct study_kernel *kernel)
{
    return kernel->preconditioner_seconds + kernel->runs[0].result.seconds;
}

/* Set-up of the preconditioner and one solve, by the time of the processor: what else runs on the
 * machine counts less. It replaces a result that took longer. */
static enum status solve_once(const struct study_entry *entry, const struct study_system *system,
                              struct space *space, const struct solver_options *options, double *x,
                              struct study_kernel *result, struct error *error)
{
    struct linear_operator spmv, M = {0};
    struct solver_options with = *options;
    struct study_kernel made = {.runs_count = 1};
    struct study_run *run = made.runs = memory_zeros(1, sizeof *run, "a run", error);
    if (!run)
        return STATUS_MEMORY;
    enum status status =
        operator_create(entry->kernel, system->A, &entry->options, space, &spmv, error);
    bool is_set = preconditioner_is_set(&entry->preconditioner);
    double begin = processor_seconds();
    if (!status && is_set)
        status = preconditioner_create(&entry->preconditioner, system->A, NULL, &spmv, &M, error);
    double middle = processor_seconds();
    with.preconditioner = is_set ? &M : NULL;
    if (!status)
        status =
            solver_solve(&spmv, system->A, system->b, NULL, &with, NULL, x, &run->result, error);
    made.preconditioner_seconds = is_set ? middle - begin : 0;
    run->result.seconds = processor_seconds() - middle;
    made.iterations_min = made.iterations_max = run->result.iterations;
    memcpy(made.preconditioner_description, M.description, sizeof M.description);
    operator_destroy(&M);
    operator_destroy(&spmv);
    bool better = !status && (!result->runs || seconds_of(&made) < seconds_of(result));
    study_kernel_free(better ? result : &made);
    if (better)
        *result = made;
    return status;
}

/* All entries in turns. One that set-up refuses has no result. */
static enum status take_turns(const struct study_system *system, struct space *space,
                              const struct solver_options *options, int64_t rounds,
                              struct line *line)
{
    double *x = memory_array(system->A->n, sizeof *x, "x", &line->error);
    enum status status = x ? STATUS_OK : STATUS_MEMORY;
    for (int64_t k = 0; k < rounds * kernels_count && !status; k++) {
        struct error error;
        int of = (int)(k % kernels_count);
        status = solve_once(&kernels[of], system, space, options, x, &line->results[of], &error);
        if (status == STATUS_CONFIG)
            status = STATUS_OK;
        else if (status)
            line->error = error;
    }
    memory_free(x);
    return status;
}

static enum status solve(const struct csr *A, int64_t repeats, struct line *line)
{
    struct error *error = &line->error;
    struct space *space;
    enum status status = space_cpu_create(&(struct space_options){0}, &space, error);
    if (status)
        return status;
    double *b = memory_array(A->n, sizeof *b, "the right-hand side", error);
    if (!b)
        status = STATUS_MEMORY;
    if (b && preconditioned)
        random_vector(1, A->n, b);
    for (int64_t i = 0; b && !preconditioned && i < A->n; i++)
        b[i] = 1;
    struct study_system system = {.A = A, .b = b, .columns = 1};
    struct solver_options options = {
        .method = &method_cg, .tolerance = TOLERANCE, .max_iterations = ITERATIONS_A_ROW * A->n};
    if (preconditioned && options.max_iterations > MOST)
        options.max_iterations = MOST;
    if (!status && preconditioned)
        status = take_turns(&system, space, &options, repeats, line);
    bool hopeless = A->n > LARGE; /* until a kernel ends otherwise than by the limit */
    for (int k = 0; k < kernels_count && !status && !preconditioned; k++) {
        if (kernels[k].kernel->guarantee != GUARANTEE_BITWISE && hopeless)
            continue;
        status = study_kernel_run(&kernels[k], &system, space, &options, repeats, NULL,
                                  &line->results[k], error);
        if (!status && line->results[k].runs[0].result.reason != REASON_ITERATION_LIMIT)
            hopeless = false;
    }
    memory_free(b);
    space->operations->destroy(space);
    return status;
}

static enum status run_file(const char *directory, const char *name, int64_t repeats,
                            struct line *line)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    line->name = memory_text(name, "a name", &line->error);
    line->results = memory_zeros(kernels_count, sizeof *line->results, "the results", &line->error);
    if (!line->name || !line->results)
        return STATUS_MEMORY;
    struct csr A;
    enum status status = matrix_market_read(path, CSR_SYMMETRIC, ASYMMETRY_OF_ROUNDING, NULL, &A,
                                            &line->report, &line->error);
    if (status)
        return status;
    line->n = A.n;
    line->nnz = csr_nnz_full(&A);
    status = solve(&A, repeats, line);
    csr_free(&A);
    return status;
}

static int is_solved(const struct line *line)
{
    for (int k = 0; k < kernels_count; k++)
        if (!line->results[k].runs || unconverged(&line->results[k]))
            return 0;
    return 1;
}

/* iterations, the range over the repeats where it is one; in brackets with the reason's initials
 * where a run did not converge. */
static void print_cell(const struct study_kernel *kernel)
{
    if (!kernel->runs) {
        printf(" |");
        return;
    }
    printf(" %" PRId64, kernel->iterations_min);
    if (preconditioned)
        printf(": %.3g + %.3g", 1e3 * kernel->preconditioner_seconds,
               1e3 * kernel->runs[0].result.seconds);
    if (kernel->iterations_max != kernel->iterations_min)
        printf(" to %" PRId64, kernel->iterations_max);
    const struct study_run *failed = unconverged(kernel);
    if (failed)
        printf(" (%s)", reason_name(failed->result.reason));
    printf(" |");
}

/* The last entry over the best of the other preconditioners that converged. */
static void print_ratio(const struct line *line)
{
    const struct study_kernel *last = &line->results[kernels_count - 1];
    double least = INFINITY;
    for (int k = 1; k + 1 < kernels_count; k++)
        if (line->results[k].runs && !unconverged(&line->results[k]))
            least = fmin(least, seconds_of(&line->results[k]));
    if (last->runs && !unconverged(last) && isfinite(least))
        printf(" %.2f: %s |", seconds_of(last) / least, last->preconditioner_description);
    else
        printf(" |");
}

static void print_table(const struct line *lines, int count, int solved)
{
    printf("| matrix | n | nnz |");
    for (int k = 0; k < kernels_count; k++)
        printf(" %s |", kernels[k].label);
    printf("%s\n|---|--:|--:|", preconditioned ? " auto over the best |" : "");
    for (int k = 0; k < kernels_count; k++)
        printf("--:|");
    printf("%s\n", preconditioned ? "---|" : "");
    for (int l = 0; l < count; l++) {
        if (is_solved(&lines[l]) != solved || !lines[l].n)
            continue;
        printf("| %s | %" PRId64 " | %" PRId64 " |", lines[l].name, lines[l].n, lines[l].nnz);
        for (int k = 0; k < kernels_count; k++)
            print_cell(&lines[l].results[k]);
        if (preconditioned)
            print_ratio(&lines[l]);
        printf("\n");
    }
}

/* Files of nearly symmetric matrices, which were read as symmetric ones. */
static void print_averaged(const struct line *lines, int count)
{
    for (int l = 0; l < count; l++)
        if (lines[l].report.averaged_pairs > 0)
            printf("\n- %s: a general file with %" PRId64
                   " pairs that are not quite equal (asymmetry up to %.2g); their mean\n"
                   "  was taken",
                   lines[l].name, lines[l].report.averaged_pairs, lines[l].report.asymmetry);
}

static void print_page(const char *command, const struct line *lines, int count, int64_t repeats)
{
    struct machine machine;
    machine_describe(&machine);
    char date[32];
    time_t now = time(NULL);
    strftime(date, sizeof date, "%Y-%m-%d", localtime(&now));
    int solved = 0;
    for (int l = 0; l < count; l++)
        solved += is_solved(&lines[l]);
    if (preconditioned) {
        printf("`build/release/bench/%s DIRECTORY %" PRId64
               " preconditioners`, %s; %s, %d threads, %s.\n\n",
               command, repeats, date, machine.cpu, machine.threads, machine.compiler);
        print_table(lines, count, 1);
        print_table(lines, count, 0);
        return;
    }
    printf(
        "# Conjugate gradients on real matrices\n\n"
        "Made by `make bench-programs && build/release/bench/%s DIRECTORY %" PRId64
        "` on %s; %s, %d threads, %s.\n"
        "A x = b with b_i = 1 from x = 0 to ||b - A x|| <= 1e-8 ||b||, the true residual computed\n"
        "in twice the precision, in at most %d n iterations; no preconditioner; reproducible\n"
        "reductions. The numbers are iterations; a range is over the runs.\n\n"
        "## Solved by every kernel: %d of %d\n\n",
        command, repeats, date, machine.cpu, machine.threads, machine.compiler, ITERATIONS_A_ROW,
        solved, count);
    print_table(lines, count, 1);
    printf("\n## Not solved\n\n"
           "Iterations until the end, and what ended it: the iteration limit; a residual gap (the\n"
           "recursive residual passed, the true one did not); or stagnation (x no longer\n"
           "changes). Above n = 5000, what runs into the limit with every bitwise kernel is not "
           "tried with\n"
           "the others.\n\n");
    print_table(lines, count, 0);
    print_averaged(lines, count);
    for (int l = 0; l < count; l++)
        if (!lines[l].n)
            printf("\n- %s: %s", lines[l].name,
                   strrchr(lines[l].error.text, '/') ? strrchr(lines[l].error.text, '/') + 1
                                                     : lines[l].error.text);
    printf("\n");
}

int main(int argc, char *argv[])
{
    preconditioned = argc == 4 && strcmp(argv[3], "preconditioners") == 0;
    if (argc < 2 || argc > 3 + preconditioned) {
        fprintf(stderr, "usage: %s DIRECTORY [REPEATS [preconditioners]]\n", argv[0]);
        return 2;
    }
    int64_t repeats = argc >= 3 ? strtoll(argv[2], NULL, 10) : 1;
    struct dirent **entries;
    int count = scandir(argv[1], &entries, is_matrix, alphasort);
    if (count < 0 || repeats < 1) {
        fprintf(stderr, "%s: cannot read %s, or REPEATS is below 1\n", argv[0], argv[1]);
        return 2;
    }
    struct threads *before;
    struct error error;
    if (threads_begin(0, &before, &error)) {
        fprintf(stderr, "%s: %s\n", argv[0], error.text);
        return 4;
    }
    if (!preconditioned)
        choose_kernels();
    else if (!choose_preconditioners())
        return 4;
    struct line *lines = calloc((size_t)count + 1, sizeof *lines);
    for (int l = 0; lines && l < count; l++) {
        fprintf(stderr, "%d of %d: %s\n", l + 1, count, entries[l]->d_name);
        enum status status = run_file(argv[1], entries[l]->d_name, repeats, &lines[l]);
        if (status == STATUS_MEMORY) {
            fprintf(stderr, "%s: %s\n", argv[0], lines[l].error.text);
            return 4;
        }
    }
    print_page("suitesparse", lines, count, repeats);
    for (int l = 0; l < count; l++) {
        for (int k = 0; k < kernels_count; k++)
            study_kernel_free(&lines[l].results[k]);
        memory_free(lines[l].results);
        memory_free(lines[l].name);
        free(entries[l]);
    }
    for (int k = 0; k < kernels_count; k++)
        options_free(&kernels[k].preconditioner);
    free(lines);
    free(entries);
    threads_end(before);
    return 0;
}
