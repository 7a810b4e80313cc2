/* The block matrices: how many entries, their bits, and what is refused. Their entries one by one
 * are in test_fe_mesh_dense.c, their eigenvalues in test_fe_mesh_spectrum.c. */
#include "csr_check.h"
#include "made.h"
#include "support.h"

#include "base/hash.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct csr create(const struct fe_mesh *mesh)
{
    struct error error;
    struct csr A;
    expect_ok(fe_mesh_create(mesh, &A, &error), &error);
    expect_ok(csr_check(&A, &error), &error);
    ck_assert_int_eq(A.kind, CSR_SYMMETRIC);
    ck_assert_int_eq(A.n, problem_fe_cube.rows(mesh));
    return A;
}

/* Inside, a node of a sheet has 6 neighbours and one of a box 14. */
START_TEST(larger_meshes_are_counted)
{
    struct fe_mesh sheet = {{20, 30, 0}, 5, 1e-3, .seed = 1}, box = {{7, 8, 9}, 4, 1e-3, .seed = 1};
    struct csr A = create(&sheet);
    ck_assert_int_eq(csr_nnz_full(&A), 25 * (600 + 2 * (19 * 30 + 20 * 29 + 19 * 29)));
    csr_free(&A);
    A = create(&box);
    int64_t edges =
        6 * 8 * 9 + 7 * 7 * 9 + 7 * 8 * 8 + 6 * 7 * 9 + 6 * 8 * 8 + 7 * 7 * 8 + 6 * 7 * 8;
    ck_assert_int_eq(csr_nnz_full(&A), 16 * (504 + 2 * edges));
    struct csr full;
    struct error error;
    expect_ok(csr_expand(&A, &full, &error), &error);
    int64_t row = 4 * (3 + 7 * (3 + 8 * 3));
    ck_assert_int_eq(full.offsets[row + 1] - full.offsets[row], 15 * 4);
    csr_free(&full);
    csr_free(&A);
}
END_TEST

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* So the blocks are not symmetric either, and nothing can be stored once for two places. */
START_TEST(no_value_repeats)
{
    struct fe_mesh meshes[] = {{{40, 40, 0}, 5, 1e-3, .seed = 1},
                               {{12, 12, 12}, 4, 1e-3, .seed = 1}};
    for (int m = 0; m < 2; m++) {
        struct csr A = create(&meshes[m]);
        qsort(A.values, (size_t)A.nnz, sizeof *A.values, compare);
        for (int64_t k = 1; k < A.nnz; k++)
            ck_assert_msg(A.values[k] != A.values[k - 1], "twice %.17g", A.values[k]);
        csr_free(&A);
    }
}
END_TEST

static void expect_same(const struct csr *A, const struct csr *B)
{
    ck_assert_int_eq(A->nnz, B->nnz);
    ck_assert_mem_eq(A->offsets, B->offsets, (size_t)(A->n + 1) * sizeof *A->offsets);
    ck_assert_mem_eq(A->columns, B->columns, (size_t)A->nnz * sizeof *A->columns);
    ck_assert_mem_eq(A->values, B->values, (size_t)A->nnz * sizeof *A->values);
}

START_TEST(a_sheet_is_a_box_of_one_layer)
{
    struct fe_mesh sheet = {{9, 7, 0}, 3, 1e-3, .seed = 5}, box = {{9, 7, 1}, 3, 1e-3, .seed = 5};
    struct csr A = create(&sheet), B = create(&box);
    expect_same(&A, &B);
    csr_free(&A);
    csr_free(&B);
}
END_TEST

START_TEST(threads_do_not_matter)
{
    struct fe_mesh meshes[] = {{{31, 17, 0}, 5, 1e-3, .seed = 3}, {{11, 7, 9}, 4, 1e-3, .seed = 3}};
    for (int m = 0; m < 2; m++) {
        test_threads(1);
        struct csr A = create(&meshes[m]);
        test_threads(7);
        struct csr B = create(&meshes[m]);
        expect_same(&A, &B);
        csr_free(&A);
        csr_free(&B);
    }
}
END_TEST

