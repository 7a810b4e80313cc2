/* MAT-files of MATLAB, written here byte by byte. */
#include "archive.h"
#include "io/arrays/damage.h"
#include "io/market/matrix_market.h"
#include "support.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static struct error error;

enum { ROWS = 4, COLUMNS = 3, ENTRIES = 5, ROOM = 4096 };
enum {
    INT8 = 1,
    UINT8 = 2,
    UINT16 = 4,
    INT32 = 5,
    UINT32 = 6,
    SINGLE = 7,
    DOUBLE = 9,
    MATRIX = 14
};
enum { OF_DOUBLES = 6, SPARSE = 5, STRUCT = 2 };

static const char wanted[] = "%%MatrixMarket matrix coordinate real general\n"
                             "4 3 5\n1 1 4\n4 1 7\n2 3 1\n4 3 250\n3 3 2\n";
static const double values[] = {4, 7, 1, 250, 2}, wild[] = {4, 7, NAN, 250, 2};
static const int64_t rows[] = {0, 3, 1, 3, 2}, begins[] = {0, 2, 2, ENTRIES};

/* What a variable has; a test changes some of it. */
struct content {
    const char *name;
    int flags;
    int64_t rows, columns;
    int value, index; /* types */
    const int64_t *rows_of, *begins;
    const double *values;
    int entries; /* of rows_of */
    bool turned;
};

struct bytes {
    unsigned char at[ROOM];
    size_t length, begin; /* of the variable, from which it is padded */
    bool turned;
};

static struct content usual(void)
{
    return (struct content){"A",  0,      ROWS,   COLUMNS, DOUBLE, INT32,
                            rows, begins, values, ENTRIES, false};
}

static void put(struct bytes *bytes, uint64_t value, int size)
{
    for (int k = 0; k < size; k++)
        bytes->at[bytes->length++] =
            (unsigned char)(value >> 8 * (bytes->turned ? size - 1 - k : k));
}

static int size_of(int type)
{
    return type <= UINT8 ? 1 : type <= UINT16 ? 2 : type <= SINGLE ? 4 : 8;
}

static void pad(struct bytes *bytes)
{
    while ((bytes->length - bytes->begin) % 8)
        put(bytes, 0, 1);
}

/* Contents of at most 4 bytes stand in the tag, as MATLAB has them. */
static void put_tag(struct bytes *bytes, int type, int64_t size)
{
    bool small = size <= 4 && type != MATRIX;
    put(bytes, small ? (uint64_t)(size << 16 | type) : (uint64_t)type, 4);
    if (!small)
        put(bytes, (uint64_t)size, 4);
}

static void put_number(struct bytes *bytes, int type, double value)
{
    float single = (float)value;
    uint64_t bits = (uint64_t)(int64_t)value;
    uint32_t short_bits;
    if (type == DOUBLE)
        memcpy(&bits, &value, sizeof bits);
    if (type == SINGLE) {
        memcpy(&short_bits, &single, sizeof short_bits);
        bits = short_bits;
    }
    put(bytes, bits, size_of(type));
}

static void put_integers(struct bytes *bytes, int type, const int64_t *integers, int count)
{
    put_tag(bytes, type, count * size_of(type));
    for (int k = 0; k < count; k++)
        put(bytes, (uint64_t)integers[k], size_of(type));
    pad(bytes);
}

static void put_text(struct bytes *bytes, const char *text, int size)
{
    put_tag(bytes, INT8, size);
    for (int k = 0; k < size; k++)
        put(bytes, (unsigned char)text[k], 1);
    pad(bytes);
}

/* The tag of a matrix, whose size is set when it ends. */
static size_t begin_matrix(struct bytes *bytes, int class, int flags, int64_t m, int64_t n,
                           const char *name)
{
    size_t begin = bytes->length;
    put_tag(bytes, MATRIX, 8);
    put_integers(bytes, UINT32, (const int64_t[]){flags << 8 | class, ENTRIES}, 2);
    put_integers(bytes, INT32, (const int64_t[]){m, n}, 2);
    put_text(bytes, name, (int)strlen(name));
    return begin;
}

static void end_matrix(struct bytes *bytes, size_t begin)
{
    size_t end = bytes->length;
    bytes->length = begin + 4;
    put(bytes, end - begin - 8, 4);
    bytes->length = end;
}

