#include "solver/null_space.h"

#include "base/memory.h"
#include "base/threads.h"
#include "matrix/implicit_rows.h"
#include "matrix/near_null.h"
#include "solver/null_rows.h"
#include "space/sum/compensated.h"

#include <math.h>
#include <string.h>

/* Of what is left of a vector by those before it. */
static const double DEPENDENT = 0x1p-20;

/* Rows that a maker makes at a time; so many are looked at before all are. */
enum { CHUNK = 4096 };

/* The constant and those of near_null. */
enum { CANDIDATES = 1 + NEAR_NULL_MAX };

/* --- rows of A -------------------------------------------------------------------------------- */

/* Rows from `first` on, with columns counted from there; false: the rest is not wanted. */
typedef bool visits(void *context, int64_t first, const struct csr *rows);

bool null_space_is_connected(const struct csr *A)
{
    const struct csr *by = A->maker ? A : A->host;
    return by && by->maker && by->maker->connected && by->maker->connected(by->maker_options);
}

/* Rows 0 ... until - 1, one portion after another. */
static enum status visit_rows(const struct csr *A, int64_t until, visits *visit, void *context,
                              struct error *error)
{
    enum status status = STATUS_OK;
    if (A->offsets) {
        struct csr all = *A;
        all.n = until;
        visit(context, 0, &all);
        return STATUS_OK;
    }
    bool more = true;
    for (int64_t first = 0; first < until && more && !status; first += CHUNK) {
        int64_t last = first + CHUNK < until ? first + CHUNK : until;
        struct csr rows;
        status = csr_make_rows(A, first, last, &rows, error);
        if (!status)
            more = visit(context, first, &rows);
        csr_free(&rows);
    }
    return status;
}

/* --- whether a candidate is a null vector ----------------------------------------------------- */

struct candidate {
    const double *v; /* row i of A has v[i stride]; NULL: 1 */
    int64_t stride;
    int64_t rows;        /* that are looked at */
    struct null_row *of; /* [rows] */
    uint16_t *holds; /* [rows]: bit `bit` where the row's sum is 0; or NULL: the first that is not
                            ends the look */
    int bit;
    int others; /* a row's sum is not 0 */
    const struct csr *A;
    int64_t reach; /* the largest j - i of an entry (i, j) */
};

static void add(const struct candidate *by, int64_t i, int64_t j, double value)
{
    if (value != 0)
        null_row_add(&by->of[i], value, by->v ? by->v[j * by->stride] : 1);
}

/* Those of the rows, from `first` on and with columns counted from `base`, that lie in begin <= i <
 * end. The entries left of their diagonals come with rows before them. */
static bool look_at_share(struct candidate *by, int64_t begin, int64_t end, int64_t first,
                          int64_t base, const struct csr *rows)
{
    for (int64_t i = first; i < end && i < first + rows->n; i++) {
        int64_t r = i - first, k = rows->offsets[r], last = rows->offsets[r + 1];
        for (; k < last; k++) {
            int64_t j = base + rows->columns[k];
            if (i >= begin)
                add(by, i, j, rows->values[k]);
            if (j > i && j >= begin && j < end)
                add(by, j, i, rows->values[k]);
        }
        if (i < begin)
            continue;
        bool zero = null_row_is_zero(&by->of[i], by->v != NULL);
        if (by->holds && zero)
            by->holds[i] |= (uint16_t)(1u << by->bit);
        if (!zero)
            ATOMIC_MOST(&by->others, 1);
        if (!by->holds && __atomic_load_n(&by->others, __ATOMIC_RELAXED))
            return false;
    }
    return true;
}

/* One portion after another. */
static bool look_at_rows(void *context, int64_t first, const struct csr *rows)
{
    struct candidate *by = context;
    return look_at_share(by, 0, by->rows, first, first, rows);
}

/* Of stored rows, by several threads. */
static void find_reach(void *context, int64_t begin, int64_t end)
{
    struct candidate *by = context;
    const struct csr *A = by->A;
    int64_t reach = 0;
    for (int64_t i = begin; i < end; i++)
        if (A->offsets[i + 1] > A->offsets[i] && A->columns[A->offsets[i + 1] - 1] - i > reach)
            reach = A->columns[A->offsets[i + 1] - 1] - i;
    ATOMIC_MOST(&by->reach, reach);
}

static void look_at_stored(void *context, int64_t begin, int64_t end)
{
    struct candidate *by = context;
    int64_t first = begin > by->reach ? begin - by->reach : 0;
    struct csr rows = *by->A;
    rows.n = end - first;
    rows.offsets += first;
    look_at_share(by, begin, end, first, 0, &rows);
}

