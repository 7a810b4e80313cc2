/* PETSc calls this when it loads libpetsc_cgsolve.so: -dll_append, or PetscDLLibraryAppend. */
#include "set_up.h"

PETSC_EXTERN PetscErrorCode PetscDLLibraryRegister_petsc_cgsolve(void);

PetscErrorCode PetscDLLibraryRegister_petsc_cgsolve(void)
{
    PetscFunctionBegin;
    PetscCall(KSPRegister("cgsolve", ksp_create_cgsolve));
    PetscCall(PCRegister("cgsolve", pc_create_cgsolve));
    PetscFunctionReturn(0);
}
