#include "program/command/run_bench.h"

#include "base/hash.h"
#include "base/machine.h"
#include "base/memory.h"
#include "base/processors.h"
#include "base/text.h"
#include "io/text_file.h"
#include "program/config/system.h"
#include "program/record/bench_csv.h"
#include "program/record/bench_entries.h"
#include "program/terminal/bench_print.h"
#include "program/terminal/layout.h"
#include "program/terminal/terminal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct running {
    const struct problem_settings *problem;
    const struct study_settings *study;
    const struct bench_settings *settings;
    const char *directory; /* of the output */
    const struct bench_request *request;
    struct product_bench *bench;
    struct bench_entry *entries;
    int count; /* of them, and of what each array has room for */
    /* Those that the matrix still lacks. */
    const struct bench_entry **lacking;
    struct product_contestant *contestants;
    struct product_result *results;
    char *path; /* of the CSV, or NULL */
    struct bench_csv csv;
    struct table table;
    bool many; /* a directory */
    bool good;
};

/* ---- before the first matrix ----------------------------------------------------------------- */

/* Options of reading a file. The name of a generated problem has all its options. */
static uint64_t hash_taken_as(uint64_t hash, const struct options *problem)
{
    static const double none = 0;
    size_t offset;
    const struct parameter *parameter;
    if (!problem_file(problem, NULL))
        return hash_doubles(hash, &none, 1);
    for (int k = 0; (parameter = component_parameter(problem->component, k, &offset)); k++)
        if (parameter->type == PARAMETER_REAL)
            hash = hash_doubles(hash, (const double *)((const char *)problem->values + offset), 1);
    return hash;
}

/* The hash of all that makes two rows comparable. */
static uint64_t run_hash(const struct problem_settings *problem, const struct bench_settings *bench,
                         const char *device)
{
    struct machine machine;
    machine_describe(&machine);
    uint64_t hash = hash_word(hash_text(HASH_START, CGSOLVE_VERSION), 0);
    hash = hash_word(hash_text(hash, machine.cpu), 0);
    hash = hash_word(hash_text(hash, device ? device : ""), 0);
    hash = hash_word(hash, (uint64_t)machine.threads);
    hash = hash_word(hash, (uint64_t)bench->operation);
    hash = hash_word(hash, (uint64_t)bench->rounds);
    hash = hash_word(hash, (uint64_t)bench->products);
    hash = hash_word(hash, bench->cold == SWITCH_ON);
    hash = hash_word(hash, (uint64_t)bench->seed);
    hash = hash_word(hash, (uint64_t)problem->reorder);
    hash = hash_word(hash, (uint64_t)problem->parts);
    hash = hash_taken_as(hash, &problem->matrix);
    return hash_doubles(hash, &bench->seconds, 1);
}

static enum status choose_path(struct running *running, struct error *error)
{
    const char *csv = running->settings->csv;
    char **path = &running->path;
    if (running->request->tune || (!csv && !running->many))
        return STATUS_OK;
    if (csv) {
        *path = memory_text(csv, "a path", error);
        return *path ? STATUS_OK : STATUS_MEMORY;
    }
    enum status status = directory_make(running->directory, error);
    if (!status) {
        *path = path_join(running->directory, "bench.csv", error);
        status = *path ? STATUS_OK : STATUS_MEMORY;
    }
    return status;
}

/* The device's description, if a kernel needs one; else NULL. */
static const char *device_of(const struct study_settings *study)
{
    static char text[256];
    if (!settings_use_cuda(study))
        return NULL;
    space_describe_device((int)study->devices[0], text, sizeof text);
    return text;
}

static enum status begin(struct running *running, struct error *error)
{
    const struct study_settings *study = running->study;
    const struct bench_settings *bench = running->settings;
    struct product_rule rule = {.operation = bench->operation,
                                .rounds = bench->rounds,
                                .products = bench->products,
                                .seconds = bench->seconds,
                                .cold = bench->cold == SWITCH_ON,
                                .device = (int)study->devices[0],
                                .seed = bench->seed,
                                .buffer_bytes = PRODUCT_BUFFER_BYTES};
    enum status status =
        bench_entries_create(study, bench, &running->entries, &running->count, error);
    if (status)
        return status;
    int count = running->count, label = (int)strlen("kernel");
    running->lacking = memory_array(count, sizeof *running->lacking, "the kernels", error);
    running->contestants = memory_array(count, sizeof *running->contestants, "the kernels", error);
    running->results = memory_array(count, sizeof *running->results, "the results", error);
    if (!running->lacking || !running->contestants || !running->results)
        return STATUS_MEMORY;
    for (int k = 0; k < count; k++)
        label = layout_wider(label, running->entries[k].label);
    bench_table_begin(&running->table, stdout, label, running->request->wide);
    status = choose_path(running, error);
    const char *device = device_of(study);
    if (!status)
        status = bench_csv_open(running->path, run_hash(running->problem, bench, device),
                                &running->csv, error);
    if (!status)
        status = product_bench_create(&rule, (int)study->threads, &running->bench, error);
    if (!status && !running->request->quiet)
        bench_print_start(stdout, bench, device);
    return status;
}

