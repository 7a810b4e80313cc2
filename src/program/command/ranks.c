#include "program/command/ranks.h"

#include "base/agreement.h"
#include "base/hash.h"
#include "base/machine.h"
#include "base/memory.h"
#include "io/same_file.h"
#include "io/unpack.h"
#include "matrix/implicit_rows.h"
#include "program/command/interruption.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static struct exchange *exchange; /* NULL: alone */
static bool met;                  /* this rank has exchanged its status */
static bool agreed;               /* all ranks know the final error */
static bool files_agree;          /* all ranks have the same faulty file */

/* The first common data of all ranks. */
static const char *const asked_for = "config and version";

static int (*exit_status)(enum status);

enum status program_ranks_begin(int exit_status_of(enum status), struct error *error)
{
    exit_status = exit_status_of;
    enum status status = exchange_mpi_begin(&exchange, error);
    if (!status && !program_is_first() && !freopen("/dev/null", "w", stdout))
        status = error_set(error, STATUS_OUTPUT, "cannot open /dev/null");
    return status;
}

struct exchange *program_exchange(void)
{
    return exchange;
}

int program_device(const struct study_settings *study)
{
    if (!exchange)
        return (int)study->devices[0];
    int devices = settings_use_cuda(study) ? space_devices() : 0;
    return devices > 0 ? exchange->on_host % devices : 0;
}

bool program_is_first(void)
{
    return !exchange || exchange->rank == 0;
}

/* Most likely rank 0 has the same error, and ends all ranks. */
static void let_first_speak(void)
{
    const struct timespec half = {.tv_nsec = 500000000};
    nanosleep(&half, NULL);
}

int program_ranks_end(enum status status, int exits_with, const struct error *error)
{
    struct error differs;
    if (!status && exchange && !met) { /* it has printed its version, and others may wait for it */
        status = program_ranks_agree(STATUS_OK, asked_for, 0, &differs);
        exits_with = status ? exit_status(status) : exits_with;
        error = &differs;
    }
    bool of_it_alone = status && exchange && !agreed;
    if (of_it_alone && !program_is_first()) {
        let_first_speak();
        fprintf(stderr, "cgsolve: rank %d of %d: %s\n", exchange->rank, exchange->count,
                error->text);
    } else if (status && program_is_first()) {
        fprintf(stderr, "cgsolve: %s\n", error->text);
    }
    fflush(NULL);
    if (of_it_alone)
        exchange->operations->abandon(exchange, exits_with, error->text);
    exchange_mpi_end();
    return exits_with;
}

_Noreturn void program_ranks_leave(enum status status, const struct error *error)
{
    _exit(program_ranks_end(status, exit_status(status), error));
}

const char *program_ranks_refuse(const struct study_settings *study, const struct kernel *kernel)
{
    bool alone = !exchange && settings_devices(study, kernel) == 1;
    return !alone && kernel->sums_by_matrix
               ? "how it sums a row follows from the whole matrix, and a rank has not all"
               : NULL;
}

enum status program_ranks_prepare(const struct study_settings *study, struct error *error)
{
    if (exchange && (study->devices[0] != 0 || study->devices[1] >= 0))
        return error_set(error, STATUS_CONFIG,
                         "devices: each process of mpirun takes a device by itself. Leave the key "
                         "out, or solve in one process");
    /* CUDA loads a kernel at its first call, and may then wait for kernels of other devices, which
     * may wait for this one. */
    if (settings_devices_most(study) > 1)
        setenv("CUDA_MODULE_LOADING", "EAGER", 1);
    return STATUS_OK;
}

enum status program_ranks_agree(enum status status, const char *what, uint64_t hash,
                                struct error *error)
{
    if (!exchange)
        return status;
    const struct agreement on = {what, hash, files_agree};
    bool told;
    met = true;
    status = exchange_agree(exchange, status, &on, &told, error);
    agreed = agreed || (told && status);
    return status;
}

