/* The only file that the Makefile tells of the build, so that another commit compiles little. */
#include "base/cuda_part.h"
#include "base/machine.h"
#include "program/command/command_help.h"
#include "space/cpu/cpu_blas.h"

#include <stdio.h>

const char command_version_commit[] = CGSOLVE_COMMIT;

static enum status print_version(int argc, char *argv[], bool *good, struct error *error)
{
    struct machine machine;
    struct blas blas;
    (void)argc, (void)argv, (void)good, (void)error;
    machine_describe(&machine);
    const struct cuda_part *cuda = cuda_part();
    bool with_blas = blas_open(blas_names, &blas, NULL) == STATUS_OK;
    printf("cgsolve %s\ncommit: %s\ncompiler: %s\nCUDA: %s%s\nMPI: %s\nMETIS: %s\nBLAS: %s\n",
           CGSOLVE_VERSION, *machine.commit ? machine.commit : "unknown", machine.compiler,
           cuda ? "" : "none: ", cuda ? cuda->built : cuda_part_missing(), CGSOLVE_MPI_BUILD,
           CGSOLVE_METIS_BUILD, with_blas ? blas.name : "none");
    return STATUS_OK;
}

const struct command command_version = {
    .name = "version",
    .usage = {{"version", "the same as --version"}},
    .about = "Show the version, and of the build the commit (\"+\": its files were changed), the "
             "compiler, CUDA's version and architectures; and the BLAS library of this machine.",
    .options = command_help_alone,
    .good = "it is shown",
    .takes_ranks = true,
    .run = print_version,
};
