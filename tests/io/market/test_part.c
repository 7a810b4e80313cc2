/* A Matrix Market file that ranks read together: each gets its rows, what crosses into them, and
 * nothing else. */
#include "ranks.h"
#include "support.h"

#include "base/memory.h"
#include "io/arrays/write_matrix.h"
#include "io/market/matrix_market.h"
#include "matrix/implicit_rows.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

enum { N = 300, RANKS = 5, TEXT = 1 << 20 };

struct text {
    char bytes[TEXT];
    int length;
    int entries;
};

static void add(struct text *text, int i, int j, double value)
{
    text->length += snprintf(text->bytes + text->length, TEXT - (size_t)text->length,
                             "%d %d %.17g\n", i + 1, j + 1, value);
    text->entries++;
}

/* A file of that symmetry, some of whose entries are repeated; of a general one that is symmetric
 * or skew-symmetric but for 1e-9, and for one entry beside a large one. */
static const char *write_file(const char *symmetry, enum csr_kind kind, uint64_t *state)
{
    static struct text text;
    static char whole[TEXT + 100];
    bool general = strcmp(symmetry, "general") == 0, skew = kind == CSR_SKEW;
    text.length = text.entries = 0;
    for (int i = 0; i < N; i++)
        for (int j = 0; j <= i; j++) {
            bool alone = general && !skew && i == N - 1;
            bool there = i == j ? !skew : test_random_below(state, 6) == 0 && !alone;
            double value = test_random(state) - 0.5, other = skew ? -value : value;
            if (!there)
                continue;
            add(&text, i, j, value);
            if (general && i != j)
                add(&text, j, i,
                    !skew && test_random_below(state, 4) == 0 ? other * (1 + 1e-9) : other);
            if (!general && test_random_below(state, 20) == 0)
                add(&text, i, j, value);
        }
    if (general && !skew) { /* the worst pair: row 1, and that row N is not coupled, say
                               * that it may pass */
        add(&text, 0, 0, 1e9);
        add(&text, N - 1, 0, 1);
    }
    for (int k = 0; k < N && !general; k++) { /* whose sums depend on the order */
        int i = 1 + (int)test_random_below(state, N - 1), j = (int)test_random_below(state, i);
        add(&text, i, j, k % 3 == 0 ? 1e16 : test_random(state));
    }
    int length =
        snprintf(whole, sizeof whole, "%%%%MatrixMarket matrix coordinate real %s\n%d %d %d\n",
                 symmetry, N, N, text.entries);
    memcpy(whole + length, text.bytes, (size_t)text.length);
    return temporary_file("part.mtx", whole, length + text.length);
}

/* The same as an array. */
static const char *write_array(uint64_t *state)
{
    static char whole[TEXT + TEXT / 8];
    int length = snprintf(whole, sizeof whole,
                          "%%%%MatrixMarket matrix array real symmetric\n%d %d\n", N, N);
    for (int j = 0; j < N; j++)
        for (int i = j; i < N; i++)
            length += snprintf(whole + length, sizeof whole - (size_t)length, "%.17g\n",
                               test_random(state) - 0.5);
    return temporary_file("array.mtx", whole, length);
}

static void expect_row(const struct csr *all, const struct csr *some, int64_t i,
                       const struct matrix_market_part *part)
{
    int64_t k = some->offsets[i], end = some->offsets[i + 1];
    bool kept = i >= part->first && i < part->end;
    for (int64_t l = all->offsets[i]; l < all->offsets[i + 1]; l++) {
        int32_t j = all->columns[l];
        if (!kept && j != i && (j < part->first || j >= part->last))
            continue;
        ck_assert(k < end && some->columns[k] == j);
        double wanted = kept || j != i ? all->values[l] : 0;
        ck_assert(memcmp(&some->values[k], &wanted, sizeof wanted) == 0);
        k++;
    }
    ck_assert(k == end);
}

/* One of them. */
struct reader {
    struct exchange *exchange; /* first */
    const char *path;
    enum csr_kind kind;
    const struct matrix_market_part *parts;
    struct csr A;
    struct matrix_market_report met;
    enum status status;
    struct error error;
};

static void *read_part(void *context)
{
    struct reader *reader = context;
    struct matrix_market_ranks ranks;
    reader->status = matrix_market_ranks_create(reader->exchange, &ranks, &reader->error);
    ck_assert_int_eq(reader->status, STATUS_OK);
    memcpy(ranks.parts, reader->parts, RANKS * sizeof *ranks.parts);
    reader->status = matrix_market_read(reader->path, reader->kind, 1e-6, &ranks, &reader->A,
                                        &reader->met, &reader->error);
    matrix_market_ranks_free(&ranks);
    return NULL;
}

