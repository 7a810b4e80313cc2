"""Every command that README.md and docs/*.md print, run as it is printed, in the order of its page.

`cgsolve` is there with small sizes (shorter.py), and `make` says what it would do. A page's commands run in a copy of
the project of their own. The comment behind a command, or the paragraph before its block, says what it needs:

    needs a GPU          it is refused without a device, and runs where there is one
    needs the network    it fails without, and is run no further

These, or the paragraph behind, also say that it may end with 1: "exit status 1" or "exit with 1". A mark that is
missing fails, and so does one too many, where that can be seen: `make` is believed. `mpirun` runs where the build has
Open MPI, whose options the pages print, and not on GPUs, of which there may be fewer than ranks. The configs that a
page prints pass --check-config, with a problem and a kernel where they have none.
"""

import dataclasses
import functools
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from studies import PROGRAM, ROOT, begin, study

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]

DOWNLOADS = "pip|apt-get|apt|dnf|git|curl|wget"  # not ours: looked at for their mark, and never run
COMMAND = re.compile(rf"(?:[A-Z_]+=\S* )*(\./cgsolve|cgsolve|mpirun|make|(?:bench|problems)/\S+|cmp|head|cat|"
                     rf"diff|python3|Rscript|julia|{DOWNLOADS})(?= |$)")
KEYS = "problem|rhs|solver|eigen|kernels|vary|repeats|threads|devices|output|reference|trace|bench"
ANNOUNCED = re.compile(r"exit status( is)? 1\b|exits? with 1\b")

# What pages speak of that is the reader's own.
STUDIES = ("A", "results/a", "results/here", "results/there")
REFERENCE = "B.csv"
HISTORIES = "theirs.csv"
MATRICES = ("FILE", "DIRECTORY/a.mtx.gz", "DIRECTORY/b.mtx.gz", "tests/solver/bridge.mtx.gz")

NOWHERE = "http://127.0.0.1:9"  # the port at which data is thrown away, and nobody listens
HANGS = 3600  # seconds: a command that takes longer hangs, however slow the machine is

# Of Open MPI, whose mpirun refuses root, and more processes than cores.
RANKS = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1"}


@dataclasses.dataclass
class Block:
    """Lines that a page prints as they are, without their indentation, and the paragraphs around them."""
    lines: list
    before: str
    after: str


def blocks_of(text):
    # A fenced block is an indented one; one in another language is the affair of another test.
    text = re.sub(r"^```\w+\n.*?^```$", "", text, flags=re.M | re.S)
    text = re.sub(r"^```\n(.*?)^```$", lambda fenced: re.sub("(?m)^(?=.)", "    ", fenced[1]), text, flags=re.M | re.S)
    chunks = [chunk for chunk in re.split(r"\n\s*?\n", f"\n{text}\n") if chunk.strip()]
    blocks, before = [], ""
    for chunk, after in zip(chunks, [*chunks[1:], ""]):
        lines = chunk.strip("\n").splitlines()
        if all(line.startswith("    ") for line in lines):
            blocks.append(Block([line[4:] for line in lines], before, after))
        else:
            before = " ".join(lines)
    return blocks


def commands_of(block):
    """With the lines that continue them."""
    text = "\n".join(block.lines).replace("\\\n", "\\\0")
    return [line.replace("\0", "\n") for line in text.splitlines() if COMMAND.match(line)]


def configs_of(block):
    """A block of keys as configs: where a key comes again, it is another choice, and another config."""
    if not re.match(rf"({KEYS})\s*=", block.lines[0]):
        return []
    lines = re.sub("#.*", "", "\n".join(block.lines))
    choices = {}
    for statement in re.split(rf"^(?=(?:{KEYS})\s*=)", lines, flags=re.M):
        if statement.strip():
            choices.setdefault(re.match(r"\w+", statement)[0], []).append(statement)
    choices.setdefault("problem", ['problem = { type = "poisson3d"; n = 6; };\n'])
    choices.setdefault("kernels", ['kernels = ( "cpu_csr" );\n'])
    count = max(map(len, choices.values()))
    return ["\n".join(choice[min(k, len(choice) - 1)] for choice in choices.values()) for k in range(count)]


def make_tool(path, text):
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


