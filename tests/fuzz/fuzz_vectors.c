/* Right-hand sides: .npy, plain text and Matrix Market, of n rows and some columns. */
#include "fuzz/fuzz.h"

#include "io/market/matrix_market.h"
#include "io/vectors.h"

#include <math.h>

enum { ROWS_MOST = 9, COLUMNS_MOST = 64 };

static double B[ROWS_MOST * COLUMNS_MOST];

/* Rows from `first` on are finite numbers, and the others are left as they are. */
static void check_rows(int64_t n, int64_t columns, int64_t first)
{
    for (int64_t j = 0; j < columns; j++)
        for (int64_t i = 0; i < n; i++)
            require(i < first ? B[j * n + i] == -7 : isfinite(B[j * n + i]));
}

static void forget(void)
{
    for (int k = 0; k < ROWS_MOST * COLUMNS_MOST; k++)
        B[k] = -7;
}

static void read_npy(const char *path, int64_t n, int64_t first)
{
    struct error error = {""};
    int64_t columns = 0;
    bool is_npy = false;
    enum status status = npy_vectors.begins(path, &is_npy, &error);
    if (!status && is_npy)
        status = npy_vectors.columns(path, n, &columns, &error);
    require_sentence(status, &error);
    require(status || !is_npy || columns >= 1);
    if (status || !is_npy || columns > COLUMNS_MOST)
        return;
    forget();
    status = npy_vectors.read(path, n, columns, first, n, B, &error);
    require_sentence(status, &error);
    if (!status)
        check_rows(n, columns, first);
}

static void read_text(const char *path, int64_t n, int64_t first)
{
    struct error error = {""};
    int64_t columns = 0;
    bool is_text = false;
    enum status status = text_vectors.begins(path, &is_text, &error);
    if (!status && is_text)
        status = text_vectors.columns(path, n, &columns, &error);
    require_sentence(status, &error);
    require(status || !is_text || columns >= 1);
    if (status || !is_text || columns > COLUMNS_MOST)
        return;
    forget();
    status = text_vectors.read(path, n, columns, first, n, B, &error);
    require_sentence(status, &error);
    if (!status)
        check_rows(n, columns, first);
}

/* Two bytes say n and the first row that is wanted. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct error error = {""};
    if (size < 2)
        return 0;
    int64_t n = data[0] % ROWS_MOST + 1, first = data[1] % n;
    const char *path = fuzz_path("b");
    fuzz_write(path, data + 2, size - 2);
    read_npy(path, n, first);
    read_text(path, n, first);
    require_sentence(market_vectors.read(path, n, 1, 0, n, B, &error), &error);
    require(memory_live() == 0);
    return 0;
}
