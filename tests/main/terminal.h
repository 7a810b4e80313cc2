/* Terminals made for a test, and running the program on one. */
#ifndef TESTS_MAIN_TERMINAL_H
#define TESTS_MAIN_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

/* A terminal. What is written to the file `name` can be read from `master`. */
struct made_terminal {
    int master;
    int keep; /* so that it outlives its writers */
    char name[64];
};

/* Make one of so many columns; 0: it does not say. Sets TERM and takes NO_COLOR away, for this
 * process and its children. False when none can be had here, which is said. */
bool terminal_open(struct made_terminal *terminal, int columns);
void terminal_resize(const struct made_terminal *terminal, int columns);

/* Keep in text[size] all that was written until now and not read yet, and end it; how many bytes
 * that are. What was written must fit into the system's buffer of some KB. */
size_t terminal_read(const struct made_terminal *terminal, char *text, size_t size);

void terminal_close(struct made_terminal *terminal);

/* A stream that writes to it; the caller calls fclose. */
FILE *terminal_stream(const struct made_terminal *terminal);

/* A call of the program, with all that it has written to the terminal. */
struct recording {
    struct made_terminal terminal;
    pid_t program;
    int status; /* of waitpid */
    size_t length;
    size_t mark; /* the watcher's own; from 0 */
    char bytes[1 << 20];
};

/* Take in what the program has written until now. */
void recording_catch_up(struct recording *recording);

/* Run `cgsolve <arguments> <redirections>` to its end on a terminal of so many columns, with all
 * three standard streams there that are not redirected. `watch` (or NULL) is called whenever
 * something has come out. False when no terminal can be had here. The arguments are made by printf
 * and read by the shell. */
bool record_on_terminal(struct recording *recording, int columns,
                        void (*watch)(struct recording *recording), const char *redirections,
                        const char *format, ...) __attribute__((format(printf, 5, 6)));

/* Run `cgsolve <arguments>`, which must succeed, with the descriptor `stream` (1 or 2) on a
 * terminal of so many columns, and the other of them nowhere; keep in text[size] what comes out
 * there. False when no terminal can be had here. */
bool run_on_terminal(int stream, int columns, char *text, size_t size, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

#endif
