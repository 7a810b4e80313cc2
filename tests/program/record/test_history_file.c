/* Files of residual histories, read: history.csv, references, and what is neither. */
#include "program/record/history_file.h"

#include "support.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define HEADER "kernel,run,iteration,residual,residual_hex,alpha,beta\n" /* 1 line */
#define LEAD "# matrix: 0123456789abcdef\n# rhs: fedcba9876543210\n"     /* 2 lines */
#define ROWS "a,1,0,1,0x1p+0,,\na,1,1,0.5,0x1p-1,2,0\n"                  /* 2 lines */

/* What has gone by. */
static double residuals[2000];
static int64_t runs_of[2000], residuals_count;

static enum status take(void *context, int64_t run, int64_t iteration, double residual,
                        struct error *error)
{
    const struct history_file *file = context;
    (void)error;
    ck_assert_int_lt(residuals_count, 2000);
    ck_assert_int_eq(run, file->runs_count - 1);
    ck_assert_int_eq(iteration, file->runs[run].count - 1);
    runs_of[residuals_count] = run;
    residuals[residuals_count++] = residual;
    return STATUS_OK;
}

static enum status read_file(const char *path, struct history_file *file, struct error *error)
{
    residuals_count = 0;
    return history_file_read(path, take, file, file, error);
}

static struct history_file read_text(const char *text)
{
    struct history_file file;
    struct error error;
    expect_ok(read_file(temporary_file("history.csv", text, -1), &file, &error), &error);
    return file;
}

