"""A matrix, a kernel and a method, set up once, for many solves."""

from __future__ import annotations

import contextlib
import functools
import threading
import weakref
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Callable, Optional, TypeVar, Union

import numpy as np

from . import _gpu
from ._library import Error, Options, call, ffi, lib, number, text, whole
from ._matrix import (OF_SINGLE, Data, columns, is_operator, is_single, like, matrix_data, place, real, strided,
                      values_of)
from ._near_null import NearNull
from ._product import Here, at, c_function, product

Component = Union[str, Mapping[str, object]]
T = TypeVar("T")
NUMBERS = ("iterations", "residual", "true_residual", "null_vectors", "outside")  # of struct cgs_result and Result
SIGNALS = 0.1  # seconds between two checks for signals in a solve: Python checks before each of its functions


def named(key: str, component: Optional[Component], naming: str) -> dict[str, object]:
    """The options that choose a component: a name, or a mapping with its name and its own options."""
    if component is None:
        return {}
    if not isinstance(component, Mapping):
        return {key: component}
    if naming not in component:
        raise ValueError(f"{key} = {dict(component)!r} has no {naming!r}")
    own = {f"{key}.{name}": value for name, value in component.items() if name != naming}
    return {key: component[naming], **own}


def limit(method: str, maxiter: Optional[int], n: int) -> int:
    """The iteration limit: maxiter, or the default of the method."""
    return (10 if method == "cg" else 5) * n if maxiter is None else maxiter


def stopping(method: str, rtol: Any, atol: Any) -> dict[str, object]:
    """The options of a method that solves A x = b."""
    if method not in ("cg", "minres"):
        raise ValueError(f'method = {method!r} must be "cg" or "minres"')
    return {"method": method, "absolute_tolerance": min(number("atol", atol), 1e300),
            "tolerance": min(number("rtol", rtol), float(np.nextafter(1, 0)))}  # below 1


def doubles(array: Optional[np.ndarray]) -> Any:
    """The library's view of an array, or of none."""
    return ffi.NULL if array is None else ffi.from_buffer("double[]", array)


class Handles:
    """Handles of the library, destroyed with this object, the last one first."""

    def __init__(self) -> None:
        self.raised: list[BaseException] = []  # by functions of the caller's, in the call that is under way
        self.given_up = False
        self._handles = contextlib.ExitStack()
        # Not at the end of the process, where a thread may be in a solve.
        weakref.finalize(self, self._handles.close).atexit = False

    def create(self, kind: str, *arguments: Any, by: str = "") -> Any:
        made = ffi.new(f"struct cgs_{kind} **")
        call(getattr(lib, f"cgs_{kind}_create{by}"), *arguments, made)
        self._handles.callback(getattr(lib, f"cgs_{kind}_destroy"), made[0])
        return made[0]

    def context(self, threads: Optional[int], gpu: Optional[int], called: bool = False) -> Any:
        """called: Python functions are callbacks, which may allocate memory of a GPU, and wait for it."""
        options = ffi.new("struct cgs_context_options *", {
            "size": ffi.sizeof("struct cgs_context_options"), "threads": whole("threads", threads or 0),
            "device": gpu or 0, "place": lib.CGS_CPU if gpu is None else lib.CGS_CUDA, "called": called})
        try:
            return self.create("context", options)
        except Error as error:
            raise Error(str(error) if gpu is None else f'{error}; device = "cpu" solves on the CPU') from None

    def matrix(self, context: Any, data: Data) -> Any:
        try:
            try:
                return self.create("matrix", context, data.data)
            except ValueError:
                if not data.rounded_to_single():
                    raise
                return self.create("matrix", context, data.data)
        except ValueError as error:
            raise ValueError(data.in_python(str(error))) from None
        finally:
            data.drop()

    def matrix_on_gpu(self, context: Any, entries: _gpu.Entries, asymmetry: Optional[float]) -> Any:
        """A matrix from a GPU's memory; None: refused."""
        arrays = [one.array if one else strided(None) for one in entries[1:5]]
        data = matrix_data(entries.n, *arrays, entries.part, asymmetry)
        try:
            return self.create("matrix", context, data)
        except ValueError:
            return None

    def call(self, function: Any, *arguments: Any) -> None:
        """Call a function of the library. Re-raise an exception of the caller's functions."""
        try:
            call(function, *arguments)
        except ValueError:
            if not self.raised:
                raise
        if self.raised:
            first = self.raised[0]
            self.raised.clear()
            raise first

    def in_thread(self, work: Callable[[], T]) -> T:
        """What work() returns in a thread of its own, while the main thread waits for it: so it hears of a signal, and
        what that raises sets `given_up`. No other thread hears of one, and a thread that a daemon starts while the
        interpreter ends may crash: so these work themselves."""
        if threading.current_thread() is not threading.main_thread():
            return work()
        returned: list[T] = []
        raised: list[BaseException] = []

        def run() -> None:
            try:
                returned.append(work())
            except BaseException as error:  # pylint: disable=broad-exception-caught
                raised.append(error)

        thread = threading.Thread(target=run, name="cgsolve")
        try:
            thread.start()
        except RuntimeError:  # no thread can be had: the interpreter ends, or the system refuses
            run()
        else:
            try:
                thread.join()
            except BaseException:
                self.given_up = True
                thread.join()
                raise
        if raised:
            raise raised[0]
        return returned[0]


