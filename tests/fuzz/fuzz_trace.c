/* Two traces held against each other, and one against itself. */
#include "fuzz/fuzz.h"

#include "program/record/trace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"a/trace.csv", "a/trace.npy", "b/trace.csv", "b/trace.npy"};
    const char *a = fuzz_path("a"), *b = fuzz_path("b"), *runs[] = {a, b, fuzz_path("a,x,1")};
    struct error error = {""};
    bool same;
    mkdir(a, 0700);
    mkdir(b, 0700);
    fuzz_files(data, size, names, 4);
    FILE *stream = fuzz_stream();
    for (int k = 0; k < 3; k++) {
        enum status status = trace_diff(stream, runs[k], b, &same, &error);
        require_sentence(status, &error);
        require(status || k != 1 || same);
    }
    fclose(stream);
    require(memory_live() == 0);
    return 0;
}
