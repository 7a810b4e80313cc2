/* A gzipped matrix: text that is packed here, in one or two members, and then cut or changed; or
 * the bytes as they are. It gives the same with one thread and with three. */
#include "fuzz/fuzz.h"

#include "base/threads.h"
#include "io/market/matrix_market.h"

#include <ctype.h>
#include <zlib.h>

enum { PACKED = 0x01, TWO = 0x02, CHANGED = 0x04, CUT = 0x08, MORE = 0x10 };
enum { MOST = 20000, ROOM = 1 << 17 };

static size_t pack(const uint8_t *text, size_t size, uint8_t *packed, size_t room)
{
    z_stream stream = {0};
    require(deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, 0) == Z_OK);
    stream.next_in = (Bytef *)text;
    stream.avail_in = (uInt)size;
    stream.next_out = packed;
    stream.avail_out = (uInt)room;
    deflate(&stream, Z_FINISH);
    deflateEnd(&stream);
    return room - stream.avail_out;
}

static size_t make_file(const uint8_t how[3], const uint8_t *text, size_t size, uint8_t *file)
{
    if (!(how[0] & PACKED)) {
        memcpy(file, text, size);
        return size;
    }
    size_t first = how[0] & TWO ? how[1] * size / 256 : size;
    size_t length = pack(text, first, file, ROOM / 2);
    if (first < size)
        length += pack(text + first, size - first, file + length, ROOM / 2);
    if (how[0] & CHANGED)
        file[(how[1] + 256u * how[2]) % length] ^= how[2] | 1;
    if (how[0] & CUT)
        length = length * how[2] / 256;
    if (how[0] & MORE)
        file[length++] = how[1];
    return length;
}

/* A size line of 10^6 rows is no fault, but each would cost time. */
static bool is_costly(const uint8_t *text, size_t size)
{
    size_t digits = 0;
    for (size_t k = 0; k < size && digits < 6; k++)
        digits = isdigit(text[k]) ? digits + 1 : 0;
    return digits >= 6;
}

static enum status read_by(int threads, const char *path, struct csr *A, struct error *error)
{
    struct matrix_market_report report;
    struct threads *before;
    require(threads_begin(threads, &before, error) == STATUS_OK);
    enum status status = matrix_market_read(path, CSR_SYMMETRIC, 1e-3, NULL, A, &report, error);
    threads_end(before);
    require(status == STATUS_OK || (status == STATUS_INPUT && !A->offsets));
    require_sentence(status, error);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint8_t file[ROOM + 1];
    struct csr A, B;
    struct error error = {""}, other = {""};
    if (size < 4 || size > MOST || is_costly(data + 3, size - 3))
        return 0;
    fuzz_write(fuzz_path("a.mtx.gz"), file, make_file(data, data + 3, size - 3, file));
    const char *path = fuzz_path("a.mtx.gz");
    require(read_by(1, path, &A, &error) == read_by(3, path, &B, &other));
    require(strcmp(error.text, other.text) == 0 && A.nnz == B.nnz);
    csr_free(&A);
    csr_free(&B);
    require(memory_live() == 0);
    return 0;
}
