/* Vectors as plain text: what a solution is written as is read with its bits, and what is
 * refused. */
#include "io/vectors.h"

#include "support.h"

#include <stdio.h>
#include <string.h>

enum { N = 500, COLUMNS = 3 };

/* Any bits that are finite. */
static double draw(uint64_t *state)
{
    double value;
    do {
        uint64_t bits =
            (uint64_t)(test_random(state) * 0x1p32) << 32 | (uint64_t)(test_random(state) * 0x1p32);
        memcpy(&value, &bits, sizeof value);
    } while (value - value != 0);
    return value;
}

/* Columns of doubles with 17 digits, in all parts that ranks could want. */
START_TEST(numbers_come_back)
{
    static double B[COLUMNS][N], read[COLUMNS][N];
    static char text[COLUMNS * N * 32];
    uint64_t state = test_seed();
    struct error error;
    for (int columns = 1; columns <= COLUMNS; columns++) {
        size_t length = 0;
        for (int i = 0; i < N; i++) {
            for (int j = 0; j < columns; j++) {
                B[j][i] = draw(&state);
                length += (size_t)sprintf(text + length, "%s%.17g", j ? " " : "", B[j][i]);
            }
            length +=
                (size_t)sprintf(text + length, test_random_below(&state, 4) ? "\n" : " \r\n\n");
        }
        const char *path = temporary_file("x.txt", text, (int64_t)length);
        int64_t found, first = test_random_below(&state, N);
        bool is_text;
        expect_ok(text_vectors.begins(path, &is_text, &error), &error);
        ck_assert(is_text);
        expect_ok(text_vectors.columns(path, N, &found, &error), &error);
        ck_assert_int_eq(found, columns);
        memset(read, 0, sizeof read);
        expect_ok(text_vectors.read(path, N, columns, first, N, read[0], &error), &error);
        expect_ok(text_vectors.read(path, N, columns, 0, first, read[0], &error), &error);
        ck_assert_mem_eq(read, B, (size_t)columns * sizeof B[0]);
        ck_assert_int_eq(memory_live(), 0);
    }
}
END_TEST

START_TEST(others_are_told)
{
    static const struct {
        const char *text;
        bool is_text;
    } cases[] = {{"%%MatrixMarket matrix array real general\n1 1\n1\n", false},
                 {"\n\t -.5e3 x\n", true},
                 {"-0.5D+03\n", true},
                 {"1,2\n", false},
                 {"nan\n", false},
                 {"\n", false},
                 {"x 1\n", false}};
    struct error error;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        bool is_text;
        expect_ok(text_vectors.begins(temporary_file("x.txt", cases[k].text, -1), &is_text, &error),
                  &error);
        ck_assert_int_eq(is_text, cases[k].is_text);
    }
}
END_TEST

START_TEST(exponents_of_fortran)
{
    static const double wanted[] = {-500, 0.25, 1e300, 3};
    const char *path = temporary_file("d.txt", "-0.5D+03 1d300\n2.5Q-1 .03q2\n", -1);
    struct error error;
    double B[4];
    expect_ok(text_vectors.read(path, 2, 2, 0, 2, B, &error), &error);
    ck_assert_mem_eq(B, wanted, sizeof wanted);
}
END_TEST

START_TEST(faults_have_a_line)
{
    static const struct {
        const char *text, *says;
    } cases[] = {{"1 2\n\n3\n5 6\n", "x.txt:3: 1 number instead of 2"},
                 {"1 2\n3 4 5\n6 7\n", "x.txt:2: 3 numbers instead of 2"},
                 {"1 2\n3 4\n", "x.txt:2: has 2 rows, but must have 3"},
                 {"1 2\n3 4\n5 6\n7 8\n", "x.txt:4: has more than 3 rows, but must have 3"},
                 {"1 2\n3 y\n5 6\n", "x.txt:2: \"y\" is not a finite number"},
                 {"1 2\n3 1D\n5 6\n", "x.txt:2: \"1D\" is not a finite number"},
                 {"1 2\n3 1D999\n5 6\n", "x.txt:2: \"1D999\" is beyond the range of double"},
                 {"1 2\n3 inf\n5 6\n", "x.txt:2: \"inf\" is not a finite number"},
                 {"1 2\n3 1e999\n5 6\n", "x.txt:2: \"1e999\" is beyond the range of double"},
                 {"1 2\n3 1e-999\n5 6\n", "x.txt:2: \"1e-999\" is too small for a double"}};
    struct error error;
    double B[6];
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        expect_error(
            text_vectors.read(temporary_file("x.txt", cases[k].text, -1), 3, 2, 0, 3, B, &error),
            STATUS_INPUT, &error, cases[k].says, NULL);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {numbers_come_back, others_are_told, exponents_of_fortran,
                            faults_have_a_line, NULL};
    return suite_of("io/text_vectors", tests);
}
