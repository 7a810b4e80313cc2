/* Plug-ins: docs/example compiled by the line of docs/plugins.md, and used as what is built in is;
 * and objects that are refused. */
#include "support.h"

#include "main/copy.h"
#include "main/program.h"

#include <stdlib.h>

/* After make_example_plugin: `cgsolve` is the program with it, in $copy; `refused SETTING SENTENCE`
 * has it check one. */
#define EXAMPLE                                                                                    \
    "CGSOLVE_PLUGINS=$copy/example.so; export CGSOLVE_PLUGINS\n"                                   \
    "config=$PWD/configs/quickstart.cfg\n"                                                         \
    "cd $copy\n"                                                                                   \
    "cgsolve() { $CGSOLVE \"$@\"; }\n"                                                             \
    "refused() {\n"                                                                                \
    "  if cgsolve --check-config --set \"$1\" $config 2>says; then return 1; fi\n"                 \
    "  grep \"$2\" says\n"                                                                         \
    "}\n"

START_TEST(a_problem)
{
    make_example_plugin();
    shell(EXAMPLE
          "cgsolve --help problem >help\n"
          "grep 'ring: a closed chain of nodes' help\n"
          "grep 'With problem.type = \"ring\":' help\n"
          "cgsolve --help problem.stiffness | grep 'problem.stiffness: a real in (0, 1e+06]'\n"
          "refused 'problem={ type=\"ring\"; n=2; }' 'n wants a whole number, 3..2147483647'\n"
          "refused 'problem={ type=\"rink\"; }' \"or .ring., not .rink.; did you mean 'ring'\"\n"
          "refused 'problem={ type=\"ring\"; n=9; jump=2; }' 'jump is for type .poisson3d. or "
          ".elasticity3d., not'\n"
          "cgsolve --output out --set 'problem={ type=\"ring\"; n=12; stiffness=2; shift=0.5; }' "
          "--set rhs.type=random $config >says\n"
          "grep 'problem   ring, 12 nodes, stiffness 2, shift 0.5' says\n"
          "grep 'n = 12, 36 entries' says\n"
          "grep '    stiffness = 2.0;' out/settings.cfg\n"
          "grep '\"type\": \"ring\"' out/summary.json\n");
    /* without the variable it is not there, but settings.cfg names the plug-in */
    shell("cd $copy\n"
          "if $CGSOLVE --help problem | grep ' ring: '; then exit 1; fi\n"
          "grep \"^plugins = (\\\"$copy/example.so\\\");$\" out/settings.cfg\n"
          "$CGSOLVE --quiet --output again out/settings.cfg\n"
          "cmp out/history.csv again/history.csv\n");
}
END_TEST

START_TEST(a_preconditioner)
{
    make_example_plugin();
    shell(EXAMPLE
          "cgsolve --help preconditioner >help\n"
          "tr -s ' \\n' ' ' <help | grep '\"auto\" or \"richardson\"; default none'\n"
          "grep 'With solver.preconditioner.type = \"richardson\":' help\n"
          "grep 'solver.preconditioner.omega: a real in (0, 1e+150]; may be left out' help\n"
          "in=solver.preconditioner\n"
          "refused \"$in={ type=\\\"richardson\\\"; omega=0; }\" 'omega wants a real in (0, 1e'\n"
          "refused \"$in={ type=\\\"jacobi\\\"; omega=8; }\" 'is for type .richardson., not .jac'\n"
          "refused \"$in={ type=\\\"richardsen\\\"; }\" \"did you mean 'richardson'\"\n");
    /* a little more than half of the bound, 12, is enough too */
    shell(EXAMPLE
          "solve() {\n"
          "  cgsolve --set 'kernels=(\"cpu_sym_bitwise\")' --set output.report=false "
          "--set problem.n=8 --set problem.jump=1 --set \"solver.preconditioner={ $1 }\" "
          "--output made --details $config >says\n"
          "  grep '\"reason\": \"converged\"' made/summary.json\n"
          "  grep '\"distinct_histories\": 1' made/summary.json\n"
          "  iterations=$(sed -n 's/.*\"median\": \\([0-9]*\\).*/\\1/p' made/summary.json)\n"
          "}\n"
          "solve 'type=\"none\";'\n"
          "without=$iterations\n"
          "solve 'type=\"richardson\";'\n"
          "grep 'preconditioner richardson: omega 12' says\n"
          "grep '\"omega\": null' made/summary.json\n"
          "grep '\"products_per_iteration\": 2' made/summary.json\n"
          "[ $iterations -lt $without ]\n"
          "solve 'type=\"richardson\"; omega=6.5;'\n"
          "grep '        omega = 6.5;' made/settings.cfg\n"
          "grep '\"omega\": 6.5' made/summary.json\n"
          "[ $iterations -lt $without ]\n");
}
END_TEST

