/* The bench as it is called: one matrix, a directory, going on after a kill, sweep, tune, summary. */
#include "support.h"

#include "io/csv_line.h"
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

static const char symmetric[] = "%%MatrixMarket matrix coordinate real symmetric\n"
                                "3 3 4\n1 1 4\n2 1 -1\n2 2 4\n3 3 1e-3\n";
static const char general[] = "%%MatrixMarket matrix coordinate real general\n"
                              "3 3 4\n1 1 4\n2 1 -1\n1 3 2\n3 3 7\n";
static const char in_fact[] = "%%MatrixMarket matrix coordinate pattern general\n"
                              "3 3 2\n3 1\n1 3\n";
static const char wide[] = "%%MatrixMarket matrix coordinate integer general\n"
                           "2 5 3\n1 1 1\n1 5 -2\n2 3 3\n";
static const char one_row[] = "%%MatrixMarket matrix coordinate real general\n1 3 1\n1 2 1\n";
static const char one_column[] = "%%MatrixMarket matrix coordinate real general\n3 1 1\n2 1 1\n";
static const char complex_one[] =
    "%%MatrixMarket matrix coordinate complex general\n2 2 1\n1 1 1 1\n";

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
    write_file(directory, "symmetric.mtx", symmetric);
    write_file(directory, "deep/general, \"quoted\".mtx", general);
    write_file(directory, "in_fact.mtx", in_fact);
    write_file(directory, "wide.mtx", wide);
    write_file(directory, "one_row.mtx", one_row);
    write_file(directory, "one_column.mtx", one_column);
    write_file(directory, "complex.mtx", complex_one);
    write_file(directory, "bad.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 1\n");
    write_file(directory, "empty.mtx", "");
    write_file(directory, "notes.txt", symmetric);
    snprintf(path, sizeof path, "%s/deep/zipped.mtx.gz", directory);
    gzFile zipped = gzopen(path, "wb");
    ck_assert_int_gt(gzputs(zipped, symmetric), 0);
    gzclose(zipped);
    return directory;
}

/* The field of the row of a matrix and kernel, by the name of its column; fails when there is not exactly one
 * such row. */
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

START_TEST(one_matrix_is_told)
{
    const char *config = temporary_file(
        "bench.cfg",
        "problem = { type = \"poisson3d\"; n = 6; };\n"
        "kernels = ( \"cpu_csr\", { name = \"cpu_sym_bitwise\"; label = \"mine\"; }, "
        "\"cuda_csr_subwarp\" );\n"
        "threads = 2;\nbench = { rounds = 3; seconds = 1e-5; baseline = \"mine\"; seed = 7; };\n",
        -1);
    struct outcome *outcome = run_program("bench %s", config);
    expect_exit(outcome, 0);
    expect_text(outcome->output, "poisson3d, 6 x 6 x 6");
    expect_text(outcome->output, "216 x 216, 1296 entries, symmetric");
    expect_text(outcome->output, "lengths  1-9: 216");
    expect_text(outcome->output, "bandwidth 36; reverse Cuthill-McKee would make it ");
    expect_text(outcome->output, "3 rounds in turns");
    expect_text(outcome->output, "\ncpu_csr           PASS ");
    expect_text(outcome->output, "\nmine              PASS ");
    if (strstr(outcome->output, "this build has no CUDA"))
        expect_text(outcome->output, "\ncuda_csr_subwarp  skipped  this build has no CUDA\n");
    expect_text(outcome->output, "a copy with 2 threads moves ");
    outcome = run_program("bench --quiet %s", config);
    expect_exit(outcome, 0);
    ck_assert_str_eq(outcome->output, "");
}
END_TEST

