/* The committed histories on a GPU, by every kernel there that promises equal bits: the CPU's bits
 * where the order is the CPU's, and else the bits of the kernel's twin, which made the file.
 * Without a device nothing is run, and it says why. */
#include "support.h"

#include "cuda_device.h"
#include "golden/golden.h"

START_TEST(history_is_the_committed_one)
{
    struct golden_file file = golden_file(_i);
    golden_compare(&file, GOLDEN_GPU, 0);
}
END_TEST

Suite *suite(void)
{
    Suite *made = suite_create("golden/golden_cuda");
    TCase *tcase = tcase_of("golden/golden_cuda");
    tcase_add_loop_test(tcase, history_is_the_committed_one, 0,
                        cuda_device_is_there() ? golden_files_count() : 0);
    suite_add_tcase(made, tcase);
    return made;
}
