"""Ctrl-C, Python's threads, processes that are forked, and the end of what was made."""

import gc
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import unittest
import unittest.mock
import weakref

import numpy as np
import scipy.sparse as sparse
import scipy.sparse.linalg as linalg
from support import grid, random

import cgsolve

HANGS = 3600  # seconds: what takes longer hangs, however slow the machine is


def bits(A, b):
    return cgsolve.cg(A, b)[0].tobytes(), cgsolve.eigsh(A, 4, which="SA")[0].tobytes()


def send(queue, A, b):
    queue.put(bits(A, b))


class Interruption(unittest.TestCase):
    """The solves here would take many minutes."""

    n = 300000

    def setUp(self):
        self.A = sparse.diags([-1.0, 2, -1], offsets=[-1, 0, 1], shape=(self.n, self.n))
        self.b = random().uniform(-1, 1, self.n)
        before = signal.signal(signal.SIGINT, signal.default_int_handler)  # it is ignored in the background of a shell
        self.addCleanup(signal.signal, signal.SIGINT, before)

    def interrupt(self, solve):
        """SIGINT, as Ctrl-C sends it, when the solve is under way."""
        timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
        returned = False
        with self.assertRaises(KeyboardInterrupt):
            timer.start()
            solve()
            returned = True
            timer.join()
        self.assertFalse(returned)

    def test_a_solve(self):
        solver = cgsolve.Solver(self.A, rtol=1e-14)
        self.interrupt(lambda: solver.solve(self.b))
        self.assertTrue(solver.solve(0 * self.b).converged)

    def test_columns(self):
        solver = cgsolve.Solver(self.A, rtol=1e-14)
        self.interrupt(lambda: solver.solve(np.stack([self.b, 2 * self.b], axis=1)))

    def test_solves_of_microseconds(self):
        solver = cgsolve.Solver(sparse.identity(4))

        def solve():
            while True:
                solver.solve([1, 2, 3, 4])

        self.interrupt(solve)
        self.assertTrue(solver.solve([1, 2, 3, 4]).converged)

    def test_eigenvalues(self):
        self.interrupt(lambda: cgsolve.eigsh(self.A, which="SA"))

    def test_an_operator(self):
        operator = linalg.aslinearoperator(sparse.csr_array(self.A))
        self.interrupt(lambda: cgsolve.minres(operator, self.b, rtol=1e-14, maxiter=10**6))

    def test_a_comparison(self):
        self.interrupt(lambda: cgsolve.compare(self.A, self.b, rtol=1e-14))

    def test_another_exception_of_a_signal_handler(self):
        def handle(number, frame):
            raise KeyError(number)

        solver = cgsolve.Solver(self.A, rtol=1e-14)
        before = signal.signal(signal.SIGUSR1, handle)
        timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGUSR1))
        try:
            with self.assertRaises(KeyError):
                timer.start()
                solver.solve(self.b)
        finally:
            timer.join()
            signal.signal(signal.SIGUSR1, before)


