/* How much memory and how many processors a process may have: control groups from files, its own
 * limits, and what it holds. */
#include "base/limits.h"

#include "support.h"

#include "base/processors.h"
#include "base/threads.h"

#include <inttypes.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* A root directory of a system whose /proc/self/cgroup says `groups`, with one file of a limit. */
static const char *root_of(const char *groups, const char *file, const char *text)
{
    static int made;
    static char root[300];
    char name[32], command[2048];
    snprintf(name, sizeof name, "root%d", made++);
    snprintf(root, sizeof root, "%s", temporary_path(name));
    snprintf(command, sizeof command,
             "mkdir -p %s/proc/self \"$(dirname %s%s)\" && printf '%s' >%s/proc/self/cgroup && "
             "printf -- '%s' >%s%s",
             root, root, file, groups, root, text, root, file);
    ck_assert_int_eq(system(command), 0);
    return root;
}

/* One more file of that system. */
static void add_file(const char *root, const char *file, const char *text)
{
    char path[400];
    snprintf(path, sizeof path, "%s%s", root, file);
    FILE *made = fopen(path, "w");
    ck_assert_ptr_nonnull(made);
    fputs(text, made);
    ck_assert_int_eq(fclose(made), 0);
}

/* Of a machine with 1 GiB. */
START_TEST(control_groups_set_limits)
{
    static const struct {
        const char *groups, *file, *text;
        double wanted; /* 0: that of the machine */
    } cases[] = {
        {"0::/a/b\n", "/sys/fs/cgroup/a/b/memory.max", "4096\n", 4096},
        {"0::/a/b\n", "/sys/fs/cgroup/a/memory.max", "8192\n", 8192}, /* of the one above */
        {"0::/\n", "/sys/fs/cgroup/memory.max", "12288\n", 12288},
        {"0::/a/b\n", "/sys/fs/cgroup/a/b/memory.max", "max\n", 0},
        {"0::/a\n", "/sys/fs/cgroup/b/memory.max", "4096\n", 0}, /* another's */
        {"7:cpu:/\n4:cpu,memory:/x\n0::/\n", "/sys/fs/cgroup/memory/x/memory.limit_in_bytes",
         "4096\n", 4096},
        {"4:memory:/docker/0f\n", "/sys/fs/cgroup/memory/memory.limit_in_bytes", "20480\n", 20480},
        {"4:memory:/\n", "/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n", 0},
        {"7:cpu:/x\n", "/sys/fs/cgroup/memory/x/memory.limit_in_bytes", "4096\n", 0},
        {"nonsense\n:\n", "/sys/fs/cgroup/memory.max", "4096\n", 0},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const char *root = root_of(cases[k].groups, cases[k].file, cases[k].text);
        add_file(root, "/proc/meminfo", "MemTotal: 9999999 kB\nMemAvailable:    1048576 kB\n");
        struct memory_left left = memory_left(root);
        double wanted = cases[k].wanted > 0 ? cases[k].wanted : 0x1p30;
        ck_assert_msg(left.bytes == wanted, "%s: %.17g", cases[k].groups, left.bytes);
        ck_assert_str_eq(left.has,
                         cases[k].wanted > 0 ? "the control group has" : "this machine has");
    }
    ck_assert_double_gt(memory_left("/no/such/root").bytes, 1e6);
}
END_TEST

/* What others of a group hold is not left; the pages of files in it are. */
START_TEST(neighbours_count)
{
    const char *root = root_of("0::/a\n", "/sys/fs/cgroup/a/memory.max", "1000000\n");
    add_file(root, "/sys/fs/cgroup/a/memory.current", "700000\n");
    ck_assert_double_eq(memory_left(root).bytes, 300000);
    add_file(root, "/sys/fs/cgroup/a/memory.stat",
             "file 99\ninactive_file 100000\nactive_file 50000\n");
    ck_assert_double_eq(memory_left(root).bytes, 450000);
    root = root_of("4:memory:/x\n", "/sys/fs/cgroup/memory/x/memory.limit_in_bytes", "1000000\n");
    add_file(root, "/sys/fs/cgroup/memory/x/memory.usage_in_bytes", "700000\n");
    add_file(root, "/sys/fs/cgroup/memory/x/memory.stat",
             "inactive_file 9\ntotal_inactive_file 100000\n");
    ck_assert_double_eq(memory_left(root).bytes, 400000);
}
END_TEST

