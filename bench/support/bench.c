#include "bench/support/bench.h"

#include "base/machine.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/threads.h"
#include "matrix/implicit_rows.h"
#include "program/terminal/terminal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static enum status check_spaces(const char *config, const struct settings *settings,
                                struct error *error)
{
    for (int k = 0; k < settings->study.kernels_count; k++) {
        const struct kernel_settings *kernel = &settings->study.kernels[k];
        if (kernel->kernel->space != settings->study.kernels[0].kernel->space)
            return error_set(error, STATUS_CONFIG,
                             "%s: the kernels %s and %s do not work in the same space", config,
                             settings->study.kernels[0].label, kernel->label);
        if (kernel->has_reductions || kernel->threads > 0)
            return error_set(error, STATUS_CONFIG,
                             "%s: the kernel %s has reductions or threads of its own, and one "
                             "space serves all",
                             config, kernel->label);
    }
    return STATUS_OK;
}

static enum status create_vectors(struct bench_case *bench, struct error *error)
{
    int64_t n = bench->system.A.n;
    double *x = memory_array(n, sizeof *x, "the vector x", error);
    enum status status = x ? STATUS_OK : STATUS_MEMORY;
    if (!status)
        status = space_vector(bench->space, n, "the vector x", &bench->x, error);
    if (!status)
        status = space_vector(bench->space, n, "the vector y", &bench->y, error);
    if (!status) {
        random_vector(1, n, x);
        status = space_upload(bench->space, n, x, bench->x, error);
    }
    memory_free(x);
    return status;
}

static enum status create_kernels(struct bench_case *bench, struct error *error)
{
    const struct settings *settings = &bench->settings;
    bench->spmv =
        memory_zeros(settings->study.kernels_count, sizeof *bench->spmv, "the kernels", error);
    enum status status = bench->spmv ? STATUS_OK : STATUS_MEMORY;
    for (int k = 0; k < settings->study.kernels_count && !status; k++) {
        const struct kernel_settings *kernel = &settings->study.kernels[k];
        status = operator_create(kernel->kernel, &bench->system.A, &kernel->options, bench->space,
                                 &bench->spmv[k], error);
    }
    return status;
}

char *bench_problem_text(const struct settings *settings, const struct linear_system *system,
                         struct error *error)
{
    size_t size;
    char *text = NULL, *copy = NULL;
    FILE *stream = open_memstream(&text, &size);
    if (stream) {
        problem_describe(&settings->problem.matrix, &system->file, stream);
        if (settings->problem.reorder != REORDER_NONE)
            fprintf(stream, ", reordered by %s", reorder_name(settings->problem.reorder));
        fclose(stream);
        copy = memory_text(text, "the problem's name", error);
    } else {
        error_set(error, STATUS_MEMORY, "out of memory: the problem's name");
    }
    free(text);
    return copy;
}

static enum status case_open(const char *config, const struct settings_override *overrides,
                             int overrides_count, struct bench_case *bench, struct error *error)
{
    *bench = (struct bench_case){0};
    struct settings *settings = &bench->settings;
    enum status status = settings_read(config, overrides, overrides_count, settings, error);
    if (!status)
        status = check_spaces(config, settings, error);
    if (!status)
        status = threads_begin((int)settings->study.threads, &bench->before, error);
    if (!status)
        status = system_load(&settings->problem, &settings->solver, &settings->study,
                             &bench->system, error);
    if (!status)
        status = csr_store(&bench->system.A, error);
    if (!status) {
        bench->problem = bench_problem_text(settings, &bench->system, error);
        status = bench->problem ? STATUS_OK : STATUS_MEMORY;
    }
    struct space_options options = {.reductions = settings->solver.reductions,
                                    .threads = (int)settings->study.threads};
    if (!status)
        status =
            space_create(settings->study.kernels[0].kernel->space, &options, &bench->space, error);
    if (!status)
        status = create_vectors(bench, error);
    return status ? status : create_kernels(bench, error);
}

