/* -pc_type cgsolve: z = M^-1 r by a preconditioner of the library, for any KSP of PETSc's. */
#include "set_up.h"

#include <petsc/private/pcimpl.h>

static PetscErrorCode set_up(PC pc)
{
    bool made;
    PetscFunctionBegin;
    PetscCall(set_up_refresh(pc->data, pc->pmat, &made));
    PetscFunctionReturn(0);
}

static PetscErrorCode apply(PC pc, Vec r, Vec z)
{
    struct set_up *own = pc->data;
    struct cgs_error error;
    const PetscScalar *from;
    PetscScalar *to;
    PetscInt n;
    PetscFunctionBegin;
    PetscCall(VecGetLocalSize(r, &n));
    PetscCall(VecGetArrayRead(r, &from));
    PetscCall(VecGetArrayWrite(z, &to));
    enum cgs_status status =
        cgs_precondition(own->solver, cgs_vector(from, n), cgs_vector(to, n), &error);
    PetscCall(VecRestoreArrayWrite(z, &to));
    PetscCall(VecRestoreArrayRead(r, &from));
    CHECK(status, error);
    PetscFunctionReturn(0);
}

static PetscErrorCode set_from_options(PC pc, option_items PetscOptionsObject)
{
    struct set_up *own = pc->data;
    char text[128] = "";
    PetscFunctionBegin;
    PetscOptionsHeadBegin(PetscOptionsObject, "cgsolve (docs/interop.md)");
    PetscCall(PetscOptionsString("-pc_cgsolve_type", "the preconditioner", "", "multigrid", text,
                                 sizeof text, NULL));
    PetscCall(PetscOptionsInt("-pc_cgsolve_threads", "0: as the size of A asks for", "",
                              own->threads, &own->threads, NULL));
    PetscCall(PetscOptionsReal("-pc_cgsolve_asymmetry", "that is taken of an AIJ", "",
                               own->asymmetry, &own->asymmetry, NULL));
    PetscOptionsHeadEnd();
    PetscCall(set_up_options(own, (PetscObject)pc, "pc_cgsolve_"));
    pc->setupcalled = 0;
    PetscFunctionReturn(0);
}

static PetscErrorCode view(PC pc, PetscViewer viewer)
{
    PetscFunctionBegin;
    PetscCall(set_up_view(pc->data, CGS_NOT_SOLVED, viewer));
    PetscFunctionReturn(0);
}

static PetscErrorCode reset(PC pc)
{
    PetscFunctionBegin;
    set_up_reset(pc->data);
    PetscFunctionReturn(0);
}

static PetscErrorCode destroy(PC pc)
{
    PetscFunctionBegin;
    PetscCall(set_up_free(pc->data));
    PetscCall(PetscFree(pc->data));
    PetscFunctionReturn(0);
}

PetscErrorCode pc_create_cgsolve(PC pc)
{
    struct set_up *own;
    PetscFunctionBegin;
    PetscCall(PetscNew(&own));
    pc->data = own;
    PetscCall(set_up_defaults(own, true));
    pc->ops->setup = set_up;
    pc->ops->apply = apply;
    pc->ops->applytranspose = apply; /* M is symmetric */
    pc->ops->setfromoptions = set_from_options;
    pc->ops->view = view;
    pc->ops->reset = reset;
    pc->ops->destroy = destroy;
    PetscFunctionReturn(0);
}
