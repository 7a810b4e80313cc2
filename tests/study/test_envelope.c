/* Envelopes of residuals against what a plain look at all of them says, and what is no number. */
#include "study/comparison.h"

#include "support.h"

#include <math.h>

/* The runs one after the other; ends[r] rows of run r. */
static struct envelope envelope_of(int runs, double (*residuals)[8], const int *ends)
{
    struct envelope envelope = {0};
    struct error error;
    for (int r = 0; r < runs; r++)
        for (int k = 0; k < ends[r]; k++)
            expect_ok(envelope_take(&envelope, k, residuals[r][k], &error), &error);
    return envelope;
}

START_TEST(lowest_and_highest)
{
    double residuals[3][8] = {{5, 3, 1, 0.5, 0.25}, {5, 4, 0.5, 0.5}, {5, 2, 2}};
    static const int ends[] = {5, 4, 3};
    static const double lowest[] = {5, 2, 0.5, 0.5, 0.25}, highest[] = {5, 4, 2, 0.5, 0.25};
    static const int runs[] = {3, 3, 3, 2, 1};
    struct envelope envelope = envelope_of(3, residuals, ends);
    ck_assert_int_eq(envelope.count, 5);
    for (int k = 0; k < 5; k++) {
        ck_assert_int_eq(envelope.rows[k].runs, runs[k]);
        ck_assert(envelope.rows[k].lowest == lowest[k] && envelope.rows[k].highest == highest[k]);
    }
    ck_assert_int_eq(envelope_first_difference(&envelope, 3), 1);
    envelope_free(&envelope);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

START_TEST(where_they_part)
{
    static const struct {
        double residuals[2][8];
        int ends[2];
        int64_t difference, apart;
    } cases[] = {
        {{{4, 2, 1}, {4, 2, 1}}, {3, 3}, -1, -1},
        {{{4, 2, 1}, {4, 2, 1}}, {3, 2}, 2, -1},           /* one has ended */
        {{{4, 2, 1}, {4, 2, 1 + 0x1p-52}}, {3, 3}, 2, -1}, /* one bit */
        {{{4, 200, 1}, {4, 202, 1}}, {3, 3}, 1, 1},        /* 1 % exactly, */
        {{{4, 200, 1}, {4, 201.99, 1}}, {3, 3}, 1, -1},    /* and less */
        {{{4, 202, 1}, {4, 200, 3}}, {3, 3}, 1, 1},        /* either may be the lower one */
        {{{4, NAN}, {4, NAN}}, {2, 2}, -1, -1},            /* two NaN are the same, */
        {{{4, NAN}, {4, 1}}, {2, 2}, 1, 1},                /* one is infinitely far away */
        {{{4, 1}, {4, NAN}}, {2, 2}, 1, 1},
        {{{4, 0}, {4, 0x1p-1074}}, {2, 2}, 1, 1},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        double residuals[2][8];
        for (int r = 0; r < 2; r++)
            for (int i = 0; i < 8; i++)
                residuals[r][i] = cases[k].residuals[r][i];
        struct envelope envelope = envelope_of(2, residuals, cases[k].ends);
        ck_assert_int_eq(envelope_first_difference(&envelope, 2), cases[k].difference);
        ck_assert_int_eq(envelope_first_apart(&envelope, 0.01), cases[k].apart);
        envelope_free(&envelope);
    }
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {lowest_and_highest, where_they_part, NULL};
    return suite_of("study/envelope", tests);
}
