"""A comparison of kernels: its rows are those of its histories, and it shows itself."""

import re
import unittest
import xml.etree.ElementTree as xml

import numpy as np
import pandas
import scipy.sparse as sparse
import scipy.sparse.linalg as linalg
from support import ROOT, grid, plate, random

import cgsolve
from cgsolve._compare import picture


def first_difference(histories):
    """The first iteration at which one of them differs from another, -1 if none does."""
    longest = max(map(len, histories))
    for k in range(longest):
        if len({history[k:k + 1].tobytes() for history in histories}) > 1:
            return k
    return -1


class Compare(unittest.TestCase):
    def setUp(self):
        self.A, self.b = grid(30), random().uniform(-1, 1, 900)

    def expect_consistent(self, found):
        for row in found:
            runs = found.histories[row.label]
            lengths = [len(run) - 1 for run in runs]
            self.assertEqual((row.runs, row.histories), (len(runs), len({run.tobytes() for run in runs})))
            self.assertEqual((row.iterations_min, row.iterations_median, row.iterations_max),
                             (min(lengths), np.median(lengths), max(lengths)))
            self.assertEqual(row.first_divergence, first_difference(runs))
            self.assertFalse(row.promise_is_broken)

    def test_the_usual_kernels(self):
        A = plate()
        b = random().uniform(-1, 1, A.shape[0])
        found = cgsolve.compare(A, b, repeats=3, maxiter=50000, threads=3)
        self.assertEqual([row.label for row in found], ["atomics", "compensated", "compensated all", "bitwise"])
        self.assertEqual([row.guarantee for row in found], ["none", "none", "accurate", "bitwise"])
        self.expect_consistent(found)
        self.assertTrue(all(row.runs == row.converged == 3 for row in found))
        bitwise = found[-1]
        self.assertEqual((bitwise.histories, bitwise.solutions), (1, 1))
        self.assertEqual((bitwise.spread, bitwise.first_divergence), (0, -1))
        alone = cgsolve.Solver(A, maxiter=50000).solve(b)
        self.assertEqual(found.histories["bitwise"][2].tolist(), alone.history.tolist())

    def test_options(self):
        kernels = ["cpu_csr", {"name": "cpu_sym_bitwise", "label": "single", "precision": "float_double"},
                   {"name": "cpu_csr", "label": "exact", "reductions": "exact"}]
        x0 = random().uniform(-1, 1, 900)
        A = sparse.csr_array(self.A * random().uniform(0.9, 1.1))  # not of whole numbers, which single ones hold too
        for method in ("cg", "minres"):
            found = cgsolve.compare(A, self.b, kernels, 2, x0=x0, method=method, rtol=1e-7)
            self.assertEqual(list(found.histories), ["cpu_csr", "single", "exact"])
            self.expect_consistent(found)
            for label, options in (("cpu_csr", {}), ("single", {"kernel": {"name": "cpu_sym_bitwise",
                                                                           "precision": "float_double"}}),
                                   ("exact", {"reductions": "exact"})):
                alone = cgsolve.Solver(A, method=method, rtol=1e-7, **options).solve(self.b, x0)
                self.assertEqual(found.histories[label][1].tolist(), alone.history.tolist(), label)
        few = cgsolve.compare(self.A, self.b, ["cpu_csr"], 1, maxiter=2, preconditioner={"type": "jacobi"})
        self.assertEqual((few[0].converged, few[0].iterations_max, len(few)), (0, 2, 1))

    def test_pandas(self):
        found = cgsolve.compare(self.A, self.b, repeats=2)
        table = pandas.DataFrame(found)
        self.assertEqual(list(table.columns), list(cgsolve.Row._fields))
        self.assertEqual(list(table.itertuples(index=False, name=None)), [tuple(row) for row in found])

    def test_what_it_shows(self):
        found = cgsolve.compare(self.A, self.b, ["cpu_csr", {"name": "cpu_sym", "label": "<b> & c"}], 2)
        lines = repr(found).splitlines()
        self.assertEqual([line.split("  ")[0] for line in lines], ["kernel", "cpu_csr", "<b> & c"])
        self.assertRegex(lines[1], r" bitwise +2/2 +(\d+) / \1 / \1 +1 +1 +- +0.0e\+00 +[0-9.e+-]+$")
        page = xml.fromstring(f"<div>{found._repr_html_()}</div>")
        cells = [[cell.text for cell in row] for row in page.iter("tr")]
        self.assertEqual([row[0] for row in cells], ["kernel", "cpu_csr", "<b> & c"])
        drawn = list(page.iter("{http://www.w3.org/2000/svg}polyline"))
        self.assertEqual(len(drawn), 2)  # equal histories are one line
        self.assertEqual([line.get("stroke") for line in drawn], ["currentColor", "#56b4e9"])
        ticks = [int(text.text) for text in page.iter("{http://www.w3.org/2000/svg}text") if text.text.isdigit()]
        last = found[0].iterations_max
        for axis in (ticks[:len(ticks) // 2], ticks[len(ticks) // 2:]):
            self.assertEqual(axis, list(range(0, last + 1, axis[1])))
            self.assertIn(len(axis), range(3, 9))
        points = [tuple(map(float, point.split(","))) for point in drawn[0].get("points").split()]
        self.assertEqual(len(points), len(found.histories["cpu_csr"][0]))
        self.assertEqual(points, sorted(points))

    def test_colours(self):
        """A kernel has the colour that it has on the page of the program, whatever its place and label."""
        source = (ROOT / "src/program/report/plot.c").read_text(encoding="utf-8")
        colours = re.findall(r'"([#a-zA-Z0-9]+)"', re.search(r"\bcolors\[\] = {(.*?)}", source, re.DOTALL)[1])
        assigned = dict(re.findall(r'{"(\w+)", (\d)}', source))
        definitions = (ROOT / "src/spmv/kernels.def").read_text(encoding="utf-8")
        kernels = re.findall(r"\b(?:cpu|cuda|cusparse)_\w+", definitions)
        self.assertGreater(len(kernels), 15)
        for kernel in kernels:
            place = int(assigned[kernel]) if kernel in assigned else self.letters(kernel) % len(colours)
            rows = [cgsolve.Row("it", kernel, *[None] * (len(cgsolve.Row._fields) - 2))]
            shown = picture({"first": [np.ones(2)], "it": [np.ones(2)]}, {row.label: row.kernel for row in rows})
            lines = list(xml.fromstring(shown).iter("{http://www.w3.org/2000/svg}polyline"))
            self.assertEqual(lines[1].get("stroke"), colours[place], kernel)

    @staticmethod
    def letters(kernel):
        """As the page chooses the colour of a kernel that has none."""
        number = 0
        for letter in kernel:
            number = (31 * number + ord(letter)) % 2**32
        return number

    def test_labels_of_one_kernel(self):
        """They have its colour, and are told apart by their dashes, in the lines as in the key."""
        labels = list("abcde")
        shown = xml.fromstring(picture({label: [np.ones(2)] for label in labels}, dict.fromkeys(labels, "cpu_sym")))
        for tag in ("polyline", "path"):
            lines = [line for line in shown.iter(f"{{http://www.w3.org/2000/svg}}{tag}")
                     if line.get("stroke-dasharray")]
            self.assertEqual({line.get("stroke") for line in lines}, {"#56b4e9"})
            self.assertEqual(len({line.get("stroke-dasharray") for line in lines}), 5)
        found = cgsolve.compare(self.A, self.b, ["cpu_csr", {"name": "cpu_sym", "label": "it"}], 1)
        self.assertEqual([(row.label, row.kernel) for row in found], [("cpu_csr", "cpu_csr"), ("it", "cpu_sym")])

    def test_how_far_runs_differ(self):
        history = np.array([4.0, 2, 1])
        shown = cgsolve.Comparison([], {"a": [history, history * [1, 1.5, 3]], "b": [history, history]})._repr_html_()
        picture = xml.fromstring(shown.partition("</table>")[2])
        texts = [text.text for text in picture.iter("{http://www.w3.org/2000/svg}text")]
        self.assertEqual(texts[-2:], ["a", "b: equal runs"])
        lines = list(picture.iter("{http://www.w3.org/2000/svg}polyline"))
        self.assertEqual(len(lines), 4)  # two of a, one of b, and the difference of a
        self.assertEqual([len(line.get("points").split()) for line in lines], [3, 3, 3, 2])  # 0 has no logarithm

    def test_a_picture_of_what_has_no_logarithm(self):
        history = np.array([1.0, 0.0, np.nan, np.inf, 1e-3])
        for runs in ([history], [np.zeros(1)], [history, np.ones(10**5)], []):
            picture = xml.fromstring(cgsolve.Comparison([], {"it": runs})._repr_html_().replace("<table>", "", 1)
                                     .partition("</table>")[2])
            for line in picture.iter("{http://www.w3.org/2000/svg}polyline"):
                self.assertNotRegex(line.get("points"), "nan|inf")
                self.assertLess(len(line.get("points")), 10000)

    def test_refused(self):
        for arguments, options, says in (
                (([],), {}, "0 kernels"), ((["cpu_fast"],), {}, "cpu_fast"), ((["cpu_csr", "cpu_csr"],), {}, "two"),
                ((["cpu_csr"], 0), {}, "0 runs"), (("cpu_csr",), {}, "kernels = 'cpu_csr' must be a list"),
                ((5,), {}, "kernels = 5 must be a list"), ((["cpu_csr"], 1.5), {}, "repeats = 1.5 must be"),
                ((["cpu_csr"], 10**30), {}, "repeats = 10+ must be"),
                (([{"name": "cpu_csr", "label": "it\0"}], 1), {"rtol": "it"}, "rtol = 'it'"),
                ((["cpu_csr\0"],), {}, "cpu_csr.0"), ((["\udc80"],), {}, "udc80"),
                ((), {"x0": np.full(900, np.nan)}, r"^x0\[0\] = nan is not finite"),
                (([{"label": "it"}],), {}, "has no 'name'"),
                ((), {"method": "lanczos"}, "method = 'lanczos'"), ((), {"rtol": 0}, "rtol = 0"),
                ((), {"x0": np.ones(3)}, "x0 has the shape")):
            with self.subTest(says):
                with self.assertRaisesRegex(ValueError, says):
                    cgsolve.compare(self.A, self.b, *arguments, **options)
        with self.assertRaisesRegex(ValueError, "needs a matrix"):
            cgsolve.compare(linalg.aslinearoperator(self.A), self.b)


if __name__ == "__main__":
    unittest.main()
