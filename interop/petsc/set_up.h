/* Common code of the plug-in's KSP and PC: the library's options from PETSc's database, and the
 * library's handles for a Mat, which follow its values. */
#ifndef INTEROP_PETSC_SET_UP_H
#define INTEROP_PETSC_SET_UP_H

#include <petscksp.h>

#include "cgsolve/cgsolve.h"
#include "cgsolve/mpi.h"

#include <stdbool.h>

#if defined PETSC_USE_COMPLEX || !defined PETSC_USE_REAL_DOUBLE
#error "cgsolve solves in real numbers of double precision: another PETSc is wanted"
#endif

#if PETSC_VERSION_GE(3, 23, 0)
typedef PetscOptionItems option_items;
#else
typedef PetscOptionItems *option_items;
#endif

/* If the call fails, fail with the library's sentence. */
#define CHECK(call, error)                                                                         \
    do {                                                                                           \
        enum cgs_status status_of_call = (call);                                                   \
        PetscCheck(!status_of_call, PETSC_COMM_SELF, set_up_code(status_of_call), "%s",            \
                   (error).text);                                                                  \
    } while (0)
PetscErrorCode set_up_code(enum cgs_status status);

enum { SET_UP_OPTIONS = 32 };

/* Alternately names and values, and NULL. */
struct option_list {
    int count;
    char *texts[2 * SET_UP_OPTIONS + 1];
};

/* Zeroed: nothing yet. */
struct set_up {
    PetscInt threads;
    PetscReal asymmetry;
    struct option_list of_operator, of_solver;
    struct cgs_exchange exchange; /* of the ranks of the Mat */
    struct cgs_context *context;
    struct cgs_matrix *A;
    struct cgs_operator *spmv;
    struct cgs_solver *solver;
    PetscObjectId id; /* the Mat of the handles, and the state of its values */
    PetscObjectState state;
    PetscObjectId near_null; /* of the MatNullSpace that own->A has; 0: none */
};

/* The options of a KSP, none, or of a PC: the preconditioner is "multigrid". */
PetscErrorCode set_up_defaults(struct set_up *own, bool of_pc);

/* These, and every option "-PREFIX<head>NAME" of the database of `object`, with head =
 * "ksp_cgsolve_" or "pc_cgsolve_", but for threads and asymmetry. A NAME is the library's, with "_"
 * for its dot ("kernel_precision"); of a PC "type" is the preconditioner, and other names are the
 * options of that. The next set-up makes new handles. */
PetscErrorCode set_up_options(struct set_up *own, PetscObject object, const char *head);

/* The last value of an option; NULL: none. */
const char *set_up_option(const struct option_list *list, const char *name);

/* Make the handles, or update them to the values of A. All ranks of A call it. *made: own->solver
 * is a new one. */
PetscErrorCode set_up_refresh(struct set_up *own, Mat A, bool *made);

/* reason: of the end of the last solve. */
PetscErrorCode set_up_view(const struct set_up *own, enum cgs_reason reason, PetscViewer viewer);

/* Destroy the handles; and the options too. */
void set_up_reset(struct set_up *own);
PetscErrorCode set_up_free(struct set_up *own);

PetscErrorCode ksp_create_cgsolve(KSP ksp);
PetscErrorCode pc_create_cgsolve(PC pc);

#endif