/* Vector c of A's near_null, in A's numbering. NULL: STATUS_MEMORY. */
static double *given_vector(const struct csr *A, const int32_t *number, int64_t c,
                            struct error *error)
{
    const struct near_null *given = A->near_null;
    double *v = memory_array(A->n, sizeof *v, "a null vector", error);
    for (int64_t i = 0; v && i < A->n; i++)
        v[number ? number[i] : i] = given->values[i * given->count + c];
    return v;
}

static int candidates_of(const struct csr *A)
{
    return 1 + (A->near_null ? (int)A->near_null->count : 0);
}

/* Whether candidate c holds in all of the first rows. holds: as of struct candidate. */
static enum status look_at(const struct csr *A, int64_t rows, const int32_t *number, int c,
                           uint16_t *holds, bool *everywhere, struct error *error)
{
    const struct near_null *given = A->near_null;
    struct candidate by = {.stride = 1, .rows = rows, .holds = holds, .bit = c, .A = A};
    enum status status = STATUS_OK;
    double *renumbered = c > 0 && number ? given_vector(A, number, c - 1, error) : NULL;
    if (c > 0 && !number) {
        by.v = given->values + c - 1;
        by.stride = given->count;
    } else
        by.v = renumbered;
    if (c == 0 || by.v)
        by.of = memory_zeros(rows, sizeof *by.of, "sums of rows", error);
    if (!by.of)
        status = STATUS_MEMORY;
    else if (A->offsets) {
        threads_each(threads_lent(), rows, find_reach, &by);
        threads_each(threads_lent(), rows, look_at_stored, &by);
    } else
        status = visit_rows(A, rows, look_at_rows, &by, error);
    *everywhere = !by.others;
    memory_free(by.of);
    memory_free(renumbered);
    return status;
}

enum status null_space_look(const struct csr *A, const struct csr *lower, const int32_t *number,
                            bool *constants, bool *others, struct error *error)
{
    enum status status = null_rows_hold(A, lower, NULL, constants, error);
    *others = false;
    for (int c = 1; c < candidates_of(A) && !*others && !status; c++) {
        double *v = given_vector(A, number, c - 1, error);
        status = v ? null_rows_hold(A, lower, v, others, error) : STATUS_MEMORY;
        memory_free(v);
    }
    return status;
}

enum status null_space_may_be(const struct csr *A, int64_t rows, const int32_t *number, bool *may,
                              struct error *error)
{
    enum status status = STATUS_OK;
    *may = false;
    for (int c = 0; c < candidates_of(A) && !*may && !status; c++)
        status = look_at(A, rows, number, c, NULL, may, error);
    return status;
}

/* Which candidates are looked at in all rows: bits. */
static enum status choose(const struct csr *A, const int32_t *number, bool each, unsigned *chosen,
                          struct error *error)
{
    int64_t few = A->n < CHUNK ? A->n : CHUNK;
    enum status status = STATUS_OK;
    *chosen = 0;
    for (int c = 0; c < candidates_of(A) && !status; c++) {
        bool may = each;
        if (!each)
            status = look_at(A, few, number, c, NULL, &may, error);
        if (!status && may && !each && few < A->n)
            status = look_at(A, A->n, number, c, NULL, &may, error);
        *chosen |= may ? 1u << c : 0;
    }
    return status;
}

/* --- components ------------------------------------------------------------------------------- */

/* The first row of i's component, on shorter paths from then on. */
static int32_t root_of(int32_t *parent, int32_t i)
{
    while (parent[i] != i)
        i = parent[i] = parent[parent[i]];
    return i;
}

static bool join_rows(void *context, int64_t first, const struct csr *rows)
{
    int32_t *parent = context;
    for (int64_t r = 0; r < rows->n; r++)
        for (int64_t k = rows->offsets[r]; k < rows->offsets[r + 1]; k++) {
            if (rows->values[k] == 0)
                continue;
            int32_t a = root_of(parent, (int32_t)(first + r));
            int32_t b = root_of(parent, (int32_t)(first + rows->columns[k]));
            parent[a > b ? a : b] = a > b ? b : a;
        }
    return true;
}

static int bits_of(unsigned bits)
{
    int count = 0;
    for (; bits; bits &= bits - 1)
        count++;
    return count;
}

/* holds of the first row of each component becomes that of all its rows; then components are
 * numbered, and every row has its own in the place of its parent. */
