# cgsolve. `make help` lists the targets, from the lines here and in make/ that begin with "##", and the variables,
# from those with "#=". docs/building.md tells the rest.
#
# The files below src/, tests/ and bench/ are found by their place: a new one needs no line here.
# What a variant (release, asan, tsan, fuzz, lint) builds lies in build/<variant>, or in
# build/<variant>-cuda, so two variants, or a build with and one without CUDA, never mix.

ifeq ($(wildcard src/spmv/kernels.def),)
    $(error The sources are not in $(CURDIR): make -C $(dir $(firstword $(MAKEFILE_LIST))) O=DIR builds them elsewhere)
endif

VERSION := $(shell sed -n 's/^.define CGS_VERSION "\(.*\)"/\1/p' include/cgsolve/cgsolve.h)
VARIANT ?= release
JOBS := $(shell nproc 2>/dev/null || getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)
# What is asked for that needs a compiler.
builds := $(filter-out clean help,$(or $(MAKECMDGOALS),build))

.DEFAULT_GOAL := build
.DELETE_ON_ERROR:
.SUFFIXES:
.PHONY: build program lib run objects banner clean help FORCE

# ---- what there is to build --------------------------------------------------------------------

# The files of src of that kind, in folders of any depth that it has.
sources = $(sort $(wildcard $(foreach d,src/* src/*/* src/*/*/*,$d/*.$1)))
CU_SOURCES := $(call sources,cu)
main_source := src/program/main.c
program_sources := $(filter-out $(main_source),$(filter src/program/%,$(call sources,c)))
test_sources := $(sort $(wildcard tests/*/test_*.c tests/*/*/test_*.c))
fuzz_sources := $(sort $(wildcard tests/fuzz/*.c))
# The program with the CUDA kernels' twins in their place, for histories where there is no GPU.
twins_sources := $(sort $(wildcard tests/twins/*.c))
support_sources := $(sort $(filter-out $(test_sources) $(fuzz_sources) $(twins_sources), \
                                       $(wildcard tests/*.c tests/*/*.c tests/*/*/*.c)))