START_TEST(control_groups_have_shares_of_processors)
{
    static const struct {
        const char *groups, *file, *text;
        int wanted;
    } cases[] = {
        {"0::/a/b\n", "/sys/fs/cgroup/a/b/cpu.max", "200000 100000\n", 2},
        {"0::/a/b\n", "/sys/fs/cgroup/a/cpu.max", "250000 100000\n", 3}, /* 2.5, of the one above */
        {"0::/a\n", "/sys/fs/cgroup/a/cpu.max", "5000 100000\n", 1},
        {"0::/a\n", "/sys/fs/cgroup/a/cpu.max", "max 100000\n", INT_MAX},
        {"0::/a\n", "/sys/fs/cgroup/b/cpu.max", "200000 100000\n", INT_MAX}, /* another's */
        {"3:cpu,cpuacct:/x\n", "/sys/fs/cgroup/cpu/x/cpu.cfs_quota_us", "-1\n", INT_MAX},
        {"3:cpuset:/x\n", "/sys/fs/cgroup/cpu/x/cpu.max", "100000 100000\n", INT_MAX},
        {"nonsense\n", "/sys/fs/cgroup/cpu.max", "100000 100000\n", INT_MAX},
    };
    ck_assert_int_eq(processors_of_groups("/no/such/root"), INT_MAX);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        int found = processors_of_groups(root_of(cases[k].groups, cases[k].file, cases[k].text));
        ck_assert_msg(found == cases[k].wanted, "%s%s: %d", cases[k].groups, cases[k].text, found);
    }
    const char *root =
        root_of("3:cpuacct,cpu:/x\n", "/sys/fs/cgroup/cpu/x/cpu.cfs_quota_us", "350000\n");
    char command[600];
    snprintf(command, sizeof command, "echo 100000 >%s/sys/fs/cgroup/cpu/x/cpu.cfs_period_us",
             root);
    ck_assert_int_eq(system(command), 0);
    ck_assert_int_eq(processors_of_groups(root), 4);
}
END_TEST

/* The number that was asked for, or one for each 2^15 entries. */
START_TEST(threads_follow_the_size)
{
    int most = processors_wanted();
    ck_assert_int_ge(most, 1);
    ck_assert_int_le(most, processors_available());
    ck_assert_int_eq(threads_for(7, 1), 7);
    ck_assert_int_eq(threads_for(0, 0), 1);
    ck_assert_int_eq(threads_for(0, 65535), 1);
    ck_assert_int_eq(threads_for(0, 65536), most < 2 ? most : 2);
    ck_assert_int_eq(threads_for(0, INT64_MAX), most);
}
END_TEST

#ifdef __linux__
START_TEST(one_processor_has_one_thread)
{
    int status;
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        cpu_set_t one[PROCESSOR_SETS] = {0};
        CPU_SET_S((size_t)sched_getcpu(), sizeof one, one);
        _exit(sched_setaffinity(0, sizeof one, one) == 0 ? threads_for(0, INT64_MAX) : 126);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 1, "status %x", (unsigned)status);
}
END_TEST
#endif

#ifndef __SANITIZE_ADDRESS__ /* whose own mappings are beyond any limit */
/* memory_fits under a limit of so many bytes, which is there for the call alone. */
static enum status fits_under(int resource, double limit, double bytes, struct error *error)
{
    struct rlimit before, set;
    ck_assert_int_eq(getrlimit(resource, &before), 0);
    set = (struct rlimit){(rlim_t)limit, before.rlim_max};
    ck_assert_int_eq(setrlimit(resource, &set), 0);
    memory_fits(1e18, "all", error); /* so that it looks again */
    enum status status = memory_fits(bytes, "it", error);
    ck_assert_int_eq(setrlimit(resource, &before), 0);
    return status;
}

