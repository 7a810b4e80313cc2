/* A study by several processes of mpirun: the files of one, and one sentence where it fails. */
#include "support.h"

#include "main/program.h"
#include "program/config/metis_numbering.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char config[256], out[256], alone[256], program[512], program_text[1024];

/* Whether this build has ranks; if not that is said. Those who start them may be root. */
static bool prepare(void)
{
    setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
    setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
    setenv("OMPI_MCA_rmaps_base_oversubscribe", "1", 1);
    snprintf(out, sizeof out, "%s", temporary_path("ranks"));
    snprintf(alone, sizeof alone, "%s", temporary_path("alone"));
    snprintf(program, sizeof program, "%s", program_path());
    bool there = !strstr(run_program("--version")->output, "MPI: none");
    if (!there)
        printf("this build has no MPI: not tested\n");
    if (there && system("command -v mpirun >/dev/null") != 0) {
        printf("there is no mpirun: not tested\n");
        there = false;
    }
    return there && !program_is_sanitized();
}

static const char *write_config(const char *name, const char *text)
{
    snprintf(config, sizeof config, "%s", temporary_file(name, text, -1));
    return config;
}

static struct outcome *run_ranks(int ranks, const char *arguments)
{
    return run_other_program("mpirun", "-n %d '%s' %s", ranks, program, arguments);
}

/* All but what tells of the machine and of times. */
static void expect_same_files(void)
{
    char command[2048];
    snprintf(command, sizeof command,
             "diff -r -q -x summary.json -x settings.cfg -x report.html '%s' '%s' && ls '%s' | "
             "grep -q history",
             alone, out, out);
    ck_assert_msg(system(command) == 0, "files differ");
}

START_TEST(the_files_are_those_of_one_process)
{
    static const char *const ways[] = {
        "",
        "--set 'rhs={type=\"random\";seed=5;columns=3;}'",
        "--set solver.method=minres --set 'solver.preconditioner={type=\"chebyshev\";}'",
        "--set 'solver.preconditioner={type=\"multigrid\";coarsest=50;}'",
        "--set problem.reorder=rcm --set solver.reductions=compensated",
        "--set problem.reorder=metis --set problem.parts=3",
        "--set 'kernels=(\"cpu_sym_exact\")' --set solver.reductions=exact --set problem.n=[3,3,3]",
        "--set solver.method=lanczos --set eigen.count=2 --set output.solution=none",
        "--set 'trace={every=5;vectors=[\"x\",\"r\"];}'",
        "--set 'solver.start={type=\"random\";}' --set 'problem={type=\"poisson3d\";n=11;}'",
        "--set 'rhs={type=\"solution\";x=\"random\";}' --set 'problem={type=\"poisson3d\";n=13;}' "
        "--set output.solution=txt",
    };
    if (!prepare())
        return;
    write_config("ranks.cfg", "problem = { type = \"fe_cube\"; n = [11, 10, 9]; unknowns = 2; };\n"
                              "kernels = ( \"cpu_csr\", \"cpu_sym_bitwise\" );\n"
                              "repeats = 2;\n"
                              "output = { solution = \"npy\"; };\n");
    for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
        if (metis_missing() && strstr(ways[w], "metis"))
            continue;
        char arguments[4096];
        const struct outcome *one =
            run_program("--quiet --output %s %s %s", alone, ways[w], config);
        int status = one->exit_status;
        ck_assert_msg(status <= 1, "%s: %s", ways[w], one->errors);
        snprintf(arguments, sizeof arguments, "--quiet --threads 1 --output %s %s %s", out, ways[w],
                 config);
        expect_exit(run_ranks(3, arguments), status);
        expect_same_files();
    }
}
END_TEST

/* solve and eigs: the same x and v, and what is said is said once. */
START_TEST(one_solve_is_that_of_one_process)
{
    static const char *const ways[] = {
        "solve problems/plate.mtx.gz --preconditioner jacobi --monitor --solution",
        "solve problems/plate.mtx.gz --kernel cpu_sym_bitwise preconditioner.type=multigrid "
        "rhs.type=random --solution",
        "eigs problems/plate.mtx.gz -k 2 --vectors",
    };
    if (!prepare())
        return;
    for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
        char arguments[4096], command[1024];
        snprintf(arguments, sizeof arguments, "%s %s.npy", ways[w], alone);
        const struct outcome *outcome = run_program("%s", arguments);
        int status = outcome->exit_status;
        ck_assert_msg(status <= 1, "%s: %s", ways[w], outcome->errors);
        snprintf(arguments, sizeof arguments, "%s %s.npy threads=1", ways[w], out);
        outcome = run_ranks(3, arguments);
        expect_exit(outcome, status);
        const char *said = strstr(outcome->output, "time      set-up");
        ck_assert_msg(said && !strstr(said + 1, "time      set-up"), "%s", outcome->output);
        expect_text(outcome->output, "3 ranks of 1 thread");
        snprintf(command, sizeof command, "cmp '%s.npy' '%s.npy'", alone, out);
        ck_assert_msg(system(command) == 0, "%s", ways[w]);
    }
}
END_TEST

