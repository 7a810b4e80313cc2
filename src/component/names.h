/* The functions and constants of cgsolve that a plug-in may use (component/plugin.h): loaded
 * objects use these names, which collide with no other library's. A plug-in is compiled with
 * `-include component/names.h`; the build links program and shared library with both names. Each is
 * declared, and described, in the headers named here. */
#ifndef COMPONENT_NAMES_H
#define COMPONENT_NAMES_H

/* base/status.h, base/memory.h, base/threads.h, base/text.h */
#define error_set cgsolve_error_set
#define error_at cgsolve_error_at
#define memory_array cgsolve_memory_array
#define memory_fits cgsolve_memory_fits
#define memory_free cgsolve_memory_free
#define memory_grow cgsolve_memory_grow
#define memory_text cgsolve_memory_text
#define memory_zeros cgsolve_memory_zeros
#define threads_count cgsolve_threads_count
#define threads_each cgsolve_threads_each
#define threads_for cgsolve_threads_for
#define threads_lend cgsolve_threads_lend
#define threads_lent cgsolve_threads_lent
#define threads_take cgsolve_threads_take
#define shown_text cgsolve_shown_text

/* base/component.h, base/random.h, base/hash.h, base/clock.h */
#define component_find cgsolve_component_find
#define component_list cgsolve_component_list
#define component_parameter cgsolve_component_parameter
#define options_check cgsolve_options_check
#define options_copy cgsolve_options_copy
#define options_create cgsolve_options_create
#define options_file cgsolve_options_file
#define options_free cgsolve_options_free
#define options_set cgsolve_options_set
#define random_permutation cgsolve_random_permutation
#define random_vector cgsolve_random_vector
#define random_vector_part cgsolve_random_vector_part
#define hash_doubles cgsolve_hash_doubles
#define hash_text cgsolve_hash_text
#define hash_vector cgsolve_hash_vector
#define hash_vector_blocks cgsolve_hash_vector_blocks
#define hash_vector_part cgsolve_hash_vector_part
#define hash_words cgsolve_hash_words
#define clock_seconds cgsolve_clock_seconds

/* matrix/csr.h, matrix/implicit_rows.h, matrix/near_null.h */
#define csr_bytes cgsolve_csr_bytes
#define csr_create cgsolve_csr_create
#define csr_entries cgsolve_csr_entries
#define csr_expand cgsolve_csr_expand
#define csr_free cgsolve_csr_free
#define csr_hash cgsolve_csr_hash
#define csr_kind_name cgsolve_csr_kind_name
#define csr_multiply cgsolve_csr_multiply
#define csr_multiply_rows cgsolve_csr_multiply_rows
#define csr_nnz_full cgsolve_csr_nnz_full
#define csr_check_rows cgsolve_csr_check_rows
#define csr_check_stored cgsolve_csr_check_stored
#define csr_fill_rows cgsolve_csr_fill_rows
#define csr_made cgsolve_csr_made
#define csr_made_width cgsolve_csr_made_width
#define csr_make_offsets cgsolve_csr_make_offsets
#define csr_make_rows cgsolve_csr_make_rows
#define csr_store cgsolve_csr_store
#define near_null_free cgsolve_near_null_free
#define near_null_of cgsolve_near_null_of
#define near_null_rigid_body cgsolve_near_null_rigid_body

/* space/space.h, space/find.h, space/archive.h */
#define space_axpy cgsolve_space_axpy
#define space_bytes cgsolve_space_bytes
#define space_check_array cgsolve_space_check_array
#define space_copy cgsolve_space_copy
#define space_create cgsolve_space_create
#define space_describe_device cgsolve_space_describe_device
#define space_dot cgsolve_space_dot
#define space_download cgsolve_space_download
#define space_download_float cgsolve_space_download_float
#define space_fill cgsolve_space_fill
#define space_find cgsolve_space_find
#define space_find_all cgsolve_space_find_all
#define space_release cgsolve_space_release
#define space_scalars cgsolve_space_scalars
#define space_upload cgsolve_space_upload
#define space_upload_float cgsolve_space_upload_float
#define space_vector cgsolve_space_vector
#define space_vector_float cgsolve_space_vector_float
#define pass_axpy cgsolve_pass_axpy
#define pass_copy cgsolve_pass_copy
#define pass_dot cgsolve_pass_dot
#define pass_fill cgsolve_pass_fill
#define reductions_name cgsolve_reductions_name
#define reductions_names cgsolve_reductions_names
#define archive_bytes cgsolve_archive_bytes
#define archive_count cgsolve_archive_count
#define archive_expect cgsolve_archive_expect
#define archive_vector cgsolve_archive_vector

