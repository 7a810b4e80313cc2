#include "program/record/bench_csv.h"

#include "base/memory.h"
#include "io/csv.h"
#include "io/partial_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static const char head[] =
    "run,matrix,kernel,parameters,status,median_seconds,mean_seconds,setup_seconds,error_in_bounds,"
    "rows_unjudged,gflops,bytes_per_second,of_copy,memory_bytes,distinct,hash,products,operation,"
    "columns_of_x,precision,threads,in_turns,rows,columns,entries,kind,row_mean,row_deviation,row_"
    "variation,row_skewness,"
    "row_shortest,row_longest,rows_empty,rows_below_32,bandwidth,bandwidth_rcm,reason\n";

static const char *const statuses[] = {[BENCH_PASS] = "pass",
                                       [BENCH_FAIL] = "fail",
                                       [BENCH_SKIPPED] = "skipped",
                                       [BENCH_ERROR] = "error"};

enum { FIELD = 8400, LINE = 3 * FIELD };

static enum status keep(struct bench_csv *csv, const char *matrix, const char *kernel,
                        const char *parameters, enum bench_status status, double seconds,
                        struct error *error)
{
    enum status grown = memory_grow((void **)&csv->rows, &csv->rows_capacity, csv->rows_count + 1,
                                    sizeof *csv->rows, "the bench's rows", error);
    if (grown)
        return grown;
    struct bench_row *row = &csv->rows[csv->rows_count++];
    *row = (struct bench_row){.status = status, .median_seconds = seconds};
    row->matrix = memory_text(matrix, "a matrix's name", error);
    row->kernel = memory_text(kernel, "a kernel's label", error);
    row->parameters = memory_text(parameters, "a kernel's parameters", error);
    return row->matrix && row->kernel && row->parameters ? STATUS_OK : STATUS_MEMORY;
}

const struct bench_row *bench_csv_find(const struct bench_csv *csv, const char *matrix,
                                       const char *kernel, const char *parameters)
{
    for (int64_t k = csv->rows_count - 1; k >= 0; k--) {
        const struct bench_row *row = &csv->rows[k];
        if (!strcmp(row->matrix, matrix) &&
            (!*row->kernel ||
             (!strcmp(row->kernel, kernel) && !strcmp(row->parameters, parameters))))
            return row;
    }
    return NULL;
}

/* ---- what is there already ------------------------------------------------------------------- */

static enum status refuse(const struct bench_csv *csv, int64_t line, const char *what,
                          struct error *error)
{
    return error_set(error, STATUS_INPUT, "%s:%" PRId64 ": %s", csv->partial, line, what);
}

static enum status take_line(struct bench_csv *csv, int64_t line, const char *begin,
                             const char *end, struct error *error)
{
    char run[32], matrix[FIELD], kernel[600], parameters[600], status[16], seconds[64];
    if (!csv_take(&begin, end, run, sizeof run) || !csv_take(&begin, end, matrix, sizeof matrix) ||
        !csv_take(&begin, end, kernel, sizeof kernel) ||
        !csv_take(&begin, end, parameters, sizeof parameters) ||
        !csv_take(&begin, end, status, sizeof status) ||
        !csv_take(&begin, end, seconds, sizeof seconds))
        return refuse(csv, line, "not a row of a bench", error);
    if (strcmp(run, csv->run) != 0)
        return STATUS_OK;
    for (int k = BENCH_PASS; k <= BENCH_ERROR; k++)
        if (!strcmp(statuses[k], status))
            return keep(csv, matrix, kernel, parameters, (enum bench_status)k,
                        *seconds ? strtod(seconds, NULL) : NAN, error);
    return refuse(csv, line, "a status that no bench writes", error);
}

/* Why a file that begins otherwise is not gone on with. */
static const char *foreign(const char *text, int64_t length)
{
    static const char first[] = "run,matrix,kernel,parameters,status,";
    bool is_bench = length >= (int64_t)sizeof first && !memcmp(text, first, sizeof first - 1);
    return is_bench
               ? "the columns are those of another version of cgsolve, so no row can be added: "
                 "begin a new file"
               : "this is no file of a bench";
}

/* Every whole line; *length becomes where the last of them ends. */
static enum status take_lines(struct bench_csv *csv, const char *text, int64_t *length,
                              struct error *error)
{
    const char *at = text, *end = text + *length;
    enum status status = STATUS_OK;
    for (int64_t line = 1; !status && at < end; line++) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        if (!newline)
            break;
        if (line > 1)
            status = take_line(csv, line, at, newline, error);
        at = newline + 1;
    }
    *length = at - text;
    return status;
}

