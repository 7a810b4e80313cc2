"""Matrices as NumPy and SciPy write them, read by the program that CGSOLVE names; and what it writes, read by them."""

import pathlib
import re
import subprocess
import tempfile
import unittest

try:
    import numpy
    import scipy.io
    import scipy.sparse
except ImportError as missing:
    raise unittest.SkipTest(str(missing)) from missing

from studies import PROGRAM, ROOT

MAT, VEC = 1211216, 1211214


def petsc(path, matrix, integer, vector=None):
    """What MatView writes in binary form, and VecView after it."""
    csr = matrix.tocsr()
    parts = [numpy.array([MAT, *csr.shape, csr.nnz], integer), numpy.diff(csr.indptr).astype(integer),
             csr.indices.astype(integer), csr.data.astype(">f8")]
    if vector is not None:
        parts += [numpy.array([VEC, len(vector)], integer), vector.astype(">f8")]
    path.write_bytes(b"".join(part.tobytes() for part in parts))


class Matrices(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.directory = pathlib.Path(self.temporary.name)
        self.addCleanup(self.temporary.cleanup)
        self.random = numpy.random.default_rng()
        part = scipy.sparse.random(60, 60, 0.1, random_state=self.random, data_rvs=self.random.standard_normal)
        self.matrix = (part + part.T + 20 * scipy.sparse.eye(60)).tocsr()
        self.matrix.sum_duplicates()

    def run_program(self, *words):
        done = subprocess.run([PROGRAM, *map(str, words)], cwd=ROOT, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def convert(self, name, to):
        """The hash of the matrix."""
        said = self.run_program("convert", self.directory / name, self.directory / to)
        return re.search(r"matrix hash ([0-9a-f]{16})$", said, re.MULTILINE)[1]

    def expect_matrix(self, found):
        found = found.tocsr()
        found.sort_indices()
        self.matrix.sort_indices()
        for array in ("indptr", "indices", "data"):
            numpy.testing.assert_array_equal(getattr(found, array), getattr(self.matrix, array))

    def write_all(self, matrix):
        names = []
        for shape in ("csr", "csc", "coo"):
            for packed in (False, True):
                names.append(f"{shape}-{packed}.npz")
                scipy.sparse.save_npz(self.directory / names[-1], matrix.asformat(shape), compressed=packed)
        wide = matrix.copy()
        wide.indices, wide.indptr = wide.indices.astype(numpy.int64), wide.indptr.astype(numpy.int64)
        scipy.sparse.save_npz(self.directory / "wide.npz", wide)
        petsc(self.directory / "a.petsc", matrix, ">i4")
        petsc(self.directory / "a-64.petsc", matrix, ">i8")
        scipy.io.mmwrite(self.directory / "a.mtx", matrix, precision=17)
        return [*names, "wide.npz", "a.petsc", "a-64.petsc", "a.mtx"]

    def test_all_formats_are_the_same_matrix(self):
        hashes = {self.convert(name, "other.npz") for name in self.write_all(self.matrix)}
        self.assertEqual(len(hashes), 1)

    def test_harwell_boeing(self):
        """SciPy has no room for exponents of three digits."""
        self.matrix.data *= 1e-20
        scipy.io.hb_write(self.directory / "a.rua", self.matrix.tocsc())
        self.convert("a.rua", "again.npz")
        self.expect_matrix(scipy.sparse.load_npz(self.directory / "again.npz"))

    def test_values_of_other_types(self):
        for kind in (numpy.float32, numpy.int64, numpy.int8, numpy.uint16):
            matrix = abs(self.matrix * 5).astype(kind)
            matrix.eliminate_zeros()
            scipy.sparse.save_npz(self.directory / "a.npz", matrix)
            self.convert("a.npz", "again.npz")
            self.matrix = matrix.astype(numpy.float64)
            self.expect_matrix(scipy.sparse.load_npz(self.directory / "again.npz"))

    def test_matlab(self):
        for packed in (False, True):
            for matrix in (self.matrix, self.matrix[:20].tocsc()):
                scipy.io.savemat(self.directory / "a.mat", {"b": numpy.ones(3), "A": matrix}, do_compression=packed)
                scipy.sparse.save_npz(self.directory / "a.npz", matrix)
                self.assertEqual(self.convert("a.mat", "again.mat"), self.convert("a.npz", "other.npz"))

    def test_every_bit_is_written(self):
        """Values of all exponents, and zeros of both signs, of a matrix without symmetry and of a rectangular one."""
        for rows, columns in ((50, 50), (50, 20), (20, 50)):
            self.matrix = scipy.sparse.random(rows, columns, 0.1, random_state=self.random, format="csr")
            bits = self.random.integers(0, 2**63, self.matrix.nnz, dtype=numpy.uint64) << numpy.uint64(1)
            values = (bits | self.random.integers(0, 2, self.matrix.nnz, dtype=numpy.uint64)).view(numpy.float64)
            values[~numpy.isfinite(values)] = -5e-324
            values[:2] = 0.0, -0.0
            self.matrix.data = values
            scipy.sparse.save_npz(self.directory / "a.npz", self.matrix)
            for end, read in (("npz", scipy.sparse.load_npz), ("mat", self.of_matlab), ("rua", scipy.io.hb_read)):
                self.convert("a.npz", f"again.{end}")
                found = read(self.directory / f"again.{end}").tocsr()
                self.expect_matrix(found)
                self.assertEqual(found.data.tobytes(), self.matrix.data.tobytes())

    @staticmethod
    def of_matlab(path):
        return scipy.io.loadmat(path)["A"]

    def test_what_is_written(self):
        scipy.sparse.save_npz(self.directory / "a.npz", self.matrix)
        for end in ("npz", "mtx", "petsc", "mat", "rb", "rua"):
            self.convert("a.npz", f"again.{end}")
        self.expect_matrix(self.of_matlab(self.directory / "again.mat"))
        self.expect_matrix(scipy.io.hb_read(self.directory / "again.rua"))
        hashes = {self.convert(f"again.{end}", "other.npz") for end in ("npz", "mat", "rb", "rua")}
        self.assertEqual(len(hashes), 1)
        self.expect_matrix(scipy.sparse.load_npz(self.directory / "again.npz"))
        self.expect_matrix(scipy.io.mmread(self.directory / "again.mtx"))
        petsc(self.directory / "a.petsc", self.matrix, ">i4")
        self.assertEqual((self.directory / "again.petsc").read_bytes(), (self.directory / "a.petsc").read_bytes())

    def test_solutions_have_the_same_bits(self):
        vector = self.random.standard_normal(60)
        numpy.save(self.directory / "b.npy", vector)
        petsc(self.directory / "system.petsc", self.matrix, ">i4", vector)
        scipy.sparse.save_npz(self.directory / "a.npz", self.matrix)
        found = []
        for matrix, b in (("a.npz", "b.npy"), ("system.petsc", "system.petsc")):
            self.run_program("solve", self.directory / matrix, "--rhs", self.directory / b, "--start",
                             self.directory / b, "--solution", self.directory / "x.npy")
            found.append((self.directory / "x.npy").read_bytes())
        self.assertEqual(found[0], found[1])
        numpy.testing.assert_allclose(self.matrix @ numpy.load(self.directory / "x.npy"), vector, rtol=1e-5, atol=1e-6)


if __name__ == "__main__":
    unittest.main()
