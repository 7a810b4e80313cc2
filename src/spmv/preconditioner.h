/* The contract of a preconditioner: z = M^-1 r, with M symmetric positive definite, near A in some
 * sense, and the same in every apply. The solver then iterates as it would with L^-1 A L^-T, M = L
 * L^T, whose condition number is what counts (Saad, Iterative Methods for Sparse Linear Systems,
 * 2nd ed. 2003, sections 9.1 and 9.2).
 *
 * A preconditioner is a component: one file in src/precondition/ that defines one constant `struct
 * preconditioner preconditioner_<name>`, and one line in preconditioners.def there.
 * docs/preconditioners.md says what each one is. */
#ifndef SPMV_PRECONDITIONER_H
#define SPMV_PRECONDITIONER_H

#include "base/component.h"
#include "base/status.h"
#include "matrix/csr.h"
#include "matrix/near_null.h"
#include "spmv/kernel.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct preconditioner {
    struct component component; /* of COMPONENT_PRECONDITIONER; its summary says what M is */

    /* What set-up will leave allocated in the space, for a matrix of this shape: A's n and nnz
     * alone are looked at. An estimate where the values decide; set-up then fills in
     * memory_bytes. */
    int64_t (*setup_bytes)(const void *options, const struct csr *A);

    /* Make M^-1 for A, which the spmv multiplies by: A on the host, vectors in the spmv's space.
     * Fill in of *made, which comes zeroed but for name, space, n and width: table, state, can
     * (OPERATOR_DOT need not be said: every preconditioner makes r . z when operands ask for it),
     * bytes_per_apply, products and description. A and the spmv are borrowed and outlive *made.
     * number[n] or NULL, borrowed for this call: row i of the problem is row number[i] of A.
     * Input for each row (as the start vector of an estimate) is numbered as in the problem, so
     * renumbering A changes no bit where all sums are exact. (The blocks of block_jacobi are those
     * of A's rows.) On failure the caller destroys what table and state
     * hold by then. While the space's `ended` is set, z and r . z may come to anything. With a
     * bitwise kernel and reproducible reductions they have the same bits in every space, for any
     * number of threads. Errors: STATUS_CONFIG (no such M for this A), STATUS_MEMORY,
     * STATUS_DEVICE. */
    enum status (*setup)(const void *options, const struct csr *A, const int32_t *number,
                         struct linear_operator *spmv, struct linear_operator *made,
                         struct error *error);

    /* Set-up again after A's values have changed on the same pattern. *made also has the table and
     * the state of the set-up before, for the same options and spmv; parts that do not depend on
     * values may stay. NULL: set-up begins again. */
    enum status (*renew)(const void *options, const struct csr *A, const int32_t *number,
                         struct linear_operator *spmv, struct linear_operator *made,
                         struct error *error);

    /* Whether a rank can make its own rows of M^-1 r alone (space/ranks/ranks.h), as if it is made
     * of products with A, passes, and vectors of n elements. False or NULL: every rank makes all
     * rows. */
    bool (*by_rows)(const void *options, const struct csr *A);

    /* Whether set-up takes an A that is not stored (csr.h): it makes the rows that it wants. */
    bool leaves_rows;

    /* Whether ranks do, where each makes its own rows. */
    bool ranks_leave_rows;

    /* Set-up also takes an A whose rows are in the memory of the space. Others get it on the
     * host. */
    bool device_rows;

    /* On a device the codes of the kernel's form (struct repeated_rows) are enough for set-up;
     * where they are not, set-up brings A's rows itself. */
    bool takes_codes;

    /* What of the near-null space of A (csr.h) the options want: who made A gives it to A, and
     * reads the files. NULL: M does not depend on it. */
    struct near_null_wanted (*near_null)(const void *options);
};

/* Whether these options are of a preconditioner: those of "none", and zeroed ones, are not. */
bool preconditioner_is_set(const struct options *options);

/* Whether A has to be stored for set-up by such options; as one of several ranks. */
bool preconditioner_reads_rows(const struct options *options, const struct csr *A, bool ranks);

/* Whether set-up by such options takes the codes of A's form in the place of A's rows. */
bool preconditioner_takes_codes(const struct options *options);

/* What of A's near-null space such options want; constants where they want nothing. */
struct near_null_wanted preconditioner_near_null(const struct options *options);

/* M^-1 by options that are of a preconditioner, for the symmetric A that the spmv multiplies by. A
 * is on the host, or what device_csr_bring made of it. A on the host and the spmv are borrowed and
 * outlive it. The caller calls operator_destroy. On failure *made is zeroed. Errors: those of
 * setup; STATUS_CONFIG for an A that is not symmetric. */
enum status preconditioner_create(const struct options *options, const struct csr *A,
                                  const int32_t *number, struct linear_operator *spmv,
                                  struct linear_operator *made, struct error *error);

/* The same for other values of A on the same pattern: *made is what preconditioner_create made with
 * these options for the same spmv, or zeroed, and has been used for the values before. */
enum status preconditioner_renew(const struct options *options, const struct csr *A,
                                 const int32_t *number, struct linear_operator *spmv,
                                 struct linear_operator *made, struct error *error);

/* What preconditioner_create will leave allocated in the space for a matrix of this shape, as
 * setup_bytes knows it; 0 for none. */
int64_t preconditioner_memory_bytes(const struct options *options, const struct csr *A);

#ifdef __cplusplus
}
#endif
#endif
