/* The committed residual histories on the CPU: every kernel that promises equal bits, in every form, for
 * any number of threads. */
#include "support.h"

#include "golden/golden.h"

static const char kernels[] =
    "(\"cpu_csr\",\"cpu_sym\",\"cpu_sym_bitwise\","
    "{name=\"cpu_sym_bitwise\";label=\"d\";form=\"diagonals\";},"
    "{name=\"cpu_sym_bitwise\";label=\"d never\";form=\"diagonals\";compress=\"never\";},"
    "{name=\"cpu_sym_bitwise\";label=\"b\";form=\"blocks\";},"
    "{name=\"cpu_sym_bitwise\";label=\"b never\";form=\"blocks\";compress=\"never\";},"
    "{name=\"cpu_sym_bitwise\";label=\"g\";form=\"general\";},"
    "{name=\"cpu_sym_bitwise\";label=\"g never\";form=\"general\";compress=\"never\";})";

static const int threads[] = {1, 2, 3, 7};

START_TEST(histories_are_the_committed_ones)
{
    golden_compare(kernels, threads[_i]);
}
END_TEST

Suite *suite(void)
{
    Suite *made = suite_create("golden/golden");
    TCase *tcase = tcase_create("golden/golden");
    tcase_set_timeout(tcase, 300);
    tcase_add_loop_test(tcase, histories_are_the_committed_ones, 0,
                        (int)(sizeof threads / sizeof *threads));
    suite_add_tcase(made, tcase);
    return made;
}
