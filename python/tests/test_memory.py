"""A solve in a control group that has too little memory for it, or just enough: the system never kills the process."""

import os
import pathlib
import subprocess
import sys
import unittest

MEGABYTE = 1 << 20
REFUSED = 3

SOLVE = f"""\
import os, sys, numpy as np, scipy.sparse as sparse, cgsolve
A = sparse.diags([-1.0, 2.5, -1], offsets=[-1, 0, 1], shape=(1000000, 1000000), format="csr")
b = np.ones(1000000)
with open(sys.argv[1] + "/cgroup.procs", "w") as processes:
    processes.write(str(os.getpid()))
try:
    cgsolve.cg(A, b, maxiter=3, threads=2)
except MemoryError:
    sys.exit({REFUSED})
"""


def group_of(limit):
    """A new group with that limit in bytes, of version 1 or 2, and no swap where that can be said; or None."""
    for place, memory, swap, most in (("memory", "limit_in_bytes", "memsw.limit_in_bytes", limit),
                                      ("", "max", "swap.max", 0)):
        group = pathlib.Path("/sys/fs/cgroup", place, f"cgsolve-test-{os.getpid()}")
        try:
            group.mkdir()
        except OSError:
            continue
        if os.access(group / f"memory.{memory}", os.W_OK):
            (group / f"memory.{memory}").write_text(str(limit))
            if os.access(group / f"memory.{swap}", os.W_OK):
                (group / f"memory.{swap}").write_text(str(most))
            return group
        group.rmdir()
    return None


class ControlGroup(unittest.TestCase):
    def fits(self, megabytes):
        """Whether a process solves in so many more than its matrix and vector have."""
        group = group_of(megabytes * MEGABYTE)
        if group is None:
            self.skipTest("nothing run: no control group can be made")
        status = subprocess.run([sys.executable, "-c", SOLVE, str(group)], check=False).returncode
        group.rmdir()
        self.assertIn(status, (0, REFUSED), f"within {megabytes} MB")
        return status == 0

    def test_the_limit(self):
        """Nearer and nearer to where what is refused becomes what fits."""
        least, most = refused, fits = 48, 176
        while fits - refused > 4:
            middle = (refused + fits) // 2
            if self.fits(middle):
                fits = middle
            else:
                refused = middle
        self.assertTrue(least < refused and fits < most)


if __name__ == "__main__":
    unittest.main()