static void case_close(struct bench_case *bench)
{
    for (int k = 0; bench->spmv && k < bench->settings.study.kernels_count; k++)
        operator_destroy(&bench->spmv[k]);
    memory_free(bench->spmv);
    if (bench->space) {
        space_release(bench->space, bench->x);
        space_release(bench->space, bench->y);
        bench->space->operations->destroy(bench->space);
    }
    memory_free(bench->problem);
    system_free(&bench->system);
    settings_free(&bench->settings);
    threads_end(bench->before);
    *bench = (struct bench_case){0};
}

/* The first line that nvidia-smi answers, or "unknown". */
static void ask_driver(const char *fields, char *text, int size)
{
    char command[256];
    snprintf(command, sizeof command,
             "nvidia-smi --id=0 --format=csv,noheader --query-gpu=%s 2>/dev/null", fields);
    snprintf(text, (size_t)size, "unknown");
    FILE *answer = popen(command, "r");
    char line[200];
    if (answer && fgets(line, sizeof line, answer)) {
        line[strcspn(line, "\r\n")] = '\0';
        snprintf(text, (size_t)size, "%s", line);
    }
    if (answer)
        pclose(answer);
}

void bench_clocks(char *text, int size)
{
    char answer[256];
    ask_driver("clocks.sm,clocks.mem", answer, sizeof answer);
    char *comma = strchr(answer, ',');
    if (comma) {
        *comma = '\0';
        snprintf(text, (size_t)size, "SM %s, memory%s", answer, comma + 1);
    } else {
        snprintf(text, (size_t)size, "%s", answer);
    }
}

/* Indented and quoted for a shell, in lines that can be read. */
static enum status page_command(struct text_file *md, int argc, char *argv[], int directory,
                                struct error *error)
{
    enum { WIDTH = 96 };
    char line[900] = "   ";
    int length = (int)strlen(line);
    enum status status = STATUS_OK;
    for (int k = 0; k < argc && !status; k++) {
        const char *text = k == directory ? "DIRECTORY" : argv[k];
        const char *quote = strpbrk(text, "()[]{}\"; ") ? "'" : "";
        int size = (int)(strlen(text) + 2 * strlen(quote)) + 1;
        if (k > 0 && length + size > WIDTH) {
            status = text_file_line(md, error, "%s \\", line);
            length = snprintf(line, sizeof line, "       ");
        }
        length +=
            snprintf(line + length, sizeof line - (size_t)length, " %s%s%s", quote, text, quote);
        if (!status && length >= (int)sizeof line)
            status = error_set(error, STATUS_CONFIG, "an argument is longer than %d bytes",
                               (int)sizeof line - 10);
    }
    return status ? status : text_file_line(md, error, "%s\n", line);
}

/* argv[directory] is shown as DIRECTORY. */
static enum status page_head(struct text_file *md, const char *title, int argc, char *argv[],
                             int directory, struct error *error)
{
    struct machine machine;
    machine_describe(&machine);
    char device[256], driver[256], date[32];
    space_describe_device(0, device, sizeof device);
    ask_driver("driver_version", driver, sizeof driver);
    time_t now = time(NULL);
    strftime(date, sizeof date, "%Y-%m-%d", localtime(&now));
    enum status status = text_file_line(md, error, "# %s\n", title);
    if (!status)
        status = page_command(md, argc, argv, directory, error);
    if (!status)
        status = text_file_line(md, error, "%s. %s; driver %s; %s, %d cores; %s.", date, device,
                                driver, machine.cpu, machine.cores, machine.compiler);
    return status;
}

static enum status page_begin(const char *name, const char *title, const char *columns, int argc,
                              char *argv[], int first, struct bench_page *page, struct error *error)
{
    const char *directory = argv[first];
    char file[128];
    *page = (struct bench_page){0};
    enum status status = directory_make(directory, error);
    if (status)
        return status;
    snprintf(file, sizeof file, "%s.md", name);
    status = text_file_begin(directory, file, &page->md, error);
    if (status)
        return status;
    snprintf(file, sizeof file, "%s.csv", name);
    status = text_file_begin(directory, file, &page->csv, error);
    if (!status)
        status = text_file_line(&page->csv, error, "%s", columns);
    return status ? status : page_head(&page->md, title, argc, argv, first, error);
}

