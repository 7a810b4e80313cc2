"""The Fortran module: its example, its structs and constants beside those of C, and functions of the caller's."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

BUILD = pathlib.Path(os.environ["CGSOLVE_BUILD"])
SOURCES = pathlib.Path("interop/fortran").resolve()
INCLUDE = pathlib.Path("include").resolve()
FLAGS = "-std=f2018 -Wall -Wextra -Werror -Wno-unused-dummy-argument -fcheck=all".split()
STRUCTS = ("cgs_error", "cgs_array", "cgs_context_options", "cgs_matrix_data", "cgs_result")

CALLBACKS = """
module functions
   use cgsolve
   implicit none
   integer :: rows_seen = 0
contains
   ! diag(1, 2, ..., n), and its inverse
   function times(user, x, y, stream) bind(C) result(failed)
      type(c_ptr), value :: user, stream
      type(cgs_array), intent(in) :: x, y
      integer(c_int) :: failed
      real(c_double), pointer :: from(:), to(:)
      integer :: i
      call c_f_pointer(x%data, from, [x%rows])
      call c_f_pointer(y%data, to, [y%rows])
      to = [(i*from(i), i=1, size(from))]
      failed = 0
   end function
   function inverse(user, x, y, stream) bind(C) result(failed)
      type(c_ptr), value :: user, stream
      type(cgs_array), intent(in) :: x, y
      integer(c_int) :: failed
      real(c_double), pointer :: from(:), to(:)
      integer :: i
      call c_f_pointer(x%data, from, [x%rows])
      call c_f_pointer(y%data, to, [y%rows])
      to = [(from(i)/i, i=1, size(from))]
      failed = 0
   end function
   function monitor(user, column, iteration, residual) bind(C) result(ends)
      type(c_ptr), value :: user
      integer(c_int64_t), value :: column, iteration
      real(c_double), value :: residual
      integer(c_int) :: ends
      rows_seen = rows_seen + 1
      ends = 0
   end function
