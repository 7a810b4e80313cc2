/* Running the program on a terminal. */
#ifndef TESTS_MAIN_TERMINAL_H
#define TESTS_MAIN_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>

/* Run `cgsolve <arguments>`, which must succeed, with the descriptor `stream` (1 or 2) on a terminal of so many
 * columns, and the other of them nowhere; keep in text[size] what comes out there. False when no terminal can be
 * had here. The arguments are made by printf and read by the shell. */
bool run_on_terminal(int stream, int columns, char *text, size_t size, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

#endif
