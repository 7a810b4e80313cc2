#include "matrix/pattern.h"

#include <string.h>

static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyz";

int csr_pattern_digit(char cell)
{
    const char *at = cell ? strchr(digits, cell) : NULL;
    return at ? (int)(at - digits) : -1;
}

/* Where cell c of `size` ends. */
static int64_t end_of(int64_t c, int64_t size, int64_t n)
{
    return ((c + 1) * n + size - 1) / size;
}

/* Columns ascend, so no entry needs a division. */
static void count_row(const struct csr *A, int64_t i, int64_t r, int64_t size,
                      int64_t counts[PATTERN_MOST][PATTERN_MOST])
{
    bool mirrored = A->kind != CSR_GENERAL;
    int64_t c = 0, end = end_of(0, size, A->n);
    for (int64_t k = A->offsets[i]; k < A->offsets[i + 1]; k++) {
        int64_t j = A->columns[k];
        if (mirrored && j == i && A->values[k] == 0)
            continue;
        while (j >= end)
            end = end_of(++c, size, A->n);
        counts[r][c]++;
        if (mirrored && j != i)
            counts[c][r]++;
    }
}

void csr_pattern_make(const struct csr *A, struct csr_pattern *pattern)
{
    int64_t counts[PATTERN_MOST][PATTERN_MOST] = {{0}};
    int64_t size = A->n < PATTERN_MOST ? A->n : PATTERN_MOST, r = 0;
    *pattern = (struct csr_pattern){.size = size};
    for (int64_t i = 0; i < A->n; i++) {
        while (i >= end_of(r, size, A->n))
            r++;
        count_row(A, i, r, size, counts);
    }
    for (r = 0; r < size; r++)
        for (int64_t c = 0; c < size; c++) {
            int digit = 0;
            while (counts[r][c] >> digit)
                digit++;
            pattern->cells[r][c] = digits[digit < 35 ? digit : 35];
        }
}
