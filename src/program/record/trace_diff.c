#include "program/record/trace_diff.h"

#include "base/hash.h"
#include "base/memory.h"
#include "base/text.h"
#include "program/record/trace_read.h"

#include <inttypes.h>
#include <string.h>

/* The two runs, and what was found. */
struct diff {
    struct trace_run runs[2];
    double *values[2]; /* [columns], where values were kept */
    int64_t compared;  /* vectors that both have */
    FILE *stream;
    char names[2][1024]; /* of the runs, as they are shown */
};

/* The record of the same vector; NULL: there is none. records[*at] is the first one that may be of
 * this iteration, and is moved on to it. */
static const struct trace_record *find_same(const struct trace_run *run, int64_t *at,
                                            const struct trace_record *wanted)
{
    while (*at < run->records_count && run->records[*at].iteration < wanted->iteration)
        ++*at;
    for (int64_t k = *at; k < run->records_count; k++) {
        const struct trace_record *record = &run->records[k];
        if (record->iteration != wanted->iteration)
            break;
        if (!strcmp(record->vector, wanted->vector))
            return record;
    }
    return NULL;
}

static enum status check_alike(const struct diff *diff, struct error *error)
{
    const struct trace_run *a = &diff->runs[0], *b = &diff->runs[1];
    if (a->keep != b->keep)
        return error_set(error, STATUS_INPUT, "%s has %s and %s has %s: these cannot be compared",
                         a->name, a->keep == TRACE_HASH ? "hashes" : "values", b->name,
                         b->keep == TRACE_HASH ? "hashes" : "values");
    int64_t lengths[2] = {a->values.columns, b->values.columns};
    if (a->keep == TRACE_HASH) {
        lengths[0] = a->records[0].count;
        lengths[1] = b->records[0].count;
    }
    if (lengths[0] == lengths[1])
        return STATUS_OK;
    return error_set(
        error, STATUS_INPUT,
        "%s and %s are of different problems: vectors of %" PRId64 " and %" PRId64 " %s", a->name,
        b->name, lengths[0], lengths[1], a->keep == TRACE_HASH ? "blocks" : "elements");
}

static void print_place(const struct diff *diff, const struct trace_record *record)
{
    fprintf(diff->stream, "iteration %" PRId64 ", %s: ", record->iteration, record->vector);
}

/* A vector by its hashes; *same = false with what differs. */
static enum status compare_hashes(const struct diff *diff, const struct trace_record *a,
                                  const struct trace_record *b, bool *same, struct error *error)
{
    if (a->count != b->count)
        return error_set(error, STATUS_INPUT,
                         "iteration %" PRId64 ": one of the traces is incomplete", a->iteration);
    const uint64_t *ha = diff->runs[0].hashes + a->begin, *hb = diff->runs[1].hashes + b->begin;
    int64_t first = -1, count = 0;
    for (int64_t k = 0; k < a->count; k++)
        if (ha[k] != hb[k]) {
            first = first < 0 ? k : first;
            count++;
        }
    *same = count == 0;
    if (*same)
        return STATUS_OK;
    print_place(diff, a);
    fprintf(diff->stream,
            "the bits differ first in block %" PRId64 ", which begins at element %" PRId64
            "; in %" PRId64 " of %" PRId64 " blocks\n"
            "    %016" PRIx64 "  %s\n    %016" PRIx64 "  %s\n",
            first, first * HASH_BLOCK, count, a->count, ha[first], diff->names[0], hb[first],
            diff->names[1]);
    return STATUS_OK;
}

/* A vector by its values. */
static enum status compare_values(const struct diff *diff, const struct trace_record *a,
                                  const struct trace_record *b, bool *same, struct error *error)
{
    int64_t n = diff->runs[0].values.columns, first = -1, count = 0;
    const double *va = diff->values[0], *vb = diff->values[1];
    enum status status = npy_read(&diff->runs[0].values, a->begin, diff->values[0], error);
    if (!status)
        status = npy_read(&diff->runs[1].values, b->begin, diff->values[1], error);
    if (status)
        return status;
    for (int64_t i = 0; i < n; i++)
        if (memcmp(&va[i], &vb[i], sizeof *va) != 0) {
            first = first < 0 ? i : first;
            count++;
        }
    *same = count == 0;
    if (*same)
        return STATUS_OK;
    print_place(diff, a);
    fprintf(diff->stream,
            "the bits differ first in element %" PRId64 "; in %" PRId64 " of %" PRId64 "\n"
            "    %a = %.17g  %s\n    %a = %.17g  %s\n",
            first, count, n, va[first], va[first], diff->names[0], vb[first], vb[first],
            diff->names[1]);
    return STATUS_OK;
}

/* Walk along both, in the order of the first, until something differs. */
static enum status compare_runs(struct diff *diff, bool *same, struct error *error)
{
    const struct trace_run *a = &diff->runs[0], *b = &diff->runs[1];
    enum status status = STATUS_OK;
    *same = true;
    for (int64_t i = 0, at = 0; i < a->records_count && *same && !status; i++) {
        const struct trace_record *ra = &a->records[i], *rb = find_same(b, &at, ra);
        if (!rb)
            continue;
        diff->compared++;
        status = a->keep == TRACE_HASH ? compare_hashes(diff, ra, rb, same, error)
                                       : compare_values(diff, ra, rb, same, error);
    }
    if (!status && diff->compared == 0)
        status = error_set(error, STATUS_INPUT,
                           "%s and %s have no vector of an iteration in common", a->name, b->name);
    return status;
}

static enum status compare(struct diff *diff, bool *same, struct error *error)
{
    enum status status = check_alike(diff, error);
    for (int k = 0; k < 2; k++)
        shown_text(diff->runs[k].name, diff->names[k], sizeof diff->names[k]);
    for (int k = 0; k < 2 && !status && diff->runs[0].keep == TRACE_VALUES; k++) {
        diff->values[k] = memory_array(diff->runs[0].values.columns, sizeof(double),
                                       "a vector of the trace", error);
        status = diff->values[k] ? STATUS_OK : STATUS_MEMORY;
    }
    if (!status)
        status = compare_runs(diff, same, error);
    if (!status && *same)
        fprintf(diff->stream,
                "%" PRId64 " vectors compared, no bit differs; the last are of the "
                "iterations %" PRId64 " and %" PRId64 "\n",
                diff->compared, diff->runs[0].records[diff->runs[0].records_count - 1].iteration,
                diff->runs[1].records[diff->runs[1].records_count - 1].iteration);
    return status;
}

enum status trace_diff(FILE *stream, const char *run_a, const char *run_b, bool *same,
                       struct error *error)
{
    struct diff diff = {.stream = stream};
    enum status status = trace_run_read(run_a, &diff.runs[0], error);
    if (!status)
        status = trace_run_read(run_b, &diff.runs[1], error);
    if (!status)
        status = compare(&diff, same, error);
    for (int k = 0; k < 2; k++) {
        trace_run_free(&diff.runs[k]);
        memory_free(diff.values[k]);
    }
    return status;
}
