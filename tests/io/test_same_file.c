/* Files that ranks have under one name: the same one, equal copies, and others. */
#include "io/same_file.h"

#include "base/memory.h"
#include "io/input_file.h"
#include "ranks.h"
#include "support.h"

#include <stdio.h>
#include <string.h>

enum { RANKS = 5, BYTES = 1 << 20 };

struct member {
    struct exchange *exchange; /* first */
    const char *path;
    bool meets;
    enum status status;
    struct error error;
};

static void *check(void *context)
{
    struct member *member = context;
    member->status =
        same_file_check(member->exchange, member->path, "it", &member->meets, &member->error);
    return NULL;
}

/* What all ranks find: path[r] is with rank r. */
static enum status check_all(const char *const path[RANKS], struct error *error)
{
    struct member members[RANKS];
    for (int r = 0; r < RANKS; r++)
        members[r] = (struct member){.path = path[r]};
    test_ranks(RANKS, check, members, sizeof *members);
    for (int r = 0; r < RANKS; r++) {
        ck_assert(members[r].meets);
        ck_assert_int_eq(members[r].status, members[0].status);
    }
    ck_assert_int_eq(memory_live(), 0);
    *error = members[0].error;
    return members[0].status;
}

static const char *write_copy(const char *name, const char *bytes, int count)
{
    static char paths[4][300];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, 300, "%s", temporary_file(name, bytes, count));
    return path;
}

START_TEST(copies_are_compared)
{
    static char bytes[BYTES];
    uint64_t state = test_seed();
    struct error error;
    for (int trial = 0; trial < 10; trial++) {
        int count = (int)test_random_below(&state, trial % 2 ? 10 : BYTES) + 2;
        for (int k = 0; k < count; k++)
            bytes[k] = (char)test_random_below(&state, 256);
        const char *one = write_copy("one", bytes, count), *copy = write_copy("copy", bytes, count);
        int at = (int)test_random_below(&state, count);
        bytes[at] ^= 1;
        const char *changed = write_copy("changed", bytes, count);
        bytes[at] ^= 1;
        const char *cut = write_copy("cut", bytes, count - 1);
        const char *const same[RANKS] = {one, one, one, one, one},
                          *const equal[RANKS] = {one, copy, copy, one, copy},
                          *const unequal[RANKS] = {one, copy, one, changed, changed},
                          *const shorter[RANKS] = {copy, copy, cut, one, one};
        expect_ok(check_all(same, &error), &error);
        expect_ok(check_all(equal, &error), &error);
        expect_error(check_all(unequal, &error), STATUS_INPUT, &error,
                     "it: ranks 0 and 3 have not the same file", NULL);
        expect_error(check_all(shorter, &error), STATUS_INPUT, &error,
                     "it: ranks 0 and 2 have not the same file", NULL);
    }
}
END_TEST

START_TEST(one_is_missing)
{
    const char *one = write_copy("one", "1", 1);
    struct member members[RANKS];
    for (int r = 0; r < RANKS; r++)
        members[r] = (struct member){.path = r == 3 ? "/no/such/file" : one};
    test_ranks(RANKS, check, members, sizeof *members);
    for (int r = 0; r < RANKS; r++) {
        ck_assert(members[r].meets);
        expect_error(members[r].status, r == 3 ? STATUS_INPUT : STATUS_RANK, &members[r].error,
                     r == 3 ? "/no/such/file" : "another rank has failed", NULL);
    }
}
END_TEST

/* Of a file that is replaced, or written again. */
START_TEST(identity_changes)
{
    uint64_t first, again, then;
    struct error error;
    const char *path = write_copy("one", "12", 2);
    expect_ok(input_identity(path, &first, &error), &error);
    expect_ok(input_identity(path, &again, &error), &error);
    ck_assert(again == first);
    ck_assert_int_eq(rename(write_copy("other", "12", 2), path), 0);
    expect_ok(input_identity(path, &then, &error), &error);
    ck_assert(then != first);
    write_copy("one", "123", 3);
    expect_ok(input_identity(path, &again, &error), &error);
    ck_assert(again != then);
}
END_TEST

Suite *suite(void)
{
    const TTest *const tests[] = {copies_are_compared, one_is_missing, identity_changes, NULL};
    return suite_of("io/same_file", tests);
}
