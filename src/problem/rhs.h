/* A right-hand side is a component that fills b, or several columns: one constant
 * `struct rhs rhs_<name>` and one line in rhs.def. */
#ifndef PROBLEM_RHS_H
#define PROBLEM_RHS_H

#include "base/component.h"
#include "matrix/csr.h"

/* Which elements of B[columns][n] are made: the rows first <= i < last of each column. */
struct rhs_part {
    int64_t columns, first, last;
};

struct rhs {
    struct component component; /* of COMPONENT_RHS */

    /* Fill that part of B[columns][A->n] of (shift I + A) X = B. A is borrowed. Errors:
     * STATUS_CONFIG, STATUS_INPUT, STATUS_MEMORY. */
    enum status (*fill)(const void *options, const struct csr *A, double shift,
                        const struct rhs_part *part, double *B, struct error *error);

    /* How many columns of n rows it has. NULL: as many as are asked for. Errors: STATUS_INPUT,
     * STATUS_MEMORY. */
    enum status (*columns)(const void *options, int64_t n, int64_t *columns, struct error *error);
};

#define RHS(name) extern const struct rhs rhs_##name;
#include "problem/rhs.def"
#undef RHS

/* The slot, for options of a right-hand side: of a part, and of all rows. */
enum status rhs_fill_part(const struct options *options, const struct csr *A, double shift,
                          const struct rhs_part *part, double *B, struct error *error);
enum status rhs_fill(const struct options *options, const struct csr *A, double shift,
                     int64_t columns, double *B, struct error *error);

/* The most columns. */
enum { RHS_COLUMNS_MOST = 1024 };

/* The number of columns for n rows: `wanted`; if that is 0, all columns, or one. Errors:
 * STATUS_CONFIG (the number is not `wanted`), STATUS_INPUT (also too many), STATUS_MEMORY. */
enum status rhs_columns(const struct options *options, int64_t n, int64_t wanted, int64_t *columns,
                        struct error *error);

/* Common parameters of right-hand sides and starts (problem/start.h): "seed" of random vectors, an
 * int64_t, with seed + j for column j; "path" of a file of vectors, a char *. Each is the only
 * option of its component, or PARAMETERS_OF includes it. */
extern const struct parameter rhs_seed[], rhs_path[];
void rhs_draw(int64_t seed, int64_t n, const struct rhs_part *part, double *B);

/* A file of vectors has one of the formats of io/vectors.h, or is a Matrix Market file, as its
 * first bytes tell. *columns: how many vectors of n elements it holds. Errors: STATUS_INPUT,
 * STATUS_MEMORY. */
enum status vector_file_columns(const char *path, int64_t n, int64_t *columns, struct error *error);

/* Read that part of its vectors. B[columns][n]; after a failure the part is undefined. Errors: as
 * above. */
enum status vector_file_read(const char *path, int64_t n, const struct rhs_part *part, double *B,
                             struct error *error);

#endif
