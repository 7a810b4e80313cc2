/* The committed residual histories on a GPU: the CPU's, bit for bit, in every form. Without a device
 * nothing is run, and it says why. */
#include "support.h"

#include "cuda_device.h"
#include "golden/golden.h"

static const char kernels[] =
    "({name=\"cuda_csr_subwarp\";threads_per_row=1;},\"cuda_sym_bitwise\","
    "{name=\"cuda_sym_bitwise\";label=\"d\";form=\"diagonals\";},"
    "{name=\"cuda_sym_bitwise\";label=\"d never\";form=\"diagonals\";compress=\"never\";},"
    "{name=\"cuda_sym_bitwise\";label=\"b\";form=\"blocks\";},"
    "{name=\"cuda_sym_bitwise\";label=\"b never\";form=\"blocks\";compress=\"never\";},"
    "{name=\"cuda_sym_bitwise\";label=\"g\";form=\"general\";},"
    "{name=\"cuda_sym_bitwise\";label=\"g never\";form=\"general\";compress=\"never\";})";

START_TEST(histories_are_the_committed_ones)
{
    if (cuda_device_is_there())
        golden_compare(kernels, 0);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {histories_are_the_committed_ones, NULL};
    return suite_of("golden/golden_cuda", tests);
}
