/* The state of a solve between two iterations, saved and loaded. */
#include "base/hash.h"
#include "base/threads.h"
#include "matrix/implicit_rows.h"
#include "solver/krylov.h"
#include "space/archive.h"
#include "space/ranks/ranks.h"

#include <stdio.h>
#include <string.h>

/* More than any solve comes to, and so few that nothing which follows from them overflows. */
static const int64_t MOST_ITERATIONS = INT64_C(1) << 40;

static enum status expect_name(struct archive *archive, const char *what, const char *name,
                               struct error *error)
{
    char saved[64] = "";
    snprintf(saved, sizeof saved, "%s", name);
    enum status status = archive_bytes(archive, what, saved, sizeof saved, error);
    if (status || strncmp(saved, name, sizeof saved) == 0)
        return status;
    return error_set(error, STATUS_INPUT,
                     "the saved solve has the %s \"%.63s\", and this one \"%s\"", what, saved,
                     name);
}

static enum status expect_hash(struct archive *archive, const char *what, uint64_t hash,
                               struct error *error)
{
    uint64_t saved = hash;
    enum status status = archive_bytes(archive, what, &saved, sizeof saved, error);
    return status || saved == hash
               ? status
               : error_set(error, STATUS_INPUT, "the saved solve has another %s", what);
}

static enum status expect_real(const char *what, double value, struct archive *archive,
                               struct error *error)
{
    double saved = value;
    enum status status = archive_bytes(archive, what, &saved, sizeof saved, error);
    if (status || saved == value)
        return status;
    return error_set(error, STATUS_INPUT, "the saved solve has %s = %g, and this one %g", what,
                     saved, value);
}

/* Of the result, what counts. */
static enum status keep_counts(struct solver *solver, struct archive *archive, struct error *error)
{
    struct solver_result *result = &solver->result;
    int64_t reason = result->reason, ended = solver->ended;
    struct {
        const char *name;
        int64_t *count, most;
    } counts[] = {{"ended", &ended, 1},
                  {"reason", &reason, REASON_INTERRUPTED},
                  {"iterations", &result->iterations, MOST_ITERATIONS},
                  {"products", &result->products, MOST_ITERATIONS}};
    enum status status = STATUS_OK;
    for (size_t k = 0; k < sizeof counts / sizeof *counts && !status; k++)
        status = archive_count(archive, counts[k].name, counts[k].count, counts[k].most, error);
    if (status)
        return status;
    result->reason = (enum reason)reason;
    solver->ended = ended;
    return STATUS_OK;
}

/* And what else is there of it between two iterations. */
static enum status keep_result(struct solver *solver, struct archive *archive, struct error *error)
{
    struct solver_result *result = &solver->result;
    struct {
        const char *name;
        double *value;
    } values[] = {{"residual", &result->residual},
                  {"rhs_norm", &result->rhs_norm},
                  {"curvature", &result->curvature},
                  {"seconds", &result->seconds}};
    enum status status = keep_counts(solver, archive, error);
    for (size_t k = 0; k < sizeof values / sizeof *values && !status; k++)
        status = archive_bytes(archive, values[k].name, values[k].value, sizeof(double), error);
    return status;
}

/* b is only the start of a search for eigenvalues. */
static enum status expect_system(struct solver *solver, const struct csr *A, const double *b,
                                 struct archive *archive, struct error *error)
{
    struct threads *threads = solver->space->threads;
    struct threads *before = threads_lend(threads);
    int64_t entries;
    uint64_t hash;
    enum status status = csr_count_and_hash(A, &entries, &hash, error);
    if (!status)
        status = expect_hash(archive, "A", hash + (uint64_t)A->exponent, error);
    threads_lend(before);
    if (status || !solver_finds_vector(&solver->options))
        return status;
    return expect_hash(archive, "b", hash_vector(threads, b, solver->n), error);
}

/* What has to be the same. */
static enum status expect_same(struct solver *solver, const struct csr *A, const double *b,
                               struct archive *archive, struct error *error)
{
    enum { VERSION = 1 };
    const struct linear_operator *M = solver->options.preconditioner;
    enum status status = archive_expect(archive, "version", VERSION, error);
    if (!status)
        status = expect_name(archive, "method", solver->method->component.name, error);
    if (!status)
        status = archive_expect(archive, "n", solver->n, error);
    if (!status)
        status = expect_name(archive, "preconditioner", M ? M->name : "none", error);
    if (!status)
        status = expect_real("shift", solver->options.shift, archive, error);
    if (!status && solver->method->traits & METHOD_TAKES_RELAXATION)
        status = expect_real("relaxation", solver->options.relaxation, archive, error);
    return status ? status : expect_system(solver, A, b, archive, error);
}

/* That, what all methods keep, and what one does. */
static enum status keep(struct solver *solver, const struct csr *A, const double *b,
                        struct archive *archive, struct error *error)
{
    if (ranks_of(solver->space)) /* each has its own rows of b and of all vectors */
        return error_set(error, STATUS_UNAVAILABLE,
                         "a solve over several ranks is neither saved nor loaded");
    enum status status = expect_same(solver, A, b, archive, error);
    if (!status)
        status = keep_result(solver, archive, error);
    const struct method *method = solver->method;
    return status ? status : (method->keep ? method->keep : krylov_keep)(solver, archive, error);
}

enum status solver_save(struct solver *solver, const struct csr *A, const double *b,
                        struct archive *archive, struct error *error)
{
    bool ended;
    enum status status = solver_advance(solver, 0, &ended, error); /* row 0 has been shown */
    return status ? status : keep(solver, A, b, archive, error);
}

enum status solver_load(struct solver *solver, const struct csr *A, const double *b,
                        struct archive *archive, struct error *error)
{
    return keep(solver, A, b, archive, error);
}
