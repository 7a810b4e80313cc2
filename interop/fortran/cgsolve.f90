! cgsolve/cgsolve.h for Fortran 2018: the same names, documented in the header. Handles are type(c_ptr). An argument of
! C that may be NULL is optional here.
!
! A cgs_array has the address of its vector or matrix, which needs the attribute target, and must live until the call
! that uses it ends. cgs_array_of(v) makes one from a vector or a matrix, with any strides; cgs_array() is a missing
! one.
module cgsolve
   use, intrinsic :: iso_c_binding
   implicit none
   public

   ! enum cgs_status
   integer(c_int), parameter :: CGS_OK = 0, CGS_BAD_OPTION = 1, CGS_BAD_INPUT = 2, CGS_NO_MEMORY = 3, &
                                CGS_DEVICE = 4, CGS_UNAVAILABLE = 5, &
                                CGS_RANK = 8
   ! enum cgs_place, cgs_type
   integer(c_int), parameter :: CGS_CPU = 0, CGS_CUDA = 1
   integer(c_int), parameter :: CGS_DOUBLE = 0, CGS_FLOAT = 1, CGS_INT32 = 2, CGS_INT64 = 3
   ! enum cgs_part, cgs_kind
   integer(c_int), parameter :: CGS_UPPER = 1, CGS_LOWER = 2, CGS_FULL = 3
   integer(c_int), parameter :: CGS_SYMMETRIC = 0, CGS_SKEW = 1
   ! enum cgs_guarantee
   integer(c_int), parameter :: CGS_NO_GUARANTEE = 0, CGS_USUAL_BITS = 1, CGS_EQUAL_IN_RUN = 2, CGS_EQUAL_BITS = 3
   ! enum cgs_reason
   integer(c_int), parameter :: CGS_NOT_SOLVED = 0, CGS_CONVERGED = 1, CGS_RESIDUAL_GAP = 2, &
                                CGS_ITERATION_LIMIT = 3, CGS_NOT_POSITIVE_DEFINITE = 4, CGS_NOT_FINITE = 5, &
                                CGS_STAGNATION = 6, CGS_SINGULAR = 7, CGS_LEAST_SQUARES = 8, CGS_CANCELLED = 9
   ! enum cgs_eigen_list
   integer(c_int), parameter :: CGS_LIST_OPEN = 0, CGS_LIST_SEARCHED = 1, CGS_LIST_ALL = 2

   type, bind(C) :: cgs_error
      character(kind=c_char) :: text(1024) = c_null_char
   end type

   type, bind(C) :: cgs_array
      type(c_ptr) :: data = c_null_ptr
      integer(c_int64_t) :: rows = 0, columns = 0, row_stride = 0, column_stride = 0
      integer(c_int) :: type = CGS_DOUBLE, place = CGS_CPU, device = 0
      integer(c_int) :: reserved(5) = 0
   end type

   ! The sizes are those of a system of 64 bits.
   type, bind(C) :: cgs_context_options
      integer(c_size_t) :: size = 48
      integer(c_int) :: place = CGS_CPU, threads = 0, device = 0
      type(c_ptr) :: stream = c_null_ptr, exchange = c_null_ptr
      integer(c_int) :: called = 0
   end type

   type, bind(C) :: cgs_matrix_data
      integer(c_size_t) :: size = 352
      integer(c_int64_t) :: n = 0
      type(cgs_array) :: offsets, rows, columns, values
      integer(c_int) :: base = 1, part = 0, kind = CGS_SYMMETRIC
      real(c_double) :: asymmetry = 0
      integer(c_int) :: borrow = 0
      integer(c_int64_t) :: first_row = 0, own_rows = 0
   end type

   type, bind(C) :: cgs_result
      integer(c_size_t) :: size = 112
      integer(c_int) :: reason = CGS_NOT_SOLVED
      integer(c_int64_t) :: iterations = 0
      real(c_double) :: residual = 0, true_residual = 0, rhs_norm = 0, ritz_low = 0, ritz_high = 0
      real(c_double) :: start_seconds = 0, seconds = 0
      integer(c_int64_t) :: products = 0
      integer(c_int) :: eigen_list = CGS_LIST_OPEN
      integer(c_int64_t) :: null_vectors = 0
      real(c_double) :: outside = 0
   end type

   interface cgs_array_of
      module procedure array_of_vector, array_of_columns, array_of_int32, array_of_int64
   end interface

   ! Options by name, as they are handed over: `list`.
   type :: cgs_options
      character(kind=c_char), allocatable :: text(:, :)
      type(c_ptr), allocatable :: list(:)
   end type

   interface
      function cgs_context_create(options, context, error) bind(C) result(found)
         import
         type(cgs_context_options), intent(in), optional :: options
         type(c_ptr), intent(out) :: context
         type(cgs_error), intent(inout), optional :: error
         integer(c_int) :: found
      end function
      subroutine cgs_context_destroy(context) bind(C)
         import
         type(c_ptr), value :: context
      end subroutine
      function cgs_matrix_create(context, data, matrix, error) bind(C) result(found)
         import
         type(c_ptr), value :: context
         type(cgs_matrix_data), intent(in) :: data
         type(c_ptr), intent(out) :: matrix
         type(cgs_error), intent(inout), optional :: error
         integer(c_int) :: found
      end function
      function cgs_matrix_read(context, path, asymmetry, matrix, error) bind(C) result(found)
         import
         type(c_ptr), value :: context
         character(kind=c_char), intent(in) :: path(*)
         real(c_double), value :: asymmetry
         type(c_ptr), intent(out) :: matrix
         type(cgs_error), intent(inout), optional :: error
         integer(c_int) :: found
      end function
      function cgs_matrix_update(matrix, data, error) bind(C) result(found)
         import
         type(c_ptr), value :: matrix
         type(cgs_matrix_data), intent(in) :: data
         type(cgs_error), intent(inout), optional :: error
         integer(c_int) :: found
      end function
      function cgs_matrix_coordinates(matrix, coordinates, error) bind(C) result(found)
         import
         type(c_ptr), value :: matrix
         type(cgs_array), value :: coordinates
         type(cgs_error), intent(inout), optional :: error
         integer(c_int) :: found
      end function
      function cgs_matrix_near_null(matrix, vectors, block, error) bind(C) result(found)
         import
         type(c_ptr), value :: matrix
         type(cgs_array), value :: vectors
         integer(c_int64_t), value :: block
         type(cgs_error), intent(inout), optional :: error
         integer(c_int) :: found
      end function
      subroutine cgs_matrix_destroy(matrix) bind(C)
         import
         type(c_ptr), value :: matrix
      end subroutine
      function cgs_matrix_rows(matrix) bind(C) result(found)
         import
         type(c_ptr), value :: matrix
         integer(c_int64_t) :: found
      end function
      function cgs_matrix_entries(matrix) bind(C) result(found)
         import
         type(c_ptr), value :: matrix
         integer(c_int64_t) :: found
      end function
      function cgs_matrix_averaged(matrix, asymmetry) bind(C) result(found)
         import
         type(c_ptr), value :: matrix
         real(c_double), intent(out), optional :: asymmetry
         integer(c_int64_t) :: found
      end function
      function cgs_matrix_hash(matrix) bind(C) result(found)
         import
         type(c_ptr), value :: matrix
         integer(c_int64_t) :: found
      end function
      function cgs_operator_create(matrix, options, op, error) bind(C) result(found)
         import
         type(c_ptr), value :: matrix
         type(c_ptr), intent(in), optional :: options(*)
         type(c_ptr), intent(out) :: op
         type(cgs_error), intent(inout), optional :: error
         integer(c_int) :: found
      end function
      function cgs_operator_create_product(context, n, kind, product, several, user, options, op, &
                                           error) bind(C) result(found)
         import
         type(c_ptr), value :: context
         integer(c_int64_t), value :: n
         integer(c_int), value :: kind
         type(c_funptr), value :: product
         integer(c_int), value :: several
         type(c_ptr), value :: user
         type(c_ptr), intent(in), optional :: options(*)
         type(c_ptr), intent(out) :: op
         type(cgs_error), intent(inout), optional :: error
         integer(c_int) :: found
      end function
      subroutine cgs_operator_destroy(op) bind(C)
         import
         type(c_ptr), value :: op
      end subroutine
      function cgs_operator_guarantee(op) bind(C) result(found)
         import
         type(c_ptr), value :: op
         integer(c_int) :: found
      end function
      function cgs_multiply(op, x, y, error) bind(C) result(found)
         import
         type(c_ptr), value :: op
         type(cgs_array), value :: x, y
         type(cgs_error), intent(inout), optional :: error
         integer(c_int) :: found
      end function
      function cgs_solver_create(op, options, solver, error) bind(C) result(found)
         import
         type(c_ptr), value :: op
         type(c_ptr), intent(in), optional :: options(*)
         type(c_ptr), intent(out) :: solver
         type(cgs_error), intent(inout), optional :: error
         integer(c_int) :: found
      end function
      subroutine cgs_solver_destroy(solver) bind(C)
         import
         type(c_ptr), value :: solver
      end subroutine
      function cgs_solver_set(solver, option, value, error) bind(C) result(found)
         import
         type(c_ptr), value :: solver
         character(kind=c_char), intent(in) :: option(*), value(*)
         type(cgs_error), intent(inout), optional :: error
         integer(c_int) :: found
      end function
      function cgs_solver_precondition(solver, product, several, user, error) bind(C) result(found)
         import
         type(c_ptr), value :: solver
         type(c_funptr), value :: product
         integer(c_int), value :: several
         type(c_ptr), value :: user
         type(cgs_error), intent(inout), optional :: error
         integer(c_int) :: found
      end function
      function cgs_precondition(solver, r, z, error) bind(C) result(found)
         import
         type(c_ptr), value :: solver
         type(cgs_array), value :: r, z
         type(cgs_error), intent(inout), optional :: error
         integer(c_int) :: found
      end function
      subroutine cgs_solver_monitor(solver, monitor, user) bind(C)
         import
         type(c_ptr), value :: solver
         type(c_funptr), value :: monitor
         type(c_ptr), value :: user
      end subroutine
      subroutine cgs_solver_cancel(solver) bind(C)
         import
         type(c_ptr), value :: solver
      end subroutine
      function cgs_solve(solver, b, x0, x, results, error) bind(C) result(found)
         import
         type(c_ptr), value :: solver
         type(cgs_array), value :: b, x0, x
         type(cgs_result), intent(inout), optional :: results(*)
         type(cgs_error), intent(inout), optional :: error
         integer(c_int) :: found
      end function
      function cgs_solver_eigen_count(solver) bind(C) result(found)
         import
         type(c_ptr), value :: solver
         integer(c_int64_t) :: found
      end function
      function cgs_solve_eigen(solver, start, values, vectors, result, error) bind(C) result(found)
         import
         type(c_ptr), value :: solver
         type(cgs_array), value :: start
         real(c_double), intent(out) :: values(*)
         type(cgs_array), value :: vectors
         type(cgs_result), intent(inout), optional :: result
         type(cgs_error), intent(inout), optional :: error
         integer(c_int) :: found
      end function
      function cgs_solver_history(solver, column, series, values, rows, error) bind(C) result(found)
         import
         type(c_ptr), value :: solver
         integer(c_int64_t), value :: column
         character(kind=c_char), intent(in) :: series(*)
         type(c_ptr), intent(out) :: values
         integer(c_int64_t), intent(out) :: rows
         type(cgs_error), intent(inout), optional :: error
         integer(c_int) :: found
      end function
      function cgs_version_of_c() bind(C, name="cgs_version") result(found)
         import
         type(c_ptr) :: found
      end function
      function cgs_reason_name_of_c(reason) bind(C, name="cgs_reason_name") result(found)
         import
         integer(c_int), value :: reason
         type(c_ptr) :: found
      end function
   end interface
   private :: cgs_version_of_c, cgs_reason_name_of_c, array_of_vector, array_of_columns, array_of_int32, &
              array_of_int64, stride, text_at

