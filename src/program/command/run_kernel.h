/* The runs of one kernel of a study. */
#ifndef PROGRAM_COMMAND_RUN_KERNEL_H
#define PROGRAM_COMMAND_RUN_KERNEL_H

#include "base/status.h"
#include "program/config/settings.h"
#include "program/config/system.h"
#include "study/study.h"

/* In a space of their own, or in one for each device of the settings: results[system->columns]. The
 * caller calls study_kernel_free for each. Errors: as space_create, study_kernel_run; those of
 * ranks: as rank_threads_run. */
enum status run_kernel(const struct solver_settings *solver, const struct study_settings *study,
                       const struct kernel_settings *kernel, const struct linear_system *system,
                       const struct observer *observer, struct study_kernel *results,
                       struct error *error);

/* The same by `count` ranks, at least 2, which are threads of this program; devices[count]: of
 * each. They share the system, and the threads of the CPU. The observer is called by the thread of
 * rank 0, and what it wishes (STATUS_INTERRUPTED) all do. */
enum status run_kernel_by_ranks(const struct solver_settings *solver,
                                const struct study_settings *study,
                                const struct kernel_settings *kernel,
                                const struct linear_system *system, int count,
                                const int64_t *devices, const struct observer *observer,
                                struct study_kernel *results, struct error *error);

/* STATUS_INTERRUPTED when a signal has come to any rank; all of them ask with each row and behind
 * each run, and before each kernel but the first. Errors: STATUS_RANK. */
enum status until_interrupted(struct error *error);

/* A study in a rank that neither prints nor writes: it solves what rank 0 solves, beside it.
 * `like`: what rank 0 wants to see. Errors: those of run_kernel. */
enum status worker_rank(const struct solver_settings *solver, const struct study_settings *study,
                        const struct linear_system *system, const struct observer *like,
                        struct error *error);

#endif