class Project:
    """A copy of the project, with what pages speak of."""

    def __init__(self, directory, of=None):
        self.root = directory
        self.environment = dict(os.environ, **RANKS, CGSOLVE=PROGRAM, MAKEFLAGS="",
                                PATH=f"{directory}/tools:{os.environ['PATH']}")
        if of:
            shutil.copytree(of.root, directory)
        else:
            self.make(directory)

    def make(self, directory):
        leave = shutil.ignore_patterns("build", ".git", "results", "cgsolve", "suitesparse")
        places = (str(ROOT), str(ROOT / "problems"))
        shutil.copytree(str(ROOT), directory, ignore=lambda at, names: leave(at, names if at in places else ()))
        for name in MATRICES:
            (directory / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / "problems/plate.mtx.gz", directory / name)
        config = ('problem = { type = "poisson3d"; n = 4; };\nrepeats = 2;\ntrace = { every = 1; };\n'
                  'kernels = ( { name = "cpu_sym_bitwise"; label = "atomics"; } );\n')
        for name in STUDIES:
            (directory / name).mkdir(parents=True)
            study(directory / name, config, "--write-reference", str(directory / REFERENCE))
        (directory / HISTORIES).write_text("run,iteration,residual\n1,0,1.0\n1,1,0.5\n2,0,1.0\n2,1,0.25\n")
        (directory / "before.csv").write_text("run,iteration,residual\n1,0,1.0\n1,1,0.5\n")
        (directory / "tools").mkdir()
        make_tool(directory / "cgsolve", f'exec "{sys.executable}" -B "{ROOT}/tests/files/shorter.py" "$@"')
        make_tool(directory / "tools/cgsolve", 'exec "${0%/*}/../cgsolve" "$@"')
        make_tool(directory / "tools/make", f'exec "{shutil.which("make")}" -n "$@"')

    def run(self, command, **variables):
        """The exit status, and what was printed."""
        done = subprocess.run(["sh", "-c", command], cwd=self.root, env={**self.environment, **variables}, text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              errors="replace", timeout=HANGS, check=False)
        return done.returncode, done.stdout

    def run_alone(self, command):
        """Without a GPU and without a network."""
        proxies = dict.fromkeys(("http_proxy", "https_proxy", "all_proxy", "ALL_PROXY", "HTTPS_PROXY"), NOWHERE)
        return self.run(command, CUDA_VISIBLE_DEVICES="", no_proxy="", NO_PROXY="", **proxies)


@functools.cache
def gpu_here():
    with tempfile.TemporaryDirectory() as temporary:
        config = 'problem = { type = "poisson3d"; n = 2; };\nkernels = ( "cuda_csr_scalar" );\n'
        running = begin(f"{temporary}/gpu", config)
        running.communicate()
        return running.returncode == 0


@functools.cache
def ranks_here():
    about = subprocess.run([PROGRAM, "--version"], capture_output=True, text=True, check=True).stdout
    return shutil.which("mpirun") is not None and "MPI: ompi" in about


def lacks_gpu(status, output):
    """A study is refused; a bench leaves the kernels out."""
    rows = re.findall(r" (PASS|skipped)  ", output)
    return status == 4 and "is not available here" in output or status == 0 and set(rows) == {"skipped"}


def fault_of(project, block, command):
    """What is wrong with a command, as a sentence; or None."""
    marks = f"{block.before} {''.join(re.findall('#.*', command))}"
    for_gpu, for_network = "needs a GPU" in marks, "needs the network" in marks
    program = COMMAND.match(command)[1]
    if program in DOWNLOADS.split("|"):
        return None if for_network else "is not marked: needs the network"
    if program == "mpirun" and not ranks_here():
        return None
    if program == "make":
        for variable in re.findall(r"\b([A-Z_]+)=", command):
            sources = [ROOT / "Makefile", *(ROOT / "make").iterdir(), *(ROOT / "scripts").iterdir()]
            if not any(re.search(rf"\$[({{]?{variable}\b", path.read_text()) for path in sources):
                return f"nothing reads {variable}"
    status, output = project.run_alone(command)
    if for_network:
        return None if status not in (0, 2) else f"is marked: needs the network, but ends with {status}:\n{output}"
    if program != "make" and lacks_gpu(status, output) != for_gpu:
        return f"is{'' if for_gpu else ' not'} marked: needs a GPU, but ends with {status}:\n{output}"
    if for_gpu and program != "make":
        if program == "mpirun" or not gpu_here():
            return None
        status, output = project.run(command)
    if status == 0 or status == 1 and ANNOUNCED.search(f"{marks} {block.after}"):
        return None
    return f"ends with {status}:\n{output}"


def faults_of(text, project):
    """What is wrong with a page: sentences. And how many commands and configs it has."""
    faults, commands, configs = [], 0, []
    for block in blocks_of(text):
        for config in configs_of(block):
            name = f"{len(configs)}.cfg"
            for named in re.findall(r"`(?:[^`]* )?([^` ]+\.cfg)`", f"{block.before} {block.after}"):
                name = named if not (ROOT / named).exists() else name
            (project.root / name).parent.mkdir(parents=True, exist_ok=True)
            (project.root / name).write_text(config)
            configs.append(name)
        for command in commands_of(block):
            commands += 1
            fault = fault_of(project, block, command)
            faults += [f"{command}\n{fault}"] if fault else []
    for name in configs:  # the reference of one may be written by a command below it
        status, output = project.run_alone(f"{PROGRAM} --check-config {name}")
        if status != 0:
            faults.append(f"{(project.root / name).read_text()}\n{output}")
    return faults, commands, len(configs)


