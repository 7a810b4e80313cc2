/* Binary files of PETSc, written here byte by byte. */
#include "io/arrays/damage.h"
#include "io/market/matrix_market.h"
#include "support.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static struct error error;

enum { MAT = 1211216, VEC = 1211214, ROWS = 3, ENTRIES = 5 };

static const char wanted[] = "%%MatrixMarket matrix coordinate real general\n"
                             "3 4 5\n1 4 0.1\n1 1 4\n3 2 -2\n3 1 1\n3 3 1e-310\n";
static const int64_t header[] = {MAT, 3, 4, ENTRIES}, lengths[] = {2, 0, 3},
                     columns[] = {3, 0, 1, 0, 2};
static const double values[] = {0.1, 4, -2, 1, 1e-310};

struct bytes {
    unsigned char at[4096];
    int64_t length;
};

static void put(struct bytes *bytes, uint64_t value, int size)
{
    for (int k = size - 1; k >= 0; k--)
        bytes->at[bytes->length++] = (unsigned char)(value >> 8 * k);
}

static void put_integers(struct bytes *bytes, const int64_t *integers, int count, int size)
{
    for (int k = 0; k < count; k++)
        put(bytes, (uint64_t)integers[k], size);
}

static void put_values(struct bytes *bytes, const double *reals, int count)
{
    for (int k = 0; k < count; k++) {
        uint64_t bits;
        memcpy(&bits, &reals[k], sizeof bits);
        put(bytes, bits, 8);
    }
}

static void put_matrix(struct bytes *bytes, const int64_t *head, const int64_t *rows,
                       const int64_t *indices, const double *reals, int size)
{
    put_integers(bytes, head, 4, size);
    put_integers(bytes, rows, ROWS, size);
    put_integers(bytes, indices, ENTRIES, size);
    put_values(bytes, reals, ENTRIES);
}

static void put_vector(struct bytes *bytes, const double *reals, int count, int size)
{
    put_integers(bytes, (const int64_t[]){VEC, count}, 2, size);
    put_values(bytes, reals, count);
}

START_TEST(integers_have_4_bytes_or_8)
{
    uint64_t hash = hash_of_text(wanted);
    for (int size = 4; size <= 8; size += 4)
        for (int vector = 0; vector < 2; vector++) {
            struct bytes file = {.length = 0};
            put_matrix(&file, header, lengths, columns, values, size);
            if (vector)
                put_vector(&file, values, 3, size);
            ck_assert_uint_eq(hash_of_content(file.at, file.length), hash);
        }
}
END_TEST

static void expect_refused(const struct bytes *file, const char *says)
{
    struct csr A;
    const char *path = temporary_file("a.petsc", file->at, file->length);
    expect_error(matrix_market_read(path, CSR_GENERAL, 0, NULL, &A, NULL, &error), STATUS_INPUT,
                 &error, path, says, NULL);
    ck_assert_int_eq(memory_live(), 0);
}

START_TEST(faults_are_told)
{
    static const struct {
        int64_t header[4], lengths[ROWS], columns[ENTRIES];
        double value;
        const char *says;
    } faults[] = {
        {{MAT, 3, 4, 5},
         {2, 0, 3},
         {3, 4, 1, 0, 2},
         1,
         "byte 32: entry 2: the column 4 lies outside"},
        {{MAT, 3, 4, 5}, {2, 0, 3}, {3, -1, 1, 0, 2}, 1, "the column -1 lies outside 0 to 3"},
        {{MAT, 3, 4, 5}, {2, 0, 2}, {3, 0, 1, 0, 2}, 1, "the last row ends after 4 of 5 entries"},
        {{MAT, 3, 4, 5}, {2, 0, 4}, {3, 0, 1, 0, 2}, 1, "byte 24: row 3 has the length 4, after 2"},
        {{MAT, 3, 4, 5}, {2, -1, 4}, {3, 0, 1, 0, 2}, 1, "row 2 has the length -1"},
        {{MAT, 3, 4, 5},
         {2, 0, 3},
         {3, 0, 1, 0, 2},
         INFINITY,
         "byte 48: a(1,4) = inf is not finite"},
        {{MAT, 3, 4, 6}, {2, 0, 3}, {3, 0, 1, 0, 2}, 1, "shorter than its header says"},
        {{MAT, 3, 4, -1}, {2, 0, 3}, {3, 0, 1, 0, 2}, 1, "its matrix is dense"},
        {{MAT, 3, 4, -2}, {2, 0, 3}, {3, 0, 1, 0, 2}, 1, "a size is negative"},
        {{MAT, -3, 4, 5}, {2, 0, 3}, {3, 0, 1, 0, 2}, 1, "a size is negative"},
        {{MAT, 3, 0, 5}, {2, 0, 3}, {3, 0, 1, 0, 2}, 1, "3 x 0"},
        {{MAT, 2, 4, 5}, {2, 0, 3}, {3, 0, 1, 0, 2}, 1, "it goes on after byte 84"},
        {{MAT, INT32_MAX, 4, 5}, {2, 0, 3}, {3, 0, 1, 0, 2}, 1, "shorter than its header says"},
    };
    for (size_t k = 0; k < sizeof faults / sizeof *faults; k++) {
        struct bytes file = {.length = 0};
        double reals[ENTRIES] = {faults[k].value, 1, 1, 1, 1};
        put_matrix(&file, faults[k].header, faults[k].lengths, faults[k].columns, reals, 4);
        expect_refused(&file, faults[k].says);
    }
    struct bytes vector = {.length = 0}, wide = {.length = 0};
    put_vector(&vector, values, 3, 4);
    expect_refused(&vector, "begins with a vector");
    put_matrix(&wide, (const int64_t[]){MAT, INT64_MAX, 4, 5}, lengths, columns, values, 8);
    expect_refused(&wide, "shorter than its header says");
}
END_TEST