START_TEST(a_method)
{
    make_example_plugin();
    shell(EXAMPLE "cgsolve --help solver.method | grep '\"steepest_descent\"'\n"
                  "cgsolve --help solver.method | tr -s ' \\n' ' ' | "
                  "grep 'steepest_descent: steepest descent, for a symmetric'\n"
                  "cgsolve --help solver.tolerance | tr -s ' \\n' ' ' | grep '\"richardson\" or "
                  "\"steepest_descent\"'\n");
    /* a solve, whose bits are the kernel's affair, and a series of the method's own; then a matrix
     * that it does not take */
    shell(EXAMPLE
          "call() {\n"
          "  cgsolve --set solver.method=steepest_descent --set output.report=false \"$@\"\n"
          "}\n"
          "call --set 'kernels=(\"cpu_sym_bitwise\")' --set problem.n=8 --set problem.jump=1 "
          "--set trace.every=5 --output made $config | tee says\n"
          "grep -c ',[rx],' made/trace.csv\n"
          "grep 'solver    steepest_descent, ||r|| <= 1e-08 ||b||' says\n"
          "grep '\"method\": \"steepest_descent\"' made/summary.json\n"
          "grep '\"reason\": \"converged\"' made/summary.json\n"
          "grep '\"distinct_histories\": 1' made/summary.json\n"
          "[ \"$(head -n 1 made/history.csv)\" = "
          "kernel,run,iteration,residual,residual_hex,alpha,contraction ]\n"
          "sed -n 2p made/history.csv | grep ',,$'\n" /* row 0 has neither */
          "awk -F, 'NR > 2 && !($7 > 0 && ($7 - $4 / before) ^ 2 < 1e-24) { exit 1 }\n"
          "    { before = $4 } END { exit !(NR > 10) }' made/history.csv\n"
          "status=0\n"
          "call --set 'problem = { type = \"convection3d\"; n = 4; }' $config >says 2>&1 || "
          "status=$?\n"
          "[ $status = 2 ]\n"
          "grep 'steepest descent needs a symmetric matrix, and this one is skew-symmetric: r' "
          "says\n");
}
END_TEST

/* By relative paths of a config, twice; and from the command line. */
START_TEST(a_kernel)
{
    make_example_plugin();
    shell(EXAMPLE
          "unset CGSOLVE_PLUGINS\n"
          "ln -s example.so link.so\n"
          "echo 'plugins = (\"example.so\", \"./link.so\"); repeats = 2; problem = { type = "
          "\"poisson3d\"; n = 8; }; kernels = (\"cpu_csr_descending\", \"cpu_csr\");' >of.cfg\n"
          "cgsolve --quiet --output made of.cfg\n"
          "grep '^plugins = (\"example.so\");$' made/settings.cfg\n"
          "[ $(grep -c '\"declared\": true' made/summary.json) = 1 ]\n"
          "cgsolve --output made --wide of.cfg | grep '^cpu_csr_descending *full *declared '\n"
          "grep '>bitwise, declared<' made/report.html\n"
          "awk -F, '{ print $1 }' made/history.csv | grep -c cpu_csr_descending\n"
          "cgsolve bench --set 'plugins=(\"./example.so\")' --kernels cpu_csr_descending,cpu_csr "
          "--set 'problem={ type=\"ring\"; n=999; }' --rounds 2 --set bench.seconds=1e-5 >says\n"
          "grep 'cpu_csr_descending  PASS' says\n"
          "if cgsolve --list-kernels | grep descending; then exit 1; fi\n"
          "CGSOLVE_PLUGINS=./example.so cgsolve --list-kernels >says\n"
          "grep '^cpu_csr_descending *full *declared  *full rows, one thread, desc' says\n"
          "grep '^ *of ./example.so, which declares: bitwise' says\n");
}
END_TEST