START_TEST(one_sentence_says_what_is_wrong)
{
    if (!prepare())
        return;
    write_config("good.cfg", "problem = { type = \"poisson3d\"; n = 9; };\n"
                             "kernels = ( \"cpu_csr\" );\n");
    char arguments[4096];
    const struct outcome *outcome = run_ranks(2, "bench x.mtx");
    expect_exit(outcome, 2);
    expect_text(outcome->errors, "bench: is for one process");
    outcome = run_ranks(2, "solve /no.mtx");
    ck_assert_int_ne(outcome->exit_status, 0);
    expect_text(outcome->errors, "cgsolve: /no.mtx: cannot");
    ck_assert_ptr_null(strstr(outcome->errors, "rank 1"));
    snprintf(arguments, sizeof arguments, "--devices 0,1 --output %s %s", out, config);
    outcome = run_ranks(2, arguments);
    expect_exit(outcome, 2);
    expect_text(outcome->errors, "good.cfg: devices: each process of mpirun takes a device");
    outcome = run_ranks(2, "/nowhere/at/all.cfg");
    ck_assert_int_ne(outcome->exit_status, 0);
    expect_text(outcome->errors, "cgsolve: /nowhere/at/all.cfg: cannot read");
    ck_assert_ptr_null(strstr(outcome->errors, "rank 1"));
    snprintf(arguments, sizeof arguments,
             "-n 1 '%s' --output %s %s : -n 1 '%s' --output %s --set repeats=3 %s", program, out,
             config, program, out, config);
    outcome = run_other_program("mpirun", "%s", arguments);
    ck_assert_int_ne(outcome->exit_status, 0);
    expect_text(outcome->errors, "rank 1 of 2 has not the same config");
    snprintf(arguments, sizeof arguments,
             "-n 1 '%s' --output %s %s : -n 1 '%s' --output %s /no.cfg", program, out, config,
             program, out);
    outcome = run_other_program("mpirun", "%s", arguments);
    ck_assert_int_ne(outcome->exit_status, 0);
    expect_text(outcome->errors, "rank 1 of 2: /no.cfg: cannot read the config");
    outcome = run_other_program("mpirun", "-n 1 '%s' --output %s %s : -n 1 '%s' --version", program,
                                out, config, program);
    ck_assert_int_ne(outcome->exit_status, 0);
    expect_text(outcome->errors, "rank 1 of 2 has not the same config");
    expect_exit(run_ranks(2, "--version"), 0);
    expect_exit(run_ranks(2, "version"), 0);
    expect_exit(run_ranks(2, "help solve"), 0);
    snprintf(arguments, sizeof arguments, "cp '%s' '%s.program' && echo >> '%s.program'", program,
             alone, alone);
    ck_assert(system(arguments) == 0);
    outcome =
        run_other_program("mpirun", "-n 1 '%s' --output %s %s : -n 1 '%s.program' --output %s %s",
                          program, out, config, alone, out, config);
    ck_assert_int_ne(outcome->exit_status, 0);
    expect_text(outcome->errors, "the program: ranks 0 and 1 have not the same file");
    setenv("SLURM_STEP_NUM_TASKS", "3", 1); /* as by srun without --mpi= */
    outcome = run_program("--output %s %s", out, config);
    unsetenv("SLURM_STEP_NUM_TASKS");
    ck_assert_int_ne(outcome->exit_status, 0);
    expect_text(outcome->errors, "3 processes were started (SLURM_STEP_NUM_TASKS), and MPI knows");
}
END_TEST