START_TEST(files_of_every_kind)
{
    const char *path = temporary_file("wide.mtx", wide, -1);
    struct outcome *outcome = run_program("bench " QUICK "--kernels all --matrix %s", path);
    expect_exit(outcome, 0);
    expect_text(outcome->output, "2 x 5, 3 entries, general");
    expect_text(outcome->output, "\ncpu_csr               PASS ");
    expect_text(outcome->output,
                "\ncpu_sym               skipped  kernel cpu_sym does not take a general matrix\n");
    path = temporary_file("in_fact.mtx", in_fact, -1);
    outcome = run_program("bench " QUICK "--cold --kernels cpu_csr,cpu_sym --matrix %s", path);
    expect_exit(outcome, 0);
    expect_text(outcome->output, "the file says general, the entries are symmetric: taken as that");
    expect_text(outcome->output, "1 products each with cold caches");
    expect_text(outcome->output, "\ncpu_sym  PASS ");
    path = temporary_file("general.mtx", general, -1);
    outcome = run_program("bench " QUICK "--kernels cpu_csr --matrix %s", path);
    expect_text(outcome->output, "of the entries off the diagonal 0 % have an entry opposite");
    path = temporary_file("complex.mtx", complex_one, -1);
    outcome = run_program("bench " QUICK "--kernels cpu_csr --matrix %s", path);
    expect_exit(outcome, 3);
    expect_text(outcome->errors, "the matrix is complex");
}
END_TEST

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
                  {"symmetric.mtx", "cpu_sym", "row_longest", "2"},
                  {"symmetric.mtx", "cpu_sym", "distinct", "1"},
                  {"deep/zipped.mtx.gz", "cpu_sym", "status", "pass"},
                  {"deep/general, \"quoted\".mtx", "cpu_csr", "status", "pass"},
                  {"deep/general, \"quoted\".mtx", "cpu_sym", "status", "skipped"},
                  {"deep/general, \"quoted\".mtx", "cpu_sym", "reason",
                   "kernel cpu_sym does not take a general matrix"},
                  {"in_fact.mtx", "cpu_sym", "kind", "symmetric"},
                  {"in_fact.mtx", "cpu_sym", "status", "pass"},
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
    expect_text(outcome->output, "15 rows are there already");
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