class SolverHandles(Handles):
    """From a context to a solver of A - shift I."""

    def __init__(self, A: Any, *, kernel: Optional[Component] = None, preconditioner: Optional[Component] = None,
                 M: Any = None, reductions: Optional[str] = None, threads: Optional[int] = None,
                 gpu: Optional[int] = None, shift: float = 0.0, uplo: Optional[str] = None,
                 asymmetry: Optional[float] = None, near_null: Any = None, coordinates: Any = None,
                 **options: object) -> None:
        super().__init__()
        self.solver: Any = None
        self.A: Any = None  # unless A is known by its products alone
        self.averaged_pairs, self.asymmetry = 0, 0.0
        shift = number("shift", shift, "finite")
        of_kernel = named("kernel", kernel, "name")
        if reductions is not None:
            of_kernel["reductions"] = reductions
        of_solver = Options({**options, **named("preconditioner", preconditioner, "type")})
        self._A: Any = None
        functions = [one for one in (A if is_operator(A) else None, M) if one is not None]
        self.calls: Any = Here if gpu is None or not functions else _gpu.Calls(gpu, *functions)
        if is_operator(A):
            for name, value in (("kernel", kernel), ("uplo", uplo), ("asymmetry", asymmetry or None)):
                if value is not None:
                    raise ValueError(f"{name} = {value!r} is for matrices: A is known by its products alone")
            self._A, several, n = product("A", "x", A, self.raised, shift, self.calls)
        else:
            on_gpu = _gpu.entries(A, gpu, shift, uplo)
            if on_gpu and shift and asymmetry is None and not uplo and is_single(values_of(A)):
                asymmetry = OF_SINGLE  # as Data has it
            data = None if on_gpu else Data(A, shift, uplo, asymmetry)
            n = on_gpu.n if on_gpu else data.data.n
        self.n: int = n
        nearly = NearNull(A, n, near_null, coordinates, gpu, preconditioner)
        self._M: Any = None
        if M is not None:
            if preconditioner is not None:
                raise ValueError("M and preconditioner= exclude each other: a solve has one preconditioner")
            self._M, several_of_M, rows = product("M", "r", M, self.raised, calls=self.calls)
            if rows != n:
                raise ValueError(f"M has {rows} rows: A has {n}")

        def set_up() -> None:
            options, context = Options(of_kernel), self.context(threads, gpu, bool(functions))
            if self._A:
                made = self.create("operator", context, n, lib.CGS_SYMMETRIC, self._A, several, ffi.NULL, options.list,
                                   by="_product")
            else:
                if on_gpu:
                    self.A = self.matrix_on_gpu(context, on_gpu, asymmetry)
                if not self.A:  # from the host, which names the fault
                    self.A = self.matrix(context, data or Data(A, shift, uplo, asymmetry))
                worst = ffi.new("double *")
                self.averaged_pairs = lib.cgs_matrix_averaged(self.A, worst)
                self.asymmetry = worst[0]
                nearly.give(self.A)
                made = self.create("operator", self.A, options.list)
            self.solver = self.create("solver", made, of_solver.list)
            if self._M:
                call(lib.cgs_solver_precondition, self.solver, self._M, several_of_M, ffi.NULL)

        self.in_thread(set_up)
        self._poll = c_function("cgs_poll", lambda _user: 0, self.raised)
        lib.cgs_solver_poll(self.solver, SIGNALS, self._poll, ffi.NULL)

    def set(self, option: str, value: object) -> None:
        call(lib.cgs_solver_set, self.solver, option.encode(), text(value))

    def history(self, column: int) -> np.ndarray:
        """The residual norms of a column of the last solve."""
        values, rows = ffi.new("double **"), ffi.new("int64_t *")
        call(lib.cgs_solver_history, self.solver, column, b"residual", values, rows)
        history: np.ndarray = at(values[0], rows[0]).copy()
        return history


