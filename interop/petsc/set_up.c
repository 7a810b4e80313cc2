#include "set_up.h"

#include <petsc/private/petscimpl.h>

#include <stdio.h>
#include <string.h>

PetscErrorCode set_up_code(enum cgs_status status)
{
    return status == CGS_BAD_OPTION    ? PETSC_ERR_USER_INPUT
           : status == CGS_BAD_INPUT   ? PETSC_ERR_ARG_WRONG
           : status == CGS_NO_MEMORY   ? PETSC_ERR_MEM
           : status == CGS_UNAVAILABLE ? PETSC_ERR_SUP
                                       : PETSC_ERR_LIB;
}

/* --- options ---------------------------------------------------------------------------------- */

static PetscErrorCode add(struct option_list *list, const char *name, const char *value)
{
    PetscFunctionBegin;
    PetscCheck(list->count < SET_UP_OPTIONS, PETSC_COMM_SELF, PETSC_ERR_USER_INPUT,
               "more than %d options for cgsolve", SET_UP_OPTIONS);
    PetscCall(PetscStrallocpy(name, &list->texts[2 * list->count]));
    PetscCall(PetscStrallocpy(value, &list->texts[2 * list->count + 1]));
    list->count++;
    PetscFunctionReturn(0);
}

static PetscErrorCode clear(struct option_list *list)
{
    PetscFunctionBegin;
    for (int k = 0; k < 2 * list->count; k++)
        PetscCall(PetscFree(list->texts[k])); /* which becomes NULL */
    list->count = 0;
    PetscFunctionReturn(0);
}

PetscErrorCode set_up_defaults(struct set_up *own, bool of_pc)
{
    PetscFunctionBegin;
    PetscCall(clear(&own->of_operator));
    PetscCall(clear(&own->of_solver));
    if (of_pc)
        PetscCall(add(&own->of_solver, "preconditioner", "multigrid"));
    PetscFunctionReturn(0);
}

const char *set_up_option(const struct option_list *list, const char *name)
{
    const char *value = NULL;
    for (int k = 0; k < list->count; k++)
        if (strcmp(list->texts[2 * k], name) == 0)
            value = list->texts[2 * k + 1];
    return value;
}

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

static bool is_pc(const char *head)
{
    return begins(head, "pc_");
}

/* The library's name of an option; whether it is one of the operator. */
static bool library_name(bool of_pc, const char *given, char *name, size_t size)
{
    bool of_operator = strcmp(given, "reductions") == 0 || strcmp(given, "kernel") == 0;
    if (begins(given, "kernel_")) {
        snprintf(name, size, "kernel.%s", given + strlen("kernel_"));
        return true;
    }
    if (of_pc && strcmp(given, "type") == 0)
        snprintf(name, size, "preconditioner");
    else if (of_pc && !of_operator)
        snprintf(name, size, "preconditioner.%s", given);
    else if (begins(given, "preconditioner_"))
        snprintf(name, size, "preconditioner.%s", given + strlen("preconditioner_"));
    else
        snprintf(name, size, "%s", given);
    return of_operator;
}

static bool is_of_petsc(const char *name)
{
    return strcmp(name, "tolerance") == 0 || strcmp(name, "absolute_tolerance") == 0 ||
           strcmp(name, "max_iterations") == 0;
}

/* One option of the database, if its name in the library has a dot, or if it has none. */
static PetscErrorCode take(struct set_up *own, PetscObject object, const char *head,
                           const char *given, bool dotted)
{
    char key[128], name[128], value[128];
    bool of_operator = library_name(is_pc(head), given, name, sizeof name);
    PetscBool is_set;
    PetscFunctionBegin;
    if (strcmp(given, "threads") == 0 || strcmp(given, "asymmetry") == 0 ||
        (strchr(name, '.') != NULL) != dotted)
        PetscFunctionReturn(0);
    PetscCheck(!is_of_petsc(name), PETSC_COMM_SELF, PETSC_ERR_USER_INPUT,
               "-%s%s: it is -ksp_rtol, -ksp_atol or -ksp_max_it that says so", head, given);
    snprintf(key, sizeof key, "-%s%s", head, given);
    PetscCall(
        PetscOptionsGetString(object->options, object->prefix, key, value, sizeof value, &is_set));
    if (is_set)
        PetscCall(add(of_operator ? &own->of_operator : &own->of_solver, name, value));
    PetscFunctionReturn(0);
}

