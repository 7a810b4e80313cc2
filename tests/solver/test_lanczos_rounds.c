/* A list of eigenvalues has each as often as the matrix has it, from any first vector; or it says
 * that this is not known. */
#include "support.h"

#include "matrices.h"
#include "solver/eigen.h"
#include "solver/solve.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 200 };

static struct eigen_outcome made, other;

static double upper[MOST * (MOST + 1) / 2], spectrum[MOST];

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static struct eigen_choice wanting(int64_t count, enum eigen_which which, double tolerance)
{
    struct eigen_choice choice = eigen_standard;
    choice.threads = 1; /* vectors of one tile have no work for more */
    choice.eigen.count = count;
    choice.eigen.which = which;
    choice.eigen.tolerance = tolerance;
    return choice;
}

/* The first ones of spectrum[n] from its ends, each as near as its residual says (Weyl), and
 * `off`. */
static void expect_list(const struct eigen_choice *choice, const struct csr *A, const double *b,
                        int64_t seed, double off)
{
    eigen_find(*choice, A, b, seed, &made);
    eigen_expect_reason(REASON_CONVERGED, &made);
    ck_assert_int_ne(made.result.eigen_list, EIGEN_LIST_OPEN);
    int64_t count = made.result.eigen_count, n = A->n;
    int64_t low = choice->eigen.which == EIGEN_LARGEST ? 0
                  : choice->eigen.which == EIGEN_BOTH  ? (count + 1) / 2
                                                       : count;
    for (int64_t k = 0; k < count; k++) {
        double wanted = spectrum[k < low ? k : n - count + k];
        ck_assert_msg(fabs(made.values[k] - wanted) <= made.residuals[k] + off,
                      "n = %d, tolerance %g: eigenvalue %d of %d is %.17g, not %.17g", (int)n,
                      choice->eigen.tolerance, (int)k + 1, (int)count, made.values[k], wanted);
    }
}

static void expect_lists(const struct csr *A, const double *b, int64_t most, double off,
                         uint64_t *state)
{
    static const double tolerances[] = {1e-4, 1e-8, 1e-12};
    for (int w = 0; w < 3; w++) {
        struct eigen_choice choice =
            wanting(1 + test_random_below(state, most), (enum eigen_which)w,
                    tolerances[test_random_below(state, 3)]);
        expect_list(&choice, A, b, test_random_below(state, 1000000), off);
    }
}

/* --- spectra in closed form ------------------------------------------------------------------- */

/* Of a graph: its edges make the off-diagonal -1 and, of a Laplacian, the degrees the diagonal. */
static void graph(int64_t n, bool (*joined)(int64_t i, int64_t j), bool laplacian, struct csr *A)
{
    for (int64_t i = 0, place = 0; i < n; i++)
        for (int64_t j = i; j < n; j++, place++) {
            upper[place] = j > i && joined(i, j) ? -1 : 0;
            for (int64_t k = 0; j == i && laplacian && k < n; k++)
                upper[place] += k != i && joined(i < k ? i : k, i < k ? k : i);
        }
    test_matrix_from_dense(n, upper, CSR_SYMMETRIC, A);
}

static bool all_joined(int64_t i, int64_t j)
{
    return i < j;
}

static bool is_cube_edge(int64_t i, int64_t j)
{
    int64_t bits = i ^ j;
    return (bits & (bits - 1)) == 0;
}

enum { PATH = 25 };

static bool is_path_edge(int64_t i, int64_t j)
{
    return j == i + 1 && j % PATH != 0;
}

/* n, n - 1 times, and 0 */
START_TEST(complete_graphs)
{
    uint64_t state = test_seed();
    static const int64_t sizes[] = {2, 5, 30, 100};
    for (int s = 0; s < 4; s++) {
        struct csr A;
        int64_t n = sizes[s];
        graph(n, all_joined, true, &A);
        for (int64_t i = 0; i < n; i++)
            spectrum[i] = i == 0 ? 0 : (double)n;
        expect_lists(&A, NULL, n < 8 ? n : 8, (double)n * (double)n * DBL_EPSILON, &state);
        csr_free(&A);
    }
}
END_TEST

/* The adjacency of the cube in d dimensions: 2 k - d, binomial(d, k) times. */
START_TEST(cubes)
{
    uint64_t state = test_seed();
    for (int d = 2; d <= 7; d++) {
        struct csr A;
        int64_t n = (int64_t)1 << d;
        graph(n, is_cube_edge, false, &A);
        for (int64_t i = 0; i < n; i++) {
            spectrum[i] = -d;
            for (int64_t bits = i; bits > 0; bits /= 2)
                spectrum[i] += 2 * (double)(bits % 2);
        }
        qsort(spectrum, (size_t)n, sizeof *spectrum, ascending);
        expect_lists(&A, NULL, n < 10 ? n : 10, (double)(n * d) * DBL_EPSILON, &state);
        csr_free(&A);
    }
}
END_TEST

