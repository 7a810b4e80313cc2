/* A study in a rank that neither prints nor writes: it solves what rank 0 solves, beside it. */
#ifndef PROGRAM_COMMAND_WORKER_RANK_H
#define PROGRAM_COMMAND_WORKER_RANK_H

#include "base/observer.h"
#include "program/config/settings.h"
#include "program/config/system.h"

/* STATUS_INTERRUPTED when a signal has come to any rank; all of them ask with each row and behind
 * each run, and before each kernel but the first. Errors: STATUS_RANK. */
enum status until_interrupted(struct error *error);

/* `like`: what rank 0 wants to see. Errors: those of run_kernel. */
enum status worker_rank(const struct solver_settings *solver, const struct study_settings *study,
                        const struct linear_system *system, const struct observer *like,
                        struct error *error);

#endif
