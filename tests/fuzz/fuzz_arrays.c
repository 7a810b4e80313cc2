/* Matrices of PETSc, Harwell-Boeing and Rutherford-Boeing. */
#include "fuzz/fuzz_matrix.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *path = fuzz_path("a");
    if (fuzz_is_costly(data, size))
        return 0;
    fuzz_write(path, data, size);
    fuzz_read_matrix(path, CSR_SYMMETRIC);
    fuzz_read_matrix(path, CSR_GENERAL);
    return 0;
}