static enum status page_finish(struct bench_page *page, struct error *error)
{
    enum status status = text_file_finish(&page->md, error);
    return status ? status : text_file_finish(&page->csv, error);
}

enum status bench_need_cuda(const struct bench_case *bench, struct error *error)
{
    const struct kernel_settings *first = &bench->settings.study.kernels[0];
    return first->kernel->space == SPACE_CUDA
               ? STATUS_OK
               : error_set(error, STATUS_CONFIG, "%s is not a CUDA kernel", first->label);
}

static enum status run_case(const char *config, const struct settings_override *overrides,
                            int overrides_count, int64_t runs, bench_run *run,
                            struct bench_page *page, struct error *error)
{
    struct bench_case bench;
    fprintf(stderr, "%s\n", config);
    enum status status = case_open(config, overrides, overrides_count, &bench, error);
    if (!status)
        status = run(&bench, runs, page, error);
    case_close(&bench);
    return status;
}

enum { OVERRIDES_MAX = 16 };

static enum status run_cases(int argc, char *argv[], int64_t runs, bench_run *run,
                             struct bench_page *page, struct error *error)
{
    struct settings_override overrides[OVERRIDES_MAX];
    int count = 0;
    enum status status = STATUS_OK;
    for (int k = 0; k < argc && !status; k++) {
        if (!strchr(argv[k], '=')) {
            status = run_case(argv[k], overrides, count, runs, run, page, error);
            count = 0;
        } else if (count < OVERRIDES_MAX) {
            overrides[count++] = (struct settings_override){.text = argv[k]};
        } else {
            status = error_set(error, STATUS_CONFIG, "more than %d KEY=VALUE", OVERRIDES_MAX);
        }
    }
    if (!status && count > 0)
        status = error_set(error, STATUS_CONFIG, "%s: no config follows", overrides[0].text);
    return status;
}

/* What was done until a failure stays under the name NAME.partial. */
static void page_abandon(struct bench_page *page)
{
    struct error ignored;
    if (page->md.path)
        text_file_flush(&page->md, &ignored);
    if (page->csv.path)
        text_file_flush(&page->csv, &ignored);
    text_file_abandon(&page->md);
    text_file_abandon(&page->csv);
}

int bench_main(int argc, char *argv[], const char *name, const char *title, const char *columns,
               bench_run *run)
{
    static const char page_option[] = "--page=", title_option[] = "--title=";
    int first = 1;
    for (; first < argc && !strncmp(argv[first], "--", 2); first++)
        if (!strncmp(argv[first], page_option, sizeof page_option - 1))
            name = argv[first] + sizeof page_option - 1;
        else if (!strncmp(argv[first], title_option, sizeof title_option - 1))
            title = argv[first] + sizeof title_option - 1;
        else
            argc = 0; /* to be told the usage */
    char *rest = NULL;
    int64_t runs = argc > first + 2 ? strtoll(argv[first + 1], &rest, 10) : 0;
    if (runs < 1 || *rest || !*name || strchr(name, '/')) {
        fprintf(stderr,
                "usage: %s [--page=NAME] [--title=TITLE] DIRECTORY RUNS [KEY=VALUE]... CONFIG...\n",
                argv[0]);
        return 2;
    }
    struct error error;
    struct bench_page page;
    enum status status = page_begin(name, title, columns, argc, argv, first, &page, &error);
    if (!status)
        status = run_cases(argc - first - 2, argv + first + 2, runs, run, &page, &error);
    if (!status)
        status = page_finish(&page, &error);
    if (!status)
        return 0;
    fprintf(stderr, "%s: %s\n", argv[0], error.text);
    page_abandon(&page);
    return 1;
}
