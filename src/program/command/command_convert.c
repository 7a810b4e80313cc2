/* `cgsolve convert FROM TO`: the file of a matrix in another format. */
#include "io/arrays/write_matrix.h"
#include "io/market/matrix_market.h"
#include "program/command/command_help.h"
#include "program/terminal/terminal.h"

#include <inttypes.h>

static enum status convert(const char *from, const char *to, struct error *error)
{
    struct csr A;
    struct matrix_market_report met;
    enum status status = matrix_market_read(from, CSR_GENERAL, 0, NULL, &A, &met, error);
    if (status)
        return status;
    status = matrix_write(to, &A, error);
    if (!status) {
        printf("%" PRId64 " x %" PRId64 ", %" PRId64 " entries, matrix hash %016" PRIx64 "\n", A.n,
               A.width, csr_entries(&A), csr_hash(&A));
        terminal_print_written(to);
    }
    csr_free(&A);
    return status;
}

static enum status run(int argc, char *argv[], bool *good, struct error *error)
{
    struct command_pair files = {"convert", "two files, FROM TO", {NULL}};
    (void)good;
    enum status status =
        command_parse(&command_convert, argc, argv, command_take_pair, &files, error);
    if (!status)
        status = command_check_pair(&files, error);
    return status ? status : convert(files.words[0], files.words[1], error);
}

const struct command command_convert = {
    .name = "convert",
    .usage = {{"convert FROM TO", "write another format"}},
    .about =
        "Read the matrix in the file FROM and write it to TO, without losing a bit. The ending "
        "of TO says in which format: .mtx is Matrix Market, .npz SciPy's, .petsc the binary form "
        "of PETSc, .mat a MAT-file of MATLAB with the sparse matrix A, .rb Rutherford-Boeing, and "
        ".rua the same without symmetry, as scipy.io.hb_read wants it. FROM may be of each of "
        "these, whatever its name, or a Harwell-Boeing file. Entries that it repeats are added. A "
        "matrix that is symmetric or skew-symmetric in fact is one in a .mtx and a .rb file; the "
        "others hold both triangles.",
    .options = command_help_alone,
    .good = "TO was written",
    .examples = {{"for scipy.sparse.load_npz", "convert problems/plate.mtx.gz plate.npz"}},
    .run = run,
};