static void put_sparse(struct bytes *bytes, const struct content *of)
{
    size_t begin = begin_matrix(bytes, SPARSE, of->flags, of->rows, of->columns, of->name);
    put_integers(bytes, of->index, of->rows_of, of->entries);
    put_integers(bytes, of->index, of->begins, COLUMNS + 1);
    put_tag(bytes, of->value, ENTRIES * size_of(of->value));
    for (int k = 0; k < ENTRIES; k++)
        put_number(bytes, of->value, of->values[k]);
    pad(bytes);
    end_matrix(bytes, begin);
}

static void put_doubles(struct bytes *bytes, const char *name)
{
    size_t begin = begin_matrix(bytes, OF_DOUBLES, 0, 1, 1, name);
    put_tag(bytes, DOUBLE, 8);
    put_number(bytes, DOUBLE, 3);
    end_matrix(bytes, begin);
}

/* With fields title, A, b, of names of 8 bytes. */
static void put_struct(struct bytes *bytes, const char *name, const struct content *of)
{
    struct content field = *of;
    size_t begin = begin_matrix(bytes, STRUCT, 0, 1, 1, name);
    field.name = "";
    put_integers(bytes, INT32, (const int64_t[]){8}, 1);
    put_text(bytes, "title\0\0\0A\0\0\0\0\0\0\0b\0\0\0\0\0\0", 24);
    put_doubles(bytes, "");
    put_sparse(bytes, &field);
    put_doubles(bytes, "");
    end_matrix(bytes, begin);
}

static void begin_file(struct bytes *bytes, bool turned)
{
    *bytes = (struct bytes){.begin = 128, .turned = turned};
    memset(bytes->at, ' ', 124);
    memcpy(bytes->at, "MATLAB 5.0 MAT-file, made by a test", 35);
    bytes->length = 124;
    put(bytes, 0x0100, 2);
    put(bytes, 'M' << 8 | 'I', 2);
}

/* What has come since `begin`, packed. */
static void pack(struct bytes *bytes, size_t begin)
{
    unsigned char packed[ROOM];
    uLongf length = ROOM;
    ck_assert_int_eq(compress(packed, &length, bytes->at + begin, bytes->length - begin), Z_OK);
    bytes->length = begin;
    put(bytes, 15, 4);
    put(bytes, length, 4);
    memcpy(bytes->at + bytes->length, packed, length);
    bytes->begin = bytes->length += length;
}

static struct bytes made;

static const struct bytes *make(const struct content *of)
{
    begin_file(&made, of->turned);
    put_sparse(&made, of);
    return &made;
}

static uint64_t hash_of(const struct bytes *bytes)
{
    return hash_of_content(bytes->at, (int64_t)bytes->length);
}

START_TEST(forms_are_the_same_matrix)
{
    static const int types[] = {DOUBLE, SINGLE, UINT8, UINT16, INT32};
    uint64_t hash = hash_of_text(wanted);
    for (int k = 0; k < 5; k++)
        for (int turned = 0; turned < 2; turned++)
            for (int packed = 0; packed < 2; packed++)
                for (int in_struct = 0; in_struct < 2; in_struct++) {
                    struct content of = usual();
                    of.value = types[k];
                    of.index = packed ? UINT32 : INT32;
                    begin_file(&made, turned);
                    put_doubles(&made, "x");
                    size_t begin = made.length;
                    if (in_struct)
                        put_struct(&made, "Problem", &of);
                    else
                        put_sparse(&made, &of);
                    if (packed)
                        pack(&made, begin);
                    begin = made.length;
                    put_doubles(&made, "y"); /* after a packed one there is no padding */
                    if (packed)
                        pack(&made, begin);
                    ck_assert_msg(hash_of(&made) == hash,
                                  "type %d, turned %d, packed %d, in a struct %d", types[k], turned,
                                  packed, in_struct);
                }
}
END_TEST

static void expect_refused(const char *says, const char *also)
{
    struct csr A;
    const char *path = temporary_file("a.mat", (const char *)made.at, (int64_t)made.length);
    expect_error(matrix_market_read(path, CSR_GENERAL, 0, NULL, &A, NULL, &error), STATUS_INPUT,
                 &error, path, says, also, NULL);
    ck_assert_int_eq(memory_live(), 0);
}

