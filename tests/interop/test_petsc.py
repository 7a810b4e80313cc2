"""The plug-in for PETSc: the bits of the program, and PETSc's own ways with it."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import systems

PROGRAM = os.environ["CGSOLVE"]
BUILD = pathlib.Path(os.environ["CGSOLVE_BUILD"])
PLUGIN, EXAMPLE = BUILD / "libpetsc_cgsolve.so", BUILD / "interop/petsc/example"
RANKS = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
TOLERANCE = "-ksp_rtol 1e-8 -ksp_norm_type unpreconditioned"
SIDE = 24


def setUpModule():
    if not PLUGIN.exists():
        raise unittest.SkipTest("PETSc is not here: scripts/setup petsc installs it")


def call(*command, cwd):
    return subprocess.run([str(word) for word in command], cwd=cwd, capture_output=True, text=True, check=False,
                          env=os.environ | RANKS)


class Petsc(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(holder.cleanup)
        cls.path = pathlib.Path(holder.name)
        b = systems.right_hand_side(SIDE * SIDE)
        for name, rows in {"a": systems.grid(SIDE), "scaled": systems.grid(SIDE, scale=2.5),
                           "indefinite": systems.grid(SIDE, shift=-5)}.items():
            systems.write_petsc(cls.path / name, rows, b)
            systems.write_market(cls.path / f"{name}.mtx", rows)
        without = systems.grid(SIDE)
        without[0][0] = 0.0
        systems.write_petsc(cls.path / "no_pivot", without, b)
        other = systems.grid(SIDE)
        other[0][5] = other[5][0] = -0.5
        other[0][0] += 1
        other[5][5] += 1
        systems.write_petsc(cls.path / "other", other, b)
        systems.write_petsc(cls.path / "blocks", systems.blocks(systems.grid(SIDE // 2)), b[:SIDE * SIDE // 2])
        systems.write_text(cls.path / "b.txt", b)
        systems.write_vector(cls.path / "v", [(1 + i % 3 / 4) / SIDE for i in range(SIDE * SIDE)])

    def petsc(self, options, files="a", before=(), fails=False):
        """What it prints, and every x."""
        solution = self.path / "x"
        solution.unlink(missing_ok=True)
        done = call(*before, EXAMPLE, "-f", files, "-dll_append", PLUGIN, *options.split(),
                    "-solution_view", f"binary:{solution}::append", cwd=self.path)
        self.assertEqual(done.returncode != 0, fails, done.stdout + done.stderr)
        if fails:
            return done.stdout + done.stderr
        return done.stdout, systems.read_petsc(solution)

    def cgsolve(self, options, matrix="a"):
        """Its norms relative to that of b, and x."""
        x = self.path / "x.npy"
        done = call(PROGRAM, "solve", f"{matrix}.mtx", "--rhs", "b.txt", "--monitor", "--quiet", "--solution", x,
                    *options.split(), cwd=self.path)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [float(norm) for norm in re.findall(r"^ *\d+ +(\S+)$", done.stdout, re.M)], systems.read_npy(x)

    def same(self, ours, theirs):
        """A solve by PETSc's options has the history and the bits of one of the program's."""
        said, (x,) = self.petsc(f"-ksp_type cgsolve {TOLERANCE} -ksp_monitor {ours}")
        wanted, expected = self.cgsolve(theirs)
        norms = [float(norm) for norm in re.findall(r"KSP Residual norm (\S+)", said)]
        self.assertEqual(x, expected)
        self.assertEqual(len(norms), len(wanted))
        self.assertIn(f"CONVERGED_RTOL after {len(wanted) - 1} iterations", said)
        scale = norms[0] / wanted[0]
        for found, norm in zip(norms, wanted):
            self.assertAlmostEqual(found / (norm * scale), 1, delta=1e-11)
        return x

    def iterations(self, options):
        return int(re.search(r"CONVERGED_RTOL after (\d+)", self.petsc(f"{TOLERANCE} {options}")[0])[1])

    # ---- the bits of the program

    def test_methods(self):
        self.same("-pc_type none", "")
        self.same("-pc_type none -ksp_cgsolve_method minres", "--method minres")
        self.same("-pc_type none -ksp_initial_guess_nonzero", "--start b.txt")

    def test_preconditioners(self):
        for name in ("jacobi", "multigrid"):
            x = self.same(f"-ksp_cgsolve_preconditioner {name}", f"--preconditioner {name}")
            self.assertEqual(x, self.same(f"-pc_type cgsolve -pc_cgsolve_type {name}", f"--preconditioner {name}"))
        self.same("-ksp_cgsolve_preconditioner chebyshev -ksp_cgsolve_preconditioner_degree 5",
                  "--preconditioner chebyshev preconditioner.degree=5")
        self.same("-pc_type cgsolve -pc_cgsolve_type chebyshev -pc_cgsolve_degree 5",
                  "--preconditioner chebyshev preconditioner.degree=5")
        self.same("-pc_type cgsolve", "--preconditioner multigrid")

    def test_near_null_space(self):
        """What MatSetNearNullSpace says, over ranks too; without it "rigid_body" is refused."""
        wants = "-ksp_cgsolve_preconditioner multigrid -ksp_cgsolve_preconditioner_near_null rigid_body"
        x = self.same(f"{wants} -near_null v", "--preconditioner multigrid preconditioner.vectors=v")
        self.assertEqual(x, self.same("-pc_type cgsolve -near_null v",
                                      "--preconditioner multigrid preconditioner.vectors=v"))
        self.assertIn("neither coordinates nor vectors", self.petsc(f"-ksp_type cgsolve {wants}", fails=True))
        shared = self.petsc(f"-ksp_type cgsolve {wants} -near_null v {TOLERANCE}", before=self.over(3))
        self.assertEqual(shared[1], [x])

    def test_kernels(self):
        plain = self.same("-pc_type none -ksp_cgsolve_kernel cpu_csr", "--kernel cpu_csr")
        exact, _ = self.petsc(f"-ksp_type cgsolve -pc_type none -ksp_cgsolve_reductions exact {TOLERANCE} -ksp_monitor")
        said, _ = self.petsc(f"-ksp_type cgsolve -pc_type none {TOLERANCE} -ksp_monitor")
        self.assertNotEqual(exact, said)
        self.assertEqual(plain, self.same("-pc_type none", ""))

    def test_every_run_and_number_of_threads(self):
        for options in ("-pc_type none", "-pc_type icc", "-ksp_cgsolve_preconditioner multigrid"):
            solves = {tuple(self.petsc(f"-ksp_type cgsolve {options} -ksp_cgsolve_threads {threads} {TOLERANCE}")[1])
                      for threads in (1, 2, 3, 1, 3)}
            self.assertEqual(len(solves), 1, options)

    def test_half_storage(self):
        for options in ("-pc_type none", "-ksp_cgsolve_preconditioner multigrid", "-pc_type cgsolve"):
            command = f"-ksp_type cgsolve {options} {TOLERANCE}"
            _, full = self.petsc(command, files="blocks")
            for block in (1, 2):
                half = f"{command} -mat_type sbaij -matload_block_size {block}"
                self.assertEqual(full, self.petsc(half, files="blocks")[1])

    # ---- PETSc's ways

    def test_a_preconditioner_for_a_ksp_of_petsc(self):
        for options in ("-pc_cgsolve_type jacobi", "-pc_cgsolve_type chebyshev -pc_cgsolve_degree 5", ""):
            ours = self.iterations(f"-ksp_type cgsolve -pc_type cgsolve {options}")
            theirs = self.iterations(f"-ksp_type cg -pc_type cgsolve {options}")
            self.assertLessEqual(abs(ours - theirs), 1)

    def test_a_preconditioner_of_petsc(self):
        plain = self.iterations("-ksp_type cgsolve -pc_type none")
        for name in ("icc", "jacobi", "sor -pc_sor_symmetric", "gamg"):
            ours = self.iterations(f"-ksp_type cgsolve -pc_type {name}")
            self.assertLessEqual(abs(ours - self.iterations(f"-ksp_type cg -pc_type {name}")), 1)
            self.assertLess(ours, plain)

    def test_one_set_up(self):
        """Several b, other values, another pattern: what a new KSP does with each."""
        for options in ("-pc_type none", "-ksp_cgsolve_preconditioner multigrid", "-pc_type cgsolve", "-pc_type icc"):
            command = f"-ksp_type cgsolve {options} {TOLERANCE} -twice"
            _, together = self.petsc(command, files="a,scaled,a,other")
            alone = [x for name in ("a", "scaled", "a", "other") for x in self.petsc(command, files=name)[1]]
            self.assertEqual(together, alone)
            self.assertNotEqual(alone[0], alone[2])

    def test_reasons(self):
        for options, reason in {
                "-ksp_max_it 5": "DIVERGED_ITS after 5 ",
                "-ksp_rtol 1e-30 -ksp_atol 1e-3": "CONVERGED_ATOL after ",
                "-ksp_divtol 1e-3": "DIVERGED_DTOL after 0 ",
                "-ksp_convergence_test skip -ksp_max_it 7": "CONVERGED_ITS after 7 ",
                "-ksp_converged_maxits -ksp_max_it 7": "CONVERGED_ITS after 7 ",
                "-ksp_rtol 1e-3 -ksp_converged_use_initial_residual_norm -ksp_initial_guess_nonzero":
                    "CONVERGED_RTOL after "}.items():
            self.assertIn(reason, self.petsc(f"-ksp_type cgsolve -pc_type none {options}")[0])
        self.assertIn("DIVERGED_PC_FAILED after 0 iterations", self.petsc(
            "-ksp_type cgsolve -pc_type icc -pc_factor_shift_type none", files="no_pivot")[0])
        self.assertIn("DIVERGED_INDEFINITE_MAT after ",
                      self.petsc("-ksp_type cgsolve -pc_type none", files="indefinite")[0])
        self.assertIn("CONVERGED_RTOL after ", self.petsc(
            "-ksp_type cgsolve -pc_type none -ksp_cgsolve_method minres", files="indefinite")[0])

    def test_a_test_of_petscs_own(self):
        """Relative to the first residual: fewer iterations where that is larger than b."""
        command = "-ksp_type cgsolve -pc_type none -ksp_rtol 1e-3 -ksp_initial_guess_nonzero"
        ours, _ = self.petsc(f"{command} -ksp_converged_use_initial_residual_norm -ksp_monitor")
        theirs, _ = self.petsc(f"{command} -ksp_converged_use_initial_residual_norm -ksp_monitor -ksp_type cg "
                               "-ksp_norm_type unpreconditioned")
        self.assertEqual(ours.count("KSP Residual"), theirs.count("KSP Residual"))
        self.assertNotEqual(ours.count("KSP Residual"),
                            self.petsc(f"{command} -ksp_monitor")[0].count("KSP Residual"))

    def test_what_is_shown(self):
        said, _ = self.petsc("-ksp_type cgsolve -ksp_cgsolve_preconditioner chebyshev "
                             "-ksp_cgsolve_preconditioner_degree 3 -ksp_view -options_left -malloc_dump")
        for line in ("type: cgsolve", "preconditioner = chebyshev", "preconditioner.degree = 3",
                     "bits of its products: equal on every run and number of threads", "the last solve: converged",
                     "type: none", "no unused options"):
            self.assertIn(line, said)
        self.assertNotRegex(said, r"\[ *0\] *\d+ bytes")
        said, _ = self.petsc("-pc_type cgsolve -ksp_view -malloc_dump")
        self.assertIn("preconditioner = multigrid", said)
        self.assertNotRegex(said, r"\[ *0\] *\d+ bytes")
        self.assertIn("-ksp_cgsolve_method <now cg : formerly cg>",
                      call(EXAMPLE, "-dll_append", PLUGIN, "-ksp_type", "cgsolve", "-help", cwd=self.path).stdout)

    def test_a_monitor_that_looks_at_x(self):
        """The true norm beside the recursive one, without another bit."""
        for options in ("-pc_type none", "-pc_type icc -ksp_cgsolve_method minres", "-pc_type none -ksp_max_it 7",
                        "-pc_type none -ksp_divtol 1e-3", "-pc_type none -ksp_rtol 1e-15"):
            command = f"-ksp_type cgsolve {TOLERANCE} {options}"
            plain, expected = self.petsc(command)
            said, x = self.petsc(f"{command} -ksp_monitor_true_residual")
            self.assertEqual(x, expected)
            self.assertEqual(said.splitlines()[-1], plain.splitlines()[-1])
            rows = re.findall(r"^ *(\d+) KSP unpreconditioned resid norm (\S+) true resid norm (\S+)", said, re.M)
            last = int(re.search(r"after (\d+) ", plain)[1])
            self.assertEqual([int(row[0]) for row in rows], list(range(last + 1)))
            for _, norm, true in rows:
                self.assertAlmostEqual(float(norm), float(true), delta=1e-11 * float(rows[0][1]))

    def test_what_is_refused(self):
        for options, sentence in {
                "-ksp_cgsolve_kernel cpu_cssr": "cpu_cssr",
                "-ksp_cgsolve_kernle cpu_csr": "unknown option 'kernle'",
                "-ksp_cgsolve_method skew": "skew",
                "-ksp_cgsolve_method lanczos": "-ksp_cgsolve_method lanczos finds eigenvalues, and no x",
                "-ksp_cgsolve_tolerance 1e-3": "it is -ksp_rtol, -ksp_atol or -ksp_max_it that says so",
                "-ksp_cgsolve_preconditioner ilu": "ilu",
                "-ksp_cgsolve_preconditioner jacobi -pc_type icc":
                    "the PC is icc, and -ksp_cgsolve_preconditioner is jacobi: it is one of the two",
                "-pc_type cgsolve -pc_cgsolve_type ilu": "ilu",
                "-pc_type cgsolve -pc_cgsolve_type none": "the solver has no preconditioner",
                "-ksp_norm_type none": "NONE",
                "-mat_type dense -pc_type none": "cgsolve reads a Mat of type seqaij, seqsbaij, mpiaij or "
                                                 "mpisbaij, and this one is seqdense",
                "-mat_type dense -pc_type cgsolve": "and this one is seqdense"}.items():
            self.assertIn(sentence, self.petsc(f"-ksp_type cgsolve {options}", fails=True))

    def test_a_matrix_that_is_not_symmetric(self):
        rows = systems.grid(SIDE)
        rows[0][1] *= 1 + 1e-6
        systems.write_petsc(self.path / "skewed", rows, systems.right_hand_side(len(rows)))
        for options in ("-ksp_type cgsolve -pc_type none", "-pc_type cgsolve"):
            self.assertRegex(self.petsc(options, files="skewed", fails=True), r"a\(1,2\)|A\[1,2\]|asymmetry")
        self.petsc("-ksp_type cgsolve -pc_type none -ksp_cgsolve_asymmetry 1e-5", files="skewed")
        self.petsc("-pc_type cgsolve -pc_cgsolve_asymmetry 1e-5", files="skewed")

    def over(self, ranks):
        if not shutil.which("mpirun"):
            self.skipTest("mpirun is not here")
        return ("mpirun", "--oversubscribe", "-n", ranks)

    def test_ranks_have_the_bits_of_one(self):
        for options in ("-pc_type none", "-pc_type none -ksp_cgsolve_method minres -ksp_initial_guess_nonzero",
                        "-ksp_cgsolve_preconditioner multigrid", "-pc_type cgsolve -pc_cgsolve_type jacobi",
                        "-pc_type jacobi", "-pc_type none -ksp_divtol 1e-3"):
            command = f"-ksp_type cgsolve {options} {TOLERANCE} -ksp_monitor"
            alone = self.petsc(command)
            for ranks in (2, 3):
                self.assertEqual(self.petsc(command, before=self.over(ranks)), alone)
            looked = f"-ksp_type cgsolve {options} {TOLERANCE} -ksp_monitor_true_residual"
            self.assertEqual(self.petsc(looked, before=self.over(2))[1], alone[1])

    def test_half_storage_of_ranks(self):
        command = f"-ksp_type cgsolve -pc_type none {TOLERANCE} -ksp_monitor"
        alone = self.petsc(command, files="blocks")
        for block in (1, 2):
            half = f"{command} -mat_type sbaij -matload_block_size {block}"
            self.assertEqual(self.petsc(half, files="blocks", before=self.over(3)), alone)

    def test_one_set_up_of_ranks(self):
        command = f"-ksp_type cgsolve -ksp_cgsolve_preconditioner jacobi {TOLERANCE} -twice -malloc_dump"
        alone = self.petsc(command, files="a,scaled,a,other")
        self.assertEqual(self.petsc(command, files="a,scaled,a,other", before=self.over(2)), alone)

    def test_ranks(self):
        before = self.over(2)
        self.assertIn("CONVERGED_RTOL after ", self.petsc(f"-ksp_type cg -pc_type cgsolve {TOLERANCE}", before=before)[0])
        self.assertIn("CONVERGED_RTOL after ", self.petsc(f"-ksp_type cgsolve -pc_type gamg {TOLERANCE}",
                                                          before=before)[0])
        said, _ = self.petsc("-pc_type bjacobi -sub_ksp_type cgsolve -sub_pc_type cgsolve -sub_pc_cgsolve_type jacobi "
                             "-ksp_view", before=before)
        self.assertIn("CONVERGED_RTOL after ", said)
        self.assertIn("preconditioner = jacobi", said)
        for options, sentence in {"-mat_type dense -pc_type none": "and this one is mpidense",
                                  "-ksp_cgsolve_kernel cpu_cssr": "cpu_cssr",
                                  "-ksp_cgsolve_kernel cpu_merge -pc_type none": "a rank has not all"}.items():
            self.assertIn(sentence, self.petsc(f"-ksp_type cgsolve {options}", before=before, fails=True))


if __name__ == "__main__":
    unittest.main()
