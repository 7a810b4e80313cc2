/* Several GPUs of this host in one process: the files of one, and one sentence where it fails. */
#include "support.h"

#include "cuda_device.h"
#include "main/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DEVICES = 4 };
static char out[256], alone[256];

static const char *prepare(void)
{
    snprintf(out, sizeof out, "%s", temporary_path("devices"));
    snprintf(alone, sizeof alone, "%s", temporary_path("alone"));
    return temporary_file("devices.cfg",
                          "problem = { type = \"fe_cube\"; n = [11, 10, 9]; unknowns = 2; };\n"
                          "kernels = ( \"cpu_csr\", \"cuda_csr_scalar\", \"cuda_sym_bitwise\" );\n"
                          "repeats = 2;\n"
                          "output = { solution = \"npy\"; };\n",
                          -1);
}

/* All but what tells of the machine and of times. */
static void expect_same_files(const char *way)
{
    char command[2048];
    snprintf(command, sizeof command,
             "diff -r -q -x summary.json -x settings.cfg -x report.html '%s' '%s' && ls '%s' | "
             "grep -q history",
             alone, out, out);
    ck_assert_msg(system(command) == 0, "%s: files differ", way);
}

/* "0,1,2", or from the last one to the first */
static const char *list_of(int devices, bool turned)
{
    static char list[4 * MOST_DEVICES];
    int length = 0;
    for (int d = 0; d < devices; d++)
        length += snprintf(list + length, sizeof list - (size_t)length, "%s%d", d ? "," : "",
                           turned ? devices - 1 - d : d);
    return list;
}

static void expect_devices(int devices)
{
    json_t *summary = read_summary(out), *machine = json_object_get(summary, "machine");
    json_t *ranks = json_object_get(machine, "ranks");
    ck_assert_int_eq(json_integer_value(ranks), devices > 1 ? devices : 0);
    ck_assert_uint_eq(json_array_size(json_object_get(machine, "devices")),
                      devices > 1 ? (size_t)devices : 0);
    json_decref(summary);
}

START_TEST(the_files_are_those_of_one_device)
{
    static const char *const ways[] = {
        "",
        "--set 'rhs={type=\"random\";seed=5;columns=3;}'",
        "--set solver.method=minres --set 'solver.preconditioner={type=\"chebyshev\";}'",
        "--set 'solver.preconditioner={type=\"jacobi\";}'",
        "--set problem.reorder=rcm --set solver.reductions=compensated",
        "--set solver.method=lanczos --set eigen.count=2 --set output.solution=none",
        "--set 'trace={every=5;vectors=[\"x\",\"r\"];}'",
    };
    if (!cuda_device_is_there())
        return;
    char config[256]; /* a path lasts for 64 others */
    snprintf(config, sizeof config, "%s", prepare());
    int most = cuda_devices(MOST_DEVICES);
    if (most < 2)
        printf("one device: several together not tested\n");
    for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
        const struct outcome *one =
            run_program("--quiet --output %s %s %s", alone, ways[w], config);
        int status = one->exit_status;
        ck_assert_msg(status <= 1, "%s: %s", ways[w], one->errors);
        for (int devices = 1; devices <= most; devices++) {
            const struct outcome *outcome =
                run_program("--quiet --devices %s --output %s %s %s", list_of(devices, w % 2 == 1),
                            out, ways[w], config);
            ck_assert_msg(outcome->exit_status == status, "%s: %s", ways[w], outcome->errors);
            expect_same_files(ways[w]);
            expect_devices(devices);
        }
    }
    /* the last one by itself */
    expect_exit(run_program("--quiet --output %s %s", alone, config), 0);
    expect_exit(run_program("--quiet --devices %d --output %s %s", most - 1, out, config), 0);
    expect_same_files("the last device");
    expect_devices(1);
}
END_TEST

START_TEST(one_solve_takes_them_too)
{
    char first[1 << 16];
    const char *solve = "solve --quiet --monitor --kernel cuda_sym_bitwise problems/plate.mtx.gz";
    if (!cuda_device_is_there() || cuda_devices(2) < 2)
        return;
    struct outcome *outcome = run_program("%s", solve);
    expect_exit(outcome, 0);
    memcpy(first, outcome->output, sizeof first);
    outcome = run_program("%s 'devices=[1,0]'", solve);
    expect_exit(outcome, 0);
    ck_assert_str_eq(outcome->output, first);
}
END_TEST

