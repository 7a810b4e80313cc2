/* problems/fetch.sh, from a copy of it and a collection of its own in a temporary directory: what
 * it downloads, checks, unpacks and refuses. */
#include "support.h"

#include "main/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

/* What every script begins with. `archive GROUP NAME` packs the directory NAME for the collection;
 * `expect STATUS ARGUMENTS...` calls fetch.sh, and `says TEXT` looks into what it printed;
 * `only FILES...` is what it may have left. */
static const char before[] =
    "rm -rf $here; mkdir -p $here/problems $here/site/MM; root=$PWD\n"
    "cp problems/fetch.sh $here/problems/; cd $here\n"
    "export SUITESPARSE_URL=file://$here/site SUITESPARSE_INDEX=file://$here/site/index\n"
    "archive() { mkdir -p site/MM/$1; tar -cPzf site/MM/$1/$2.tar.gz $2; }\n"
    "expect() {\n"
    "    wanted=$1; shift; status=0\n"
    "    problems/fetch.sh \"$@\" >said 2>&1 || status=$?\n"
    "    cat said; test $status = $wanted\n"
    "}\n"
    "says() { grep -F -e \"$1\" said; }\n"
    "only() { test \"$(ls -A problems/suitesparse | xargs)\" = \"$*\"; }\n"
    "sum() { sha256sum <site/MM/$1 | cut -d ' ' -f 1; }\n"
    "mkdir toy\n"
    "{ echo '%%MatrixMarket matrix coordinate real symmetric'\n"
    "  echo 2 2 2; echo 1 1 4; echo 2 2 5; } >toy/toy.mtx\n"
    "echo 'a right-hand side' >toy/toy_b.mtx\n"
    "archive Play toy\n";

static void shell(const char *script)
{
    if (system("command -v curl >/dev/null") != 0) {
        printf("not tested, because curl is not here: scripts/setup check installs it\n");
        return;
    }
    char command[8192];
    const char *log = temporary_path("log");
    snprintf(command, sizeof command, "exec >'%s' 2>&1; here='%s'; set -ex\n%s%s", log,
             temporary_path("fetch"), before, script);
    int status = system(command);
    ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "failed: %s", file_text(log));
}

START_TEST(matrix_is_fetched_and_solved)
{
    shell("expect 0 Play/toy\n"
          "only SHA256SUMS toy.mtx\n"
          "cmp toy/toy.mtx problems/suitesparse/toy.mtx\n"
          "says NOT\n"
          "test \"$(cat problems/suitesparse/SHA256SUMS)\" = \"$(sum Play/toy.tar.gz)  "
          "Play/toy.tar.gz\"\n"
          "tail -n 1 said >solve.cfg\n"
          "echo 'kernels = (\"cpu_sym\");' >>solve.cfg\n"
          "$CGSOLVE --output $here/results solve.cfg\n"
          "expect 0 -a -d another/place Play/toy\n"
          "says 'path = \"another/place/toy.mtx\"'\n"
          "cmp toy/toy_b.mtx another/place/toy_b.mtx\n");
}
END_TEST

START_TEST(what_is_there_is_left_alone)
{
    shell("expect 0 Play/toy\n"
          "rm -r site; echo mine >problems/suitesparse/toy.mtx\n"
          "expect 0 Play/toy\n"
          "says 'left alone'; says 'problem = '\n"
          "expect 1 Other/toy\n" /* the same name, another matrix */
          "says 'not from Other/toy.tar.gz'\n"
          "test \"$(cat problems/suitesparse/toy.mtx)\" = mine\n");
}
END_TEST

START_TEST(sum_is_compared)
{
    shell("echo \"$(sum Play/toy.tar.gz)  Play/toy.tar.gz\" >problems/checksums.txt\n"
          "expect 0 Play/toy\n"
          "says ': verified'\n"
          /* another file than the list says */
          "rm -r problems/suitesparse; echo changed >>toy/toy_b.mtx; archive Play toy\n"
          "expect 3 Play/toy\n"
          "says 'not '; only\n"
          /* not in the list: another one than when it first came */
          "rm problems/checksums.txt\n"
          "expect 0 Play/toy\n"
          "rm problems/suitesparse/toy.mtx\n"
          "expect 0 Play/toy\n"
          "says 'as when it first came'\n"
          "rm problems/suitesparse/toy.mtx; echo more >>toy/toy_b.mtx; archive Play toy\n"
          "expect 3 Play/toy\n"
          "only SHA256SUMS\n");
}
END_TEST

START_TEST(interrupted_download_is_resumed)
{
    shell("mkdir problems/suitesparse; file=site/MM/Play/toy.tar.gz\n"
          "head -c 50 $file >problems/suitesparse/Play-toy.tar.gz.partial\n"
          /* only who asks for the rest alone does not get these */
          "{ head -c 50 /dev/zero; tail -c +51 $file; } >$file.new; mv $file.new $file\n"
          "expect 0 Play/toy\n"
          "says 'going on'\n"
          "cmp toy/toy.mtx problems/suitesparse/toy.mtx\n"
          "only SHA256SUMS toy.mtx\n"
          /* whole, and stopped before it was unpacked */
          "archive Play toy; rm -r problems/suitesparse/*\n"
          "mv $file problems/suitesparse/Play-toy.tar.gz.partial\n"
          "expect 0 Play/toy\n"
          "only SHA256SUMS toy.mtx\n");
}
END_TEST

