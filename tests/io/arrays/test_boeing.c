/* Harwell-Boeing and Rutherford-Boeing files. */
#include "io/arrays/damage.h"
#include "io/market/matrix_market.h"
#include "support.h"

#include <stdio.h>
#include <string.h>

static struct error error;

/* Lines 2 to 4, and those of the arrays, of the 3 x 3 matrix below. */
#define FILE_OF(cards, type, formats, arrays)                                                      \
    "A title                                                                 KEY     \n" cards     \
    "\n" type "           3             3             4             0\n" formats "\n" arrays
#define CARDS "             3             1             1             1"
#define FORMATS "(4I2)           (4I2)           (4E8.1)             "
#define POINTERS " 1 3 4 5\n"
#define RSA(values) FILE_OF(CARDS, "rsa", FORMATS, POINTERS " 1 3 2 3\n" values)

static const char symmetric[] = "%%MatrixMarket matrix coordinate real symmetric\n"
                                "3 3 4\n1 1 2\n3 1 -1\n2 2 0.5\n3 3 1e-100\n";
static const char plain[] = RSA(" 2.0E+00-1.0E+00 5.0E-01 1.0-100\n");

START_TEST(one_matrix_in_many_forms)
{
    static const char *const forms[] = {
        plain,
        RSA(" 2.0D+00-1.0d+00 5.0e-01 1.D-100\n"),
        RSA(" 2.0E+00-1.0E+00 5.0E-011.0-100\n"),
        RSA(" 2. -1. .5 1.D-100\n"),
        RSA("     2.0     -1.      .5 1.E-100"),
        RSA(" 2.0E+00-1.0E+00 5.0E-01 1.0-100       \r\n    \r\n"),
        FILE_OF("             4             1             1             2", "RSA",
                "(4I2)           (5I3)           (1P,2E8.1)          ",
                POINTERS "  1  3  2  3\n 2.0E+00-1.0E+00\n 5.0E-01 1.0-100\n"),
        FILE_OF("             5             2             1             2             0", "rha",
                "(3I2)           (10I2)          (2D20.12)           ",
                " 1 3 4\n 5\n 1 3 2 3\n  2.000000000000D+00 -1.000000000000D+00\n"
                "  5.000000000000D-01 1.000000000000D-100\n"),
        FILE_OF("             5             1             1             1             1", "RSA",
                FORMATS "(3E8.1)             ",
                "F                          1             0\n" POINTERS
                " 1 3 2 3\n 2.0E+00-1.0E+00 5.0E-01 1.0-100\n 1.0E+00 1.0E+00 1.0E+00\n"),
    };
    uint64_t hash = hash_of_text(symmetric);
    for (size_t k = 0; k < sizeof forms / sizeof *forms; k++)
        ck_assert_msg(hash_of_content(forms[k], (int64_t)strlen(forms[k])) == hash, "form %d",
                      (int)k);
}
END_TEST

START_TEST(types_are_kinds_and_fields)
{
    static const struct {
        const char *file, *market;
    } types[] = {
        {FILE_OF(CARDS, "rua", FORMATS, POINTERS " 1 3 2 3\n     2.0     -1.      .5     1.0\n"),
         "real general\n3 3 4\n1 1 2\n3 1 -1\n2 2 .5\n3 3 1\n"},
        {FILE_OF("             2             1             1             0", "psa",
                 "(4I2)           (4I2)", POINTERS " 1 3 2 3\n"),
         "pattern symmetric\n3 3 4\n1 1\n3 1\n2 2\n3 3\n"},
        {FILE_OF(CARDS, "isa", "(4I2)           (4I2)           (4I8)               ",
                 POINTERS " 1 3 2 3\n       2      -1       5       7\n"),
         "integer symmetric\n3 3 4\n1 1 2\n3 1 -1\n2 2 5\n3 3 7\n"},
        {FILE_OF(CARDS, "rza", FORMATS, " 1 3 4 5\n 2 3 3 3\n     2.0     -1.      .5     0.0\n"),
         "real skew-symmetric\n3 3 4\n2 1 2\n3 1 -1\n3 2 .5\n3 3 0\n"}};
    for (size_t k = 0; k < sizeof types / sizeof *types; k++) {
        char text[256];
        snprintf(text, sizeof text, "%%%%MatrixMarket matrix coordinate %s", types[k].market);
        ck_assert_uint_eq(hash_of_content(types[k].file, (int64_t)strlen(types[k].file)),
                          hash_of_text(text));
        struct csr A;
        struct matrix_market_report report;
        expect_ok(matrix_market_read(temporary_file("a.rb", types[k].file, -1), CSR_GENERAL, 0,
                                     NULL, &A, &report, &error),
                  &error);
        csr_free(&A);
        ck_assert_ptr_nonnull(strstr(types[k].market, report.field));
        ck_assert_ptr_nonnull(strstr(types[k].market, report.symmetry));
    }
}
END_TEST