/* path[]: of each rank. */
static void read_together(const char *const path[], enum csr_kind kind,
                          const struct matrix_market_part parts[RANKS], struct reader *readers)
{
    for (int r = 0; r < RANKS; r++)
        readers[r] = (struct reader){.path = path[r], .kind = kind, .parts = parts};
    test_ranks(RANKS, read_part, readers, sizeof *readers);
}

/* Of the same file. */
static void read_one_together(const char *path, enum csr_kind kind,
                              const struct matrix_market_part parts[RANKS], struct reader *readers)
{
    const char *const paths[RANKS] = {path, path, path, path, path};
    read_together(paths, kind, parts, readers);
}

/* Rows of ranks, some of them none, and a few behind each. */
static void make_parts(struct matrix_market_part parts[RANKS], int64_t n, uint64_t *state)
{
    int64_t first = 0;
    for (int r = 0; r < RANKS; r++) {
        int64_t last = r + 1 == RANKS ? n : first + test_random_below(state, n - first + 1);
        parts[r] =
            (struct matrix_market_part){first, last, last + test_random_below(state, n - last + 1)};
        first = last;
    }
}

static void expect_parts(const char *path, enum csr_kind kind, uint64_t *state)
{
    struct csr all;
    struct matrix_market_report whole;
    struct matrix_market_part parts[RANKS];
    struct reader readers[RANKS];
    struct error error;
    int64_t duplicates = 0, pairs = 0;
    double asymmetry = 0;
    expect_ok(kind == CSR_SKEW
                  ? matrix_market_read(path, CSR_SKEW, 0, NULL, &all, &whole, &error)
                  : matrix_market_read(path, CSR_SYMMETRIC, 1e-6, NULL, &all, &whole, &error),
              &error);
    make_parts(parts, N, state);
    read_one_together(path, kind, parts, readers);
    for (int r = 0; r < RANKS; r++) {
        struct reader *reader = &readers[r];
        expect_ok(reader->status, &reader->error);
        ck_assert_int_eq(reader->A.kind, all.kind);
        ck_assert_int_eq(reader->A.n, N);
        for (int64_t i = 0; i < N; i++)
            expect_row(&all, &reader->A, i, &parts[r]);
        ck_assert_int_eq(reader->met.entries, whole.entries);
        duplicates += reader->met.duplicates;
        pairs += reader->met.averaged_pairs;
        if (reader->met.asymmetry > asymmetry)
            asymmetry = reader->met.asymmetry;
        csr_free(&reader->A);
    }
    ck_assert_int_eq(duplicates, whole.duplicates);
    ck_assert_int_eq(pairs, whole.averaged_pairs);
    ck_assert(asymmetry == whole.asymmetry);
    csr_free(&all);
}

/* The same file gzipped, and with lines that end with CR LF. */
static const char *otherwise(const char *path, bool zipped)
{
    static char text[TEXT + TEXT / 8], changed[2 * sizeof text];
    FILE *file = fopen(path, "r");
    ck_assert(file);
    size_t length = fread(text, 1, sizeof text, file), count = 0;
    fclose(file);
    for (size_t k = 0; k < length; k++) {
        if (text[k] == '\n')
            changed[count++] = '\r';
        changed[count++] = text[k];
    }
    if (!zipped)
        return temporary_file("otherwise.mtx", changed, (int)count);
    const char *name = temporary_path("otherwise.mtx.gz");
    gzFile to = gzopen(name, "wb");
    ck_assert(to && gzwrite(to, changed, (unsigned)count) == (int)count && gzclose(to) == Z_OK);
    return name;
}

/* The matrix of the file in one of another format, of which each rank reads all. */
static const char *as_arrays(const char *path, const char *name)
{
    struct csr A;
    struct error error;
    const char *arrays = temporary_path(name);
    expect_ok(matrix_market_read(path, CSR_GENERAL, 0, NULL, &A, NULL, &error), &error);
    expect_ok(matrix_write(arrays, &A, &error), &error);
    csr_free(&A);
    return arrays;
}

