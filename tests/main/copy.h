/* A copy of the sources, in which a test adds what a reader of docs/architecture.md would. */
#ifndef TESTS_MAIN_COPY_H
#define TESTS_MAIN_COPY_H

/* Run a script of the shell in which every line must succeed; the end of its output is shown where
 * one fails. $copy is the directory of the copy, whose name has a blank: this shell splits words at
 * ends of lines alone. $built is the build that is tested, from the root of the sources.
 * `quick_make TARGET` is a make in the copy, with CUDA where this build has it. */
void shell(const char *script);

/* Make the copy: all that `make build` needs, docs/, the sources that all tests share, and the
 * objects of this build, with their times: an unchanged source is not compiled again. */
void copy_sources(void);

/* docs/example as the plug-in $copy/example.so, compiled by the line of docs/plugins.md; gives its
 * path. */
const char *make_example_plugin(void);

#endif