START_TEST(runs_are_told_apart)
{
    struct history_file file = read_text(HEADER "a b,1,0,8,0x1p+3,,\n"
                                                "a b,1,1,4.5,0x1.2p+2,1,0\n"
                                                "a b,2,0,nan,nan,,\n"
                                                "c,2,0,inf,inf,,\n"
                                                "c,2,1,0,0x0p+0,1,0\n"
                                                "c,2,2,0,0x1.fffffffffffffp+1023,1,0\n");
    static const double wanted[] = {8, 4.5, NAN, INFINITY, 0, 0x1.fffffffffffffp+1023};
    static const int64_t place[] = {0, 0, 1, 2, 2, 2}, count[] = {2, 1, 3}, run[] = {1, 2, 2};
    static const char *const label[] = {"a b", "a b", "c"};
    ck_assert(!file.has_lead);
    ck_assert_int_eq(residuals_count, 6);
    for (int k = 0; k < 6; k++)
        ck_assert(residuals[k] == wanted[k] || (isnan(wanted[k]) && isnan(residuals[k])));
    ck_assert_mem_eq(runs_of, place, sizeof place);
    ck_assert_ptr_null(file.residuals); /* but of a reference */
    ck_assert_int_eq(file.runs_count, 3);
    for (int k = 0; k < 3; k++) {
        ck_assert_str_eq(file.runs[k].label, label[k]);
        ck_assert_int_eq(file.runs[k].run, run[k]);
        ck_assert_int_eq(file.runs[k].count, count[k]);
        ck_assert(!facts_are_there(&file.runs[k].facts));
    }
    ck_assert_int_eq(file.runs[0].lines, 3);
    history_file_free(&file);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* Whatever %a writes comes back. */
START_TEST(every_residual_comes_back)
{
    enum { COUNT = 2000 };
    static double wanted[COUNT];
    static char text[COUNT * 64];
    uint64_t state = test_seed();
    int length = snprintf(text, sizeof text, HEADER);
    for (int k = 0; k < COUNT; k++) {
        uint64_t bits =
            (uint64_t)(test_random(&state) * 0x1p63) ^ (uint64_t)(test_random(&state) * 0x1p32);
        bits &= INT64_MAX;
        memcpy(&wanted[k], &bits, sizeof bits);
        if (!isfinite(wanted[k]))
            wanted[k] = ldexp(test_random(&state), -1060);
        length +=
            snprintf(text + length, sizeof text - (size_t)length, "a,1,%d,,%a,,\n", k, wanted[k]);
    }
    struct history_file file = read_text(text);
    ck_assert_int_eq(residuals_count, COUNT);
    ck_assert_mem_eq(residuals, wanted, sizeof wanted);
    history_file_free(&file);
}
END_TEST

START_TEST(columns_come_by_name)
{
    struct history_file file = read_text("residual_hex,more,iteration,run,kernel\r\n"
                                         "0x1p+3,x,0,7,a\r\n"
                                         "0x1p+2,y,1,7,a");
    ck_assert_int_eq(file.runs_count, 1);
    ck_assert_int_eq(file.runs[0].run, 7);
    ck_assert(residuals[0] == 8 && residuals[1] == 4);
    history_file_free(&file);
}
END_TEST

START_TEST(leading_lines_are_facts)
{
    struct history_file file =
        read_text("# A comment.\n" LEAD "#form:  blocks of 3 x 3  \n# of no meaning: at all\n"
                  "# kernel: cpu_sym_bitwise\n#\n" HEADER ROWS);
    const struct history_facts *facts = &file.runs[0].facts;
    ck_assert(file.has_lead);
    ck_assert_str_eq(facts->text[FACT_MATRIX], "0123456789abcdef");
    ck_assert_str_eq(facts->text[FACT_RHS], "fedcba9876543210");
    ck_assert_str_eq(facts->text[FACT_FORM], "blocks of 3 x 3  ");
    ck_assert_str_eq(facts->text[FACT_KERNEL], "cpu_sym_bitwise");
    ck_assert_str_eq(facts->text[FACT_VERSION], "");
    history_file_free(&file);
}
END_TEST

static const char summary[] =
    "{\"problem\": {\"matrix_hash\": \"0000000000000001\", \"rhs_hash\": \"0000000000000002\","
    "  \"reorder\": {\"name\": \"metis\", \"parts\": 4}},\n"
    " \"machine\": {\"threads\": 3, \"version\": \"9.9\"},\n"
    " \"solver\": {\"method\": \"minres\", \"reductions\": \"exact\", \"tolerance\": 1e-8, "
    "\"absolute_tolerance\": 0.25, \"max_iterations\": 70,\n"
    "  \"start\": {\"type\": \"random\", \"hash\": \"0000000000000003\"}},\n"
    " \"kernels\": [{\"name\": \"b\", \"kernel\": \"x\", \"runs\": []},\n"
    "  {\"name\": \"a\", \"kernel\": \"cpu_sym_bitwise\", \"guarantee\": \"bitwise\",\n"
    "   \"parameters\": {\"form\": \"auto\", \"chunk\": 16}, \"description\": \"diagonals\",\n"
    "   \"distinct_histories\": 2, \"runs\": [{\"run\": 2}, {\"run\": 1, \"seconds\": 0.5,\n"
    "   \"reason\": \"converged\", \"solution_hash\": \"00000000000000ff\"}]}]}\n";

START_TEST(summary_beside_it_is_asked)
{
    static const struct {
        enum fact fact;
        const char *text;
    } wanted[] = {
        {FACT_MATRIX, "0000000000000001"},
        {FACT_RHS, "0000000000000002"},
        {FACT_START, "0000000000000003"},
        {FACT_REORDER, "metis"},
        {FACT_PARTS, "4"},
        {FACT_METHOD, "minres"},
        {FACT_KERNEL, "cpu_sym_bitwise"},
        {FACT_PARAMETERS, "form = auto, chunk = 16"},
        {FACT_FORM, "diagonals"},
        {FACT_GUARANTEE, "bitwise"},
        {FACT_REDUCTIONS, "exact"},
        {FACT_TOLERANCE, "1e-08"},
        {FACT_ABSOLUTE_TOLERANCE, "0.25"},
        {FACT_MAX_ITERATIONS, "70"},
        {FACT_THREADS, "3"},
        {FACT_VERSION, "9.9"},
        {FACT_ENDED, "converged"},
        {FACT_SOLUTION, "00000000000000ff"},
        {FACT_RUNS, "2"},
        {FACT_HISTORIES, "2"},
    };
    _Static_assert(sizeof wanted / sizeof *wanted == FACTS, "every fact");
    const char *path = temporary_file("summary.json", summary, -1);
    struct history_file file = read_text(HEADER ROWS "unheard of,1,0,1,0x1p+0,,\n");
    for (size_t k = 0; k < sizeof wanted / sizeof *wanted; k++)
        ck_assert_str_eq(file.runs[0].facts.text[wanted[k].fact], wanted[k].text);
    ck_assert(file.runs[0].seconds == 0.5);
    ck_assert(!facts_are_there(&file.runs[1].facts) && file.runs[1].seconds == 0);
    history_file_free(&file);

    file = read_text(LEAD HEADER ROWS); /* has its own */
    ck_assert_str_eq(file.runs[0].facts.text[FACT_KERNEL], "");
    history_file_free(&file);

    struct error error;
    temporary_file("summary.json", "{\n\"problem\": }", -1);
    expect_error(read_file(temporary_file("history.csv", HEADER ROWS, -1), &file, &error),
                 STATUS_INPUT, &error, "/summary.json:2: ", NULL);
    temporary_file("summary.json", "[1, {\"kernels\": 3}]", -1);
    file = read_text(HEADER ROWS);
    ck_assert(!facts_are_there(&file.runs[0].facts));
    history_file_free(&file);
    unlink(path);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

static const struct {
    const char *text;
    const char *message; /* what follows the path */
} faults[] = {
    {HEADER, ":1: the file holds no history"},
    {LEAD, ":2: the file ends before a header line"},
    {ROWS, ":1: a header line is wanted, and this line has no column 'run'"},
    {"kernel,run,iteration,norm\n" ROWS, ":1: a header line is wanted, and this line has neither a "
                                         "column 'residual_hex' nor 'residual'"},
    {"run,iteration,residual\n1,0,0x1p+0\n", ":2: the residual \"0x1p+0\" is not a number from 0 "
                                             "on, inf or nan"},
    {"run,iteration,residual\n1,0,-1\n",
     ":2: the residual \"-1\" is not a number from 0 on, inf or "
     "nan"},
    {"kernel,run,run,iteration,residual_hex\n", ":1: the header names the column 'run' twice"},
    {",,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,kernel\n",
     ":1: 65 columns are too many, the limit is 64"},
    {HEADER "a,1,0,1,0x1p+0,\n", ":2: the row has 6 fields instead of 7"},
    {HEADER "a,1,0,1,0x1p+0,,,\n", ":2: the row has 8 fields instead of 7"},
    {HEADER "\n", ":2: the row has 1 field instead of 7"},
    {HEADER ROWS "# matrix: 0123456789abcdef\n", ":4: the row has 1 field instead of 7"},
    {HEADER "a,1,1,1,0x1p+0,,\n", ":2: iteration 1 stands where 0 is wanted"},
    {HEADER ROWS "a,1,3,1,0x1p+0,,\n", ":4: iteration 3 stands where 2 is wanted"},
    {HEADER ROWS "a,2,2,1,0x1p+0,,\n", ":4: iteration 2 stands where 0 is wanted"},
    {HEADER ROWS "b,1,2,1,0x1p+0,,\n", ":4: iteration 2 stands where 0 is wanted"},
    {HEADER "a,1.5,0,1,0x1p+0,,\n", ":2: the run \"1.5\" is not a whole number from 0 on"},
    {HEADER "a,1,-1,1,0x1p+0,,\n", ":2: the iteration \"-1\" is not a whole number from 0 on"},
    {HEADER "a,1,9999999999999999999,1,0x1p+0,,\n",
     ":2: the iteration \"9999999999999999999\" is not a whole number from 0 on"},
    {LEAD "# rhs: fedcba9876543210\n" HEADER ROWS, ":3: '# rhs:' is given twice"},
    {"# matrix: 0123456789abcde\n", ":1: '# matrix:' wants a hash of 16 digits 0-9a-f"},
    {"# rhs: 0123456789abcdeF\n", ":1: '# rhs:' wants a hash of 16 digits 0-9a-f"},
    {"# form:  \n", ":1: '# form:' is empty"},
    {"# rhs: 0123456789abcdef\n" HEADER ROWS, ":2: the lines before it lack '# matrix:'"},
    {"# matrix: 0123456789abcdef\n" HEADER ROWS, ":2: the lines before it lack '# rhs:'"},
    {"# a comment\n" HEADER ROWS, ":2: the lines before it lack '# matrix:'"},
    {LEAD HEADER ROWS "a,2,0,1,0x1p+0,,\n",
     ": holds 2 runs, but its lines with # can describe only one"},
};

static void expect_fault(const char *text, const char *message)
{
    struct history_file file;
    struct error error = {""};
    char wanted[512];
    const char *path = temporary_file("history.csv", text, -1);
    snprintf(wanted, sizeof wanted, "%s%s", path, message);
    expect_error(read_file(path, &file, &error), STATUS_INPUT, &error, NULL);
    ck_assert_str_eq(error.text, wanted);
    ck_assert(!file.path && !file.residuals && !file.runs);
    ck_assert_int_eq(memory_live(), 0);
}

START_TEST(faults_are_named)
{
    for (size_t k = 0; k < sizeof faults / sizeof *faults; k++)
        expect_fault(faults[k].text, faults[k].message);
    char text[512];
    snprintf(text, sizeof text, "# form: %0200d\n", 0);
    expect_fault(text, ":1: '# form:' is too long");
    struct history_file file;
    struct error error;
    expect_error(read_file("/no/such/history.csv", &file, &error), STATUS_INPUT, &error,
                 "/no/such/history.csv", NULL);
}
END_TEST

/* Texts that strtod takes, and others: none of them is what %a writes of a norm. */
START_TEST(odd_numbers_are_refused)
{
    static const char *const odd[] = {
        "",          "1",       "1.5",  "0x",     "0x.p+1", "0xp+1",   "-0x1p+0", "+0x1p+0",
        " 0x1p+0",   "0x1p+0 ", "0x1p", "0x1p+",  "0X1p+0", "0x1P+0",  "0x1p+0x", "0x1.8.8p+0",
        "0x1p+2000", "-nan",    "NaN",  "nan(1)", "-inf",   "infinity"};
    for (size_t k = 0; k < sizeof odd / sizeof *odd; k++) {
        char text[256], message[256];
        snprintf(text, sizeof text, HEADER "a,1,0,1,%s,,\n", odd[k]);
        snprintf(
            message, sizeof message,
            ":2: the residual_hex \"%s\" is not a number like 0x1.8p+3, from 0 on, or inf or nan",
            odd[k]);
        expect_fault(text, message);
    }
    expect_fault(HEADER "a,1,0,1,0x1.00000000000000000000000000000000000000000p+0,,\n",
                 ":2: the residual_hex \"0x1.00000000000000000000000000000000000000...\" is not a "
                 "number like 0x1.8p+3, from 0 on, or inf or nan");
}
END_TEST

START_TEST(a_reference_is_one_run)
{
    struct history_file file;
    struct error error = {""};
    const char *path = temporary_file("history.csv", HEADER ROWS "a,2,0,1,0x1p+0,,\n", -1);
    expect_error(reference_file_read(path, &file, &error), STATUS_INPUT, &error, path,
                 "holds more than one run, but a reference must be one", NULL);
    ck_assert(!file.path);
    expect_ok(reference_file_read(temporary_file("history.csv", HEADER ROWS, -1), &file, &error),
              &error);
    ck_assert_int_eq(file.runs[0].count, 2);
    ck_assert(file.residuals[0] == 1 && file.residuals[1] == 0.5);
    history_file_free(&file);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

static enum status attempt(void *context, struct error *error)
{
    struct history_file file;
    enum status status = history_file_read(context, NULL, NULL, &file, error);
    history_file_free(&file);
    return status;
}

static enum status attempt_reference(void *context, struct error *error)
{
    struct history_file file;
    enum status status = reference_file_read(context, &file, error);
    history_file_free(&file);
    return status;
}

START_TEST(every_allocation_may_fail)
{
    char path[256];
    snprintf(path, sizeof path, "%s",
             temporary_file("history.csv", HEADER ROWS "a,2,0,1,0x1p+0,,\n", -1));
    walk_allocation_failures(attempt, path);
    snprintf(path, sizeof path, "%s", temporary_file("reference.csv", LEAD HEADER ROWS, -1));
    walk_allocation_failures(attempt_reference, path);
}
END_TEST

/* --- several right-hand sides ----------------------------------------------------------------- */

#define C_HEADER "kernel,run,iteration,residual_hex,column\n"
#define C_ROWS "a,1,0,0x1p+0,0\na,1,1,0x1p-1,0\na,1,0,0x1p+2,1\n"

START_TEST(a_reference_has_the_columns_of_one_run)
{
    struct history_file file;
    struct error error;
    char name[64];
    expect_ok(
        reference_file_read(
            temporary_file("columns.csv",
                           LEAD "# ended 0: converged\n# ended 1: stagnation\n"
                                "# kernel: k\n# solution 1: 1111111111111111\n" C_HEADER C_ROWS,
                           -1),
            &file, &error),
        &error);
    ck_assert_int_eq(file.runs_count, 2);
    ck_assert(file.runs[0].count == 2 && file.runs[1].count == 1 && file.runs[1].begin == 2);
    ck_assert(file.residuals[0] == 1 && file.residuals[1] == 0.5 && file.residuals[2] == 4);
    for (int k = 0; k < 2; k++) {
        ck_assert_int_eq(file.runs[k].column, k);
        ck_assert_str_eq(file.runs[k].facts.text[FACT_KERNEL], "k");
        ck_assert_str_eq(file.runs[k].facts.text[FACT_MATRIX], "0123456789abcdef");
        ck_assert_str_eq(file.runs[k].facts.text[FACT_ENDED], k ? "stagnation" : "converged");
        ck_assert_str_eq(file.runs[k].facts.text[FACT_SOLUTION], k ? "1111111111111111" : "");
    }
    ck_assert_str_eq(recorded_run_name(&file, 1, name, sizeof name), ", run 1, column 1");
    history_file_free(&file);
    file = read_text(HEADER ROWS);
    ck_assert_str_eq(recorded_run_name(&file, 0, name, sizeof name), ", run 1");
    history_file_free(&file);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

START_TEST(faults_of_columns_are_named)
{
    static const struct {
        const char *text, *fault;
    } cases[] = {
        {C_HEADER "a,1,0,0x1p+0,-1\n", ":2:"},
        {C_HEADER "a,1,0,0x1p+0,\n", ":2:"},
        {C_HEADER "a,1,0,0x1p+0,0\na,1,0,0x1p+0,1\na,1,1,0x1p+0,0\n",
         ":4: iteration 1 stands where 0 is wanted"},
        {LEAD "# ended 0: converged\n# ended 0: converged\n" C_HEADER C_ROWS,
         ":4: '# ended:' is given twice"},
        {LEAD "# solution 1024: 1111111111111111\n" C_HEADER C_ROWS,
         ":3: '# solution 1024:' is of a column that no solve has"},
        {LEAD C_HEADER C_ROWS "a,2,0,0x1p+0,0\n", "more than one run"},
        {LEAD C_HEADER C_ROWS "b,1,0,0x1p+0,2\n", "more than one run"},
        {C_HEADER "a,1,0,0x1p+0,0\n" C_HEADER, ":3:"},
    };
    struct history_file file;
    struct error error;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const char *path = temporary_file("fault.csv", cases[k].text, -1);
        expect_error(reference_file_read(path, &file, &error), STATUS_INPUT, &error, path,
                     cases[k].fault, NULL);
    }
    /* a name with a number that tells nothing of one column is a comment, as it was */
    expect_ok(
        reference_file_read(
            temporary_file("comment.csv", LEAD "# method 3: x\n# ended x: y\n" C_HEADER C_ROWS, -1),
            &file, &error),
        &error);
    ck_assert_str_eq(file.runs[0].facts.text[FACT_METHOD], "");
    ck_assert_str_eq(file.runs[0].facts.text[FACT_ENDED], "");
    history_file_free(&file);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {runs_are_told_apart,         every_residual_comes_back,
                            columns_come_by_name,        leading_lines_are_facts,
                            summary_beside_it_is_asked,  faults_are_named,
                            odd_numbers_are_refused,     a_reference_is_one_run,
                            every_allocation_may_fail,   a_reference_has_the_columns_of_one_run,
                            faults_of_columns_are_named, NULL};
    return suite_of("program/record/history_file", tests);
}
