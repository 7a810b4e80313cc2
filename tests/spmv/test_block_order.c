/* The order of spmv/symmetric/block_order.h: every block has one turn, and a block's neighbours a
 * plane away are a strip's width away. */
#include "support.h"

#include "base/memory.h"
#include "spmv/symmetric/block_order.h"

/* When each block has its turn. */
static uint32_t *turns_of(const struct block_order *strips)
{
    struct error error;
    uint32_t turn = 0, *turns = memory_array(strips->blocks, sizeof *turns, "the turns", &error);
    ck_assert_ptr_nonnull(turns);
    for (uint32_t b = 0; b < strips->blocks; b++)
        turns[b] = UINT32_MAX;
    for (uint32_t strip = 0; strip < strips->count; strip++)
        for (uint32_t plane = 0; plane < strips->planes; plane++)
            for (uint32_t place = 0; place < strips->width; place++, turn++) {
                uint32_t block = block_order_block(strips, strip, plane, place);
                if (block == UINT32_MAX)
                    continue;
                ck_assert_uint_lt(block, strips->blocks);
                ck_assert_msg(turns[block] == UINT32_MAX, "block %u has two turns", block);
                turns[block] = turn;
            }
    return turns;
}

START_TEST(every_block_has_one_turn)
{
    uint64_t state = test_seed();
    for (int trial = 0; trial < 2000; trial++) {
        uint32_t blocks = 1 + (uint32_t)test_random_below(&state, 3000);
        double distance = 1 + test_random(&state) * (trial % 2 ? 3000 : 30);
        uint32_t count = 1 + (uint32_t)test_random_below(&state, 40);
        struct block_order strips = block_order_of(blocks, distance, count);
        uint32_t *turns = turns_of(&strips), plane = strips.plane;
        for (uint32_t b = 0; b < blocks; b++) {
            ck_assert_msg(turns[b] != UINT32_MAX, "block %u of %u, %g a plane, %u strips: no turn",
                          b, blocks, distance, count);
            if (b >= plane)
                ck_assert_uint_eq(turns[b] - turns[b - plane], strips.width);
        }
        ck_assert_uint_le(strips.count, count);
        ck_assert_uint_lt(strips.count * strips.width, plane + strips.width);
        ck_assert_uint_lt(strips.planes * plane, blocks + plane);
        memory_free(turns);
    }
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {every_block_has_one_turn, NULL};
    return suite_of("spmv/block_order", tests);
}