static void end(struct running *running)
{
    product_bench_destroy(running->bench);
    bench_csv_abandon(&running->csv);
    memory_free(running->path);
    memory_free(running->entries);
    memory_free(running->lacking);
    memory_free(running->contestants);
    memory_free(running->results);
}

/* ---- one matrix ------------------------------------------------------------------------------ */

/* The number of entries without a row of this matrix. */
static int find_lacking(struct running *running, const char *name)
{
    int count = 0;
    for (int k = 0; k < running->count; k++) {
        const struct bench_entry *entry = &running->entries[k];
        const struct kernel_settings *kernel = entry->kernel;
        if (bench_csv_find(&running->csv, name, entry->label, entry->parameters))
            continue;
        running->lacking[count] = entry;
        running->contestants[count++] =
            (struct product_contestant){entry->label,         kernel->kernel, kernel->options,
                                        (int)kernel->threads, entry->columns, entry->sampler};
    }
    return count;
}

/* The number of unavailable contestants, and the reason of the last one. 0 if each was requested by
 * name. */
/* Kernels that this build lacks: each once, also where several numbers of columns are measured. */
static int count_unavailable(const struct running *running, int count, const char **why)
{
    int found = 0;
    for (int k = 0; k < count && running->request->all; k++) {
        const char *reason = kernel_unavailable(running->contestants[k].kernel);
        found += reason && running->lacking[k]->columns == running->lacking[0]->columns;
        *why = reason ? reason : *why;
    }
    return found;
}

/* others: the share of the processors' time that other programs took. */
static enum status report(struct running *running, const struct bench_matrix *matrix, int count,
                          double others, struct error *error)
{
    enum status status = STATUS_OK;
    bool quiet = running->request->quiet;
    const char *why = NULL;
    int unavailable = count_unavailable(running, count, &why);
    bench_print_progress(0, 0, NULL);
    if (!quiet && running->many)
        bench_print_matrix_line(stdout, matrix);
    else if (!quiet)
        table_print_head(&running->table, "kernel");
    for (int k = 0; k < count && !status; k++) {
        const struct product_result *result = &running->results[k];
        const struct bench_entry *entry = running->lacking[k];
        if (quiet && result->verdict == PRODUCT_FAIL)
            printf("%s:\n", matrix->name);
        if (!quiet && !running->many && k > 0 && entry->columns != running->lacking[k - 1]->columns)
            printf("\n");
        bool in_one_line = unavailable > 0 && kernel_unavailable(running->contestants[k].kernel);
        if ((!quiet || result->verdict == PRODUCT_FAIL) && !in_one_line)
            bench_print_result(&running->table, entry->label, result);
        running->good = running->good && result->verdict != PRODUCT_FAIL;
        status =
            bench_csv_result(&running->csv, matrix, entry->label, entry->parameters, result, error);
    }
    if (!quiet && unavailable > 0)
        layout_print(stdout, "%d more kernel%s: %s\n", unavailable, text_plural(unavailable), why);
    if (!quiet && !running->many)
        bench_print_notes(&running->table, running->lacking, running->results, count, others);
    fflush(stdout);
    return status;
}

static enum status measure(struct running *running, const char *name, const struct csr *A,
                           const struct matrix_market_report *file, int count, struct error *error)
{
    struct csr_statistics statistics;
    struct bench_matrix matrix = {name, csr_kind_name(A->kind), &statistics};
    enum status status = csr_statistics(A, &statistics, error);
    if (status)
        return status;
    if (!running->request->quiet && !running->many)
        bench_print_matrix(stdout, &matrix, A, file);
    if (running->request->tune && !running->request->swept)
        return bench_tune(running->bench, A, running->entries, running->count, &running->good,
                          error);
    struct processor_time begun = processor_time_now(), ended;
    status =
        product_bench_run(running->bench, A, running->contestants, count, running->results, error);
    ended = processor_time_now();
    if (!status)
        status = report(running, &matrix, count, processor_time_of_others(&begun, &ended), error);
    if (!status && running->request->tune)
        status = bench_choose(running->entries, running->count, running->results, error);
    return status;
}