START_TEST(parts_are_those_of_the_whole)
{
    uint64_t state = test_seed();
    for (int trial = 0; trial < 4; trial++) {
        const char *path = write_file("symmetric", CSR_SYMMETRIC, &state);
        expect_parts(otherwise(path, trial % 2), CSR_SYMMETRIC, &state);
        expect_parts(write_file("symmetric", CSR_SYMMETRIC, &state), CSR_SYMMETRIC, &state);
        expect_parts(write_file("general", CSR_SYMMETRIC, &state), CSR_SYMMETRIC, &state);
        expect_parts(write_file("skew-symmetric", CSR_SKEW, &state), CSR_SKEW, &state);
        expect_parts(write_file("general", CSR_SKEW, &state), CSR_SKEW, &state);
        expect_parts(write_array(&state), CSR_SYMMETRIC, &state);
        path = write_file("general", CSR_SYMMETRIC, &state);
        expect_parts(as_arrays(path, "part.npz"), CSR_SYMMETRIC, &state);
        path = write_file("general", CSR_SKEW, &state);
        expect_parts(as_arrays(path, "part.petsc"), CSR_SKEW, &state);
        expect_parts(as_arrays(path, "part.rb"), CSR_SKEW, &state);
        expect_parts(as_arrays(path, "part.mat"), CSR_SKEW, &state);
    }
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

static void free_all(struct reader *readers)
{
    for (int r = 0; r < RANKS; r++)
        csr_free(&readers[r].A);
}

/* A fault is told as of the whole file, by one rank, and the others hear of it. */
START_TEST(faults_are_those_of_the_whole)
{
    static const char *const files[] = {
        "%%MatrixMarket matrix coordinate real symmetric\n9 9 2\n1 1 1\n9 x 1\n",
        "%%MatrixMarket matrix coordinate real symmetric\n9 9 2\n1 1 1\n",
        "%%MatrixMarket matrix coordinate real symmetric\n9 9 1\n1 1 1\n2 2 1\n",
        "%%MatrixMarket matrix array real symmetric\n9 9\n1\n2\n",
        "%%MatrixMarket matrix coordinate real general\n9 9 4\n1 2 1\n2 1 2\n9 8 1\n8 9 3\n",
        "%%MatrixMarket matrix coordinate real general\n9 9 2\n1 1 6e7\n9 1 1\n",
        "%%MatrixMarket matrix coordinate real symmetric\n9 9 2\n8 9 1\n9 8 1\n",
        "title\n 3 1 1 1\nrsa 9 9 1 0\n(10I2) (1I2) (1E4.1)\n 1 2 2 2 2 2 2 2 2 2\n 9\n   x\n",
        "title\n 3 1 1 1\nrua 9 9 1 0\n(10I2) (1I2) (1E4.1)\n 1 2 2 2 2 2 2 2 2 2\n 9\n1.E0\n",
        "title\n 3 1 1 1\nrsa 9 9 2 0\n(10I2) (2I2) (2E4.1)\n 1 1 1 1 1 1 1 1 2 3\n 9 8\n"
        "1.E01.E0\n"};
    uint64_t state = test_seed();
    for (size_t t = 0; t < sizeof files / sizeof *files; t++) {
        const char *path = temporary_file("fault.mtx", files[t], -1);
        struct csr A;
        struct error whole;
        struct matrix_market_part parts[RANKS];
        struct reader readers[RANKS];
        int told = 0;
        ck_assert_int_eq(matrix_market_read(path, CSR_SYMMETRIC, 1e-6, NULL, &A, NULL, &whole),
                         STATUS_INPUT);
        make_parts(parts, 9, &state);
        read_one_together(path, CSR_SYMMETRIC, parts, readers);
        for (int r = 0; r < RANKS; r++) {
            told += readers[r].status == STATUS_INPUT;
            if (readers[r].status == STATUS_INPUT)
                ck_assert_str_eq(readers[r].error.text, whole.text);
            else
                ck_assert_int_eq(readers[r].status, STATUS_RANK);
        }
        ck_assert_int_eq(told, 1);
        free_all(readers);
    }
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* A copy with another digit in some line, or cut off behind some line. */
static void write_other(char *name, size_t size, const char *path, bool cut, uint64_t *state)
{
    static char text[TEXT + 100];
    FILE *file = fopen(path, "r");
    ck_assert(file);
    size_t length = fread(text, 1, sizeof text, file);
    fclose(file);
    size_t at = length / 4 + (size_t)test_random_below(state, (int64_t)length / 2);
    while (text[at] != '\n')
        at++;
    if (cut)
        length = at + 1;
    else
        text[at - 1] = text[at - 1] == '1' ? '2' : '1';
    snprintf(name, size, "%.250s", temporary_file("other.mtx", text, (int)length));
}

/* A file that is not there, or another one, with one rank: all come to an end. */
START_TEST(files_of_ranks_may_differ)
{
    uint64_t state = test_seed();
    struct matrix_market_part parts[RANKS];
    struct reader readers[RANKS];
    static char name[2][300];
    for (int trial = 0; trial < 10; trial++) {
        int other = (int)test_random_below(&state, RANKS);
        snprintf(name[0], sizeof name[0], "%.250s", write_file("symmetric", CSR_SYMMETRIC, &state));
        snprintf(name[1], sizeof name[1], "%.250s.gone", name[0]);
        const char *paths[RANKS] = {name[0], name[0], name[0], name[0], name[0]};
        make_parts(parts, N, &state);
        paths[other] = name[1];
        read_together(paths, CSR_SYMMETRIC, parts, readers);
        for (int r = 0; r < RANKS; r++)
            expect_error(readers[r].status, r == other ? STATUS_INPUT : STATUS_RANK,
                         &readers[r].error, r == other ? "gone" : "another rank", NULL);
        free_all(readers);

        write_other(name[1], sizeof name[1], name[0], trial % 2 == 1, &state);
        paths[other] = name[1];
        read_together(paths, CSR_SYMMETRIC, parts, readers);
        for (int r = 0; r < RANKS; r++) /* which the caller has to see before */
            ck_assert(readers[r].status == STATUS_OK || readers[r].status == STATUS_INPUT ||
                      readers[r].status == STATUS_RANK);
        free_all(readers);
    }
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* Its rows are made, and it is not stored. */
START_TEST(partial_csr_are_made)
{
    uint64_t state = test_seed();
    const char *path = write_file("symmetric", CSR_SYMMETRIC, &state);
    struct matrix_market_part parts[RANKS] = {
        {0, 20, 20}, {20, 40, 50}, {40, 40, 40}, {40, N, N}, {N, N, N}};
    struct reader readers[RANKS];
    struct csr all, A, rows;
    struct partial_csr kept;
    struct error error;
    expect_ok(matrix_market_read(path, CSR_SYMMETRIC, 0, NULL, &all, NULL, &error), &error);
    read_one_together(path, CSR_SYMMETRIC, parts, readers);
    A = readers[1].A;
    readers[1].A = (struct csr){0};
    free_all(readers);
    partial_csr_create(&A, &kept);
    rows = A;
    expect_error(csr_store(&rows, &error), STATUS_UNAVAILABLE, &error, "its own rows alone", NULL);
    ck_assert(rows.n == 0 && !rows.maker);
    expect_ok(csr_make_rows(&A, 20, 50, &rows, &error), &error);
    ck_assert_int_eq(rows.nnz, all.offsets[50] - all.offsets[20]);
    for (int64_t k = 0; k < rows.nnz; k++) {
        ck_assert_int_eq(rows.columns[k] + 20, all.columns[all.offsets[20] + k]);
        ck_assert(rows.values[k] == all.values[all.offsets[20] + k]);
    }
    csr_free(&rows);
    csr_free(&A);
    csr_free(&all);
    partial_csr_free(&kept);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* Ranks that are there, and a file. */
struct attempt {
    struct exchange_team *team;
    struct reader readers[RANKS];
    struct matrix_market_ranks ranks[RANKS];
};

struct member {
    struct reader *reader;
    const struct matrix_market_ranks *ranks;
    pthread_t thread;
};

static void *read_member(void *context)
{
    struct member *member = context;
    struct reader *reader = member->reader;
    reader->status = matrix_market_read(reader->path, CSR_SYMMETRIC, 1e-6, member->ranks,
                                        &reader->A, NULL, &reader->error);
    return NULL;
}

/* Those that have memory end as well. */
static enum status attempt(void *context, struct error *error)
{
    struct attempt *attempt = context;
    struct member members[RANKS];
    enum status status = STATUS_OK;
    for (int r = 0; r < RANKS; r++) {
        members[r] = (struct member){.reader = &attempt->readers[r], .ranks = &attempt->ranks[r]};
        ck_assert_int_eq(pthread_create(&members[r].thread, NULL, read_member, &members[r]), 0);
    }
    for (int r = 0; r < RANKS; r++)
        pthread_join(members[r].thread, NULL);
    for (int r = 0; r < RANKS; r++) {
        struct reader *reader = members[r].reader;
        csr_free(&reader->A);
        if (reader->status == STATUS_MEMORY || (reader->status && !status)) {
            status = reader->status;
            *error = reader->error;
        }
    }
    return status;
}

START_TEST(allocations_may_fail)
{
    uint64_t state = test_seed();
    static struct attempt given;
    struct matrix_market_part parts[RANKS];
    struct error error;
    const char *path = write_file("general", CSR_SYMMETRIC, &state);
    make_parts(parts, N, &state);
    expect_ok(exchange_team_create(RANKS, &given.team, &error), &error);
    for (int r = 0; r < RANKS; r++) {
        struct exchange *exchange = exchange_of_thread(given.team, r);
        expect_ok(matrix_market_ranks_create(exchange, &given.ranks[r], &error), &error);
        memcpy(given.ranks[r].parts, parts, sizeof parts);
        given.readers[r].path = path;
    }
    walk_allocation_failures(attempt, &given);
    for (int r = 0; r < RANKS; r++)
        matrix_market_ranks_free(&given.ranks[r]);
    exchange_team_destroy(given.team);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {parts_are_those_of_the_whole, faults_are_those_of_the_whole,
                            files_of_ranks_may_differ,    partial_csr_are_made,
                            allocations_may_fail,         NULL};
    return suite_of("io/market/part", tests);
}