/* A row that Jacobi refuses is told as by one process, though one rank alone has it. */
START_TEST(a_row_of_another_rank_is_refused)
{
    enum { ROWS = 900, WRONG = 701 };
    static char text[1 << 15];
    char arguments[1024];
    if (!prepare())
        return;
    int length = snprintf(text, sizeof text,
                          "%%%%MatrixMarket matrix coordinate real symmetric\n"
                          "%d %d %d\n",
                          ROWS, ROWS, ROWS);
    for (int i = 1; i <= ROWS; i++)
        length += snprintf(text + length, sizeof text - (size_t)length, "%d %d %s\n", i, i,
                           i == WRONG ? "-3.5" : "2");
    snprintf(program_text, sizeof program_text,
             "problem = { type = \"mtx\"; path = \"%s\"; };\nkernels = ( \"cpu_csr\" );\n"
             "solver = { preconditioner = { type = \"jacobi\"; }; };\n",
             temporary_file("wrong.mtx", text, length));
    write_config("wrong.cfg", program_text);
    snprintf(arguments, sizeof arguments, "--quiet --threads 1 --output %s %s", out, config);
    const struct outcome *outcome = run_ranks(3, arguments);
    ck_assert_int_ne(outcome->exit_status, 0);
    expect_text(outcome->errors, "row 701 has -3.5 on the diagonal");
}
END_TEST

/* What is said of a file of which each rank has read its part. */
START_TEST(a_matrix_file_is_read_in_parts)
{
    static const char *const ways[] = {"", "--set 'solver.preconditioner={type=\"jacobi\";}'",
                                       "--set problem.asymmetry=1e-3",
                                       "--set 'rhs={type=\"solution\";x=\"random\";}' --set "
                                       "'solver.preconditioner={type=\"chebyshev\";}'"};
    enum { ROWS = 10000 };
    static char text[1 << 20];
    if (!prepare())
        return;
    int length = snprintf(text, sizeof text,
                          "%%%%MatrixMarket matrix coordinate real general\n"
                          "%d %d %d\n1 1 1\n",
                          ROWS, ROWS, 4 * ROWS - 2);
    for (int i = 1; i <= ROWS; i++) { /* the first diagonal entry is there twice */
        int j = i < ROWS ? i % 7 * 100 + 1 + i : 0, far = j > ROWS ? ROWS : j;
        length += snprintf(text + length, sizeof text - (size_t)length, "%d %d 3000\n", i, i);
        if (i < ROWS)
            length += snprintf(text + length, sizeof text - (size_t)length,
                               "%d %d -1\n%d %d -1%s\n%d %d 0\n", i, far, far, i,
                               i % 5 == 0 ? ".0001" : "", i, i);
    }
    snprintf(program_text, sizeof program_text,
             "problem = { type = \"mtx\"; path = \"%s\"; asymmetry = 1e-2; };\n"
             "kernels = ( \"cpu_sym_bitwise\" );\noutput = { solution = \"npy\"; };\n",
             temporary_file("parts.mtx", text, length));
    write_config("parts.cfg", program_text);
    for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
        char arguments[4096];
        expect_exit(run_program("--quiet --output %s %s %s", alone, ways[w], config), 0);
        snprintf(arguments, sizeof arguments, "--quiet --threads 1 --output %s %s %s", out, ways[w],
                 config);
        expect_exit(run_ranks(3, arguments), 0);
        expect_same_files();
        json_t *one = read_summary(alone), *several = read_summary(out);
        json_t *of_one = json_object_get(one, "problem"), *of = json_object_get(several, "problem");
        json_object_del(of_one, "seconds");
        json_object_del(of, "seconds");
        ck_assert(of_one && json_equal(of_one, of));
        json_decref(one);
        json_decref(several);
    }
    char arguments[4096], says[sizeof((struct outcome *)0)->errors];
    strstr(text + length / 10 * 9, " 3000")[2] = 'x';
    temporary_file("parts.mtx", text, length);
    const struct outcome *outcome = run_program("--quiet --output %s %s", alone, config);
    int refused = outcome->exit_status;
    snprintf(says, sizeof says, "%s", outcome->errors);
    snprintf(arguments, sizeof arguments, "--quiet --output %s %s", out, config);
    outcome = run_ranks(3, arguments);
    expect_exit(outcome, refused);
    expect_text(outcome->errors, says);
    expect_text(outcome->errors, "\"3x00\" is not a number");
}
END_TEST

