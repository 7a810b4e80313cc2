/* What is read from the CSV of a bench, and the correlations: against values that were calculated
 * elsewhere, those of ranks in fractions, from the residuals of a regression, the slopes from
 * normal equations. */
#include "program/report/sweep.h"

#include "program/report/benches_made.h"
#include "support.h"

#include <math.h>
#include <string.h>

static struct sweep read_back(const char *path)
{
    struct sweep sweep;
    struct error error;
    expect_ok(sweep_read(path, &sweep, &error), &error);
    return sweep;
}

static void expect_near(double found, double wanted)
{
    ck_assert_msg(fabs(found - wanted) < 1e-8, "%.12g, and %.12g is wanted", found, wanted);
}

static void expect_correlation(const struct sweep_correlation *c, const double wanted[6])
{
    expect_near(c->entries, wanted[0]);
    expect_near(c->mean, wanted[1]);
    expect_near(c->variation, wanted[2]);
    expect_near(c->alone, wanted[3]);
    expect_near(c->factor, wanted[4]);
    expect_near(c->chance, wanted[5]);
}

START_TEST(rows_of_every_kind)
{
    static const double a[] = {0.6606060606060606,  0.38181818181818183, -0.6686960980480711,
                               -0.8553508604195044, 0.344388537777695,   0.7408103670980853};
    static const double merge[] = {0.9047619047619048,  0.9047619047619048, -0.05988131309566295,
                                   -0.3837667936162727, 0.7907013909050007, 0.8765386471799175};
    struct sweep sweep = read_back(bench_made("new.csv", 0));
    ck_assert_int_eq(sweep.matrices_count, 10);
    ck_assert_int_eq(sweep.kernels_count, 2);
    ck_assert(sweep.failed == 1 && sweep.skipped == 1 && sweep.files == 2 && sweep.others == 1);
    ck_assert_str_eq(sweep.kernels[0].name, "a, \"b\"");
    ck_assert_str_eq(sweep.kernels[1].name, "merge");
    ck_assert_str_eq(sweep.matrices[3].name, "m, 3.mtx");
    ck_assert(sweep.matrices[4].entries == 120000 && sweep.matrices[4].longest == 1647);
    ck_assert(sweep.matrices[4].shortest == 13.5 && sweep.matrices[4].variation == 3);
    ck_assert_int_eq(sweep.kernels[0].count, 10);
    ck_assert_int_eq(sweep.kernels[1].count, 8);
    ck_assert(sweep.kernels[0].points[0].speed == 1e9); /* not that of the row before */
    expect_correlation(&sweep.kernels[0].correlation, a);
    expect_correlation(&sweep.kernels[1].correlation, merge);
    sweep_free(&sweep);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* What an older version did not write is not told, and no picture of it is drawn. */
START_TEST(an_older_file)
{
    struct sweep sweep = read_back(bench_made("old.csv", 1));
    ck_assert(isnan(sweep.matrices[0].shortest) && isnan(sweep.matrices[9].below_32));
    expect_near(sweep.kernels[0].correlation.alone, -0.8553508604195044);
    ck_assert_ptr_null(sweep_plot_variation.missing(&sweep));
    ck_assert_ptr_nonnull(strstr(sweep_plot_rows.missing(&sweep), "an older version wrote it"));
    sweep_free(&sweep);
}
END_TEST

#define HEAD                                                                                       \
    "run,matrix,kernel,parameters,status,bytes_per_second,rows,entries,row_mean,row_deviation,"    \
    "row_variation,row_longest\n"

/* Few matrices, no product that passed, a kernel twice under one label. */
START_TEST(little_to_tell)
{
    struct sweep sweep = read_back(temporary_file("few.csv",
                                                  HEAD "1,m,a,k x=1,pass,1e9,2,3,1.5,1,0.6,2\n"
                                                       "1,m,a,k x=2,pass,inf,2,3,1.5,1,0.6,2\n"
                                                       "1,n,b,b,skipped,,2,3,1.5,1,0.6,2\n",
                                                  -1));
    ck_assert_int_eq(sweep.kernels_count, 3);
    ck_assert_str_eq(sweep.kernels[0].name, "k x=1");
    ck_assert_str_eq(sweep.kernels[1].name, "k x=2");
    ck_assert_str_eq(sweep.kernels[2].name, "b");
    ck_assert(sweep.kernels[0].count == 1 && sweep.kernels[1].count == 0);
    ck_assert(isnan(sweep.kernels[0].correlation.variation));
    sweep_free(&sweep);
    sweep = read_back(temporary_file("none.csv", HEAD, -1));
    ck_assert(sweep.matrices_count == 0 && sweep.kernels_count == 0);
    ck_assert_ptr_nonnull(sweep_plot_variation.missing(&sweep));
    ck_assert_ptr_nonnull(sweep_plot_rows.missing(&sweep));
    sweep_free(&sweep);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

START_TEST(what_is_refused)
{
    static const char *const wrong[][2] = {
        {"a,b\n1,2\n",
         ":1: a header line is wanted, and this line has no column 'run'; report takes the CSV of "
         "cgsolve bench, or residual histories with the columns run, iteration and residual"},
        {"run,run,matrix\n", ":1: the header names the column 'run' twice"},
        {HEAD "1,m,a,k,pass,1e9,2,3,1.5,1,0.6\n", ":2: the row has 11 fields instead of 12"},
        {HEAD "1,m,a,k,pass,1e9,2,3,1.5,1,0.6,2,\n", ":2: the row has 13 fields instead of 12"},
        {HEAD "1,\"m,a,k,pass,1e9,2,3,1.5,1,0.6,2\n", ":2: the row has 2 fields instead of 12"},
        {HEAD "1,m,\"a\"b,k,pass,1e9,2,3,1.5,1,0.6,2\n", ":2: a field in quotes does not end"},
        {HEAD "1,m,a,k,pass,fast,2,3,1.5,1,0.6,2\n",
         ":2: the bytes_per_second \"fast\" is not a number from 0 on"},
        {HEAD "1,m,a,k,pass,1e9,2,3,-1.5,1,0.6,2\n",
         ":2: the row_mean \"-1.5\" is not a number from 0 on"},
        {HEAD "1,m,a,k,good,1e9,2,3,1.5,1,0.6,2\n", ":2: a status that no bench writes: good"}};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        struct sweep sweep;
        struct error error;
        const char *path = temporary_file("wrong.csv", wrong[k][0], -1);
        expect_error(sweep_read(path, &sweep, &error), STATUS_INPUT, &error, path, wrong[k][1],
                     NULL);
        ck_assert_int_eq(memory_live(), 0);
    }
}
END_TEST

static enum status attempt(void *path, struct error *error)
{
    struct sweep sweep;
    enum status status = sweep_read(path, &sweep, error);
    sweep_free(&sweep);
    return status;
}

START_TEST(failing_allocations)
{
    walk_allocation_failures(attempt, (void *)bench_made("walk.csv", 0));
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {rows_of_every_kind, an_older_file,       little_to_tell,
                            what_is_refused,    failing_allocations, NULL};
    return suite_of("program/report/sweep", tests);
}
