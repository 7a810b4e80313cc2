# interop/: the library for programs of others.

.PHONY: petsc check-interop

plugin := $(O)/libpetsc_cgsolve.so
plugin_objects := $(call object,$(addprefix interop/petsc/,set_up.c ksp.c pc.c register.c))
plugin_example := $(O)/interop/petsc/example
interop_objects := $(plugin_objects) $(plugin_example).o
petsc_here = $(call known,petsc)
# Debian's name, Open MPI's, MPICH's.
packages_plugin = petsc $(firstword $(call known,mpi-c ompi-c mpich))

## make petsc           the plug-in for PETSc, build/release/libpetsc_cgsolve.so, and its example; sets up PETSc
## make check-interop   the plug-in for PETSc, the Fortran module and the library over MPI, with what is here
ifeq ($(if $(cuda_on),$(CUDA)),auto)
petsc check-interop:
	$(again) CUDA=0 $@
else
petsc:
	@scripts/setup petsc
	$(again) $(plugin) $(plugin_example)

check-interop:
	@scripts/setup run
	$(again) program lib $(O)/$(so_link) $(if $(petsc_here),$(plugin) $(plugin_example))
	@CGSOLVE="$(abspath $(O))/cgsolve" CGSOLVE_BUILD="$(abspath $(O))" \
		$$(scripts/find-python) -B -m unittest discover -s tests/interop
endif

# The library is a part of the plug-in. PETSc's headers are not ours to warn of.
$(interop_objects): private more += $(patsubst -I%,-isystem %,$(call cflags_of,$(packages_plugin)))
$(plugin) $(plugin_example): private more = $(call libs_of,$(packages_plugin))
$(plugin): $(plugin_objects) $(O)/libcgsolve.a
	$(call say,LINK,$@)
	$(Q)$(CXX) -shared $^ -Wl,--exclude-libs,ALL $(guards) $(link_flags) $(more) $(link_libs) -o $@
$(plugin_example): $(plugin_example).o
	$(call say,LINK,$@)
	$(Q)$(CXX) $^ $(guards) $(link_flags) $(more) -o $@

-include $(interop_objects:.o=.d)
