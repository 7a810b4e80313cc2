/* The output of a run on the terminal: the problem, the machine, a table with a row for each
 * kernel, and lines below it. On a terminal lines are wrapped and columns left out until all
 * fits. */
#ifndef PROGRAM_TERMINAL_TERMINAL_H
#define PROGRAM_TERMINAL_TERMINAL_H

#include "base/machine.h"
#include "program/config/settings.h"
#include "program/config/system.h"
#include "program/terminal/table.h"
#include "study/study.h"

#include <stdbool.h>
#include <stdio.h>

/* What is solved, and how. */
void terminal_print_system(FILE *stream, const struct problem_settings *problem,
                           const struct solver_settings *solver, const struct study_settings *study,
                           const struct linear_system *system);

/* The same between config and machine. */
void terminal_print_problem(FILE *stream, const char *config,
                            const struct problem_settings *problem,
                            const struct solver_settings *solver,
                            const struct study_settings *study, const struct linear_system *system,
                            const struct machine *machine);

void terminal_print_machine(FILE *stream, const struct machine *machine);

/* Choose the columns of the table for the stream (program/terminal/table.h), or all of them where
 * it is to be wide, and print its head. */
void terminal_table_begin(struct table *table, FILE *stream, const struct solver_options *options,
                          const struct study_settings *study, bool wide);

/* A row; one with runs that did not converge has a ! and is red where there are colours. Residuals
 * are shown relative to ||b|| of their column, rhs_norms[columns], those of Lanczos as they are:
 * relative to |theta|. The kernel's columns are joined (study_join). */
void terminal_print_kernel(const struct table *table, const struct solver_options *options,
                           const double *rhs_norms, const struct study_kernel *kernel);

/* What stands below the table, of kernels whose columns are joined: how many columns were left out;
 * what "converged" says, where a residual beside it is above the tolerance; that other programs ran
 * (others: machine.others); the verdict on each kernel (study/verdict.h); the eigenvalues that the
 * last run of the first kernel found, if it looked for any; that b is an eigenvector, if that is
 * why the solves took one iteration (study_of_eigenvector); which kernels without a fixed order had
 * one because they ran on one thread; what is to be known and done of runs that did not converge,
 * and in which columns. */
void terminal_print_end(const struct table *table, const struct options *rhs,
                        const struct solver_settings *solver, const struct study_kernel *kernels,
                        int count, double others);

/* Of such kernels: how they store the matrix, where the time goes, the hashes of histories that are
 * all equal or which runs share one, the extreme Ritz values and the condition number, each once
 * for all kernels for which it is the same. */
void terminal_print_details(FILE *stream, const struct study_kernel *kernels, int count);

/* Where the files are. */
void terminal_print_files(FILE *stream, const char *directory, const struct output_settings *output,
                          const struct trace_settings *trace);

/* Of `cgsolve solve` and `cgsolve eigs`: a line for a row of the history, the iteration and the
 * residual over rhs_norm, of Lanczos as it is, with the digits that give back its bits. */
void terminal_print_row(FILE *stream, const struct solver_options *options, double rhs_norm,
                        const struct event *row);

/* And the end of the only run: why it ended, what is to be known and done then, times, with a
 * sentence on a busy machine (others: machine.others), and all eigenvalues. */
void terminal_print_solve(FILE *stream, const struct solver_options *options, double rhs_norm,
                          const struct study_kernel *kernel, double others);

/* The line of a file that was asked for by its name. */
void terminal_print_written(const char *path);

/* A line for every kernel that has broken its promise of equal bits, in red on a terminal, unless
 * the environment variable NO_COLOR is set. */
void terminal_print_promises(FILE *stream, const struct study_kernel *kernels, int count);

/* Explanation and advice for a run that ended so, after its reason. by_option: a method is chosen
 * by --method, else by the key of a config. False: nothing. */
bool terminal_print_advice(FILE *stream, const struct solver_result *result, bool by_option);

/* "A is singular, with 1 null vector: x is ...", without a line's end. */
void terminal_print_singular(FILE *stream, const struct solver_result *result);

/* The eigenvalues that were found, the first `most` of them, and what is to be known of them. */
void terminal_print_eigenvalues(FILE *stream, const struct eigen_options *options,
                                const struct solver_result *result, int64_t most);

/* A residual over ||b||; where b is 0, so are x and r. */
double relative_residual(double residual, double norm);

/* --list-kernels */
void terminal_print_kernels(FILE *stream);

#endif