/* An option with a dot follows the option that it belongs to. */
static PetscErrorCode take_all(struct set_up *own, PetscObject object, const char *head, int count,
                               char **words)
{
    char before[128];
    PetscFunctionBegin;
    snprintf(before, sizeof before, "-%s%s", object->prefix ? object->prefix : "", head);
    for (int dotted = 0; dotted < 2; dotted++)
        for (int k = 0; k < count; k++)
            if (begins(words[k], before))
                PetscCall(take(own, object, head, words[k] + strlen(before), dotted));
    PetscFunctionReturn(0);
}

PetscErrorCode set_up_options(struct set_up *own, PetscObject object, const char *head)
{
    char *all, **words;
    int count;
    PetscFunctionBegin;
    set_up_reset(own);
    PetscCall(set_up_defaults(own, is_pc(head)));
    PetscCall(PetscOptionsGetAll(object->options, &all));
    PetscCall(PetscStrToArray(all, ' ', &count, &words));
    PetscCall(take_all(own, object, head, count, words));
    PetscCall(PetscStrToArrayDestroy(count, words));
    PetscCall(PetscFree(all));
    PetscFunctionReturn(0);
}

/* --- the matrix ------------------------------------------------------------------------------- */

/* The rows of this rank; arrays of PETSc's, or copies. */
struct rows {
    PetscInt n, first, own;
    PetscBool half;       /* the upper triangle alone */
    PetscBool of_a_block; /* a SeqAIJ, which shows its rows */
    const PetscInt *offsets, *columns;
    const PetscScalar *values;
    PetscInt *own_offsets, *own_columns;
    PetscScalar *own_values;
};

static struct cgs_array integers(const PetscInt *v, int64_t n)
{
    struct cgs_array array = {.data = (void *)v, .rows = n};
    array.type = sizeof *v == sizeof(int64_t) ? CGS_INT64 : CGS_INT32;
    return array;
}

/* Appends row i, of the wanted half, after k entries; rows->own_columns = NULL: only counts. */
static PetscErrorCode read_row(Mat A, PetscInt i, struct rows *rows, PetscInt *k)
{
    PetscInt count;
    const PetscInt *columns;
    const PetscScalar *values;
    PetscFunctionBegin;
    PetscCall(MatGetRow(A, i, &count, &columns, &values));
    for (PetscInt l = 0; l < count; l++) {
        if (rows->half && columns[l] < i) /* of a block on the diagonal */
            continue;
        if (rows->own_columns) {
            rows->own_columns[*k] = columns[l];
            rows->own_values[*k] = values[l];
        }
        ++*k;
    }
    PetscCall(MatRestoreRow(A, i, &count, &columns, &values));
    PetscFunctionReturn(0);
}

/* SBAIJ has blocks, and only the triangle; over several ranks a row has two parts. */
static PetscErrorCode copy_rows(Mat A, struct rows *rows)
{
    PetscInt nnz = 0, k = 0;
    PetscFunctionBegin;
    if (rows->half)
        PetscCall(MatGetRowUpperTriangular(A));
    for (PetscInt i = 0; i < rows->own; i++)
        PetscCall(read_row(A, rows->first + i, rows, &nnz));
    PetscCall(PetscMalloc3(rows->own + 1, &rows->own_offsets, nnz + 1, &rows->own_columns, nnz + 1,
                           &rows->own_values));
    for (PetscInt i = 0; i < rows->own; i++) {
        rows->own_offsets[i] = k;
        PetscCall(read_row(A, rows->first + i, rows, &k));
    }
    rows->own_offsets[rows->own] = k;
    if (rows->half)
        PetscCall(MatRestoreRowUpperTriangular(A));
    rows->offsets = rows->own_offsets;
    rows->columns = rows->own_columns;
    rows->values = rows->own_values;
    PetscFunctionReturn(0);
}

