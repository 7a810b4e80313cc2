/* The bench of a directory: its rows, going on after a kill, the summary, the bar. */
#include "support.h"

#include "io/csv.h"
#include "main/mtx_texts.h"
#include "main/program.h"
#include "main/terminal.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#define QUICK "--rounds 2 --set bench.seconds=1e-6 "

static const char one_row[] = "%%MatrixMarket matrix coordinate real general\n1 3 1\n1 2 1\n";
static const char one_column[] = "%%MatrixMarket matrix coordinate real general\n3 1 1\n2 1 1\n";

static void write_file(const char *directory, const char *name, const char *text)
{
    char path[600];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *file = fopen(path, "wb");
    ck_assert_msg(file != NULL, "cannot write %s", path);
    fputs(text, file);
    fclose(file);
}

/* A directory with a bit of everything; gives its path. */
static const char *collection(const char *name)
{
    static char directory[256];
    char path[600];
    snprintf(directory, sizeof directory, "%s", temporary_path(name));
    ck_assert_int_eq(mkdir(directory, 0777), 0);
    snprintf(path, sizeof path, "%s/deep", directory);
    ck_assert_int_eq(mkdir(path, 0777), 0);
    write_file(directory, "symmetric.mtx", mtx_symmetric);
    write_file(directory, "deep/general, \"quoted\".mtx", mtx_general);
    write_file(directory, "in_fact.mtx", mtx_in_fact);
    write_file(directory, "wide.mtx", mtx_wide);
    write_file(directory, "one_row.mtx", one_row);
    write_file(directory, "one_column.mtx", one_column);
    write_file(directory, "complex.mtx", mtx_complex);
    write_file(directory, "bad.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 1\n");
    write_file(directory, "empty.mtx", "");
    write_file(directory, "notes.txt", mtx_symmetric);
    snprintf(path, sizeof path, "%s/deep/zipped.mtx.gz", directory);
    gzFile zipped = gzopen(path, "wb");
    ck_assert_int_gt(gzputs(zipped, mtx_symmetric), 0);
    gzclose(zipped);
    return directory;
}

/* The field of the row of a matrix and kernel, by the name of its column; fails when there is not
 * exactly one such row. */
static const char *field_of(const char *csv, const char *matrix, const char *kernel,
                            const char *column)
{
    static char found[700];
    char names[40][40], field[700], row[3][700];
    int columns = 0, rows = 0;
    const char *at = csv, *end = csv + strcspn(csv, "\n");
    while (csv_take(&at, end, names[columns], sizeof names[0]))
        columns++;
    for (const char *line = end + 1; *line; line = end + 1) {
        end = line + strcspn(line, "\n");
        at = line;
        char kept[700] = "";
        for (int k = 0; csv_take(&at, end, field, sizeof field); k++) {
            if (k < 3)
                snprintf(row[k], sizeof row[k], "%s", field);
            if (strcmp(names[k], column) == 0)
                snprintf(kept, sizeof kept, "%s", field);
        }
        if (strcmp(row[1], matrix) != 0 || strcmp(row[2], kernel) != 0)
            continue;
        rows++;
        snprintf(found, sizeof found, "%s", kept);
    }
    ck_assert_msg(rows == 1, "%d rows of %s and %s in %s", rows, matrix, kernel, csv);
    return found;
}

