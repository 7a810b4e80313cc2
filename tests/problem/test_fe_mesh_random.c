/* Random diagonals and random numbering: meshes that fit together, degrees that vary, and the same
 * values in any numbering. Their entries one by one are in test_fe_mesh_dense.c, their eigenvalues
 * in test_fe_mesh_spectrum.c. */
#include "csr_check.h"
#include "made.h"
#include "support.h"

#include "base/hash.h"
#include "base/random.h"
#include "matrix/permute.h"

static const struct fe_mesh sheet = {{60, 50, 0},    1, 1e-3, 1, FE_MESH_RANDOM_DIAGONALS,
                                     FE_MESH_NATURAL};
static const struct fe_mesh cube = {{16, 15, 14},   1, 1e-3, 1, FE_MESH_RANDOM_DIAGONALS,
                                    FE_MESH_NATURAL};

static struct csr create(const struct fe_mesh *mesh)
{
    struct error error;
    struct csr A;
    expect_ok(fe_mesh_create(mesh, &A, &error), &error);
    expect_ok(csr_check(&A, &error), &error);
    ck_assert_int_eq(A.n, problem_fe_cube.rows(mesh));
    return A;
}

static struct csr create_full(const struct fe_mesh *mesh)
{
    struct error error;
    struct csr A = create(mesh), full;
    expect_ok(csr_expand(&A, &full, &error), &error);
    csr_free(&A);
    return full;
}

static bool is_joined(const struct csr *full, int64_t i, int64_t j)
{
    for (int64_t k = full->offsets[i]; k < full->offsets[i + 1]; k++)
        if (full->columns[k] == j)
            return true;
    return false;
}

/* Every face of the grid that has the given axes has one diagonal; how many have the rising one. */
static int64_t check_faces(const struct fe_mesh *mesh, const struct csr *full, int one, int other)
{
    int64_t strides[] = {1, mesh->n[0], mesh->n[0] * mesh->n[1]}, rising = 0;
    int64_t ends[] = {mesh->n[0], mesh->n[1], mesh->n[2] == 0 ? 1 : mesh->n[2]};
    ends[one]--;
    ends[other]--;
    for (int64_t l = 0; l < ends[2]; l++)
        for (int64_t j = 0; j < ends[1]; j++)
            for (int64_t i = 0; i < ends[0]; i++) {
                int64_t a = i + strides[1] * j + strides[2] * l;
                bool up = is_joined(full, a, a + strides[one] + strides[other]);
                bool down = is_joined(full, a + strides[one], a + strides[other]);
                ck_assert_msg(up != down, "face of node %d: %d and %d", (int)a, up, down);
                rising += up;
            }
    return rising;
}

/* The triangles and tetrahedra fit together when neighbouring cells cut their face in the same way,
 * and a cell has one diagonal. */
START_TEST(every_face_and_cell_is_cut_once)
{
    struct csr full = create_full(&sheet);
    int64_t rising = check_faces(&sheet, &full, 0, 1);
    ck_assert(rising > 59 * 49 * 4 / 10 && rising < 59 * 49 * 6 / 10);
    csr_free(&full);

    full = create_full(&cube);
    for (int one = 0; one < 3; one++)
        for (int other = one + 1; other < 3; other++)
            check_faces(&cube, &full, one, other);
    int64_t x = 1, y = cube.n[0], z = cube.n[0] * cube.n[1], counts[4] = {0};
    for (int64_t l = 0; l < cube.n[2] - 1; l++)
        for (int64_t j = 0; j < cube.n[1] - 1; j++)
            for (int64_t i = 0; i < cube.n[0] - 1; i++) {
                int64_t a = i * x + j * y + l * z, sum = 0;
                int64_t ends[4][2] = {
                    {a, a + x + y + z}, {a + x, a + y + z}, {a + y, a + x + z}, {a + z, a + x + y}};
                for (int d = 0; d < 4; d++) {
                    bool there = is_joined(&full, ends[d][0], ends[d][1]);
                    counts[d] += there;
                    sum += there;
                }
                ck_assert_int_eq(sum, 1);
            }
    for (int d = 0; d < 4; d++)
        ck_assert_int_gt(counts[d], 15 * 14 * 13 / 5);
    csr_free(&full);
}
END_TEST

