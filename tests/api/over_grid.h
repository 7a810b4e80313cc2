/* Handles over a small grid, for the suites of the C library. */
#ifndef TESTS_API_OVER_GRID_H
#define TESTS_API_OVER_GRID_H

#include "cgsolve/cgsolve.h"

enum { HANDLES_SIDE = 9, HANDLES_N = HANDLES_SIDE * HANDLES_SIDE * HANDLES_SIDE };

struct handles {
    struct cgs_context *context;
    struct cgs_matrix *A;
    struct cgs_operator *kernel;
    struct cgs_solver *solver;
};

/* What they are made from; before memory is short, and before there are threads. */
void handles_prepare(void);

/* With these options of the operator and the solver. The caller calls handles_destroy, also after
 * a failure. */
enum cgs_status handles_create(const char *const *kernel, const char *const *solver, int threads,
                               struct handles *made, struct cgs_error *error);
void handles_destroy(struct handles *handles);

/* How a CUDA kernel is refused on the CPU: where there is a device, it is not its place. */
enum cgs_status no_cuda_here(void);

/* On the host: v[HANDLES_N]; and [HANDLES_N][columns] with strides. v = NULL: it is missing. */
CGS_ADDRESS_ALONE struct cgs_array vec(const double *v);
CGS_ADDRESS_ALONE struct cgs_array grid_array(const double *v, int64_t count, int64_t row_stride,
                                              int64_t column_stride);

/* expect_ok of support.h. */
void expect(enum cgs_status status, const struct cgs_error *error);

/* Options: LIST("kernel", "cpu_csr"). */
#define LIST(...) ((const char *const[]){__VA_ARGS__, NULL})

#endif