/* As it is, and with a product in ten that is another. */
START_TEST(they_are_proved)
{
    make_example_plugin();
    shell(
        "CGSOLVE_PLUGINS=; cgsolve() { $CGSOLVE \"$@\"; }\n"
        "cgsolve bench --prove $copy/example.so >$copy/says\n"
        "grep 'kernel cpu_csr_descending: bitwise holds, and [0-9]* products of 39' $copy/says\n"
        "tr -s ' \\n' ' ' <$copy/says | grep 'preconditioner richardson: [0-9]* applications for "
        "12 '\n"
        "tr -s ' \\n' ' ' <$copy/says | grep 'method steepest_descent: [0-9]* solves with 12 '\n"
        "grep 'problem ring: has no trials' $copy/says\n"
        "cgsolve bench --quiet --prove $copy/example.so >$copy/says\n"
        "[ ! -s $copy/says ]\n"
        "for option in --cold --certificate --wide --set=repeats=2 configs/quickstart.cfg; do\n"
        "  status=0\n"
        "  cgsolve bench --prove a.so $option 2>$copy/says || status=$?\n"
        "  [ $status = 2 ]\n"
        "  grep 'bench --prove a.so: takes --quiet and nothing else' $copy/says\n"
        "done\n"
        "sed 's/y.i. = sum;/static int calls; y[i] = i == 0 \\&\\& ++calls % 10 == 0 ? sum * (1 + "
        "0x1p-52) : sum;/' docs/example/cpu_csr_descending.c >$copy/broken.c\n"
        "grep calls $copy/broken.c\n"
        "compile() {\n"
        "  echo '#include \"component/plugin.h\"' >>$copy/$1.c\n"
        "  echo 'CGSOLVE_PLUGIN(&kernel_cpu_csr_descending.component)' >>$copy/$1.c\n"
        "  ${CC:-cc} $(scripts/plugin-flags) -o $copy/$1.so $copy/$1.c\n"
        "}\n"
        "compile broken\n"
        "status=0\n"
        "cgsolve bench --quiet --prove $copy/broken.so >$copy/says || status=$?\n"
        "[ $status = 1 ]\n"
        "tr -s ' \\n' ' ' <$copy/says | grep 'kernel cpu_csr_descending: BROKEN: .* threads*: y: "
        "row 0 is .*, and was'\n"
        /* one that goes on where memory is short ends its own process */
        "sed 's/  if (!full)/  if (!full \\&\\& A->n < 0)/' docs/example/cpu_csr_descending.c "
        ">$copy/forgetful.c\n"
        "grep 'A->n < 0' $copy/forgetful.c\n"
        "compile forgetful\n"
        "status=0\n"
        "cgsolve bench --prove $copy/forgetful.so >$copy/says || status=$?\n"
        "[ $status = 1 ]\n"
        "tr -s ' \\n' ' ' <$copy/says | grep 'kernel cpu_csr_descending: BROKEN: in the trial of "
        "failed allocations the process ended: '\n"
        "status=0\n"
        "cgsolve bench --prove none.so 2>$copy/says || status=$?\n"
        "[ $status = 3 ]\n");
}
END_TEST

/* The rules that hold for every component, and the trials of every kernel: the suites load what
 * CGSOLVE_PLUGINS names. */
START_TEST(the_rules_for_all)
{
    make_example_plugin();
    shell(EXAMPLE "cd -\n"
                  "for suite in base/test_options solver/test_methods solver/test_time; do\n"
                  "  if [ -x $built/tests/$suite ]; then $built/tests/$suite; fi\n"
                  "done\n"
                  "CGSOLVE_TEST_KERNEL=cpu_csr_descending; export CGSOLVE_TEST_KERNEL\n"
                  "suite=$built/tests/spmv/test_kernels\n"
                  "if [ -x $suite ]; then $suite; fi\n");
}
END_TEST

