#include "io/unpack.h"

#include "base/memory.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#if __has_include(<bzlib.h>)
#include <bzlib.h>
#endif

#if __has_include(<lzma.h>)
#include <lzma.h>
#endif

static const char what[] = "unpacking a file";

static enum unpack_result make_stream(struct unpack *unpack, size_t size)
{
    unpack->stream = memory_zeros(1, size, what, &unpack->message);
    return unpack->stream ? UNPACK_MORE : UNPACK_MEMORY;
}

/* The free functions for the libraries. */
static void release(void *unpack, void *memory)
{
    (void)unpack;
    memory_free(memory);
}

static enum unpack_result refuse(struct unpack *unpack, const char *begins, const char *why)
{
    snprintf(unpack->message.text, sizeof unpack->message.text, "%s%s", begins, why);
    return UNPACK_REFUSED;
}

/* The bytes at `next`, and of the room, limited for libraries that count in 32 bits. */
static unsigned count_of(size_t bytes)
{
    return bytes < 1u << 30 ? (unsigned)bytes : 1u << 30;
}

static void moved(struct unpack *unpack, size_t taken, size_t made)
{
    unpack->next += taken;
    unpack->left -= taken;
    unpack->to += made;
    unpack->room -= made;
}

/* --- gzip ------------------------------------------------------------------------------------- */

enum {
    DEFLATE_RATIO = 1032,  /* 258 bytes for two bits */
    WINDOW = 15,           /* of deflate, the largest; negative: without a header */
    GZIP_WINDOW = 15 + 16, /* and a gzip header, not a zlib one */
};

static void *gzip_allocate(void *unpack, unsigned count, unsigned size)
{
    /* zlib leaves parts of its memory unwritten, and reads them without using what it read */
    return memory_zeros(count, size, what, &((struct unpack *)unpack)->message);
}

static enum unpack_result begin_with(struct unpack *unpack, int window)
{
    enum unpack_result result = make_stream(unpack, sizeof(z_stream));
    if (result != UNPACK_MORE)
        return result;
    z_stream *stream = unpack->stream;
    *stream = (z_stream){.zalloc = gzip_allocate, .zfree = release, .opaque = unpack};
    return inflateInit2(stream, window) == Z_OK ? UNPACK_MORE : UNPACK_MEMORY;
}

static enum unpack_result gzip_begin(struct unpack *unpack)
{
    return begin_with(unpack, GZIP_WINDOW);
}

static enum unpack_result deflate_begin(struct unpack *unpack)
{
    return begin_with(unpack, -WINDOW);
}

static enum unpack_result gzip_step(struct unpack *unpack)
{
    z_stream *stream = unpack->stream;
    unsigned left = count_of(unpack->left), room = count_of(unpack->room);
    stream->next_in = (z_const Bytef *)unpack->next;
    stream->avail_in = left;
    stream->next_out = (Bytef *)unpack->to;
    stream->avail_out = room;
    int result = inflate(stream, Z_NO_FLUSH);
    moved(unpack, left - stream->avail_in, room - stream->avail_out);
    switch (result) {
    case Z_OK:
    case Z_BUF_ERROR:
        return UNPACK_MORE;
    case Z_STREAM_END:
        return UNPACK_END;
    case Z_MEM_ERROR:
        return UNPACK_MEMORY;
    default:
        return refuse(unpack, "are damaged: ", stream->msg ? stream->msg : "a preset dictionary");
    }
}

static void gzip_end(struct unpack *unpack)
{
    if (unpack->stream)
        inflateEnd(unpack->stream);
    memory_free(unpack->stream);
    unpack->stream = NULL;
}

static const struct unpack_form gzip = {.name = "gzip",
                                        .ending = ".gz",
                                        .mark = "\x1f\x8b",
                                        .mark_length = 2,
                                        .ratio = DEFLATE_RATIO,
                                        .begin = gzip_begin,
                                        .step = gzip_step,
                                        .end = gzip_end,
                                        .version = zlibVersion};

