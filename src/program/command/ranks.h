/* The ranks that this program runs as: one, or those that mpirun has started. All of them read the
 * same config and solve together; rank 0 prints and writes. */
#ifndef PROGRAM_COMMAND_RANKS_H
#define PROGRAM_COMMAND_RANKS_H

#include "base/exchange.h"
#include "program/config/settings.h"
#include "program/config/system.h"
#include "spmv/kernel.h"

#include <stdbool.h>
#include <stdint.h>

/* exit_status_of: with which the program ends for an error. */
enum status program_ranks_begin(int exit_status_of(enum status), struct error *error);

/* End the program with that exit status. A rank that fails alone prints its error, and aborts the
 * others. */
int program_ranks_end(enum status status, int exit_status, const struct error *error);

/* Say what is wrong, and end the program at once, whatever its threads do: none of them is waited
 * for, and nothing is freed. */
_Noreturn void program_ranks_leave(enum status status, const struct error *error);

/* NULL: this process alone. */
struct exchange *program_exchange(void);

/* The CUDA device of this process, where a kernel of the settings wants one: of a rank, the next
 * one of its host, or the only one that it sees, where who started it has chosen. */
int program_device(const struct study_settings *study);

/* Whether this rank prints and writes. */
bool program_is_first(void);

/* Why ranks do not solve by this kernel; NULL where they do, or one solves alone. Static. */
const char *program_ranks_refuse(const struct study_settings *study, const struct kernel *kernel);

/* Make ready for what the settings ask for, before CUDA is asked for its devices. Errors:
 * STATUS_CONFIG where mpirun and the settings both want several ranks. */
enum status program_ranks_prepare(const struct study_settings *study, struct error *error);

/* What all ranks have come to: the status of the first that failed, with its name in the sentence.
 * `what` they have to have in common is given as a hash; where it differs that is an error. All
 * ranks call it. Errors: STATUS_CONFIG, STATUS_RANK, and those of the ranks. */
enum status program_ranks_agree(enum status status, const char *what, uint64_t hash,
                                struct error *error);

/* The same of the program and the settings (settings_hash) that it was asked for. */
enum status program_ranks_agree_on_settings(enum status status, uint64_t settings,
                                            struct error *error);

/* The system that they name, of which all ranks have the same, or each has what it needs. The
 * caller calls system_free. Errors: those of system_load and system_survey. */
enum status program_load_system(const struct problem_settings *problem,
                                const struct solver_settings *solver,
                                const struct study_settings *study, struct linear_system *system,
                                struct error *error);

/* *interrupted = whether a signal has come to a rank; all ranks call it. Errors: STATUS_RANK. */
enum status program_ranks_interrupted(bool *interrupted, struct error *error);

/* Begin with MPI if this process is one of several that mpirun, or Slurm's srun, has started. *made
 * is NULL where it is not. The caller calls exchange_mpi_end. Errors: STATUS_UNAVAILABLE in a build
 * without MPI, and where it was started for another MPI; STATUS_MEMORY, STATUS_RANK. */
enum status exchange_mpi_begin(struct exchange **made, struct error *error);

/* When all ranks come here. */
void exchange_mpi_end(void);

#endif
