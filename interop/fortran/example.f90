! -u'' = 1 on a grid of n points, then the residual by Fortran's own arithmetic, the smallest eigenvalues, and what is
! refused:
!
!     gfortran cgsolve.f90 example.f90 $(pkg-config --cflags --libs cgsolve) -o example && ./example
program example
   use, intrinsic :: iso_c_binding
   use, intrinsic :: iso_fortran_env, only: error_unit
   use cgsolve
   implicit none
   integer, parameter :: n = 200, nnz = 2*n - 1
   integer(c_int32_t), target :: rows(nnz), columns(nnz)
   real(c_double), target :: entries(nnz), b(n), x(n), eigenvalues(3)
   type(c_ptr) :: context, A, op, solver
   type(cgs_matrix_data) :: data
   type(cgs_options), target :: options
   type(cgs_result) :: result(1)
   type(cgs_error) :: error
   real(c_double) :: residual(n)
   integer :: i

   ! The upper triangle, entry by entry, counted from 1.
   rows = [(i, i=1, n), (i, i=1, n - 1)]
   columns = [(i, i=1, n), (i + 1, i=1, n - 1)]
   entries = [(2.0_c_double, i=1, n), (-1.0_c_double, i=1, n - 1)]
   b = 1

   data%n = n
   data%rows = cgs_array_of(rows)
   data%columns = cgs_array_of(columns)
   data%values = cgs_array_of(entries)
   data%part = CGS_UPPER
   call check(cgs_context_create(context=context, error=error))
   call check(cgs_matrix_create(context, data, A, error))
   call check(cgs_operator_create(A, op=op, error=error))

   call cgs_set_options(options, [character(16) :: "method", "cg", "tolerance", "1e-10", "preconditioner", "jacobi"])
   call check(cgs_solver_create(op, options%list, solver, error))
   call check(cgs_solve(solver, cgs_array_of(b), cgs_array(), cgs_array_of(x), result, error))
   residual = b - 2*x
   residual(:n - 1) = residual(:n - 1) + x(2:)
   residual(2:) = residual(2:) + x(:n - 1)
   print '(a, " after ", i0, " iterations, ||b - A x|| / ||b|| = ", es8.2, ", x in the middle ", f0.2)', &
      cgs_reason_name(result(1)%reason), result(1)%iterations, norm2(residual)/norm2(b), x(n/2)
   call cgs_solver_destroy(solver)

   call cgs_set_options(options, [character(16) :: "method", "lanczos", "eigen.count", "3", "eigen.which", "largest"])
   call check(cgs_solver_create(op, options%list, solver, error))
   call check(cgs_solve_eigen(solver, cgs_array(), eigenvalues, cgs_array(), result(1), error))
   print '("eigenvalues ", 3f10.6)', eigenvalues
   if (cgs_solver_set(solver, "tolerance"//c_null_char, "2"//c_null_char, error) /= CGS_OK) &
      print '("refused: ", a)', cgs_text(error)

   call cgs_solver_destroy(solver)
   call cgs_operator_destroy(op)
   call cgs_matrix_destroy(A)
   call cgs_context_destroy(context)

contains

   subroutine check(status)
      integer(c_int), intent(in) :: status
      if (status == CGS_OK) return
      write (error_unit, '(a)') cgs_text(error)
      error stop 1
   end subroutine
end program
