/* Numberings by METIS: permutations that hang on the matrix alone, whose equal strips of rows have
 * few entries between them. Without METIS the sentence that says so. */
#include "program/config/metis_numbering.h"

#include "made.h"
#include "support.h"

#include "base/random.h"
#include "matrices.h"
#include "matrix/rcm.h"
#include "numbers.h"
#include "program/config/settings.h"

#include <stdlib.h>
#include <string.h>

/* Otherwise it is said that nothing is tested. */
static bool there(void)
{
    if (metis_missing())
        printf("this build has no METIS: not tested\n");
    return !metis_missing();
}

/* A permutation; the caller frees it. */
static int32_t *metis(const struct csr *A, int64_t parts)
{
    struct error error;
    int32_t *number = test_numbers(A->n);
    expect_ok(metis_numbering(A, parts, number, &error), &error);
    expect_permutation(number, A->n);
    return number;
}

/* One row, isolated rows, graphs in pieces, stars, full matrices: by fewer and by more parts than
 * there are rows. */
START_TEST(every_matrix_has_one_numbering)
{
    static const int64_t parts[] = {1, 2, 3, 8, 1000, INT32_MAX};
    uint64_t state = test_seed();
    if (!there())
        return;
    for (int m = 0; m < test_matrices_count; m++)
        for (size_t p = 0; p < sizeof parts / sizeof *parts; p++) {
            struct csr A;
            enum csr_kind kind = p % 2 ? CSR_SKEW : CSR_SYMMETRIC;
            test_matrix_build(&test_matrices[m], kind, &state, &A);
            test_threads(1);
            int32_t *one = metis(&A, parts[p]);
            test_threads(7);
            int32_t *number = metis(&A, parts[p]);
            ck_assert_mem_eq(number, one, (size_t)A.n * sizeof *one);
            memory_free(number);
            memory_free(one);
            csr_free(&A);
        }
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

START_TEST(one_part_is_rcm)
{
    struct poisson3d poisson = {.n = {7, 6, 5}, .weights = {1, 1, 1}, .jump = 1};
    struct csr A;
    struct error error;
    if (!there())
        return;
    expect_ok(poisson3d_create(&poisson, &A, &error), &error);
    int32_t *number = metis(&A, 1), *rcm = test_numbers(A.n);
    expect_ok(rcm_numbering(&A, rcm, &error), &error);
    ck_assert_mem_eq(number, rcm, (size_t)A.n * sizeof *rcm);
    memory_free(rcm);
    memory_free(number);
    csr_free(&A);
}
END_TEST

/* The entries between strips of equal numbers of rows. */
static int64_t crossing(const struct csr *A, int64_t strips)
{
    int64_t count = 0;
    for (int64_t i = 0; i < A->n; i++)
        for (int64_t k = A->offsets[i]; k < A->offsets[i + 1]; k++)
            count += i * strips / A->n != A->columns[k] * strips / A->n;
    return count;
}

/* In a part the numbers of RCM ascend, so where they descend a part begins. */
static void expect_equal_parts(const struct csr *A, int64_t parts, const int32_t *number)
{
    struct error error;
    int32_t *rcm = test_numbers(A->n), *sorted = test_numbers(A->n);
    int64_t descents = 0;
    expect_ok(rcm_numbering(A, rcm, &error), &error);
    for (int64_t i = 0; i < A->n; i++)
        sorted[number[i]] = rcm[i];
    for (int64_t k = 1; k < A->n; k++)
        if (sorted[k] < sorted[k - 1]) {
            int64_t part = (2 * k * parts + A->n) / (2 * A->n); /* the nearest */
            ck_assert_int_le(llabs(k - part * A->n / parts), A->n / 500);
            descents++;
        }
    ck_assert(descents > 0 && descents < parts);
    memory_free(sorted);
    memory_free(rcm);
}

/* Of a shuffled grid of 64 x 64 cells, where 64 entries lie between two halves. Strips, such as
 * ranks have, may be fewer than parts. */
START_TEST(few_entries_cross)
{
    static const struct {
        int64_t parts, strips, best;
    } cases[] = {{2, 2, 64}, {4, 4, 128}, {8, 8, 256}, {8, 4, 128}, {8, 2, 64}};
    struct poisson3d poisson = {.n = {64, 64, 1}, .weights = {1, 1, 1}, .jump = 1};
    struct error error;
    if (!there())
        return;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct csr A;
        expect_ok(poisson3d_create(&poisson, &A, &error), &error);
        int32_t *number = test_numbers(A.n);
        random_permutation(5, A.n, number);
        test_permute(&A, number);
        memory_free(number);
        ck_assert_int_gt(crossing(&A, cases[c].strips), 3900);
        number = metis(&A, cases[c].parts);
        expect_equal_parts(&A, cases[c].parts, number);
        test_permute(&A, number);
        ck_assert_int_le(crossing(&A, cases[c].strips), 2 * cases[c].best);
        memory_free(number);
        csr_free(&A);
    }
}
END_TEST

static void small(enum csr_kind kind, struct csr *A)
{
    static const double upper[] = {0, 2, 0, 3, 0, 0, 4, 0, 5, 0};
    test_matrix_from_dense(4, upper, kind, A);
}

START_TEST(what_cannot_be_cut_is_refused)
{
    struct csr A, large = {.n = 1, .nnz = INT64_C(1) << 56, .offsets = (int64_t[]){0, 1}};
    struct error error;
    int32_t number[4];
    if (!there())
        return;
    small(CSR_GENERAL, &A);
    expect_error(metis_numbering(&A, 2, number, &error), STATUS_CONFIG, &error,
                 "general matrix cannot be renumbered", NULL);
    csr_free(&A);
    expect_error(metis_numbering(&large, 2, number, &error), STATUS_MEMORY, &error, "entries",
                 NULL);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

static enum status attempt(void *context, struct error *error)
{
    int32_t number[4];
    return metis_numbering(context, 2, number, error);
}

START_TEST(every_failed_allocation_is_survived)
{
    struct csr A;
    if (!there())
        return;
    small(CSR_SYMMETRIC, &A);
    walk_allocation_failures(attempt, &A);
    csr_free(&A);
}
END_TEST

START_TEST(a_config_asks_for_it)
{
    static const char config[] =
        "problem = { type = \"poisson3d\"; n = 4; reorder = \"metis\"; };\n"
        "kernels = ( \"cpu_sym\" );\n";
    const char *path = temporary_file("metis.cfg", config, -1);
    struct settings settings;
    struct error error;
    enum status status = settings_read(path, NULL, 0, &settings, &error);
    if (metis_missing()) {
        expect_error(status, STATUS_CONFIG, &error,
                     ":1: problem.reorder: this build has no METIS, which cuts the graph (make "
                     "METIS=1)",
                     NULL);
        return;
    }
    expect_ok(status, &error);
    ck_assert(settings.problem.reorder == REORDER_METIS && settings.problem.parts == 8);
    settings_free(&settings);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {every_matrix_has_one_numbering,
                            one_part_is_rcm,
                            few_entries_cross,
                            what_cannot_be_cut_is_refused,
                            every_failed_allocation_is_survived,
                            a_config_asks_for_it,
                            NULL};
    return suite_of("program/config/metis_numbering", tests);
}
