/* The linear system of the settings: A x = b, or A X = B, generated or read. */
#ifndef PROGRAM_CONFIG_SYSTEM_H
#define PROGRAM_CONFIG_SYSTEM_H

#include "base/exchange.h"
#include "base/status.h"
#include "matrix/csr.h"
#include "matrix/implicit_rows.h"
#include "matrix/near_null.h"
#include "matrix/pattern.h"
#include "matrix/permute.h"
#include "problem/problem.h"
#include "program/config/settings.h"
#include "space/ranks/partition.h"

/* The effect of problem.reorder. */
struct reordering {
    struct csr_distances before, after;
    struct csr_pattern pattern_before, pattern_after;
    double seconds;
};

struct linear_system {
    struct csr A;
    struct matrix_market_ranks readers; /* of a file that ranks read together; else zeroed */
    struct partial_csr kept;            /* its rows, where those of this rank alone were read */
    struct near_null near_null;         /* of A, which borrows it; zeroed: none */
    int64_t columns;                    /* of b and x0, >= 1 */
    double *b;                          /* [columns][A.n] */
    double *x0;                         /* [columns][A.n]: where a solve begins; NULL: 0 */
    struct partition parts;             /* as the ranks' spaces have it: of which rows of b and x0
                                         each has (space/ranks/rank_vector.h); zeroed: all */
    int32_t *number;                    /* [A.n]: the numbering that A, b and x0 are in, of the rows
                                         that the problem has (matrix/permute.h); NULL: its own */
    struct reordering reordering;       /* zeroed where number is NULL */
    struct matrix_market_report file;   /* of a problem that was read; zeroed for a made one */
    int64_t entries;                    /* csr_entries of A */
    double *rhs_norms;                  /* [columns]: ||b||_2, in the problem's own numbering */
    double rhs_norm;                    /* the largest of them; NaN where one is */
    uint64_t matrix_hash;               /* csr_hash of A, in the problem's own numbering */
    uint64_t rhs_hash;                  /* hash_vector of b, all columns of it, likewise */
    uint64_t start_hash;                /* of x0, likewise; 0 where that is NULL */
    double seconds;                     /* that making or reading A took */
};

/* File number k of those that the system, and what it is solved with, are made of, or NULL. */
const char *system_file(const struct problem_settings *problem,
                        const struct solver_settings *solver, int k);

/* Whether it can be opened. Errors: STATUS_INPUT, STATUS_MEMORY. */
enum status system_check_file(const char *path, struct error *error);

/* The same of all these, and of a reference (or NULL). */
enum status system_check_files(const struct problem_settings *problem,
                               const struct solver_settings *solver, const char *reference,
                               struct error *error);

/* The matrix for products alone, of any kind, rectangular or not, in the numbering of
 * problem->reorder. The caller owns A. Errors: STATUS_CONFIG (a general matrix has no other
 * numbering), STATUS_INPUT, STATUS_MEMORY. */
enum status system_load_matrix(const struct problem_settings *problem, struct csr *A,
                               struct matrix_market_report *file, struct error *error);

/* The same matrix, and b, or NULL where the matrix is not square; system->number, reordering and
 * file as system_load makes them, the rest is zeroed. shift: of the solver, for a b that is made of
 * a solution. The caller calls system_free. Errors: those of both. */
enum status system_load_any(const struct problem_settings *problem, double shift,
                            struct linear_system *system, struct error *error);

/* A system before its matrix is made: A without arrays, columns, and the rows of a rank. exchange:
 * of this rank; NULL: it is the only one. The caller calls system_free. Errors: STATUS_CONFIG (also
 * for several columns with a method that finds eigenvalues, or with a trace), STATUS_INPUT,
 * STATUS_MEMORY. */
enum status system_begin(const struct problem_settings *problem,
                         const struct solver_settings *solver, const struct study_settings *study,
                         struct exchange *exchange, struct linear_system *system,
                         struct error *error);

/* Of these files as they are now; other files have another one. */
uint64_t system_files_identity(const struct problem_settings *problem,
                               const struct solver_settings *solver);

/* Check that all ranks have the same files, before they read parts of them. *meets and errors: as
 * in same_file_check. */
enum status system_compare_files(const struct problem_settings *problem,
                                 const struct solver_settings *solver, struct exchange *exchange,
                                 bool *meets, struct error *error);

/* The rest, of a system that was begun; it is freed on failure. b and x0 are made for the matrix in
 * its own numbering, and then all are reordered: problem.reorder does not change the system. All
 * ranks call it, after system_begin with equal results. Errors: the same, also where the matrix is
 * one that the method cannot solve; STATUS_RANK where another rank fails.
 *
 * If a generator makes A's rows, and nothing of the study reads its arrays, A is not stored
 * (matrix/implicit_rows.h): on a GPU, or over ranks. A rank then holds its own rows of a file, and
 * the entries of other rows in own columns. It holds its own rows of b and x0 alone, if they have
 * one column in the problem's own numbering. Call system_survey for what is said of A, b and x0.
 *
 * A borrows parts of *system, which stays where it is until system_free. A has a near-null space,
 * if the problem knows it and the preconditioner uses it. */
enum status system_make(const struct problem_settings *problem,
                        const struct solver_settings *solver, const struct study_settings *study,
                        struct exchange *exchange, struct linear_system *system,
                        struct error *error);

/* Both, of a process that is the only one. The caller calls system_free. */
enum status system_load(const struct problem_settings *problem,
                        const struct solver_settings *solver, const struct study_settings *study,
                        struct linear_system *system, struct error *error);

/* entries and matrix_hash, where A is not stored, on that CUDA device where a kernel is for one;
 * what was met in a file of which ranks have read parts; and of vectors that are not whole their
 * norm and hashes. Each rank has its part of that. All ranks call it, and then tell each other how
 * it ended, but for one for which *meets is false: the others do not hear of its error, and it
 * leaves. Where another rank fails, nothing is set. Errors: STATUS_INPUT, STATUS_MEMORY,
 * STATUS_DEVICE, STATUS_RANK. */
enum status system_survey(const struct study_settings *study, int device,
                          struct linear_system *system, bool *meets, struct error *error);

/* What is said of b and x0, while they are in the problem's own numbering: rhs_norms, rhs_norm, and
 * hashes. Of vectors that are not whole all ranks call it. Errors: STATUS_MEMORY, STATUS_RANK. */
enum status system_describe_vectors(struct linear_system *system, struct error *error);
void system_free(struct linear_system *system); /* accepts a zeroed one */

/* Pieces of it: the rows in the numbering that the settings want (problem.reorder), of a matrix
 * alone; or of A, b and x0, which are in the problem's own numbering, and then number and
 * reordering are set. Errors: STATUS_CONFIG, STATUS_MEMORY. */
enum status system_renumber_matrix(const struct problem_settings *problem, struct csr *A,
                                   struct error *error);
enum status system_renumber(const struct problem_settings *problem, struct linear_system *system,
                            struct error *error);

#endif
