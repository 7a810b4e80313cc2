/* Ranks as processes, by MPI: mpirun -n 4 cgsolve config.cfg. MPI only moves bytes. */
#include "program/command/ranks.h"

#include <stdlib.h>

/* The environment variables of Open MPI, MPICH and their kin, and Slurm's srun, with the number of
 * processes. srun comes last, because mpirun may start its helpers by srun. *from: the found
 * variable. */
static int processes_started(const char **from)
{
    static const char *const counts[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_LOCALNRANKS",
                                         "SLURM_STEP_NUM_TASKS"};
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
        const char *value = getenv(counts[k]);
        *from = counts[k];
        if (value)
            return atoi(value);
    }
    return 1;
}

#ifdef CGSOLVE_MPI

#include "api/exchange.h"
#include "cgsolve/mpi.h"

static struct cgs_exchange table;
static struct exchange *own;
static struct exchange_operations operations; /* the library's, but for abandon */

static void abandon(struct exchange *exchange, int exit_status, const char *why)
{
    (void)exchange, (void)why;
    MPI_Abort(MPI_COMM_WORLD, exit_status);
}

static enum status check_ranks(int started, const char *from, struct error *error)
{
    int count = 1;
    MPI_Comm_size(MPI_COMM_WORLD, &count);
    if (count == started)
        return STATUS_OK;
    return error_set(
        error, STATUS_UNAVAILABLE,
        "%d processes were started (%s), and MPI knows of %d: is mpirun, or srun --mpi=, for "
        "the MPI of this build?",
        started, from, count);
}

static enum status find_place_on_host(int *place, struct error *error)
{
    MPI_Comm host;
    if (MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host) !=
        MPI_SUCCESS)
        return error_set(error, STATUS_RANK, "MPI does not tell which ranks share a host");
    MPI_Comm_rank(host, place);
    MPI_Comm_free(&host);
    return STATUS_OK;
}

enum status exchange_mpi_begin(struct exchange **made, struct error *error)
{
    const char *from;
    int provided = MPI_THREAD_SINGLE, started = processes_started(&from);
    *made = NULL;
    if (started < 2)
        return STATUS_OK;
    /* the initial thread makes all calls of MPI */
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS)
        return error_set(error, STATUS_RANK, "MPI does not start");
    if (provided < MPI_THREAD_FUNNELED)
        return error_set(error, STATUS_UNAVAILABLE, "this MPI allows no threads");
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    enum status status = check_ranks(started, from, error);
    if (!status && cgs_mpi_create(MPI_COMM_WORLD, &table) != MPI_SUCCESS)
        status = error_set(error, STATUS_RANK, "MPI has no memory, or does not connect the ranks");
    if (!status)
        status = api_exchange_create(&table, &own, error);
    if (status)
        return status;
    operations = *own->operations;
    operations.abandon = abandon;
    own->operations = &operations;
    *made = own;
    return find_place_on_host(&own->on_host, error);
}

void exchange_mpi_end(void)
{
    int begun = 0;
    MPI_Initialized(&begun);
    if (!begun)
        return;
    api_exchange_destroy(own);
    cgs_mpi_destroy(&table);
    MPI_Finalize();
}

#else

enum status exchange_mpi_begin(struct exchange **made, struct error *error)
{
    const char *from;
    *made = NULL;
    if (processes_started(&from) < 2)
        return STATUS_OK;
    return error_set(error, STATUS_UNAVAILABLE,
                     "several processes were started (%s), but this build has no MPI: all would do "
                     "the same (make MPI=1)",
                     from);
}

void exchange_mpi_end(void)
{
}

#endif
