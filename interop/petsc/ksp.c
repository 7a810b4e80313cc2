/* -ksp_type cgsolve: A x = b by a method of the library, with the KSP's PC, or with a
 * preconditioner of the library instead. */
#include "set_up.h"

#include <petsc/private/kspimpl.h>

#include <float.h>
#include <stdio.h>
#include <string.h>

struct solve {
    struct set_up set_up;
    Vec r, z, x;           /* they wrap arrays of the library */
    bool decides;          /* PETSc's test ends the solve, not the library's */
    bool looks, pending;   /* monitors see x_k; the last row is still unseen */
    bool goes_on, x_is_up; /* a solve; x is that of the last row */
    PetscErrorCode failed; /* a monitor, the test or the PC */
    enum cgs_reason reason;
};

typedef PetscErrorCode monitor_of_petsc(KSP ksp, PetscInt iteration, PetscReal norm, void *context);

static const char *named(const struct solve *own)
{
    const char *name = set_up_option(&own->set_up.of_solver, "preconditioner");
    return name && strcmp(name, "none") != 0 ? name : NULL;
}

/* --- what the library calls ------------------------------------------------------------------- */

/* A failure is reported after the solve. */
static bool keep(struct solve *own, PetscErrorCode failed)
{
    if (failed)
        own->failed = failed;
    return failed;
}

static PetscErrorCode show(KSP ksp)
{
    struct solve *own = ksp->data;
    PetscFunctionBegin;
    own->pending = false;
    PetscCall(KSPMonitor(ksp, ksp->its, ksp->rnorm));
    PetscFunctionReturn(0);
}

/* Monitors that read x_k wait for it. The library's test, with the true residual, replaces PETSc's
 * test of the two tolerances; any other result of PETSc's test ends the solve. */
static PetscErrorCode see(KSP ksp, PetscInt iteration, PetscReal residual)
{
    struct solve *own = ksp->data;
    PetscFunctionBegin;
    if (own->pending)
        PetscCall(show(ksp));
    ksp->its = iteration;
    ksp->rnorm = residual;
    PetscCall(KSPLogResidualHistory(ksp, residual));
    own->pending = own->looks;
    if (!own->pending)
        PetscCall(show(ksp));
    PetscCall((*ksp->converged)(ksp, iteration, residual, &ksp->reason, ksp->cnvP));
    if (!own->decides && (ksp->reason == KSP_CONVERGED_RTOL || ksp->reason == KSP_CONVERGED_ATOL))
        ksp->reason = KSP_CONVERGED_ITERATING;
    PetscFunctionReturn(0);
}

static PetscErrorCode show_with(KSP ksp, const double *x)
{
    struct solve *own = ksp->data;
    PetscFunctionBegin;
    PetscCall(VecPlaceArray(own->x, x));
    own->x_is_up = true;
    PetscCall(show(ksp));
    own->x_is_up = false;
    PetscCall(VecResetArray(own->x));
    PetscFunctionReturn(0);
}

static int look(void *user, int64_t iteration, const double *x)
{
    KSP ksp = user;
    struct solve *own = ksp->data;
    (void)iteration;
    return keep(own, show_with(ksp, x));
}

static int monitor(void *user, int64_t column, int64_t iteration, double residual)
{
    KSP ksp = user;
    struct solve *own = ksp->data;
    (void)column;
    return own->failed || keep(own, see(ksp, (PetscInt)iteration, residual)) || ksp->reason;
}

static PetscErrorCode apply(KSP ksp, const double *r, double *z)
{
    struct solve *own = ksp->data;
    PetscFunctionBegin;
    PetscCall(VecPlaceArray(own->r, r));
    PetscCall(VecPlaceArray(own->z, z));
    PetscCall(KSP_PCApply(ksp, own->r, own->z));
    PetscCall(VecResetArray(own->z));
    PetscCall(VecResetArray(own->r));
    PetscFunctionReturn(0);
}

