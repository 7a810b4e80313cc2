/* A .npz file of SciPy, whose checksums are right: the archive is made here, of arrays that the
 * input says. Then a byte of it is another, or it is cut off. */
#include "archive.h"
#include "fuzz/fuzz_matrix.h"

enum { HOW = 10 };

static const char *const types[] = {"<i4", "<i8", "<f8", "<f4", ">i4", ">f8", "<u8", "|i1"};

/* Takes the next bytes of the input, for `count` elements if there are as many. */
static void add(struct archive *archive, const char *name, uint8_t how, size_t count,
                const uint8_t **data, size_t *size)
{
    const char *type = types[how % 8];
    size_t element = (size_t)(type[2] - '0');
    char shape[32];
    count = count < *size / element ? count : *size / element;
    snprintf(shape, sizeof shape, "%zu,", count);
    archive_add_npy(archive, name, type, shape, *data, count * element, how & 8);
    *data += count * element;
    *size -= count * element;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const formats[] = {"csr", "csc", "coo", "bsr"};
    static struct archive archive;
    const uint8_t *how = data;
    if (size < HOW || size > 4096)
        return 0;
    const char *format = formats[how[0] % 4], *path = fuzz_path("a.npz");
    bool coo = strcmp(format, "coo") == 0;
    uint8_t shape[16] = {how[1], 0, 0, 0, 0, 0, 0, 0, how[2]};
    data += HOW;
    size -= HOW;
    archive = (struct archive){.length = 0};
    archive_add_npy(&archive, "format.npy", "|S3", "", format, 3, how[0] & 4);
    archive_add_npy(&archive, "shape.npy", "<i8", "2,", shape, sizeof shape, how[0] & 8);
    add(&archive, coo ? "row.npy" : "indptr.npy", how[3], how[8], &data, &size);
    add(&archive, coo ? "col.npy" : "indices.npy", how[4], how[9], &data, &size);
    add(&archive, "data.npy", how[5], size, &data, &size);
    archive_end(&archive);
    if (how[0] & 16)
        archive.bytes[(how[6] + 256u * how[7]) % archive.length] ^= (uint8_t)(how[7] | 1);
    if (how[0] & 32)
        archive.length = archive.length * how[6] / 256;
    fuzz_write(path, archive.bytes, archive.length);
    fuzz_read_matrix(path, CSR_SYMMETRIC);
    fuzz_read_matrix(path, CSR_GENERAL);
    return 0;
}