/* Inside the mesh. */
START_TEST(degrees_vary)
{
    const struct fe_mesh *meshes[] = {&sheet, &cube};
    static const int least[] = {4, 6}, most[] = {8, 26}, different[] = {5, 12};
    for (int m = 0; m < 2; m++) {
        const int64_t *n = meshes[m]->n;
        struct csr full = create_full(meshes[m]);
        int64_t counts[28] = {0};
        int found = 0;
        for (int64_t v = 0; v < full.n; v++) {
            int64_t i = v % n[0], j = v / n[0] % n[1], l = v / n[0] / n[1];
            if (i == 0 || j == 0 || i == n[0] - 1 || j == n[1] - 1 ||
                (n[2] > 0 && (l == 0 || l == n[2] - 1)))
                continue;
            int64_t degree = full.offsets[v + 1] - full.offsets[v] - 1;
            ck_assert(degree >= least[m] && degree <= most[m]);
            counts[degree]++;
        }
        for (int degree = 0; degree < 28; degree++)
            found += counts[degree] > 0;
        ck_assert_int_ge(found, different[m]);
        ck_assert(counts[least[m]] > 0 && counts[most[m]] > 0);
        csr_free(&full);
    }
}
END_TEST

static void expect_same(const struct csr *A, const struct csr *B)
{
    ck_assert_int_eq(A->nnz, B->nnz);
    ck_assert_mem_eq(A->offsets, B->offsets, (size_t)(A->n + 1) * sizeof *A->offsets);
    ck_assert_mem_eq(A->columns, B->columns, (size_t)A->nnz * sizeof *A->columns);
    ck_assert_mem_eq(A->values, B->values, (size_t)A->nnz * sizeof *A->values);
}

static struct fe_mesh shuffled(struct fe_mesh mesh, int64_t unknowns)
{
    mesh.unknowns = unknowns;
    mesh.numbering = FE_MESH_RANDOM_NUMBERING;
    return mesh;
}

START_TEST(seeds_matter_and_threads_do_not)
{
    struct fe_mesh meshes[] = {shuffled(sheet, 5), shuffled(cube, 2)};
    for (int m = 0; m < 2; m++) {
        test_threads(1);
        struct csr A = create(&meshes[m]);
        for (int threads = 2; threads <= 7; threads += 5) {
            test_threads(threads);
            struct csr B = create(&meshes[m]);
            expect_same(&A, &B);
            csr_free(&B);
        }
        meshes[m].seed++;
        struct csr other = create(&meshes[m]);
        ck_assert_int_eq(other.nnz, A.nnz);
        ck_assert_mem_ne(other.columns, A.columns, (size_t)A.nnz * sizeof *A.columns);
        csr_free(&other);
        csr_free(&A);
    }
}
END_TEST

/* Node v of the natural numbering is found as node number[v], with the values that it had. */
START_TEST(numbering_moves_nodes_alone)
{
    enum { K = 3, NODES = 8 * 7 * 6 };
    struct fe_mesh mesh = {{8, 7, 6}, K, 1e-3, 4, FE_MESH_REGULAR, FE_MESH_NATURAL};
    struct csr A = create(&mesh), wanted;
    mesh.numbering = FE_MESH_RANDOM_NUMBERING;
    struct csr made = create(&mesh);
    struct error error;
    int32_t nodes[NODES], number[K * NODES];
    random_permutation(splitmix64(4, 8 * NODES), NODES, nodes);
    for (int32_t v = 0; v < NODES; v++)
        for (int32_t u = 0; u < K; u++)
            number[K * v + u] = K * nodes[v] + u;
    expect_ok(csr_permute(&A, number, &wanted, &error), &error);
    expect_same(&made, &wanted);
    ck_assert_int_gt(csr_distances(&made).bandwidth, 2 * csr_distances(&A).bandwidth);
    csr_free(&A);
    csr_free(&made);
    csr_free(&wanted);
}
END_TEST