START_TEST(the_matrix_is_called_A)
{
    struct content of = usual(), other = usual();
    other.name = "B";
    other.values = (const double[]){1, 1, 1, 1, 1};
    for (int first = 0; first < 2; first++) {
        begin_file(&made, false);
        put_sparse(&made, first ? &of : &other);
        put_sparse(&made, first ? &other : &of);
        ck_assert_uint_eq(hash_of(&made), hash_of_text(wanted));
    }
    of.name = "AA";
    begin_file(&made, false);
    put_sparse(&made, &of);
    ck_assert_uint_eq(hash_of(&made), hash_of_text(wanted));
    put_sparse(&made, &other);
    expect_refused("several sparse matrices", "not one of them alone is A");
    of.name = "A";
    begin_file(&made, false);
    put_sparse(&made, &of);
    put_struct(&made, "Problem", &of);
    expect_refused("several sparse matrices", "");
    begin_file(&made, false);
    put_doubles(&made, "A");
    expect_refused("it has no sparse matrix", "");
}
END_TEST

#define WITH(member, ...) (of = usual(), of.member = (__VA_ARGS__), make(&of))

START_TEST(faults_are_told)
{
    static const int64_t wide[] = {0, 3, 4, 3, 2}, back[] = {0, 2, 1, ENTRIES},
                         many[] = {0, 2, 2, 6}, few[] = {0, 2, 2, -1};
    struct content of;
    WITH(rows_of, wide);
    expect_refused("byte 192: entry 3: the row 4 lies outside 0 to 3", "");
    WITH(begins, back);
    expect_refused("column 2 ends at 1, after 2 of 5 entries", "byte 224");
    WITH(values, wild);
    expect_refused("a(2,3) = nan is not finite", "byte 256");
    WITH(begins, many);
    expect_refused("the lengths of its arrays do not fit", "a MAT-file");
    WITH(begins, few);
    expect_refused("the lengths of its arrays do not fit", "");
    WITH(columns, COLUMNS + 1);
    expect_refused("the lengths of its arrays do not fit", "");
    WITH(entries, ENTRIES - 1);
    expect_refused("the lengths of its arrays do not fit", "");
    WITH(index, DOUBLE);
    expect_refused("the lengths of its arrays do not fit", "");
    WITH(flags, 8);
    expect_refused("its matrix is complex", "");
    WITH(rows, 0);
    expect_refused("0 x 3", "1 to 2147483647");
    WITH(value, 16);
    expect_refused("an array of the matrix has no numbers", "");
    of = usual();
    make(&of);
    made.at[7] = '7';
    expect_refused("only version 5 can be read", "-v7");
    pack(&made, 128);
    made.at[7] = '5';
    made.at[140] ^= 0x40;
    expect_refused("a.mat", "");
}
END_TEST

START_TEST(a_pattern_is_integers)
{
    struct content of = usual();
    struct matrix_market_report report;
    struct csr A;
    of.flags = 2;
    of.value = UINT8;
    make(&of);
    const char *path = temporary_file("a.mat", (const char *)made.at, (int64_t)made.length);
    expect_ok(matrix_market_read(path, CSR_GENERAL, 0, NULL, &A, &report, &error), &error);
    csr_free(&A);
    ck_assert_str_eq(report.field, "integer");
}
END_TEST

START_TEST(damage_is_found)
{
    for (int packed = 0; packed < 2; packed++) {
        struct content of = usual();
        begin_file(&made, false);
        put_struct(&made, "Problem", &of);
        if (packed)
            pack(&made, 128);
        expect_damage_found(made.at, (int64_t)made.length, 1, false);
    }
}
END_TEST

START_TEST(memory_may_be_short)
{
    struct content of = usual();
    make(&of);
    pack(&made, 128);
    expect_memory_may_be_short(
        temporary_file("a.mat", (const char *)made.at, (int64_t)made.length));
}
END_TEST

Suite *suite(void)
{
    const TTest *const tests[] = {forms_are_the_same_matrix,
                                  the_matrix_is_called_A,
                                  faults_are_told,
                                  a_pattern_is_integers,
                                  damage_is_found,
                                  memory_may_be_short,
                                  NULL};
    return suite_of("io/arrays/matlab", tests);
}
