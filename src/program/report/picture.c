#include "program/report/picture.h"

#include "base/memory.h"
#include "io/text_file.h"

#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

void picture_write(FILE *stream, const struct plot *plot, const void *of, enum canvas_place place)
{
    struct canvas canvas = {.svg = stream, .place = place, .title = plot_title(plot, of)};
    plot->draw(&canvas, of);
    canvas_end(&canvas);
}

/* What rsvg-convert is told: 1800 pixels across, or 18 cm. */
static struct {
    const char *ending;
    char format[16], zoom[16];
} kinds[] = {{".svg", "", ""},
             {".png", "--format=png", "--zoom=2"},
             {".pdf", "--format=pdf", "--zoom=0.756"}};

/* The place in `kinds` of what the file's name ends with, or -1. */
static int kind_of(const char *path)
{
    const char *ending = strrchr(path, '.');
    for (int k = 0; ending && k < (int)(sizeof kinds / sizeof *kinds); k++)
        if (strcmp(ending, kinds[k].ending) == 0)
            return k;
    return -1;
}

bool picture_is_known(const char *path)
{
    return kind_of(path) >= 0;
}

/* rsvg-convert, from the SVG into the file that has begun. */
static enum status convert(FILE *svg, int kind, int into, struct error *error)
{
    char program[] = "rsvg-convert";
    char *const arguments[] = {program, kinds[kind].format, kinds[kind].zoom, NULL};
    posix_spawn_file_actions_t actions;
    pid_t child;
    int ended = -1, fault = posix_spawn_file_actions_init(&actions);
    if (fault)
        return error_set(error, STATUS_UNAVAILABLE, "rsvg-convert: %s", strerror(fault));
    fault = posix_spawn_file_actions_adddup2(&actions, fileno(svg), STDIN_FILENO);
    if (!fault)
        fault = posix_spawn_file_actions_adddup2(&actions, into, STDOUT_FILENO);
    if (!fault)
        fault = posix_spawnp(&child, program, &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (fault)
        return error_set(error, STATUS_UNAVAILABLE,
                         fault == ENOENT ? "rsvg-convert is not installed here; an .svg needs "
                                           "nothing"
                                         : "rsvg-convert does not start: %s",
                         strerror(fault));
    while (waitpid(child, &ended, 0) < 0 && errno == EINTR)
        ;
    return ended == 0 ? STATUS_OK : error_set(error, STATUS_OUTPUT, "rsvg-convert failed");
}

static enum status convert_into(const char *path, int kind, const char *text, size_t length,
                                struct error *error)
{
    struct text_file file;
    enum status status = text_file_begin(NULL, path, &file, error);
    if (status)
        return status;
    FILE *svg = tmpfile();
    if (!svg || fwrite(text, 1, length, svg) != length || fflush(svg) != 0)
        status = error_set(error, STATUS_OUTPUT, "a temporary file: %s", strerror(errno));
    else {
        rewind(svg);
        status = convert(svg, kind, file.descriptor, error);
    }
    if (svg)
        fclose(svg);
    if (!status)
        return text_file_finish(&file, error);
    unlink(file.partial);
    text_file_abandon(&file);
    return status;
}

enum status picture_into_file(const char *path, const struct plot *plot, const void *of,
                              struct error *error)
{
    char *text = NULL;
    size_t length = 0;
    enum status status = STATUS_OK;
    int kind = kind_of(path);
    const char *missing = plot->missing ? plot->missing(of) : NULL;
    if (kind < 0)
        return error_set(error, STATUS_OUTPUT, "%s: ends with no .pdf, .png or .svg", path);
    if (missing)
        return error_set(error, STATUS_OUTPUT, "%s: %s", path, missing);
    FILE *memory = open_memstream(&text, &length);
    if (memory)
        picture_write(memory, plot, of, CANVAS_FILE);
    if (!memory || fclose(memory) != 0)
        status = error_set(error, STATUS_MEMORY, "out of memory: a picture");
    else if (*kinds[kind].format)
        status = convert_into(path, kind, text, length, error);
    else
        status = text_file_whole(NULL, path, text, length, error);
    free(text);
    return status;
}