/* For the rows of both triangles. */
static PetscErrorCode borrow_rows(Mat A, struct rows *rows)
{
    PetscBool done;
    PetscFunctionBegin;
    PetscCall(MatGetRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &rows->own, &rows->offsets,
                          &rows->columns, &done));
    PetscCheck(done, PETSC_COMM_SELF, PETSC_ERR_SUP, "the Mat does not show its rows");
    PetscCall(MatSeqAIJGetArrayRead(A, &rows->values));
    PetscFunctionReturn(0);
}

static PetscErrorCode give_back(Mat A, struct rows *rows)
{
    PetscBool done;
    PetscFunctionBegin;
    if (rows->own_offsets) {
        PetscCall(PetscFree3(rows->own_offsets, rows->own_columns, rows->own_values));
        PetscFunctionReturn(0);
    }
    PetscCall(MatSeqAIJRestoreArrayRead(A, &rows->values));
    PetscCall(MatRestoreRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &rows->own, &rows->offsets,
                              &rows->columns, &done));
    PetscFunctionReturn(0);
}

static PetscErrorCode find_type(Mat A, struct rows *rows)
{
    PetscBool is_mpiaij, is_seqsbaij, is_mpisbaij;
    PetscFunctionBegin;
    PetscCall(PetscObjectBaseTypeCompare((PetscObject)A, MATSEQAIJ, &rows->of_a_block));
    PetscCall(PetscObjectBaseTypeCompare((PetscObject)A, MATMPIAIJ, &is_mpiaij));
    PetscCall(PetscObjectTypeCompare((PetscObject)A, MATSEQSBAIJ, &is_seqsbaij));
    PetscCall(PetscObjectTypeCompare((PetscObject)A, MATMPISBAIJ, &is_mpisbaij));
    PetscCheck(rows->of_a_block || is_mpiaij || is_seqsbaij || is_mpisbaij,
               PetscObjectComm((PetscObject)A), PETSC_ERR_SUP,
               "cgsolve reads a Mat of type %s, %s, %s or %s, and this one is %s", MATSEQAIJ,
               MATSEQSBAIJ, MATMPIAIJ, MATMPISBAIJ, ((PetscObject)A)->type_name);
    rows->half = (PetscBool)(is_seqsbaij || is_mpisbaij);
    PetscFunctionReturn(0);
}

static PetscErrorCode read_matrix(Mat A, struct rows *rows)
{
    PetscInt columns, last;
    PetscFunctionBegin;
    PetscCall(find_type(A, rows));
    PetscCall(MatGetSize(A, &rows->n, &columns));
    PetscCheck(rows->n == columns, PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_SIZ,
               "cgsolve solves with a square Mat, and this one is %" PetscInt_FMT
               " x %" PetscInt_FMT,
               rows->n, columns);
    PetscCall(MatGetOwnershipRange(A, &rows->first, &last));
    rows->own = last - rows->first;
    if (rows->of_a_block)
        PetscCall(borrow_rows(A, rows));
    else
        PetscCall(copy_rows(A, rows));
    PetscFunctionReturn(0);
}

/* --- what it nearly sends to 0 ---------------------------------------------------------------- */

/* Of MatSetNearNullSpace. */
struct near_null {
    PetscObjectId id; /* 0: there is none */
    PetscInt rows, count, block;
    PetscScalar *values; /* column after column; the caller frees them */
};

