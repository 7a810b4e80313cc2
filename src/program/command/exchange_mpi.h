/* Ranks that are processes, by MPI: mpirun -n 4 cgsolve config.cfg. MPI moves bytes alone; it adds
 * nothing. */
#ifndef PROGRAM_COMMAND_EXCHANGE_MPI_H
#define PROGRAM_COMMAND_EXCHANGE_MPI_H

#include "base/exchange.h"

/* Begin with MPI if this process is one of several that mpirun, or Slurm's srun, has started. *made
 * is NULL where it is not. The caller calls exchange_mpi_end. Errors: STATUS_UNAVAILABLE in a build
 * without MPI, and where it was started for another MPI; STATUS_MEMORY, STATUS_RANK. */
enum status exchange_mpi_begin(struct exchange **made, struct error *error);

/* When all ranks come here. */
void exchange_mpi_end(void);

#endif