/* An object of this source, NAME.so. */
static void object(const char *name, const char *source)
{
    char script[2048], file[64];
    snprintf(file, sizeof file, "%s.c", name);
    snprintf(script, sizeof script,
             "mkdir -p $copy\n"
             "${CC:-cc} $(scripts/plugin-flags) -O1 -o $copy/%s.so '%s'\n",
             name, temporary_file(file, source, -1));
    shell(script);
}

/* The config with plugins = VALUE, and nothing of it is there afterwards. */
static void expect_refused(const char *value, const char *sentence)
{
    const char *directory = temporary_path("a copy");
    char text[256];
    snprintf(text, sizeof text, "plugins = %s;\n%s", value, small_config);
    const char *config = temporary_file("refused.cfg", text, -1);
    struct outcome *outcome = run_program(
        "--version >/dev/null; cd '%s' && \"$CGSOLVE\" --check-config '%s'", directory, config);
    expect_exit(outcome, 2);
    expect_text(outcome->errors, "refused.cfg:1: ");
    expect_text(outcome->errors, sentence);
}

#define OF_KERNELS                                                                                 \
    "#include \"component/plugin.h\"\n"                                                            \
    "static enum status setup(const struct csr *A, const struct kernel_options *options,\n"        \
    "    struct linear_operator *made, struct error *error)\n"                                     \
    "{ (void)A, (void)options, (void)made; return error_set(error, STATUS_CONFIG, \"no\"); }\n"    \
    "#define NAMED(name) {.component = KERNEL_COMPONENT(name, \"\", NULL), .setup = setup,\\\n"    \
    "    .kinds = CSR_SYMMETRIC}\n"

START_TEST(what_is_none_is_refused)
{
    object("empty", "int nothing;\n");
    object("lacking", "#include \"component/plugin.h\"\nint missing_function(void);\n"
                      "int use(void) { return missing_function(); }\n"
                      "static const struct kernel kernel = {.kinds = 1};\n"
                      "CGSOLVE_PLUGIN(&kernel.component)\n");
    expect_refused("(\"none.so\")", "plug-in none.so: cannot be loaded: No such file");
    expect_refused("(\"./empty.so\", \"none.so\")", "it has no cgsolve_plugin");
    expect_refused("(\"..\")", "..: cannot be loaded: it is no regular file");
    expect_refused("(\"/dev/zero\")", "it is no regular file");
    expect_refused("(\"../refused.cfg\")", "../refused.cfg: cannot be loaded: ");
    expect_refused("(\"lacking.so\")", "undefined symbol: missing_function");
    expect_refused("\"empty.so\"", "plugins wants a list ( \"PATH\", ... ), not the string");
    expect_refused("(\"\")", "plugins wants paths in quotes");
    expect_refused("[1]", "plugins wants paths in quotes, not 1");
    struct outcome *outcome =
        run_program("--version >/dev/null; CGSOLVE_PLUGINS=::none.so:x \"$CGSOLVE\" --help");
    expect_exit(outcome, 3);
    expect_text(outcome->errors, "none.so: cannot be loaded: No such file");
    expect_exit(run_program("--version >/dev/null; CGSOLVE_PLUGINS=: \"$CGSOLVE\" --help"), 0);
}
END_TEST