/* The implicit constant vector of the space comes first. */
static PetscErrorCode copy_vectors(MatNullSpace space, struct near_null *near_null)
{
    PetscBool constant;
    PetscInt given, at = 0;
    const Vec *vectors;
    PetscFunctionBegin;
    PetscCall(MatNullSpaceGetVecs(space, &constant, &given, &vectors));
    near_null->count = given + (constant ? 1 : 0);
    PetscCall(PetscMalloc1(near_null->rows * near_null->count + 1, &near_null->values));
    for (; constant && at < near_null->rows; at++)
        near_null->values[at] = 1;
    for (PetscInt k = 0; k < given; k++, at += near_null->rows) {
        const PetscScalar *from;
        PetscCall(VecGetArrayRead(vectors[k], &from));
        PetscCall(PetscArraycpy(near_null->values + at, from, near_null->rows));
        PetscCall(VecRestoreArrayRead(vectors[k], &from));
    }
    PetscFunctionReturn(0);
}

static PetscErrorCode find_near_null(Mat A, MatNullSpace *space, PetscObjectId *id)
{
    PetscFunctionBegin;
    *id = 0;
    PetscCall(MatGetNearNullSpace(A, space));
    if (*space)
        PetscCall(PetscObjectGetId((PetscObject)*space, id));
    PetscFunctionReturn(0);
}

static PetscErrorCode read_near_null(Mat A, struct near_null *near_null)
{
    MatNullSpace space;
    PetscFunctionBegin;
    *near_null = (struct near_null){0};
    PetscCall(find_near_null(A, &space, &near_null->id));
    PetscCall(MatGetLocalSize(A, &near_null->rows, NULL));
    PetscCall(MatGetBlockSize(A, &near_null->block));
    if (space)
        PetscCall(copy_vectors(space, near_null));
    PetscFunctionReturn(0);
}

/* Unless the matrix has it already. */
static enum cgs_status give_near_null(struct set_up *own, const struct near_null *near_null,
                                      struct cgs_error *error)
{
    if (near_null->id == own->near_null)
        return CGS_OK;
    struct cgs_array array =
        cgs_vector(near_null->count > 0 ? near_null->values : NULL, near_null->rows);
    array.columns = near_null->count;
    enum cgs_status status =
        cgs_matrix_near_null(own->A, array, near_null->block > 1 ? near_null->block : 0, error);
    if (!status)
        own->near_null = near_null->id;
    return status;
}

/* --- handles ---------------------------------------------------------------------------------- */

void set_up_reset(struct set_up *own)
{
    cgs_solver_destroy(own->solver);
    cgs_operator_destroy(own->spmv);
    cgs_matrix_destroy(own->A);
    cgs_context_destroy(own->context);
    cgs_mpi_destroy(&own->exchange);
    own->solver = NULL;
    own->spmv = NULL;
    own->A = NULL;
    own->context = NULL;
    own->near_null = 0;
}

/* Several ranks have one thread each by default. */
static enum cgs_status create_context(struct set_up *own, MPI_Comm comm, struct cgs_error *error)
{
    if (cgs_mpi_create(comm, &own->exchange) != MPI_SUCCESS) {
        snprintf(error->text, sizeof error->text, "MPI does not connect the ranks, or no memory");
        return CGS_RANK;
    }
    bool several = own->exchange.count > 1;
    struct cgs_context_options options = {.size = sizeof options,
                                          .threads = (int)own->threads,
                                          .exchange = several ? &own->exchange : NULL};
    if (several && options.threads == 0)
        options.threads = 1;
    return cgs_context_create(&options, &own->context, error);
}

static enum cgs_status create(struct set_up *own, MPI_Comm comm, const struct cgs_matrix_data *data,
                              const struct near_null *near_null, struct cgs_error *error)
{
    set_up_reset(own);
    enum cgs_status status = create_context(own, comm, error);
    if (!status)
        status = cgs_matrix_create(own->context, data, &own->A, error);
    if (!status)
        status = give_near_null(own, near_null, error);
    if (!status)
        status = cgs_operator_create(own->A, (const char *const *)own->of_operator.texts,
                                     &own->spmv, error);
    if (!status)
        status = cgs_solver_create(own->spmv, (const char *const *)own->of_solver.texts,
                                   &own->solver, error);
    if (status)
        set_up_reset(own);
    return status;
}