end module
program callbacks
   use functions
   implicit none
   integer, parameter :: n = 30
   type(c_ptr) :: context, op, solver, history
   type(cgs_result) :: results(2)
   type(cgs_error) :: error
   real(c_double), target :: b(2*n, 2), x(n, 2), y(n), z(n)
   real(c_double), pointer :: residuals(:)
   integer(c_int64_t) :: rows
   integer :: i
   if (cgs_context_create(context=context) /= CGS_OK) error stop 1
   if (cgs_operator_create_product(context, int(n, c_int64_t), CGS_SYMMETRIC, c_funloc(times), 0_c_int, c_null_ptr, &
                                   op=op, error=error) /= CGS_OK) error stop 2
   if (cgs_solver_create(op, solver=solver, error=error) /= CGS_OK) error stop 3
   if (cgs_precondition(solver, cgs_array_of(y), cgs_array_of(z), error) /= CGS_BAD_OPTION) error stop 4
   print '(a)', cgs_text(error)
   if (cgs_solver_precondition(solver, c_funloc(inverse), 0_c_int, c_null_ptr, error) /= CGS_OK) error stop 5
   call cgs_solver_monitor(solver, c_funloc(monitor), c_null_ptr)
   b(1::2, 1) = 1
   b(1::2, 2) = [(i, i=1, n)]
   b(2::2, :) = huge(1.0_c_double) ! between the rows
   if (cgs_solve(solver, cgs_array_of(b(1::2, :)), cgs_array(), cgs_array_of(x), results, error) /= CGS_OK) then
      print '(a)', cgs_text(error)
      error stop 6
   end if
   print '(a)', merge('solved', 'wrong ', maxval(abs(x(:, 1)*[(i, i=1, n)] - 1)) < 1e-12 .and. &
                      maxval(abs(x(:, 2) - 1)) < 1e-12)
   print '(2i3, i4)', results%iterations, rows_seen
   y = 1
   if (cgs_multiply(op, cgs_array_of(y), cgs_array_of(z)) /= CGS_OK) error stop 7
   print '(2f5.1)', z(1), z(n)
   if (cgs_precondition(solver, cgs_array_of(z), cgs_array_of(z), error) /= CGS_OK) error stop 8
   print '(2f5.1)', z(1), z(n)
   if (cgs_solver_history(solver, 1_c_int64_t, "residual"//c_null_char, history, rows) /= CGS_OK) error stop 9
   call c_f_pointer(history, residuals, [rows])
   print '(i3, l2)', rows, abs(residuals(1) - norm2(b(1::2, 2))) < 1e-9
   print '(a)', cgs_version()
   call cgs_solver_destroy(solver)
   call cgs_operator_destroy(op)
   call cgs_context_destroy(context)
end program
"""


def setUpModule():
    if not shutil.which("gfortran"):
        raise unittest.SkipTest("gfortran is not here")


def members(text, struct):
    """Of a type of the module, in their order."""
    body = re.search(rf"bind\(C\) :: {struct}\n(.*?)end type", text, re.DOTALL)[1]
    return [re.match(r"\w+", name.strip())[0] for line in body.splitlines() if "::" in line
            for name in line.split("::")[1].split(",")]


class Fortran(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(holder.cleanup)
        cls.path = pathlib.Path(holder.name)
        cls.module = (SOURCES / "cgsolve.f90").read_text(encoding="ascii")
        cls.run_here("gfortran", *FLAGS, "-c", SOURCES / "cgsolve.f90")

    @classmethod
    def run_here(cls, *command):
        done = subprocess.run([str(word) for word in command], cwd=cls.path, capture_output=True, text=True,
                              check=False)
        if done.returncode:
            raise AssertionError(f"{command}: {done.stdout}{done.stderr}")
        return done.stdout

    def fortran(self, source):
        self.run_here("gfortran", *FLAGS, "cgsolve.o", source, f"-L{BUILD}", "-lcgsolve", f"-Wl,-rpath,{BUILD}",
                      "-o", "program")
        return self.run_here("./program")

    def test_the_example(self):
        said = self.fortran(SOURCES / "example.f90").splitlines()
        self.assertRegex(said[0], r"^converged after 100 iterations, .* x in the middle 5050\.00$")
        self.assertLess(float(re.search(r"= (\S+),", said[0])[1]), 1e-10)
        self.assertEqual(said[1].split(), ["eigenvalues", "3.997802", "3.999023", "3.999756"])
        self.assertEqual(said[2], "refused: tolerance wants a real in [0, 1), not 2")

    def test_structs_and_constants(self):
        """Sizes, places of members, and values of constants, as C has them."""
        constants = re.findall(r"\b(CGS_[A-Z0-9_]+) = \d", self.module)
        self.assertGreater(len(constants), 30)
        in_c, in_fortran = [], []
        for k, struct in enumerate(STRUCTS):
            names = members(self.module, struct)
            in_c.append(f'printf("%zu\\n", sizeof(struct {struct}));')
            in_c += [f'printf("%zu\\n", offsetof(struct {struct}, {name}));' for name in names]
            in_fortran.append(f"print '(i0)', c_sizeof(v{k})")
            in_fortran += [f"print '(i0)', transfer(c_loc(v{k}%{name}), 0_c_intptr_t) - "
                           f"transfer(c_loc(v{k}), 0_c_intptr_t)" for name in names]
        in_c += [f'printf("%d\\n", {name});' for name in constants]
        in_fortran += [f"print '(i0)', {name}" for name in constants]
        (self.path / "sizes.c").write_text("#include <cgsolve/cgsolve.h>\n#include <stdio.h>\nint main(void) {\n" +
                                           "\n".join(in_c) + "}\n", encoding="ascii")
        (self.path / "sizes.f90").write_text(
            "program sizes\nuse cgsolve\nimplicit none\n" +
            "".join(f"type({struct}), target :: v{k}\n" for k, struct in enumerate(STRUCTS)) +
            "\n".join(in_fortran) + "\nif (v2%size /= c_sizeof(v2) .or. v3%size /= c_sizeof(v3) .or. &\n"
            "v4%size /= c_sizeof(v4)) error stop 'a size'\nend program\n", encoding="ascii")
        self.run_here(os.environ.get("CC", "cc"), f"-I{INCLUDE}", "sizes.c", "-o", "sizes")
        self.assertEqual(self.fortran("sizes.f90"), self.run_here("./sizes"))

    def test_every_name_is_in_the_header(self):
        header = (INCLUDE / "cgsolve/cgsolve.h").read_text(encoding="ascii")
        functions = re.findall(r"(?:function|subroutine) (cgs_\w+)\([^()]*\) bind\(C\)", self.module.replace("&\n", ""))
        self.assertGreater(len(functions), 20)
        for name in functions:
            self.assertRegex(header, rf"CGS_API [^;]*\b{name}\(")

    def test_functions_of_the_callers(self):
        (self.path / "callbacks.f90").write_text(CALLBACKS, encoding="ascii")
        version = re.search(r'CGS_VERSION "(.*)"', (INCLUDE / "cgsolve/cgsolve.h").read_text(encoding="ascii"))[1]
        self.assertEqual([line.split() for line in self.fortran("callbacks.f90").splitlines()],
                         [["the", "solver", "has", "no", "preconditioner"], ["solved"], ["1", "1", "4"],
                          ["1.0", "30.0"], ["1.0", "1.0"], ["2", "T"], [version]])


if __name__ == "__main__":
    unittest.main()
