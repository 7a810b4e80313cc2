#include "program/record/results.h"

#include "base/memory.h"
#include "io/partial_file.h"
#include "program/record/vector_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/sysmacros.h>
#endif

static const char summary[] = "summary.json";

/* Whether a name, without directory, is that of a result, or of one on the way. */
static bool is_result(const char *name)
{
    static const char *const names[] = {"settings.cfg", "history.csv", "envelope.csv", "trace.csv",
                                        "trace.npy",    "report.html", summary};
    bool found = vector_file_is_named(name);
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        size_t length = strlen(names[k]);
        found |= strncmp(name, names[k], length) == 0 &&
                 (name[length] == '\0' || strcmp(name + length, ".partial") == 0);
    }
    return found;
}

bool results_include(const char *directory, const char *path)
{
    const char *slash = strrchr(path, '/');
    char above[4096], unfinished[4096];
    snprintf(above, sizeof above, "%.*s", slash ? (int)(slash + 1 - path) : 1, slash ? path : ".");
    snprintf(unfinished, sizeof unfinished, "%s/%s", directory, RESULTS_UNFINISHED);
    return is_result(slash ? slash + 1 : path) &&
           (directory_is_same(directory, above) || directory_is_same(unfinished, above));
}

/* --- every result of a directory -------------------------------------------------------------- */

/* What is done to DIRECTORY/NAME. */
typedef enum status result_take(const char *directory, const char *name, struct error *error);

/* All of them but the summary, in no order. */
static enum status take_results(const char *directory, result_take *take, struct error *error)
{
    DIR *entries = opendir(directory);
    if (!entries)
        return error_set(error, STATUS_OUTPUT, "%s: cannot read: %s", directory, strerror(errno));
    enum status status = STATUS_OK;
    for (const struct dirent *entry; !status && (entry = readdir(entries));)
        if (is_result(entry->d_name) && strcmp(entry->d_name, summary) != 0)
            status = take(directory, entry->d_name, error);
    closedir(entries);
    return status;
}

/* The summary goes first: without it no directory looks complete. */
static enum status remove_results(const char *directory, struct error *error)
{
    enum status status = text_file_remove(directory, summary, error);
    return status ? status : take_results(directory, text_file_remove, error);
}

/* A directory with the name of a result would be in the way when the run is done. */
static enum status refuse_directory(const char *directory, const char *name, struct error *error)
{
    struct stat info;
    char *path = path_join(directory, name, error);
    enum status status = path ? STATUS_OK : STATUS_MEMORY;
    if (path && lstat(path, &info) == 0 && S_ISDIR(info.st_mode))
        status = error_set(error, STATUS_OUTPUT,
                           "%s: is a directory, and a file of the results has this name", path);
    memory_free(path);
    return status;
}

/* What stands in the directory comes to the one above it. */
static enum status move_up(const char *directory, const char *name, struct error *error)
{
    char above[300]; /* no system takes a longer name */
    snprintf(above, sizeof above, "../%s", name);
    char *from = path_join(directory, name, error);
    char *to = from ? path_join(directory, above, error) : NULL;
    enum status status = to ? STATUS_OK : STATUS_MEMORY;
    if (to && rename(from, to) != 0)
        status = error_set(error, STATUS_OUTPUT, "%s: cannot rename it to %s: %s", from, to,
                           strerror(errno));
    memory_free(from);
    memory_free(to);
    return status;
}

/* --- the exchange ----------------------------------------------------------------------------- */

/* Files in `unfinished` that say how far it has come, should the program be killed: the earlier
 * results go; they are gone, and the new ones come. */
static const char goes[] = "complete", comes[] = "moving";

static bool file_exists(const char *directory, const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    return access(path, F_OK) == 0;
}

/* From where it stands. */
static enum status move_all(const char *directory, const char *unfinished, struct error *error)
{
    enum status status = STATUS_OK;
    if (!file_exists(unfinished, comes)) {
        status = remove_results(directory, error);
        if (!status)
            status = text_file_whole(unfinished, comes, "", 0, error);
        if (!status)
            status = text_file_remove(unfinished, goes, error);
    }
    if (!status)
        status = take_results(unfinished, move_up, error);
    directory_flush(unfinished);
    if (!status)
        status = move_up(unfinished, summary, error);
    directory_flush(unfinished);
    return status;
}

/* Without a summary in `unfinished` all have come, or somebody has removed it: nothing moves, and
 * the next study is free to begin. */
static enum status exchange(const char *directory, const char *unfinished, struct error *error)
{
    enum status status =
        file_exists(unfinished, summary) ? move_all(directory, unfinished, error) : STATUS_OK;
    if (!status)
        status = text_file_remove(unfinished, goes, error);
    if (!status)
        status = text_file_remove(unfinished, comes, error);
    if (!status)
        rmdir(unfinished); /* it stays where something else is in it */
    return status;
}

