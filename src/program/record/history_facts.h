/* The origin of a residual history: problem, solver and end. The facts are texts, as in the leading
 * lines "# NAME: TEXT" of a reference, because they are only shown and compared. They do not
 * include the machine: a reference of a bitwise kernel is the same file on every machine. */
#ifndef PROGRAM_RECORD_HISTORY_FACTS_H
#define PROGRAM_RECORD_HISTORY_FACTS_H

#include "base/status.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum fact {
    /* the problem: another one cannot be compared */
    FACT_MATRIX, /* csr_hash of A, 16 hexadecimal digits */
    FACT_RHS,    /* hash_vector of b, likewise */
    FACT_START,  /* hash_vector of x_0, likewise; empty for x_0 = 0 */
    /* what may change a history, or its length */
    FACT_REORDER,
    FACT_PARTS,      /* problem.parts; empty but for "metis" */
    FACT_METHOD,     /* solver.method; "cg" where a file of an earlier version does not tell */
    FACT_KERNEL,     /* its name */
    FACT_PARAMETERS, /* "form = auto, compress = auto" */
    FACT_FORM,       /* how it kept the matrix: "diagonals, 4 in the upper triangle" */
    FACT_GUARANTEE,
    FACT_REDUCTIONS,
    FACT_TOLERANCE,
    FACT_ABSOLUTE_TOLERANCE, /* empty for 0 */
    FACT_MAX_ITERATIONS,
    FACT_THREADS,
    FACT_VERSION,
    /* what came out */
    FACT_ENDED,     /* "converged" */
    FACT_SOLUTION,  /* the hash of x */
    FACT_RUNS,      /* how many there were */
    FACT_HISTORIES, /* how many different histories these runs had */
    FACTS,
};

/* An empty text: not known, or nothing to tell. */
struct history_facts {
    char text[FACTS][160];
};

/* Of a reference of several right-hand sides: what a line tells of one column alone,
 * "# NAME COLUMN: TEXT", of what came out. The caller frees `columns`. */
struct column_facts {
    struct history_facts *columns; /* [count] */
    int64_t count, capacity;
};

/* "matrix", "rhs", ...: the NAME of the line. */
const char *fact_name(enum fact fact);

/* Whether anything is known. */
bool facts_are_there(const struct history_facts *facts);

/* Take the line [begin, end), which begins with '#', if it holds a fact, of all columns or of one;
 * another one is a comment. Errors: STATUS_INPUT with "PATH:LINE: ..." (a fact that was given
 * before, an empty or too long one, a matrix, rhs or start that is no hash, a column that no
 * right-hand side has), STATUS_MEMORY. */
enum status facts_take_line(struct history_facts *facts, struct column_facts *own,
                            const char *begin, const char *end, const char *path, int64_t line,
                            struct error *error);

/* The facts of a column: those of all, but for what is told of this one. */
struct history_facts facts_of_column(const struct history_facts *facts,
                                     const struct column_facts *own, int64_t column);

/* Whether the fact is told of each column by itself. */
bool fact_is_of_column(enum fact fact);

/* The facts of a run in a column from the whole of a summary.json, and in *seconds the time of its
 * iterations; all empty and 0 when it holds no such kernel or run, and so is what it does not
 * tell. */
struct history_facts facts_of_summary(const json_t *summary, const char *label, int64_t run,
                                      int64_t column, double *seconds);

/* STATUS_INPUT when the two are of different problems, or from different starts, as far as both
 * tell: "REFERENCE: is the history of another problem: ...". A history with a matrix also has its
 * start. The messages use the given names. */
enum status facts_check_problem(const struct history_facts *history, const char *history_name,
                                const struct history_facts *reference, const char *reference_name,
                                struct error *error);

/* Why equal bits are not promised to the history's kernel and reductions: a static text, or NULL
 * when they are, or when it is not known. */
const char *facts_no_promise(const struct history_facts *facts);

/* Possible causes of different histories, in lines that begin with `indent`. */
void facts_suggest(FILE *stream, const char *indent, const struct history_facts *history,
                   const struct history_facts *reference);

#endif
