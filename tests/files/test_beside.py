"""bench/beside.py: two builds, their times, and whether a promised bit changed."""
import os
import subprocess
import sys
import tempfile
import unittest

PROGRAM = os.path.abspath(os.environ["CGSOLVE"])
SCRIPT = os.path.join("bench", "beside.py")
STUDY = "configs/quickstart.cfg --set problem.n=8 --set repeats=2 --set threads=2"


def rows_of(after, study=STUDY):
    done = subprocess.run([sys.executable, SCRIPT, PROGRAM, after, study], capture_output=True, text=True)
    rows = [line.strip("| ").split(" | ") for line in done.stdout.splitlines()[2:]]
    return done, {row[1]: row for row in rows}


class Beside(unittest.TestCase):
    def test_the_same_program(self):
        done, rows = rows_of(PROGRAM)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(rows["bitwise"][5], "same")
        self.assertEqual(rows["atomics"][5], "-")
        self.assertGreater(float(rows["bitwise"][2]), 0)

    def test_another_history(self):
        with tempfile.TemporaryDirectory() as directory:
            other = os.path.join(directory, "other")
            with open(other, "w", encoding="utf-8") as file:
                file.write(f'#!/bin/sh\nexec "{PROGRAM}" "$@" --set solver.tolerance=1e-3\n')
            os.chmod(other, 0o755)
            done, rows = rows_of(other)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertEqual(rows["bitwise"][5], "other")

    def test_a_study_that_fails(self):
        done, _ = rows_of(PROGRAM, "configs/none.cfg")
        self.assertEqual(done.returncode, 1)
        self.assertIn("configs/none.cfg", done.stderr)


if __name__ == "__main__":
    unittest.main()
