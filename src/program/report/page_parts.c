/* The style sheet and the script of the page, from page.css and page.js: the Makefile makes texts
 * of C of their lines. */
#include "program/report/page.h"

static const char *const style[] = {
#include "program/report/page.css.inc"
    NULL};

static const char *const script[] = {
#include "program/report/page.js.inc"
    NULL};

static void write_lines(FILE *page, const char *const *lines)
{
    for (; *lines; lines++)
        fputs(*lines, page);
}

void page_style(FILE *page)
{
    write_lines(page, style);
}

void page_script(FILE *page)
{
    write_lines(page, script);
}