contains

   ! texts: names and values in turns, as [character(16) :: "kernel", "cpu_csr"]; blanks at their ends do not count.
   ! options has the attribute target, and is neither copied nor assigned.
   subroutine cgs_set_options(options, texts)
      type(cgs_options), intent(out), target :: options
      character(*), intent(in) :: texts(:)
      integer :: k, l
      allocate (options%text(len(texts) + 1, size(texts)), options%list(size(texts) + 1))
      options%text = c_null_char
      options%list = c_null_ptr
      do k = 1, size(texts)
         do l = 1, len_trim(texts(k))
            options%text(l, k) = texts(k)(l:l)
         end do
         options%list(k) = c_loc(options%text(1, k))
      end do
   end subroutine

   ! The sentence of an error.
   function cgs_text(error) result(text)
      type(cgs_error), intent(in), target :: error
      character(:), allocatable :: text
      text = text_at(c_loc(error))
   end function

   function cgs_reason_name(reason) result(text)
      integer(c_int), intent(in) :: reason
      character(:), allocatable :: text
      text = text_at(cgs_reason_name_of_c(reason))
   end function

   function cgs_version() result(text)
      character(:), allocatable :: text
      text = text_at(cgs_version_of_c())
   end function

   function text_at(address) result(text)
      type(c_ptr), intent(in) :: address
      character(:), allocatable :: text
      character(kind=c_char), pointer :: from(:)
      integer :: k, length
      call c_f_pointer(address, from, [1024])
      length = findloc(from == c_null_char, .true., dim=1) - 1
      allocate (character(length) :: text)
      do k = 1, length
         text(k:k) = from(k)
      end do
   end function

   ! Between two elements of that many bytes.
   function stride(first, second, bytes) result(found)
      type(c_ptr), intent(in) :: first, second
      integer, intent(in) :: bytes
      integer(c_int64_t) :: found
      found = (transfer(second, found) - transfer(first, found))/bytes
   end function

   function array_of_vector(v) result(array)
      real(c_double), intent(in), target :: v(:)
      type(cgs_array) :: array
      array%rows = size(v, kind=c_int64_t)
      if (array%rows > 0) array%data = c_loc(v(1))
      if (array%rows > 1) array%row_stride = stride(c_loc(v(1)), c_loc(v(2)), 8)
   end function

   function array_of_columns(v) result(array)
      real(c_double), intent(in), target :: v(:, :)
      type(cgs_array) :: array
      array%rows = size(v, 1, kind=c_int64_t)
      array%columns = size(v, 2, kind=c_int64_t)
      if (array%rows == 0 .or. array%columns == 0) return
      array%data = c_loc(v(1, 1))
      if (array%rows > 1) array%row_stride = stride(c_loc(v(1, 1)), c_loc(v(2, 1)), 8)
      if (array%columns > 1) array%column_stride = stride(c_loc(v(1, 1)), c_loc(v(1, 2)), 8)
   end function

   function array_of_int32(v) result(array)
      integer(c_int32_t), intent(in), target :: v(:)
      type(cgs_array) :: array
      array%type = CGS_INT32
      array%rows = size(v, kind=c_int64_t)
      if (array%rows > 0) array%data = c_loc(v(1))
      if (array%rows > 1) array%row_stride = stride(c_loc(v(1)), c_loc(v(2)), 4)
   end function

   function array_of_int64(v) result(array)
      integer(c_int64_t), intent(in), target :: v(:)
      type(cgs_array) :: array
      array%type = CGS_INT64
      array%rows = size(v, kind=c_int64_t)
      if (array%rows > 0) array%data = c_loc(v(1))
      if (array%rows > 1) array%row_stride = stride(c_loc(v(1)), c_loc(v(2)), 8)
   end function
end module
