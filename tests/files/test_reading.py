"""The lines of docs/reading-files.md: taken from the page, run, and held against summary.json and the files."""

import array
import csv
import io
import json
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import unittest

from studies import ROOT, study

PAGE = ROOT / "docs/reading-files.md"

# A language: what runs a script of it, and how the script, behind the page's lines, writes what it has read.
LANGUAGES = {
    "python": ([sys.executable, "-B"],
               'open("exact.txt", "w").write("\\n".join(map(float.hex, history.residual_hex)))\n'),
    "r": (["Rscript", "--vanilla"],
          'writeLines(sprintf("%a", history$residual_hex), "exact.txt")\n')}


def lines_of(language):
    (lines,) = re.findall(rf"^```{language}\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    return lines


def rows(text):
    """Of a table as CSV: the fields of each row by the label of the kernel, or of the iteration, in it."""
    return list(csv.reader(io.StringIO(text)))


def tables(output):
    """What was printed: medians, counts, and what summary.json says; each begins with a header of its own."""
    lines = [line for line in output.splitlines() if line]
    begins = [k for k, line in enumerate(lines) if not re.match(r'"?(\d+|atomics|bitwise)"?,', line)]
    return [rows("\n".join(lines[begin:end])) for begin, end in zip(begins, begins[1:] + [len(lines)])]


class Reading(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.directory = pathlib.Path(cls.temporary.name)
        (cls.directory / "results").mkdir()
        results = study(cls.directory / "results/quickstart", ROOT / "configs/quickstart.cfg",
                        "--threads", "2", "--set", "problem.n=10", "--set",
                        'kernels=({name="cpu_sym_atomic";label="atomics";},{name="cpu_sym_bitwise";label="bitwise";})')
        cls.kernels = json.loads((results / "summary.json").read_text())["kernels"]
        with open(results / "history.csv", encoding="utf-8") as history:
            cls.history = list(csv.DictReader(history))

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def output(self, language):
        program, more = LANGUAGES[language]
        script = self.directory / f"lines.{language}"
        script.write_text(lines_of(language) + more)
        done = subprocess.run([*program, str(script)], cwd=self.directory, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def residuals(self, kernel, iteration):
        return [float.fromhex(row["residual_hex"]) for row in self.history
                if row["kernel"] == kernel and int(row["iteration"]) == iteration]

    def check_language(self, language):
        medians, counts, summary = tables(self.output(language))
        self.check_bits()
        self.check_medians(medians)
        for kernel in self.kernels:
            (row,) = [row for row in counts if kernel["name"] in row]
            wanted = [kernel["iterations"][key] for key in ("min", "median", "max")]
            self.assertEqual([float(field) for field in row[row.index(kernel["name"]) + 1:]], wanted)
            (row,) = [row for row in summary if kernel["name"] in row]
            found = row[row.index(kernel["name"]) + 1:]
            self.assertEqual(int(found[0]), kernel["distinct_histories"])
            if kernel["first_divergence"] is None:
                self.assertIn(found[1], ("", "NA"))
            else:
                self.assertEqual(float(found[1]), kernel["first_divergence"])
            self.assertEqual(float(found[2]), kernel["iterations"]["median"])

    def check_bits(self):
        exact = (self.directory / "exact.txt").read_text().split()
        self.assertEqual([float.fromhex(text).hex() for text in exact],
                         [float.fromhex(row["residual_hex"]).hex() for row in self.history])

    def check_medians(self, table):
        names = [kernel["name"] for kernel in self.kernels]
        self.assertEqual(table[0][1:], names)
        longest = max(kernel["iterations"]["max"] for kernel in self.kernels)
        self.assertEqual([int(row[0]) for row in table[1:]], list(range(longest + 1)))
        for row in table[1:]:
            for name, field in zip(names, row[1:]):
                residuals = self.residuals(name, int(row[0]))
                if not residuals:
                    self.assertIn(field, ("", "NA"))
                else:  # as they are printed: with 15 digits or more
                    wanted = statistics.median(residuals)
                    self.assertLessEqual(abs(float(field) - wanted), 1e-14 * wanted)

    def test_python(self):
        self.check_language("python")

    def test_r(self):
        self.check_language("r")

    def test_the_page_names_the_languages(self):
        self.assertEqual(set(re.findall(r"^```(\w+)$", PAGE.read_text(), re.MULTILINE)), {*LANGUAGES, "julia"})


# How a script of a language, in front of the page's line and behind it, writes the x that this has loaded.
SOLUTIONS = {
    "Python": ("python", "import numpy\n", '\nopen("x.txt", "w").write("\\n".join(map(float.hex, x)))\n'),
    "R": ("r", "", '\nwriteLines(sprintf("%a", x), "x.txt")\n')}


class Solutions(unittest.TestCase):
    """The lines of the table of solutions, those for SciPy left out, which is not set up."""

    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        config = ('problem = { type = "fe_cube"; n = 6; unknowns = 2; reorder = "rcm"; };\n'
                  'kernels = ( { name = "cpu_csr"; label = "k"; } );\nrhs = { type = "random"; };\n')
        cls.bits = None
        for extension in ("npy", "mtx", "txt"):
            results = study(pathlib.Path(cls.temporary.name) / extension, config,
                            "--set", f"output.solution={extension}")
            if extension == "npy":
                words = array.array("d", (results / "solution-k-1.npy").read_bytes()[128:])
                cls.bits = [value.hex() for value in words]

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def check_line(self, name, extension, line):
        language, before, behind = SOLUTIONS[name]
        directory = pathlib.Path(self.temporary.name) / extension
        script = directory / f"load.{language}"
        script.write_text(before + line + behind)
        done = subprocess.run([*LANGUAGES[language][0], str(script)], cwd=directory, capture_output=True, text=True,
                              check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        loaded = (directory / "x.txt").read_text().split()
        self.assertEqual([float.fromhex(text).hex() for text in loaded], self.bits, line)

    def test_lines_of_the_table(self):
        found = 0
        for name, *lines in re.findall(r"^\| (\w+) \| `(.*)` \| `(.*)` \| `(.*)` \|$", PAGE.read_text(), re.MULTILINE):
            for extension, line in zip(("npy", "mtx", "txt"), lines):
                if name in SOLUTIONS and "scipy" not in line:
                    self.check_line(name, extension, line)
                    found += 1
        self.assertEqual(found, 5)


if __name__ == "__main__":
    unittest.main()
