#include "study/trials_found.h"

const int trial_threads[TRIAL_TEAMS] = {1, 2, 3, 7};

enum status trial_spaces_create(enum space_kind kind, struct trial_spaces *spaces,
                                struct error *error)
{
    enum status status = STATUS_OK;
    *spaces = (struct trial_spaces){0};
    for (int k = 0; k < (kind == SPACE_CPU ? TRIAL_TEAMS : 1) && !status; k++) {
        struct space_options options = {.threads = trial_threads[k]};
        status = space_create(kind, &options, &spaces->with[k], error);
        spaces->teams += !status;
    }
    return status;
}

void trial_spaces_destroy(struct trial_spaces *spaces)
{
    for (int k = 0; k < spaces->teams; k++)
        spaces->with[k]->operations->destroy(spaces->with[k]);
    *spaces = (struct trial_spaces){0};
}
