/* mpirun -n RANKS ranks [SIDE] [PRECONDITIONER]: solves Poisson's equation on a cube of SIDE^3
 * cells by ranks of MPI, each of which makes rows of its own, and prints the residual of every
 * iteration: the same for any number of ranks. */
#include <cgsolve/cgsolve.h>
#include <cgsolve/mpi.h>

#include <stdio.h>
#include <stdlib.h>

/* Some neighbouring rows of A, with both triangles. */
struct rows {
    int64_t n, first, count, entries;
    int64_t *offsets, *columns;
    double *values, *b, *x;
};

static void add(struct rows *rows, int64_t column, double value)
{
    rows->columns[rows->entries] = column;
    rows->values[rows->entries++] = value;
}

static void fill(struct rows *rows, int64_t side)
{
    const int64_t steps[] = {side * side, side, 1};
    rows->offsets[0] = rows->entries = 0;
    for (int64_t i = rows->first; i < rows->first + rows->count; i++) {
        for (int k = 0; k < 3; k++)
            if (i / steps[k] % side > 0)
                add(rows, i - steps[k], -1);
        add(rows, i, 6);
        for (int k = 2; k >= 0; k--)
            if (i / steps[k] % side < side - 1)
                add(rows, i + steps[k], -1);
        rows->offsets[i - rows->first + 1] = rows->entries;
        rows->b[i - rows->first] = (double)(i % 7) - 3;
    }
}

/* The rows that this rank gives: here more with each rank, and rank 0 none. The library divides
 * them evenly. */
static int make_rows(int rank, int ranks, int64_t side, struct rows *rows)
{
    int64_t n = side * side * side, all = (int64_t)ranks * (ranks - 1) / 2;
    int64_t first = ranks == 1 ? 0 : (int64_t)rank * (rank - 1) / 2 * (n / all);
    int64_t last = rank == ranks - 1 ? n : (int64_t)(rank + 1) * rank / 2 * (n / all);
    rows->n = n;
    rows->first = first;
    rows->count = last - first;
    size_t count = (size_t)rows->count + 1; /* of no rows, too */
    rows->offsets = malloc(count * sizeof *rows->offsets);
    rows->columns = malloc(7 * count * sizeof *rows->columns);
    rows->values = malloc(7 * count * sizeof *rows->values);
    rows->b = malloc(count * sizeof *rows->b);
    rows->x = malloc(count * sizeof *rows->x);
    if (!rows->offsets || !rows->columns || !rows->values || !rows->b || !rows->x)
        return 0;
    fill(rows, side);
    return 1;
}

static int solve(const struct cgs_exchange *exchange, struct rows *rows, const char *preconditioner)
{
    struct cgs_error error;
    struct cgs_context *context = NULL;
    struct cgs_matrix *A = NULL;
    struct cgs_operator *kernel = NULL;
    struct cgs_solver *solver = NULL;
    struct cgs_result result = {.size = sizeof result};
    struct cgs_context_options options = {.size = sizeof options, .threads = 1};
    struct cgs_matrix_data data = {.size = sizeof data, .n = rows->n, .part = CGS_FULL};
    const char *const of_solver[] = {"preconditioner", preconditioner, NULL};
    const double *residuals;
    int64_t count;
    options.exchange = exchange;
    data.first_row = rows->first;
    data.own_rows = rows->count;
    data.offsets =
        (struct cgs_array){.data = rows->offsets, .rows = rows->count + 1, .type = CGS_INT64};
    data.columns =
        (struct cgs_array){.data = rows->columns, .rows = rows->entries, .type = CGS_INT64};
    data.values = cgs_vector(rows->values, rows->entries);
    if (cgs_context_create(&options, &context, &error) ||
        cgs_matrix_create(context, &data, &A, &error) ||
        cgs_operator_create(A, NULL, &kernel, &error) ||
        cgs_solver_create(kernel, of_solver, &solver, &error) ||
        cgs_solve(solver, cgs_vector(rows->b, rows->count), cgs_vector(NULL, rows->count),
                  cgs_vector(rows->x, rows->count), &result, &error) ||
        cgs_solver_history(solver, 0, "residual", &residuals, &count, &error)) {
        if (exchange->rank == 0) /* all have the same to say */
            fprintf(stderr, "%s\n", error.text);
        count = 0;
    }
    for (int64_t k = 0; k < count && exchange->rank == 0; k++)
        printf("%.17g\n", residuals[k]);
    cgs_solver_destroy(solver);
    cgs_operator_destroy(kernel);
    cgs_matrix_destroy(A);
    cgs_context_destroy(context);
    return result.reason == CGS_CONVERGED;
}

/* Of all of x, by a sum of integers, which needs no order. */
static void print_hash(const struct rows *rows, const struct cgs_exchange *exchange)
{
    uint64_t hash = 0;
    for (int64_t i = 0; i < rows->count; i++)
        hash += cgs_vector_hash(&rows->x[i], 1) * (uint64_t)(rows->first + i + 1);
    MPI_Allreduce(MPI_IN_PLACE, &hash, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    if (exchange->rank == 0)
        printf("x %016llx\n", (unsigned long long)hash);
}

int main(int argc, char **argv)
{
    struct cgs_exchange exchange;
    struct rows rows = {0};
    int64_t side = argc > 1 ? atoi(argv[1]) : 40;
    MPI_Init(&argc, &argv);
    if (side < 1 || cgs_mpi_create(MPI_COMM_WORLD, &exchange) != MPI_SUCCESS ||
        !make_rows(exchange.rank, exchange.count, side, &rows))
        MPI_Abort(MPI_COMM_WORLD, 2);
    int solved = solve(&exchange, &rows, argc > 2 ? argv[2] : "none");
    if (solved)
        print_hash(&rows, &exchange);
    free(rows.offsets);
    free(rows.columns);
    free(rows.values);
    free(rows.b);
    free(rows.x);
    cgs_mpi_destroy(&exchange);
    MPI_Finalize();
    return !solved;
}
