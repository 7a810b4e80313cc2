/* How fast, and with how much memory, are Matrix Market files read?
 *
 *     read_matrix_market make FILE EDGE [general|random]
 *         a 7-point stencil on EDGE^3 points, values of 17 random digits: 38 bytes an entry; both
 *         triangles, or the entries in random order
 *     read_matrix_market time FILE [REPEATS]
 *         seconds of each reading, their median, and MB/s; threads as OMP_NUM_THREADS says
 *     read_matrix_market memory FILE
 *         the peak of the anonymous memory of one reading as a multiple of the upper CSR; a process
 *         of its own, because a heap keeps for later what was freed */
#include "base/clock.h"
#include "base/threads.h"
#include "io/market/matrix_market.h"
#include "matrix/csr.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

/* --- making a file -----------------------------------------------------------------------------
 */

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    return *state ^= *state << 17;
}

/* The value of the pair {i, j}: the same for both triangles. */
static double pair_value(int64_t i, int64_t j)
{
    uint64_t state = (uint64_t)i * UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)j + 1;
    next_random(&state);
    double unit = (double)(next_random(&state) >> 11) * 0x1p-53;
    return i == j ? 6 + unit : -unit;
}

/* Column by column, and in a column from the top: the order of the SuiteSparse collection. */
static void write_column(FILE *file, int64_t edge, int64_t j, int general)
{
    int64_t steps[3] = {edge * edge, edge, 1};
    int64_t at[3] = {j / steps[0], j / edge % edge, j % edge};
    for (int d = 0; general && d < 3; d++)
        if (at[d] > 0)
            fprintf(file, "%" PRId64 " %" PRId64 " %.16e\n", j - steps[d] + 1, j + 1,
                    pair_value(j - steps[d], j));
    fprintf(file, "%" PRId64 " %" PRId64 " %.16e\n", j + 1, j + 1, pair_value(j, j));
    for (int d = 2; d >= 0; d--)
        if (at[d] < edge - 1)
            fprintf(file, "%" PRId64 " %" PRId64 " %.16e\n", j + steps[d] + 1, j + 1,
                    pair_value(j, j + steps[d]));
}

/* Visits the columns in a scrambled order: j -> j * odd mod n needs no table. */
static int64_t scrambled(int64_t j, int64_t n)
{
    int64_t factor = n / 3 * 2 + 1;
    for (int64_t a = factor, b = n;;) {
        int64_t rest = a % b;
        if (rest == 0) {
            if (b == 1)
                return j * factor % n;
            a = factor += 2;
            b = n;
        } else {
            a = b;
            b = rest;
        }
    }
}

static int make_file(const char *path, int64_t edge, const char *kind)
{
    int general = strcmp(kind, "general") == 0, random = strcmp(kind, "random") == 0;
    FILE *file = fopen(path, "w");
    if (!file) {
        perror(path);
        return EXIT_FAILURE;
    }
    int64_t n = edge * edge * edge, upper = n + 3 * edge * edge * (edge - 1);
    fprintf(file,
            "%%%%MatrixMarket matrix coordinate real %s\n%" PRId64 " %" PRId64 " %" PRId64 "\n",
            general ? "general" : "symmetric", n, n, general ? 2 * upper - n : upper);
    for (int64_t j = 0; j < n; j++)
        write_column(file, edge, random ? scrambled(j, n) : j, general);
    if (ferror(file) | fclose(file)) {
        perror(path);
        return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}

/* --- timing ------------------------------------------------------------------------------------
 */

static atomic_int watching;
static atomic_llong peak_anonymous; /* KiB */

static long long anonymous_now(void)
{
    char line[256];
    long long kib = 0;
    FILE *status = fopen("/proc/self/status", "r");
    while (status && fgets(line, sizeof line, status))
        if (sscanf(line, "RssAnon: %lld", &kib) == 1)
            break;
    if (status)
        fclose(status);
    return kib;
}

static void *watch(void *unused)
{
    (void)unused;
    while (atomic_load(&watching)) {
        long long now = anonymous_now();
        if (now > atomic_load(&peak_anonymous))
            atomic_store(&peak_anonymous, now);
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    }
    return NULL;
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* One reading beside a thread that samples the memory. */
static int print_memory(const char *path)
{
    struct csr A;
    struct error error;
    pthread_t watcher;
    long long before = anonymous_now();
    atomic_store(&watching, 1);
    if (pthread_create(&watcher, NULL, watch, NULL) != 0)
        return EXIT_FAILURE;
    enum status status = matrix_market_read(path, CSR_SYMMETRIC, 0, NULL, &A, NULL, &error);
    atomic_store(&watching, 0);
    pthread_join(watcher, NULL);
    if (status) {
        fprintf(stderr, "%s\n", error.text);
        return EXIT_FAILURE;
    }
    double peak = 1024.0 * (double)(atomic_load(&peak_anonymous) - before);
    printf("n %" PRId64 ", nnz %" PRId64 ", csr %.1f MB, peak anonymous memory %.1f MB, %.2f times "
           "the csr\n",
           A.n, A.nnz, 1e-6 * (double)csr_bytes(&A), 1e-6 * peak, peak / (double)csr_bytes(&A));
    csr_free(&A);
    return EXIT_SUCCESS;
}

static int time_file(const char *path, int repeats)
{
    double seconds[100];
    struct stat about;
    if (stat(path, &about) != 0) {
        perror(path);
        return EXIT_FAILURE;
    }
    for (int r = 0; r < repeats; r++) {
        struct csr A;
        struct error error;
        double start = clock_seconds();
        if (matrix_market_read(path, CSR_SYMMETRIC, 0, NULL, &A, NULL, &error)) {
            fprintf(stderr, "%s\n", error.text);
            return EXIT_FAILURE;
        }
        seconds[r] = clock_seconds() - start;
        printf("seconds %.4f\n", seconds[r]);
        csr_free(&A);
    }
    qsort(seconds, (size_t)repeats, sizeof seconds[0], compare_doubles);
    double median = (seconds[(repeats - 1) / 2] + seconds[repeats / 2]) / 2;
    printf("median %.4f s, %.1f MB/s, %d threads\n", median, 1e-6 * (double)about.st_size / median,
           threads_count(threads_lent()));
    return EXIT_SUCCESS;
}

static int run(int count, char **words)
{
    if (count >= 4 && strcmp(words[1], "make") == 0)
        return make_file(words[2], atoll(words[3]), count > 4 ? words[4] : "");
    if (count >= 3 && strcmp(words[1], "time") == 0) {
        int repeats = count > 3 ? atoi(words[3]) : 5;
        return time_file(words[2], repeats < 1 ? 1 : repeats > 100 ? 100 : repeats);
    }
    if (count == 3 && strcmp(words[1], "memory") == 0)
        return print_memory(words[2]);
    fprintf(stderr,
            "usage: %s make FILE EDGE [general|random] | time FILE [REPEATS] | memory FILE\n",
            words[0]);
    return EXIT_FAILURE;
}

int main(int count, char **words)
{
    struct threads *before;
    struct error error;
    if (threads_begin(0, &before, &error)) {
        fprintf(stderr, "%s\n", error.text);
        return EXIT_FAILURE;
    }
    int status = run(count, words);
    threads_end(before);
    return status;
}
