#include "program/command/run_bench.h"

#include "base/hash.h"
#include "base/machine.h"
#include "base/memory.h"
#include "base/near.h"
#include "base/parameter.h"
#include "base/text.h"
#include "base/threads.h"
#include "io/text_file.h"
#include "program/command/bench_files.h"
#include "program/command/bench_tune.h"
#include "program/command/run_certificate.h"
#include "program/config/system.h"
#include "program/record/bench_csv.h"
#include "program/terminal/bench_print.h"
#include "program/terminal/layout.h"
#include "program/terminal/terminal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { PARAMETERS = 512 };

struct running {
    const struct settings *settings;
    const struct bench_request *request;
    struct product_bench *bench;
    struct product_contestant
        *contestants; /* [kernels_count], and those that a matrix still lacks */
    struct product_result *results;
    char (*texts)[PARAMETERS];
    const char *
        *parameters; /* [kernels_count]: what tells it from others of its label in the CSV */
    char *path;      /* of the CSV, or NULL */
    struct bench_csv csv;
    struct table table;
    bool many; /* a directory */
    bool good;
};

/* ---- before the first matrix ----------------------------------------------------------------- */

/* "cpu_csr threads=2 form=auto": what a row of the CSV is of, whatever its label. */
static void parameters_text(const struct kernel_settings *entry, char text[PARAMETERS])
{
    const struct kernel *kernel = entry->kernel;
    char value[64];
    int length = snprintf(text, PARAMETERS, "%s", kernel->component.name);
    if (entry->threads > 0)
        length += snprintf(text + length, (size_t)(PARAMETERS - length), " threads=%" PRId64,
                           entry->threads);
    for (int p = 0; p < kernel_parameter_count(kernel) && length < PARAMETERS; p++)
        length += snprintf(text + length, (size_t)(PARAMETERS - length), " %s=%s",
                           kernel->component.parameters[p].name,
                           parameter_text(&kernel->component.parameters[p],
                                          &entry->options.values[p], value, sizeof value));
}

static uint64_t hash_text(uint64_t hash, const char *text)
{
    for (; *text; text++)
        hash = hash_word(hash, (unsigned char)*text);
    return hash_word(hash, 0);
}

/* Of how a file is taken; a made problem says all that it is in its name. */
static uint64_t hash_taken_as(uint64_t hash, const struct options *problem)
{
    static const double none = 0;
    size_t offset;
    const struct parameter *parameter;
    if (!options_file(problem, 0, NULL))
        return hash_doubles(hash, &none, 1);
    for (int k = 0; (parameter = component_parameter(problem->component, k, &offset)); k++)
        if (parameter->type == PARAMETER_REAL)
            hash = hash_doubles(hash, (const double *)((const char *)problem->values + offset), 1);
    return hash;
}

/* Of all that makes two rows comparable. */
static uint64_t run_hash(const struct settings *settings, const char *device)
{
    const struct bench_settings *bench = &settings->bench;
    struct machine machine;
    machine_describe(&machine);
    uint64_t hash = hash_text(hash_text(HASH_START, CGSOLVE_VERSION), machine.cpu);
    hash = hash_text(hash, device ? device : "");
    hash = hash_word(hash, (uint64_t)machine.threads);
    hash = hash_word(hash, (uint64_t)bench->rounds);
    hash = hash_word(hash, (uint64_t)bench->products);
    hash = hash_word(hash, bench->cold == SWITCH_ON);
    hash = hash_word(hash, (uint64_t)bench->seed);
    hash = hash_word(hash, (uint64_t)settings->reorder);
    hash = hash_taken_as(hash, &settings->problem);
    return hash_doubles(hash, &bench->seconds, 1);
}

