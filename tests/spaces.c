#include "spaces.h"

#include "support.h"

struct space *test_space(enum space_kind kind, enum reductions reductions, int threads)
{
    struct error error;
    struct space *space;
    struct space_options options = {.reductions = reductions, .threads = threads};
    expect_ok(space_create(kind, &options, &space, &error), &error);
    return space;
}

void test_space_threads(struct space **space, int threads)
{
    struct space *before = *space;
    *space = test_space(before->operations->kind, before->reductions, threads);
    before->operations->destroy(before);
}
