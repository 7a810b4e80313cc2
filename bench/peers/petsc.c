/* PETSc's side of the contests of bench/products.sh and bench/ranks.py: MatMult, or KSPCG without a
 * preconditioner. Each MPI rank makes its own rows where the problem has a maker of them.
 *
 *     mpirun -n RANKS petsc product|cg|solve THREADS TYPE BLOCK [KEY=VALUE]... CONFIG
 *
 * TYPE is one of PETSc's matrix types (aij, baij, sbaij, sell; aijcusparse, with a GPU for each
 * rank), BLOCK its block size. `solve` is cg for large systems: nobody has the whole matrix or a
 * solution to compare with, and the residual is told. THREADS make the rows; PETSc has one a rank.
 * PETSC_OPTIONS in the environment has options for PETSc: -use_gpu_aware_mpi 0 where MPI cannot
 * send from a GPU's memory. Rank 0 waits for a line; the others look for its message and sleep in
 * between, because a rank that waits inside MPI takes a processor from the others. */
#include "base/clock.h"
#include "bench/support/contest.h"
#include "matrix/csr.h"
#include "matrix/implicit_rows.h"

#include <petscdevice.h>
#include <petscksp.h>

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

struct petsc {
    struct contest contest;
    const char *type;
    PetscInt block;
    PetscMPIInt rank;
    Mat A;
    Vec x, y, gathered; /* cg: x is the right-hand side and y the solution */
    VecScatter gather;
    KSP ksp;
    double bytes;
};

/* The rows begin <= i < end of the whole matrix, which `full` keeps, with its columns. The lower
 * entries of rows that a maker makes come from the rows within its reach before them. */
static enum status own_rows(const struct csr *A, int64_t begin, int64_t end, struct csr *full,
                            struct csr *own, struct error *error)
{
    struct csr made = {0};
    int64_t reach = A->maker ? A->maker->reach(A->maker_options) : begin;
    int64_t first = begin > reach ? begin - reach : 0;
    enum status status = A->maker ? csr_make_rows(A, first, end, &made, error) : STATUS_OK;
    if (!status)
        status = csr_expand(A->maker ? &made : A, full, error);
    csr_free(&made);
    if (status)
        return status;
    *own = *full;
    own->n = end - begin;
    own->offsets += begin - first;
    for (int64_t k = own->offsets[0]; first > 0 && k < own->offsets[own->n]; k++)
        own->columns[k] += (int32_t)first;
    return STATUS_OK;
}

/* How many different blocks of columns each block row has, in the rank's own columns and outside;
 * for SBAIJ those from the diagonal on. */
static PetscErrorCode count_blocks(const struct petsc *petsc, const struct csr *own, PetscInt begin,
                                   PetscInt *inside, PetscInt *outside)
{
    PetscInt bs = petsc->block, rows = (PetscInt)own->n / bs, *met;
    PetscInt columns = (PetscInt)petsc->contest.n / bs, before = begin / bs;
    bool upper = strcmp(petsc->type, MATSBAIJ) == 0;
    PetscFunctionBeginUser;
    PetscCall(PetscMalloc1(columns, &met));
    for (PetscInt j = 0; j < columns; j++)
        met[j] = -1;
    for (PetscInt row = 0; row < rows; row++) {
        inside[row] = outside[row] = 0;
        for (int64_t k = own->offsets[row * bs]; k < own->offsets[(row + 1) * bs]; k++) {
            PetscInt column = own->columns[k] / bs;
            if (met[column] == row || (upper && column < before + row))
                continue;
            met[column] = row;
            ++*(column >= before && column < before + rows ? &inside[row] : &outside[row]);
        }
    }
    PetscCall(PetscFree(met));
    PetscFunctionReturn(0);
}

