#include "io/packed_file.h"

#include "support.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* Of any text; the forms add less than an eighth and some hundred bytes. */
static size_t most_packed(size_t bytes)
{
    return bytes + bytes / 8 + 1000;
}

static size_t pack_gzip(const char *text, size_t bytes, char *to)
{
    z_stream stream = {.next_in = (z_const Bytef *)text,
                       .avail_in = (uInt)bytes,
                       .next_out = (Bytef *)to,
                       .avail_out = (uInt)most_packed(bytes)};
    ck_assert_int_eq(deflateInit2(&stream, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    ck_assert_int_eq(deflate(&stream, Z_FINISH), Z_STREAM_END);
    ck_assert_int_eq(deflateEnd(&stream), Z_OK);
    return stream.total_out;
}

/* 0: libbz2 is not here. */
static size_t pack_bzip2(const char *text, size_t bytes, char *to)
{
    int (*pack)(char *, unsigned *, const char *, unsigned, int, int, int);
    void *library = dlopen("libbz2.so.1.0", RTLD_NOW | RTLD_LOCAL);
    unsigned length = (unsigned)most_packed(bytes);
    if (!library)
        return 0;
    *(void **)&pack = dlsym(library, "BZ2_bzBuffToBuffCompress");
    ck_assert_int_eq(pack(to, &length, text, (unsigned)bytes, 1, 0, 0), 0);
    return length;
}

/* 0: liblzma is not here. */
static size_t pack_xz(const char *text, size_t bytes, char *to)
{
    enum { FASTEST = 0, CRC64 = 4 };
    int (*pack)(uint32_t, int, void *, const char *, size_t, char *, size_t *, size_t);
    void *library = dlopen("liblzma.so.5", RTLD_NOW | RTLD_LOCAL);
    size_t length = 0;
    if (!library)
        return 0;
    *(void **)&pack = dlsym(library, "lzma_easy_buffer_encode");
    ck_assert_int_eq(pack(FASTEST, CRC64, NULL, text, bytes, to, &length, most_packed(bytes)), 0);
    return length;
}

const char *packed_file(const char *form, const char *name, const char *text, size_t bytes)
{
    char *packed = malloc(most_packed(bytes));
    ck_assert_ptr_nonnull(packed);
    size_t length = strcmp(form, "gzip") == 0    ? pack_gzip(text, bytes, packed)
                    : strcmp(form, "bzip2") == 0 ? pack_bzip2(text, bytes, packed)
                                                 : pack_xz(text, bytes, packed);
    const char *path = length > 0 ? temporary_file(name, packed, (int64_t)length) : NULL;
    free(packed);
    return path;
}
