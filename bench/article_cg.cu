/* The time of an iteration of conjugate gradients, kernel by kernel, beside the loop that a user of
 * cuSPARSE and cuBLAS writes, in three forms (bench/support/library_cg.h):
 *
 *     build/release-cuda/bench/article_cg DIRECTORY RUNS CONFIG...
 *
 * writes DIRECTORY/article-cg.md and .csv. Of each config the system, the solver's settings and the
 * list of CUDA kernels are taken. In each of RUNS rounds every kernel and every form of the
 * libraries' loop solve the system once, in turns. Told is the median of the time of a solve over
 * its iterations, from their first product on, as many products as iterations; and beside it what
 * comes before: memory, b, and the recording of graphs in each of cgsolve's solves; of the
 * libraries' graph its recording, which is done once. */
#include "base/memory.h"
#include "bench/support/bench.h"
#include "bench/support/library_cg.h"
#include "solver/solver.h"
#include "study/statistics.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct contest {
    struct bench_case *bench;
    struct library_cg library;
    int count; /* of contestants: the libraries' loops, then the kernels */
    int64_t runs;
    double *seconds;     /* an iteration; [count][runs] */
    int64_t *iterations; /* [count], of the last run */
    double *start;       /* [count], seconds before the first iteration, of the last run */
    double *x;           /* [n] */
};

static enum status create(struct contest *contest, struct error *error)
{
    struct bench_case *bench = contest->bench;
    contest->seconds =
        (double *)memory_array(contest->count * contest->runs, sizeof(double), "the times", error);
    contest->iterations =
        (int64_t *)memory_array(contest->count, sizeof(int64_t), "the iterations", error);
    contest->start = (double *)memory_zeros(contest->count, sizeof(double), "the times", error);
    contest->x = (double *)memory_array(bench->system.A.n, sizeof(double), "the solution", error);
    if (!contest->seconds || !contest->iterations || !contest->start || !contest->x)
        return STATUS_MEMORY;
    const struct solver_options *options = &bench->settings.solver.options;
    return library_cg_create(space_cuda_of(bench->space), &bench->system.A, bench->system.b,
                             options->tolerance, options->max_iterations, &contest->library, error);
}

static void destroy(struct contest *contest)
{
    library_cg_destroy(&contest->library);
    memory_free(contest->seconds);
    memory_free(contest->iterations);
    memory_free(contest->start);
    memory_free(contest->x);
}

/* Without a graph, its place among the contestants is empty. */
static bool takes_part(const struct contest *contest, int k)
{
    return k != LIBRARY_GRAPH || contest->library.graph;
}

static enum status solve(struct contest *contest, int k, double *seconds, struct error *error)
{
    const struct bench_case *bench = contest->bench;
    const struct linear_system *system = &bench->system;
    int64_t *iterations = &contest->iterations[k];
    if (k < LIBRARY_LOOPS) {
        contest->start[k] = k == LIBRARY_GRAPH ? contest->library.recording_seconds : 0;
        return library_cg_solve(&contest->library, (enum library_loop)k, iterations, seconds,
                                error);
    }
    struct solver_result result;
    enum status status =
        solver_solve(&bench->spmv[k - LIBRARY_LOOPS], &system->A, system->b, nullptr,
                     &bench->settings.solver.options, nullptr, contest->x, &result, error);
    *iterations = result.iterations;
    *seconds = result.seconds;
    contest->start[k] = result.start_seconds;
    return status;
}

static enum status solve_all(struct contest *contest, struct error *error)
{
    enum status status = STATUS_OK;
    for (int64_t r = 0; r < contest->runs && !status; r++)
        for (int k = 0; k < contest->count && !status; k++) {
            if (!takes_part(contest, k))
                continue;
            double seconds = 0;
            status = solve(contest, k, &seconds, error);
            if (!status && contest->iterations[k] == 0)
                status = error_set(error, STATUS_CONFIG, "%s: solved without an iteration",
                                   contest->bench->problem);
            if (!status)
                contest->seconds[k * contest->runs + r] = seconds / (double)contest->iterations[k];
        }
    return status;
}

