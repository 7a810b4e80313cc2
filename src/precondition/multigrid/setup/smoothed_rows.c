#include "precondition/multigrid/setup/smoothed_rows.h"

#include "space/define_pass.h"

#define PASS_OF_SETUP(its, work_type)                                                              \
    PASS(pass_##its, its, work_type, .name = "smoothed aggregation", .always = true)
#define PASS_OF_NODES(its)                                                                         \
    ELEMENTS_AT(its, smoothed)                                                                     \
    PASS_OF_SETUP(its, smoothed)
#define PASS_OF_LANES(its)                                                                         \
    LANES_AT(its, smoothed)                                                                        \
    PASS_OF_SETUP(its, smoothed)
#define PASS_OF_VALUES(its)                                                                        \
    LANES_OF_WIDE(its, smoothed)                                                                   \
    PASS_OF_SETUP(its, smoothed)

PASS_OF_LANES(counting_P)
PASS_OF_LANES(listing_P)
PASS_OF_LANES(counting_product)
PASS_OF_LANES(listing_product)
PASS_OF_LANES(counting_coarse)
PASS_OF_LANES(listing_coarse)
ELEMENTS_AT(ordering, ordering)
PASS_OF_SETUP(ordering, ordering)
PASS_OF_VALUES(smoothing)
PASS_OF_VALUES(multiplying)
PASS_OF_NODES(measuring_coarse)
PASS_OF_NODES(laying)
PASS_OF_VALUES(contracting)
PASS_OF_NODES(filling)

FIND_AT(bounding_coarse, smoothed)
{
    int32_t node = work->column_nodes[work->column_begins[i]];
    found->sum += (uint64_t)product_list(work, node, -1, 0, 1, work->enough, NULL);
}

FIND(find_coarse_blocks, bounding_coarse, smoothed, "smoothed aggregation")