START_TEST(faults_are_told)
{
    static const struct {
        const char *file, *says[2];
    } faults[] = {
        {RSA(" 2.0E+00-1.0E+00 5.0E-01     nan\n"), {"line 7: \"nan\" is not a number"}},
        {RSA(" 2.0E+00-1.0E+00 5.0E-01 1.0+400\n"), {"line 7: \"1.0+400\" is beyond the range"}},
        {RSA(" 2.0E+00-1.0E+00 5.0E-01 1.0-400\n"), {"\"1.0-400\" is too small"}},
        {RSA(" 2.0E+00-1.0E+00 5.0E-01       1\n"), {"\"1\" has no decimal point"}},
        {RSA(" 2.0E+00-1.0E+00 5.0E-01    1. 0\n"), {"field 1 of 8 characters is \"2.0E+00-"}},
        {RSA(" 2.0E+00-1.0E+00         1.0E+00\n"), {"field 3 of 8 characters is \"\""}},
        {RSA("      2.     -1.      .5      1.      1.\n"),
         {"field 4 of 8 characters is \"1.\", and the line goes on"}},
        {RSA(" 2.0E+00-1.0E+00 5.0E-01\n"), {"field 4 of 8 characters is \"\""}},
        {RSA(""), {"line 7: the file ends before this line"}},
        {RSA(" 2.0E+00-1.0E+00 5.0E-01 1.0E+00\n 1\n"), {"line 8: \"1\" comes after the matrix"}},
        {FILE_OF(CARDS, "rsa", FORMATS, " 1 3 4 6\n 1 3 2 3\n      1.      1.      1.      1.\n"),
         {"line 5: column 3 ends at 6, after 3 of 4 entries"}},
        {FILE_OF(CARDS, "rsa", FORMATS, " 1 3 2 5\n 1 3 2 3\n      1.      1.      1.      1.\n"),
         {"line 5: column 2 ends at 2, after 2 of 4 entries"}},
        {FILE_OF(CARDS, "rsa", FORMATS, " 0 3 4 5\n 1 3 2 3\n      1.      1.      1.      1.\n"),
         {"line 5: the first column begins at 0, not 1"}},
        {FILE_OF(CARDS, "rsa", FORMATS, POINTERS " 1 4 2 3\n      1.      1.      1.      1.\n"),
         {"line 6: entry 2: the row 4 lies outside 1 to 3"}},
        {FILE_OF(CARDS, "rsa", FORMATS, POINTERS " 1 x 2 3\n      1.      1.      1.      1.\n"),
         {"line 6: \"x\" is not a whole number"}},
        {FILE_OF(CARDS, "rza", FORMATS, POINTERS " 1 3 2 3\n      0.      1.      1.      0.\n"),
         {"line 7: a(2,2) = 1: a diagonal entry of a skew-symmetric matrix must be 0"}},
        {FILE_OF(CARDS, "rsa", FORMATS, " 1 2 4 5\n 2 1 3 3\n      1.      1.      1.      1.\n"),
         {"line 7: entry (1, 2) and at line 7 its mirror image (2, 1)"}},
        {FILE_OF(CARDS, "csa", FORMATS, POINTERS), {"line 3: ", "another type than real"}},
        {FILE_OF(CARDS, "rse", FORMATS, POINTERS), {"line 3: ", "is of elements"}},
        {FILE_OF("             3             2             1             1", "rsa", FORMATS,
                 POINTERS),
         {"line 2: ", "the numbers of lines that sizes and formats give"}},
        {FILE_OF("             3             1", "rsa", FORMATS, POINTERS),
         {"line 2: ", "has not the numbers of lines"}},
        {FILE_OF(CARDS, "rsa", "(4I2)           (4A2)           (4E8.1)", POINTERS),
         {"line 4: ", "no format of Fortran"}},
        {FILE_OF(CARDS, "rsa", "(4I2)           (4I2)           (2P,4F8.1)",
                 POINTERS " 1 3 2 3\n      1.      1.      1.      1.\n"),
         {"line 7: \"1.\" has no exponent, and the format scales it"}},
        {"title\n     3     1     1     1\nrsa 3 3 999999999999 0\n(4I2) (4I2) (4E8.1)\n",
         {"line 3: ", "more than the file can hold"}},
        {"title\n     3     1     1     1\nrsa 3 4 4 0\n(4I2) (4I2) (4E8.1)\n",
         {"line 3: ", "has not the sizes"}}};
    for (size_t k = 0; k < sizeof faults / sizeof *faults; k++) {
        struct csr A;
        const char *path = temporary_file("a.rsa", faults[k].file, -1);
        expect_error(matrix_market_read(path, CSR_GENERAL, 0, NULL, &A, NULL, &error), STATUS_INPUT,
                     &error, path, faults[k].says[0], faults[k].says[1], NULL);
        ck_assert_int_eq(memory_live(), 0);
    }
}
END_TEST

/* The end of the last line may be missing. */
START_TEST(damage_is_found)
{
    expect_damage_found(plain, (int64_t)sizeof plain - 1, 2, false);
}
END_TEST

START_TEST(memory_may_be_short)
{
    expect_memory_may_be_short(temporary_file("a.rsa", plain, -1));
}
END_TEST

Suite *suite(void)
{
    const TTest *const tests[] = {one_matrix_in_many_forms, types_are_kinds_and_fields,
                                  faults_are_told,          damage_is_found,
                                  memory_may_be_short,      NULL};
    return suite_of("io/arrays/boeing", tests);
}