/* Includes the unpacking libraries, because they affect how ranks share a file. */
static uint64_t hash_of_program(void)
{
    struct machine machine;
    machine_describe(&machine);
    uint64_t hash = hash_text(hash_text(HASH_START, CGSOLVE_VERSION " "), machine.commit);
    for (int k = 0; unpack_forms[k]; k++) {
        hash = hash_text(hash_word(hash, 0), unpack_forms[k]->name);
        hash = hash_text(hash_word(hash, 0), unpack_forms[k]->version());
    }
    return hash;
}

enum status program_ranks_agree_on_settings(enum status status, uint64_t settings,
                                            struct error *error)
{
    uint64_t hash = status || !exchange ? 0 : hash_word(hash_of_program(), settings);
    return program_ranks_agree(status, asked_for, hash, error);
}

/* Another version of METIS on another host has another numbering. */
static uint64_t hash_of_system(const struct linear_system *system)
{
    uint64_t hash = hash_word(HASH_START, system->matrix_hash);
    hash = hash_word(hash_word(hash, system->rhs_hash), system->start_hash);
    for (int64_t i = 0; system->number && i < system->A.n; i++)
        hash = hash_word(hash, (uint64_t)system->number[i]);
    return hash;
}

/* Facts that decide the steps of ranks. */
static uint64_t hash_of_shape(const struct linear_system *system)
{
    const struct csr *A = &system->A;
    const uint64_t shape[] = {A->kind, (uint64_t)A->n, (uint64_t)A->width,
                              (uint64_t)system->columns, A->maker != NULL};
    return hash_words(HASH_START, shape, sizeof shape / sizeof *shape);
}

/* Compares the program and the input of the system. *meets: all ranks know the outcome. */
static enum status compare_files(const struct problem_settings *problem,
                                 const struct solver_settings *solver, bool *meets,
                                 struct error *error)
{
    if (!exchange)
        return STATUS_OK;
    enum status status = same_file_check(exchange, "/proc/self/exe", "the program", meets, error);
    if (!status)
        status = system_compare_files(problem, solver, exchange, meets, error);
    if (*meets)
        status = program_ranks_agree(status, "files", 0, error);
    files_agree = !status;
    return status;
}

enum status program_load_system(const struct problem_settings *problem,
                                const struct solver_settings *solver,
                                const struct study_settings *study, struct linear_system *system,
                                struct error *error)
{
    bool meets = true; /* the others, in the next agreement */
    uint64_t files = exchange ? system_files_identity(problem, solver) : 0;
    files_agree = false;
    enum status status = system_begin(problem, solver, study, exchange, system, error);
    bool loaded = !status;
    status = program_ranks_agree(status, "system", loaded ? hash_of_shape(system) : 0, error);
    if (!status)
        status = compare_files(problem, solver, &meets, error);
    if (!status) {
        status = system_make(problem, solver, study, exchange, system, error);
        loaded = !status;
        if (!status && exchange && system_files_identity(problem, solver) != files)
            status = error_set(error, STATUS_INPUT, "a file changed while it was read");
        status = program_ranks_agree(status, "system", loaded ? hash_of_shape(system) : 0, error);
    }
    meets = meets && !status;
    if (!status)
        status = system_survey(study, program_device(study), system, &meets, error);
    if (meets)
        status = program_ranks_agree(status, "matrix, vectors or numbering",
                                     status || !exchange ? 0 : hash_of_system(system), error);
    if (status && loaded)
        system_free(system);
    return status;
}

enum status program_ranks_interrupted(bool *interrupted, struct error *error)
{
    int came = interruption_came();
    *interrupted = came != 0;
    if (!exchange)
        return STATUS_OK;
    int *all = memory_array(exchange->count, sizeof *all, "the ranks", error);
    enum status status =
        all ? exchange_gather_each(exchange, &came, sizeof came, all, error) : STATUS_MEMORY;
    for (int r = 0; r < exchange->count && !status; r++)
        came = all[r] > came ? all[r] : came;
    *interrupted = came != 0;
    if (*interrupted)
        interruption_take(came);
    memory_free(all);
    return status;
}
