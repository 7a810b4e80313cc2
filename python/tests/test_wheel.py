"""The wheel that was installed, and what the package asks of a system."""

import base64
import csv
import hashlib
import io
import pathlib
import subprocess
import sys
import tempfile
import unittest
import zipfile

from support import ROOT

import cgsolve


class Wheel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        (cls.path,) = (ROOT / "build/release/wheel").glob("*.whl")
        with zipfile.ZipFile(cls.path) as wheel:
            cls.files = {name: wheel.read(name) for name in wheel.namelist()}

    def test_record(self):
        info = f"cgsolve-{cgsolve.__version__}.dist-info/"
        rows = {row[0]: row[1:] for row in csv.reader(io.StringIO(self.files[f"{info}RECORD"].decode()))}
        self.assertEqual(rows.pop(f"{info}RECORD"), ["", ""])
        others = {name: data for name, data in self.files.items() if not name.endswith("/RECORD")}
        self.assertEqual(rows, {name: [self.hash_of(data), str(len(data))] for name, data in others.items()})
        self.assertIn(f"Version: {cgsolve.__version__}\n", self.files[f"{info}METADATA"].decode())
        self.assertIn("cgsolve/py.typed", self.files)

    @staticmethod
    def hash_of(data):
        return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")

    def test_tag(self):
        self.assertLess(self.path.stat().st_size, 3e6)
        tag = self.path.stem.split("-", 2)[2]
        wheel = next(data for name, data in self.files.items() if name.endswith("/WHEEL")).decode()
        self.assertIn(f"Tag: {tag}\n", wheel)
        self.assertRegex(tag, "^py3-none-(manylinux_2_[0-9]+|linux)_")

    def test_the_same_bytes_again(self):
        with tempfile.TemporaryDirectory() as directory:
            folder = pathlib.Path(directory)
            library = folder / "libcgsolve.so.0"
            library.write_bytes(self.files["cgsolve/libcgsolve.so.0"])
            subprocess.run([sys.executable, str(ROOT / "scripts/wheel"), cgsolve.__version__, str(library), directory],
                           check=True, stdout=subprocess.DEVNULL)
            self.assertEqual((folder / self.path.name).read_bytes(), self.path.read_bytes())

    def test_without_scipy(self):
        """Nor a BLAS library beside that of NumPy."""
        script = ("import sys, numpy; sys.modules['scipy'] = None\n"
                  "blas = lambda: {line.split()[-1] for line in open('/proc/self/maps') if 'blas' in line}\n"
                  "before = blas()\n"
                  "import cgsolve\n"
                  "print(cgsolve.cg([[2, 1], [1, 2]], [3, 3])[1], blas() - before)\n")
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
        self.assertEqual((done.stdout, done.stderr), ("0 set()\n", ""))


if __name__ == "__main__":
    unittest.main()
