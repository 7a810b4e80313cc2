/* A zip archive of .npy files, made member by member, stored or deflated: for tests and fuzzers. */
#ifndef TESTS_ARCHIVE_H
#define TESTS_ARCHIVE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

enum { ARCHIVE_MOST = 1 << 16, ARCHIVE_MEMBERS = 8 };

struct archive {
    unsigned char bytes[ARCHIVE_MOST], directory[1024];
    size_t length, directory_length;
    int members;
};

static inline void archive_put(unsigned char **at, uint64_t value, int size)
{
    for (int k = 0; k < size; k++)
        *(*at)++ = (unsigned char)(value >> 8 * k);
}

static inline size_t archive_deflate(const void *bytes, size_t count, unsigned char *to,
                                     size_t room)
{
    z_stream stream = {.next_in = (z_const Bytef *)bytes,
                       .avail_in = (uInt)count,
                       .next_out = to,
                       .avail_out = (uInt)room};
    deflateInit2(&stream, 6, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY);
    deflate(&stream, Z_FINISH);
    deflateEnd(&stream);
    return stream.total_out;
}

/* What the header in the file and the one in the directory have alike. */
static inline void archive_common(unsigned char **at, bool deflated, uint32_t crc, size_t packed,
                                  size_t count, const char *name)
{
    archive_put(at, 20, 2);
    archive_put(at, 0, 2);
    archive_put(at, deflated ? 8 : 0, 2);
    archive_put(at, 0, 4);
    archive_put(at, crc, 4);
    archive_put(at, packed, 4);
    archive_put(at, count, 4);
    archive_put(at, strlen(name), 2);
    archive_put(at, 0, 2);
}

/* Add a member, bytes[count]. There is room for all. */
static inline void archive_add(struct archive *archive, const char *name, const void *bytes,
                               size_t count, bool deflated)
{
    static unsigned char packed[ARCHIVE_MOST];
    size_t length = deflated ? archive_deflate(bytes, count, packed, sizeof packed) : count;
    uint32_t crc = (uint32_t)crc32(0, bytes, (uInt)count);
    unsigned char *at = archive->bytes + archive->length, *entry;
    size_t begin = archive->length;
    archive_put(&at, 0x04034b50, 4);
    archive_common(&at, deflated, crc, length, count, name);
    memcpy(at, name, strlen(name));
    at += strlen(name);
    memcpy(at, deflated ? packed : bytes, length);
    archive->length = (size_t)(at + length - archive->bytes);
    entry = archive->directory + archive->directory_length;
    archive_put(&entry, 0x02014b50, 4);
    archive_put(&entry, 20, 2);
    archive_common(&entry, deflated, crc, length, count, name);
    archive_put(&entry, 0, 8);
    archive_put(&entry, 0, 2);
    archive_put(&entry, begin, 4);
    memcpy(entry, name, strlen(name));
    archive->directory_length = (size_t)(entry + strlen(name) - archive->directory);
    archive->members++;
}

/* A .npy file of that type ("<i4") and shape ("3,"), whose elements are bytes[count]. */
static inline void archive_add_npy(struct archive *archive, const char *name, const char *type,
                                   const char *shape, const void *bytes, size_t count,
                                   bool deflated)
{
    static unsigned char file[ARCHIVE_MOST];
    int length = snprintf((char *)file + 10, 118,
                          "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", type, shape);
    memcpy(file, "\x93NUMPY\1\0\x76\0", 10);
    memset(file + 10 + length, ' ', (size_t)(118 - length));
    file[127] = '\n';
    memcpy(file + 128, bytes, count);
    archive_add(archive, name, file, 128 + count, deflated);
}

/* The directory, after which nothing is added. */
static inline void archive_end(struct archive *archive)
{
    unsigned char *at = archive->bytes + archive->length;
    size_t begin = archive->length;
    memcpy(at, archive->directory, archive->directory_length);
    at += archive->directory_length;
    archive_put(&at, 0x06054b50, 4);
    archive_put(&at, 0, 4);
    archive_put(&at, (uint64_t)archive->members, 2);
    archive_put(&at, (uint64_t)archive->members, 2);
    archive_put(&at, archive->directory_length, 4);
    archive_put(&at, begin, 4);
    archive_put(&at, 0, 2);
    archive->length = (size_t)(at - archive->bytes);
}

#endif
