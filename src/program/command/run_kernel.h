/* The runs of one kernel of a study. */
#ifndef PROGRAM_COMMAND_RUN_KERNEL_H
#define PROGRAM_COMMAND_RUN_KERNEL_H

#include "base/status.h"
#include "program/config/settings.h"
#include "program/config/system.h"
#include "study/study.h"

/* In a new space, or in one for each device of the settings: results[system->columns]. The caller
 * calls study_kernel_free for each. Errors: as space_create, study_kernel_run; those of ranks: as
 * rank_threads_run. */
enum status run_kernel(const struct solver_settings *solver, const struct study_settings *study,
                       const struct kernel_settings *kernel, const struct linear_system *system,
                       const struct observer *observer, struct study_kernel *results,
                       struct error *error);

/* The same by `count` ranks, at least 2, as threads of this program, with devices[count]. They
 * share the system, and the threads of the CPU. The thread of rank 0 calls the observer, and all
 * ranks obey its STATUS_INTERRUPTED. */
enum status run_kernel_by_ranks(const struct solver_settings *solver,
                                const struct study_settings *study,
                                const struct kernel_settings *kernel,
                                const struct linear_system *system, int count,
                                const int64_t *devices, const struct observer *observer,
                                struct study_kernel *results, struct error *error);

/* STATUS_INTERRUPTED if a signal has come to any rank; all ranks call it with each row, after each
 * run, and before each kernel but the first. Errors: STATUS_RANK. */
enum status until_interrupted(struct error *error);

/* The study of a rank that neither prints nor writes: it takes part in the solves of rank 0.
 * `like`: rank 0's observer. Errors: those of run_kernel. */
enum status worker_rank(const struct solver_settings *solver, const struct study_settings *study,
                        const struct linear_system *system, const struct observer *like,
                        struct error *error);

#endif