/* The same on every machine, with every compiler. */
START_TEST(values_are_pinned)
{
    static const struct {
        struct fe_mesh mesh;
        uint64_t hash;
    } pinned[] = {
        {{{7, 5, 0}, 5, 1e-3, .seed = 1}, UINT64_C(0xfb1a33944afc3316)},
        {{{3, 4, 5}, 4, 1e-3, .seed = 1}, UINT64_C(0x0ef8eca108dc4815)},
        {{{4, 3, 2}, 8, 1e-5, .seed = INT64_MAX}, UINT64_C(0xf49ca1c1de60de0c)},
    };
    for (size_t k = 0; k < sizeof pinned / sizeof *pinned; k++) {
        struct csr A = create(&pinned[k].mesh);
        uint64_t hash = hash_doubles(HASH_START, A.values, A.nnz);
        ck_assert_msg(hash == pinned[k].hash, "%d: %016llx", (int)k, (unsigned long long)hash);
        csr_free(&A);
    }
}
END_TEST

static void expect_refused(struct fe_mesh mesh, const char *text, const char *value)
{
    struct error error = {""};
    struct csr A;
    expect_error(fe_mesh_create(&mesh, &A, &error), STATUS_CONFIG, &error, text, value, NULL);
    ck_assert_int_eq(memory_live(), 0);
}

START_TEST(sizes_are_checked)
{
    static const struct {
        int64_t n[3], unknowns, rows;
        const char *text;
    } sizes[] = {
        {{1, 1, 0}, 1, 1, ""},
        {{INT32_MAX, 1, 0}, 1, INT32_MAX, ""},
        {{1, 1, INT32_MAX}, 1, INT32_MAX, ""},
        {{549, 549, 0}, 5, 1507005, ""},
        {{81, 81, 82}, 4, 2152008, ""},
        {{23170, 23170, 0}, 4, 2147395600, ""},
        {{23171, 23171, 0}, 4, -1, "[23171, 23171]: "},
        {{813, 813, 813}, 4, -1, "[813, 813, 813]: "},
        {{INT32_MAX, 1, 1}, 2, -1, "[2147483647, 1, 1]: "},
        {{1, 1, (int64_t)INT32_MAX + 1}, 1, -1, "not 2147483648"},
        {{INT64_MAX, INT64_MAX, INT64_MAX}, 8, -1, "9223372036854775807"},
        {{INT64_C(1) << 32, INT64_C(1) << 32, 0}, 1, -1, "not 4294967296"},
        {{0, 4, 4}, 1, -1, "not 0"},
        {{4, 0, 0}, 1, -1, "not 0"},
        {{4, 4, INT64_MIN}, 1, -1, "not -9223372036854775808"},
    };
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        struct fe_mesh mesh = {.unknowns = sizes[k].unknowns, .shift = 1};
        memcpy(mesh.n, sizes[k].n, sizeof mesh.n);
        ck_assert_int_eq(problem_fe_cube.rows(&mesh), sizes[k].rows);
        if (sizes[k].rows < 0)
            expect_refused(mesh, "problem.n", sizes[k].text);
    }
}
END_TEST

START_TEST(unknowns_and_shift_are_checked)
{
    static const int64_t unknowns[] = {0, -1, 9, INT64_MAX, INT64_MIN};
    static const char *const counts[] = {"not 0", "not -1", "not 9", "not 9223372036854775807",
                                         "not -9223372036854775808"};
    static const double shifts[] = {0, -1, 9e-11, NAN, INFINITY};
    static const char *const shown[] = {"not 0", "not -1", "not 9e-11", "not nan", "not inf"};
    for (int k = 0; k < 5; k++) {
        struct fe_mesh mesh = {{3, 3, 3}, unknowns[k], 1, .seed = 1};
        expect_refused(mesh, "problem.unknowns ", counts[k]);
        expect_refused((struct fe_mesh){{3, 3, 3}, 4, shifts[k], .seed = 1}, "problem.shift ",
                       shown[k]);
    }
}
END_TEST

static enum status attempt(void *context, struct error *error)
{
    struct csr A;
    enum status status = fe_mesh_create(context, &A, error);
    if (!status)
        csr_free(&A);
    return status;
}

START_TEST(every_failed_allocation_is_survived)
{
    struct fe_mesh mesh = {{3, 4, 5}, 4, 1e-3, .seed = 1};
    walk_allocation_failures(attempt, &mesh);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {larger_meshes_are_counted,
                            no_value_repeats,
                            a_sheet_is_a_box_of_one_layer,
                            threads_do_not_matter,
                            values_are_pinned,
                            sizes_are_checked,
                            unknowns_and_shift_are_checked,
                            every_failed_allocation_is_survived,
                            NULL};
    return suite_of("problem/fe_mesh", tests);
}