START_TEST(a_directory_becomes_rows)
{
    char output[256];
    const char *directory = collection("collection");
    snprintf(output, sizeof output, "%s", temporary_path("rows.csv"));
    struct outcome *outcome = run_program(
        "bench " QUICK "--kernels cpu_csr,cpu_sym --matrix %s --output %s", directory, output);
    expect_exit(outcome, 0);
    ck_assert_str_eq(outcome->errors, ""); /* no bar in a file */
    expect_text(outcome->output,
                "products: 8 PASS, 0 FAIL, 2 skipped; files: 2 trivial, 3 in error");
    ck_assert_ptr_null(strstr(outcome->output, "notes.txt"));
    const char *csv = file_text(output);
    static const struct {
        const char *matrix, *kernel, *column, *value;
    } wanted[] = {{"symmetric.mtx", "cpu_csr", "status", "pass"},
                  {"symmetric.mtx", "cpu_sym", "status", "pass"},
                  {"symmetric.mtx", "cpu_sym", "entries", "5"},
                  {"symmetric.mtx", "cpu_sym", "kind", "symmetric"},
                  {"symmetric.mtx", "cpu_sym", "row_shortest", "1"},
                  {"symmetric.mtx", "cpu_sym", "row_longest", "2"},
                  {"symmetric.mtx", "cpu_sym", "rows_below_32", "3"},
                  {"symmetric.mtx", "cpu_sym", "distinct", "1"},
                  {"deep/zipped.mtx.gz", "cpu_sym", "status", "pass"},
                  {"deep/general, \"quoted\".mtx", "cpu_csr", "status", "pass"},
                  {"deep/general, \"quoted\".mtx", "cpu_sym", "status", "skipped"},
                  {"deep/general, \"quoted\".mtx", "cpu_sym", "reason",
                   "kernel cpu_sym does not take a general matrix"},
                  {"in_fact.mtx", "cpu_sym", "kind", "symmetric"},
                  {"in_fact.mtx", "cpu_sym", "status", "pass"},
                  {"in_fact.mtx", "cpu_sym", "entries", "2"},
                  {"in_fact.mtx", "cpu_sym", "rows_empty", "1"},
                  {"in_fact.mtx", "cpu_sym", "row_longest", "1"},
                  {"wide.mtx", "cpu_csr", "columns", "5"},
                  {"wide.mtx", "cpu_csr", "bandwidth_rcm", "-1"},
                  {"one_row.mtx", "", "status", "skipped"},
                  {"one_row.mtx", "", "reason", "one row"},
                  {"one_column.mtx", "", "reason", "one column"},
                  {"complex.mtx", "", "status", "error"},
                  {"bad.mtx", "", "status", "error"},
                  {"empty.mtx", "", "status", "error"}};
    for (size_t k = 0; k < sizeof wanted / sizeof *wanted; k++)
        ck_assert_str_eq(field_of(csv, wanted[k].matrix, wanted[k].kernel, wanted[k].column),
                         wanted[k].value);
    expect_text(field_of(csv, "bad.mtx", "", "reason"), "the file ends after 0 of the 1 entries");

    /* again: nothing is measured; with one more kernel, that one alone */
    char *before = strdup(csv);
    outcome = run_program("bench " QUICK "--kernels cpu_csr,cpu_sym --matrix %s --output %s",
                          directory, output);
    expect_exit(outcome, 0);
    expect_text(outcome->output, "15 rows are in the CSV already");
    expect_text(outcome->output, "products: 8 PASS");
    ck_assert_ptr_null(strstr(outcome->output, "cpu_csr  PASS"));
    ck_assert_str_eq(file_text(output), before);
    outcome = run_program("bench " QUICK "--kernels cpu_csr,cpu_sym_bitwise --baseline cpu_csr "
                          "--matrix %s --output %s",
                          directory, output);
    expect_exit(outcome, 0);
    csv = file_text(output);
    ck_assert_int_eq(strncmp(csv, before, strlen(before)), 0);
    ck_assert_str_eq(field_of(csv, "symmetric.mtx", "cpu_sym_bitwise", "status"), "pass");
    expect_text(outcome->output, "  cpu_sym_bitwise: geometric mean ");
    expect_text(outcome->output, " over 3, smallest ");

    /* other settings: measured anew, in the same file */
    size_t length = strlen(csv);
    outcome = run_program("bench " QUICK "--set bench.seed=2 --kernels cpu_csr --matrix %s "
                          "--output %s",
                          directory, output);
    expect_exit(outcome, 0);
    ck_assert_ptr_null(strstr(outcome->output, "there already"));
    ck_assert_uint_gt(strlen(file_text(output)), length);
    free(before);
}
END_TEST

/* A row for each number of columns; one more number, or the other operation, adds its own alone,
 * and a kernel is compared with the baseline with as many columns. */
