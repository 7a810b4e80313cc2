/* `cgsolve bench --certificate`: counts the rows of a product whose bits no order of additions can
 * change. */
#include "program/command/run_bench.h"

#include "base/memory.h"
#include "base/random.h"
#include "program/config/system.h"
#include "program/terminal/bench_print.h"
#include "program/terminal/layout.h"
#include "program/terminal/terminal.h"
#include "study/certificate.h"

#include <inttypes.h>
#include <stdio.h>

enum { NAMES = -33, NUMBERS = 21, VECTORS = 2 };

/* The multiplied vector, and its result. */
struct column {
    char head[48];
    struct certificate certificate;
    int64_t
        first; /* row that is not certified, from 1, as the problem numbers it; 0: there is none */
};

static enum status certify(const struct linear_system *system, const double *x,
                           struct column *column, struct error *error)
{
    int64_t n = system->A.n;
    unsigned char *verdicts = memory_array(n, sizeof *verdicts, "the verdicts", error);
    enum status status =
        verdicts ? certificate_make(&system->A, x, verdicts, &column->certificate, error)
                 : STATUS_MEMORY;
    column->first = 0;
    for (int64_t i = 0; i < n && !status && column->first == 0; i++)
        if (verdicts[system->number ? system->number[i] : i] != ROW_CERTIFIED)
            column->first = i + 1;
    memory_free(verdicts);
    return status;
}

/* With b, where there is one, and with the x that the bench multiplies by. */
static enum status certify_all(const char *rhs, int64_t seed, const struct linear_system *system,
                               struct column columns[VECTORS], int *count, struct error *error)
{
    int64_t width = system->A.width;
    double *x = memory_array(width, sizeof *x, "x", error);
    enum status status = x ? STATUS_OK : STATUS_MEMORY;
    struct column *column = columns;
    if (!status && system->b) {
        snprintf(column->head, sizeof column->head, "b: %s%s", rhs,
                 system->columns > 1 ? ", column 0" : "");
        status = certify(system, system->b, column++, error);
    }
    if (!status) {
        random_vector(seed, width, x);
        snprintf(column->head, sizeof column->head, "random, seed %" PRId64, seed);
        status = certify(system, x, column++, error);
    }
    memory_free(x);
    *count = (int)(column - columns);
    return status;
}

/* A line of the table: a number of rows for each column, and with `all` its share of them. */
static void print_counts(const char *name, const int64_t *counts, int count, int64_t all)
{
    printf("%*s", NAMES, name);
    for (int k = 0; k < count; k++) {
        char text[64];
        int length = snprintf(text, sizeof text, "%" PRId64, counts[k]);
        if (all > 0)
            snprintf(text + length, sizeof text - (size_t)length, " (%.4g %%)",
                     100.0 * (double)counts[k] / (double)all);
        printf("  %*s", NUMBERS, text);
    }
    printf("\n");
}

static void print_table(const struct csr *A, const struct column *columns, int count)
{
    static const char *const names[] = {
        [ROW_CERTIFIED] = "certified",
        [ROW_NOT_FINITE] = "  not: x is not finite",
        [ROW_PRODUCT_ROUNDS] = "  not: a product rounds",
        [ROW_SUM_CAN_ROUND] = "  not: the sum can round",
    };
    int64_t counts[VECTORS];
    bool all_certified = true;
    printf("%*s", NAMES, "y = A x, x =");
    for (int k = 0; k < count; k++) {
        printf("  %*s", NUMBERS, columns[k].head);
        counts[k] = A->n;
        all_certified = all_certified && columns[k].first == 0;
    }
    printf("\n");
    print_counts("rows", counts, count, 0);
    for (int verdict = 0; verdict < ROW_VERDICTS; verdict++) {
        for (int k = 0; k < count; k++)
            counts[k] = columns[k].certificate.rows[verdict];
        print_counts(names[verdict], counts, count, verdict == ROW_CERTIFIED ? A->n : 0);
    }
    for (int k = 0; k < count; k++)
        counts[k] = columns[k].first;
    if (!all_certified)
        print_counts("  the first of these (0: none)", counts, count, 0);
    for (int k = 0; k < count; k++)
        counts[k] =
            A->n - columns[k].certificate.rows[ROW_CERTIFIED] - columns[k].certificate.added_twice;
    if (A->kind != CSR_GENERAL)
        print_counts("rows that *_sym_atomic may change", counts, count, 0);
}

static void print_words(const struct csr *A, bool has_rhs)
{
    printf("\nIn a certified row no product and no sum rounds, in any order: every kernel\n"
           "in double precision gives it the same bits, also with atomics (except\n"
           "cusparse_half, which halves the diagonal). The bits of another row may depend\n"
           "on the order, or may not.\n");
    if (A->kind != CSR_GENERAL)
        printf("The last line does not count rows with at most one entry left of the diagonal:\n"
               "*_sym_atomic adds at most two numbers there, and these have one sum.\n");
    if (has_rhs)
        printf("Conjugate gradients without a preconditioner multiply by b first.\n");
}

enum status run_certificate(const struct problem_settings *problem, double shift, int64_t seed,
                            bool quiet, struct error *error)
{
    const char *path = problem_file(&problem->matrix, NULL);
    if (path && bench_is_directory(path))
        return error_set(error, STATUS_CONFIG,
                         "--certificate is for one matrix, and %s is a directory", path);
    struct linear_system system;
    struct column columns[VECTORS];
    int count;
    enum status status = system_load_any(problem, shift, &system, error);
    if (status)
        return status;
    status = certify_all(problem->rhs.component->name, seed, &system, columns, &count, error);
    if (!status && !quiet) {
        struct layout layout;
        FILE *stream = layout_begin(&layout, stdout);
        fprintf(stream, "matrix    ");
        problem_describe(&problem->matrix, &system.file, stream);
        fprintf(stream, "\n          %" PRId64 " x %" PRId64 ", %" PRId64 " entries, %s\n\n",
                system.A.n, system.A.width, csr_nnz_full(&system.A), csr_kind_name(system.A.kind));
        layout_end(&layout);
    }
    if (!status)
        print_table(&system.A, columns, count);
    if (!status && !quiet)
        print_words(&system.A, system.b != NULL);
    system_free(&system);
    return status;
}