enum status results_replace(const char *directory, const char *unfinished, struct error *error)
{
    enum status status = text_file_whole(unfinished, goes, "", 0, error);
    return status ? status : exchange(directory, unfinished, error);
}

/* --- the lock --------------------------------------------------------------------------------- */

/* The process that has locked the open directory, as Linux lists it; 0: it is not known. */
static int holder_of(int descriptor)
{
    struct stat info;
    char line[256], file[80];
    int holder = 0, begin;
    FILE *locks = fstat(descriptor, &info) == 0 ? fopen("/proc/locks", "r") : NULL;
    if (!locks)
        return 0;
    snprintf(file, sizeof file, " %02x:%02x:%ju ", (unsigned)major(info.st_dev),
             (unsigned)minor(info.st_dev), (uintmax_t)info.st_ino);
    while (fgets(line, sizeof line, locks))
        if (sscanf(line, "%*d: FLOCK ADVISORY WRITE %d%n", &holder, &begin) == 1 &&
            strncmp(line + begin, file, strlen(file)) == 0)
            break;
        else
            holder = 0;
    fclose(locks);
    return holder;
}

static enum status refuse_lock(const char *directory, int descriptor, struct error *error)
{
    char who[40] = "";
    if (errno != EWOULDBLOCK)
        return error_set(error, STATUS_OUTPUT, "%s: cannot be locked against other runs: %s",
                         directory, strerror(errno));
    int holder = holder_of(descriptor);
    if (holder > 0)
        snprintf(who, sizeof who, ", process %d,", holder);
    return error_set(error, STATUS_OUTPUT, "%s: another run%s is at work here", directory, who);
}

enum status results_directory_make(const char *directory, struct error *error)
{
    struct error why;
    enum status status = directory_make(directory, &why);
    return status ? error_set(error, status, "%s%s", why.text,
                              status == STATUS_OUTPUT ? "; --output DIR writes elsewhere" : "")
                  : STATUS_OK;
}

enum status results_lock(const char *directory, int *lock, struct error *error)
{
    *lock = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (*lock < 0)
        return error_set(error, STATUS_OUTPUT, "%s: cannot read: %s", directory, strerror(errno));
    enum status status =
        flock(*lock, LOCK_EX | LOCK_NB) == 0 ? STATUS_OK : refuse_lock(directory, *lock, error);
    if (status) {
        close(*lock);
        *lock = -1;
    }
    return status;
}

/* --- the beginning and the end of a study ----------------------------------------------------- */

/* What is read must not be a file that the study removes. */
static enum status refuse_results(const char *group, const struct options *read_from,
                                  const char *directory, struct error *error)
{
    const char *path, *key;
    for (int k = 0; (path = options_file(read_from, k, &key)); k++)
        if (results_include(directory, path))
            return error_set(error, STATUS_CONFIG,
                             "%s.%s = \"%s\": is a file of the results, which this run removes",
                             group, key, path);
    return STATUS_OK;
}

static enum status check_directory(const struct problem_settings *problem,
                                   const struct solver_settings *solver, const char *directory,
                                   struct error *error)
{
    char *itself = path_join(directory, "../" RESULTS_UNFINISHED, error);
    enum status status = itself ? STATUS_OK : STATUS_MEMORY;
    if (itself && directory_is_same(directory, itself))
        status = error_set(error, STATUS_CONFIG,
                           "output.directory = \"%s\": a directory of this name holds what a run "
                           "has not finished, and the next run removes it",
                           directory);
    memory_free(itself);
    if (!status)
        status = refuse_results("problem", &problem->matrix, directory, error);
    if (!status)
        status = refuse_results("rhs", &problem->rhs, directory, error);
    if (!status)
        status = refuse_results("solver.start", &problem->start, directory, error);
    if (!status)
        status = refuse_results("solver.preconditioner", &solver->preconditioner, directory, error);
    if (!status)
        status = refuse_directory(directory, summary, error);
    return status ? status : take_results(directory, refuse_directory, error);
}

enum status results_begin(const struct problem_settings *problem,
                          const struct solver_settings *solver, const char *directory,
                          const char *unfinished, const char *settings_cfg, struct error *error)
{
    struct stat info;
    enum status status = results_directory_make(directory, error);
    if (!status)
        status = check_directory(problem, solver, directory, error);
    if (status)
        return status;
    if (lstat(unfinished, &info) == 0 && S_ISLNK(info.st_mode))
        unlink(unfinished); /* no result comes to where it leads */
    if (file_exists(unfinished, goes) || file_exists(unfinished, comes))
        status = exchange(directory, unfinished, error);
    if (!status)
        status = directory_make(unfinished, error);
    if (!status)
        status = remove_results(unfinished, error);
    return status ? status
                  : text_file_whole(unfinished, "settings.cfg", settings_cfg, strlen(settings_cfg),
                                    error);
}