START_TEST(columns_are_rows)
{
    char output[256], directory[256];
    snprintf(directory, sizeof directory, "%s", temporary_path("columns"));
    ck_assert_int_eq(mkdir(directory, 0777), 0);
    write_file(directory, "a.mtx", mtx_symmetric);
    snprintf(output, sizeof output, "%s", temporary_path("columns.csv"));
    const char *call = "bench " QUICK "--kernels cpu_csr,cpu_sym --matrix %s --output %s %s";
    expect_exit(run_program(call, directory, output, "--operation spmm --columns 3"), 0);
    struct outcome *outcome =
        run_program(call, directory, output, "--operation spmm --columns 3,40 --baseline cpu_sym");
    expect_exit(outcome, 0);
    expect_text(outcome->output, "\n2 rows are in the CSV already\n");
    expect_text(outcome->output, "products: 4 PASS");
    expect_text(outcome->output, "\ntimes as fast as cpu_sym:\n  cpu_csr columns=3: ");
    expect_text(outcome->output, "\n  cpu_sym columns=3: geometric mean 1 over 1,");
    expect_text(outcome->output, "\n  cpu_sym columns=40: geometric mean 1 over 1,");
    outcome = run_program(call, directory, output, "");
    expect_exit(outcome, 0);
    expect_text(outcome->output, "products: 2 PASS");
    const char *csv = file_text(output);
    ck_assert_str_eq(field_of(csv, "a.mtx", "cpu_sym columns=40", "operation"), "spmm");
    ck_assert_str_eq(field_of(csv, "a.mtx", "cpu_sym columns=40", "columns_of_x"), "40");
    ck_assert_str_eq(field_of(csv, "a.mtx", "cpu_sym columns=40", "columns"), "3");
    ck_assert_str_eq(field_of(csv, "a.mtx", "cpu_sym columns=3", "distinct"), "1");
    ck_assert_str_eq(field_of(csv, "a.mtx", "cpu_csr", "operation"), "spmv");
    ck_assert_str_eq(field_of(csv, "a.mtx", "cpu_csr", "columns_of_x"), "1");
}
END_TEST

/* What is told of the rows that are there: ratios and wrong products. */
START_TEST(the_summary_is_of_all_rows)
{
    char output[256], directory[256], text[20000];
    snprintf(directory, sizeof directory, "%s", temporary_path("two"));
    ck_assert_int_eq(mkdir(directory, 0777), 0);
    write_file(directory, "a.mtx", mtx_symmetric);
    write_file(directory, "b.mtx", mtx_symmetric);
    snprintf(output, sizeof output, "%s", temporary_path("summary.csv"));
    const char *call = "bench " QUICK "--kernels cpu_csr,cpu_sym --matrix %s --output %s%s";
    expect_exit(run_program(call, directory, output, ""), 0);
    /* times that are known: a: 8 to 2; b: 1 to 9 */
    static const char *const times[] = {"8", "2", "1", "9"};
    const char *csv = file_text(output);
    int length = 0, row = -1;
    for (const char *line = csv; *line; row++) {
        const char *end = line + strcspn(line, "\n"), *at = line;
        char field[600];
        for (int k = 0; k < 5 && row >= 0; k++)
            csv_take(&at, end, field, sizeof field);
        length +=
            snprintf(text + length, sizeof text - (size_t)length, "%.*s", (int)(at - line), line);
        if (row >= 0) {
            length += snprintf(text + length, sizeof text - (size_t)length, "%s", times[row]);
            at += strcspn(at, ",");
        }
        length +=
            snprintf(text + length, sizeof text - (size_t)length, "%.*s\n", (int)(end - at), at);
        line = end + 1;
    }
    ck_assert_int_eq(row, 4);
    temporary_file("summary.csv", text, -1);
    struct outcome *outcome = run_program(call, directory, output, "");
    expect_exit(outcome, 0);
    expect_text(outcome->output, "times as fast as cpu_csr:\n"
                                 "  cpu_csr: geometric mean 1 over 2, smallest 1 (a.mtx), largest "
                                 "1 (a.mtx)\n"
                                 "  cpu_sym: geometric mean 0.667 over 2, smallest 0.111 (b.mtx), "
                                 "largest 4 (a.mtx)\n");
    outcome = run_program(call, directory, output, " --baseline cpu_sym");
    expect_text(outcome->output, "  cpu_csr: geometric mean 1.5 over 2, smallest 0.25 (a.mtx), "
                                 "largest 9 (b.mtx)\n");
    /* one of them wrong */
    char *pass = strstr(text, ",pass,8,");
    ck_assert_ptr_nonnull(pass);
    memcpy(pass, ",fail,", 6);
    temporary_file("summary.csv", text, -1);
    outcome = run_program(call, directory, output, "");
    expect_exit(outcome, 1);
    expect_text(outcome->output, "3 PASS, 1 FAIL");
    expect_text(outcome->output, "  cpu_sym: geometric mean 0.111 over 1");
}
END_TEST

