#include "io/npy_header.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the bytes of numbers are turned where the header says '>', as in '>f8'"
#endif

enum { BEFORE = 10, BEFORE_2 = 12, HEADER = 4096 }; /* the dictionary, in versions 1 and 2 */

static const char magic[] = "\x93NUMPY";

static enum status refuse(const char *name, const char *what, struct error *error)
{
    return error_set(error, STATUS_INPUT, "%s: %s", name, what);
}

/* The text after 'KEY': in the dictionary, or NULL. */
static const char *value_of(const char *dictionary, const char *key)
{
    const char *at = strstr(dictionary, key);
    at = at ? at + strlen(key) : NULL;
    return at ? at + strspn(at, " ") : NULL;
}

static bool begins_with(const char *text, const char *beginning)
{
    return text && strncmp(text, beginning, strlen(beginning)) == 0;
}

/* "(3,)" or "(3, 4)" */
static bool take_shape(struct npy_header *header, const char *shape)
{
    int end = 0;
    header->columns = 1;
    if (shape && sscanf(shape, "(%" SCNd64 " , )%n", &header->rows, &end) == 1 && end == 0)
        sscanf(shape, "(%" SCNd64 " , %" SCNd64 " )%n", &header->rows, &header->columns, &end);
    return end > 0 && header->rows >= 0 && header->columns >= 0;
}

/* "'<f8'" */
static bool take_type(struct number_type *type, const char *text)
{
    char order;
    int end = 0;
    if (!text || sscanf(text, "'%c%c%1d'%n", &order, &type->kind, &type->size, &end) != 3)
        return false;
    type->turned = order == '>';
    bool power = type->size == 1 || type->size == 2 || type->size == 4 || type->size == 8;
    return end > 0 && strchr("<>|=", order) && strchr("fiu", type->kind) && power &&
           (type->kind != 'f' || type->size >= 4);
}

static enum status take_dictionary(struct npy_header *header, const char *dictionary,
                                   const char *name, int64_t held, struct error *error)
{
    const char *order = value_of(dictionary, "'fortran_order':");
    if (!take_type(&header->type, value_of(dictionary, "'descr':")))
        return refuse(name,
                      "is not an array of numbers: of real ones of 4 or 8 bytes, as numpy.float64 "
                      "has them, or of integers",
                      error);
    header->fortran = begins_with(order, "True");
    if ((!header->fortran && !begins_with(order, "False")) ||
        !take_shape(header, value_of(dictionary, "'shape':")))
        return refuse(name, "is an array neither of one dimension nor of two", error);
    if (header->columns == 0)
        return refuse(name, "has no columns", error);
    return header->rows > held / header->type.size / header->columns
               ? refuse(name, "is shorter than its header says", error)
               : STATUS_OK;
}

/* The bytes of the dictionary. Errors: those of byte_stream_read. */
static enum status read_length(struct byte_stream *bytes, const unsigned char first[BEFORE],
                               int64_t *length, struct error *error)
{
    unsigned char more[BEFORE_2 - BEFORE] = {0};
    enum status status = STATUS_OK;
    if (first[6] > 1)
        status = byte_stream_read(bytes, more, sizeof more, error);
    *length = first[8] | first[9] << 8 | (int64_t)more[0] << 16 | (int64_t)more[1] << 24;
    return status;
}

enum status npy_header_read(struct byte_stream *bytes, const char *name, struct npy_header *header,
                            struct error *error)
{
    unsigned char first[BEFORE];
    char dictionary[HEADER + 1] = "";
    int64_t length;
    if (bytes->part.size < BEFORE_2)
        return refuse(name, "is shorter than its header says", error);
    enum status status = byte_stream_read(bytes, first, BEFORE, error);
    if (!status)
        status = read_length(bytes, first, &length, error);
    if (status)
        return status;
    if (memcmp(first, magic, sizeof magic - 1) != 0 || first[6] < 1 || first[6] > 3 ||
        length > HEADER)
        return refuse(name, "is not a .npy file of version 1, 2 or 3", error);
    if (length > bytes->part.size)
        return refuse(name, "is shorter than its header says", error);
    status = byte_stream_read(bytes, dictionary, length, error);
    return status ? status : take_dictionary(header, dictionary, name, bytes->part.size, error);
}

void npy_header_make(char header[NPY_HEADER], const char *type, bool fortran, const char *shape)
{
    static const char first[] = {'\x93', 'N', 'U', 'M', 'P', 'Y', 1, 0, NPY_HEADER - 10, 0};
    char text[NPY_HEADER];
    int length =
        snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': %s, 'shape': (%s), }", type,
                 fortran ? "True" : "False", shape);
    memset(header, ' ', NPY_HEADER);
    memcpy(header, first, sizeof first);
    memcpy(header + sizeof first, text, (size_t)length);
    header[NPY_HEADER - 1] = '\n';
}

/* --- numbers ---------------------------------------------------------------------------------- */

/* The bytes as an integer without a sign, in the lowest places. */
static uint64_t bits_of(const struct number_type *type, const unsigned char *bytes)
{
    uint64_t bits = 0;
    for (int k = 0; k < type->size; k++)
        bits |= (uint64_t)bytes[type->turned ? type->size - 1 - k : k] << 8 * k;
    return bits;
}

static int64_t with_sign(const struct number_type *type, uint64_t bits)
{
    int above = 64 - 8 * type->size;
    return (int64_t)(bits << above) >> above;
}

double number_real(const struct number_type *type, const unsigned char *bytes, bool *exact)
{
    union {
        uint64_t bits;
        double real;
        float single;
    } as = {bits_of(type, bytes)};
    *exact = true;
    if (type->kind == 'f')
        return type->size == 8 ? as.real : (double)as.single;
    bool negative = type->kind == 'i' && with_sign(type, as.bits) < 0;
    uint64_t magnitude = negative ? 0 - (uint64_t)with_sign(type, as.bits) : as.bits;
    double value = (double)magnitude;
    *exact = value < 0x1p64 && (uint64_t)value == magnitude;
    return negative ? -value : value;
}

int64_t number_integer(const struct number_type *type, const unsigned char *bytes, bool *exact)
{
    uint64_t bits = bits_of(type, bytes);
    *exact = type->kind == 'i' || bits <= INT64_MAX;
    return type->kind == 'i' ? with_sign(type, bits) : (int64_t)bits;
}
