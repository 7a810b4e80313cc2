/* A matrix in a file: it is read the same with one thread and with three, as each kind. */
#ifndef TESTS_FUZZ_FUZZ_MATRIX_H
#define TESTS_FUZZ_FUZZ_MATRIX_H

#include "csr_check.h"
#include "fuzz/fuzz.h"

#include "base/threads.h"
#include "io/market/matrix_market.h"

#include <ctype.h>
#include <stdbool.h>

/* A text with 10^7 rows has no fault, but each would cost gigabytes. */
static inline bool fuzz_is_costly(const uint8_t *data, size_t size)
{
    size_t digits = 0;
    for (size_t k = 0; k < size && k < 400; k++) {
        digits = isdigit(data[k]) ? digits + 1 : 0;
        if (digits > 6)
            return true;
    }
    return false;
}

static inline enum status fuzz_read_with(int threads, enum csr_kind kind, const char *path,
                                         struct csr *A, struct error *error)
{
    struct matrix_market_report report;
    struct threads *before;
    require(threads_begin(threads, &before, error) == STATUS_OK);
    enum status status =
        matrix_market_read(path, kind, kind == CSR_SYMMETRIC ? 1e-3 : 0, NULL, A, &report, error);
    threads_end(before);
    require(status == STATUS_OK || (strncmp(error->text, path, strlen(path)) == 0 && !A->offsets));
    require(status == STATUS_OK || status == STATUS_INPUT);
    if (status == STATUS_OK)
        require(csr_check(A, error) == STATUS_OK);
    return status;
}

static inline void fuzz_read_matrix(const char *path, enum csr_kind kind)
{
    struct csr A, B;
    struct error error = {""}, other = {""};
    require(fuzz_read_with(1, kind, path, &A, &error) == fuzz_read_with(3, kind, path, &B, &other));
    require(strcmp(error.text, other.text) == 0);
    require_sentence(error.text[0] ? STATUS_INPUT : STATUS_OK, &error);
    require(A.nnz == B.nnz);
    if (A.nnz > 0) {
        require(memcmp(A.offsets, B.offsets, (size_t)(A.n + 1) * sizeof *A.offsets) == 0);
        require(memcmp(A.columns, B.columns, (size_t)A.nnz * sizeof *A.columns) == 0);
        require(memcmp(A.values, B.values, (size_t)A.nnz * sizeof *A.values) == 0);
    }
    csr_free(&A);
    csr_free(&B);
    require(memory_live() == 0);
}

#endif