const struct unpack_form unpack_deflate = {.name = "deflate",
                                           .ratio = DEFLATE_RATIO,
                                           .begin = deflate_begin,
                                           .step = gzip_step,
                                           .end = gzip_end,
                                           .version = zlibVersion};

/* --- bzip2 ------------------------------------------------------------------------------------ */

/* The version from function `name` of the library; "" without a library. */
__attribute__((unused)) static const char *version_of(void *library, const char *name)
{
    const char *(*version)(void) = NULL;
    if (library)
        *(void **)&version = dlsym(library, name);
    return version ? version() : "";
}

#if __has_include(<bzlib.h>)

struct bzip2 {
    bz_stream stream;
    int (*begin)(bz_stream *stream, int verbosity, int small);
    int (*step)(bz_stream *stream);
    int (*end)(bz_stream *stream);
};

static void *bzip2_library(void)
{
    void *library = dlopen("libbz2.so.1.0", RTLD_NOW | RTLD_LOCAL);
    return library ? library : dlopen("libbz2.so.1", RTLD_NOW | RTLD_LOCAL);
}

static void *bzip2_allocate(void *unpack, int count, int size)
{
    return memory_array(count, (size_t)size, what, &((struct unpack *)unpack)->message);
}

static enum unpack_result bzip2_begin(struct unpack *unpack)
{
    void *library = bzip2_library();
    enum unpack_result result = make_stream(unpack, sizeof(struct bzip2));
    if (result != UNPACK_MORE)
        return result;
    struct bzip2 *bzip2 = unpack->stream;
    bzip2->stream = (bz_stream){.bzalloc = bzip2_allocate, .bzfree = release, .opaque = unpack};
    if (library) {
        *(void **)&bzip2->begin = dlsym(library, "BZ2_bzDecompressInit");
        *(void **)&bzip2->step = dlsym(library, "BZ2_bzDecompress");
        *(void **)&bzip2->end = dlsym(library, "BZ2_bzDecompressEnd");
    }
    if (!bzip2->begin || !bzip2->step || !bzip2->end)
        return refuse(unpack, "need ", "libbz2, which is not here: bunzip2 unpacks the file");
    return bzip2->begin(&bzip2->stream, 0, 0) == BZ_OK ? UNPACK_MORE : UNPACK_MEMORY;
}

static enum unpack_result bzip2_step(struct unpack *unpack)
{
    struct bzip2 *bzip2 = unpack->stream;
    bz_stream *stream = &bzip2->stream;
    unsigned left = count_of(unpack->left), room = count_of(unpack->room);
    stream->next_in = (char *)(uintptr_t)unpack->next; /* it only reads them */
    stream->avail_in = left;
    stream->next_out = unpack->to;
    stream->avail_out = room;
    int result = bzip2->step(stream);
    moved(unpack, left - stream->avail_in, room - stream->avail_out);
    if (result == BZ_MEM_ERROR)
        return UNPACK_MEMORY;
    if (result == BZ_STREAM_END)
        return UNPACK_END;
    return result == BZ_OK ? UNPACK_MORE
                           : refuse(unpack, "are damaged: ", "a checksum or a code is wrong");
}

static void bzip2_end(struct unpack *unpack)
{
    struct bzip2 *bzip2 = unpack->stream;
    if (bzip2 && bzip2->end)
        bzip2->end(&bzip2->stream);
    memory_free(bzip2);
    unpack->stream = NULL;
}

static const char *bzip2_version(void)
{
    return version_of(bzip2_library(), "BZ2_bzlibVersion");
}

static const struct unpack_form bzip2 = {.name = "bzip2",
                                         .ending = ".bz2",
                                         .mark = "BZh",
                                         .mark_length = 3,
                                         .begin = bzip2_begin,
                                         .step = bzip2_step,
                                         .end = bzip2_end,
                                         .version = bzip2_version};

#endif

/* --- xz --------------------------------------------------------------------------------------- */

#if __has_include(<lzma.h>)

struct xz {
    lzma_stream stream;
    lzma_allocator allocator;
    lzma_ret (*begin)(lzma_stream *stream, uint64_t memory, uint32_t flags);
    lzma_ret (*step)(lzma_stream *stream, lzma_action action);
    void (*end)(lzma_stream *stream);
};

