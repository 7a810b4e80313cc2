#include "main/terminal.h"

#include "support.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* A terminal that nobody reads fills up, and stops whoever writes to it. */
static void run_and_read(const char *command, int master, char *text, size_t size)
{
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0)
        execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    size_t kept = 0;
    for (int status = 0, over = 0; !over;) {
        over = waitpid(child, &status, WNOHANG) == child;
        char piece[1024];
        ssize_t length;
        while ((length = read(master, piece, sizeof piece)) > 0)
            for (ssize_t k = 0; k < length && kept + 1 < size; k++)
                text[kept++] = piece[k];
        if (over)
            ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "failed: %s", command);
        else
            usleep(1000);
    }
    text[kept] = '\0';
}

bool run_on_terminal(int stream, int columns, char *text, size_t size, const char *format, ...)
{
    int master = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK);
    if (master < 0) {
        perror("no terminal can be had here, so none is tested");
        return false;
    }
    ck_assert_int_eq(grantpt(master), 0);
    ck_assert_int_eq(unlockpt(master), 0);
    const char *slave = ptsname(master);
    int keep = open(slave, O_RDWR | O_NOCTTY); /* so that the terminal outlives its writer */
    struct winsize window = {.ws_row = 50, .ws_col = (unsigned short)columns};
    ck_assert_int_eq(ioctl(keep, TIOCSWINSZ, &window), 0);
    char arguments[1024], command[2048];
    va_list values;
    va_start(values, format);
    vsnprintf(arguments, sizeof arguments, format, values);
    va_end(values);
    snprintf(command, sizeof command, "'%s' %s %d>/dev/null %d>%s", getenv("CGSOLVE"), arguments,
             3 - stream, stream, slave);
    run_and_read(command, master, text, size);
    close(keep);
    close(master);
    return true;
}
