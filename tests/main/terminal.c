#include "main/terminal.h"

#include "main/program.h"
#include "support.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

bool terminal_open(struct made_terminal *terminal, int columns)
{
    terminal->master = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK);
    if (terminal->master < 0) {
        perror("no terminal can be had here, so none is tested");
        return false;
    }
    ck_assert_int_eq(grantpt(terminal->master), 0);
    ck_assert_int_eq(unlockpt(terminal->master), 0);
    snprintf(terminal->name, sizeof terminal->name, "%s", ptsname(terminal->master));
    terminal->keep = open(terminal->name, O_RDWR | O_NOCTTY);
    terminal_resize(terminal, columns);
    setenv("TERM", "xterm", 1);
    unsetenv("NO_COLOR");
    return true;
}

void terminal_resize(const struct made_terminal *terminal, int columns)
{
    struct winsize window = {.ws_row = 50, .ws_col = (unsigned short)columns};
    ck_assert_int_eq(ioctl(terminal->keep, TIOCSWINSZ, &window), 0);
}

/* What has come through. */
static size_t read_some(const struct made_terminal *terminal, char *text, size_t size)
{
    size_t kept = 0;
    for (ssize_t length = 1; length > 0 && kept + 1 < size; kept += length > 0 ? (size_t)length : 0)
        length = read(terminal->master, text + kept, size - 1 - kept);
    text[kept] = '\0';
    return kept;
}

/* The system passes bytes on when it has the time: all were when one comes that was written behind
 * them. */
size_t terminal_read(const struct made_terminal *terminal, char *text, size_t size)
{
    static const char last = '\001';
    size_t kept = read_some(terminal, text, size);
    char *found = NULL;
    ck_assert_int_eq(write(terminal->keep, &last, 1), 1);
    while (!(found = memchr(text, last, kept))) {
        ck_assert_uint_lt(kept + 1, size);
        usleep(100);
        kept += read_some(terminal, text + kept, size - kept);
    }
    memmove(found, found + 1, (size_t)(text + kept - found));
    return kept - 1;
}

void terminal_close(struct made_terminal *terminal)
{
    close(terminal->keep);
    close(terminal->master);
}

FILE *terminal_stream(const struct made_terminal *terminal)
{
    int descriptor = open(terminal->name, O_WRONLY | O_NOCTTY);
    FILE *stream = descriptor >= 0 ? fdopen(descriptor, "w") : NULL;
    ck_assert_ptr_nonnull(stream);
    return stream;
}

void recording_catch_up(struct recording *recording)
{
    recording->length += terminal_read(&recording->terminal, recording->bytes + recording->length,
                                       sizeof recording->bytes - recording->length);
}

/* A terminal that nobody reads fills up, and stops whoever writes to it. */
static void run_and_read(struct recording *recording, const char *command,
                         void (*watch)(struct recording *recording))
{
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        for (int stream = 0; stream < 3; stream++)
            dup2(recording->terminal.keep, stream);
        execl("/bin/sh", "sh", "-c", command, (char *)NULL);
        _exit(127);
    }
    recording->program = child;
    for (bool over = false; !over;) {
        over = waitpid(child, &recording->status, WNOHANG) == child;
        size_t more = read_some(&recording->terminal, recording->bytes + recording->length,
                                sizeof recording->bytes - recording->length);
        recording->length += more;
        ck_assert_msg(recording->length + 1 < sizeof recording->bytes, "a flood: %.3000s", command);
        if (more > 0 && watch && !over)
            watch(recording);
        if (more == 0 && !over)
            usleep(1000);
    }
    recording_catch_up(recording);
}

static bool record(struct recording *recording, int columns,
                   void (*watch)(struct recording *recording), const char *redirections,
                   const char *format, va_list values)
{
    char arguments[1024], command[2048];
    recording->length = recording->mark = 0;
    recording->bytes[0] = '\0';
    if (!terminal_open(&recording->terminal, columns))
        return false;
    vsnprintf(arguments, sizeof arguments, format, values);
    snprintf(command, sizeof command, "exec '%s' %s %s", program_path(), arguments, redirections);
    run_and_read(recording, command, watch);
    terminal_close(&recording->terminal);
    return true;
}

bool record_on_terminal(struct recording *recording, int columns,
                        void (*watch)(struct recording *recording), const char *redirections,
                        const char *format, ...)
{
    va_list values;
    va_start(values, format);
    bool recorded = record(recording, columns, watch, redirections, format, values);
    va_end(values);
    return recorded;
}

bool run_on_terminal(int stream, int columns, char *text, size_t size, const char *format, ...)
{
    static struct recording recording;
    va_list values;
    va_start(values, format);
    bool recorded = record(&recording, columns, NULL, stream == 1 ? "2>/dev/null" : ">/dev/null",
                           format, values);
    va_end(values);
    if (!recorded)
        return false;
    ck_assert_msg(WIFEXITED(recording.status) && WEXITSTATUS(recording.status) == 0,
                  "failed: %.3000s", recording.bytes);
    snprintf(text, size, "%s", recording.bytes);
    return true;
}
