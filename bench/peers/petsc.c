/* PETSc's side of the contests of bench/products.sh: MatMult, or KSPCG without a preconditioner.
 * Each MPI rank makes the whole problem and keeps its rows.
 *
 *     mpirun -n RANKS petsc product|cg THREADS TYPE BLOCK [KEY=VALUE]... CONFIG
 *
 * TYPE is one of PETSc's matrix types (aij, baij, sbaij, sell), BLOCK its block size. THREADS is
 * told, and not used: each rank has one. Rank 0 waits for a line; the others look for its message
 * and sleep in between, because a rank that waits inside MPI takes a processor from the others. */
#include "base/clock.h"
#include "bench/support/contest.h"
#include "cgsolve/csr.h"

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

/* How many different blocks of columns a block row has, in the rank's own columns and outside; for
 * SBAIJ those from the diagonal on. */
static PetscErrorCode count_blocks(const struct petsc *petsc, const struct csr *full,
                                   PetscInt begin, PetscInt end, bool upper, PetscInt *inside,
                                   PetscInt *outside)
{
    PetscInt bs = petsc->block, *met;
    PetscFunctionBeginUser;
    PetscCall(PetscMalloc1(full->n / bs, &met));
    for (PetscInt j = 0; j < full->n / bs; j++)
        met[j] = -1;
    for (PetscInt row = begin / bs; row < end / bs; row++) {
        PetscInt at = row - begin / bs;
        inside[at] = outside[at] = 0;
        for (int64_t k = full->offsets[row * bs]; k < full->offsets[(row + 1) * bs]; k++) {
            PetscInt column = full->columns[k] / bs;
            if (met[column] == row || (upper && column < row))
                continue;
            met[column] = row;
            ++*(column >= begin / bs && column < end / bs ? &inside[at] : &outside[at]);
        }
    }
    PetscCall(PetscFree(met));
    PetscFunctionReturn(0);
}

static PetscErrorCode preallocate(const struct petsc *petsc, const struct csr *full, PetscInt begin,
                                  PetscInt end)
{
    PetscInt rows = (end - begin) / petsc->block, *counts;
    PetscFunctionBeginUser;
    PetscCall(PetscCalloc1(4 * rows, &counts));
    PetscInt *inside = counts, *outside = counts + rows, *upper_inside = counts + 2 * rows,
             *upper_outside = counts + 3 * rows;
    PetscCall(count_blocks(petsc, full, begin, end, false, inside, outside));
    PetscCall(count_blocks(petsc, full, begin, end, true, upper_inside, upper_outside));
    if (strcmp(petsc->type, MATSELL) == 0) { /* which the general call leaves out */
        PetscCall(MatSeqSELLSetPreallocation(petsc->A, 0, inside));
        PetscCall(MatMPISELLSetPreallocation(petsc->A, 0, inside, 0, outside));
    }
    PetscCall(MatXAIJSetPreallocation(petsc->A, petsc->block, inside, outside, upper_inside,
                                      upper_outside));
    PetscCall(PetscFree(counts));
    PetscFunctionReturn(0);
}

static PetscErrorCode insert_rows(const struct petsc *petsc, const struct csr *full, PetscInt begin,
                                  PetscInt end)
{
    PetscFunctionBeginUser;
    if (strcmp(petsc->type, MATSBAIJ) == 0)
        PetscCall(MatSetOption(petsc->A, MAT_IGNORE_LOWER_TRIANGULAR, PETSC_TRUE));
    for (PetscInt i = begin; i < end; i++) {
        int64_t first = full->offsets[i];
        PetscCall(MatSetValues(petsc->A, 1, &i, (PetscInt)(full->offsets[i + 1] - first),
                               full->columns + first, full->values + first, INSERT_VALUES));
    }
    PetscCall(MatAssemblyBegin(petsc->A, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(petsc->A, MAT_FINAL_ASSEMBLY));
    PetscFunctionReturn(0);
}

/* What all ranks together read and write for one product: the values, a column for each block and
 * an offset for each block row, and x and y once. */
static double byte_model(const struct petsc *petsc, const struct csr *full)
{
    bool upper = strcmp(petsc->type, MATSBAIJ) == 0;
    double bs = (double)petsc->block, n = (double)full->n;
    double values = (double)full->nnz; /* of blocks that are full */
    if (upper)
        values = (values + n * bs) / 2;
    return values * (sizeof(PetscScalar) + sizeof(PetscInt) / (bs * bs)) +
           n / bs * sizeof(PetscInt) + 2 * n * sizeof(PetscScalar);
}

static PetscErrorCode create_matrix(struct petsc *petsc)
{
    struct csr full;
    struct error error;
    PetscInt local = PETSC_DECIDE, n = (PetscInt)petsc->contest.n, begin, end;
    PetscFunctionBeginUser;
    PetscCheck(csr_expand(&petsc->contest.system.A, &full, &error) == STATUS_OK, PETSC_COMM_SELF,
               PETSC_ERR_MEM, "%s", error.text);
    PetscCall(PetscSplitOwnershipBlock(PETSC_COMM_WORLD, petsc->block, &local, &n));
    PetscCall(MatCreate(PETSC_COMM_WORLD, &petsc->A));
    PetscCall(MatSetSizes(petsc->A, local, local, n, n));
    PetscCall(MatSetBlockSize(petsc->A, petsc->block));
    PetscCall(MatSetType(petsc->A, petsc->type));
    PetscCallMPI(MPI_Scan(&local, &end, 1, MPIU_INT, MPI_SUM, PETSC_COMM_WORLD));
    begin = end - local;
    PetscCall(preallocate(petsc, &full, begin, end));
    PetscCall(insert_rows(petsc, &full, begin, end));
    petsc->bytes = byte_model(petsc, &full);
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
    const struct solver_options *options = &petsc->contest.settings.solver;
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
    PetscCall(VecScatterCreateToZero(petsc->y, &petsc->gather, &petsc->gathered));
    if (contest->cg)
        PetscCall(create_solver(petsc));
    PetscFunctionReturn(0);
}

/* The part of a batch that every rank does, timed on rank 0 between two barriers. */
static PetscErrorCode work(struct petsc *petsc, int64_t times, double *seconds)
{
    PetscInt counted = (PetscInt)times;
    PetscFunctionBeginUser;
    if (!petsc->contest.cg)
        PetscCall(MatMult(petsc->A, petsc->x, petsc->y));
    PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
    double begin = clock_seconds();
    if (petsc->contest.cg) {
        PetscCall(KSPSolve(petsc->ksp, petsc->x, petsc->y));
        PetscCall(KSPGetIterationNumber(petsc->ksp, &counted));
    } else {
        for (int64_t k = 0; k < times; k++)
            PetscCall(MatMult(petsc->A, petsc->x, petsc->y));
    }
    PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
    *seconds = (clock_seconds() - begin) / (double)counted;
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
    enum status status = contest_open(argc, argv, contest, error);
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
        fprintf(stderr, "usage: petsc product|cg THREADS TYPE BLOCK [KEY=VALUE]... CONFIG\n");
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
