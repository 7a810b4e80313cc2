/* A table of products that an earlier bench has begun. One that is taken and gets a row more is
 * taken again. */
#include "fuzz/fuzz.h"

#include "program/record/bench_csv.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *path = fuzz_path("bench.csv");
    struct bench_csv csv;
    struct error error = {""};
    fuzz_write(path, data, size);
    unlink(fuzz_path("bench.csv.partial"));
    enum status status = bench_csv_open(path, 1, &csv, &error);
    require_sentence(status, &error);
    if (!status) {
        bench_csv_find(&csv, "a", "b", "c");
        require(bench_csv_matrix(&csv, "a\033,\"b", BENCH_ERROR, "why\"", &error) == STATUS_OK);
        require(bench_csv_finish(&csv, &error) == STATUS_OK);
        require(bench_csv_open(path, 1, &csv, &error) == STATUS_OK);
        bench_csv_abandon(&csv);
    }
    require(memory_live() == 0);
    return 0;
}