static enum status check_baseline(const struct settings *settings, struct error *error)
{
    const char *baseline = settings->bench.baseline;
    struct near near;
    near_start(&near, baseline ? baseline : "");
    for (int k = 0; k < settings->kernels_count; k++) {
        if (!baseline || !strcmp(settings->kernels[k].label, baseline))
            return STATUS_OK;
        near_offer(&near, settings->kernels[k].label);
    }
    return error_set(error, STATUS_CONFIG, "the baseline \"%s\" is none of the kernels%s", baseline,
                     near_text(&near));
}

static enum status choose_path(struct running *running, struct error *error)
{
    const struct settings *settings = running->settings;
    char **path = &running->path;
    if (running->request->tune || (!settings->bench.csv && !running->many))
        return STATUS_OK;
    if (settings->bench.csv) {
        *path = memory_text(settings->bench.csv, "a path", error);
        return *path ? STATUS_OK : STATUS_MEMORY;
    }
    enum status status = directory_make(settings->output_directory, error);
    if (!status) {
        *path = path_join(settings->output_directory, "bench.csv", error);
        status = *path ? STATUS_OK : STATUS_MEMORY;
    }
    return status;
}

/* What the device is, when a kernel wants one; NULL else. */
static const char *device_of(const struct settings *settings)
{
    static char text[256];
    for (int k = 0; k < settings->kernels_count; k++)
        if (settings->kernels[k].kernel->space == SPACE_CUDA) {
            space_describe_device(text, sizeof text);
            return text;
        }
    return NULL;
}

static enum status begin(struct running *running, struct error *error)
{
    const struct settings *settings = running->settings;
    const struct bench_settings *bench = &settings->bench;
    int count = settings->kernels_count;
    struct product_rule rule = {bench->rounds,  bench->products,
                                bench->seconds, bench->cold == SWITCH_ON,
                                bench->seed,    PRODUCT_BUFFER_BYTES};
    running->contestants = memory_array(count, sizeof *running->contestants, "the kernels", error);
    running->results = memory_array(count, sizeof *running->results, "the results", error);
    running->texts = memory_array(count, sizeof *running->texts, "the parameters", error);
    running->parameters = memory_array(count, sizeof *running->parameters, "the parameters", error);
    if (!running->contestants || !running->results || !running->texts || !running->parameters)
        return STATUS_MEMORY;
    int label = (int)strlen("kernel");
    for (int k = 0; k < count; k++) {
        label = layout_wider(label, settings->kernels[k].label);
        parameters_text(&settings->kernels[k], running->texts[k]);
        running->parameters[k] = running->texts[k];
    }
    bench_table_begin(&running->table, stdout, label);
    enum status status = check_baseline(settings, error);
    if (!status)
        status = choose_path(running, error);
    const char *device = device_of(settings);
    if (!status)
        status = bench_csv_open(running->path, run_hash(settings, device), &running->csv, error);
    if (!status)
        status = product_bench_create(&rule, (int)settings->threads, &running->bench, error);
    if (!status && !running->request->quiet)
        bench_print_start(stdout, settings, device);
    return status;
}

static void end(struct running *running)
{
    product_bench_destroy(running->bench);
    bench_csv_abandon(&running->csv);
    memory_free(running->path);
    memory_free(running->contestants);
    memory_free(running->results);
    memory_free(running->texts);
    memory_free(running->parameters);
}

/* ---- one matrix ------------------------------------------------------------------------------ */

/* The kernels that have no row of this matrix yet; places[k] is whose place contestant k has. */
static int missing(struct running *running, const char *name, int *places)
{
    const struct settings *settings = running->settings;
    int count = 0;
    for (int k = 0; k < settings->kernels_count; k++) {
        const struct kernel_settings *entry = &settings->kernels[k];
        if (bench_csv_find(&running->csv, name, entry->label, running->parameters[k]))
            continue;
        places[count] = k;
        running->contestants[count++] = (struct product_contestant){
            entry->label, entry->kernel, entry->options, (int)entry->threads};
    }
    return count;
}

