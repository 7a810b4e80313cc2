"""docs/summary.schema.json against the summary.json of studies that differ in all that it tells of."""

import copy
import json
import pathlib
import signal
import subprocess
import tempfile
import time
import unittest

import jsonschema

from studies import PROGRAM, ROOT, begin, study

SCHEMA = json.loads((ROOT / "docs/summary.schema.json").read_text())
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)

GRID = 'problem = { type = "poisson3d"; n = 6; jump = 1e3; };\n'
ONE = 'kernels = ( "cpu_sym_bitwise" );\n'



def objects(instance):
    """Every object in it."""
    if isinstance(instance, dict):
        yield instance
    for value in instance.values() if isinstance(instance, dict) else instance:
        if isinstance(value, (dict, list)):
            yield from objects(value)


def subschemas(schema):
    return [part for part in objects(schema) if part.get("type") == "object"]


class Schema(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.directory = pathlib.Path(cls.temporary.name)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def summary(self, name, config, *options, ends=(0,)):
        """The summary.json of a study, which is as the schema says."""
        return self.valid(study(self.directory / name, config, *options, ends=ends) / "summary.json")

    def valid(self, path):
        summary = json.loads(path.read_text())
        faults = [f"{fault.json_path}: {fault.message}" for fault in VALIDATOR.iter_errors(summary)]
        self.assertEqual(faults, [], path)
        return summary

    def two_rows(self, value, other=None):
        """The config of diag(value, other) x = (value, value)', other = value unless it is given."""
        matrix, vector = self.directory / f"{value}-{other}.mtx", self.directory / f"{value}-{other}-b.mtx"
        banner = "%%MatrixMarket matrix"
        matrix.write_text(f"{banner} coordinate real symmetric\n2 2 2\n1 1 {value}\n2 2 {value if other is None else other}\n")
        vector.write_text(f"{banner} array real general\n2 1\n{value}\n{value}\n")
        return (f'problem = {{ type = "mtx"; path = "{matrix}"; }};\n'
                f'rhs = {{ type = "file"; path = "{vector}"; }};\n{ONE}')

    def reasons(self, summary):
        return {run["reason"] for kernel in summary["kernels"] for run in kernel["runs"]}

    def test_the_schema_is_one(self):
        jsonschema.Draft202012Validator.check_schema(SCHEMA)

    def test_every_member_is_described_and_no_other_allowed(self):
        for part in subschemas(SCHEMA):
            for name, member in part.get("properties", {}).items():
                self.assertRegex(member["description"], r"^\S.*\.$", name)
            if "properties" in part:
                self.assertIs(part["additionalProperties"], False)

    def test_kernels_parameters_reductions_threads(self):
        config = GRID + ('kernels = ( "cpu_csr", { name = "cpu_sym_bitwise"; label = "b"; }, "cpu_sym_atomic" );\n'
                         'vary = { threads = [1, 2]; compress = ["auto", "never"];\n'
                         '    reductions = ["reproducible", "atomic", "blas", "compensated", "exact"]; };\n'
                         'repeats = 3;\n')
        summary = self.summary("vary", config)
        self.assertEqual(len(summary["kernels"]), 2 * 5 * (1 + 2 + 1))
        self.assertEqual({kernel["promise"] for kernel in summary["kernels"]}, {"kept", "none"})

    def test_every_kernel_of_this_build(self):
        names = [path.stem for path in sorted((ROOT / "src/spmv").rglob("cpu_*.c"))]
        known = (ROOT / "src/spmv/kernels.def").read_text()
        names = [name for name in names if f"KERNEL({name})" in known]
        self.assertGreater(len(names), 5)
        kernels = "kernels = ( " + ", ".join(f'"{name}"' for name in names) + " );\n"
        self.summary("kernels", GRID + kernels)

    def test_the_pieces_of_an_iteration(self):
        skew = self.directory / "skew.mtx"
        skew.write_text("%%MatrixMarket matrix coordinate real skew-symmetric\n6 6 5\n"
                        "2 1 1\n3 2 1.5\n4 3 2\n5 4 2.5\n6 5 3\n")
        skew = f'problem = {{ type = "mtx"; path = "{skew}"; }};\n{ONE}solver = {{ method = "skew"; shift = 2.0; }};\n'
        chebyshev = 'solver = { preconditioner = { type = "chebyshev"; degree = 3; }; };\n'
        lanczos = 'solver = { method = "lanczos"; }; eigen = { count = 2; tolerance = 1e-6; };\n'
        always = {"product_seconds", "sums_and_updates_seconds"}
        methods = {"cg": (GRID + ONE, set()), "skew": (skew, set()),
                   "minres": (GRID + ONE + 'solver = { method = "minres"; };\n', set()),
                   "chebyshev": (GRID + ONE + chebyshev, {"preconditioner_seconds"}),
                   "minres-chebyshev": (GRID + ONE + chebyshev.replace("{", '{ method = "minres";', 1),
                                        {"preconditioner_seconds"}),
                   "lanczos": (GRID + ONE + lanczos, {"projected_matrix_seconds"}),
                   "nothing": (GRID + ONE + "solver = { max_iterations = 0; };\n", None)}
        for name, (config, more) in methods.items():
            split = self.summary(f"pieces-{name}", config, ends=(0, 1))["kernels"][0]["time_split"]
            measured = {piece for piece, seconds in split.items() if seconds is not None}
            self.assertEqual(measured, set() if more is None else always | more, name)

    def test_problems(self):
        configs = sorted((ROOT / "tests/golden").glob("*.cfg"))
        self.assertGreater(len(configs), 8)
        for config in configs:
            summary = self.summary(f"golden-{config.stem}", config, "--set", 'kernels=("cpu_csr")', ends=(0, 1))
            self.assertEqual("file" in summary["problem"], summary["problem"]["type"] == "mtx")
        network = 'problem = { type = "network"; n = 4; decades = 3; };\n' + ONE
        self.assertEqual(self.summary("network", network)["problem"]["type"], "network")
        plate = 'problem = { type = "mtx"; path = "problems/plate.mtx.gz"; };\n' + ONE
        limit = ("--set", "solver.max_iterations=3")
        self.assertIn("file", self.summary("plate", plate, *limit, ends=(1,))["problem"])

    def test_several_right_hand_sides(self):
        kernels = 'kernels = ( "cpu_csr", "cpu_sym_bitwise" );\nrepeats = 2;\n'
        summary = self.summary("columns", GRID + kernels, "--set", "rhs.type=random", "--set", "rhs.columns=3")
        self.assertEqual(summary["problem"]["columns"], 3)
        self.assertEqual(len(summary["problem"]["rhs_norms"]), 3)
        self.assertEqual(max(summary["problem"]["rhs_norms"]), summary["problem"]["rhs_norm"])
        entries = [(kernel["name"], kernel["column"]) for kernel in summary["kernels"]]
        self.assertEqual(entries, [(name, j) for name in ("cpu_csr", "cpu_sym_bitwise") for j in range(3)])
        for column in range(3):  # the bits of its own solve
            one = self.summary(f"column{column}", GRID + kernels, "--set", "rhs.type=random",
                               "--set", f"rhs.seed={column + 1}")
            self.assertNotIn("columns", one["problem"])
            self.assertNotIn("column", one["kernels"][0])
            self.assertEqual(one["problem"]["rhs_norm"], summary["problem"]["rhs_norms"][column])
            for k, kernel in enumerate(one["kernels"]):
                other = summary["kernels"][3 * k + column]
                for member in ("history_hash", "solution_hash", "iterations", "true_residual"):
                    self.assertEqual(kernel["runs"][1][member], other["runs"][1][member])

    def test_another_numbering(self):
        summary = self.summary("reorder", GRID + ONE, "--set", 'problem.reorder="rcm"')
        self.assertIn("after", summary["problem"]["reorder"])
        version = subprocess.run([PROGRAM, "--version"], capture_output=True, text=True, check=True).stdout
        if "METIS: none" not in version:
            summary = self.summary("parts", GRID + ONE, "--set", "problem.reorder=metis", "--set", "problem.parts=3")
            self.assertEqual(summary["problem"]["reorder"]["parts"], 3)

    def test_a_reference_and_a_trace(self):
        reference = self.directory / "grid.csv"
        self.summary("written", GRID + ONE, "--write-reference", str(reference))
        compared = f'reference = {{ history = "{reference}"; mode = "bitwise"; }};\n'
        self.summary("compared", GRID + ONE + compared)
        self.summary("changed", GRID + ONE + compared, "--set", "solver.tolerance=1e-4", ends=(1,))
        trace = 'trace = { every = 5; vectors = ["r", "x"]; keep = "values"; };\n'
        self.summary("trace", GRID + ONE + trace)

    def test_endings(self):
        endings = {"iteration limit": GRID + ONE + "solver = { max_iterations = 2; };\n",
                   "stagnation": ROOT / "tests/golden/stagnation.cfg",
                   "not positive definite": ROOT / "tests/golden/indefinite.cfg",
                   "least squares solution": self.two_rows(1, 0) + 'solver = { method = "minres"; };\n',
                   "residual gap": GRID + 'kernels = ( { name = "cpu_csr"; precision = "float_double"; } );\n',
                   "not finite": GRID + ONE + 'solver = { method = "richardson"; relaxation = 100.0; };\n'}
        for reason, config in endings.items():
            summary = self.summary(reason.replace(" ", "-"), config, ends=(1,))
            self.assertEqual(self.reasons(summary), {reason})
            run = summary["kernels"][0]["runs"][0]
            self.assertEqual(run["residual"] is None, reason == "not finite")

    def test_a_study_that_was_killed(self):
        config = GRID + 'kernels = ( "cpu_csr", "cpu_sym_bitwise" );\nrepeats = 1000;\n'
        with begin(self.directory / "killed", config) as running:
            partial = self.directory / "killed/unfinished/summary.json.partial"
            while not partial.exists() and running.poll() is None:
                time.sleep(0.01)
            running.kill()
        self.assertEqual([kernel["name"] for kernel in self.valid(partial)["kernels"]], ["cpu_csr"])

    def test_a_study_that_was_interrupted(self):
        config = GRID + 'kernels = ( "cpu_csr" );\nrepeats = 100000;\n'
        unfinished = self.directory / "interrupted/unfinished"
        with begin(self.directory / "interrupted", config) as running:
            history = unfinished / "history.csv.partial"
            while not (history.exists() and history.stat().st_size > 1000) and running.poll() is None:
                time.sleep(0.01)
            running.send_signal(signal.SIGTERM)
        self.assertEqual(running.returncode, -signal.SIGTERM)
        summary = self.valid(unfinished / "summary.json")
        self.assertTrue(summary["interrupted"])
        self.assertLess(len(summary["kernels"][0]["runs"]), 100000)

    def test_labels(self):
        labels = '{ name = "cpu_csr"; label = "\u00e4 b\\\\c"; }, { name = "cpu_csr"; label = "?"; }'
        config = f"{GRID}kernels = ( {labels} );\n"
        self.assertEqual(self.summary("label", config)["kernels"][0]["name"], "\u00e4 b\\c")

    def test_a_path_of_any_bytes(self):
        path = bytes(self.directory) + b"/a\xff.mtx"
        with open(path, "wb") as matrix:
            matrix.write((ROOT / "tests/golden/indefinite.mtx").read_bytes())
        config = b'problem = { type = "mtx"; path = "' + path + b'"; };\n' + ONE.encode()
        summary = self.summary("bytes", config, ends=(1,))
        self.assertEqual(summary["problem"]["file"]["path"], str(self.directory) + "/a?.mtx")

    def test_broken_files_are_refused(self):
        """A member more, or one less, wherever it is, and values that cannot be."""
        summary = self.summary("whole", GRID + ONE, "--set", 'problem.reorder="rcm"')
        mtx = self.summary("whole-mtx", ROOT / "tests/golden/indefinite.cfg", ends=(1,))
        columns = self.summary("whole-columns", GRID + ONE, "--set", "rhs.columns=2")
        for whole in (summary, mtx, columns):
            own = [kernel["parameters"] for kernel in whole["kernels"]]  # each kernel's own affair
            for number, part in enumerate(objects(whole)):
                if any(part is parameters for parameters in own):
                    continue
                broken = copy.deepcopy(whole)
                list(objects(broken))[number]["another"] = 1
                self.assertFalse(VALIDATOR.is_valid(broken), f"one more: {sorted(part)}")
                for key in part:
                    broken = copy.deepcopy(whole)
                    del list(objects(broken))[number][key]
                    self.assertFalse(VALIDATOR.is_valid(broken), f"without {key}: {sorted(part)}")
        kernel, run = summary["kernels"][0], summary["kernels"][0]["runs"][0]
        wrong = [(summary, "schema", 2), (summary, "kernels", []), (run, "reason", "given up"),
                 (run, "iterations", -1), (run, "iterations", 1.5), (run, "history_hash", "0123456789ABCDEF"),
                 (run, "residual", "1e-8"), (run, "seconds", None), (kernel, "promise", "perhaps"),
                 (kernel, "first_apart", -1), (kernel, "reductions", "fast"), (kernel, "name", 3),
                 (summary["problem"], "type", "mtx"), (summary["problem"], "matrix_hash", "")]
        for part, key, value in wrong:
            kept, part[key] = part[key], value
            self.assertFalse(VALIDATOR.is_valid(summary), f"{key}: {value}")
            part[key] = kept
        self.assertTrue(VALIDATOR.is_valid(summary))


if __name__ == "__main__":
    unittest.main()
