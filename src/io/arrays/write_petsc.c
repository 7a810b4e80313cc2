/* Files of PETSc as MatView writes them in binary form: AIJ. */
#include "io/arrays/binary_output.h"
#include "io/arrays/matrix_writers.h"

static enum status write_content(struct binary_output *output, const struct csr *A,
                                 struct error *error)
{
    enum { MAT = 1211216, COUNT = 4 };
    const int64_t header[COUNT] = {MAT, A->n, A->width, A->nnz};
    unsigned char bytes[COUNT * sizeof(int64_t)];
    int size = binary_index_size(A);
    for (int k = 0; k < COUNT; k++)
        binary_integer(bytes + k * size, (uint64_t)header[k], size, true);
    enum status status = binary_bytes(output, bytes, COUNT * size, error);
    if (!status)
        status = binary_array(output, A, binary_length_of, A->n, size, true, error);
    if (!status)
        status = binary_array(output, A, binary_column_of, A->nnz, size, true, error);
    return status ? status : binary_array(output, A, binary_value_of, A->nnz, 8, true, error);
}

enum status write_petsc(const char *path, const struct expanded *from, struct error *error)
{
    return binary_write(path, write_content, &from->full, error);
}