static void *xz_library(void)
{
    return dlopen("liblzma.so.5", RTLD_NOW | RTLD_LOCAL);
}

static void *xz_allocate(void *unpack, size_t count, size_t size)
{
    return memory_array((int64_t)count, size, what, &((struct unpack *)unpack)->message);
}

static enum unpack_result xz_begin(struct unpack *unpack)
{
    void *library = xz_library();
    enum unpack_result result = make_stream(unpack, sizeof(struct xz));
    if (result != UNPACK_MORE)
        return result;
    struct xz *xz = unpack->stream;
    xz->allocator = (lzma_allocator){.alloc = xz_allocate, .free = release, .opaque = unpack};
    xz->stream = (lzma_stream)LZMA_STREAM_INIT;
    xz->stream.allocator = &xz->allocator;
    if (library) {
        *(void **)&xz->begin = dlsym(library, "lzma_stream_decoder");
        *(void **)&xz->step = dlsym(library, "lzma_code");
        *(void **)&xz->end = dlsym(library, "lzma_end");
    }
    if (!xz->begin || !xz->step || !xz->end)
        return refuse(unpack, "need ", "liblzma, which is not here: unxz unpacks the file");
    return xz->begin(&xz->stream, UINT64_MAX, 0) == LZMA_OK ? UNPACK_MORE : UNPACK_MEMORY;
}

static enum unpack_result xz_step(struct unpack *unpack)
{
    struct xz *xz = unpack->stream;
    lzma_stream *stream = &xz->stream;
    size_t left = unpack->left, room = unpack->room;
    stream->next_in = unpack->next;
    stream->avail_in = left;
    stream->next_out = (uint8_t *)unpack->to;
    stream->avail_out = room;
    lzma_ret result = xz->step(stream, LZMA_RUN);
    moved(unpack, left - stream->avail_in, room - stream->avail_out);
    switch (result) {
    case LZMA_OK:
    case LZMA_BUF_ERROR:
        return UNPACK_MORE;
    case LZMA_STREAM_END:
        return UNPACK_END;
    case LZMA_MEM_ERROR:
        return UNPACK_MEMORY;
    case LZMA_OPTIONS_ERROR:
        return refuse(unpack, "are damaged: ", "a filter that liblzma does not know");
    default:
        return refuse(unpack, "are damaged: ", "a checksum or a code is wrong");
    }
}

static void xz_end(struct unpack *unpack)
{
    struct xz *xz = unpack->stream;
    if (xz && xz->end)
        xz->end(&xz->stream);
    memory_free(xz);
    unpack->stream = NULL;
}

static const char *xz_version(void)
{
    return version_of(xz_library(), "lzma_version_string");
}

static const struct unpack_form xz = {.name = "xz",
                                      .ending = ".xz",
                                      .mark = "\xfd"
                                              "7zXZ",
                                      .mark_length = 5,
                                      .begin = xz_begin,
                                      .step = xz_step,
                                      .end = xz_end,
                                      .version = xz_version};

#endif

const struct unpack_form *const unpack_forms[] = {&gzip,
#if __has_include(<bzlib.h>)
                                                  &bzip2,
#endif
#if __has_include(<lzma.h>)
                                                  &xz,
#endif
                                                  NULL};

const struct unpack_form *unpack_form_of(const unsigned char *bytes, size_t count)
{
    for (int k = 0; unpack_forms[k]; k++)
        if (count >= unpack_forms[k]->mark_length &&
            memcmp(bytes, unpack_forms[k]->mark, unpack_forms[k]->mark_length) == 0)
            return unpack_forms[k];
    return NULL;
}

bool unpack_name_ends(const char *name, const char *ending)
{
    size_t length = strlen(name), least = strlen(ending);
    for (int k = 0; unpack_forms[k]; k++) {
        size_t packed = strlen(unpack_forms[k]->ending);
        if (length > packed && strcmp(name + length - packed, unpack_forms[k]->ending) == 0) {
            length -= packed;
            break;
        }
    }
    return length > least && memcmp(name + length - least, ending, least) == 0;
}
