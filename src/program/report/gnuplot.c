#include "program/report/gnuplot.h"

#include "base/text.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Standard input, output and errors of gnuplot. */
struct channels {
    FILE *script, *output, *errors;
};

static void channels_close(struct channels *channels)
{
    if (channels->script)
        fclose(channels->script);
    if (channels->output)
        fclose(channels->output);
    if (channels->errors)
        fclose(channels->errors);
}

static enum status channels_open(struct channels *channels, const char *script, size_t length,
                                 struct error *error)
{
    *channels = (struct channels){tmpfile(), tmpfile(), tmpfile()};
    if (channels->script && channels->output && channels->errors &&
        fwrite(script, 1, length, channels->script) == length && fflush(channels->script) == 0) {
        rewind(channels->script);
        return STATUS_OK;
    }
    enum status status =
        error_set(error, STATUS_OUTPUT, "a temporary file for gnuplot: %s", strerror(errno));
    channels_close(channels);
    return status;
}

/* gnuplot does not look whether what it writes is taken: beyond a limit on files the signal must
 * end it. */
static int use_default_signals(posix_spawnattr_t *attributes)
{
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGXFSZ);
    int fault = posix_spawnattr_setsigdefault(attributes, &signals);
    return fault ? fault : posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGDEF);
}

/* 0, or the number of an error. */
static int start(const struct channels *channels, pid_t *child)
{
    char program[] = "gnuplot", clean[] = "--default-settings", script[] = "/dev/stdin";
    char *const arguments[] = {program, clean, script, NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int fault = posix_spawn_file_actions_init(&actions);
    if (fault)
        return fault;
    fault = posix_spawnattr_init(&attributes);
    if (fault) {
        posix_spawn_file_actions_destroy(&actions);
        return fault;
    }
    fault = posix_spawn_file_actions_adddup2(&actions, fileno(channels->script), STDIN_FILENO);
    if (!fault)
        fault = posix_spawn_file_actions_adddup2(&actions, fileno(channels->output), STDOUT_FILENO);
    if (!fault)
        fault = posix_spawn_file_actions_adddup2(&actions, fileno(channels->errors), STDERR_FILENO);
    if (!fault)
        fault = use_default_signals(&attributes);
    if (!fault)
        fault = posix_spawnp(child, program, &actions, &attributes, arguments, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return fault;
}

/* Its exit status; -1 when a signal ended it. */
static int wait_for(pid_t child)
{
    int status;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* The last line that is not empty: the complaint stands behind what it is about. */
static void read_complaint(FILE *errors, char *complaint, size_t size)
{
    char line[512];
    snprintf(complaint, size, "it says nothing");
    rewind(errors);
    while (fgets(line, sizeof line, errors)) {
        char *begin = line + strspn(line, " \t");
        begin[strcspn(begin, "\r\n")] = '\0';
        if (*begin && *begin != '^')
            snprintf(complaint, size, "%s", begin);
    }
    text_clean(complaint, "");
}

static enum status read_output(FILE *file, char **output, size_t *length, struct error *error)
{
    long size = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    if (size < 0)
        return error_set(error, STATUS_OUTPUT, "what gnuplot wrote: %s", strerror(errno));
    *output = malloc((size_t)size + 1);
    if (!*output)
        return error_set(error, STATUS_MEMORY, "out of memory: a picture of %ld bytes", size);
    rewind(file);
    *length = fread(*output, 1, (size_t)size, file);
    (*output)[*length] = '\0';
    return STATUS_OK;
}

enum status gnuplot_run(const char *script, size_t length, char **output, size_t *output_length,
                        struct error *error)
{
    struct channels channels;
    enum status status = channels_open(&channels, script, length, error);
    if (status)
        return status;
    pid_t child;
    int fault = start(&channels, &child), ended = fault ? -1 : wait_for(child);
    if (fault == ENOENT)
        status = error_set(error, STATUS_UNAVAILABLE, "gnuplot is not installed here");
    else if (fault)
        status =
            error_set(error, STATUS_UNAVAILABLE, "gnuplot does not start: %s", strerror(fault));
    else if (ended != 0) {
        char complaint[300];
        read_complaint(channels.errors, complaint, sizeof complaint);
        status = error_set(error, STATUS_OUTPUT, "gnuplot failed: %s", complaint);
    } else
        status = read_output(channels.output, output, output_length, error);
    channels_close(&channels);
    return status;
}