/* Paths that are not joined, 2 - 2 cos(pi k / PATH) each: there are as many zeros as paths, and
 * a first vector in one of them, or in all alike, leads to one alone. */
START_TEST(components)
{
    uint64_t state = test_seed();
    double in_one[MOST] = {0}, alike[MOST];
    for (int paths = 1; paths <= 8; paths += paths == 1 ? 5 : 2) {
        struct csr A;
        int64_t n = PATH * paths;
        graph(n, is_path_edge, true, &A);
        for (int64_t i = 0; i < n; i++) {
            spectrum[i] = 2 - 2 * cos(M_PI * (double)(i / paths) / PATH);
            alike[i] = 1 + (double)(i % PATH);
            in_one[i] = i < PATH ? 1 + (double)i : 0;
        }
        expect_lists(&A, NULL, 12, 4.0 * (double)n * DBL_EPSILON, &state);
        expect_lists(&A, in_one, 12, 4.0 * (double)n * DBL_EPSILON, &state);
        expect_lists(&A, alike, 12, 4.0 * (double)n * DBL_EPSILON, &state);
        csr_free(&A);
    }
}
END_TEST

/* tridiag(-1, 2, -1), 2 - 2 cos(pi k / (n + 1)): a first vector that is symmetric has nothing of
 * every second one. */
START_TEST(symmetric_starts)
{
    uint64_t state = test_seed();
    enum { N = 80 };
    double b[N];
    struct csr A;
    for (int i = 0, place = 0; i < N; i++) {
        b[i] = 1;
        spectrum[i] = 2 - 2 * cos(M_PI * (i + 1) / (N + 1));
        for (int j = i; j < N; j++)
            upper[place++] = j == i ? 2 : j == i + 1 ? -1 : 0;
    }
    test_matrix_from_dense(N, upper, CSR_SYMMETRIC, &A);
    expect_lists(&A, b, 8, 4.0 * N * DBL_EPSILON, &state);
    csr_free(&A);
}
END_TEST

/* --- any multiplicities ----------------------------------------------------------------------- */

/* Halves of odd integers, each up to eight times, in any order: none is 0, of which selective
 * leaves more than rounding may. b is random, or along one axis. */
START_TEST(multiplicities)
{
    uint64_t state = test_seed();
    for (int trial = 0; trial < 3; trial++) {
        struct csr A;
        double values[MOST], axis[MOST] = {0};
        int64_t n = 0;
        for (double value = -20.5; n < MOST - 8; value += 1 + (double)test_random_below(&state, 4))
            for (int64_t copies = 1 + test_random_below(&state, 8); copies > 0; copies--)
                spectrum[n] = values[n] = value, n++;
        for (int64_t i = n - 1; i > 0; i--) {
            int64_t j = test_random_below(&state, i + 1);
            double value = values[i];
            values[i] = values[j];
            values[j] = value;
        }
        axis[test_random_below(&state, n)] = 1;
        diagonal(n, values, &A);
        double off = (double)n * DBL_EPSILON * fmax(fabs(spectrum[0]), fabs(spectrum[n - 1]));
        for (int how = 0; how < 4; how++) {
            struct eigen_choice choice =
                wanting(1 + test_random_below(&state, 12), (enum eigen_which)trial,
                        pow(10, -4 - 2 * (double)how));
            choice.eigen.reorthogonalization =
                how == 2 ? REORTHOGONALIZATION_SELECTIVE : REORTHOGONALIZATION_FULL;
            expect_list(&choice, &A, how == 3 ? axis : NULL, test_random_below(&state, 1000), off);
        }
        csr_free(&A);
    }
}
END_TEST

/* Two blocks that are not coupled, and b in the first, of fewer rows than eigenvalues are wanted,
 * as many, or more: b leads to none of the other block. */
START_TEST(blocks_that_are_not_coupled)
{
    enum { N = 60, WANTED = 3 };
    uint64_t state = test_seed();
    for (int first = 1; first < N; first += first < 2 * WANTED ? 1 : 25) {
        double b[N] = {0};
        struct csr A;
        int64_t place = 0;
        for (int i = 0; i < N; i++)
            for (int j = i; j < N; j++)
                upper[place++] = (i < first) == (j < first) ? 2 * test_random(&state) - 1 : 0;
        for (int i = 0; i < first; i++)
            b[i] = 1 + test_random(&state);
        test_matrix_from_dense(N, upper, CSR_SYMMETRIC, &A);
        double *all = eigen_spectrum(&A);
        memcpy(spectrum, all, sizeof *all * N);
        memory_free(all);
        double off = N * DBL_EPSILON * fmax(fabs(spectrum[0]), fabs(spectrum[N - 1]));
        for (int w = 0; w < 3; w++) {
            struct eigen_choice choice = wanting(WANTED, (enum eigen_which)w, 1e-10);
            expect_list(&choice, &A, b, 0, off);
            ck_assert(eigen_orthogonality(&made) <= 1e-13);
        }
        csr_free(&A);
    }
}
END_TEST

