/* A file of a matrix is a problem like the others. */
#include "base/text.h"
#include "io/market/symmetry.h"
#include "problem/problem.h"

struct mtx {
    char *path;
    double asymmetry; /* the largest that a general file may have to be taken as symmetric */
};

static enum status shape(const void *options, struct csr *shape, struct error *error)
{
    return matrix_market_shape(((const struct mtx *)options)->path, shape, error);
}

static enum status read(const void *options, enum csr_kind wanted,
                        const struct matrix_market_ranks *ranks, struct csr *A,
                        struct matrix_market_report *report, struct error *error)
{
    const struct mtx *mtx = options;
    /* A product needs no symmetry, so an asymmetry of rounding size stays. A larger `asymmetry`
     * averages as in a solve. */
    bool averaged = wanted == CSR_GENERAL && mtx->asymmetry > ASYMMETRY_OF_ROUNDING;
    return matrix_market_read(mtx->path, averaged ? CSR_SYMMETRIC : wanted, mtx->asymmetry, ranks,
                              A, report, error);
}

static void describe(const void *options, FILE *stream)
{
    char shown[1024];
    fputs(shown_text(((const struct mtx *)options)->path, shown, sizeof shown), stream);
}

static const struct parameter parameters[] = {
    {"path",
     "the file: Matrix Market, plain or packed (gzip, bzip2, xz), .npz of SciPy, binary PETSc, "
     "MATLAB, Harwell-Boeing or Rutherford-Boeing; its content says which",
     NULL, TAKES_FILE(struct mtx, path)},
    {"asymmetry",
     "the largest |a_ij - a_ji| with which a general file is still taken as symmetric, relative to "
     "the largest entries of rows i and j; the default is what rounding leaves, and is let be in "
     "products alone; from 1 on any entry might be missing; as skew-symmetric a file is taken only "
     "where it is so exactly",
     "1e-12", TAKES_REAL(struct mtx, asymmetry, 0, 1), .below = true},
    {0}};

const struct problem problem_mtx = {
    {COMPONENT_PROBLEM, PROBLEM_OF_FILES, "the matrix of a file", parameters, sizeof(struct mtx),
     NULL},
    .describe = describe,
    .shape = shape,
    .read = read,
};
