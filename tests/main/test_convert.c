/* `cgsolve convert`: there and back, and what it refuses. */
#include "support.h"

#include "main/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char text[] =
    "%%MatrixMarket matrix coordinate real symmetric\n"
    "3 3 4\n1 1 0.10000000000000001\n2 1 -1\n2 2 4\n3 3 4.9406564584124654e-324\n";

static const char *path_to(const char *name)
{
    static char paths[8][512];
    static int next;
    char *path = paths[next++ % 8];
    snprintf(path, sizeof paths[0], "%s", temporary_path(name));
    return path;
}

START_TEST(there_and_back)
{
    static const char *const ways[] = {"a.npz", "a.petsc", "b.mtx", "b.npz", "c.petsc",
                                       "a.mat", "a.rb",    "b.mat", "a.rua", "a.mtx"};
    const char *from = temporary_file("from.mtx", text, -1);
    for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
        const char *to = path_to(ways[k]);
        struct outcome *outcome = run_program("convert %s %s", from, to);
        expect_exit(outcome, 0);
        expect_text(outcome->output, "3 x 3, 5 entries, matrix hash ");
        expect_text(outcome->output, to);
        from = to;
    }
    ck_assert_str_eq(file_text(from), text);
}
END_TEST

START_TEST(what_is_refused)
{
    const char *from = temporary_file("from.mtx", text, -1);
    const struct {
        const char *words;
        int exit_status;
        const char *says;
    } refused[] = {
        {"", 2, "convert wants two files, FROM TO"},
        {"%s", 2, "convert wants two files, FROM TO"},
        {"%s b.npz c.npz", 2, "takes two files, FROM TO"},
        {"%s b.rsa", 2, "b.rsa: the name must end with .mtx, .npz, .petsc, .mat, .rb or .rua"},
        {"/none.npz b.npz", 3, "/none.npz: cannot read"},
        {"%s /dev/null/b.npz", 4, "/dev/null/b.npz"}};
    for (size_t k = 0; k < sizeof refused / sizeof *refused; k++) {
        char words[600];
        const char *at = strstr(refused[k].words, "%s");
        snprintf(words, sizeof words, "%s%s", at ? from : "", at ? at + 2 : refused[k].words);
        struct outcome *outcome = run_program("convert %s", words);
        expect_text(outcome->errors, refused[k].says);
        expect_exit(outcome, refused[k].exit_status);
    }
    ck_assert_int_ne(access("b.npz", F_OK), 0);
}
END_TEST

/* As on a disk that is full, in each format. */
START_TEST(what_had_the_name_stays)
{
    static const char *const ways[] = {"a.mtx", "a.npz", "a.petsc", "a.mat", "a.rb", "a.rua"};
    enum { ROWS = 300 };
    char long_text[64 + ROWS * 16];
    int length = sprintf(long_text, "%%%%MatrixMarket matrix coordinate real general\n%d %d %d\n",
                         ROWS, ROWS, ROWS);
    for (int row = 1; row <= ROWS; row++)
        length += sprintf(long_text + length, "%d %d 3\n", row, row);
    const char *from = temporary_file("from.mtx", long_text, -1);
    for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
        const char *to = temporary_file(ways[k], "an earlier one", -1);
        struct outcome *outcome = run_other_program(
            "sh", "-c 'ulimit -f 1; exec \"%s\" convert %s %s'", program_path(), from, to);
        expect_exit(outcome, 4);
        expect_text(outcome->errors, ways[k]);
        expect_text(outcome->errors, ": cannot write: ");
        ck_assert_str_eq(file_text(to), "an earlier one");
    }
}
END_TEST

Suite *suite(void)
{
    const TTest *const tests[] = {there_and_back, what_is_refused, what_had_the_name_stays, NULL};
    return suite_of("main/convert", tests);
}
