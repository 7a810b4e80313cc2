#!/usr/bin/env python3
"""Poisson's equation on N^3 points by Python on a GPU, as a table in Markdown.

    bench/python_gpu.py [--rounds N] [--arrays cupy|torch] [--copies] SIZE...

wants the package of `make CUDA=1 wheel`, and CuPy or torch. A has 7 points and both triangles in CSR, and b is random;
both are in the memory of the GPU, and x comes back there. A solve ends when ||r|| <= 1e-8 ||b||. All take turns, N
rounds (7) after one that is not counted. A time is the median of a call, in milliseconds, from a GPU at rest to a GPU
at rest. `cgsolve.cg` sets up everything in each call. "second solve" is `solve` of a `Solver` that has solved before,
"own" what it says of its iterations, and the ratio is that of these two. Without CuPy there is no line of cupyx.

--copies counts, in one more call of each, the bytes that are copied between host and device: CUPTI records the copies
for torch.profiler. Rows of the history are not among them: the device writes them into memory of the host."""

import argparse
import importlib
import inspect
import json
import pathlib
import statistics
import tempfile
import time

import numpy as np
import scipy.sparse as sparse

import cgsolve

RTOL = 1e-8


def poisson(n):
    line = sparse.diags([-1, 2, -1], offsets=[-1, 0, 1], shape=(n, n), format="csr")
    unit = sparse.identity(n, format="csr")
    plane = sparse.kron(line, unit) + sparse.kron(unit, line)
    A = sparse.csr_matrix(sparse.kron(plane, unit) + sparse.kron(sparse.identity(n * n, format="csr"), line))
    A.sort_indices()
    return A


class Cupy:
    def __init__(self):
        self.cupy = importlib.import_module("cupy")
        self.sparse = importlib.import_module("cupyx.scipy.sparse")
        self.linalg = importlib.import_module("cupyx.scipy.sparse.linalg")

    def put(self, A, b):
        return self.sparse.csr_matrix(A), self.cupy.asarray(b)

    def wait(self):
        self.cupy.cuda.Device().synchronize()

    def fetch(self, x):
        return x.get()

    def others(self, A, b):
        named = "rtol" if "rtol" in inspect.signature(self.linalg.cg).parameters else "tol"
        return {"cupyx cg": lambda: self.linalg.cg(A, b, maxiter=100000, **{named: RTOL})[0]}


class Torch:
    def __init__(self):
        self.torch = importlib.import_module("torch")

    def put(self, A, b):
        there = (self.torch.from_numpy(array).cuda() for array in (A.indptr, A.indices, A.data))
        return self.torch.sparse_csr_tensor(*there, size=A.shape), self.torch.from_numpy(b).cuda()

    def wait(self):
        self.torch.cuda.synchronize()

    def fetch(self, x):
        return x.cpu().numpy()

    def others(self, _A, _b):
        return {}


def module_of(name):
    for one in (Cupy, Torch):
        if name in (None, one.__name__.lower()):
            try:
                return one()
            except ImportError:
                if name:
                    raise
    raise SystemExit("python_gpu.py: neither CuPy nor torch is installed")


class Second:
    """A second solve, and what it says of its own time."""

    def __init__(self, A, b, preconditioner):
        self.solver, self.b, self.own = cgsolve.Solver(A, rtol=RTOL, preconditioner=preconditioner), b, []

    def __call__(self):
        found = self.solver.solve(self.b)
        self.own.append(found.seconds)
        return found.x


def measure(by, calls, rounds):
    times, found = {name: [] for name in calls}, {}
    for _ in range(rounds + 1):
        for name, call in calls.items():
            by.wait()
            begin = time.perf_counter()
            found[name] = call()
            by.wait()
            times[name].append(1e3 * (time.perf_counter() - begin))
    return {name: statistics.median(all_times[1:]) for name, all_times in times.items()}, found


def copied_bytes(call):
    """Of one call, {"HtoD": bytes, "DtoH": bytes}."""
    profiler = importlib.import_module("torch.profiler")
    with tempfile.TemporaryDirectory() as folder:
        trace = pathlib.Path(folder) / "trace.json"
        with profiler.profile(activities=[profiler.ProfilerActivity.CUDA]) as recorded:
            call()
        recorded.export_chrome_trace(str(trace))
        events = json.loads(trace.read_text())["traceEvents"]
    copies = [event for event in events if event.get("cat") == "gpu_memcpy"]
    return {way: sum(copy["args"]["bytes"] for copy in copies if way in copy["name"]) for way in ("HtoD", "DtoH")}


def print_copies(size, calls):
    for name, call in calls.items():
        copied = copied_bytes(call)
        print(f"{size}^3, {name}: {copied['HtoD']} bytes to the device, {copied['DtoH']} from it", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--arrays", choices=("cupy", "torch"))
    parser.add_argument("sizes", type=int, nargs="+", metavar="SIZE")
    parser.add_argument("--copies", action="store_true")
    given = parser.parse_args()
    by = module_of(given.arrays)
    print("| Poisson3D | call | ms | own ms | ratio | relative residual |\n|---|---|--:|--:|--:|--:|")
    for size in given.sizes:
        A = poisson(size)
        b = np.random.default_rng(1).uniform(-1, 1, size**3)
        there = by.put(A, b)
        seconds = {f"second solve{name}": Second(*there, preconditioner)
                   for name, preconditioner in (("", None), (", multigrid", "multigrid"))}
        calls = {**by.others(*there),
                 "cgsolve.cg": lambda there=there: cgsolve.cg(*there, rtol=RTOL)[0],
                 "cgsolve.cg, multigrid": lambda there=there: cgsolve.cg(*there, rtol=RTOL,
                                                                         preconditioner="multigrid")[0],
                 **seconds}
        times, found = measure(by, calls, given.rounds)
        for name, milliseconds in times.items():
            residual = np.linalg.norm(b - A @ by.fetch(found[name])) / np.linalg.norm(b)
            own = 1e3 * statistics.median(seconds[name].own[1:]) if name in seconds else None
            told = f"{own:.3f} | {milliseconds / own:.2f}" if own else "|"
            print(f"| {size}^3 | {name} | {milliseconds:.3f} | {told} | {residual:.1e} |", flush=True)
        if given.copies:
            print_copies(size, calls)


if __name__ == "__main__":
    main()