/* spmv/kernel.h, spmv/operator.h, spmv/single.h, spmv/preconditioner.h */
#define kernel_check cgsolve_kernel_check
#define kernel_defaults cgsolve_kernel_defaults
#define kernel_find cgsolve_kernel_find
#define kernel_fits cgsolve_kernel_fits
#define kernel_guarantee cgsolve_kernel_guarantee
#define kernel_guarantee_name cgsolve_kernel_guarantee_name
#define kernel_list cgsolve_kernel_list
#define kernel_parameter_count cgsolve_kernel_parameter_count
#define kernel_parameter_place cgsolve_kernel_parameter_place
#define kernel_precision cgsolve_kernel_precision
#define kernel_precisions cgsolve_kernel_precisions
#define kernel_precisions_of_values cgsolve_kernel_precisions_of_values
#define kernel_set_precision cgsolve_kernel_set_precision
#define kernel_storage_name cgsolve_kernel_storage_name
#define kernel_unavailable cgsolve_kernel_unavailable
#define operator_apply cgsolve_operator_apply
#define operator_apply_dot cgsolve_operator_apply_dot
#define operator_apply_all cgsolve_operator_apply_all
#define operator_apply_to cgsolve_operator_apply_to
#define operator_create cgsolve_operator_create
#define operator_destroy cgsolve_operator_destroy
#define operator_prepare cgsolve_operator_prepare
#define operator_sweeps cgsolve_operator_sweeps
#define operator_columns_apply cgsolve_operator_columns_apply
#define operator_columns_bytes cgsolve_operator_columns_bytes
#define operator_columns_create cgsolve_operator_columns_create
#define operator_columns_destroy cgsolve_operator_columns_destroy
#define operator_direction_bytes cgsolve_operator_direction_bytes
#define operator_dot_bytes cgsolve_operator_dot_bytes
#define operator_fuses_pass cgsolve_operator_fuses_pass
#define columns_elements cgsolve_columns_elements
#define columns_stride cgsolve_columns_stride
#define single_bytes cgsolve_single_bytes
#define single_bytes_full cgsolve_single_bytes_full
#define single_check cgsolve_single_check
#define single_narrow cgsolve_single_narrow
#define single_round cgsolve_single_round
#define single_values cgsolve_single_values
#define preconditioner_create cgsolve_preconditioner_create
#define preconditioner_is_set cgsolve_preconditioner_is_set
#define preconditioner_memory_bytes cgsolve_preconditioner_memory_bytes
#define preconditioner_reads_rows cgsolve_preconditioner_reads_rows
#define preconditioner_renew cgsolve_preconditioner_renew
#define preconditioner_near_null cgsolve_preconditioner_uses_near_null

/* solver/method.h, solver/solver.h, solver/krylov.h */
#define method_find cgsolve_method_find
#define method_for cgsolve_method_for
#define method_series cgsolve_method_series
#define method_series_count cgsolve_method_series_count
#define solver_finds_vector cgsolve_solver_finds_vector
#define solver_takes cgsolve_solver_takes
#define solver_tolerance cgsolve_solver_tolerance
#define reason_name cgsolve_reason_name
#define krylov_advance cgsolve_krylov_advance
#define krylov_begin cgsolve_krylov_begin
#define krylov_bytes cgsolve_krylov_bytes
#define krylov_destroy cgsolve_krylov_destroy
#define krylov_end cgsolve_krylov_end
#define krylov_finish cgsolve_krylov_finish
#define krylov_get_scalars cgsolve_krylov_get_scalars
#define krylov_keep cgsolve_krylov_keep
#define krylov_keep_in_range cgsolve_krylov_keep_in_range
#define krylov_memory_bytes cgsolve_krylov_memory_bytes
#define krylov_put_scalars cgsolve_krylov_put_scalars
#define krylov_run cgsolve_krylov_run
#define krylov_start cgsolve_krylov_start

/* problem/problem.h, problem/rhs.h, problem/start.h, problem/pattern.h */
#define problem_create cgsolve_problem_create
#define problem_describe cgsolve_problem_describe
#define problem_file cgsolve_problem_file
#define problem_is_free cgsolve_problem_is_free
#define problem_knows_near_null cgsolve_problem_knows_near_null
#define problem_make cgsolve_problem_make
#define problem_near_null cgsolve_problem_near_null
#define problem_shape cgsolve_problem_shape
#define rhs_columns cgsolve_rhs_columns
#define rhs_draw cgsolve_rhs_draw
#define rhs_fill cgsolve_rhs_fill
#define rhs_fill_part cgsolve_rhs_fill_part
#define rhs_path cgsolve_rhs_path
#define rhs_seed cgsolve_rhs_seed
#define start_fill_part cgsolve_start_fill_part
#define start_is_zero cgsolve_start_is_zero
#define vector_file_columns cgsolve_vector_file_columns
#define vector_file_read cgsolve_vector_file_read
#define pattern_check cgsolve_pattern_check
#define pattern_create cgsolve_pattern_create
#define pattern_describe cgsolve_pattern_describe
#define pattern_parameters cgsolve_pattern_parameters
#define pattern_parameters_symmetric cgsolve_pattern_parameters_symmetric

#endif
