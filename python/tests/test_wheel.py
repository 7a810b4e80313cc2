"""The wheel that was installed, what pip makes of the tree and of an sdist, and what the package asks of a system."""

import base64
import csv
import email
import hashlib
import importlib.util
import io
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest
import zipfile
from unittest import mock

from support import ROOT

import cgsolve

BACKEND = ROOT / "python/cgsolve_build.py"

# A compiler that makes empty files, and the library that has been made.
COMPILER = """\
#!/bin/sh
while [ $# -gt 1 ]; do
    case $1:$2 in -o:*/wheel/libcgsolve.*) cp "{library}" "$2" ;; -o:*) : >"$2" ;; esac; shift
done
"""


def backend():
    about = importlib.util.spec_from_file_location("cgsolve_build", BACKEND)
    module = importlib.util.module_from_spec(about)
    about.loader.exec_module(module)
    return module


def pip(*arguments):
    """Without the network."""
    done = subprocess.run([sys.executable, "-m", "pip", *arguments, "--no-build-isolation", "--no-index", "--no-deps",
                           "--no-cache-dir"], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise AssertionError(done.stdout + done.stderr)


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
        self.assertIn("cgsolve/py.typed", self.files)

    def test_metadata(self):
        info = f"cgsolve-{cgsolve.__version__}.dist-info/"
        about = email.message_from_bytes(self.files[f"{info}METADATA"])
        self.assertEqual({name: about.get_all(name) for name in (
            "Metadata-Version", "Name", "Version", "License-Expression", "License-File", "Requires-Python",
            "Requires-Dist")}, {
                "Metadata-Version": ["2.4"], "Name": ["cgsolve"], "Version": [cgsolve.__version__],
                "License-Expression": ["MIT"], "License-File": ["LICENSE"], "Requires-Python": [">=3.9"],
                "Requires-Dist": ["cffi", "numpy"]})
        self.assertIn("Topic :: Scientific/Engineering :: Mathematics", about.get_all("Classifier"))
        self.assertEqual(self.files[f"{info}licenses/LICENSE"], (ROOT / "LICENSE").read_bytes())
        self.assertIn("cgsolve.cg(A, b, rtol=1e-8)", about.get_payload())
        self.assertNotRegex(about.get_payload(), r"\]\((?!https?:)")  # nothing leads nowhere

    @staticmethod
    def hash_of(data):
        return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")

    def test_tag(self):
        self.assertLess(self.path.stat().st_size, 3e6)
        tag = self.path.stem.split("-", 2)[2]
        wheel = next(data for name, data in self.files.items() if name.endswith("/WHEEL")).decode()
        self.assertIn(f"Tag: {tag}\n", wheel)
        self.assertRegex(tag, "^py3-none-(manylinux_2_[0-9]+|linux)_")

    def test_tag_by_auditwheel(self):
        if not importlib.util.find_spec("auditwheel"):
            self.skipTest("nothing run: auditwheel is not here")
        said = subprocess.run([sys.executable, "-m", "auditwheel", "show", str(self.path)], capture_output=True,
                              text=True, check=True).stdout
        oldest = re.search(r'platform tag: "manylinux_2_(\d+)_', " ".join(said.split()))
        self.assertLessEqual(int(oldest[1]), int(re.search(r"-manylinux_2_(\d+)_", self.path.stem)[1]))

    def test_cuda_part(self):
        """The wheel with it is for the same systems: the library does without."""
        with tempfile.TemporaryDirectory() as directory:
            folder = pathlib.Path(directory)
            for name in ("libcgsolve.so.0", "libcgsolve_cuda.so"):
                (folder / name).write_bytes(self.files["cgsolve/libcgsolve.so.0"])
            path = backend().write_wheel(folder / "libcgsolve.so.0", folder, folder / "libcgsolve_cuda.so")
            self.assertEqual(path.name, self.path.name)
            with zipfile.ZipFile(path) as wheel:
                self.assertEqual(set(wheel.namelist()), {*self.files, "cgsolve/libcgsolve_cuda.so"})

    def test_tags(self):
        """A library that runs everywhere, one that needs more than a system has, another processor's, Apple's."""
        if not shutil.which("gcc"):
            self.skipTest("nothing run: gcc is not here")
        tag = backend().platform_tag
        with tempfile.TemporaryDirectory() as directory:
            folder = pathlib.Path(directory)
            (folder / "own.c").write_text("#include <stdlib.h>\nvoid *own(void) { return malloc(1); }\n")
            (folder / "more.c").write_text("void *own(void);\nvoid *more(void) { return own(); }\n")
            for name, needs in (("own", []), ("more", ["-L.", "-lown"])):
                subprocess.run(["gcc", "-shared", "-fPIC", f"{name}.c", "-o", f"lib{name}.so", *needs], cwd=folder,
                               check=True)
            self.assertRegex(tag(folder / "libown.so"), "^manylinux_2_28_|^linux_")
            self.assertRegex(tag(folder / "libmore.so"), "^linux_")
            other = bytearray((folder / "libown.so").read_bytes())
            for machine, name in ((62, "x86_64"), (183, "aarch64")):
                other[18] = machine
                (folder / "libown.so").write_bytes(other)
                self.assertRegex(tag(folder / "libown.so"), f"_{name}$")
            other[18] = 255
            (folder / "libown.so").write_bytes(other)
            with self.assertRaisesRegex(SystemExit, "is for another processor than"):
                tag(folder / "libown.so")
        for machine, version, target, wanted in (
                ("arm64", "14.5", {}, "14_0_arm64"), ("x86_64", "10.15.7", {}, "10_15_x86_64"),
                ("arm64", "14.5", {"MACOSX_DEPLOYMENT_TARGET": "12.3"}, "12_0_arm64")):
            with mock.patch("sys.platform", "darwin"), mock.patch("platform.machine", lambda name=machine: name), \
                    mock.patch("platform.mac_ver", lambda name=version: (name,)), mock.patch.dict(os.environ, target):
                self.assertEqual(tag(None), f"macosx_{wanted}")

    def test_the_same_bytes_again(self):
        with tempfile.TemporaryDirectory() as directory:
            folder = pathlib.Path(directory)
            library = folder / "libcgsolve.so.0"
            library.write_bytes(self.files["cgsolve/libcgsolve.so.0"])
            subprocess.run([sys.executable, str(BACKEND), str(library), directory], check=True,
                           stdout=subprocess.DEVNULL)
            self.assertEqual((folder / self.path.name).read_bytes(), self.path.read_bytes())

    def test_pip_and_the_tree(self):
        """The wheel that make has made, byte for byte."""
        with tempfile.TemporaryDirectory() as directory:
            folder = pathlib.Path(directory)
            made = self.tree(folder, self.an_sdist(folder / "first"))
            pip("wheel", "--wheel-dir", str(folder), str(made), *self.compiler(folder))
            self.assertEqual((folder / self.path.name).read_bytes(), self.path.read_bytes())

    def test_sdist(self):
        """The same bytes again, all that git knows, and pip installs from it."""
        with tempfile.TemporaryDirectory() as directory:
            folder = pathlib.Path(directory)
            first = self.an_sdist(folder / "first")
            self.assertEqual(first.read_bytes(), self.an_sdist(folder / "second").read_bytes())
            top = f"cgsolve-{cgsolve.__version__}/"
            with tarfile.open(first) as tar:
                names = set(tar.getnames())
                about = email.message_from_binary_file(tar.extractfile(f"{top}PKG-INFO"))
                self.assertEqual({entry.uid for entry in tar}, {0})
            self.assertEqual((about["Name"], about["Version"]), ("cgsolve", cgsolve.__version__))
            self.assertLessEqual({f"{top}{name}" for name in ("pyproject.toml", "Makefile", "python/cgsolve_build.py",
                                                              "src/api/solve.c", "tests/support.c")}, names)
            pip("install", "--target", str(folder / "there"), str(first), *self.compiler(folder))
            script = "import cgsolve; print(cgsolve.__file__, cgsolve.cg([[2, 1], [1, 2]], [3, 3])[1])"
            done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False,
                                  env={**os.environ, "PYTHONPATH": str(folder / "there")})
            self.assertEqual(done.stdout + done.stderr, f"{folder}/there/cgsolve/__init__.py 0\n")

    def test_sdist_needs_a_clone(self):
        with tempfile.TemporaryDirectory() as directory:
            folder = pathlib.Path(directory)
            (folder / "python").mkdir()
            shutil.copy(BACKEND, folder / "python")
            script = f"import sys; sys.path.append({str(folder / 'python')!r}); import cgsolve_build\n" \
                     f"cgsolve_build.build_sdist({directory!r})"
            done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False,
                                  env={**os.environ, "GIT_CEILING_DIRECTORIES": str(folder.parent)})
            self.assertIn(f"{folder.resolve()} is no clone: an sdist has the files that git knows", done.stderr)
            self.assertNotEqual(done.returncode, 0)

    def an_sdist(self, folder):
        if subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, check=False).returncode != 0:
            self.skipTest("nothing run: git does not know this tree")
        folder.mkdir()
        return folder / backend().build_sdist(folder)

    @staticmethod
    def tree(folder, sdist):
        with tarfile.open(sdist) as tar:
            tar.extractall(folder)
        return folder / f"cgsolve-{cgsolve.__version__}"

    def compiler(self, folder):
        """For make, by pip."""
        library, compiler = folder / "library", folder / "cc"
        library.write_bytes(self.files["cgsolve/libcgsolve.so.0"])
        compiler.write_text(COMPILER.format(library=library), encoding="utf-8")
        compiler.chmod(0o755)
        return [word for setting in (f"CC={compiler}", f"CXX={compiler}", "CUDA=0")
                for word in ("--config-settings", setting)]

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