static void number_components(int32_t *parent, uint16_t *holds, struct null_space *made)
{
    for (int64_t i = 0; i < made->n; i++)
        holds[root_of(parent, (int32_t)i)] &= holds[i];
    for (int64_t i = 0; i < made->n; i++) {
        int32_t root = root_of(parent, (int32_t)i);
        holds[i] = holds[root];
        if (root == i) {
            int count = bits_of(holds[i]);
            made->width = count > made->width ? count : made->width;
        }
    }
    for (int64_t i = 0; i < made->n; i++) /* a parent comes before; then it is numbered */
        if (parent[i] == i)
            made->component[i] = holds[i] ? (int32_t)made->components++ : -1;
        else
            made->component[i] = made->component[root_of(parent, (int32_t)i)];
}

static enum status find_components(const struct csr *A, uint16_t *holds, struct null_space *made,
                                   struct error *error)
{
    int32_t *parent = memory_array(A->n, sizeof *parent, "the components of A", error);
    made->component = memory_array(A->n, sizeof *made->component, "the components of A", error);
    enum status status = parent && made->component ? STATUS_OK : STATUS_MEMORY;
    for (int64_t i = 0; i < A->n && !status; i++)
        parent[i] = (int32_t)i;
    if (!status)
        status = visit_rows(A, A->n, join_rows, parent, error);
    if (!status)
        number_components(parent, holds, made);
    memory_free(parent);
    return status;
}

/* --- the basis -------------------------------------------------------------------------------- */

/* sums[c] = the sum over the rows of component c of vector a of the basis times vector b, or, b <
 * 0, times v. */
static void multiply(const struct null_space *of, int64_t a, int64_t b, const double *v,
                     struct compensated *sums)
{
    memset(sums, 0, (size_t)of->components * sizeof *sums);
    for (int64_t i = 0; i < of->n; i++) {
        int32_t c = null_space_component(of, i);
        if (c >= 0)
            sums[c] = compensated_add_product(sums[c], null_space_value(of, i, a),
                                              b < 0 ? v[i] : null_space_value(of, i, b));
    }
}

static double value_of(struct compensated sum)
{
    return sum.sum + sum.error;
}

/* Vector a of the basis, less its part along b. */
static void take_off(struct null_space *of, int64_t a, int64_t b, struct compensated *sums)
{
    multiply(of, a, b, NULL, sums);
    for (int64_t i = 0; i < of->n; i++)
        if (of->component[i] >= 0) {
            double *row = of->basis + i * of->width;
            row[a] = fma(-value_of(sums[of->component[i]]), row[b], row[a]);
        }
}

/* norms[c] = that of vector a in component c. */
static void find_norms(const struct null_space *of, int64_t a, struct compensated *sums,
                       double *norms)
{
    multiply(of, a, a, NULL, sums);
    for (int64_t c = 0; c < of->components; c++)
        norms[c] = sqrt(value_of(sums[c]));
}

/* Vector a becomes one of norm 1 that is orthogonal to those before it, or 0. */
static void orthonormalise(struct null_space *of, int64_t a, struct compensated *sums,
                           double *before, double *after)
{
    find_norms(of, a, sums, before);
    for (int twice = 0; twice < 2; twice++)
        for (int64_t b = 0; b < a; b++)
            take_off(of, a, b, sums);
    find_norms(of, a, sums, after);
    for (int64_t i = 0; i < of->n; i++) {
        int32_t c = of->component[i];
        if (c < 0)
            continue;
        double *value = &of->basis[i * of->width + a];
        *value = after[c] > DEPENDENT * before[c] ? *value / after[c] : 0;
    }
    for (int64_t c = 0; c < of->components; c++)
        of->dimension += after[c] > DEPENDENT * before[c];
}

/* The candidates of each row's component side by side. */
static enum status fill_basis(const struct csr *A, const int32_t *number, const uint16_t *holds,
                              struct null_space *made, struct error *error)
{
    enum status status = STATUS_OK;
    for (int c = 0; c < candidates_of(A) && !status; c++) {
        double *v = c > 0 ? given_vector(A, number, c - 1, error) : NULL;
        if (c > 0 && !v)
            return STATUS_MEMORY;
        for (int64_t i = 0; i < A->n; i++)
            if (holds[i] >> c & 1)
                made->basis[i * made->width + bits_of(holds[i] & ((1u << c) - 1))] = v ? v[i] : 1;
        memory_free(v);
    }
    return status;
}

