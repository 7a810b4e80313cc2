/* Output files: what stands under their working names before and meanwhile. */
#include "io/text_file.h"

#include "io/npy_file.h"
#include "main/program.h"
#include "support.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct error error;

static bool is_regular(const char *path)
{
    struct stat info;
    return lstat(path, &info) == 0 && S_ISREG(info.st_mode);
}

START_TEST(a_link_is_removed)
{
    char precious[300], path[300], partial[310];
    struct text_file file;
    struct npy_file array;
    snprintf(precious, sizeof precious, "%s", temporary_file("precious", "precious", -1));
    snprintf(path, sizeof path, "%s", temporary_path("linked"));
    snprintf(partial, sizeof partial, "%s.partial", path);
    for (int kind = 0; kind < 4; kind++) { /* symbolic and hard, text and array */
        ck_assert_int_eq(kind % 2 ? link(precious, partial) : symlink(precious, partial), 0);
        if (kind < 2) {
            expect_ok(text_file_begin(NULL, path, &file, &error), &error);
            expect_ok(text_file_line(&file, &error, "a line"), &error);
            expect_ok(text_file_finish(&file, &error), &error);
            ck_assert_str_eq(file_text(path), "a line\n");
        } else {
            expect_ok(npy_begin(temporary_path("."), "linked", 1, false, &array, &error), &error);
            expect_ok(npy_finish(&array, &error), &error);
        }
        ck_assert(is_regular(path));
        ck_assert_str_eq(file_text(precious), "precious");
    }
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* Another program has taken the name: its file is left alone, and neither is called finished. */
START_TEST(replaced_while_it_is_written)
{
    char path[300], partial[310];
    struct text_file file;
    snprintf(path, sizeof path, "%s", temporary_path("contested"));
    snprintf(partial, sizeof partial, "%s.partial", path);
    for (int removed = 0; removed < 2; removed++) {
        expect_ok(text_file_begin(NULL, path, &file, &error), &error);
        expect_ok(text_file_line(&file, &error, "ours"), &error);
        ck_assert_int_eq(unlink(partial), 0);
        if (!removed)
            temporary_file("contested.partial", "theirs", -1);
        expect_error(text_file_finish(&file, &error), STATUS_OUTPUT, &error, partial,
                     "removed or replaced while it was written", NULL);
        ck_assert(!is_regular(path));
        if (!removed)
            ck_assert_str_eq(file_text(partial), "theirs");
        unlink(partial);
    }
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

START_TEST(a_directory_is_in_the_way)
{
    char path[300], partial[310];
    struct text_file file;
    snprintf(path, sizeof path, "%s", temporary_path("blocked"));
    snprintf(partial, sizeof partial, "%s.partial", path);
    ck_assert_int_eq(mkdir(partial, 0777), 0);
    expect_error(text_file_begin(NULL, path, &file, &error), STATUS_OUTPUT, &error, partial,
                 "cannot write", NULL);
    ck_assert_int_eq(rmdir(partial), 0);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* A pipe keeps its name, and so would /dev/null. */
START_TEST(what_is_no_file_stays)
{
    char path[300];
    struct stat info;
    struct text_file file;
    snprintf(path, sizeof path, "%s", temporary_path("pipe"));
    ck_assert_int_eq(mkfifo(path, 0666), 0);
    expect_error(text_file_begin(NULL, path, &file, &error), STATUS_OUTPUT, &error, path,
                 "it is not a file", NULL);
    expect_error(text_file_whole(NULL, path, "text", 4, &error), STATUS_OUTPUT, &error, path, NULL);
    ck_assert(lstat(path, &info) == 0 && S_ISFIFO(info.st_mode));
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {a_link_is_removed, replaced_while_it_is_written,
                            a_directory_is_in_the_way, what_is_no_file_stays, NULL};
    return suite_of("io/text_file", tests);
}