static int precondition(void *user, const struct cgs_array *r, const struct cgs_array *z,
                        void *stream)
{
    KSP ksp = user;
    struct solve *own = ksp->data;
    (void)stream;
    return keep(own, apply(ksp, r->data, z->data));
}

/* --- set-up ----------------------------------------------------------------------------------- */

/* Takes the PC as preconditioner, unless its type is none or the options name one of cgsolve. */
static PetscErrorCode set_up_preconditioner(KSP ksp, Mat A, Mat P)
{
    struct solve *own = ksp->data;
    struct cgs_error error;
    PetscBool is_none;
    PetscFunctionBegin;
    PetscCall(PetscObjectTypeCompare((PetscObject)ksp->pc, PCNONE, &is_none));
    if (named(own)) {
        PetscCheck(is_none, PETSC_COMM_SELF, PETSC_ERR_ARG_INCOMP,
                   "the PC is %s, and -ksp_cgsolve_preconditioner is %s: it is one of the two",
                   ((PetscObject)ksp->pc)->type_name, named(own));
        PetscCheck(A == P, PETSC_COMM_SELF, PETSC_ERR_ARG_INCOMP,
                   "-ksp_cgsolve_preconditioner %s is made from A, and the preconditioner is to be "
                   "made from another Mat: -pc_type cgsolve takes that",
                   named(own));
        PetscFunctionReturn(0);
    }
    if (!is_none && !own->r)
        PetscCall(MatCreateVecs(A, &own->r, &own->z));
    CHECK(
        cgs_solver_precondition(own->set_up.solver, is_none ? NULL : precondition, 0, ksp, &error),
        error);
    PetscFunctionReturn(0);
}

static PetscErrorCode destroy_vectors(struct solve *own)
{
    PetscFunctionBegin;
    PetscCall(VecDestroy(&own->r));
    PetscCall(VecDestroy(&own->z));
    PetscCall(VecDestroy(&own->x));
    PetscFunctionReturn(0);
}

static PetscErrorCode set_up(KSP ksp)
{
    struct solve *own = ksp->data;
    Mat A, P;
    bool made;
    PetscFunctionBegin;
    PetscCall(KSPGetOperators(ksp, &A, &P));
    PetscCall(set_up_refresh(&own->set_up, A, &made));
    if (made) {
        PetscCall(destroy_vectors(own));
        PetscCheck(cgs_solver_eigen_count(own->set_up.solver) == 0, PETSC_COMM_SELF,
                   PETSC_ERR_USER_INPUT, "-ksp_cgsolve_method %s finds eigenvalues, and no x",
                   set_up_option(&own->set_up.of_solver, "method"));
        cgs_solver_monitor(own->set_up.solver, monitor, ksp);
    }
    PetscCall(set_up_preconditioner(ksp, A, P));
    PetscFunctionReturn(0);
}

/* --- a solve ---------------------------------------------------------------------------------- */

static PetscErrorCode set_number(struct cgs_solver *solver, const char *option, double value)
{
    struct cgs_error error;
    char text[40];
    PetscFunctionBegin;
    snprintf(text, sizeof text, "%.17g", value);
    CHECK(cgs_solver_set(solver, option, text, &error), error);
    PetscFunctionReturn(0);
}

/* If PETSc's test is not the default one, the library ends only when it cannot improve x. */
static PetscErrorCode set_tolerances(KSP ksp)
{
    struct solve *own = ksp->data;
    struct cgs_solver *solver = own->set_up.solver;
    struct cgs_error error;
    char text[40];
    PetscFunctionBegin;
    const KSPConvergedDefaultCtx *test = ksp->converged == KSPConvergedDefault ? ksp->cnvP : NULL;
    own->decides = !test || test->initialrtol || test->mininitialrtol;
    PetscCall(set_number(solver, "absolute_tolerance", own->decides ? DBL_MIN : ksp->abstol));
    PetscCall(set_number(solver, "tolerance", own->decides ? 0 : ksp->rtol));
    snprintf(text, sizeof text, "%" PetscInt_FMT, ksp->max_it);
    CHECK(cgs_solver_set(solver, "max_iterations", text, &error), error);
    PetscFunctionReturn(0);
}