/* A diagonal of 4 2^exponent and -2^exponent beside it: squares of its values are out of range. */
START_TEST(parts_are_scaled_alike)
{
    static const struct {
        int exponent;
        const char *how;
    } ways[] = {{540, "--set solver.method=minres"},
                {-540, "--set 'solver.preconditioner={type=\"chebyshev\";}'"},
                {540, "--set solver.method=lanczos --set eigen.count=1 --set eigen.which=largest "
                      "--set output.solution=none"}};
    enum { ROWS = 9000 };
    static char text[1 << 20];
    if (!prepare())
        return;
    for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
        double one = ldexp(1, ways[w].exponent);
        int length = snprintf(text, sizeof text,
                              "%%%%MatrixMarket matrix coordinate real symmetric\n"
                              "%d %d %d\n1 1 %.17g\n",
                              ROWS, ROWS, 2 * ROWS - 1, 4 * one);
        for (int i = 2; i <= ROWS; i++)
            length +=
                snprintf(text + length, sizeof text - (size_t)length, "%d %d %.17g\n%d %d %.17g\n",
                         i, i, (i == 5 ? 12 : 4) * one, i, i - 1, -one);
        snprintf(program_text, sizeof program_text,
                 "problem = { type = \"mtx\"; path = \"%s\"; };\n"
                 "kernels = ( \"cpu_sym_bitwise\" );\noutput = { solution = \"npy\"; };\n",
                 temporary_file("scaled.mtx", text, length));
        write_config("scaled.cfg", program_text);
        char arguments[4096];
        expect_exit(run_program("--quiet --output %s %s %s", alone, ways[w].how, config), 0);
        snprintf(arguments, sizeof arguments, "--quiet --threads 1 --output %s %s %s", out,
                 ways[w].how, config);
        expect_exit(run_ranks(3, arguments), 0);
        expect_same_files();
    }
}
END_TEST

/* NAME.mtx in a directory of its own: 2197 numbers, or as many rows of a diagonal, of which one is
 * other than usual. */
static void write_numbers(const char *directory, const char *name, bool matrix, int unusual)
{
    static char text[1 << 16];
    char path[64];
    int length = snprintf(text, sizeof text, "%%%%MatrixMarket matrix %s\n2197 %s\n",
                          matrix ? "coordinate real symmetric" : "array real general",
                          matrix ? "2197 2197" : "1");
    for (int i = 0; i < 2197; i++) {
        if (matrix)
            length += snprintf(text + length, sizeof text - (size_t)length, "%d %d ", i + 1, i + 1);
        length += snprintf(text + length, sizeof text - (size_t)length, "%d\n",
                           1 + i % 10 + (i == unusual ? 100 : 0));
    }
    ck_assert(mkdir(temporary_path(directory), 0777) == 0 || errno == EEXIST);
    snprintf(path, sizeof path, "%s/%s", directory, name);
    temporary_file(path, text, length);
}

/* Of two directories, as of two hosts: copies that are equal, and that differ somewhere. */
START_TEST(files_that_differ_are_found)
{
    static const char *const read[] = {"rhs={type=\"file\";path=\"v.mtx\";}",
                                       "solver.start={type=\"file\";path=\"v.mtx\";}",
                                       "problem={type=\"mtx\";path=\"A.mtx\";}"};
    const int unusual[] = {-1, 3, 2000};
    char first[256], other[256];
    if (!prepare())
        return;
    write_config("alike.cfg", "problem = { type = \"poisson3d\"; n = 13; };\n"
                              "kernels = ( \"cpu_csr\" );\n");
    write_numbers("first", "v.mtx", false, -1);
    write_numbers("first", "A.mtx", true, -1);
    snprintf(first, sizeof first, "%s", temporary_path("first"));
    snprintf(other, sizeof other, "%s", temporary_path("other"));
    for (int k = 0; k < 9; k++) {
        char same[2048];
        write_numbers("other", k / 3 == 2 ? "A.mtx" : "v.mtx", k / 3 == 2, unusual[k % 3]);
        snprintf(same, sizeof same, "'%s' --quiet --output %s --set '%s' %s", program, out,
                 read[k / 3], config);
        const struct outcome *outcome = run_other_program(
            "mpirun", "-n 2 --wdir %s %s : -n 2 --wdir %s %s", first, same, other, same);
        ck_assert_msg((outcome->exit_status == 0) == (k % 3 == 0), "%s: %s", read[k / 3],
                      outcome->errors);
        if (k % 3 > 0)
            expect_text(outcome->errors, ".mtx: ranks 0 and 2 have not the same file");
    }
    temporary_file("other/A.mtx",
                   "%%MatrixMarket matrix coordinate real symmetric\n2197 2197 1\n1 x 1\n", -1);
    const struct outcome *outcome = run_other_program(
        "mpirun",
        "-n 2 --wdir %s '%s' --quiet --output %s --set '%s' %s : -n 1 --wdir %s '%s' --quiet "
        "--output %s --set '%s' %s",
        first, program, out, read[2], config, other, program, out, read[2], config);
    ck_assert_int_ne(outcome->exit_status, 0);
    expect_text(outcome->errors, "A.mtx");
}
END_TEST

