/* Matrices of PETSc, Harwell-Boeing, Rutherford-Boeing and MATLAB. */
#include "fuzz/fuzz_matrix.h"

#include "io/arrays/matrix_arrays.h"

/* Rows without an entry are no fault of a matrix by columns, and cost memory. */
static bool has_many_rows(const char *path)
{
    enum { MANY = 1 << 20 };
    struct matrix_arrays *file;
    struct error error;
    bool many = arrays_open(path, &file, &error) == STATUS_OK && file && file->rows > MANY;
    arrays_close(file);
    return many;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *path = fuzz_path("a");
    if (fuzz_is_costly(data, size))
        return 0;
    fuzz_write(path, data, size);
    if (has_many_rows(path))
        return 0;
    fuzz_read_matrix(path, CSR_SYMMETRIC);
    fuzz_read_matrix(path, CSR_GENERAL);
    return 0;
}
