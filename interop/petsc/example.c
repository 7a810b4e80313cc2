/* Solves systems from files of PETSc's (MatView, VecView with a binary viewer), by PETSc's options
 * alone:
 *
 *     example -f A_and_b... [-near_null v] [-twice]
 *         [-dll_append libpetsc_cgsolve.so -ksp_type cgsolve ...]
 *
 * Each file has an A and a b; one KSP solves all. -near_null: a file with a near-null vector of
 * each A. -twice: solves each again, with 2 b. -solution_view binary:FILE::append writes every
 * x. */
#include <petscksp.h>

static PetscErrorCode load(const char *path, Mat *A, Vec *b)
{
    PetscViewer file;
    PetscFunctionBeginUser;
    PetscCall(PetscViewerBinaryOpen(PETSC_COMM_WORLD, path, FILE_MODE_READ, &file));
    PetscCall(MatCreate(PETSC_COMM_WORLD, A));
    PetscCall(MatSetFromOptions(*A));
    PetscCall(MatLoad(*A, file));
    PetscCall(MatCreateVecs(*A, NULL, b));
    PetscCall(VecLoad(*b, file));
    PetscCall(PetscViewerDestroy(&file));
    PetscFunctionReturn(0);
}

static PetscErrorCode load_near_null(Mat A)
{
    PetscViewer file;
    MatNullSpace space;
    Vec v;
    char path[PETSC_MAX_PATH_LEN];
    PetscBool given;
    PetscFunctionBeginUser;
    PetscCall(PetscOptionsGetString(NULL, NULL, "-near_null", path, sizeof path, &given));
    if (!given)
        PetscFunctionReturn(0);
    PetscCall(PetscViewerBinaryOpen(PETSC_COMM_WORLD, path, FILE_MODE_READ, &file));
    PetscCall(MatCreateVecs(A, NULL, &v));
    PetscCall(VecLoad(v, file));
    PetscCall(MatNullSpaceCreate(PETSC_COMM_WORLD, PETSC_FALSE, 1, &v, &space));
    PetscCall(MatSetNearNullSpace(A, space));
    PetscCall(MatNullSpaceDestroy(&space));
    PetscCall(VecDestroy(&v));
    PetscCall(PetscViewerDestroy(&file));
    PetscFunctionReturn(0);
}

static PetscErrorCode solve(KSP ksp, Vec b, Vec x)
{
    KSPConvergedReason reason;
    PetscInt iterations;
    PetscReal residual;
    PetscFunctionBeginUser;
    PetscCall(KSPSolve(ksp, b, x));
    PetscCall(KSPGetConvergedReason(ksp, &reason));
    PetscCall(KSPGetIterationNumber(ksp, &iterations));
    PetscCall(KSPGetResidualNorm(ksp, &residual));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s after %" PetscInt_FMT " iterations, %.15e\n",
                          KSPConvergedReasons[reason], iterations, (double)residual));
    PetscCall(VecViewFromOptions(x, NULL, "-solution_view"));
    PetscFunctionReturn(0);
}

static PetscErrorCode solve_file(KSP ksp, const char *path, PetscBool twice)
{
    Mat A;
    Vec b, x;
    PetscFunctionBeginUser;
    PetscCall(load(path, &A, &b));
    PetscCall(load_near_null(A));
    PetscCall(VecDuplicate(b, &x));
    PetscCall(VecCopy(b, x)); /* where -ksp_initial_guess_nonzero begins */
    PetscCall(KSPSetOperators(ksp, A, A));
    PetscCall(solve(ksp, b, x));
    if (twice) {
        PetscCall(VecScale(b, 2));
        PetscCall(solve(ksp, b, x));
    }
    PetscCall(VecDestroy(&x));
    PetscCall(VecDestroy(&b));
    PetscCall(MatDestroy(&A));
    PetscFunctionReturn(0);
}

int main(int argc, char **argv)
{
    KSP ksp;
    char *paths[8];
    PetscInt count = 8;
    PetscBool twice = PETSC_FALSE;
    PetscFunctionBeginUser;
    PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
    PetscCall(PetscOptionsGetStringArray(NULL, NULL, "-f", paths, &count, NULL));
    PetscCall(PetscOptionsGetBool(NULL, NULL, "-twice", &twice, NULL));
    PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
    PetscCall(KSPSetFromOptions(ksp));
    for (PetscInt k = 0; k < count; k++) {
        PetscCall(solve_file(ksp, paths[k], twice));
        PetscCall(PetscFree(paths[k]));
    }
    PetscCall(KSPDestroy(&ksp));
    PetscCall(PetscFinalize());
    return 0;
}