class Threads(unittest.TestCase):
    def setUp(self):
        self.b = random().uniform(-1, 1, 900)
        self.systems = [(grid(30) + k * sparse.identity(900), (k + 1) * self.b) for k in range(6)]

    def in_threads(self, work):
        """What work(k) returns, each k in a thread of its own, all at once."""
        found = [None] * len(self.systems)
        def put(k):
            found[k] = work(k)
        threads = [threading.Thread(target=put, args=(k,)) for k in range(len(found))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return found

    def test_solvers_in_several_threads(self):
        alone = [cgsolve.cg(A, b)[0].tobytes() for A, b in self.systems]
        found = self.in_threads(lambda k: [cgsolve.cg(*self.systems[k], threads=2)[0].tobytes() for _ in range(5)])
        self.assertEqual(found, [[bits] * 5 for bits in alone])

    def test_columns_in_several_threads(self):
        """One solver for all, and one each."""
        B = random().uniform(-1, 1, (900, 3))
        solver = cgsolve.Solver(self.systems[0][0])
        alone = [cgsolve.cg(A, B)[0].tobytes() for A, _ in self.systems]
        found = self.in_threads(lambda k: (solver.solve(B).x.tobytes(), cgsolve.cg(self.systems[k][0], B)[0].tobytes()))
        self.assertEqual(found, [(alone[0], bits) for bits in alone])

    def test_one_solver_for_several_threads(self):
        solver = cgsolve.Solver(self.systems[0][0])
        alone = [solver.solve(b) for _, b in self.systems]
        found = self.in_threads(lambda k: solver.solve(self.systems[k][1]))
        for one, other in zip(alone, found):
            self.assertEqual(one.x.tobytes(), other.x.tobytes())
            self.assertEqual(one.history.tolist(), other.history.tolist())

    def test_a_forked_process(self):
        A, b = self.systems[0]
        expected = bits(A, b)
        context = multiprocessing.get_context("fork")
        queue = context.Queue()
        process = context.Process(target=send, args=(queue, A, b), daemon=True)
        process.start()
        self.assertEqual(queue.get(timeout=HANGS), expected)
        process.join()

    def test_nothing_is_left(self):
        """Handles and threads go with the solver, and with one that could not be made."""
        before = threading.active_count()
        solvers = [cgsolve.Solver(A) for A, _ in self.systems]
        solvers[0].solve(self.b)
        handles = [weakref.ref(solver._handles) for solver in solvers]
        with self.assertRaises(ValueError):
            cgsolve.Solver(self.systems[0][0], kernel="cpu_fast")
        del solvers
        gc.collect()
        self.assertEqual([handle() for handle in handles], [None] * len(handles))
        for thread in threading.enumerate():
            if thread.name.startswith("cgsolve"):
                thread.join(HANGS)
        self.assertLessEqual(threading.active_count(), before)

    def test_without_memory(self):
        """In a process that may have 4 GB, a matrix whose rows alone need more."""
        script = ("import resource, cgsolve\n"
                  "from scipy.sparse import coo_array\n"
                  "resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))\n"
                  "A = coo_array(([1.0], ([0], [0])), shape=(2**31 - 1, 2**31 - 1))\n"
                  "cgsolve.Solver(A, threads=1)\n")
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
        self.assertRegex(done.stderr.splitlines()[-1], "^MemoryError: .*matrix")


class AtTheEnd(unittest.TestCase):
    """What runs when the main thread ends, each in a process of its own."""

    system = ("import atexit, threading, time, numpy as np, scipy.sparse as sparse, cgsolve\n"
              "from scipy.sparse.linalg import aslinearoperator\n"
              "A = sparse.diags([-1.0, 2, -1], offsets=[-1, 0, 1], shape=(100000, 100000), format='csr')\n"
              "b = np.ones(100000)\n")

    def expect(self, script, output):
        done = subprocess.run([sys.executable, "-c", self.system + script], capture_output=True, text=True,
                              timeout=HANGS, check=False)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, output, ""))

    def test_a_daemon_thread_in_a_call(self):
        """It is left where it is. The process neither crashes nor waits for it."""
        for call in ("cgsolve.cg(A, b, rtol=1e-14)", "cgsolve.cg(aslinearoperator(A), b, rtol=1e-14)",
                     "cgsolve.minres(A, np.stack([b, b], axis=1), rtol=1e-14)", "cgsolve.Solver(A)",
                     "cgsolve.eigsh(A, which='SA')", "cgsolve.compare(A, b, rtol=1e-14)",
                     "cgsolve.cg(A, b, rtol=1e-14, callback=len)"):
            with self.subTest(call):
                self.expect(f"def work():\n    while True:\n        {call}\n"
                            "kept = cgsolve.Solver(A)\n"
                            "threading.Thread(target=work, daemon=True).start()\ntime.sleep(0.3)\n", "")

    def test_a_thread_that_goes_on(self):
        """And a function that is called at the very end."""
        work = ("def work():\n    time.sleep(0.3)\n"
                "    print(cgsolve.cg(2 * sparse.identity(9), np.ones(9))[1], flush=True)\n"
                "    print(cgsolve.compare(np.eye(9), np.ones(9), ['cpu_csr'], 2)[0].converged, flush=True)\n")
        self.expect(work + "threading.Thread(target=work).start()\n", "0\n2\n")
        self.expect(work + "atexit.register(work)\n", "0\n2\n")

    def test_no_thread_can_be_had(self):
        expected = bits(grid(9), np.ones(81))
        with unittest.mock.patch("threading.Thread.start", side_effect=RuntimeError("can't start new thread")):
            self.assertEqual(bits(grid(9), np.ones(81)), expected)


class ChangedMeanwhile(unittest.TestCase):
    def test_indices_of_a_matrix(self):
        """Another thread changes them while a solver is made of them: there is a solver or a ValueError, no crash.
        It goes on for 4 seconds, and until one was refused."""
        script = ("import threading, numpy as np, scipy.sparse as sparse, cgsolve, time\n"
                  "A = sparse.csr_array(sparse.diags([-1.0, 2, -1], offsets=[-1, 0, 1], shape=(200000, 200000)))\n"
                  "array, refused, end = A.{name}, False, time.monotonic() + 4\n"
                  "good, bad = array.copy(), array + 2**30\n"
                  "def change():\n"
                  "    while True:\n"
                  "        array[1:-1] = bad[1:-1]\n"
                  "        array[1:-1] = good[1:-1]\n"
                  "threading.Thread(target=change, daemon=True).start()\n"
                  "while not refused or time.monotonic() < end:\n"
                  "    try:\n"
                  "        cgsolve.Solver(A)\n"
                  "    except ValueError:\n"
                  "        refused = True\n")
        for name in ("indices", "indptr"):
            done = subprocess.run([sys.executable, "-c", script.format(name=name)], capture_output=True, text=True,
                                  timeout=HANGS, check=False)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))


if __name__ == "__main__":
    unittest.main()