/* Start a bench of the directory, and wait until some rows are there. */
static pid_t start_bench(const char *directory, const char *output)
{
    char partial[300];
    struct stat info = {0};
    int status;
    const char *program = program_path();
    ck_assert_ptr_nonnull(program);
    snprintf(partial, sizeof partial, "%s.partial", output);
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        execl(program, program, "bench", "--quiet", "--rounds", "20", "--set", "bench.seconds=1e-3",
              "--kernels", "cpu_csr,cpu_sym", "--matrix", directory, "--output", output,
              (char *)NULL);
        _exit(127);
    }
    while (stat(partial, &info) != 0 || info.st_size < 1200) {
        ck_assert_msg(waitpid(child, &status, WNOHANG) == 0, "it ended too early");
        usleep(500);
    }
    return child;
}

/* So many matrices in a directory of that name. */
static void make_many(char directory[256], const char *name, int count)
{
    char file[32];
    snprintf(directory, 256, "%s", temporary_path(name));
    ck_assert_int_eq(mkdir(directory, 0777), 0);
    for (int k = 0; k < count; k++) {
        snprintf(file, sizeof file, "%02d.mtx", k);
        write_file(directory, file, mtx_symmetric);
    }
}

/* The second one ends at once, and the first one does not notice. */
START_TEST(one_bench_at_a_time)
{
    char directory[256], output[256], name[32];
    int status;
    make_many(directory, "contested", 12);
    snprintf(output, sizeof output, "%s", temporary_path("contested.csv"));
    pid_t child = start_bench(directory, output);
    ck_assert_int_eq(kill(child, SIGSTOP), 0); /* so that it is at work still */
    struct outcome *outcome =
        run_program("bench " QUICK "--kernels cpu_csr --matrix %s --output %s", directory, output);
    ck_assert_int_eq(kill(child, SIGCONT), 0);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    expect_exit(outcome, 4);
    expect_text(outcome->errors, "contested.csv: another bench is at work on it\n");
    ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    const char *csv = file_text(output);
    for (int k = 0; k < 12; k++) {
        snprintf(name, sizeof name, "%02d.mtx", k);
        ck_assert_str_eq(field_of(csv, name, "cpu_csr", "status"), "pass");
        ck_assert_str_eq(field_of(csv, name, "cpu_sym", "status"), "pass");
    }
}
END_TEST

START_TEST(a_killed_bench_goes_on)
{
    char directory[256], output[256], partial[300], name[32];
    make_many(directory, "many", 12);
    snprintf(output, sizeof output, "%s", temporary_path("killed.csv"));
    snprintf(partial, sizeof partial, "%s.partial", output);
    int status;
    pid_t child = start_bench(directory, output);
    kill(child, SIGKILL);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    ck_assert_int_ne(access(output, F_OK), 0);
    char *before = strdup(file_text(partial));
    FILE *torn = fopen(partial, "ab"); /* as if the kill had come within a line */
    fputs("0123456789abcdef,11.mt", torn);
    fclose(torn);
    struct outcome *outcome = run_program(
        "bench --rounds 20 --set bench.seconds=1e-3 --kernels cpu_csr,cpu_sym --matrix %s "
        "--output %s",
        directory, output);
    expect_exit(outcome, 0);
    expect_text(outcome->output, " rows are in the CSV already");
    expect_text(outcome->output, "products: 24 PASS, 0 FAIL");
    ck_assert_int_ne(access(partial, F_OK), 0);
    const char *csv = file_text(output);
    size_t whole = (size_t)(strrchr(before, '\n') + 1 - before);
    ck_assert_int_eq(strncmp(csv, before, whole), 0);
    for (int k = 0; k < 12; k++) {
        snprintf(name, sizeof name, "%02d.mtx", k);
        ck_assert_str_eq(field_of(csv, name, "cpu_csr", "status"), "pass");
        ck_assert_str_eq(field_of(csv, name, "cpu_sym", "status"), "pass");
    }
    free(before);
}
END_TEST

START_TEST(a_bar_on_a_terminal)
{
    char text[1 << 14];
    const char *directory = collection("bar");
    if (!run_on_terminal(2, 80, text, sizeof text,
                         "bench " QUICK "--kernels cpu_csr --matrix %s --output %s", directory,
                         temporary_path("bar.csv")))
        return;
    expect_text(text, "] 0/10  bad.mtx");
    expect_text(text, "[###");
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {a_directory_becomes_rows,
                            columns_are_rows,
                            the_summary_is_of_all_rows,
                            a_killed_bench_goes_on,
                            one_bench_at_a_time,
                            a_bar_on_a_terminal,
                            NULL};
    return suite_of("main/bench_directory", tests);
}
