/* The committed histories on a machine without a GPU: by every kernel of the CPU that promises
 * equal bits, in every form, for any number of threads, and by the twins of the GPU's kernels.
 * GOLDEN_THREADS="1 3" says which numbers. */
#include "support.h"

#include "golden/golden.h"

#include <stdlib.h>

START_TEST(history_is_the_committed_one)
{
    struct golden_file file = golden_file(_i);
    const char *threads = getenv("GOLDEN_THREADS");
    for (char *rest = (char *)(threads && *threads ? threads : "1 2 3 7"); *rest;) {
        int number = (int)strtol(rest, &rest, 10);
        ck_assert_int_gt(number, 0);
        golden_compare(&file, GOLDEN_CPU, number);
    }
    /* loops on one thread; the solver's sums by more are seen above */
    golden_compare(&file, GOLDEN_TWINS, 1);
}
END_TEST

Suite *suite(void)
{
    Suite *made = suite_create("golden/golden");
    TCase *tcase = tcase_of("golden/golden");
    tcase_add_loop_test(tcase, history_is_the_committed_one, 0, golden_files_count());
    suite_add_tcase(made, tcase);
    return made;
}