@dataclass(frozen=True, repr=False)
class Result:
    """What a solve has found. For b of shape (n, K), K = 1 too, all but x and `seconds` are for each column: an array
    of K, and a list of K histories."""

    x: np.ndarray  # of the shape of b; or as b: in the memory of its GPU; float32 if A and b are
    reason: Any  # "converged", or why it has ended
    iterations: Any
    residual: Any  # ||b - A x|| as the iteration has it
    true_residual: Any  # computed once more from x, in twice the precision
    history: Any  # an array: the residual of each iteration, from 0
    seconds: float  # of the iterations of all columns
    null_vectors: Any = 0  # of a singular A, as far as they are known; then x is the solution of least norm,
    outside: Any = 0.0  # and this the norm of b's part outside of A's range, over ||b||

    @property
    def converged(self) -> Any:
        return self.reason == "converged"

    def __repr__(self) -> str:
        reasons, counts = np.unique(self.reason, return_counts=True)
        ended = str(self.reason) if np.ndim(self.reason) == 0 else ", ".join(map("{1} {0}".format, reasons, counts))
        return (f"Result({ended}; iterations {_range(self.iterations, 'd')}, residual "
                f"{_range(self.residual, '.3g')}, computed once more {_range(self.true_residual, '.3g')}, "
                f"{self.seconds:.3g} s, x of shape {tuple(self.x.shape)})")


@functools.lru_cache(maxsize=None)
def reason_name(reason: int) -> str:
    return str(ffi.string(lib.cgs_reason_name(reason)).decode())


def _range(values: Any, form: str) -> str:
    """The least and the largest, or the only one."""
    ends = [format(end, form) for end in (np.min(values), np.max(values))]
    return " to ".join(dict.fromkeys(ends))


def of_one(found: Result) -> Result:
    """The same of its only column, for a b of shape (n,)."""
    return Result(found.x[:, 0], found.reason.item(), found.iterations.item(), found.residual.item(),
                  found.true_residual.item(), found.history[0], found.seconds, found.null_vectors.item(),
                  found.outside.item())


