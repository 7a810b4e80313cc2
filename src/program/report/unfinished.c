#include "program/report/unfinished.h"

#include "base/memory.h"
#include "program/record/results.h"

#include <errno.h>
#include <stdbool.h>
#include <unistd.h>

/* Whether DIRECTORY/NAME is there, or may be. */
static bool has(const char *directory, const char *name, enum status *status, struct error *error)
{
    char *path = *status ? NULL : path_join(directory, name, error);
    bool exists = path && (access(path, F_OK) == 0 || errno != ENOENT);
    if (!path)
        *status = STATUS_MEMORY;
    memory_free(path);
    return exists;
}

enum status unfinished_check(const char *directory, struct error *error)
{
    enum status status = STATUS_OK;
    bool complete = has(directory, "summary.json", &status, error);
    bool moving = has(directory, RESULTS_UNFINISHED "/moving", &status, error);
    bool cut = has(directory, "history.csv.partial", &status, error);
    bool beside = has(directory, RESULTS_UNFINISHED, &status, error);
    bool kept = has(directory, RESULTS_UNFINISHED "/summary.json", &status, error);
    if (status || complete)
        return status;
    if (moving)
        return error_set(error, STATUS_INPUT,
                         "%s: the program was killed while the results of a complete study came "
                         "here: move the rest of them up from %s/" RESULTS_UNFINISHED,
                         directory, directory);
    if (kept)
        return error_set(
            error, STATUS_INPUT,
            "%s: holds no complete study; what one has left that was interrupted is in "
            "%s/" RESULTS_UNFINISHED,
            directory, directory);
    if (beside)
        return error_set(error, STATUS_INPUT,
                         "%s: holds no complete study, and the one in %s/" RESULTS_UNFINISHED
                         " goes on or was killed: it has no summary.json",
                         directory, directory);
    if (cut)
        return error_set(error, STATUS_INPUT,
                         "%s: summary.json is missing: the study goes on or was killed; "
                         "history.csv.partial has the rows that it made",
                         directory);
    return STATUS_OK;
}