static enum status report(struct running *running, const struct bench_matrix *matrix,
                          const int *places, int count, struct error *error)
{
    enum status status = STATUS_OK;
    bool quiet = running->request->quiet;
    bench_print_progress(0, 0, NULL);
    if (!quiet && running->many)
        bench_print_matrix_line(stdout, matrix);
    else if (!quiet)
        table_print_head(&running->table, "kernel");
    for (int k = 0; k < count && !status; k++) {
        const struct product_result *result = &running->results[k];
        const char *label = running->contestants[k].label;
        if (quiet && result->verdict == PRODUCT_FAIL)
            printf("%s:\n", matrix->name);
        if (!quiet || result->verdict == PRODUCT_FAIL)
            bench_print_result(&running->table, label, result);
        running->good = running->good && result->verdict != PRODUCT_FAIL;
        status = bench_csv_result(&running->csv, matrix, label, running->parameters[places[k]],
                                  result, error);
    }
    if (!quiet && !running->many)
        bench_print_notes(&running->table, running->contestants, running->results, count);
    fflush(stdout);
    return status;
}

static enum status measure(struct running *running, const char *name, const struct csr *A,
                           const struct matrix_market_report *file, const int *places, int count,
                           struct error *error)
{
    struct csr_statistics statistics;
    struct bench_matrix matrix = {name, csr_kind_name(A->kind), &statistics};
    enum status status = csr_statistics(A, &statistics, error);
    if (status)
        return status;
    if (!running->request->quiet && !running->many)
        bench_print_matrix(stdout, &matrix, A, file);
    if (running->request->tune && !running->request->swept)
        return bench_tune(running->bench, A, running->settings, &running->good, error);
    status =
        product_bench_run(running->bench, A, running->contestants, count, running->results, error);
    if (!status)
        status = report(running, &matrix, places, count, error);
    if (!status && running->request->tune)
        status = bench_choose(running->settings, running->results, error);
    return status;
}

/* Why there is nothing to be learnt of a matrix, or NULL. */
static const char *trivial(const struct csr *A)
{
    return A->n == 1 ? "one row" : A->width == 1 ? "one column" : NULL;
}

/* A fault that the next matrix need not have. */
static bool is_of_the_matrix(enum status status)
{
    return status == STATUS_INPUT || status == STATUS_CONFIG || status == STATUS_MEMORY;
}

/* Of many: what a row without a kernel says, or the products. `status` is what loading it gave. */
static enum status one_of_many(struct running *running, const char *name, const struct csr *A,
                               const struct matrix_market_report *file, enum status status,
                               const int *places, int count, struct error *error)
{
    const char *reason = status ? NULL : trivial(A);
    if (!status && !reason)
        status = measure(running, name, A, file, places, count, error);
    if (!status && !reason)
        return STATUS_OK;
    if (status && !is_of_the_matrix(status))
        return status;
    reason = status ? error->text : reason;
    bench_print_progress(0, 0, NULL);
    if (!running->request->quiet)
        layout_print(stdout, "%s: %s: %s\n", name, status ? "error" : "skipped", reason);
    struct error why = {""};
    snprintf(why.text, sizeof why.text, "%s", reason);
    return bench_csv_matrix(&running->csv, name, status ? BENCH_ERROR : BENCH_SKIPPED, why.text,
                            error);
}

/* What is odd (base/text.h) stands as \x1b on a terminal and in a row, so two names stay two. */
static char *name_shown(const char *name, struct error *error)
{
    char *shown = memory_zeros(4 * (int64_t)strlen(name) + 1, 1, "a matrix's name", error);
    bool odd;
    for (char *to = shown; shown && *name;)
        for (int bytes = text_character(name, &odd); bytes > 0; bytes--, name++)
            to += sprintf(to, odd ? "\\x%02x" : "%c", (unsigned char)*name);
    return shown;
}

