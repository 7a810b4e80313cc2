/* A drawing, made by gnuplot for where it is wanted. Errors of all: those of gnuplot_run,
 * STATUS_MEMORY. */
#ifndef PROGRAM_REPORT_PICTURE_H
#define PROGRAM_REPORT_PICTURE_H

#include "base/status.h"
#include "program/report/plot.h"

#include <stdbool.h>
#include <stdio.h>

/* Into the page, as an <svg> of that size whose ids begin with the prefix, a word: no background,
 * and what is black has the colour of the text around it, as far as the page's style says so. */
enum status picture_into_page(FILE *page, const struct drawing *drawing, int width, int height,
                              const char *prefix, struct error *error);

/* As a file of its own, on white. Its name ends with .pdf, .png or .svg; picture_is_known tells.
 * Also STATUS_OUTPUT, when there is nothing to draw or the file cannot be written. */
enum status picture_into_file(const char *path, const struct drawing *drawing, struct error *error);
bool picture_is_known(const char *path);

/* The residual histories onto a terminal of that many columns. */
enum status picture_into_terminal(FILE *stream, int columns, const struct recorded *study,
                                  const struct plot_axes *axes, struct error *error);

#endif