/* A rank whose device is not there, and one that the ranks' sums refuse. */
START_TEST(one_sentence_says_what_is_wrong)
{
    if (!cuda_device_is_there())
        return;
    const char *config = prepare();
    struct outcome *outcome = run_program("--quiet --devices 0,1023 --output %s %s", out, config);
    expect_exit(outcome, 4);
    expect_text(outcome->errors, "cgsolve: rank 1 of 2 (device 1023): ");
    ck_assert_ptr_eq(strchr(outcome->errors, '\n') + 1, outcome->errors + strlen(outcome->errors));
    if (cuda_devices(2) < 2)
        return;
    outcome = run_program("--quiet --devices 0,1 --set solver.reductions=atomic --output %s %s",
                          out, config);
    expect_exit(outcome, 2);
    expect_text(outcome->errors, "not atomic");
    ck_assert_ptr_null(strstr(outcome->errors, "rank 0 of"));
    outcome =
        run_other_program("env", "CGSOLVE_GPU_LINK=pear '%s' --quiet --devices 0,1 --output %s %s",
                          program_path(), out, config);
    expect_exit(outcome, 2);
    expect_text(outcome->errors, "neither nccl nor peer");
}
END_TEST

/* Of all that has code for a GPU, the file that asks whether there is some is compiled for the
 * newest one that nvcc knows. */
START_TEST(another_gpu_is_named_with_the_remedy)
{
    if (!cuda_device_is_there() || program_is_sanitized())
        return;
    char program[256];
    const char *config = prepare();
    snprintf(program, sizeof program, "%s/cgsolve", temporary_path("other"));
    struct outcome *outcome = run_other_program(
        "sh",
        "-c 'unset MAKEFLAGS MAKELEVEL MFLAGS; o=%s; mkdir -p $o\n"
        "known=$(make CUDA=1 CUDA_ARCH=0 2>&1 | sed -n \"s/.* knows \\(.*\\)[.] .*/\\1/p\")\n"
        "cd $CGSOLVE_BUILD; find . -name \"*.[od]\" -o -name \"flags*\" | tar -cf - -T - | "
        "tar -xf - -C $o; cd $OLDPWD\n"
        "make CUDA=1 CUDA_ARCH=${known##* } O=$o -o $o/flags -W src/space/cuda/cuda.cu $o/cgsolve "
        "$o/libcgsolve_cuda.so'",
        temporary_path("other"));
    expect_exit(outcome, 0);
    outcome = run_other_program(program, "--quiet --output %s %s", out, config);
    if (outcome->exit_status == 0) {
        printf("the GPU is the newest that nvcc knows: its message was not tried\n");
        return;
    }
    expect_exit(outcome, 4);
    expect_text(outcome->errors, "cgsolve: this build has code for sm_");
    expect_text(outcome->errors, ", device 0 is sm_");
    expect_text(outcome->errors, ": make CUDA_ARCH=");
}
END_TEST

/* `timeout` hands on that the program ended by the signal, or says that it came. */
START_TEST(a_signal_ends_all)
{
    if (!cuda_device_is_there() || cuda_devices(2) < 2)
        return;
    const char *config = prepare();
    struct outcome *outcome = run_other_program(
        "timeout",
        "-k 60 -s INT 20 '%s' --devices 0,1 --set repeats=1000000 --set output.solution=none "
        "--set 'kernels=(\"cuda_sym_bitwise\")' --output %s %s",
        program_path(), out, config);
    expect_exit(outcome, 124);
    expect_text(outcome->output, "interrupted ");
    expect_text(outcome->output, "; kept: ");
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {the_files_are_those_of_one_device,
                            one_solve_takes_them_too,
                            one_sentence_says_what_is_wrong,
                            another_gpu_is_named_with_the_remedy,
                            a_signal_ends_all,
                            NULL};
    return suite_of("main/devices_cuda", tests);
}
