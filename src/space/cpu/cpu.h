/* Shared declarations of this folder. cpu.c has the table of the space, and cpu_run.c runs a
 * pass. */
#ifndef SPACE_CPU_CPU_H
#define SPACE_CPU_CPU_H

#include "space/cpu/cpu_blas.h"
#include "space/ranks/partition.h"
#include "space/space.h"
#include "space/sum/compensated.h"

struct space_cpu {
    struct space base;
    struct compensated *tiles; /* a term for each tile and sum of the current pass; only compensated
                                  reductions use .error */
    int64_t tiles_capacity;
    struct pass_sum *sums; /* of the current pass */
    int64_t sums_capacity;
    double *column; /* two vectors, for sums of columns in another order */
    int64_t column_capacity;
    struct blas blas; /* zeroed unless the reductions are its */
    space_work *work; /* the recorded work */
    void *context;
    int times;
};

static inline struct space_cpu *space_cpu_of(struct space *space)
{
    return (struct space_cpu *)space;
}

/* Finishes x . y of a kernel that fuses it into its product, from the sums of the space's tiles,
 * which are overwritten. If the space has a partition, *result is the sum over all ranks. Errors:
 * STATUS_MEMORY, STATUS_RANK. */
enum status cpu_sum_end(struct space *space, double *terms, int64_t tiles, double *result,
                        struct error *error);

/* Slots of its table. */
enum status cpu_run(struct space *space, const struct pass *pass, int64_t n, const void *work,
                    struct error *error);
enum status cpu_run_columns(struct space *space, const struct pass *pass, int64_t n,
                            const struct pass_columns *columns, struct error *error);

#endif