/* Why a matrix is trivial, or NULL. */
static const char *trivial(const struct csr *A)
{
    return A->n == 1 ? "one row" : A->width == 1 ? "one column" : NULL;
}

/* A fault of this matrix only. */
static bool is_of_the_matrix(enum status status)
{
    return status == STATUS_INPUT || status == STATUS_CONFIG || status == STATUS_MEMORY;
}

/* One of several matrices: its products, or a row without a kernel. `status`: of its loading. */
static enum status one_of_many(struct running *running, const char *name, const struct csr *A,
                               const struct matrix_market_report *file, enum status status,
                               int count, struct error *error)
{
    const char *reason = status ? NULL : trivial(A);
    if (!status && !reason)
        status = measure(running, name, A, file, count, error);
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

/* Odd characters (base/text.h) become \x1b on a terminal and in a row, so that names stay
 * different. */
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
static enum status bench_one(struct running *running, const struct problem_settings *problem,
                             const char *given, struct error *error)
{
    char *name = name_shown(given, error);
    if (!name)
        return STATUS_MEMORY;
    int count = find_lacking(running, name);
    enum status status = STATUS_OK;
    if (count > 0) {
        struct csr A;
        struct matrix_market_report file;
        status = system_load_matrix(problem, &A, &file, error);
        if (running->many)
            status = one_of_many(running, name, &A, &file, status, count, error);
        else if (!status)
            status = measure(running, name, &A, &file, count, error);
        csr_free(&A);
    } else if (!running->many && !running->request->quiet) {
        printf("%s: the CSV has all its rows already\n", name);
    }
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
    struct problem_settings problem = *running->problem;
    const char *key, *directory = problem_file(&problem.matrix, &key);
    struct bench_files files = {0};
    enum status status = options_copy(&running->problem->matrix, &problem.matrix, error);
    if (!status)
        status = bench_files_find(directory, &files, error);
    if (!status && files.count == 0)
        status =
            error_set(error, STATUS_INPUT, "%s: no .mtx file below it, packed or not", directory);
    if (!status && !running->request->quiet) {
        if (running->csv.resumed > 0)
            printf("%" PRId64 " rows are in the CSV already\n\n", running->csv.resumed);
        table_print_head(&running->table, "kernel");
    }
    for (int64_t k = 0; k < files.count && !status; k++) {
        const char *name = below(directory, files.paths[k]);
        bench_print_progress(k, files.count, name);
        status = options_set(&problem.matrix, key, files.paths[k], error);
        if (!status)
            status = bench_one(running, &problem, name, error);
        bench_print_progress(k + 1, files.count, NULL);
    }
    if (!status)
        bench_print_summary(&running->table, &running->csv, running->entries, running->count);
    bench_files_free(&files);
    options_free(&problem.matrix);
    return status;
}

/* A made problem in words, a file by its path. */
static enum status bench_problem(struct running *running, struct error *error)
{
    const struct problem_settings *problem = running->problem;
    const char *path = problem_file(&problem->matrix, NULL);
    struct matrix_market_report none = {0};
    char *text = NULL;
    size_t size = 0;
    if (path)
        return bench_one(running, problem, path, error);
    FILE *stream = open_memstream(&text, &size);
    if (stream)
        problem_describe(&problem->matrix, &none, stream);
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
        return run_certificate(&settings->problem, settings->solver.options.shift,
                               settings->bench.seed, request->quiet, error);
    if (settings->study.devices[1] >= 0)
        return error_set(error, STATUS_CONFIG, "devices: cgsolve bench measures on one device");
    struct running running = {.problem = &settings->problem,
                              .study = &settings->study,
                              .settings = &settings->bench,
                              .directory = settings->output.directory,
                              .request = request,
                              .good = true};
    const char *path = problem_file(&settings->problem.matrix, NULL);
    running.many = path && bench_is_directory(path);
    if (running.many && request->tune)
        return error_set(error, STATUS_CONFIG, "--tune is for one matrix, and %s is a directory",
                         path);
    if (settings->bench.operation == PRODUCT_SDDMM && request->tune)
        return error_set(error, STATUS_CONFIG, "--tune: sampled products have no parameters");
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