/* -ksp_monitor alone needs no x. */
static PetscErrorCode set_look(KSP ksp)
{
    struct solve *own = ksp->data;
    struct cgs_error error;
    PetscFunctionBegin;
    own->looks = own->pending = false;
    for (PetscInt k = 0; k < ksp->numbermonitors; k++)
        own->looks = own->looks || ksp->monitor[k] != (monitor_of_petsc *)KSPMonitorResidual;
    if (own->looks && !own->x)
        PetscCall(VecDuplicate(ksp->vec_sol, &own->x));
    CHECK(cgs_solver_look(own->set_up.solver, 1, own->looks ? look : NULL, ksp, &error), error);
    PetscFunctionReturn(0);
}

static KSPConvergedReason reason_of(const KSP ksp, const struct cgs_result *result)
{
    switch (result->reason) {
    case CGS_CONVERGED:
        return result->residual <= ksp->abstol ? KSP_CONVERGED_ATOL : KSP_CONVERGED_RTOL;
    case CGS_ITERATION_LIMIT:
        return KSP_DIVERGED_ITS;
    case CGS_NOT_POSITIVE_DEFINITE:
        return KSP_DIVERGED_INDEFINITE_MAT;
    case CGS_NOT_FINITE:
        return KSP_DIVERGED_NANORINF;
    default:
        return KSP_DIVERGED_BREAKDOWN;
    }
}

/* The status of the library's solve, and of PETSc's functions in it. */
static PetscErrorCode solve_arrays(KSP ksp)
{
    struct solve *own = ksp->data;
    struct cgs_result result = {.size = sizeof result};
    struct cgs_error error;
    const PetscScalar *b;
    PetscScalar *x;
    PetscInt n;
    PetscFunctionBegin;
    PetscCall(VecGetLocalSize(ksp->vec_rhs, &n));
    PetscCall(VecGetArrayRead(ksp->vec_rhs, &b));
    PetscCall(VecGetArray(ksp->vec_sol, &x));
    own->goes_on = true;
    enum cgs_status status =
        cgs_solve(own->set_up.solver, cgs_vector(b, n), cgs_vector(ksp->guess_zero ? NULL : x, n),
                  cgs_vector(x, n), &result, &error);
    own->goes_on = false;
    PetscCall(VecRestoreArray(ksp->vec_sol, &x));
    PetscCall(VecRestoreArrayRead(ksp->vec_rhs, &b));
    PetscCall(own->failed);
    CHECK(status, error);
    if (own->pending)
        PetscCall(show(ksp));
    own->reason = result.reason;
    ksp->its = (PetscInt)result.iterations;
    ksp->rnorm = result.true_residual;
    if (!ksp->reason)
        ksp->reason = reason_of(ksp, &result);
    PetscFunctionReturn(0);
}

static PetscErrorCode solve(KSP ksp)
{
    struct solve *own = ksp->data;
    PCFailedReason failed;
    PetscFunctionBegin;
    PetscCall(set_up(ksp));
    PetscCall(PCSetUp(ksp->pc));
    PetscCall(PCGetFailedReason(ksp->pc, &failed));
    own->failed = 0;
    ksp->its = 0;
    ksp->rnorm = PETSC_INFINITY;
    ksp->reason = failed ? KSP_DIVERGED_PC_FAILED : KSP_CONVERGED_ITERATING;
    if (failed)
        PetscFunctionReturn(0);
    PetscCall(set_tolerances(ksp));
    PetscCall(set_look(ksp));
    PetscCall(solve_arrays(ksp));
    PetscCall(PetscInfo(ksp, "cgsolve: %s after %" PetscInt_FMT " iterations\n",
                        cgs_reason_name(own->reason), ksp->its));
    PetscFunctionReturn(0);
}