/* Updates values on the same pattern; another pattern, or a refused update, makes new handles. */
static enum cgs_status follow(struct set_up *own, MPI_Comm comm, const struct cgs_matrix_data *data,
                              const struct near_null *near_null, bool *made,
                              struct cgs_error *error)
{
    *made = !own->solver || cgs_matrix_update(own->A, data, error) != CGS_OK;
    return *made ? create(own, comm, data, near_null, error)
                 : give_near_null(own, near_null, error);
}

PetscErrorCode set_up_refresh(struct set_up *own, Mat A, bool *made)
{
    PetscObjectId id, near_null_id;
    PetscObjectState state;
    MatNullSpace space;
    struct near_null near_null;
    struct rows rows = {0};
    struct cgs_error error;
    PetscFunctionBegin;
    *made = false;
    PetscCall(PetscObjectGetId((PetscObject)A, &id));
    PetscCall(PetscObjectStateGet((PetscObject)A, &state));
    PetscCall(find_near_null(A, &space, &near_null_id));
    if (own->solver && own->id == id && own->state == state && own->near_null == near_null_id)
        PetscFunctionReturn(0);
    PetscCall(read_near_null(A, &near_null));
    PetscCall(read_matrix(A, &rows));
    struct cgs_matrix_data data = {.size = sizeof data,
                                   .n = rows.n,
                                   .offsets = integers(rows.offsets, rows.own + 1),
                                   .columns = integers(rows.columns, rows.offsets[rows.own]),
                                   .values = cgs_vector(rows.values, rows.offsets[rows.own]),
                                   .part = rows.half ? CGS_UPPER : CGS_FULL,
                                   .asymmetry = rows.half ? 0 : own->asymmetry,
                                   .first_row = rows.first,
                                   .own_rows = rows.own};
    enum cgs_status status =
        follow(own, PetscObjectComm((PetscObject)A), &data, &near_null, made, &error);
    PetscCall(give_back(A, &rows));
    PetscCall(PetscFree(near_null.values));
    CHECK(status, error);
    own->id = id;
    own->state = state;
    PetscFunctionReturn(0);
}

PetscErrorCode set_up_free(struct set_up *own)
{
    PetscFunctionBegin;
    set_up_reset(own);
    PetscCall(set_up_defaults(own, false));
    PetscFunctionReturn(0);
}

static PetscErrorCode view_list(const struct option_list *list, PetscViewer viewer)
{
    PetscFunctionBegin;
    for (int k = 0; k < list->count; k++)
        PetscCall(PetscViewerASCIIPrintf(viewer, "  %s = %s\n", list->texts[2 * k],
                                         list->texts[2 * k + 1]));
    PetscFunctionReturn(0);
}

PetscErrorCode set_up_view(const struct set_up *own, enum cgs_reason reason, PetscViewer viewer)
{
    static const char *const promises[] = {"none", "usually equal", "equal on every run",
                                           "equal on every run and number of threads"};
    PetscBool is_text;
    PetscFunctionBegin;
    PetscCall(PetscObjectTypeCompare((PetscObject)viewer, PETSCVIEWERASCII, &is_text));
    if (!is_text)
        PetscFunctionReturn(0);
    PetscCall(PetscViewerASCIIPrintf(viewer, "  cgsolve %s\n", cgs_version()));
    PetscCall(view_list(&own->of_operator, viewer));
    PetscCall(view_list(&own->of_solver, viewer));
    if (own->spmv)
        PetscCall(PetscViewerASCIIPrintf(viewer, "  bits of its products: %s\n",
                                         promises[cgs_operator_guarantee(own->spmv)]));
    if (reason != CGS_NOT_SOLVED)
        PetscCall(
            PetscViewerASCIIPrintf(viewer, "  the last solve: %s\n", cgs_reason_name(reason)));
    PetscFunctionReturn(0);
}
