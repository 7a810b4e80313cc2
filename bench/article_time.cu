/* The time of one product, kernel by kernel:
 *
 *     build/release-cuda/bench/article_time DIRECTORY RUNS CONFIG...
 *
 * writes DIRECTORY/article-time.md and .csv. Of each config the problem and the list of CUDA
 * kernels are taken. All kernels are set up side by side; RUNS times each makes one product, in
 * turns, each timed by events on its stream; so does a copy of a large vector, which shows what the
 * device's memory can do in the same minutes. Each product is made twice in a row and the second is
 * timed, so that the device does not wait for the host in between. Five rounds are not counted.
 * Medians are told. */
#include "base/memory.h"
#include "bench/support/bench.h"
#include "space/cuda/cuda.h"
#include "study/statistics.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum { WARM_UP = 5, COPY_BYTES = 1 << 30 };

struct timing {
    struct bench_case *bench;
    cudaEvent_t begin, end;
    void *from, *to; /* COPY_BYTES each */
    double *seconds; /* [kernels + 1][runs], the last row the copy's */
    int64_t runs;
};

static enum status create(struct timing *timing, struct error *error)
{
    enum status status = cuda_check(cudaEventCreate(&timing->begin), "an event", error);
    if (!status)
        status = cuda_check(cudaEventCreate(&timing->end), "an event", error);
    struct space_cuda *space = space_cuda_of(timing->bench->space);
    if (!status)
        status = cuda_array(space, COPY_BYTES, 1, "the vector to copy", &timing->from, error);
    if (!status)
        status = cuda_array(space, COPY_BYTES, 1, "the copy", &timing->to, error);
    if (!status) {
        timing->seconds =
            (double *)memory_array((timing->bench->settings.study.kernels_count + 1) * timing->runs,
                                   sizeof(double), "the times", error);
        status = timing->seconds ? STATUS_OK : STATUS_MEMORY;
    }
    return status;
}

static void destroy(struct timing *timing)
{
    if (timing->begin)
        cudaEventDestroy(timing->begin);
    if (timing->end)
        cudaEventDestroy(timing->end);
    cuda_free(space_cuda_of(timing->bench->space), timing->from);
    cuda_free(space_cuda_of(timing->bench->space), timing->to);
    memory_free(timing->seconds);
}

/* One product of kernel k, or the copy behind the last of them. */
static enum status work(struct timing *timing, int k, struct error *error)
{
    struct bench_case *bench = timing->bench;
    if (k < bench->settings.study.kernels_count)
        return operator_apply(&bench->spmv[k], bench->x, bench->y, error);
    return cuda_check(cudaMemcpyAsync(timing->to, timing->from, COPY_BYTES,
                                      cudaMemcpyDeviceToDevice,
                                      space_cuda_of(bench->space)->stream),
                      "a copy", error);
}

static enum status time_one(struct timing *timing, int k, double *seconds, struct error *error)
{
    cudaStream_t stream = space_cuda_of(timing->bench->space)->stream;
    float milliseconds = NAN;
    enum status status = work(timing, k, error);
    if (!status)
        status = cuda_check(cudaEventRecord(timing->begin, stream), "an event", error);
    if (!status)
        status = work(timing, k, error);
    if (!status)
        status = cuda_check(cudaEventRecord(timing->end, stream), "an event", error);
    if (!status)
        status = cuda_check(cudaEventSynchronize(timing->end), "a product", error);
    if (!status)
        status = cuda_check(cudaEventElapsedTime(&milliseconds, timing->begin, timing->end),
                            "a time", error);
    *seconds = 1e-3 * (double)milliseconds;
    return status;
}

static enum status time_all(struct timing *timing, struct error *error)
{
    int count = timing->bench->settings.study.kernels_count + 1;
    enum status status = STATUS_OK;
    double unused;
    for (int64_t r = -WARM_UP; r < timing->runs && !status; r++)
        for (int k = 0; k < count && !status; k++)
            status = time_one(timing, k, r < 0 ? &unused : &timing->seconds[k * timing->runs + r],
                              error);
    return status;
}

static constexpr double BUSY_SECONDS = 2; /* longer than nvidia-smi takes to start */

/* The clocks while the first kernel is at work, which takes `seconds`. */
static enum status clocks(struct timing *timing, double seconds, char *text, int size,
                          struct error *error)
{
    enum status status = STATUS_OK;
    int launches = (int)(BUSY_SECONDS / seconds);
    for (int k = 0; k < launches && !status; k++)
        status = work(timing, 0, error);
    bench_clocks(text, size);
    if (!status)
        status = cuda_check(cudaStreamSynchronize(space_cuda_of(timing->bench->space)->stream),
                            "the products", error);
    return status;
}

static enum status report(struct timing *timing, struct bench_page *page, struct error *error)
{
    const struct bench_case *bench = timing->bench;
    const struct settings *settings = &bench->settings;
    const struct csr *A = &bench->system.A;
    int count = settings->study.kernels_count;
    char clock_text[128];
    enum status status =
        clocks(timing, median(timing->seconds, timing->runs), clock_text, sizeof clock_text, error);
    double copy = median(timing->seconds + count * timing->runs, timing->runs);
    double copy_rate = 2.0 * (double)COPY_BYTES / copy;
    if (!status)
        status = text_file_line(
            &page->md, error,
            "\n## %s: n = %" PRId64 ", %" PRId64 " entries, %" PRId64 " in the upper triangle\n\n"
            "Medians of %" PRId64 " runs; clocks at work %s; a copy moves %.2f TB/s.\n\n"
            "| kernel | ms | GB/s | of the copy | times the first | set-up memory, GB |\n"
            "|---|--:|--:|--:|--:|--:|",
            bench->problem, A->n, csr_nnz_full(A), A->nnz, timing->runs, clock_text,
            1e-12 * copy_rate);
    double first = 0;
    for (int k = 0; k < count && !status; k++) {
        const struct linear_operator *spmv = &bench->spmv[k];
        double seconds = median(timing->seconds + k * timing->runs, timing->runs);
        double rate = (double)spmv->bytes_per_apply / seconds;
        double memory = (double)spmv->memory_bytes;
        first = k ? first : seconds;
        status = text_file_line(&page->md, error, "| %s | %.4f | %.0f | %.2f | %.2f | %.2f |",
                                settings->study.kernels[k].label, 1e3 * seconds, 1e-9 * rate,
                                rate / copy_rate, first / seconds, 1e-9 * memory);
        if (!status)
            status = text_file_line(&page->csv, error, "\"%s\",%s,%.6g,%.6g,%.6g,%.6g,%.2f",
                                    bench->problem, settings->study.kernels[k].label, seconds, rate,
                                    copy_rate, first / seconds, 1e-9 * memory);
    }
    if (!status)
        status = text_file_flush(&page->md, error);
    return status;
}

static enum status run(struct bench_case *bench, int64_t runs, struct bench_page *page,
                       struct error *error)
{
    struct timing timing = {};
    timing.bench = bench;
    timing.runs = runs;
    enum status status = bench_need_cuda(bench, error);
    if (!status)
        status = create(&timing, error);
    if (!status)
        status = time_all(&timing, error);
    if (!status)
        status = report(&timing, page, error);
    destroy(&timing);
    return status;
}

int main(int argc, char *argv[])
{
    return bench_main(argc, argv, "article-time", "The time of one product",
                      "problem,kernel,seconds,bytes_per_second,copy_bytes_per_second,"
                      "times_the_first,setup_gigabytes",
                      run);
}
