# What a build prints, and what it builds again when flags have changed.
#
# Every command is a line "[3/164] CC file", rewritten on a terminal: ended by a return, so that what a compiler says
# stands in its place. When the first one is due, a make that runs nothing is asked how many there will be; all stamps
# are made by then (banner), and it takes them as they are.

ifneq ($(COUNTING),)
    Q := @
    say = @: said
else ifeq ($(V),)
    Q := @
    overrides = n -- COUNTING=1 $(MAKEOVERRIDES)
    count = $(shell MAKEFLAGS='$(subst ','\'',$(overrides))' $(MAKE) $(MAKECMDGOALS) 2>/dev/null | grep -c '^: said$$')
    total = $(eval total := $$(count))$(total)
    say = $(eval said += x)@if [ -t 1 ]; then \
              printf '\033[K[%d/%d] %-4s %.60s\r' $(words $(said)) $(total) '$1' '$2'; \
              [ $(words $(said)) -lt $(total) ] || echo; \
          else printf '[%d/%d] %-4s %s\n' $(words $(said)) $(total) '$1' '$2'; fi
else
    Q :=
    say = @:
endif

# The library, and so the wheel, needs less than the program.
needs := $(if $(filter-out lib install-lib wheel %/libcgsolve.a %/$(so) petsc %/libpetsc_cgsolve.so \
                              %/interop/petsc/example,$(or $(MAKECMDGOALS),build)), \
             libconfig jansson) zlib
lacks := $(strip $(filter-out $(call known,$(needs)),$(needs)))

banner: $(stamps)
	@echo '$(cuda_text)'
	@echo '$(mpi_text)'
	@echo '$(metis_text)'
ifneq ($(lacks),)
	@echo 'make: pkg-config does not know $(lacks). A build needs libconfig, jansson and zlib; all else is optional.' >&2
	@echo 'make: scripts/setup installs them; without root, scripts/setup --local (docs/building.md)' >&2; exit 1
endif

# What command_version.c alone is told, so that another commit compiles little. Not of a repository that these files
# only lie in. A "+" stands behind the commit where the files differ from it.
commit = $(if $(wildcard .git),$(shell git --no-optional-locks describe --always --exclude='*' --dirty=+ 2>/dev/null))
build_told = -DCGSOLVE_COMMIT='"$(commit)"' \
             -DCGSOLVE_MPI_BUILD='"$(or $(mpi_found),none)"' -DCGSOLVE_METIS_BUILD='"$(or $(metis_found),none)"'
# Of the headers that plug-ins are written against: one of other headers is not taken.
plugin_interface = $(shell CC='$(CC)' scripts/plugin-flags --interface)

# Other flags, or another list of files, than at the last build: build again. Not another directory: objects do not
# name it. The flags of tests stand apart, so that installing Check does not compile the library again.
$(O)/flags: private text = $(CC) $(c_flags) : $(CXX) $(cxx_flags) : \
                           $(guards) $(link_flags) $(link_libs) : \
                           $(if $(cuda_on),$(NVCC) $(nvcc_flags) : $(cuda_libs))
$(O)/flags-install: private text = $(PREFIX) : $(LIBDIR) : $(INCLUDEDIR)
$(O)/flags-check: private text = $(check_cflags) $(check_libs) $(lapack_libs)
$(O)/flags-mpi: private text = $(mpi_cflags) $(mpi_libs)
$(O)/flags-metis: private text = $(metis_libs)
$(O)/part-version: private text = $(part_version)
$(O)/told: private text = $(build_told)
$(O)/plugin-interface: private text = $(plugin_interface)
$(O)/objects: private text = $(library_objects) $(cuda_objects) $(program_objects) $(support_objects)
$(stamps) $(O)/suites.inc: $(if $(COUNTING),,FORCE)
	$(file >$@.new,$(subst $(CURDIR)/,,$(text)))
	@if cmp -s $@ $@.new; then rm $@.new; else mv $@.new $@; fi