START_TEST(own_limits_are_kept)
{
    static const struct {
        int resource;
        const char *has;
    } limits[] = {{RLIMIT_AS, "ulimit -v has "}, {RLIMIT_DATA, "ulimit -d has "}};
    struct error error;
    test_threads(1); /* a thread that begins needs memory too */
    for (int k = 0; k < 2; k++) {
        double limit = memory_held() + 1e9;
        expect_error(fits_under(limits[k].resource, limit, 1.01e9, &error), STATUS_MEMORY, &error,
                     "out of memory: it needs 1.01 GB, ", limits[k].has, " left", NULL);
        expect_ok(fits_under(limits[k].resource, limit, 0.9e9, &error), &error);
    }
}
END_TEST

/* An array counts from when it is made, and not only when it is filled. */
START_TEST(what_is_held_counts)
{
    enum { HELD = 256 << 20 };
    struct error error;
    double limit = memory_held() + 1e9;
    expect_ok(fits_under(RLIMIT_DATA, limit, 0.9e9, &error), &error);
    char *array = memory_array(HELD, 1, "an array", &error);
    ck_assert_ptr_nonnull(array);
    for (int filled = 0; filled < 2; filled++) {
        expect_error(fits_under(RLIMIT_DATA, limit, 0.9e9, &error), STATUS_MEMORY, &error,
                     "it needs 900 MB, ulimit -d has 7", " MB left", NULL);
        memset(array, 1, HELD);
    }
    memory_free(array);
    expect_ok(fits_under(RLIMIT_DATA, limit, 0.9e9, &error), &error);
}
END_TEST

/* Bytes that count for ulimit -d, of libraries that nothing has touched yet among them. */
static double data_held(void)
{
    double data = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_eq(fscanf(file, "%*f %*f %*f %*f %*f %lf", &data), 1);
    fclose(file);
    return data * (double)sysconf(_SC_PAGESIZE);
}

/* Small arrays alone come to an end as well, with a sentence of this or of the system's refusal. */
START_TEST(small_arrays_count)
{
    enum { SIZE = 1 << 16, MOST = 1 << 12 };
    struct error error;
    void *arrays[MOST];
    struct rlimit before, set;
    int made = 0;
    test_threads(1);
    ck_assert_int_eq(getrlimit(RLIMIT_DATA, &before), 0);
    set = (struct rlimit){(rlim_t)(data_held() + (double)SIZE * MOST / 2), before.rlim_max};
    ck_assert_int_eq(setrlimit(RLIMIT_DATA, &set), 0);
    memory_fits(1e18, "all", &error); /* so that it looks again */
    while (made < MOST && (arrays[made] = memory_array(SIZE, 1, "a small array", &error)))
        made++;
    ck_assert_int_eq(setrlimit(RLIMIT_DATA, &before), 0);
    ck_assert_int_gt(made, MOST / 4);
    ck_assert_int_lt(made, MOST);
    ck_assert_ptr_nonnull(strstr(error.text, "out of memory: a small array needs 6"));
    while (made > 0)
        memory_free(arrays[--made]);
}
END_TEST
#endif

Suite *suite(void)
{
    const TTest *tests[] = {control_groups_set_limits,
                            neighbours_count,
                            control_groups_have_shares_of_processors,
                            threads_follow_the_size,
#ifdef __linux__
                            one_processor_has_one_thread,
#endif
#ifndef __SANITIZE_ADDRESS__
                            own_limits_are_kept,
                            what_is_held_counts,
                            small_arrays_count,
#endif
                            NULL};
    return suite_of("base/limits", tests);
}
