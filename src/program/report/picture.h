/* A plot, drawn for where it is wanted. */
#ifndef PROGRAM_REPORT_PICTURE_H
#define PROGRAM_REPORT_PICTURE_H

#include "base/status.h"
#include "program/report/plot.h"

#include <stdbool.h>
#include <stdio.h>

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