/* --- how the list is known -------------------------------------------------------------------- */

/* Of simple eigenvalues the search behind the first end brings nothing: rows up to there do not
 * depend on it, and a solve that ends there has the same list, and says that it is not known. */
START_TEST(a_limit_leaves_the_list_open)
{
    enum { N = 150 };
    struct csr A;
    for (int64_t i = 0; i < N; i++)
        spectrum[i] = (double)((i + 1) * (i + 1));
    diagonal(N, spectrum, &A);
    for (int how = REORTHOGONALIZATION_FULL; how <= REORTHOGONALIZATION_NONE; how++) {
        struct eigen_choice choice = wanting(3, EIGEN_LARGEST, 1e-10);
        choice.eigen.reorthogonalization = (enum reorthogonalization)how;
        eigen_find(choice, &A, NULL, 3, &made);
        eigen_expect_reason(REASON_CONVERGED, &made);
        int64_t end = 1;
        while (made.rows[end].values[LANCZOS_CONVERGED] < 3)
            end++;
        bool searches = how != REORTHOGONALIZATION_NONE;
        ck_assert_int_eq(made.result.eigen_list, searches ? EIGEN_LIST_SEARCHED : EIGEN_LIST_OPEN);
        ck_assert((made.result.iterations > end) == searches);
        ck_assert_int_eq(made.result.eigen_rounds, searches ? 2 : 1);
        choice.max_iterations = end;
        eigen_find(choice, &A, NULL, 3, &other);
        eigen_expect_reason(REASON_CONVERGED, &other);
        ck_assert_int_eq(other.result.eigen_list, EIGEN_LIST_OPEN);
        ck_assert_int_eq(other.result.eigen_rounds, 1);
        for (int64_t k = 1; k <= end; k++)
            ck_assert(other.rows[k].residual == made.rows[k].residual &&
                      other.rows[k].beta == made.rows[k].beta);
        for (int64_t k = 0; k < 3; k++)
            ck_assert(fabs(other.values[k] - made.values[k]) <= 1e-9 * made.values[k]);
    }
    csr_free(&A);
}
END_TEST

/* One eigenvalue far from 2000 others that lie close together: it is alone when a random vector has
 * led to no other one, and not when the others are known too. A second one is found all the
 * same. */
START_TEST(one_that_is_far_is_soon_known)
{
    enum { N = 2000 };
    static double values[N];
    uint64_t state = test_seed();
    int64_t one = test_random_below(&state, N), two = (one + N / 2) % N;
    for (int copies = 1; copies <= 2; copies++) {
        struct csr A;
        for (int64_t i = 0; i < N; i++)
            values[i] = i == one || (copies == 2 && i == two) ? 4 : cos(M_PI * (double)i / N);
        diagonal(N, values, &A);
        for (int how = REORTHOGONALIZATION_FULL; how <= REORTHOGONALIZATION_SELECTIVE; how++)
            for (int ends = 0; ends < 2; ends++) {
                struct eigen_choice choice = wanting(1 + ends, EIGEN_LARGEST, 1e-9);
                choice.eigen.reorthogonalization = (enum reorthogonalization)how;
                choice.max_iterations = copies == ends + 1 ? 100 : 100000;
                eigen_find(choice, &A, NULL, test_random_below(&state, 1000000), &made);
                eigen_expect_reason(REASON_CONVERGED, &made);
                ck_assert_int_eq(made.result.eigen_list, EIGEN_LIST_SEARCHED);
                double second = copies == 2 ? 4 : cos(M_PI * (double)(one == 0) / N);
                ck_assert(fabs(made.values[ends] - 4) <= 4e-9);
                ck_assert(ends == 0 || fabs(made.values[0] - second) <= 4e-9);
            }
        csr_free(&A);
    }
}
END_TEST

/* The search from one end is long over when that from the other one is: by then what it has found
 * leaves nothing, as what is locked does. */
START_TEST(one_end_is_known_long_before_the_other)
{
    enum { N = 150 };
    uint64_t state = test_seed();
    struct csr A;
    for (int64_t i = 0; i < N; i++)
        spectrum[i] = i == 0 ? -1 : i == N - 2 ? 12 : i == N - 1 ? 20 : (double)i / 30;
    for (int turned = 0; turned < 2; turned++) {
        double values[N];
        for (int64_t i = 0; i < N; i++)
            values[i] = turned ? -spectrum[N - 1 - i] : spectrum[i];
        memcpy(spectrum, values, sizeof values);
        diagonal(N, values, &A);
        struct eigen_choice choice = wanting(1, EIGEN_BOTH, 1e-12);
        choice.eigen.restart = 6 + test_random_below(&state, 3);
        choice.max_iterations = 8000;
        expect_list(&choice, &A, NULL, test_random_below(&state, 1000000), 20 * N * DBL_EPSILON);
        csr_free(&A);
    }
}
END_TEST

