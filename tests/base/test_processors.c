/* How much of the processors' time other programs take. */
#include "base/processors.h"

#include "base/clock.h"
#include "support.h"

#include <math.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

START_TEST(the_share_of_others_is_what_is_busy_without_them)
{
    static const struct {
        struct processor_time from, to;
        double wanted;
    } cases[] = {
        {{2, 100, 10, 1}, {2, 110, 18, 5}, 0.4},     /* 8 s busy, 4 of them one's own */
        {{2, 100, 10, 1}, {2, 110, 14, 5.5}, 0},     /* ticks are coarser than one's own time */
        {{2, 100, 10, 1}, {2, 110, 20, 1}, 1},       /* all of it */
        {{2, 100, 10, 1}, {2, 100.3, 10.3, 1}, -1},  /* 0.15 s: too short */
        {{64, 100, 10, 1}, {64, 110, 20, 1}, -1},    /* likewise */
        {{64, 100, 10, 1}, {64, 113, 16.5, 1}, 0.5}, /* 0.203 s */
        {{0, 0, 0, 1}, {0, 0, 0, 5}, -1},            /* a system that does not say */
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        double others = processor_time_of_others(&cases[k].from, &cases[k].to);
        ck_assert_msg(fabs(others - cases[k].wanted) < 1e-12, "%d: %g", (int)k, others);
    }
}
END_TEST

/* A child spins for half a second of its own time, whatever else runs. */
START_TEST(another_program_is_seen)
{
    struct rusage used;
    struct processor_time begun = processor_time_now();
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    while (child == 0)
        if (clock() > CLOCKS_PER_SEC / 2)
            _exit(0);
    int status;
    ck_assert_int_eq(wait4(child, &status, 0, &used), child);
    ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    struct processor_time ended = processor_time_now();
    if (ended.processors == 0) {
        printf("nothing run: the system does not say how busy its processors are\n");
        return;
    }
    double all = ended.all - begun.all, others = processor_time_of_others(&begun, &ended) * all;
    ck_assert_msg(others > 0.25 && others <= all, "%g of %g s", others, all);
    ck_assert(ended.own - begun.own < 0.25); /* the child's time is another's */
}
END_TEST

START_TEST(a_share_in_words)
{
    char text[96];
    ck_assert_str_eq(processors_shared_text(0.654, text), "Other programs took 65 % of the "
                                                          "processors' time: the times are not "
                                                          "reliable.");
    ck_assert_str_eq(processors_shared_text(0.1, text), "");
    ck_assert_str_eq(processors_shared_text(-1, text), "");
    ck_assert_str_eq(processors_shared_text(NAN, text), "");
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {the_share_of_others_is_what_is_busy_without_them,
                            another_program_is_seen, a_share_in_words, NULL};
    return suite_of("base/processors", tests);
}