START_TEST(another_interface_is_refused)
{
    object("later",
           "#include \"component/plugin.h\"\n"
           "const struct plugin cgsolve_plugin = {CGSOLVE_PLUGIN_INTERFACE + 1, 0, 0, 0};\n");
    object("other", "#include \"component/plugin.h\"\n"
                    "static const uint32_t sizes[] = {PLUGIN_STRUCTS(PLUGIN_SIZE) [6] = 8};\n"
                    "const struct plugin cgsolve_plugin = {CGSOLVE_PLUGIN_INTERFACE,\n"
                    "    sizeof sizes / sizeof *sizes, sizes, 0};\n");
    object("more", "#include \"component/plugin.h\"\n"
                   "static const uint32_t sizes[] = {PLUGIN_STRUCTS(PLUGIN_SIZE) 8};\n"
                   "const struct plugin cgsolve_plugin = {CGSOLVE_PLUGIN_INTERFACE,\n"
                   "    sizeof sizes / sizeof *sizes, sizes, 0};\n");
    expect_refused("(\"later.so\")", "is a plug-in for another cgsolve: its interface is ");
    expect_refused("(\"more.so\")", "is a plug-in for another cgsolve: its interface is ");
    expect_refused("(\"other.so\")", "its struct kernel has 8 bytes, and here it has");
}
END_TEST

/* Another word in a header that a listed function stands in, and no other size. */
START_TEST(a_plugin_of_other_headers_is_refused)
{
    shell("mkdir -p $copy\n"
          "cp -R include src scripts $copy/\n"
          "cp -R docs/example $copy/\n"
          "echo 'CGSOLVE_PLUGIN(&kernel_cpu_csr_descending.component)' >>"
          "$copy/example/cpu_csr_descending.c\n"
          "sed -i '1i #include \"component/plugin.h\"' $copy/example/cpu_csr_descending.c\n"
          "cd $copy\n"
          "make_it() {\n"
          "  ${CC:-cc} $(scripts/plugin-flags) -o $1.so example/cpu_csr_descending.c\n"
          "}\n"
          "make_it same\n"
          "CGSOLVE_PLUGINS=./same.so $CGSOLVE --list-kernels | grep cpu_csr_descending\n"
          "sed 's/every element is overwritten/every element but one is overwritten/' "
          "src/spmv/operator.h >changed\n"
          "cp changed src/spmv/operator.h\n"
          "grep 'but one is overwritten' src/spmv/operator.h\n"
          "make_it other\n");
    expect_refused("(\"other.so\")", "is a plug-in for another cgsolve: its interface is ");
}
END_TEST

START_TEST(a_bad_component_is_refused)
{
    object("taken", OF_KERNELS "static const struct kernel a = NAMED(\"new\"), b = "
                               "NAMED(\"cpu_csr\");\n"
                               "CGSOLVE_PLUGIN(&a.component, &b.component)\n");
    object("twice", OF_KERNELS "static const struct kernel a = NAMED(\"new\"), b = "
                               "NAMED(\"new\");\n"
                               "CGSOLVE_PLUGIN(&a.component, &b.component)\n");
    object("odd", OF_KERNELS "static const struct kernel a = NAMED(\"New, one\");\n"
                             "CGSOLVE_PLUGIN(&a.component)\n");
    object("bare", OF_KERNELS "static const struct method a = {.component = {COMPONENT_METHOD, "
                              "\"bare\", \"\", NULL, 0, NULL}};\n"
                              "CGSOLVE_PLUGIN(&a.component)\n");
    object("new", OF_KERNELS "static const struct kernel a = NAMED(\"new\");\n"
                             "CGSOLVE_PLUGIN(&a.component)\n");
    shell("cp $copy/new.so $copy/newer.so\n");
    expect_refused("(\"taken.so\")", "there is a kernel cpu_csr already: it is built in");
    expect_refused("(\"twice.so\")", "twice.so: has two kernels new");
    expect_refused("(\"odd.so\")", "component 0 has no kind, no summary, or no name of a-z");
    expect_refused("(\"bare.so\")", "the method bare has not a title, needs or matrix");
    expect_refused("(\"new.so\", \"newer.so\")",
                   "newer.so: there is a kernel new already: it is of new.so");
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {a_problem,
                            a_preconditioner,
                            a_method,
                            a_kernel,
                            they_are_proved,
                            the_rules_for_all,
                            what_is_none_is_refused,
                            another_interface_is_refused,
                            a_plugin_of_other_headers_is_refused,
                            a_bad_component_is_refused,
                            NULL};
    return suite_of("main/plugin", tests);
}
