"""The library over ranks of MPI: docs/example/ranks.c has the history and the x of one process."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

BUILD = pathlib.Path(os.environ["CGSOLVE_BUILD"])
SOURCE, INCLUDE = pathlib.Path("docs/example/ranks.c").resolve(), pathlib.Path("include").resolve()
RANKS = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
         "OMPI_MCA_rmaps_base_oversubscribe": "1"}
NO_CXX = ("-DOMPI_SKIP_MPICXX", "-DMPICH_SKIP_MPICXX")  # their own bindings for C++ have warnings
FLAGS = "-Wall -Wextra -Wpedantic -Wconversion -Wno-sign-conversion -Werror".split()


def call(*command, cwd=None):
    return subprocess.run([str(word) for word in command], cwd=cwd, capture_output=True, text=True, check=False,
                          env=os.environ | RANKS)


class Mpi(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        for tool in ("mpirun", "mpicc"):
            if not shutil.which(tool):
                raise unittest.SkipTest(f"{tool} is not here")
        holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(holder.cleanup)
        cls.path = pathlib.Path(holder.name)
        cls.ranks = cls.path / "ranks"
        done = call("mpicc", "-std=c11", *FLAGS, f"-I{INCLUDE}", SOURCE, f"-L{BUILD}", "-lcgsolve",
                    f"-Wl,-rpath,{BUILD}", "-o", cls.ranks)
        assert done.returncode == 0, done.stderr

    def run_over(self, ranks, *arguments, fails=False):
        done = call("mpirun", "-n", ranks, self.ranks, *arguments)
        self.assertEqual(done.returncode != 0, fails, done.stdout + done.stderr)
        return done.stderr if fails else done.stdout

    def test_the_bits_of_one_process(self):
        """Rank 0 has no rows, and the others have uneven ones."""
        for preconditioner in ("none", "jacobi", "chebyshev", "multigrid"):
            alone = self.run_over(1, 20, preconditioner)
            self.assertGreater(alone.count("\n"), 6)
            for ranks in (2, 3, 4):
                self.assertEqual(self.run_over(ranks, 20, preconditioner), alone)

    def test_one_sentence(self):
        said = self.run_over(3, 8, "ilu", fails=True)
        self.assertEqual(said.count('preconditioner wants "none", '), 1, said)

    def test_the_header_in_both_languages(self):
        for compiler, language in (("mpicc", "-std=c11"), ("mpicxx", "-std=c++11")):
            if not shutil.which(compiler):
                continue
            text = self.path / ("one.c" if compiler == "mpicc" else "one.cpp")
            text.write_text("#include <cgsolve/mpi.h>\n#include <cgsolve/mpi.h>\nextern int unused;\n")
            done = call(compiler, language, *FLAGS, *NO_CXX, "-fsyntax-only", f"-I{INCLUDE}", text)
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_the_library_knows_no_mpi(self):
        said = call("ldd", BUILD / "libcgsolve.so")
        self.assertNotRegex(said.stdout, re.compile("libmpi", re.I))


if __name__ == "__main__":
    unittest.main()