# Passes (src/space/define_pass.h): compiled for the host and, where there is CUDA, by nvcc for a device.
pass_sources := $(shell grep -ls '^#include "space/define_pass.h"' $(call sources,c) tests/space/*.c)

include make/flags.mk make/features.mk

#= O=DIR          where everything is built, the program too: the sources may be read-only
O := build/$(VARIANT)$(if $(cuda_on),-cuda)
program := $(if $(filter file,$(origin O)),./cgsolve,$(O)/cgsolve)
ifneq ($(words $(O)),1)
    $(error O=$(O): must be a name without blanks)
endif
$(if $(builds),$(shell mkdir -p $(O)))

library_sources := $(filter-out src/program/% src/part/%,$(call sources,c) $(call sources,cpp))
bench_sources := $(sort $(wildcard bench/*.c $(if $(cuda_on),bench/*.cu)))

object = $(patsubst %.c,$(O)/%.o,$(filter %.c,$1)) $(patsubst %,$(O)/%.o,$(filter-out %.c,$1))
# What nvcc makes of passes.
device_object = $(if $(cuda_on),$(patsubst %.c,$(O)/%.device.o,$(filter $(pass_sources),$1)))
library_objects := $(call object,$(library_sources))
part_object := $(O)/src/part/part.o
part := $(if $(cuda_on),$(O)/libcgsolve_cuda.so)
cuda_objects := $(if $(cuda_on),$(call object,$(CU_SOURCES)) $(call device_object,$(library_sources)))
program_objects := $(call object,$(program_sources))
support_objects := $(call object,$(support_sources)) $(call device_object,$(support_sources))
bench_support := $(call object,$(sort $(wildcard bench/support/*.c $(if $(cuda_on),bench/support/*.cu))))
all_objects := $(library_objects) $(cuda_objects) $(if $(cuda_on),$(part_object)) $(program_objects) $(support_objects) $(bench_support) \
               $(call object,$(main_source) $(test_sources) $(twins_sources) $(bench_sources) $(fuzz_sources))
stamps := $(addprefix $(O)/,flags flags-install flags-check flags-mpi flags-metis told objects part-version plugin-interface)

# ---- targets -----------------------------------------------------------------------------------
# run, check and others set the machine up first (nothing happens when all is there), and then call make again, because
# only then it is known where the libraries are.

# Not in a recipe with -j already: on all processors.
parallel = $(if $(findstring jobserver,$(MAKEFLAGS)),,-j$(JOBS))
again = +@$(MAKE) --no-print-directory $(parallel)

## make                 the program ./cgsolve and build/release/libcgsolve.a
build: program lib

program: $(program) $(part)

## make lib             the C library alone, which needs neither libconfig nor jansson; make install-lib installs it
lib: $(O)/libcgsolve.a $(O)/$(so) $(part)

objects: $(all_objects)

# This object begins first, for it takes a third of the processor's time of a build.
program suites objects: $(call object,src/spmv/symmetric/blocks/cpu_sym_blocks.c)

# CUDA kernels take minutes to compile, and the first table has none of them: they are built after it, unless CUDA=1
# asks for them, they were built before, or O=DIR says that there is one build.
first_run := $(and $(cuda_on),$(filter auto,$(CUDA)),$(if \
                   $(wildcard build/$(VARIANT)-cuda/cgsolve),,$(filter ./%,$(program))))
quickstart = $(program) configs/quickstart.cfg $(if $(filter ./%,$(program)),,--output $(O)/quickstart)

## make run             set up the machine, build, run configs/quickstart.cfg; then build the CUDA kernels, where
##                      there is a GPU
run:
	@scripts/setup run
	$(again) $(if $(first_run),CUDA=0) program
	$(quickstart)
ifneq ($(first_run),)
	@echo 'CUDA $(cuda_version): builds the CUDA kernels too, for minutes; ./cgsolve works meanwhile'
	$(again) build
endif

## make clean           remove what was built
clean:
	rm -rf build cgsolve libcgsolve_cuda.so

parts := Makefile $(patsubst %,make/%.mk,check dev bench interop install features flags)
help:
	@sed -n 's/^## //p' $(parts); echo; sed -n 's/^#= //p' $(parts)

include make/progress.mk make/cuda.mk make/suites.mk make/check.mk make/dev.mk make/bench.mk make/pages.mk make/interop.mk make/install.mk

# ---- compile -----------------------------------------------------------------------------------

# $(call compile,NAME,COMPILER), with the flags `more` of this object.
more :=
define compile
@mkdir -p $(@D)
$(call say,$1,$<)
$(Q)$2 $(more) -MMD -MP -MF $(@:.o=.d) -c $< -o $@
endef

$(O)/%.o: %.c $(O)/flags | banner
	$(call compile,CC,$(CC) $(c_flags))

$(O)/%.cpp.o: %.cpp $(O)/flags | banner
	$(call compile,CXX,$(CXX) $(cxx_flags))

$(O)/%.cu.o: %.cu $(O)/flags | banner
	$(call compile,NVCC,$(NVCC) $(nvcc_flags))

$(O)/%.device.o: %.c $(O)/flags | banner
	$(call compile,NVCC,$(NVCC) -x cu $(nvcc_flags))

$(O)/src/%.o: private c_flags += $(lint_source_flags)
$(O)/src/program/%.o: private c_flags += $(light_flags)
$(O)/src/space/cuda/cuda_stock.cu.o: private more += -DCGSOLVE_CUDA_ARCHS='"$(cuda_archs)"'
$(O)/src/program/command/command_version.o: private more += $(build_told)
$(O)/src/program/command/command_version.o: $(O)/told
$(O)/src/component/plugin.o: private more += -DCGSOLVE_PLUGIN_INTERFACE=$(plugin_interface)u
$(O)/src/component/plugin.o: $(O)/plugin-interface
$(O)/src/program/command/exchange_mpi.o: private more += $(mpi_cflags)
$(O)/src/program/command/exchange_mpi.o: $(O)/flags-mpi
$(O)/src/program/config/metis_numbering.o: private more += $(if $(metis_libs),-DCGSOLVE_METIS=1)
$(O)/src/program/config/metis_numbering.o: $(O)/flags-metis

# The page's style and script, each line as a text of C.
$(O)/src/program/report/page.o: private more += -I$(O)/src
$(O)/src/program/report/page.o: $(O)/src/program/report/page.css.inc $(O)/src/program/report/page.js.inc
$(O)/%.inc: %
	@mkdir -p $(@D)
	$(Q)sed 's/[\\"]/\\&/g; s/.*/"&\\n",/' $< > $@

# ---- link --------------------------------------------------------------------------------------

# One object, which has no name in common with the program that it is linked into.
$(O)/libcgsolve.o: $(library_objects) $(O)/objects
	$(call say,LD,$@)
	$(Q)$(LD) -r $(library_objects) -o $@ && $(make_local) $@

$(O)/libcgsolve.a: $(O)/libcgsolve.o
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) rcs $@ $<

$(O)/wheel/$(so): private more := -s
$(O)/$(so) $(O)/wheel/$(so): $(library_objects) src/api/cgsolve.map $(O)/plug-names $(O)/objects
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(CXX) $(so_flags) $(plug_names) $(library_objects) $(guards) $(link_flags) $(more) $(link_libs) -o $@

$(O)/plug-names: src/component/names.h
	@mkdir -p $(@D)
	$(Q)sed -n 's/^#define \([a-z].*\) \(cgsolve_.*\)/--defsym=\2=\1/p' $< > $@

$(O)/$(so_link):
	$(Q)ln -sfn $(so) $@

# Programs, of the objects that each needs, with the libraries `more` of its own.
programs := $(O)/cgsolve $(O)/cgsolve-twins $(O)/tests/suites $(benches) $(peer_programs) $(fuzzers)
$(O)/cgsolve: $(O)/src/program/main.o
$(filter-out $(O)/cgsolve-twins,$(programs)): $(program_objects) $(library_objects)
$(O)/tests/suites $(benches): $(cuda_objects)
$(O)/tests/suites $(benches): private link_libs += $(if $(cuda_on),$(cuda_libs))
$(programs): $(O)/objects $(O)/plug-names src/component/names.list
	$(call say,LINK,$@)
	$(Q)$(CXX) $(program_flags) $(filter %.o,$^) $(guards) $(link_flags) $(program_libs) $(more) $(link_libs) -o $@

# Always looked at: another variant's may stand there. Its CUDA part lies beside it.
cgsolve: $(O)/cgsolve FORCE
	@cmp -s $< $@ || { cp -f $< $@.new && mv -f $@.new $@; }
	@$(if $(cuda_on),ln -sfn $(part) $(notdir $(part)),rm -f libcgsolve_cuda.so)

-include $(patsubst %.o,%.d,$(all_objects) $(peer_objects))