/* Of matrices of other sizes nothing is exchanged by rows. */
START_TEST(other_sizes_are_found)
{
    char first[256], other[256];
    if (!prepare())
        return;
    static const char *const texts[] = {
        "%%MatrixMarket matrix coordinate real symmetric\n900 900 1\n1 1 1\n",
        "%%MatrixMarket matrix coordinate real symmetric\n5000 5000 1\n1 1 1\n"};
    write_config("sizes.cfg", "problem = { type = \"mtx\"; path = \"A.mtx\"; };\n"
                              "kernels = ( \"cpu_csr\" );\n");
    snprintf(first, sizeof first, "%s", temporary_path("small"));
    snprintf(other, sizeof other, "%s", temporary_path("large"));
    ck_assert(mkdir(first, 0777) == 0 && mkdir(other, 0777) == 0);
    temporary_file("small/A.mtx", texts[0], -1);
    temporary_file("large/A.mtx", texts[1], -1);
    const struct outcome *outcome = run_other_program(
        "mpirun",
        "-n 1 --wdir %s '%s' --quiet --output %s %s : -n 1 --wdir %s '%s' --quiet "
        "--output %s %s",
        first, program, out, config, other, program, out, config);
    ck_assert_int_ne(outcome->exit_status, 0);
    expect_text(outcome->errors, "rank 1 of 2 has not the same system as rank 0");
}
END_TEST

/* Two ranks that solve for long, with n^3 rows; in the shell of rank 1 is `before`, where %s stands
 * for the file that the study writes. */
static struct outcome *run_with_trouble(int n, const char *before)
{
    char file[512], shell[1024], arguments[1024];
    write_config("long.cfg", "problem = { type = \"poisson3d\"; };\n"
                             "kernels = ( \"cpu_csr\" );\n"
                             "repeats = 1000;\n");
    snprintf(file, sizeof file, "%s/unfinished/history.csv.partial", out);
    snprintf(shell, sizeof shell, before, file);
    snprintf(arguments, sizeof arguments, "--quiet --threads 1 --set problem.n=%d --output %s %s",
             n, out, config);
    return run_other_program("mpirun", "-n 1 '%s' %s : -n 1 sh -c '%s exec \"%s\" %s'", program,
                             arguments, shell, program, arguments);
}

/* When there are rows, both ranks solve. */
#define ONCE_THERE_ARE_ROWS(command)                                                               \
    "(while kill -0 $$ && [ \"$(head -3 \"%s\" 2>/dev/null | wc -l)\" -lt 3 ]; "                   \
    "do sleep 0.1; done; " command ") &"

/* Nobody is waited for; what is there stays in files whose names say how far they came. */
START_TEST(a_rank_that_fails_ends_all)
{
    char unfinished[512];
    if (!prepare())
        return;
    const struct outcome *outcome = run_with_trouble(200, "ulimit -d 450000;");
    ck_assert_int_ne(outcome->exit_status, 0);
    expect_text(outcome->errors, "cgsolve: rank 1 of 2: out of memory: a study of 8000000 rows");
    outcome = run_with_trouble(60, ONCE_THERE_ARE_ROWS("kill -9 $$"));
    ck_assert_int_ne(outcome->exit_status, 0);
    snprintf(unfinished, sizeof unfinished, "%s/unfinished/history.csv.partial", out);
    ck_assert_msg(access(unfinished, R_OK) == 0, "%s", outcome->errors);
    ck_assert_int_eq(unlink(unfinished), 0);
    outcome = run_with_trouble(60, ONCE_THERE_ARE_ROWS("kill -INT $$"));
    ck_assert_int_ne(outcome->exit_status, 0);
    expect_text(outcome->errors, "interrupted ");
    snprintf(unfinished, sizeof unfinished, "%s/unfinished/history.csv", out);
    ck_assert_msg(access(unfinished, R_OK) == 0, "%s", outcome->errors);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {the_files_are_those_of_one_process, one_solve_is_that_of_one_process,
                            one_sentence_says_what_is_wrong,    a_row_of_another_rank_is_refused,
                            a_matrix_file_is_read_in_parts,     parts_are_scaled_alike,
                            files_that_differ_are_found,        other_sizes_are_found,
                            a_rank_that_fails_ends_all,         NULL};
    return suite_of("main/ranks", tests);
}