/* What is told of the rows that are there: ratios and wrong products. */
START_TEST(the_summary_is_of_all_rows)
{
    char output[256], directory[256], text[20000];
    snprintf(directory, sizeof directory, "%s", temporary_path("two"));
    ck_assert_int_eq(mkdir(directory, 0777), 0);
    write_file(directory, "a.mtx", symmetric);
    write_file(directory, "b.mtx", symmetric);
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

/* Start a bench of the directory, and kill it when some rows are there. */
static void start_and_kill(const char *directory, const char *output)
{
    char partial[300];
    struct stat info = {0};
    int status;
    const char *program = getenv("CGSOLVE");
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
        ck_assert_msg(waitpid(child, &status, WNOHANG) == 0, "it ended before it was killed");
        usleep(500);
    }
    kill(child, SIGKILL);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

START_TEST(a_killed_bench_goes_on)
{
    char directory[256], output[256], partial[300], name[32];
    snprintf(directory, sizeof directory, "%s", temporary_path("many"));
    ck_assert_int_eq(mkdir(directory, 0777), 0);
    for (int k = 0; k < 12; k++) {
        snprintf(name, sizeof name, "%02d.mtx", k);
        write_file(directory, name, symmetric);
    }
    snprintf(output, sizeof output, "%s", temporary_path("killed.csv"));
    snprintf(partial, sizeof partial, "%s.partial", output);
    start_and_kill(directory, output);
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
    expect_text(outcome->output, " rows are there already");
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

START_TEST(parameters_are_swept_and_tuned)
{
    char matrix[256], config[256];
    snprintf(matrix, sizeof matrix, "%s", temporary_file("tuned.mtx", symmetric, -1));
    struct outcome *outcome = run_program("bench " QUICK "--kernels cpu_csr,cpu_sym_bitwise "
                                          "--sweep threads=1,2 --sweep form=auto,general "
                                          "--matrix %s",
                                          matrix);
    expect_exit(outcome, 0);
    expect_text(outcome->output, "\ncpu_csr threads=1 ");
    expect_text(outcome->output, "\ncpu_csr threads=2 ");
    expect_text(outcome->output, "\ncpu_sym_bitwise threads=2 form=general  PASS ");

    /* what is printed is a config */
    for (int swept = 0; swept < 2; swept++) {
        outcome = run_program("bench " QUICK "--tune --kernels cpu_sym_exact,cpu_sym_bitwise,"
                              "cuda_csr_subwarp %s --matrix %s",
                              swept ? "--sweep form=auto,general" : "", matrix);
        expect_exit(outcome, 0);
        if (!swept) {
            expect_text(outcome->output, "\ncpu_sym_exact: has nothing to tune\n");
            expect_text(outcome->output, "\ncpu_sym_bitwise form=general ");
            expect_text(outcome->output, "\ncpu_sym_bitwise compress=never ");
        }
        const char *best = strstr(outcome->output, "kernels = (");
        ck_assert_ptr_nonnull(best);
        expect_text(best, "name = \"cpu_sym_bitwise\"; label = \"cpu_sym_bitwise");
        char text[4000];
        snprintf(text, sizeof text, "problem = { type = \"mtx\"; path = \"%s\"; };\n%s", matrix,
                 best);
        snprintf(config, sizeof config, "%s", temporary_file("tuned.cfg", text, -1));
        expect_exit(run_program("--check-config %s", config), 0);
        expect_exit(run_program("bench " QUICK "%s", config), 0);
    }
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

START_TEST(wrong_calls)
{
    static const char *const wrong[][2] = {
        {"", "bench wants a CONFIG, or --kernels and --matrix"},
        {"--kernels cpu_csr", "bench wants a CONFIG, or --kernels and --matrix"},
        {"--matrix a.mtx", "bench wants a CONFIG, or --kernels and --matrix"},
        {"--kernels cpu_cs --matrix a.mtx", "unknown kernel \"cpu_cs\"; did you mean 'cpu_csr'?"},
        {"--kernels cpu_csr --matrix a --sweep x", "--sweep x: wants PARAMETER=VALUE,VALUE,..."},
        {"--kernels cpu_csr --matrix a --sweep form=auto", "vary.form: none of the kernels"},
        {"--kernels cpu_csr --matrix a --rounds 0", "bench.rounds wants a whole number"},
        {"--kernels cpu_csr --matrix a --threads x", "threads wants a whole number"},
        {"--kernels cpu_csr --matrix a --baseline cpu_crs",
         "the baseline \"cpu_crs\" is none of the kernels"},
        {"--kernels cpu_csr --matrix . --tune", "--tune is for one matrix"},
        {"--kernels", "--kernels wants a value"},
        {"--output ''", "--output wants a value"},
        {"--nothing", "--nothing: no such option of bench"},
        {"a b", "bench a b: takes one config"}};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        struct outcome *outcome = run_program("bench %s", wrong[k][0]);
        expect_exit(outcome, 2);
        expect_text(outcome->errors, wrong[k][1]);
    }
    struct outcome *outcome = run_program("bench --kernels cpu_csr --matrix /no/such.mtx");
    expect_exit(outcome, 3);
    expect_text(outcome->errors, "/no/such.mtx");
    const char *blocked = temporary_file("blocked.csv", "not,a,bench\n", -1);
    outcome = run_program("bench --kernels cpu_csr --matrix %s --output %s",
                          temporary_file("x.mtx", symmetric, -1), blocked);
    expect_exit(outcome, 3);
    expect_text(outcome->errors, "no file of a bench");
    char empty[256];
    snprintf(empty, sizeof empty, "%s", temporary_path("nothing"));
    ck_assert_int_eq(mkdir(empty, 0777), 0);
    outcome = run_program("bench --kernels cpu_csr --matrix %s --output %s", empty,
                          temporary_path("nothing.csv"));
    expect_exit(outcome, 3);
    expect_text(outcome->errors, "no .mtx or .mtx.gz file below it");
    outcome = run_program("bench --help");
    expect_exit(outcome, 0);
    expect_text(outcome->output, "cgsolve bench [options] CONFIG");
    expect_text(outcome->output, "bench.baseline: a text; may be left out");
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {one_matrix_is_told,
                            files_of_every_kind,
                            a_directory_becomes_rows,
                            the_summary_is_of_all_rows,
                            a_killed_bench_goes_on,
                            parameters_are_swept_and_tuned,
                            a_bar_on_a_terminal,
                            wrong_calls,
                            NULL};
    return suite_of("main/bench", tests);
}