static enum status read_all(struct bench_csv *csv, char **text, int64_t *length,
                            struct error *error)
{
    struct stat info;
    if (fstat(csv->descriptor, &info) != 0)
        return error_set(error, STATUS_INPUT, "%s: cannot read: %s", csv->partial, strerror(errno));
    *length = 0;
    *text = memory_array(info.st_size + 1, 1, "the bench's file", error);
    if (!*text)
        return STATUS_MEMORY;
    while (*length < info.st_size) {
        ssize_t got = read(csv->descriptor, *text + *length, (size_t)(info.st_size - *length));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return error_set(error, STATUS_INPUT, "%s: cannot read: %s", csv->partial,
                             strerror(errno));
        *length += got;
    }
    return STATUS_OK;
}

static enum status write_on(struct bench_csv *csv, const char *text, size_t length,
                            struct error *error)
{
    enum status status =
        partial_write(csv->descriptor, csv->partial, text, (int64_t)length, csv->length, error);
    csv->length += status ? 0 : (int64_t)length;
    return status;
}

static enum status go_on(struct bench_csv *csv, struct error *error)
{
    char *text = NULL;
    int64_t length = 0;
    size_t beginning = sizeof head - 1;
    enum status status = read_all(csv, &text, &length, error);
    bool torn = !status && (size_t)length < beginning && !memcmp(text, head, (size_t)length);
    if (torn) /* killed in the first line, or new */
        length = 0;
    else if (!status && ((size_t)length < beginning || memcmp(text, head, beginning) != 0))
        status = refuse(csv, 1, foreign(text, length), error);
    else if (!status)
        status = take_lines(csv, text, &length, error);
    memory_free(text);
    if (!status && ftruncate(csv->descriptor, length) != 0)
        status =
            error_set(error, STATUS_OUTPUT, "%s: cannot write: %s", csv->partial, strerror(errno));
    csv->length = length;
    if (!status && length == 0)
        status = write_on(csv, head, beginning, error);
    csv->resumed = csv->rows_count;
    return status;
}

/* The file of either name, or a new one; *name is the one that it has. */
static int open_either(const struct bench_csv *csv, const char **name, bool *is_new)
{
    /* A symbolic link that somebody has set is not followed, and a pipe is not waited for. */
    const int flags = O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
    *is_new = false;
    *name = csv->path;
    int descriptor = open(*name, flags);
    if (descriptor >= 0 || errno != ENOENT)
        return descriptor;
    *name = csv->partial;
    descriptor = open(*name, flags);
    if (descriptor >= 0 || errno != ENOENT)
        return descriptor;
    *is_new = true;
    return open(*name, flags | O_CREAT | O_EXCL, 0666);
}

/* Keep other benches out of the file until the descriptor is closed. */
static enum status lock(const struct bench_csv *csv, const char *name, struct error *error)
{
    struct stat info;
    if (fstat(csv->descriptor, &info) != 0 || !S_ISREG(info.st_mode))
        return error_set(error, STATUS_INPUT, "%s: is not a file", name);
    if (flock(csv->descriptor, LOCK_EX | LOCK_NB) == 0)
        return STATUS_OK;
    return errno == EWOULDBLOCK
               ? error_set(error, STATUS_OUTPUT, "%s: another bench is at work on it", csv->path)
               : error_set(error, STATUS_OUTPUT, "%s: cannot be locked against other benches: %s",
                           csv->path, strerror(errno));
}

/* Open and lock the file. *name becomes NULL when another bench has given the files other names
 * meanwhile. */
static enum status open_locked(struct bench_csv *csv, const char **name, struct error *error)
{
    bool is_new;
    csv->descriptor = open_either(csv, name, &is_new);
    if (csv->descriptor < 0 && !(is_new && errno == EEXIST))
        return error_set(error, STATUS_OUTPUT, "%s: cannot write: %s", *name,
                         errno == ELOOP ? "it is a symbolic link" : strerror(errno));
    enum status status = csv->descriptor < 0 ? STATUS_OK : lock(csv, *name, error);
    if (status)
        return status;
    bool late = is_new && access(csv->path, F_OK) == 0;
    if (late && csv->descriptor >= 0)
        unlink(csv->partial);
    if (late || csv->descriptor < 0 || !partial_is_named(csv->descriptor, *name))
        *name = NULL;
    return STATUS_OK;
}

/* The file gets its working name, unless there is another one with it already. */
static enum status take_over(const struct bench_csv *csv, const char *name, struct error *error)
{
    const char *other = name == csv->path ? csv->partial : csv->path;
    if (access(other, F_OK) == 0)
        return error_set(error, STATUS_INPUT,
                         "both %s and %s exist: remove the one that the bench must not continue",
                         csv->path, csv->partial);
    if (name == csv->path && rename(csv->path, csv->partial) != 0)
        return error_set(error, STATUS_OUTPUT, "%s: cannot rename: %s", csv->path, strerror(errno));
    return STATUS_OK;
}

