/* `cgsolve solve A.mtx` and `cgsolve eigs A.mtx`: one solve without a config. */
#include "program/command/options_solve.h"
#include "program/config/settings.h"

static enum status run(const struct command *command, int argc, char *argv[], bool *good,
                       struct error *error)
{
    struct solve_options options;
    struct settings settings = {0};
    enum status status = solve_options_parse(command, argc, argv, &options, error);
    if (!status)
        status =
            settings_read(NULL, options.overrides.list, options.overrides.count, &settings, error);
    if (!status && options.print_config)
        settings_write(&settings, stdout);
    else if (!status)
        status = run_solve(&settings, &options.request, good, error);
    settings_free(&settings);
    solve_options_free(&options);
    return status;
}

static enum status run_solve_command(int argc, char *argv[], bool *good, struct error *error)
{
    return run(&command_solve, argc, argv, good, error);
}

static enum status run_eigs_command(int argc, char *argv[], bool *good, struct error *error)
{
    return run(&command_eigs, argc, argv, good, error);
}

const struct command command_solve = {
    .name = "solve",
    .usage = {{"solve [options] A.mtx [KEY=VALUE...]", "solve A x = b"}},
    .about = "Solve A x = b once, with A from a Matrix Market file, and show the iterations, the "
             "true residual and the time. Nothing is written but what --solution names. KEY=VALUE "
             "sets any config key (solver.shift=1) but those of a study: repeats, vary, reference, "
             "trace and output; preconditioner.KEY is short for solver.preconditioner.KEY. Ctrl-C "
             "ends the solve "
             "with the x that it has.",
    .options = solve_options_table,
    .good = "the solve converged",
    .not_good = "the solve did not converge",
    .examples = {{"x for NumPy", "solve problems/plate.mtx.gz --solution x.npy"},
                 {"fewer iterations, each of them shown",
                  "solve problems/plate.mtx.gz --preconditioner jacobi --monitor"},
                 {"the config of a study that begins here",
                  "solve problems/plate.mtx.gz --print-config"}},
    .takes_ranks = true,
    .run = run_solve_command,
};

const struct command command_eigs = {
    .name = "eigs",
    .usage = {{"eigs [options] A.mtx [KEY=VALUE...]", "find eigenvalues of A"}},
    .about = "Find eigenvalues of a symmetric A from a Matrix Market file, at the ends of its "
             "spectrum, and show them with their residuals. Nothing is written but what --vectors "
             "names. KEY=VALUE sets any config key (eigen.restart=100) but those of a "
             "study: repeats, vary, reference, trace and output. Ctrl-C ends the search with the "
             "eigenvalues that it has.",
    .options = eigs_options_table,
    .good = "all eigenvalues were found",
    .not_good = "some eigenvalues were not found",
    .examples = {{"the largest eigenvalues, and their vectors for NumPy",
                  "eigs problems/plate.mtx.gz -k 5 --which largest --vectors v.npy"}},
    .takes_ranks = true,
    .run = run_eigs_command,
};