START_TEST(damage_is_found)
{
    for (int size = 4; size <= 8; size += 4) {
        struct bytes file = {.length = 0};
        put_matrix(&file, header, lengths, columns, values, size);
        expect_damage_found(file.at, file.length, 1, false);
    }
}
END_TEST

static void expect_vector(const char *path, double first)
{
    int64_t count = 0;
    double b[ROWS] = {-7, -7, -7};
    bool is = false;
    expect_ok(petsc_vectors.begins(path, &is, &error), &error);
    ck_assert(is);
    expect_ok(petsc_vectors.columns(path, ROWS, &count, &error), &error);
    ck_assert_int_eq(count, 1);
    expect_ok(petsc_vectors.read(path, ROWS, 1, 1, 3, b, &error), &error);
    ck_assert(b[0] == -7 && b[1] == 4 && b[2] == -2);
    expect_ok(petsc_vectors.read(path, ROWS, 1, 0, 1, b, &error), &error);
    ck_assert(b[0] == first);
}

START_TEST(vectors_stand_alone_or_after_the_matrix)
{
    for (int size = 4; size <= 8; size += 4)
        for (int matrix = 0; matrix < 2; matrix++) {
            struct bytes file = {.length = 0};
            if (matrix)
                put_matrix(&file, header, lengths, columns, values, size);
            put_vector(&file, values, ROWS, size);
            expect_vector(temporary_file("b.petsc", file.at, file.length), values[0]);
        }
}
END_TEST

static void expect_no_vector(const struct bytes *file, int64_t n, const char *says)
{
    double b[8];
    const char *path = temporary_file("b.petsc", file->at, file->length);
    expect_error(petsc_vectors.read(path, n, 1, 0, n, b, &error), STATUS_INPUT, &error, path, says,
                 NULL);
}

START_TEST(vectors_that_are_none)
{
    static const double odd[] = {1, NAN, 2};
    struct bytes alone = {.length = 0}, matrix = {.length = 0}, two = {.length = 0},
                 not_finite = {.length = 0};
    double b[2 * ROWS];
    put_vector(&alone, values, ROWS, 4);
    expect_no_vector(&alone, 4, "has a vector of 3 elements, but must have 4");
    const char *path = temporary_file("b.petsc", alone.at, alone.length);
    expect_error(petsc_vectors.read(path, ROWS, 2, 0, ROWS, b, &error), STATUS_INPUT, &error,
                 "has one vector, but must have 2", NULL);
    put_matrix(&matrix, header, lengths, columns, values, 4);
    expect_no_vector(&matrix, ROWS, "it has no vector");
    put_vector(&two, values, ROWS, 4);
    put_vector(&two, values, ROWS, 4);
    expect_no_vector(&two, ROWS, "it goes on after byte 32");
    put_vector(&not_finite, odd, ROWS, 4);
    expect_no_vector(&not_finite, ROWS, "byte 16: element 1, counted from 0, is nan");
    for (int64_t k = 8; k < alone.length; k++) {
        struct bytes cut = alone;
        cut.length = k;
        expect_no_vector(&cut, ROWS, "shorter than its header says");
    }
}
END_TEST

Suite *suite(void)
{
    const TTest *const tests[] = {integers_have_4_bytes_or_8,
                                  faults_are_told,
                                  damage_is_found,
                                  vectors_stand_alone_or_after_the_matrix,
                                  vectors_that_are_none,
                                  NULL};
    return suite_of("io/arrays/petsc", tests);
}
