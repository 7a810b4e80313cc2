/* How much faster several right-hand sides are solved together than one after the other.
 *
 *     columns_solve DIRECTORY ROUNDS [KEY=VALUE]... CONFIG...
 *
 * Each kernel of the config solves for 1, 2, 4, ... 32 random right-hand sides, ROUNDS times in
 * turns. What counts is iterations a second, those of all columns added, over those of one. */
#include "base/memory.h"
#include "base/random.h"
#include "bench/support/bench.h"
#include "solver/solver.h"
#include "spmv/preconditioner.h"
#include "study/statistics.h"

#include <inttypes.h>

enum { MOST = 32, COUNTS = 6 };
static const int64_t counts[COUNTS] = {1, 2, 4, 8, 16, MOST};

/* The vectors of a case. */
struct columns_bench {
    struct bench_case *bench;
    int64_t rounds;
    double *B, *X;           /* [MOST][n] */
    double *seconds[COUNTS]; /* [rounds] an iteration of all columns */
    double *rates[COUNTS];   /* [rounds] iterations a second, of all columns */
    struct solver_result results[MOST];
};

static enum status create(struct columns_bench *of, struct error *error)
{
    int64_t n = of->bench->system.A.n;
    static const char *const what = "the right-hand sides";
    of->B = memory_array(MOST * n, sizeof *of->B, what, error);
    of->X = memory_array(MOST * n, sizeof *of->X, what, error);
    bool made = of->B && of->X;
    for (int c = 0; c < COUNTS; c++) {
        of->seconds[c] = memory_array(of->rounds, sizeof(double), what, error);
        of->rates[c] = memory_array(of->rounds, sizeof(double), what, error);
        made = made && of->seconds[c] && of->rates[c];
    }
    for (int64_t j = 0; made && j < MOST; j++)
        random_vector(1 + (uint64_t)j, n, of->B + j * n);
    return made ? STATUS_OK : STATUS_MEMORY;
}

static void destroy(struct columns_bench *of)
{
    memory_free(of->B);
    memory_free(of->X);
    for (int c = 0; c < COUNTS; c++) {
        memory_free(of->seconds[c]);
        memory_free(of->rates[c]);
    }
}

/* One solve with counts[c] columns. */
static enum status solve(struct columns_bench *of, int k, const struct linear_operator *M, int c,
                         int64_t round, struct error *error)
{
    struct bench_case *bench = of->bench;
    struct solver_options options = bench->settings.solver.options;
    options.preconditioner = M->table ? M : NULL;
    options.columns = SOLVER_COLUMNS_TOGETHER;
    int64_t iterations = 0, longest = 1;
    enum status status = solver_solve_columns(&bench->spmv[k], &bench->system.A, counts[c], of->B,
                                              NULL, &options, NULL, of->X, of->results, error);
    double seconds = of->results[0].seconds; /* those of all */
    for (int64_t j = 0; j < counts[c] && !status; j++) {
        int64_t own = of->results[j].iterations;
        iterations += own;
        longest = own > longest ? own : longest;
        solver_result_free(&of->results[j]);
    }
    of->seconds[c][round] = seconds / (double)longest;
    of->rates[c][round] = (double)iterations / seconds;
    return status;
}

static enum status tell(struct columns_bench *of, int k, struct bench_page *page,
                        struct error *error)
{
    const char *label = of->bench->settings.study.kernels[k].label;
    double one = 0;
    enum status status = STATUS_OK;
    for (int c = 0; c < COUNTS && !status; c++) {
        double seconds = median(of->seconds[c], of->rounds);
        double rate = median(of->rates[c], of->rounds);
        one = c == 0 ? rate : one;
        status = text_file_line(&page->md, error, "| %s | %" PRId64 " | %.4g | %.4g | %.2f |",
                                label, counts[c], 1e3 * seconds, rate, rate / one);
        if (!status)
            status = text_file_line(&page->csv, error, "\"%s\",%s,%" PRId64 ",%.17g,%.17g",
                                    of->bench->problem, label, counts[c], seconds, rate);
    }
    return status ? status : text_file_flush(&page->md, error);
}

static enum status run_kernel(struct columns_bench *of, int k, struct bench_page *page,
                              struct error *error)
{
    struct bench_case *bench = of->bench;
    const struct options *wanted = &bench->settings.solver.preconditioner;
    struct linear_operator M = {0};
    enum status status = STATUS_OK;
    if (preconditioner_is_set(wanted))
        status = preconditioner_create(wanted, &bench->system.A, NULL, &bench->spmv[k], &M, error);
    for (int64_t round = 0; round < of->rounds && !status; round++)
        for (int c = 0; c < COUNTS && !status; c++)
            status = solve(of, k, &M, c, round, error);
    operator_destroy(&M);
    return status ? status : tell(of, k, page, error);
}

static enum status run(struct bench_case *bench, int64_t rounds, struct bench_page *page,
                       struct error *error)
{
    struct columns_bench of = {.bench = bench, .rounds = rounds};
    enum status status = create(&of, error);
    if (!status)
        status = text_file_line(&page->md, error,
                                "\n## %s: n = %" PRId64 ", %" PRId64 " entries\n\n"
                                "| kernel | columns | ms an iteration of all | iterations a second "
                                "| over one column |\n|---|--:|--:|--:|--:|",
                                bench->problem, bench->system.A.n, csr_nnz_full(&bench->system.A));
    for (int k = 0; !status && k < bench->settings.study.kernels_count; k++)
        status = run_kernel(&of, k, page, error);
    destroy(&of);
    return status;
}

int main(int argc, char *argv[])
{
    return bench_main(argc, argv, "columns-solve", "Several right-hand sides solved together",
                      "problem,kernel,columns,seconds,iterations_per_second", run);
}