/* The problem of the settings, under that name. */
static enum status bench_one(struct running *running, const struct options *problem,
                             const char *given, struct error *error)
{
    char *name = name_shown(given, error);
    int *places =
        memory_array(running->settings->kernels_count, sizeof *places, "the kernels", error);
    if (!name || !places) {
        memory_free(name);
        memory_free(places);
        return STATUS_MEMORY;
    }
    int count = missing(running, name, places);
    enum status status = STATUS_OK;
    if (count > 0) {
        struct csr A;
        struct matrix_market_report file;
        status = system_load_matrix(problem, running->settings->reorder, &A, &file, error);
        if (running->many)
            status = one_of_many(running, name, &A, &file, status, places, count, error);
        else if (!status)
            status = measure(running, name, &A, &file, places, count, error);
        csr_free(&A);
    } else if (!running->many && !running->request->quiet) {
        printf("%s: the CSV has all its rows already\n", name);
    }
    memory_free(places);
    memory_free(name);
    return status;
}

/* ---- one or many ----------------------------------------------------------------------------- */

/* The path below the directory. */
static const char *below(const char *directory, const char *path)
{
    path += strlen(directory);
    return path + strspn(path, "/");
}

static enum status bench_directory(struct running *running, struct error *error)
{
    struct options problem;
    const char *key, *directory = options_file(&running->settings->problem, 0, &key);
    struct bench_files files = {0};
    enum status status = options_copy(&running->settings->problem, &problem, error);
    if (!status)
        status = bench_files_find(directory, &files, error);
    if (!status && files.count == 0)
        status = error_set(error, STATUS_INPUT, "%s: no .mtx or .mtx.gz file below it", directory);
    if (!status && !running->request->quiet) {
        if (running->csv.resumed > 0)
            printf("%" PRId64 " rows are in the CSV already\n\n", running->csv.resumed);
        table_print_head(&running->table, "kernel");
    }
    for (int64_t k = 0; k < files.count && !status; k++) {
        const char *name = below(directory, files.paths[k]);
        bench_print_progress(k, files.count, name);
        status = options_set(&problem, key, files.paths[k], error);
        if (!status)
            status = bench_one(running, &problem, name, error);
        bench_print_progress(k + 1, files.count, NULL);
    }
    if (!status)
        bench_print_summary(&running->table, &running->csv, running->settings, running->parameters);
    bench_files_free(&files);
    options_free(&problem);
    return status;
}

/* A made problem in words, a file by its path. */
static enum status bench_problem(struct running *running, struct error *error)
{
    const struct options *problem = &running->settings->problem;
    const char *path = options_file(problem, 0, NULL);
    struct matrix_market_report none = {0};
    char *text = NULL;
    size_t size = 0;
    if (path)
        return bench_one(running, problem, path, error);
    FILE *stream = open_memstream(&text, &size);
    if (stream)
        problem_describe(problem, &none, stream);
    enum status status =
        !stream || fclose(stream) != 0
            ? error_set(error, STATUS_MEMORY, "out of memory: the problem in words")
            : bench_one(running, problem, text, error);
    free(text);
    return status;
}

enum status run_bench(const struct settings *settings, const struct bench_request *request,
                      bool *good, struct error *error)
{
    if (request->certificate)
        return run_certificate(settings, request->quiet, error);
    struct running running = {.settings = settings, .request = request, .good = true};
    const char *path = options_file(&settings->problem, 0, NULL);
    running.many = path && bench_is_directory(path);
    if (running.many && request->tune)
        return error_set(error, STATUS_CONFIG, "--tune is for one matrix, and %s is a directory",
                         path);
    threads_openmp_use((int)settings->threads);
    enum status status = begin(&running, error);
    if (!status)
        status = running.many ? bench_directory(&running, error) : bench_problem(&running, error);
    /* rows of an earlier call count too */
    for (int64_t k = 0; k < running.csv.rows_count; k++)
        running.good = running.good && running.csv.rows[k].status != BENCH_FAIL;
    bool writes = running.path && running.csv.rows_count > running.csv.resumed;
    if (!status)
        status = bench_csv_finish(&running.csv, error);
    if (!status && writes && !request->quiet)
        terminal_print_written(running.path);
    end(&running);
    *good = running.good;
    return status;
}
