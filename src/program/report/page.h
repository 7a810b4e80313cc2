/* report.html: one file that needs nothing else: what came of each kernel, pictures, the table, the
 * settings and the machine of one or more studies. Every tag is closed, so it can be read as XML
 * too. Its script, for the pictures under a pointer, is the same in every page, and no text of a
 * user stands in it. */
#ifndef PROGRAM_REPORT_PAGE_H
#define PROGRAM_REPORT_PAGE_H

#include "base/status.h"
#include "program/report/plot.h"
#include "program/report/study_files.h"

#include <stdio.h>

/* One or more earlier studies. A page draws at most so many curves, shared out among them. */
enum { REPORT_CURVES = 200 };

struct report {
    struct recorded *studies; /* [count] */
    int count;
    struct plot_axes *axes; /* [count] */
    bool beside;            /* the page lies beside the files of its only study */
};

/* On failure *report is zeroed. The caller calls report_free. Errors: STATUS_INPUT naming file and
 * fault, STATUS_MEMORY. */
enum status report_read(const char *const *directories, int count, struct report *report,
                        struct error *error);
void report_free(struct report *report); /* accepts a zeroed one */

/* Write the page of what `of` is. Errors: STATUS_MEMORY. */
typedef enum status page_writer(FILE *page, const void *of, struct error *error);

page_writer page_write; /* of a struct report */

/* The same into a file. Errors: STATUS_OUTPUT, STATUS_MEMORY. */
enum status page_into_file(const char *path, page_writer *write, const void *of,
                           struct error *error);

/* Its parts. The beginning, with the title and where it is from, or NULL; the end, with what the
 * page is made of. */
void page_begin(FILE *page, const char *title, const char *from);
void page_end(FILE *page, const char *made_of);

/* Pictures, each with its title and its caption, or why there is none; `plots` ends with NULL. */
void page_figures(FILE *page, const struct plot *const *plots, const void *of);

/* What the page calls what was studied; the caller frees it with free(). NULL: no memory. */
char *page_title(const struct recorded *studies, int count);

/* A line a kernel: how many different solutions its runs gave, and what failed. */
void page_verdict(FILE *page, const struct recorded *study);

/* The table of all kernels of all studies, as the one on the terminal. */
void page_table(FILE *page, const struct recorded *studies, int count);

/* A table, wide as it is: its caption stands above what scrolls; its end is that of its body,
 * too. */
void page_table_begin(FILE *page, const char *caption);
void page_table_end(FILE *page);

/* What differs from run to run, a sentence or two for each kernel. */
void page_words(FILE *page, const struct summary *summary);

/* How the study was made: the problem, the solver, the machine, how the kernels kept the matrix. */
void page_problem(FILE *page, const struct summary *summary);
void page_facts(FILE *page, const struct summary *summary);

/* --- a plot, drawn for where it is wanted (picture.c) ----------------------------------------- */

/* As an <svg> of its own kind for the place. */
void picture_write(FILE *stream, const struct plot *plot, const void *of, enum canvas_place place);

/* As a file of its own, on white. Its name ends with .pdf, .png or .svg; picture_is_known tells.
 * The first two are made by rsvg-convert (librsvg). Errors: STATUS_OUTPUT, also when there is
 * nothing to draw; STATUS_UNAVAILABLE without rsvg-convert; STATUS_MEMORY. */
enum status picture_into_file(const char *path, const struct plot *plot, const void *of,
                              struct error *error);
bool picture_is_known(const char *path);

/* The residual histories with characters, onto a terminal of that many columns. */
void picture_into_terminal(FILE *stream, int columns, const struct recorded *study);

#endif
