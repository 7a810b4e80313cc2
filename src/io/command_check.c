#include "io/command_check.h"

#include "io/history_check.h"
#include "io/junit.h"

enum status command_check(const struct check_options *options, bool *same, struct error *error)
{
    struct history_check check;
    enum status status =
        history_check_begin(options->history, options->reference, &options->rule, &check, error);
    if (status)
        return status;
    status = history_check_compare(&check, options->history, error);
    if (!status)
        history_check_print(stdout, &check, options->quiet);
    if (!status && options->junit)
        status = junit_write(options->junit, &check, 1, error);
    *same = !status && history_check_failures(&check) == 0;
    history_check_free(&check);
    return status;
}
