#include "precondition/multigrid/setup/level_rows.h"

#include "base/random.h"
#include "space/define_pass.h"
#include "spmv/symmetric/blocks/sym_blocks_row.h"

#include <string.h>

FIND_AT(gershgorin, level_rows)
{
    double sum = work->sums[i] / csr_row_at(&work->A, i).values[0];
    found_most(found, 0, 2 - sum);
    found_most(found, 1, fabs(sum));
}

FIND_AT(extremes, level_rows)
{
    double a = csr_row_at(&work->A, i).values[0];
    found_most(found, 0, a);
    found_most(found, 1, -a);
}

FIND_AT(matrix_hash, level_rows)
{
    const struct csr *A = &work->A;
    for (int64_t k = A->offsets[i]; k < A->offsets[i + 1]; k++) {
        uint64_t bits;
        memcpy(&bits, &A->values[k], sizeof bits);
        found->sum += splitmix64(bits, (uint64_t)(work->row + i) << 32 |
                                           (uint64_t)(work->base + A->columns[k]));
    }
}

FIND_AT(map_hash, level_map)
{
    found->sum += splitmix64((uint64_t)(work->base + work->map[i]), (uint64_t)(work->row + i));
}

FIND_AT(torn, level_pairs)
{
    found->sum += torn_aggregate(&work->A, &work->pairing, work->first + i);
}

FIND_AT(counted_blocks, level_blocks)
{
    found->sum += (uint64_t)sym_blocks_count(&work->A, work->k, work->first + i);
}

FIND(find_gershgorin, gershgorin, level_rows, "the bound of a spectrum")
FIND(find_extremes, extremes, level_rows, "the diagonal")
FIND(find_matrix_hash, matrix_hash, level_rows, "the hash of a level")
FIND(find_map_hash, map_hash, level_map, "the hash of a level")
FIND(find_torn, torn, level_pairs, "the couplings of a grid")
FIND(find_blocks, counted_blocks, level_blocks, "the blocks of the matrix")