static PetscErrorCode preallocate(const struct petsc *petsc, const struct csr *own, PetscInt begin)
{
    PetscInt *inside, *outside;
    PetscFunctionBeginUser;
    PetscCall(PetscMalloc2(own->n / petsc->block, &inside, own->n / petsc->block, &outside));
    PetscCall(count_blocks(petsc, own, begin, inside, outside));
    if (strcmp(petsc->type, MATSELL) == 0) { /* which the general call leaves out */
        PetscCall(MatSeqSELLSetPreallocation(petsc->A, 0, inside));
        PetscCall(MatMPISELLSetPreallocation(petsc->A, 0, inside, 0, outside));
    }
    PetscCall(MatXAIJSetPreallocation(petsc->A, petsc->block, inside, outside, inside, outside));
    PetscCall(PetscFree2(inside, outside));
    PetscFunctionReturn(0);
}

static PetscErrorCode insert_rows(const struct petsc *petsc, const struct csr *own, PetscInt begin)
{
    PetscFunctionBeginUser;
    if (strcmp(petsc->type, MATSBAIJ) == 0)
        PetscCall(MatSetOption(petsc->A, MAT_IGNORE_LOWER_TRIANGULAR, PETSC_TRUE));
    for (PetscInt r = 0; r < own->n; r++) {
        PetscInt i = begin + r;
        int64_t first = own->offsets[r];
        PetscCall(MatSetValues(petsc->A, 1, &i, (PetscInt)(own->offsets[r + 1] - first),
                               own->columns + first, own->values + first, INSERT_VALUES));
    }
    PetscCall(MatAssemblyBegin(petsc->A, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(petsc->A, MAT_FINAL_ASSEMBLY));
    PetscFunctionReturn(0);
}

/* What all ranks together read and write for one product: the values, a column for each block and
 * an offset for each block row, and x and y once. */
static double byte_model(const struct petsc *petsc)
{
    bool upper = strcmp(petsc->type, MATSBAIJ) == 0;
    double bs = (double)petsc->block, n = (double)petsc->contest.n;
    double values = (double)csr_nnz_full(&petsc->contest.system.A); /* of blocks that are full */
    if (upper)
        values = (values + n * bs) / 2;
    return values * (sizeof(PetscScalar) + sizeof(PetscInt) / (bs * bs)) +
           n / bs * sizeof(PetscInt) + 2 * n * sizeof(PetscScalar);
}

static PetscErrorCode create_matrix(struct petsc *petsc)
{
    struct csr full, own;
    struct error error;
    PetscInt local = PETSC_DECIDE, n = (PetscInt)petsc->contest.n, begin, end;
    PetscFunctionBeginUser;
    PetscCall(PetscSplitOwnershipBlock(PETSC_COMM_WORLD, petsc->block, &local, &n));
    PetscCall(MatCreate(PETSC_COMM_WORLD, &petsc->A));
    PetscCall(MatSetSizes(petsc->A, local, local, n, n));
    PetscCall(MatSetBlockSize(petsc->A, petsc->block));
    PetscCall(MatSetType(petsc->A, petsc->type));
    PetscCallMPI(MPI_Scan(&local, &end, 1, MPIU_INT, MPI_SUM, PETSC_COMM_WORLD));
    begin = end - local;
    PetscCheck(own_rows(&petsc->contest.system.A, begin, end, &full, &own, &error) == STATUS_OK,
               PETSC_COMM_SELF, PETSC_ERR_MEM, "%s", error.text);
    PetscCall(preallocate(petsc, &own, begin));
    PetscCall(insert_rows(petsc, &own, begin));
    petsc->bytes = byte_model(petsc);
    csr_free(&full);
    PetscFunctionReturn(0);
}

static PetscErrorCode fill(const double *from, Vec to)
{
    PetscInt begin, end;
    PetscScalar *values;
    PetscFunctionBeginUser;
    PetscCall(VecGetOwnershipRange(to, &begin, &end));
    PetscCall(VecGetArray(to, &values));
    memcpy(values, from + begin, (size_t)(end - begin) * sizeof *values);
    PetscCall(VecRestoreArray(to, &values));
    PetscFunctionReturn(0);
}

/* The natural norm is the one that costs PETSc no pass of its own; without a preconditioner it is
 * that of the residual. */
static PetscErrorCode create_solver(struct petsc *petsc)
{
    const struct solver_options *options = &petsc->contest.settings.solver.options;
    PC pc;
    PetscFunctionBeginUser;
    PetscCall(KSPCreate(PETSC_COMM_WORLD, &petsc->ksp));
    PetscCall(KSPSetOperators(petsc->ksp, petsc->A, petsc->A));
    PetscCall(KSPSetType(petsc->ksp, KSPCG));
    PetscCall(KSPGetPC(petsc->ksp, &pc));
    PetscCall(PCSetType(pc, PCNONE));
    PetscCall(KSPSetNormType(petsc->ksp, KSP_NORM_NATURAL));
    PetscCall(KSPSetTolerances(petsc->ksp, options->tolerance, PETSC_DEFAULT, PETSC_DEFAULT,
                               (PetscInt)options->max_iterations));
    PetscCall(KSPSetFromOptions(petsc->ksp));
    PetscCall(KSPSetUp(petsc->ksp));
    PetscFunctionReturn(0);
}

static PetscErrorCode create(struct petsc *petsc)
{
    const struct contest *contest = &petsc->contest;
    PetscFunctionBeginUser;
    PetscCall(create_matrix(petsc));
    PetscCall(MatCreateVecs(petsc->A, &petsc->x, &petsc->y));
    PetscCall(fill(contest->cg ? contest->system.b : contest->x, petsc->x));
    if (contest->result)
        PetscCall(VecScatterCreateToZero(petsc->y, &petsc->gather, &petsc->gathered));
    if (contest->cg)
        PetscCall(create_solver(petsc));
    PetscFunctionReturn(0);
}

/* A product on a GPU returns before it is done. */
static PetscErrorCode settle(void)
{
    PetscFunctionBeginUser;
    if (PetscDeviceInitialized(PETSC_DEVICE_CUDA))
        PetscCall(PetscDeviceContextSynchronize(NULL));
    PetscFunctionReturn(0);
}

/* The part of a batch that every rank does, timed on rank 0 between two barriers. */
static PetscErrorCode work(struct petsc *petsc, int64_t times, double *seconds)
{
    PetscInt counted = (PetscInt)times;
    PetscFunctionBeginUser;
    if (!petsc->contest.cg)
        PetscCall(MatMult(petsc->A, petsc->x, petsc->y));
    PetscCall(settle());
    PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
    double begin = clock_seconds();
    if (petsc->contest.cg) {
        PetscCall(KSPSolve(petsc->ksp, petsc->x, petsc->y));
        PetscCall(KSPGetIterationNumber(petsc->ksp, &counted));
    } else {
        for (int64_t k = 0; k < times; k++)
            PetscCall(MatMult(petsc->A, petsc->x, petsc->y));
    }
    PetscCall(settle());
    PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
    *seconds = (clock_seconds() - begin) / (double)counted;
    if (!petsc->contest.result) {
        petsc->contest.iterations = counted;
        PetscCall(KSPGetResidualNorm(petsc->ksp, &petsc->contest.residual));
        PetscFunctionReturn(0);
    }
    PetscCall(
        VecScatterBegin(petsc->gather, petsc->y, petsc->gathered, INSERT_VALUES, SCATTER_FORWARD));
    PetscCall(
        VecScatterEnd(petsc->gather, petsc->y, petsc->gathered, INSERT_VALUES, SCATTER_FORWARD));
    PetscFunctionReturn(0);
}

/* From rank 0 to the others: do a batch of that many, or 0: end. */
static PetscErrorCode tell(int64_t times)
{
    PetscMPIInt ranks;
    PetscFunctionBeginUser;
    PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
    for (PetscMPIInt rank = 1; rank < ranks; rank++)
        PetscCallMPI(MPI_Send(&times, 1, MPI_INT64_T, rank, 0, PETSC_COMM_WORLD));
    PetscFunctionReturn(0);
}

static PetscErrorCode follow(struct petsc *petsc)
{
    int64_t times = 1;
    double unused;
    PetscFunctionBeginUser;
    while (times > 0) {
        int there = 0;
        PetscCallMPI(MPI_Iprobe(0, 0, PETSC_COMM_WORLD, &there, MPI_STATUS_IGNORE));
        if (!there) {
            nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
            continue;
        }
        PetscCallMPI(MPI_Recv(&times, 1, MPI_INT64_T, 0, 0, PETSC_COMM_WORLD, MPI_STATUS_IGNORE));
        if (times > 0)
            PetscCall(work(petsc, times, &unused));
    }
    PetscFunctionReturn(0);
}

static PetscErrorCode lead(struct petsc *petsc, int64_t times, double *seconds)
{
    const PetscScalar *values;
    PetscFunctionBeginUser;
    PetscCall(tell(times));
    PetscCall(work(petsc, times, seconds));
    if (!petsc->gathered)
        PetscFunctionReturn(0);
    PetscCall(VecGetArrayRead(petsc->gathered, &values));
    memcpy(petsc->contest.result, values, (size_t)petsc->contest.n * sizeof *values);
    PetscCall(VecRestoreArrayRead(petsc->gathered, &values));
    PetscFunctionReturn(0);
}

static double batch(void *context, int64_t times)
{
    double seconds;
    return lead(context, times, &seconds) ? NAN : seconds;
}

static enum status compete(struct petsc *petsc, int argc, char *argv[], struct error *error)
{
    struct contest *contest = &petsc->contest;
    char library[64];
    bool large = strcmp(argv[1], "solve") == 0;
    enum status status = (large ? contest_open_large : contest_open)(argc, argv, contest, error);
    if (status)
        return status;
    if (petsc->block < 1 || contest->n % petsc->block != 0)
        return error_set(error, STATUS_CONFIG, "a block size that does not divide n");
    if (create(petsc))
        return error_set(error, STATUS_MEMORY, "PETSc failed to set up %s", petsc->type);
    contest_drop_matrix(contest);
    if (petsc->rank > 0)
        return follow(petsc) ? error_set(error, STATUS_MEMORY, "PETSc failed") : STATUS_OK;
    snprintf(library, sizeof library, "PETSc %d.%d.%d", PETSC_VERSION_MAJOR, PETSC_VERSION_MINOR,
             PETSC_VERSION_SUBMINOR);
    status = contest_compete(contest, library, contest->cg ? 0 : petsc->bytes, batch, petsc, error);
    return tell(0) ? STATUS_MEMORY : status;
}

int main(int argc, char *argv[])
{
    struct error error = {"PETSc failed"};
    struct petsc petsc = {0};
    if (argc < 6) {
        fprintf(stderr, "usage: petsc product|cg|solve THREADS TYPE BLOCK [KEY=VALUE]... CONFIG\n");
        return 2;
    }
    petsc.type = argv[3];
    petsc.block = (PetscInt)atoi(argv[4]);
    argv[4] = argv[2]; /* what the contest reads stands together */
    argv[3] = argv[1];
    argv[2] = argv[0];
    int none = 1;
    char **first = argv; /* the words are no options of PETSc */
    PetscCall(PetscInitialize(&none, &first, NULL, NULL));
    PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &petsc.rank));
    enum status status = compete(&petsc, argc - 2, argv + 2, &error);
    int end = petsc.rank == 0 ? contest_end(status, &error) : 0;
    if (status) /* the others may be waiting */
        MPI_Abort(PETSC_COMM_WORLD, 1);
    PetscCall(KSPDestroy(&petsc.ksp));
    PetscCall(VecScatterDestroy(&petsc.gather));
    PetscCall(VecDestroy(&petsc.gathered));
    PetscCall(VecDestroy(&petsc.x));
    PetscCall(VecDestroy(&petsc.y));
    PetscCall(MatDestroy(&petsc.A));
    contest_close(&petsc.contest);
    PetscCall(PetscFinalize());
    return end;
}