/* n, n - 1 times, and 0, of which the first vector has too little to be seen at once: it comes up
 * beside vectors that are known to 1e-4 of n, and may leave less than they do. */
START_TEST(a_small_one_comes_up_late)
{
    enum { N = 40 };
    uint64_t state = test_seed();
    struct csr A;
    graph(N, all_joined, true, &A);
    for (int trial = 0; trial < 10; trial++) {
        double b[N], mean = 0, little = pow(10, -5 - 3 * test_random(&state));
        for (int i = 0; i < N; i++) {
            spectrum[i] = i == 0 ? 0 : N;
            b[i] = test_random(&state);
            mean += b[i] / N;
        }
        for (int i = 0; i < N; i++)
            b[i] += little - mean;
        int64_t count = 1 + test_random_below(&state, 4);
        struct eigen_choice choice = wanting(count, EIGEN_SMALLEST, 1e-4);
        expect_list(&choice, &A, b, 0, (double)N * N * DBL_EPSILON);
    }
    csr_free(&A);
}
END_TEST

/* All eigenvalues of a square, 4 - 2 cos(pi i / 7) - 2 cos(pi j / 7), in a basis that is the whole
 * space: its vectors have too little of each other, by selective reorthogonalization, to span
 * less. */
START_TEST(selective_ends_with_the_whole_space)
{
    enum { SIDE = 6, N = SIDE * SIDE };
    struct csr A;
    for (int i = 0, place = 0; i < N; i++) {
        spectrum[i] = 4 - 2 * cos(M_PI * (i / SIDE + 1) / (SIDE + 1)) -
                      2 * cos(M_PI * (i % SIDE + 1) / (SIDE + 1));
        for (int j = i; j < N; j++)
            upper[place++] = j == i ? 4 : j == i + SIDE || (j == i + 1 && j % SIDE) ? -1 : 0;
    }
    qsort(spectrum, N, sizeof *spectrum, ascending);
    test_matrix_from_dense(N, upper, CSR_SYMMETRIC, &A);
    uint64_t state = test_seed();
    for (int trial = 0; trial < 10; trial++) {
        struct eigen_choice choice = wanting(N, EIGEN_SMALLEST, 1e-9);
        choice.eigen.reorthogonalization = REORTHOGONALIZATION_SELECTIVE;
        expect_list(&choice, &A, NULL, test_random_below(&state, 1000000), 8 * N * DBL_EPSILON);
        ck_assert_int_eq(made.result.iterations, N);
        ck_assert_int_eq(made.result.eigen_list, EIGEN_LIST_ALL);
    }
    csr_free(&A);
}
END_TEST

static bool is_star_edge(int64_t i, int64_t j)
{
    return i == 0 && j > 0;
}

static bool is_edge_of_halves(int64_t i, int64_t j)
{
    return i < 7 && j >= 7;
}

/* What is new after one or two steps is rounding, and may be 0 behind a pass. Eigenvalues
 * -sqrt(edges), 0, sqrt(edges). */
START_TEST(selective_goes_on_from_a_small_subspace)
{
    for (int trial = 0; trial < 3; trial++) {
        struct csr A;
        int64_t n = trial == 0 ? 14 : 64;
        double b[64] = {0};
        for (int64_t i = 0; i < n; i++)
            b[i] = trial == 0 || i == trial - 1;
        memset(spectrum, 0, sizeof spectrum);
        spectrum[n - 1] = trial == 0 ? 7 : sqrt(63);
        spectrum[0] = -spectrum[n - 1];
        graph(n, trial == 0 ? is_edge_of_halves : is_star_edge, false, &A);
        struct eigen_choice choice = wanting(trial == 0 ? 3 : 8, EIGEN_LARGEST, 1e-10);
        choice.eigen.reorthogonalization = REORTHOGONALIZATION_SELECTIVE;
        expect_list(&choice, &A, b, 0, (double)(n * n) * DBL_EPSILON);
        csr_free(&A);
    }
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {complete_graphs,
                            cubes,
                            components,
                            symmetric_starts,
                            multiplicities,
                            blocks_that_are_not_coupled,
                            a_limit_leaves_the_list_open,
                            a_small_one_comes_up_late,
                            one_that_is_far_is_soon_known,
                            one_end_is_known_long_before_the_other,
                            selective_ends_with_the_whole_space,
                            selective_goes_on_from_a_small_subspace,
                            NULL};
    return suite_of("solver/lanczos_rounds", tests);
}
