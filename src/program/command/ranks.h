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

/* exit_status_of: the exit status for an error. */
enum status program_ranks_begin(int exit_status_of(enum status), struct error *error);

/* End the program with that exit status. A rank that fails alone prints its error, and aborts the
 * others. */
int program_ranks_end(enum status status, int exit_status, const struct error *error);

/* Print the error and exit at once, without waiting for threads, and without freeing anything. */
_Noreturn void program_ranks_leave(enum status status, const struct error *error);

/* NULL: only this process. */
struct exchange *program_exchange(void);

/* The CUDA device of this process, if a kernel of the settings needs one: for a rank, the next
 * device of its host; or the only visible one, if the launcher has chosen. */
int program_device(const struct study_settings *study);

/* Whether this rank prints and writes. */
bool program_is_first(void);

/* Why ranks cannot use this kernel; NULL: they can, or one rank. Static. */
const char *program_ranks_refuse(const struct study_settings *study, const struct kernel *kernel);

/* Preparations for the settings, before CUDA is initialised. Errors: STATUS_CONFIG if both mpirun
 * and the settings want several ranks. */
enum status program_ranks_prepare(const struct study_settings *study, struct error *error);

/* The joint status of all ranks: that of the first that failed, with its name in the sentence.
 * `hash` of `what` must be equal in all. All ranks call it. Errors: STATUS_CONFIG, STATUS_RANK, and
 * those of the ranks. */
enum status program_ranks_agree(enum status status, const char *what, uint64_t hash,
                                struct error *error);

/* The same for the program and its settings (settings_hash). */
enum status program_ranks_agree_on_settings(enum status status, uint64_t settings,
                                            struct error *error);

/* The system of the settings, replicated or distributed over the ranks. The caller calls
 * system_free. Errors: those of system_load and system_survey. */
enum status program_load_system(const struct problem_settings *problem,
                                const struct solver_settings *solver,
                                const struct study_settings *study, struct linear_system *system,
                                struct error *error);

/* *interrupted = whether a signal has come to a rank; all ranks call it. Errors: STATUS_RANK. */
enum status program_ranks_interrupted(bool *interrupted, struct error *error);

/* Initialise MPI if mpirun, or Slurm's srun, has started several processes. Otherwise *made is
 * NULL. The caller calls exchange_mpi_end. Errors: STATUS_UNAVAILABLE in a build without MPI, or if
 * it was started for another MPI; STATUS_MEMORY, STATUS_RANK. */
enum status exchange_mpi_begin(struct exchange **made, struct error *error);

/* All ranks call it. */
void exchange_mpi_end(void);

#endif
