/* Values that single precision does not hold are refused: too large ones, and rows that vanish or
 * lose digits; a small value beside a larger one of its row is none of these. */
#include "support.h"

#include "matrices.h"
#include "spmv/kernel.h"

#include <float.h>
#include <math.h>

/* Every kernel there that has the precision. */
static void expect_check(const struct csr *A, const char *refusal)
{
    int count;
    const struct kernel *const *list = kernel_list(&count);
    for (int k = 0; k < count; k++) {
        struct error error;
        struct kernel_options options = kernel_defaults(list[k]);
        if (kernel_unavailable(list[k]) || !(list[k]->kinds & A->kind) ||
            !kernel_set_precision(list[k], PRECISION_FLOAT_DOUBLE, &options))
            continue;
        enum status status = kernel_check(list[k], A, &options, &error);
        if (refusal)
            expect_error(status, STATUS_CONFIG, &error, list[k]->component.name, "precision",
                         refusal, NULL);
        else
            expect_ok(status, &error);
    }
}

START_TEST(a_scale_is_refused_where_values_are_lost)
{
    static const struct {
        int exponent; /* of 2, for entries from 1 to 2 */
        const char *refusal;
    } cases[] = {{-150, "too small for single precision"},
                 {-128, "too small for single precision"},
                 {-126, NULL},
                 {0, NULL},
                 {126, NULL},
                 {130, "too large for single precision"}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        double upper[6] = {2, -1, 0, 2, -1, 2};
        struct csr A;
        for (int k = 0; k < 6; k++)
            upper[k] = ldexp(upper[k], cases[c].exponent);
        test_matrix_from_dense(3, upper, CSR_SYMMETRIC, &A);
        expect_check(&A, cases[c].refusal);
        csr_free(&A);
    }
}
END_TEST

START_TEST(a_row_is_lost_only_with_all_of_its_values)
{
    static const double lost[] = {1, 0, 0, 1e-39, 0, 1}, kept[] = {1, 1e-60, 1, 1e-46, 1e-50, 1},
                        mirrored[] = {1, 0, 1, 1, 1e-60, 1e-46}, zero[] = {1, 0, 0, 0, 0, 1};
    const struct {
        const double *upper;
        const char *refusal;
    } cases[] = {
        {lost, "row 2 has no value above a size of 1e-39"}, {mirrored, NULL}, {zero, NULL}};
    struct csr A;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        test_matrix_from_dense(3, cases[c].upper, CSR_SYMMETRIC, &A);
        expect_check(&A, cases[c].refusal);
        csr_free(&A);
    }
    test_matrix_from_dense(3, kept, CSR_SYMMETRIC, &A); /* of row 2 1e-46 and less alone */
    expect_check(&A, "row 2 has no value above a size of 1e-46");
    csr_free(&A);
}
END_TEST

Suite *suite(void)
{
    const TTest *const tests[] = {a_scale_is_refused_where_values_are_lost,
                                  a_row_is_lost_only_with_all_of_its_values, NULL};
    return suite_of("spmv/single", tests);
}
