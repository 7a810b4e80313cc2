"""What the two studies of the eigensolver share: a run of ./cgsolve, and a page in Markdown."""

import datetime
import json
import math
import os
import platform
import shlex
import subprocess
import sys

import numpy
import scipy.io
import scipy.sparse

CGSOLVE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "cgsolve")


class Failed(Exception):
    """./cgsolve ended without results; the text is its message."""


def settings(values):
    """A dict as the text of a config: dicts are groups, lists are arrays."""

    def text(value):
        if isinstance(value, dict):
            return "{ " + settings(value) + "}"
        if isinstance(value, bool):
            return "true" if value else "false"
        if isinstance(value, list):
            return "[" + ", ".join(text(v) for v in value) + "]"
        return json.dumps(value) if isinstance(value, str) else repr(value)

    return "".join(f"{key} = {text(value)}; " for key, value in values.items())


def lanczos(directory, problem, eigen, max_iterations, kernel, threads, repeats=1, sets=()):
    """The first kernel of summary.json of one study, and the machine; Failed with the message if there is none."""
    config = settings({
        "problem": problem,
        "rhs": {"type": "random", "seed": 1},
        "solver": {"method": "lanczos", "max_iterations": max_iterations},
        "eigen": eigen,
        "repeats": repeats,
        "output": {"directory": directory},
    }) + f"kernels = ( {json.dumps(kernel)} );\n"
    os.makedirs(directory, exist_ok=True)
    summary = os.path.join(directory, "summary.json")
    if os.path.exists(summary):
        os.remove(summary)
    path = os.path.join(directory, "study.cfg")
    with open(path, "w", encoding="utf-8") as file:
        file.write(config)
    command = [CGSOLVE, "--quiet", "--threads", str(threads)]
    for one in sets:
        command += ["--set", one]
    done = subprocess.run(command + [path], capture_output=True, text=True, check=False)
    if done.returncode > 1 or not os.path.exists(summary):
        raise Failed(done.stderr.strip() or f"./cgsolve ended with exit status {done.returncode}")
    with open(summary, encoding="utf-8") as file:
        made = json.load(file)
    if "eigenvalues" not in made["kernels"][0]["runs"][0]:
        raise Failed("this ./cgsolve writes no eigenvalues into summary.json")
    return made["kernels"][0], made["machine"]


def numbers(values):
    """An array of JSON's numbers, in which null stands for one that is not there."""
    return numpy.array([math.nan if v is None else v for v in values], dtype=float)


def read_matrix(path):
    """A Matrix Market file as a full CSR matrix."""
    return scipy.sparse.csr_matrix(scipy.io.mmread(path)).astype(float)


def name_of(path):
    return os.path.basename(path).removesuffix(".gz").removesuffix(".mtx")


def libraries():
    blas = numpy.show_config(mode="dicts")["Build Dependencies"]["lapack"]
    return f"NumPy {numpy.__version__} (LAPACK: {blas['name']} {blas['version']}), SciPy {scipy.__version__}, " \
           f"Python {platform.python_version()}"


def page(output, title, about, machine, head, rows, after):
    """Write a page, to standard output if output is None: whole, or not at all. The command is told without directories."""
    command = ["bench/" + os.path.basename(sys.argv[0])] + [os.path.basename(a) for a in sys.argv[1:]]
    lines = [f"# {title}", "", about, "", "    " + shlex.join(command), ""]
    if machine:
        lines += [f"{datetime.date.today()}. {machine['cpu']}, {machine['cores']} cores; cgsolve {machine['version']}, "
                  f"{machine['compiler']}; {libraries()}.", ""]
    lines += ["| " + " | ".join(head) + " |", "|" + "|".join("---" if i == 0 else "---:" for i in range(len(head))) + "|"]
    lines += ["| " + " | ".join(row) + " |" for row in rows] + [""] + after
    text = "\n".join(lines).rstrip() + "\n"
    if output is None:
        sys.stdout.write(text)
        return
    with open(output + ".new", "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(output + ".new", output)