static enum status make_basis(const struct csr *A, const int32_t *number, const uint16_t *holds,
                              struct null_space *made, struct error *error)
{
    struct compensated *sums = NULL;
    double *norms = NULL;
    made->basis = memory_zeros(made->n * made->width, sizeof *made->basis, "null vectors", error);
    if (made->basis)
        sums = memory_array(made->components, sizeof *sums, "null vectors", error);
    if (sums)
        norms = memory_array(2 * made->components, sizeof *norms, "null vectors", error);
    enum status status = norms ? fill_basis(A, number, holds, made, error) : STATUS_MEMORY;
    for (int64_t a = 0; a < made->width && !status; a++)
        orthonormalise(made, a, sums, norms, norms + made->components);
    memory_free(sums);
    memory_free(norms);
    return status;
}

/* Of n ones; their sum of squares is n. */
void null_space_of_constants(int64_t n, struct null_space *made)
{
    *made = (struct null_space){
        .n = n, .dimension = 1, .components = 1, .width = 1, .constant = 1 / sqrt((double)n)};
}

/* --- all of it -------------------------------------------------------------------------------- */

/* The constant alone, in all rows: of which nothing is stored where they are one component. */
static bool is_of_constants(const struct null_space *made, const uint16_t *holds)
{
    bool one = made->components == 1;
    for (int64_t i = 0; i < made->n && one; i++)
        one = holds[i] == 1 && made->component[i] == 0;
    return one;
}

/* Which of the chosen candidates hold in which rows. */
static enum status find_holds(const struct csr *A, const int32_t *number, bool each,
                              unsigned chosen, uint16_t *holds, bool *constants,
                              struct error *error)
{
    enum status status = STATUS_OK;
    bool everywhere;
    for (int64_t i = 0; i < A->n && !each; i++) /* in all of them */
        holds[i] = (uint16_t)chosen;
    for (int c = 0; c < CANDIDATES && each && !status; c++)
        if (chosen >> c & 1) {
            status = look_at(A, A->n, number, c, holds, &everywhere, error);
            *constants = c == 0 ? everywhere : *constants;
        }
    *constants = *constants && chosen == 1;
    return status;
}

static enum status find(const struct csr *A, const int32_t *number, bool each, unsigned chosen,
                        struct null_space *made, struct error *error)
{
    bool constants = true;
    uint16_t *holds = memory_zeros(A->n, sizeof *holds, "null vectors", error);
    if (!holds)
        return STATUS_MEMORY;
    enum status status = find_holds(A, number, each, chosen, holds, &constants, error);
    bool known = !status && constants && null_space_is_connected(A);
    if (!status && !known)
        status = find_components(A, holds, made, error);
    if (!status && (known || is_of_constants(made, holds))) {
        null_space_free(made);
        null_space_of_constants(A->n, made);
    } else if (!status && made->components > 0)
        status = make_basis(A, number, holds, made, error);
    memory_free(holds);
    return status;
}

enum status null_space_find(const struct csr *A, const int32_t *number, bool each,
                            struct null_space *made, struct error *error)
{
    unsigned chosen;
    *made = (struct null_space){0};
    enum status status = choose(A, number, each, &chosen, error);
    if (status || !chosen)
        return status;
    status = csr_check_rows(A->n, error);
    made->n = A->n;
    if (!status)
        status = find(A, number, each, chosen, made, error);
    if (status || made->dimension == 0)
        null_space_free(made);
    return status;
}

void null_space_free(struct null_space *of)
{
    memory_free(of->component);
    memory_free(of->basis);
    *of = (struct null_space){0};
}

/* --- a projection ----------------------------------------------------------------------------- */

/* v less its part in the null space, whose square is returned; *square = that of v before, in rows
 * of components. */
static double project(const struct null_space *of, double *v, struct compensated *sums,
                      double *square)
{
    double removed = 0;
    *square = 0;
    for (int64_t i = 0; i < of->n; i++)
        *square = null_space_component(of, i) >= 0 ? fma(v[i], v[i], *square) : *square;
    for (int64_t a = 0; a < of->width; a++) {
        multiply(of, a, -1, v, sums);
        for (int64_t i = 0; i < of->n; i++) {
            int32_t c = null_space_component(of, i);
            if (c >= 0)
                v[i] = fma(-value_of(sums[c]), null_space_value(of, i, a), v[i]);
        }
        for (int64_t c = 0; c < of->components; c++)
            removed = fma(value_of(sums[c]), value_of(sums[c]), removed);
    }
    return removed;
}

enum status null_space_project(const struct null_space *of, double *v, double *removed,
                               struct error *error)
{
    struct compensated *sums = memory_array(of->components, sizeof *sums, "a projection", error);
    double square;
    if (!sums)
        return STATUS_MEMORY;
    double first = project(of, v, sums, &square);
    *removed = sqrt(first);
    if (first > square / 2)
        project(of, v, sums, &square);
    memory_free(sums);
    return STATUS_OK;
}