START_TEST(broken_archives_are_refused)
{
    shell("file=site/MM/Play/toy.tar.gz\n"
          "cp $file whole; head -c 60 whole >$file\n"
          "expect 3 Play/toy\n"
          "only\n"
          "{ head -c 60 whole; echo no; tail -c +64 whole; } >$file\n"
          "expect 3 Play/toy\n"
          "only\n"
          "echo '<html>' >$file\n"
          "expect 3 Play/toy\n"
          "only\n"
          "rm toy/toy.mtx; archive Play toy\n"
          "expect 3 Play/toy\n"
          "says 'cannot unpack toy/toy.mtx'; only Play-toy.tar.gz.partial\n"
          "rm problems/suitesparse/*; echo '%%Matrix' >toy/toy.mtx; archive Play toy\n"
          "expect 3 Play/toy\n"
          "says 'not a Matrix Market file'; only Play-toy.tar.gz.partial\n");
}
END_TEST

/* What was fetched without -a gets the rest with it, once. */
START_TEST(the_rest_is_fetched_later)
{
    shell("expect 0 Play/toy\n"
          "only SHA256SUMS toy.mtx\n"
          "expect 0 -a Play/toy\n"
          "only SHA256SUMS toy.mtx toy_b.mtx\n"
          "rm -r site/MM\n"
          "expect 0 -a Play/toy\n"
          "says 'left alone'\n"
          "expect 0 Play/toy\n");
}
END_TEST

START_TEST(archives_cannot_write_elsewhere)
{
    shell("file=site/MM/Play/toy.tar.gz; mkdir in; mv toy in/; cd in\n"
          "echo evil | tee ../evil $here/absolute toy/toy_..mtx toy/SHA256SUMS toy/other >evil\n"
          "mkdir toy/toy_sub; echo evil >toy/toy_sub/x.mtx\n"
          "tar -cPzf ../$file toy ../evil $here/absolute toy/../evil toy/toy_sub/../../evil\n"
          "rm ../evil $here/absolute; cd ..\n"
          "expect 0 -a Play/toy\n"
          "only SHA256SUMS toy.mtx toy_..mtx toy_b.mtx\n"
          "test \"$(wc -l <problems/suitesparse/SHA256SUMS)\" = 1\n"
          "test ! -e evil; test ! -e absolute; test ! -e problems/evil; test ! -e problems/toy\n"
          /* a link instead of the matrix */
          "rm -r problems/suitesparse; mkdir toy; ln -s $root/README.md toy/toy.mtx\n"
          "archive Play toy\n"
          "expect 3 Play/toy\n"
          "only Play-toy.tar.gz.partial\n");
}
END_TEST

START_TEST(names_are_looked_up)
{
    shell("{ echo 3; echo 31-Oct-2023; echo Play,toy,2,2,2,1; echo One,both,1,1,1,1\n"
          "  echo Two,both,1,1,1,1; echo ../up,out,1,1,1,1; } >site/index\n"
          "expect 0 toy\n"
          "expect 1 nothing\n"
          "says 'nothing: no such name'\n"
          "expect 1 both\n"
          "says 'several groups: One/both Two/both'\n"
          "expect 1 out\n" /* no group of that name can be */
          "says 'out: no such name'\n"
          "expect 1 Play/nothing\n"
          "says 'cannot download'\n"
          "rm site/index\n"
          "expect 1 toy\n"
          "says 'cannot look toy up'\n"
          "only SHA256SUMS toy.mtx\n"
          /* known without the index */
          "expect 1 af_shell10\n"
          "says MM/Schenk_AFE/af_shell10.tar.gz\n");
}
END_TEST

START_TEST(command_line_is_checked)
{
    shell("expect 2\n"
          "says usage; says Janna/Cube_Coup_dt0\n"
          "expect 0 -h\n"
          "expect 2 -x toy\n"
          "for name in ../toy Play/../toy Play/toy/toy /toy Play/ .. '' 'to y' 't*' -- '$(x)'; do\n"
          "    expect 2 \"$name\"\n"
          "done\n"
          "test ! -e problems/suitesparse\n"
          "echo >blocked\n"
          "expect 4 -d blocked/below Play/toy\n"
          "says 'cannot make blocked/below'\n");
}
END_TEST

/* On a machine with neither curl nor wget. */
START_TEST(what_is_missing_is_told)
{
    shell("mkdir bin\n"
          "for name in sh dirname mkdir mktemp rm; do ln -s \"$(command -v $name)\" bin/; done\n"
          "status=0; PATH=$here/bin sh problems/fetch.sh Play/toy >said 2>&1 || status=$?\n"
          "test $status = 4\n"
          "says 'fetch: neither curl nor wget is here: scripts/setup check installs curl'\n");
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {matrix_is_fetched_and_solved,
                            what_is_there_is_left_alone,
                            sum_is_compared,
                            interrupted_download_is_resumed,
                            broken_archives_are_refused,
                            the_rest_is_fetched_later,
                            archives_cannot_write_elsewhere,
                            names_are_looked_up,
                            command_line_is_checked,
                            what_is_missing_is_told,
                            NULL};
    return suite_of("main/fetch", tests);
}
