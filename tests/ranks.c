#include "ranks.h"

#include "support.h"

#include <pthread.h>
#include <stdlib.h>

void test_ranks(int ranks, void *(*run)(void *context), void *contexts, size_t bytes)
{
    struct exchange_team *team;
    struct error error;
    pthread_t thread[TEST_RANKS_MAX];
    ck_assert_int_le(ranks, TEST_RANKS_MAX);
    expect_ok(exchange_team_create(ranks, &team, &error), &error);
    for (int r = 0; r < ranks; r++) {
        struct exchange **context = (void *)((char *)contexts + (size_t)r * bytes);
        *context = exchange_of_thread(team, r);
        ck_assert_int_eq(pthread_create(&thread[r], NULL, run, context), 0);
    }
    for (int r = 0; r < ranks; r++)
        pthread_join(thread[r], NULL);
    exchange_team_destroy(team);
}

void test_ranks_of_gpus(void)
{
    setenv("CUDA_MODULE_LOADING", "EAGER", 1);
    setenv("CUDA_DEVICE_MAX_CONNECTIONS", "32", 1);
}