/* On the page, and in the CSV. */
static const char *label_of(const struct contest *contest, int k, bool csv)
{
    static const char *const words[LIBRARY_LOOPS] = {"cuSPARSE and cuBLAS, scalars on the host",
                                                     "cuSPARSE and cuBLAS, scalars on the device",
                                                     "cuSPARSE and cuBLAS, one conditional graph"};
    static const char *const names[LIBRARY_LOOPS] = {"libraries", "libraries_device",
                                                     "libraries_graph"};
    return k >= LIBRARY_LOOPS ? contest->bench->settings.study.kernels[k - LIBRARY_LOOPS].label
           : csv              ? names[k]
                              : words[k];
}

static double seconds_of(const struct contest *contest, int k)
{
    return takes_part(contest, k) ? median(contest->seconds + k * contest->runs, contest->runs)
                                  : NAN;
}

static enum status report_row(const struct contest *contest, int k, struct bench_page *page,
                              struct error *error)
{
    double seconds = seconds_of(contest, k), start = contest->start[k];
    double times = seconds_of(contest, LIBRARY_HOST) / seconds;
    double times_graph = seconds_of(contest, LIBRARY_GRAPH) / seconds;
    char ratio[32] = "-", ratio_csv[32] = "";
    if (takes_part(contest, LIBRARY_GRAPH)) {
        snprintf(ratio, sizeof ratio, "%.2f", times_graph);
        snprintf(ratio_csv, sizeof ratio_csv, "%.6g", times_graph);
    }
    enum status status =
        text_file_line(&page->md, error, "| %s | %" PRId64 " | %.4f | %.2f | %s | %.2f |",
                       label_of(contest, k, false), contest->iterations[k], 1e3 * seconds, times,
                       ratio, 1e3 * start);
    if (!status)
        status = text_file_line(&page->csv, error, "\"%s\",%s,%" PRId64 ",%.6g,%.6g,%s,%.6g",
                                contest->bench->problem, label_of(contest, k, true),
                                contest->iterations[k], seconds, times, ratio_csv, start);
    return status;
}

/* What the libraries' loop with its scalars on the device chose, and why there is no graph. */
static enum status report_choices(const struct contest *contest, struct bench_page *page,
                                  struct error *error)
{
    const struct library_cg *library = &contest->library;
    enum status status =
        text_file_line(&page->md, error,
                       "\nWith scalars on the device the host reads ||r|| %s, and cuSPARSE reads "
                       "the 1 and the 0 of "
                       "q = 1 A p + 0 q from the %s: both the faster choice here.",
                       library->behind ? "one iteration behind" : "in every iteration",
                       library->product_by_address ? "device's memory" : "host's");
    if (!status && !library->graph)
        status =
            text_file_line(&page->md, error, "\nWithout the libraries' loop as one graph: %.500s.",
                           library->no_graph.text);
    return status;
}

static enum status report(struct contest *contest, struct bench_page *page, struct error *error)
{
    const struct bench_case *bench = contest->bench;
    enum status status =
        text_file_line(&page->md, error,
                       "\n## %s: n = %" PRId64 ", %" PRId64 " entries, ||r|| <= %g ||b||\n\n"
                       "Medians of %" PRId64 " solves.\n\n"
                       "| product | iterations | ms an iteration | times the libraries' loop | "
                       "times its graph | ms before the first |\n"
                       "|---|--:|--:|--:|--:|--:|",
                       bench->problem, bench->system.A.n, csr_nnz_full(&bench->system.A),
                       bench->settings.solver.options.tolerance, contest->runs);
    for (int k = 0; k < contest->count && !status; k++)
        if (takes_part(contest, k))
            status = report_row(contest, k, page, error);
    if (!status)
        status = report_choices(contest, page, error);
    return status ? status : text_file_flush(&page->md, error);
}

static enum status run(struct bench_case *bench, int64_t runs, struct bench_page *page,
                       struct error *error)
{
    struct contest contest = {};
    contest.bench = bench;
    contest.count = LIBRARY_LOOPS + bench->settings.study.kernels_count;
    contest.runs = runs;
    enum status status = bench_need_cuda(bench, error);
    if (!status)
        status = create(&contest, error);
    if (!status)
        status = solve_all(&contest, error);
    if (!status)
        status = report(&contest, page, error);
    destroy(&contest);
    return status;
}

int main(int argc, char *argv[])
{
    return bench_main(argc, argv, "article-cg", "The time of an iteration of conjugate gradients",
                      "problem,product,iterations,seconds_an_iteration,times_the_libraries,"
                      "times_the_graph,seconds_before_the_first",
                      run);
}