class Solver:
    """(A - shift I) x = b with one symmetric A for many b: the set-up is done once.

    A: a sparse matrix or array of SciPy, a dense array, or a LinearOperator. A matrix is full and symmetric.
    asymmetry: the largest accepted |a_ij - a_ji|, relative to the largest entries of rows i and j (cgsolve.h); both
    become their mean. None: 1e-12, for rounding errors; 1e-4 for float32 numbers. 0: equal entries.
    uplo: "U" or "L": only that triangle of A is read.
    method: "cg" or "minres".
    rtol, atol: done when ||b - A x|| <= max(rtol ||b||, atol).
    maxiter: 10 n, or 5 n of minres, if it is None.
    M: a preconditioner, z = M r, symmetric and positive definite, as near to the inverse of A - shift I as may be: a
    LinearOperator, a sparse matrix or an array. On a GPU operators get arrays of CuPy, torch or JAX, and return such.
    kernel, preconditioner: a name, or a mapping with its options as in a config of the program, such as
    {"name": "cpu_sym_bitwise", "precision": "float_double"} and {"type": "chebyshev", "degree": 4}.
    near_null, coordinates: the near-null space of A, for the preconditioner multigrid: vectors (n, K), like the B of
    PyAMG; or the coordinates of the nodes of an elastic body, (nodes, 2) or (nodes, 3), whose displacements are 2 or 3
    consecutive rows each. The coordinates give the rigid body modes.
    reductions: the sums of dot products: "reproducible", "exact", ...
    threads: None: by the size of A. The bits do not depend on it.
    device: "cpu", "cuda" or "cuda:1"; None: the GPU that has A in its memory, else the CPU.
    null_space: for a singular A, such as the Laplacian of a graph. "auto": cg refuses a b outside A's range; "project":
    removes b's part outside the range; "none": no test. x is the solution of least norm.
    resident: of cg and minres: "auto": a GPU may keep a small system in its processors for many iterations; "never".
    The bits are the same.

    Several Python threads may use one Solver: it does one solve after the other. It keeps A for pickle and copy, which
    set up another Solver with the same arguments.
    """

    def __init__(self, A: Any, *, method: str = "cg", rtol: float = 1e-5, atol: float = 0.0, shift: float = 0.0,
                 maxiter: Optional[int] = None, M: Any = None, kernel: Optional[Component] = None,
                 preconditioner: Optional[Component] = None, reductions: Optional[str] = None,
                 threads: Optional[int] = None, device: Optional[str] = None, uplo: Optional[str] = None,
                 asymmetry: Optional[float] = None, near_null: Any = None, coordinates: Any = None,
                 null_space: str = "auto", resident: str = "auto") -> None:
        self._given = {name: value for name, value in locals().items() if name != "self"}
        self._single = is_single(A)
        self._gpu = place(device, A=values_of(A))
        self._handles = SolverHandles(A, kernel=kernel, preconditioner=preconditioner, M=M, reductions=reductions,
                                      threads=threads, gpu=self._gpu, shift=shift, uplo=uplo,
                                      asymmetry=asymmetry, near_null=near_null, coordinates=coordinates,
                                      null_space=null_space, resident=resident, **stopping(method, rtol, atol))
        self._lock = threading.Lock()
        self._solves_in = 0  # the thread
        self._handles.set("max_iterations", limit(method, maxiter, self.n))

    def __reduce__(self) -> tuple[Any, ...]:
        return functools.partial(type(self), **self._given), ()

    def __repr__(self) -> str:
        arrays = ("M", "near_null", "coordinates")
        given = [f"{name}={type(value).__name__ if name in arrays else repr(value)}"
                 for name, value in self._given.items() if name != "A" and value is not None]
        return f"Solver(A of {self.n} rows, {', '.join(given)})"

    @property
    def n(self) -> int:
        """The rows of A."""
        return self._handles.n

    @property
    def averaged_pairs(self) -> int:
        """The number of unequal pairs of entries of A, which became their mean."""
        return self._handles.averaged_pairs

    @property
    def asymmetry(self) -> float:
        """The largest asymmetry of a pair, 0 if A is exactly symmetric."""
        return self._handles.asymmetry

    def problem(self, b: np.ndarray, x0: Optional[np.ndarray]) -> dict[str, str]:
        """The hashes that identify the problem A x = b from x0, as in a reference."""
        if not self._handles.A:
            raise ValueError("A is known by its products alone: a reference is of a matrix")
        vectors = {"rhs": b, **({} if x0 is None or not x0.any() else {"start": x0})}
        hashes = {"matrix": lib.cgs_matrix_hash(self._handles.A),
                  **{name: lib.cgs_vector_hash(doubles(v), self.n) for name, v in vectors.items()}}
        return {name: f"{value:016x}" for name, value in hashes.items()}

    @property
    def given(self) -> dict[str, Any]:
        """The arguments by which it was made."""
        return dict(self._given)

    def solve(self, b: Any, x0: Any = None, callback: Optional[Callable[[np.ndarray], object]] = None) -> Result:
        """Solve from x0, 0 if it is None. A solve that has not converged raises nothing: look at the reason.

        b: (n,), or (n, K) for K right-hand sides, each with the bits of its own solve if the kernel
            promises equal bits.
        x0: of the shape of b, or one for all columns.

        x is in the memory of a GPU if b is, and of float32 if A and b are. callback(x) sees a copy of x after each
        iteration, as NumPy has it. Its exception ends the solve. It is for one right-hand side."""
        n = self._handles.n
        self._handles.calls.begin(b)
        if callback is not None and not callable(callback):
            raise ValueError(f"callback = {callback!r} must be a function")
        dtype = np.float32 if self._single and is_single(b) else np.float64
        on_gpu = _gpu.system(n, self._gpu, b, x0)
        if on_gpu:
            return self._solve_on_gpu(on_gpu, b, callback, dtype)
        theirs, b = b, real("b", b)
        shape, b = b.shape, columns("b", b, n)
        start = None if x0 is None else columns("x0", x0, n)
        if start is not None and start.shape[1] not in (1, b.shape[1]):
            raise ValueError(f"x0 has {start.shape[1]} columns: b has {b.shape[1]}")
        x = np.empty_like(b)
        if start is not None:
            x[:] = start
        on_host = (strided(b), strided(None if start is None else x), strided(x))
        made = self._alone(lambda: self._solve(on_host, shape, callback, dtype))
        return made(like(theirs, x.reshape(shape).astype(dtype, copy=False)))

    def _solve_on_gpu(self, system: _gpu.System, b: Any, show: Any, dtype: type) -> Result:
        """x is of the shape of b, and if dtype is float32 of its type."""
        of_x0 = system.of_x0.array if system.of_x0 else strided(None)
        arrays = system.of_b.array, of_x0, system.of_x.array
        made = self._alone(lambda: self._solve(arrays, b.shape, show, dtype))
        x = system.x if b.ndim == 2 else system.x[:, 0]
        if dtype == np.float32:
            x = x.to(b.dtype) if hasattr(x, "to") else x.astype(b.dtype)
        found = made(x)
        if "not finite" in found.reason:
            columns("b", b, self.n)  # names the element
        return found

    def _alone(self, solve: Callable[[], T]) -> T:
        """solve(), while no other thread solves."""
        this = threading.get_ident()
        if self._solves_in == this:
            raise Error("a function that a solve calls uses the same solver")
        with self._lock:
            self._solves_in = this
            try:
                return solve()
            finally:
                self._solves_in = 0

    def _look(self, show: Any, dtype: type) -> Any:
        """Show x of the next solves to the callback. Keep the result alive during these solves."""
        def see(_user: Any, iteration: int, x: Any) -> int:
            if iteration > 0:
                show(at(x, self.n).astype(dtype))
            return 0

        look = c_function("cgs_look", see, self._handles.raised) if show else ffi.NULL
        call(lib.cgs_solver_look, self._handles.solver, 1, look, ffi.NULL)
        return look

    def _solve(self, arrays: tuple[Any, ...], shape: tuple[int, ...], show: Any, dtype: type) -> Callable[[Any], Result]:
        """By views of b, x0 and x, (n, K), for a b of this shape: the result, to which x is still to be given."""
        handles, count = self._handles, (*shape, 1)[1]
        if show and count > 1:
            raise NotImplementedError(f"callback is not taken: it sees the x of one b, and there are {count}")
        found = ffi.new("struct cgs_result[]", [{"size": ffi.sizeof("struct cgs_result")}] * count)
        look = self._look(show, dtype)  # alive until the end
        handles.call(lib.cgs_solve, handles.solver, *arrays, found)
        fields = {name: [getattr(one, name) for one in found] for name in NUMBERS}
        fields["reason"] = [reason_name(one.reason) for one in found]
        histories = [handles.history(j) for j in range(count)]
        several = len(shape) == 2
        return functools.partial(Result, history=histories if several else histories[0],
                                 seconds=max(one.seconds for one in found),
                                 **{name: np.array(of) if several else of[0] for name, of in fields.items()})