/* During a solve the x of a look. */
static PetscErrorCode build_solution(KSP ksp, Vec v, Vec *x)
{
    const struct solve *own = ksp->data;
    Vec from = own->goes_on ? own->x : ksp->vec_sol;
    PetscFunctionBegin;
    PetscCheck(!own->goes_on || own->x_is_up, PETSC_COMM_SELF, PETSC_ERR_SUP,
               "cgsolve shows the x of an iteration to monitors alone");
    if (v)
        PetscCall(VecCopy(from, v));
    if (x)
        *x = v ? v : from;
    PetscFunctionReturn(0);
}

/* --- a KSP ------------------------------------------------------------------------------------ */

static PetscErrorCode set_from_options(KSP ksp, option_items PetscOptionsObject)
{
    struct solve *own = ksp->data;
    char text[128] = "";
    PetscBool pc_is_set;
    PC pc;
    PetscFunctionBegin;
    PetscOptionsHeadBegin(PetscOptionsObject, "cgsolve (docs/interop.md)");
    PetscCall(PetscOptionsString("-ksp_cgsolve_method", "cg, minres, richardson", "", "cg", text,
                                 sizeof text, NULL));
    PetscCall(PetscOptionsString("-ksp_cgsolve_kernel", "what multiplies by A", "",
                                 "cpu_sym_bitwise", text, sizeof text, NULL));
    PetscCall(PetscOptionsString("-ksp_cgsolve_reductions", "how dot products are summed", "",
                                 "reproducible", text, sizeof text, NULL));
    PetscCall(PetscOptionsString("-ksp_cgsolve_preconditioner", "one of cgsolve's, instead of a PC",
                                 "", "none", text, sizeof text, NULL));
    PetscCall(PetscOptionsInt("-ksp_cgsolve_threads", "0: as the size of A asks for", "",
                              own->set_up.threads, &own->set_up.threads, NULL));
    PetscCall(PetscOptionsReal("-ksp_cgsolve_asymmetry", "that is taken of an AIJ", "",
                               own->set_up.asymmetry, &own->set_up.asymmetry, NULL));
    PetscOptionsHeadEnd();
    PetscCall(set_up_options(&own->set_up, (PetscObject)ksp, "ksp_cgsolve_"));
    PetscCall(KSPGetPC(ksp, &pc));
    PetscCall(PetscOptionsHasName(((PetscObject)pc)->options, ((PetscObject)pc)->prefix, "-pc_type",
                                  &pc_is_set));
    if (named(own) && !pc_is_set)
        PetscCall(PCSetType(pc, PCNONE));
    PetscFunctionReturn(0);
}

static PetscErrorCode view(KSP ksp, PetscViewer viewer)
{
    const struct solve *own = ksp->data;
    PetscFunctionBegin;
    PetscCall(set_up_view(&own->set_up, own->reason, viewer));
    PetscFunctionReturn(0);
}

static PetscErrorCode reset(KSP ksp)
{
    struct solve *own = ksp->data;
    PetscFunctionBegin;
    set_up_reset(&own->set_up);
    PetscCall(destroy_vectors(own));
    PetscFunctionReturn(0);
}

static PetscErrorCode destroy(KSP ksp)
{
    struct solve *own = ksp->data;
    PetscFunctionBegin;
    PetscCall(reset(ksp));
    PetscCall(set_up_free(&own->set_up));
    PetscCall(KSPDestroyDefault(ksp));
    PetscFunctionReturn(0);
}

PetscErrorCode ksp_create_cgsolve(KSP ksp)
{
    struct solve *own;
    PetscFunctionBegin;
    PetscCall(PetscNew(&own));
    ksp->data = own;
    PetscCall(KSPSetSupportedNorm(ksp, KSP_NORM_UNPRECONDITIONED, PC_LEFT, 3));
    ksp->setupnewmatrix = PETSC_TRUE;
    ksp->ops->setup = set_up;
    ksp->ops->solve = solve;
    ksp->ops->setfromoptions = set_from_options;
    ksp->ops->view = view;
    ksp->ops->reset = reset;
    ksp->ops->destroy = destroy;
    ksp->ops->buildsolution = build_solution;
    ksp->ops->buildresidual = KSPBuildResidualDefault;
    PetscFunctionReturn(0);
}
