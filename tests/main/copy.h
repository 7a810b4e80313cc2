/* A copy of the sources, in which a test adds what a reader of docs/architecture.md would. */
#ifndef TESTS_MAIN_COPY_H
#define TESTS_MAIN_COPY_H

/* Run a script of the shell in which every line must succeed; the end of its output is shown where
 * one fails. $copy is the directory of the copy, whose name has a blank: this shell splits words at
 * ends of lines alone. `quick_make TARGET` is a make there, without CUDA. */
void shell(const char *script);

/* Make the copy: all that `make build` needs, docs/, of the tests what all share, and the objects
 * that have been compiled without CUDA, with their times: what is not changed is not compiled
 * again.
 */
void copy_sources(void);

#endif