START_TEST(permutations_hold_every_number_once)
{
    enum { N = 1000 };
    int32_t number[N];
    for (int32_t n = 0; n <= N; n += n < 10 ? 1 : 99) {
        bool taken[N] = {false};
        int32_t fixed = 0;
        random_permutation((uint64_t)n, n, number);
        for (int32_t i = 0; i < n; i++) {
            ck_assert(number[i] >= 0 && number[i] < n && !taken[number[i]]);
            taken[number[i]] = true;
            fixed += number[i] == i;
        }
        ck_assert(n < 10 || fixed < 10); /* one on average */
    }
}
END_TEST

/* All permutations of four come up about equally often. */
START_TEST(permutations_are_even)
{
    enum { TRIALS = 24000 };
    int counts[256] = {0}, different = 0;
    for (uint64_t seed = 0; seed < TRIALS; seed++) {
        int32_t number[4];
        random_permutation(seed, 4, number);
        counts[64 * number[0] + 16 * number[1] + 4 * number[2] + number[3]]++;
    }
    for (int k = 0; k < 256; k++) {
        different += counts[k] > 0;
        ck_assert(counts[k] == 0 || (counts[k] > 800 && counts[k] < 1200));
    }
    ck_assert_int_eq(different, 24);
}
END_TEST

static uint64_t hash_columns(const struct csr *A)
{
    uint64_t hash = HASH_START;
    for (int64_t k = 0; k < A->nnz; k++) {
        double column = A->columns[k];
        hash = hash_doubles(hash, &column, 1);
    }
    return hash;
}

/* The same on every machine, with every compiler. */
START_TEST(meshes_are_pinned)
{
    static const struct {
        struct fe_mesh mesh;
        uint64_t columns, values;
    } pinned[] = {
        {{{7, 5, 0}, 5, 1e-3, 1, FE_MESH_RANDOM_DIAGONALS, FE_MESH_NATURAL},
         UINT64_C(0xc54b0cf989d74923),
         UINT64_C(0xf6a473b70f6aa970)},
        {{{3, 4, 5}, 1, 1e-3, 1, FE_MESH_RANDOM_DIAGONALS, FE_MESH_RANDOM_NUMBERING},
         UINT64_C(0xae82f8c43d58d692),
         UINT64_C(0xc1fa47c9a953f8ed)},
        {{{4, 3, 2}, 8, 1e-5, INT64_MAX, FE_MESH_REGULAR, FE_MESH_RANDOM_NUMBERING},
         UINT64_C(0x7c96659c191368cd),
         UINT64_C(0x96375a08c88c1394)},
    };
    for (size_t k = 0; k < sizeof pinned / sizeof *pinned; k++) {
        struct csr A = create(&pinned[k].mesh);
        uint64_t columns = hash_columns(&A), values = hash_doubles(HASH_START, A.values, A.nnz);
        ck_assert_msg(columns == pinned[k].columns && values == pinned[k].values,
                      "%d: %016llx %016llx", (int)k, (unsigned long long)columns,
                      (unsigned long long)values);
        csr_free(&A);
    }
}
END_TEST

static enum status attempt(void *context, struct error *error)
{
    struct csr A;
    enum status status = fe_mesh_create(context, &A, error);
    if (!status)
        csr_free(&A);
    return status;
}

START_TEST(every_failed_allocation_is_survived)
{
    struct fe_mesh mesh = {
        {3, 4, 5}, 2, 1e-3, 1, FE_MESH_RANDOM_DIAGONALS, FE_MESH_RANDOM_NUMBERING};
    walk_allocation_failures(attempt, &mesh);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {every_face_and_cell_is_cut_once,
                            degrees_vary,
                            seeds_matter_and_threads_do_not,
                            numbering_moves_nodes_alone,
                            permutations_hold_every_number_once,
                            permutations_are_even,
                            meshes_are_pinned,
                            every_failed_allocation_is_survived,
                            NULL};
    return suite_of("problem/fe_mesh_random", tests);
}
