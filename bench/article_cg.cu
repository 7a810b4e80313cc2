/* The time of an iteration of conjugate gradients, kernel by kernel, beside the loop that a user of
 * cuSPARSE and cuBLAS writes (bench/support/library_cg.h):
 *
 *     build/release-cuda/bench/article_cg DIRECTORY RUNS CONFIG...
 *
 * writes DIRECTORY/article-cg.md and .csv. Of each config the system, the solver's settings and the
 * list of CUDA kernels are taken. In each of RUNS rounds every kernel and the library's loop solve
 * the system once, in turns. Told is the median of the time of a solve over its iterations, and
 * beside it what a solve takes before: memory, b, and the recording of graphs, which the libraries'
 * loop has not. */
#include "base/memory.h"
#include "bench/support/bench.h"
#include "bench/support/library_cg.h"
#include "cgsolve/cg.h"
#include "study/statistics.h"

#include <inttypes.h>
#include <stdlib.h>

struct contest {
    struct bench_case *bench;
    struct library_cg library;
    int count; /* of contestants: the library's loop, then the kernels */
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
    return library_cg_create(space_cuda_of(bench->space), &bench->system.A, &contest->library,
                             error);
}

static void destroy(struct contest *contest)
{
    library_cg_destroy(&contest->library);
    memory_free(contest->seconds);
    memory_free(contest->iterations);
    memory_free(contest->start);
    memory_free(contest->x);
}

static enum status solve(struct contest *contest, int k, double *seconds, struct error *error)
{
    const struct bench_case *bench = contest->bench;
    const struct linear_system *system = &bench->system;
    const struct cg_options *options = &bench->settings.cg;
    int64_t *iterations = &contest->iterations[k];
    if (k == 0)
        return library_cg_solve(&contest->library, system->b, options->tolerance,
                                options->max_iterations, iterations, seconds, error);
    struct cg_result result;
    enum status status = cg_solve(&bench->spmv[k - 1], &system->A, system->b, options, nullptr,
                                  contest->x, &result, error);
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

static enum status report(struct contest *contest, struct bench_page *page, struct error *error)
{
    const struct bench_case *bench = contest->bench;
    enum status status =
        text_file_line(&page->md, error,
                       "\n## %s: n = %" PRId64 ", %" PRId64 " entries, ||r|| <= %g ||b||\n\n"
                       "Medians of %" PRId64 " solves.\n\n"
                       "| product | iterations | ms an iteration | times the libraries' loop | ms "
                       "before the first |\n"
                       "|---|--:|--:|--:|--:|",
                       bench->problem, bench->system.A.n, csr_nnz_full(&bench->system.A),
                       bench->settings.cg.tolerance, contest->runs);
    double library = 0;
    for (int k = 0; k < contest->count && !status; k++) {
        double seconds = median(contest->seconds + k * contest->runs, contest->runs);
        const char *label =
            k ? bench->settings.kernels[k - 1].label : "cuSPARSE and cuBLAS, scalars on the host";
        library = k ? library : seconds;
        status = text_file_line(&page->md, error, "| %s | %" PRId64 " | %.4f | %.2f | %.2f |",
                                label, contest->iterations[k], 1e3 * seconds, library / seconds,
                                1e3 * contest->start[k]);
        if (!status)
            status = text_file_line(&page->csv, error, "\"%s\",%s,%" PRId64 ",%.6g,%.6g,%.6g",
                                    bench->problem, k ? label : "libraries", contest->iterations[k],
                                    seconds, library / seconds, contest->start[k]);
    }
    return status ? status : text_file_flush(&page->md, error);
}

static enum status run(struct bench_case *bench, int64_t runs, struct bench_page *page,
                       struct error *error)
{
    struct contest contest = {};
    contest.bench = bench;
    contest.count = bench->settings.kernels_count + 1;
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
                      "seconds_before_the_first",
                      run);
}
