"""The page of a study in a browser, at the widths of a desk and of a phone, light, dark and printed: what is seen of
it, measured by the browser itself. Without a browser of the Chromium family nothing is measured, and that is said."""

import html
import json
import math
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from studies import PROGRAM, study

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
WIDTHS = {"desk": 1440, "phone": 390}
LABELS_LEAST = 11  # CSS pixels

# One kernel whose runs differ, with failures, and one whose runs do not; the labels try to become markup.
CONFIG = """
problem = { type = "poisson3d"; n = 32; jump = 1e4; };
solver = { max_iterations = %d; };
kernels = ( { name = "cpu_sym_atomic"; label = "<b onclick='x'>&"; threads = 2; }, { name = "cpu_sym_bitwise"; label = "bitwise"; } );
repeats = 3;
"""

# Runs in the page, behind its own script, and leaves what it found in the document.
MEASURE = """
const root = document.documentElement, found = {};
const box = element => { const b = element.getBoundingClientRect(); return [b.left, b.top, b.right, b.bottom]; };
const seen = element => getComputedStyle(element).display !== "none";
found.width = [root.clientWidth, root.scrollWidth];
found.scheme = matchMedia("(prefers-color-scheme: dark)").matches;
found.ground = getComputedStyle(document.body).backgroundColor;
found.verdict = box(document.querySelector(".verdict"));
const pictures = [...document.querySelectorAll("figure svg")].filter(svg => svg.getBoundingClientRect().width > 0);
found.picture = box(pictures[0]);
found.pictures = pictures.map(picture => box(picture)[2]);
found.hints = [...document.querySelectorAll(".hint")].filter(seen).length;
found.caption = box(document.querySelector(".caption"));
found.columns = [...document.querySelectorAll("thead th")].map(cell => [cell.textContent, ...box(cell)]);
found.labels = pictures.flatMap(svg => [...svg.querySelectorAll("text, tspan")]).filter(t => t.textContent.trim()).map(
  t => parseFloat(getComputedStyle(t).fontSize) * t.ownerSVGElement.getScreenCTM().a);
found.overlapping = pictures.flatMap(svg => [...svg.querySelectorAll("text")].filter(t => /^[\\d.]+$/.test(t.textContent.trim())).map(t => [t, ...box(t)]).filter(
  (a, k, all) => all.slice(k + 1).some(b => Math.abs(a[2] - b[2]) < 1 && a[1] < b[3] && b[1] < a[3])).map(a => a[0].textContent.trim()));
found.titles = [...document.querySelectorAll(".curve > title")].map(title => title.textContent);
found.bold = document.querySelectorAll("b, [onclick]").length;
const svg = pictures.find(picture => picture.querySelector("[data-panel]")), figure = svg.closest("figure");
const key = svg.querySelector("g.key"), curve = svg.querySelector(`.curve[data-kernel="${key.dataset.kernel}"]`);
const shown = () => curve.getBoundingClientRect().width > 0;
found.switched = [shown()];
for (let k = 0; k < 2; k++) { key.dispatchEvent(new MouseEvent("click")); found.switched.push(shown()); }
const area = svg.querySelector(".grown"), path = curve, whole = path.getAttribute("d");
const ends = whole.match(/-?[\\d.]+,-?[\\d.]+/g).pop().split(",").map(Number);
const place = (x, y) => { const p = new DOMPoint(x, y).matrixTransform(svg.getScreenCTM()); return {clientX: p.x, clientY: p.y}; };
const point = (type, x, y) => area.dispatchEvent(new PointerEvent(type, {...place(x, y), pointerType: "mouse", pointerId: 1, button: 0}));
area.setPointerCapture = () => {};
point("pointermove", ...ends);
const open = name => [...figure.querySelectorAll(name)].find(element => !element.hidden);
found.tip = open(".tip")?.textContent;
point("pointerdown", ends[0] - 60, ends[1] - 60);
point("pointermove", ends[0], ends[1] + 10);
point("pointerup", ends[0], ends[1] + 10);
const back = open(".tools button");
found.zoomed = path.getAttribute("d") !== whole && back !== undefined;
back?.click();
found.back = path.getAttribute("d") === whole;
document.documentElement.dataset.found = JSON.stringify(found);
"""


NO_BROWSER = "there is no chromium, chromium-browser or google-chrome on PATH, so no page is looked at in a browser"
in_browser = unittest.skipUnless(BROWSER, NO_BROWSER)


