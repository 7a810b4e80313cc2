# find_package(cgsolve) gives the target cgsolve::cgsolve, the shared library.
get_filename_component(_cgsolve_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
if(NOT TARGET cgsolve::cgsolve)
    add_library(cgsolve::cgsolve SHARED IMPORTED)
    set_target_properties(cgsolve::cgsolve PROPERTIES
        IMPORTED_LOCATION "${_cgsolve_prefix}/lib/libcgsolve.so.0"
        IMPORTED_SONAME libcgsolve.so.0
        INTERFACE_INCLUDE_DIRECTORIES "${_cgsolve_prefix}/include")
endif()
unset(_cgsolve_prefix)
