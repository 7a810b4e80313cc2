#!/usr/bin/env python3
"""The wheel of the package cgsolve for Python, and its sdist: the same bytes from the same files.

As a build backend (PEP 517) for `pip install .`, which lets make build the library; `-C CC=clang` sets a variable of
make. `make wheel` calls

    python/cgsolve_build.py LIBRARY DIRECTORY [CUDA_PART]

LIBRARY becomes a part of the package, in DIRECTORY/cgsolve-VERSION-py3-none-PLATFORM.whl, whose path is printed. So does
CUDA_PART, libcgsolve_cuda.so, which the library does without where CUDA's libraries are not."""

import base64
import gzip
import hashlib
import io
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
HEADER = ROOT / "include/cgsolve/cgsolve.h"

METADATA = """\
Metadata-Version: 2.4
Name: cgsolve
Version: {version}
Summary: Conjugate gradients, MINRES and Lanczos whose results can be repeated to the last bit
License-Expression: MIT
License-File: LICENSE
Keywords: conjugate gradients,eigenvalues,reproducibility,sparse matrices
Classifier: Development Status :: 4 - Beta
Classifier: Intended Audience :: Science/Research
Classifier: Operating System :: POSIX :: Linux
Classifier: Programming Language :: C
Classifier: Programming Language :: Python :: 3
Classifier: Topic :: Scientific/Engineering :: Mathematics
Classifier: Typing :: Typed
Requires-Python: >=3.9
Requires-Dist: cffi
Requires-Dist: numpy
Description-Content-Type: text/markdown

{description}"""

WHEEL = "Wheel-Version: 1.0\nGenerator: cgsolve\nRoot-Is-Purelib: false\nTag: py3-none-{tag}\n"

# A library in a manylinux wheel may need these (PEP 600), of glibc 2.28 at least: older systems lack symbols of zlib.
OLDEST = 28
MACHINES = {62: "x86_64", 183: "aarch64"}
MANYLINUX = re.compile(r"ld-linux.*|lib(c|m|dl|rt|pthread|gcc_s|stdc\+\+|z)\.so\.\d")


def metadata():
    """The version, and what a package index shows: without the links between the pages of this tree."""
    version = re.search(r'^#define CGS_VERSION "(.*)"', HEADER.read_text(encoding="utf-8"), re.MULTILINE)[1]
    page = (ROOT / "docs/python.md").read_text(encoding="utf-8")
    page = re.sub(r"\[([^]]*)\]\((?!https?:)[^)]*\)", r"\1", page)
    return version, METADATA.format(version=version, description=page)


def date():
    return max(int(os.environ.get("SOURCE_DATE_EPOCH", "0")), 315532800)  # from 1980 on, as a zip has it


def machine_of(path, library):
    """Of this Python, or what a cross compiler has made."""
    with open(sys.executable, "rb") as python:
        if library[18:20] == python.read(20)[18:20]:  # e_machine of ELF
            return platform.machine()
    machine = MACHINES.get(int.from_bytes(library[18:20], "little"))
    return machine or sys.exit(f"{path}: is for another processor than {sys.executable}, and for none of "
                               f"{', '.join(MACHINES.values())}")


def platform_tag(path):
    """manylinux with the version of glibc that the library asks for, if it needs nothing that a system may lack."""
    if sys.platform == "darwin":
        system = os.environ.get("MACOSX_DEPLOYMENT_TARGET", platform.mac_ver()[0]).split(".")
        return f"macosx_{system[0]}_{system[1] if system[0] == '10' else 0}_{platform.machine()}"
    library = path.read_bytes()
    machine = machine_of(path, library)
    asked = [int(minor) for minor in re.findall(rb"\0GLIBC_2\.(\d+)", library)]
    needs = subprocess.run(["readelf", "-dW", path], stdout=subprocess.PIPE, text=True, check=True).stdout
    if asked and all(MANYLINUX.fullmatch(name) for name in re.findall(r"\(NEEDED\).*\[(.*)\]", needs)):
        return f"manylinux_2_{max(OLDEST, *asked)}_{machine}"
    return f"linux_{machine}"


def contents(library, parts):
    """The name of the wheel, and its files."""
    files = {f"cgsolve/{path.name}": path.read_bytes() for path in (ROOT / "python/cgsolve").iterdir()
             if path.suffix in (".py", ".typed")}
    files["cgsolve/cgsolve.h"] = HEADER.read_bytes()
    files["cgsolve/libcgsolve.so.0"] = library.read_bytes()
    files.update({f"cgsolve/{part.name}": part.read_bytes() for part in parts})
    files = dict(sorted(files.items()))
    version, about = metadata()
    info = f"cgsolve-{version}.dist-info/"
    tag = platform_tag(library)
    files[info + "METADATA"] = about.encode()
    files[info + "WHEEL"] = WHEEL.format(tag=tag).encode()
    files[info + "licenses/LICENSE"] = (ROOT / "LICENSE").read_bytes()
    hashes = {name: base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
              for name, data in files.items()}
    record = "".join(f"{name},sha256={hashes[name]},{len(data)}\n" for name, data in files.items())
    files[info + "RECORD"] = f"{record}{info}RECORD,,\n".encode()
    return f"cgsolve-{version}-py3-none-{tag}.whl", files


def write_wheel(library, directory, *parts):
    name, files = contents(pathlib.Path(library), [pathlib.Path(part) for part in parts])
    path = pathlib.Path(directory) / name
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as wheel:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name, time.gmtime(date())[:6])
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o100644 << 16
            wheel.writestr(entry, data)
    return path


# --- the hooks of PEP 517 --------------------------------------------------------------------------------------------

def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):  # pylint: disable=unused-argument
    with tempfile.TemporaryDirectory() as made:
        variables = {"WHEELS": made, "PYTHON": sys.executable, **(config_settings or {})}
        done = subprocess.run([os.environ.get("MAKE", "make"), f"-j{os.cpu_count()}", "wheel",
                               *(f"{name}={value}" for name, value in variables.items())], cwd=ROOT, check=False)
        if done.returncode != 0:
            sys.exit("cgsolve: make wheel has failed; docs/building.md says what it needs")
        (wheel,) = pathlib.Path(made).iterdir()
        return pathlib.Path(shutil.copy(wheel, wheel_directory)).name


def build_sdist(sdist_directory, config_settings=None):  # pylint: disable=unused-argument
    """All that git knows of this tree."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False).stdout
    names = sorted(name for name in listed.split("\0") if (ROOT / name).is_file())
    if "Makefile" not in names:
        sys.exit(f"cgsolve: {ROOT} is no clone: an sdist has the files that git knows")
    version, about = metadata()
    top = f"cgsolve-{version}"
    path = pathlib.Path(sdist_directory) / f"{top}.tar.gz"
    files = {"PKG-INFO": about.encode(), **{name: (ROOT / name).read_bytes() for name in names}}
    with open(path, "wb") as file, gzip.GzipFile("", "wb", fileobj=file, mtime=date()) as zipped, \
            tarfile.open(fileobj=zipped, mode="w") as tar:
        for name, data in files.items():
            entry = tarfile.TarInfo(f"{top}/{name}")
            entry.size, entry.mtime = len(data), date()
            entry.mode = 0o755 if os.access(ROOT / name, os.X_OK) else 0o644
            tar.addfile(entry, io.BytesIO(data))
    return path.name


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit("usage: python/cgsolve_build.py LIBRARY DIRECTORY [CUDA_PART]")
    print(write_wheel(*sys.argv[1:]))