enum status bench_csv_open(const char *path, uint64_t run, struct bench_csv *csv,
                           struct error *error)
{
    *csv = (struct bench_csv){.descriptor = -1};
    snprintf(csv->run, sizeof csv->run, "%016" PRIx64, run);
    if (!path)
        return STATUS_OK;
    int64_t size = (int64_t)strlen(path) + 16;
    csv->path = memory_text(path, "a path", error);
    csv->partial = memory_array(size, 1, "a path", error);
    enum status status = csv->path && csv->partial ? STATUS_OK : STATUS_MEMORY;
    const char *name = NULL;
    if (!status)
        snprintf(csv->partial, (size_t)size, "%s.partial", path);
    while (!status && !name) {
        if (csv->descriptor >= 0)
            close(csv->descriptor);
        status = open_locked(csv, &name, error);
    }
    if (!status)
        status = take_over(csv, name, error);
    bool taken = !status && name == csv->path;
    if (!status)
        status = go_on(csv, error);
    if (status && taken) /* as it was */
        rename(csv->partial, csv->path);
    if (status)
        bench_csv_abandon(csv);
    return status;
}

/* ---- new rows -------------------------------------------------------------------------------- */

static enum status write_line(struct bench_csv *csv, const char *line, struct error *error)
{
    return csv->path ? write_on(csv, line, strlen(line), error) : STATUS_OK;
}

enum status bench_csv_result(struct bench_csv *csv, const struct bench_matrix *matrix,
                             const char *kernel, const char *parameters,
                             const struct product_result *result, struct error *error)
{
    char name[FIELD], label[600], options[600], reason[FIELD], line[LINE], measured[600];
    const struct csr_statistics *s = matrix->statistics;
    bool skipped = result->verdict == PRODUCT_SKIPPED;
    enum bench_status status = skipped                           ? BENCH_SKIPPED
                               : result->verdict == PRODUCT_PASS ? BENCH_PASS
                                                                 : BENCH_FAIL;
    double seconds = skipped ? NAN : result->median_seconds;
    double rate = (double)result->bytes / seconds;
    const char *operation = product_operations[result->operation];
    if (skipped)
        snprintf(measured, sizeof measured, ",,,,,,,,,,,,%s,%" PRId64 ",,,", operation,
                 result->columns);
    else
        snprintf(measured, sizeof measured,
                 "%.9g,%.9g,%.9g,%.6g,%" PRId64 ",%.6g,%.6g,%.6g,%" PRId64 ",%" PRId64
                 ",%016" PRIx64 ",%" PRId64 ",%s,%" PRId64 ",%s,%d,%s",
                 seconds, result->mean_seconds, result->setup_seconds, result->error.worst,
                 result->unjudged, 1e-9 * result->flops / seconds, rate, rate / result->copy_rate,
                 result->memory_bytes, result->distinct, result->hash, result->products, operation,
                 result->columns, kernel_precisions[result->precision], result->threads,
                 result->alone ? "no" : "yes");
    snprintf(line, sizeof line,
             "%s,%s,%s,%s,%s,%s,%" PRId64 ",%" PRId64 ",%" PRId64 ",%s,%.6g,%.6g,%.6g,%.6g,%" PRId64
             ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%s\n",
             csv->run, csv_quote(matrix->name, name, sizeof name),
             csv_quote(kernel, label, sizeof label), csv_quote(parameters, options, sizeof options),
             statuses[status], measured, s->n, s->width, s->entries, matrix->kind, s->mean,
             s->deviation, s->variation, s->skewness, s->shortest, s->longest, s->empty,
             s->below_warp, s->bandwidth, s->rcm_bandwidth,
             csv_quote(result->reason, reason, sizeof reason));
    enum status written = write_line(csv, line, error);
    return written ? written : keep(csv, matrix->name, kernel, parameters, status, seconds, error);
}

enum status bench_csv_matrix(struct bench_csv *csv, const char *name, enum bench_status status,
                             const char *reason, struct error *error)
{
    char quoted[FIELD], why[FIELD], line[LINE];
    snprintf(line, sizeof line, "%s,%s,,,%s,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,%s\n", csv->run,
             csv_quote(name, quoted, sizeof quoted), statuses[status],
             csv_quote(reason, why, sizeof why));
    enum status written = write_line(csv, line, error);
    return written ? written : keep(csv, name, "", "", status, NAN, error);
}

/* The lock is held until the file has its name. */
enum status bench_csv_finish(struct bench_csv *csv, struct error *error)
{
    enum status status = STATUS_OK;
    if (csv->path) {
        status = partial_finish(csv->descriptor, csv->partial, csv->path, error);
        csv->descriptor = -1;
        if (!status)
            directory_flush(csv->path);
    }
    bench_csv_abandon(csv);
    return status;
}

void bench_csv_abandon(struct bench_csv *csv)
{
    for (int64_t k = 0; k < csv->rows_count; k++) {
        memory_free(csv->rows[k].matrix);
        memory_free(csv->rows[k].kernel);
        memory_free(csv->rows[k].parameters);
    }
    if (csv->path && csv->descriptor >= 0)
        close(csv->descriptor);
    memory_free(csv->rows);
    memory_free(csv->path);
    memory_free(csv->partial);
    *csv = (struct bench_csv){0};
}