# Pages of one block, and what is found wrong with it: nothing, or a sentence with these words.
SMALL = "./cgsolve --set problem.n=3 configs/quickstart.cfg"
GPU = "./cgsolve configs/article-ill-conditioned.cfg"
CONFIG = 'problem = { type = "fe_cube"; n = 2; };\n    kernels = ( "cpu_csr" );'
EXAMPLES = (
    (SMALL, None), (f"{SMALL} # with a comment", None), (f"OMP_NUM_THREADS=1 {SMALL} \\\n      --quiet", None),
    ("./cgsolve --sett problem.n=3 configs/quickstart.cfg", "--sett"),
    ("./cgsolve --set problem.m=3 configs/quickstart.cfg", "problem.m"),
    ("./cgsolve --set 'kernels=(\"cpu_cst\")' configs/quickstart.cfg", "cpu_cst"),
    ("./cgsolve \\\n      configs/quickstrat.cfg", "configs/quickstrat.cfg"),
    ("./cgsolve report results/nothing", "results/nothing"),
    (GPU, "is not marked: needs a GPU"), (f"{GPU} # needs a GPU", None),
    (f"{GPU.replace(' ', ' --quite ')} # needs a GPU", "--quite"),
    (f"{SMALL} # needs a GPU", "is marked: needs a GPU"),
    ("./cgsolve bench --kernels cuda_csr_scalar --matrix FILE", "is not marked: needs a GPU"),
    ("./cgsolve bench --kernels cuda_csr_scalar,cpu_csr --matrix FILE", None),
    ("./cgsolve bench --kernels cpu_csr --matrix FILE # needs a GPU", "is marked: needs a GPU"),
    ("problems/fetch.sh HB/bcsstk21", "ends with 1"), ("problems/fetch.sh HB/bcsstk21 # needs the network", None),
    ("problems/fetch.sh -x HB/bcsstk21 # needs the network", "ends with 2"),
    (f"{SMALL} # needs the network", "is marked: needs the network"), ("pip install pandas", "is not marked"),
    ("./cgsolve --set solver.max_iterations=1 configs/quickstart.cfg", "ends with 1"),
    ("./cgsolve --set solver.max_iterations=1 configs/quickstart.cfg # exit status 1", None),
    ("./cgsolve --set solver.max_iterations=x configs/quickstart.cfg # exit status 1", "ends with 2"),
    ("make prove-bitwise RUNS=3", None), ("make prove-bitwise RUN=3", "nothing reads RUN"),
    ("make prove-bits", "ends with 2"), (CONFIG, None), (CONFIG.replace("n =", "m ="), "problem.m"),
    ('repeats = 2;\n    repeats = "x";', "repeats"), ('rhs = { type = "file"; path = "no.mtx"; };', "no.mtx"),
)


RANKS_EXAMPLES = (
    (f"mpirun -n 2 {SMALL}", None), (f"mpirun -n 2 {SMALL.replace('--set', '--sett')}", "--sett"),
    (f"mpirun -n 2 {GPU}", "is not marked: needs a GPU"), (f"mpirun -n 2 {GPU} # needs a GPU", None),
)


class Commands(unittest.TestCase):
    """A test for each page is added below."""

    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.whole = Project(pathlib.Path(cls.temporary.name) / "cgsolve")

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def copy(self, name):
        directory = pathlib.Path(self.temporary.name) / name
        shutil.rmtree(directory, ignore_errors=True)
        return Project(directory, self.whole)

    def test_faults_are_found(self):
        project = self.copy("examples")
        for block, words in EXAMPLES + (RANKS_EXAMPLES if ranks_here() else ()):
            faults, commands, configs = faults_of(f"Words.\n\n    {block}\n\nWords.\n", project)
            self.assertGreater(commands + configs, 0, block)
            self.assertEqual(len(faults), 1 if words else 0, f"{block}\n{faults}")
            self.assertIn(words or "", "".join(faults), block)

    def test_a_page_in_its_order(self):
        """A config under the name that the page gives it, and what one command leaves for the next."""
        page = (f"`./cgsolve mine.cfg` solves:\n\n    {CONFIG}\n\nWords.\n\n"
                "    ./cgsolve --write-reference mine.csv --output here mine.cfg\n"
                "    ./cgsolve check here/history.csv mine.csv\n")
        fenced = re.sub("((?:^    .*\n)+)", lambda block: f"```\n{block[1].replace('    ', '')}```\n", page, flags=re.M)
        for text in (page, fenced):
            self.assertEqual(faults_of(text, self.copy("order")), ([], 2, 1))
        faults = faults_of(page.replace("here mine.cfg", "there mine.cfg"), self.copy("order"))[0]
        self.assertEqual(len(faults), 1, faults)
        self.assertIn("here/history.csv", faults[0])


def test_of(page):
    def test(self):
        faults, commands, configs = faults_of(page.read_text(), self.copy(page.stem))
        self.assertGreater(commands + configs, 0)
        self.assertFalse(faults, "\n\n".join([f"{page.name}:", *faults]))
    return test


for each in PAGES:
    if any(commands_of(block) or configs_of(block) for block in blocks_of(each.read_text())):
        setattr(Commands, f"test_{each.stem.replace('-', '_')}", test_of(each))


if __name__ == "__main__":
    unittest.main()
