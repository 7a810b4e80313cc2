/* A copy of the sources, to which something is added. */
#ifndef TESTS_MAIN_COPY_H
#define TESTS_MAIN_COPY_H

/* Run a script of the shell that begins in the sources, with $copy the path of the copy (nothing is
 * there at first), and without what make tells a make below it. Fail the test where a command
 * fails, with the end of what was printed. */
void run_in_copy(const char *script);

#endif
