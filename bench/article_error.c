/* How wrong a product is, and how often it comes out otherwise, kernel by kernel:
 *
 *     build/release-cuda/bench/article_error DIRECTORY RUNS CONFIG...
 *
 * writes DIRECTORY/article-error.md and .csv. Of each config the problem and the list of kernels
 * are taken. Each kernel makes RUNS products y of the same x, into memory full of NaN; told are
 * ||y - y_ref|| / ||y_ref|| of each, where y_ref is A x in twice the precision of double
 * (solver/residual.h), and how many different y there were. */
#include "base/hash.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/threads.h"
#include "bench/support/bench.h"
#include "solver/residual.h"
#include "study/statistics.h"

#include <inttypes.h>
#include <math.h>

struct errors {
    struct bench_case *bench;
    struct compensated *reference; /* -A x */
    double *y, *differences;       /* [n] */
    double reference_norm;
    struct space *host; /* whose dot products are compensated */
    int64_t runs;
    double *error;  /* [runs], of one kernel */
    uint64_t *hash; /* [runs] */
};

/* ||differences||_2 */
static enum status norm(const struct errors *errors, double *result, struct error *error)
{
    const double *v = errors->differences;
    enum status status = space_dot(errors->host, errors->bench->system.A.n, v, v, result, error);
    *result = sqrt(*result);
    return status;
}

static enum status create(struct errors *errors, struct error *error)
{
    const struct csr *A = &errors->bench->system.A;
    errors->reference = memory_zeros(A->n, sizeof *errors->reference, "the reference", error);
    errors->y = memory_array(A->n, sizeof *errors->y, "the vector y", error);
    errors->differences = memory_array(A->n, sizeof *errors->y, "the differences", error);
    errors->error = memory_array(errors->runs, sizeof *errors->error, "the errors", error);
    errors->hash = memory_array(errors->runs, sizeof *errors->hash, "the hashes", error);
    if (!errors->reference || !errors->y || !errors->differences || !errors->error || !errors->hash)
        return STATUS_MEMORY;
    random_vector(1, A->n, errors->y); /* x, as in the space */
    residual_subtract_product(errors->bench->space->threads, A, errors->y, errors->reference);
    for (int64_t i = 0; i < A->n; i++)
        errors->differences[i] = errors->reference[i].sum;
    struct space_options options = {.reductions = REDUCTIONS_COMPENSATED,
                                    .threads = threads_count(errors->bench->space->threads)};
    enum status status = space_cpu_create(&options, &errors->host, error);
    return status ? status : norm(errors, &errors->reference_norm, error);
}

static void destroy(struct errors *errors)
{
    memory_free(errors->reference);
    memory_free(errors->y);
    memory_free(errors->differences);
    memory_free(errors->error);
    memory_free(errors->hash);
    if (errors->host)
        errors->host->operations->destroy(errors->host);
}

static enum status run_once(struct errors *errors, struct linear_operator *spmv, int64_t r,
                            struct error *error)
{
    struct bench_case *bench = errors->bench;
    int64_t n = spmv->n;
    enum status status = space_fill(bench->space, n, NAN, bench->y, error);
    if (!status)
        status = operator_apply(spmv, bench->x, bench->y, error);
    if (!status)
        status = space_download(bench->space, n, bench->y, errors->y, error);
    if (status)
        return status;
    for (int64_t i = 0; i < n; i++)
        errors->differences[i] =
            (errors->y[i] + errors->reference[i].sum) + errors->reference[i].error;
    errors->hash[r] = hash_vector(bench->space->threads, errors->y, n);
    status = norm(errors, &errors->error[r], error);
    errors->error[r] /= errors->reference_norm;
    return status;
}

static enum status run_kernel(struct errors *errors, int k, struct bench_page *page,
                              struct error *error)
{
    const struct bench_case *bench = errors->bench;
    const char *label = bench->settings.study.kernels[k].label;
    enum status status = STATUS_OK;
    for (int64_t r = 0; r < errors->runs && !status; r++) {
        status = run_once(errors, &bench->spmv[k], r, error);
        if (!status)
            status =
                text_file_line(&page->csv, error, "\"%s\",%s,%" PRId64 ",%.17g,%016" PRIx64,
                               bench->problem, label, r + 1, errors->error[r], errors->hash[r]);
    }
    if (status)
        return status;
    double middle = median(errors->error, errors->runs); /* which sorts them */
    status = text_file_line(&page->md, error,
                            "| %s | %.16e | %.16e | %.16e | %" PRId64 " of %" PRId64 " |", label,
                            errors->error[0], middle, errors->error[errors->runs - 1],
                            distinct_hashes(errors->hash, errors->runs), errors->runs);
    return status ? status : text_file_flush(&page->md, error);
}

static enum status run(struct bench_case *bench, int64_t runs, struct bench_page *page,
                       struct error *error)
{
    struct errors errors = {.bench = bench, .runs = runs};
    enum status status = create(&errors, error);
    if (!status)
        status = text_file_line(
            &page->md, error,
            "\n## %s: n = %" PRId64 ", %" PRId64 " entries\n\n"
            "| kernel | error, smallest | median | largest | different y |\n|---|--:|--:|--:|--:|",
            bench->problem, bench->system.A.n, csr_nnz_full(&bench->system.A));
    for (int k = 0; !status && k < bench->settings.study.kernels_count; k++)
        status = run_kernel(&errors, k, page, error);
    destroy(&errors);
    return status;
}

int main(int argc, char *argv[])
{
    return bench_main(argc, argv, "article-error",
                      "The error of a product, ||y - y_ref|| / ||y_ref||, x uniform in [-1, 1)",
                      "problem,kernel,run,error,hash", run);
}