def browse(*options):
    call = [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", *options]
    return subprocess.run(call, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=3600, check=True).stdout


def ticks_of(svg):
    """Whether a picture's axis y is logarithmic, and the values at which it has ticks."""
    left, _, upper, lower, _, _, y0, y1, _, logarithmic, _ = map(
        float, re.search(r'data-panel="([^"]*)"', svg)[1].split())
    places = {float(y) for x, y in re.findall(r'd="M([\d.]+),([\d.]+)h-', svg) if abs(float(x) - left) < 0.1}
    share = [(lower - y) / (lower - upper) for y in places]
    return logarithmic, [y0 * (y1 / y0) ** part if logarithmic else y0 + part * (y1 - y0) for part in share]


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if not BROWSER:
            print(f"test_page: {NO_BROWSER}", file=sys.stderr)
        cls.temporary = tempfile.TemporaryDirectory()
        cls.directory = pathlib.Path(cls.temporary.name)
        results = study(cls.directory / "study", CONFIG % 5000, "--set", "output.report=true")
        cls.page = (results / "report.html").read_text()
        results = study(cls.directory / "failing", CONFIG % 30, "--set", "output.report=true", ends=(1,))
        cls.failing = (results / "report.html").read_text()
        cls.both = cls.directory / "both.html"
        subprocess.run([PROGRAM, "report", "--output", cls.both, cls.directory / "study", cls.directory / "failing"],
                       check=True, stdout=subprocess.DEVNULL)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def measured(self, text, width, *options):
        """What MEASURE finds in a window so wide, which is a frame: no browser's window is as narrow as a phone's."""
        inner, outer = self.directory / "inner.html", self.directory / "outer.html"
        tell = "parent.postMessage(document.documentElement.dataset.found, '*');"
        inner.write_text(text.replace("</body>", f"<script>\n//<![CDATA[\n{{{MEASURE}}}{tell}\n//]]>\n</script></body>"))
        outer.write_text(f'<!DOCTYPE html><body style="margin:0"><iframe style="border:0;width:{width}px;height:900px" '
                         'src="inner.html"></iframe><script>onmessage = event => '
                         "{ document.documentElement.dataset.found = event.data; };</script></body>")
        document = browse(f"--window-size={width + 40},940", "--virtual-time-budget=4000", *options, "--dump-dom",
                          outer.as_uri()).decode()
        return json.loads(html.unescape(re.search(r'data-found="([^"]*)"', document)[1]))

    def test_minor_ticks_stand_at_digits_times_a_power_of_ten(self):
        logarithmic_ones = 0
        for svg in re.findall(r"<svg .*?</svg>", self.page + self.failing, re.DOTALL):
            if "data-panel" not in svg or 'data-y="ulps"' in svg:
                continue
            logarithmic, values = ticks_of(svg)
            logarithmic_ones += bool(logarithmic)
            self.assertGreater(len(values), 2)
            for value in values if logarithmic and max(values) / min(values) > 10 else ():
                digit = value / 10 ** math.floor(math.log10(value) + 0.002)
                self.assertLess(abs(digit - round(digit)), 0.03 * digit, values)
        self.assertGreater(logarithmic_ones, 2)

    @in_browser
    def test_what_is_seen(self):
        for name, width in WIDTHS.items():
            for dark in False, True:
                options = ("--blink-settings=preferredColorScheme=0",) if dark else ()
                found = self.measured(self.page, width, *options)
                with self.subTest(name, dark=dark):
                    self.assertEqual(found["scheme"], dark)
                    self.assertEqual(found["ground"] == "rgb(255, 255, 255)", not dark)
                    self.assertEqual(found["width"], [width, width], "the page overflows sideways")
                    self.assertGreaterEqual(min(found["labels"]), LABELS_LEAST)
                    self.assertEqual(found["overlapping"], [], "labels of ticks that overlap")
                    self.assertLess(found["verdict"][3], 900, "the verdict ends below the first screen")
                    self.assertLess(found["picture"][1], 900, "the first picture begins below the first screen")
                    self.assertLessEqual(max(found["pictures"]), width, "a picture is cut")
                    self.assertEqual(found["hints"] > 0, name == "phone")
                    self.assertLessEqual(found["caption"][2], width)
                    column, left, _, right, _ = found["columns"][1]
                    self.assertEqual(column, "iterations median")
                    self.assertLessEqual(right, width, "the first result is not seen")
                    self.assertEqual(found["bold"], 0)
                    self.assertIn("bitwise, runs 1 to 3", found["titles"])
                    self.assertNotIn("", found["titles"])

    @in_browser
    def test_what_a_pointer_does(self):
        found = self.measured(self.page, WIDTHS["desk"])
        self.assertEqual(found["switched"], [True, False, True])
        self.assertRegex(found["tip"], r"^.*, runs? [1-3].*: iteration \d+, residual .*\d")
        self.assertTrue(found["zoomed"])
        self.assertTrue(found["back"])

    @in_browser
    def test_pages_of_failures_and_of_two_studies(self):
        self.assertEqual(self.failing.count('<span class="wrong">3 of 3 did not converge (iteration limit)</span>'), 2)
        for text in self.failing, self.both.read_text():
            for width in WIDTHS.values():
                found = self.measured(text, width)
                self.assertEqual(found["width"], [width, width])
                self.assertLess(found["verdict"][3], 900)

    @in_browser
    def test_paper_and_screenshots(self):
        page = self.directory / "study/report.html"
        pdf, png = self.directory / "page.pdf", self.directory / "page.png"
        browse(f"--print-to-pdf={pdf}", page.as_uri())
        self.assertEqual(pdf.read_bytes()[:5], b"%PDF-")
        self.assertLessEqual(len(re.findall(rb"/Type\s*/Page\b", pdf.read_bytes())), 7)
        browse("--window-size=1440,900", f"--screenshot={png}", page.as_uri())
        self.assertGreater(png.stat().st_size, 20000)


if __name__ == "__main__":
    unittest.main()
