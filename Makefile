# cgsolve. `make help` lists the targets; docs/building.md tells the rest.
#
# The files below src/, tests/ and bench/ are found by their place: a new one needs no line here.
# What a variant (release, asan, tsan, fuzz, lint) builds lies in build/<variant>, or in
# build/<variant>-cuda, so two variants, or a build with and one without CUDA, never mix.

VERSION := $(shell sed -n 's/^.define CGS_VERSION "\(.*\)"/\1/p' include/cgsolve/cgsolve.h)

ifeq ($(wildcard src/spmv/kernels.def),)
    $(error The sources are not in $(CURDIR): make -C $(dir $(firstword $(MAKEFILE_LIST))) O=DIR builds them elsewhere)
endif

VARIANT ?= release
CUDA ?= auto
DEVICES ?= /dev
PREFIX ?= /usr/local
BINDIR ?= $(PREFIX)/bin
LIBDIR ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include
DATADIR ?= $(PREFIX)/share
MANDIR ?= $(DATADIR)/man
DOCDIR ?= $(DATADIR)/doc/cgsolve
ARTICLE ?= results/article
N ?= 1000
BITWISE ?= results/bitwise
PKG_CONFIG ?= pkg-config
# The libraries of `scripts/setup --local` come first. The command has the variable in it, because $(shell) of GNU
# make before 4.4 does not see what make exports.
local := $(firstword $(wildcard .local/usr/lib/*/pkgconfig))
pkg_config := PKG_CONFIG_PATH='$(if $(local),$(CURDIR)/$(local):)$(PKG_CONFIG_PATH)' $(PKG_CONFIG)
OBJCOPY ?= objcopy
STRIP ?= strip
JOBS := $(shell nproc 2>/dev/null || getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)

.DEFAULT_GOAL := build
.DELETE_ON_ERROR:
.SUFFIXES:

# ---- CUDA: found, or not, and said so ----------------------------------------------------------

# The files of src of that kind, in folders of any depth that it has.
sources = $(sort $(wildcard $(foreach d,src/* src/*/* src/*/*/*,$d/*.$1)))
CU_SOURCES := $(call sources,cu)
# Passes (src/space/define_pass.h): compiled for the host and, where there is CUDA, by nvcc for a device.
pass_sources := $(shell grep -ls '^#include "space/define_pass.h"' $(call sources,c) tests/space/*.c)
cuda_on :=

ifeq ($(CUDA),0)
    cuda_text := CUDA: off (CUDA=0)
else ifneq ($(filter 1 auto,$(CUDA)),$(CUDA))
    $(error CUDA=$(CUDA): must be 0, 1 or auto)
else
    NVCC := $(firstword $(wildcard $(addsuffix /bin/nvcc,$(CUDA_HOME) $(CUDA_PATH))) \
                        $(shell command -v nvcc 2>/dev/null) \
                        $(wildcard /usr/local/cuda/bin/nvcc /opt/cuda/bin/nvcc))
    ifeq ($(NVCC),)
        ifeq ($(CUDA),1)
            $(error CUDA=1, but there is no nvcc on PATH, in CUDA_HOME or in /usr/local/cuda)
        endif
        cuda_text := CUDA: not found, building without
    else
        cuda_version := $(shell $(NVCC) --version | sed -n 's/.*release \([0-9.]*\).*/\1/p')
        cuda_root := $(patsubst %/bin/nvcc,%,$(NVCC))
        cuda_known := $(patsubst compute_%,%,$(shell $(NVCC) --list-gpu-arch))
        # The GPUs of this machine, where the toolkit knows them; else sm_90, or the newest that it knows.
        gpu_archs := $(shell nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | \
                             sed -n 's/^\([0-9]*\)\.\([0-9]\)$$/\1\2/p' | sort -nu)
        gpus := $(or $(gpu_archs),$(wildcard $(DEVICES)/nvidia[0-9]*))
        CUDA_ARCH ?= $(or $(filter $(gpu_archs),$(cuda_known)),$(filter 90,$(cuda_known)),$(lastword $(cuda_known)))
        cuda_unknown := $(if $(cuda_known),$(filter-out $(cuda_known) $(addsuffix a,$(cuda_known)) \
                                               $(addsuffix f,$(cuda_known)),$(CUDA_ARCH)))
        ifneq ($(strip $(cuda_unknown)),)
            $(error CUDA_ARCH=$(CUDA_ARCH): nvcc $(cuda_version) knows $(cuda_known))
        endif
        cuda_archs := $(patsubst %,sm_%,$(CUDA_ARCH))
        cuda_lib := $(patsubst %/,%,$(firstword $(dir $(wildcard $(foreach place, \
            lib64 targets/$(shell uname -m)-linux/lib lib lib/*, \
            $(cuda_root)/$(place)/libcudart_static.a)))))
        cuda_text := CUDA: $(cuda_version) at $(cuda_root), $(cuda_archs)
        ifeq ($(CU_SOURCES),)
            cuda_text += (nothing to compile with it)
        else
            cuda_on := 1
        endif
    endif
endif

# ---- MPI: likewise, for the program alone ------------------------------------------------------

MPI ?= auto
mpi_package :=
ifeq ($(MPI),0)
    mpi_text := MPI: off (MPI=0)
else ifneq ($(filter 1 auto,$(MPI)),$(MPI))
    $(error MPI=$(MPI): must be 0, 1 or auto)
else
    mpi_package := $(shell for p in ompi-c mpich; do \
                               $(pkg_config) --exists $$p 2>/dev/null && echo $$p && break; done)
    ifneq ($(mpi_package),)
        mpi_version := $(shell $(pkg_config) --modversion $(mpi_package))
        mpi_text := MPI: $(mpi_package) $(mpi_version)
    else ifeq ($(MPI),1)
        $(error MPI=1, but pkg-config knows neither ompi-c (Open MPI) nor mpich)
    else
        mpi_text := MPI: not found, building without
    endif
endif

# O=DIR: everything that is built goes there, the program too, and nothing into the sources.
O := build/$(VARIANT)$(if $(cuda_on),-cuda)
program := $(if $(filter file,$(origin O)),./cgsolve,$(O)/cgsolve)
ifneq ($(words $(O)),1)
    $(error O=$(O): must be a name without blanks)
endif

# ---- compilers and flags -----------------------------------------------------------------------
# The bits of the results hang on -ffp-contract=off and --fmad=false: they stand behind what the
# user passes, and a fused multiply-add is written fma() in the sources.

ifeq ($(origin CC),default)
    CC := gcc
endif
ifeq ($(origin CXX),default)
    CXX := g++
endif
comma := ,
OPTIMIZE := -O3 -g1
CLANG ?= clang

# What this compiler takes of these: a fault in what reads files ends the program, and cannot be used.
taken = $(shell for f in $1; do printf 'int main(void) { return 0; }' | \
                    $(CC) $$f -Werror -x c - -o /dev/null 2>/dev/null && echo $$f; done)

ifeq ($(VARIANT),release)
    OPTIMIZE += -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2 \
                $(call taken,-fstack-protector-strong -fstack-clash-protection -fcf-protection)
    guards := $(call taken,-Wl$(comma)-z$(comma)relro$(comma)-z$(comma)now)
else ifeq ($(VARIANT),lint)
    OPTIMIZE := -O2
    variant_flags := -Werror -DCGSOLVE_NO_CLONES -ffunction-sections
    lint_source_flags := -Wconversion -Wno-sign-conversion -fno-inline
else ifeq ($(VARIANT),asan)
    OPTIMIZE := -O1 -g1
    variant_flags := -fsanitize=address,undefined -fno-sanitize-recover=all \
                     -fno-omit-frame-pointer -DCGSOLVE_NO_CLONES
else ifeq ($(VARIANT),tsan)
    CC := $(CLANG)
    CXX := $(CLANG)++
    OPTIMIZE := -O1 -g1
    variant_flags := -fsanitize=thread -fno-omit-frame-pointer -DCGSOLVE_NO_CLONES
else ifeq ($(VARIANT),fuzz)
    CC := $(CLANG)
    CXX := $(CLANG)++
    OPTIMIZE := -O1 -g1
    variant_flags := -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all \
                     -fno-omit-frame-pointer -DCGSOLVE_NO_CLONES
else
    $(error VARIANT=$(VARIANT): must be release, asan, tsan, fuzz or lint)
endif

# src/program and the tests have no hot loops: -O1 compiles them in two thirds of the time.
light_flags := $(if $(filter undefined,$(origin CFLAGS)),$(if $(filter release lint,$(VARIANT)),-O1))
CFLAGS ?= $(OPTIMIZE)
CXXFLAGS ?= $(OPTIMIZE)
NVCCFLAGS ?= -O3 -lineinfo

# What lets a compiler reorder sums, or flush what is subnormal, is refused, in whichever way it comes. A compiler
# that hides it, as a script may, tells by a macro, and space/sum/sum_order.h refuses.
unsafe := -ffast-math -Ofast -funsafe-math-optimizations -fassociative-math -freciprocal-math -ffinite-math-only \
          -fno-signed-zeros -ffp-model=fast -fapprox-func -fno-honor -fdenormal-fp-math -mdaz-ftz \
          -use_fast_math -ftz=true -prec-div=false -prec-sqrt=false
ifneq ($(filter-out clean help,$(or $(MAKECMDGOALS),build)),)
    $(foreach v,CC CXX CFLAGS CXXFLAGS NVCC NVCCFLAGS LDFLAGS,$(foreach f,$(unsafe),$(if $(findstring $f,$($v)), \
        $(error $v has $f, which changes sums: their bits are what this program is for))))
endif

# ---- METIS: likewise; pkg-config does not know it -----------------------------------------------

METIS ?= auto
metis_version :=
ifeq ($(METIS),0)
    metis_text := METIS: off (METIS=0)
else ifneq ($(filter 1 auto,$(METIS)),$(METIS))
    $(error METIS=$(METIS): must be 0, 1 or auto)
else
    metis_try = printf '\043include <metis.h>\n$1\n' | $(CC) $(CFLAGS) $(LDFLAGS) -x c - $2 2>/dev/null
    metis_version := $(shell $(call metis_try,int main(void) { return METIS_Free(0); },-lmetis -o /dev/null) && \
                             $(call metis_try,METIS_VER_MAJOR.METIS_VER_MINOR.METIS_VER_SUBMINOR,-E -P) | \
                             sed -n '$$ { s/ //g; p; }')
    ifneq ($(metis_version),)
        metis_text := METIS: $(metis_version)
    else ifeq ($(METIS),1)
        $(error METIS=1, but $(CC) finds no metis.h, or no libmetis)
    else
        metis_text := METIS: not found, building without
    endif
endif
metis_libs := $(if $(metis_version),-lmetis)

library_cflags := $(shell $(pkg_config) --cflags zlib 2>/dev/null)
library_libs := $(shell $(pkg_config) --libs zlib 2>/dev/null)
config_cflags := $(shell $(pkg_config) --cflags libconfig jansson 2>/dev/null)
config_libs := $(shell $(pkg_config) --libs libconfig jansson 2>/dev/null)
check_cflags := $(shell $(pkg_config) --cflags check 2>/dev/null)
check_libs := $(shell $(pkg_config) --libs check 2>/dev/null)
# The tests alone: eigenvalues to compare with. OpenBLAS brings LAPACK too.
lapack := $(shell for p in lapack openblas; do \
                      $(pkg_config) --exists $$p 2>/dev/null && echo $$p && break; done)
lapack_libs := $(if $(lapack),$(shell $(pkg_config) --libs $(lapack) 2>/dev/null))

mpi_cflags := $(if $(mpi_package),-DCGSOLVE_MPI=1 \
                  $(patsubst -I%,-isystem %,$(shell $(pkg_config) --cflags-only-I $(mpi_package))))
mpi_libs := $(if $(mpi_package),$(shell $(pkg_config) --libs $(mpi_package)))
program_libs := $(mpi_libs) $(metis_libs) $(config_libs)

defines := -D_GNU_SOURCE -DCGSOLVE_VERSION='"$(VERSION)"' $(if $(cuda_on),-DCGSOLVE_CUDA=1)
includes := -Iinclude -Isrc
# For a shared library, which shows what cgsolve/cgsolve.h declares and nothing else.
shared_flags := -fPIC -fvisibility=hidden
common := $(defines) $(includes) $(library_cflags) $(config_cflags) -fopenmp-simd $(variant_flags) $(shared_flags) \
          '-ffile-prefix-map=$(CURDIR)/=' -ffp-contract=off
warnings := -Wall -Wextra -Wpedantic -Wshadow -Wvla -Wwrite-strings -Wformat=2 \
            -Wno-format-nonliteral
c_warnings := $(warnings) -Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition
nvcc_warnings := $(if $(filter lint,$(VARIANT)),-Werror all-warnings,)

c_flags := -std=c11 $(CFLAGS) $(c_warnings) $(common)
cxx_flags := -std=c++17 $(CXXFLAGS) $(warnings) $(common)

cuda_newest := $(lastword $(CUDA_ARCH))
# lint stops at PTX: what assembles it, a fifth of the time, has nothing to say of the sources.
cuda_targets := $(if $(filter-out lint,$(VARIANT)), \
                    $(foreach a,$(CUDA_ARCH),-gencode arch=compute_$(a),code=sm_$(a))) \
                -gencode arch=compute_$(cuda_newest),code=compute_$(cuda_newest)
nvcc_flags := -std=c++20 $(NVCCFLAGS) $(cuda_targets) $(defines) $(includes) $(nvcc_warnings) \
              -Xcompiler -Wall,-fopenmp-simd,-ffp-contract=off,-fPIC,-fvisibility=hidden --fmad=false \
              $(if $(filter lint,$(VARIANT)),-Xcompiler -ffunction-sections)

link_flags := $(variant_flags) $(LDFLAGS)
link_libs := $(library_libs) -ldl -lpthread -lm
ifneq ($(cuda_on),)
    # The runtime is linked in and looks for the driver when it is first called, so the program
    # starts where there is none.
    link_flags += $(if $(cuda_lib),-L$(cuda_lib) -Wl$(comma)-rpath$(comma)$(cuda_lib))
    link_libs := -lcublas -lcusparse -lcudart_static $(CUDA_LIBS) $(link_libs) -lrt
endif

# The shared library. Apple's linker has other options, and its -r makes hidden names local.
ifeq ($(filter darwin% macos%,$(lastword $(subst -, ,$(shell $(CC) -dumpmachine 2>/dev/null)))),)
    so := libcgsolve.so.0
    so_link := libcgsolve.so
    so_name := $(so)
    so_flags := -shared -Wl,-soname,$(so_name),--no-undefined,--version-script,src/api/cgsolve.map
    make_local = $(OBJCOPY) --wildcard --keep-global-symbol='cgs_*'
else
    so := libcgsolve.0.dylib
    so_link := libcgsolve.dylib
    so_name := @rpath/$(so)
    so_flags := -dynamiclib -Wl,-install_name,$(so_name)
    make_local := :
endif

# ---- what there is to build --------------------------------------------------------------------

object = $(patsubst %.c,$(O)/%.o,$(filter %.c,$1)) $(patsubst %,$(O)/%.o,$(filter-out %.c,$1)) \
         $(if $(cuda_on),$(patsubst %.c,$(O)/%.device.o,$(filter $(pass_sources),$1)))

main_source := src/program/main.c
program_sources := $(filter-out $(main_source),$(filter src/program/%,$(call sources,c)))
library_sources := $(filter-out src/program/%,$(call sources,c) $(call sources,cpp)) $(if $(cuda_on),$(CU_SOURCES))
library_objects := $(call object,$(library_sources))
program_objects := $(call object,$(program_sources))
test_sources := $(sort $(wildcard tests/*/test_*.c tests/*/*/test_*.c))
fuzz_sources := $(sort $(wildcard tests/fuzz/*.c))
support_sources := $(sort $(filter-out $(test_sources) $(fuzz_sources) $(wildcard tests/twins/*.c), \
                                       $(wildcard tests/*.c tests/*/*.c tests/*/*/*.c) \
                                       $(if $(cuda_on),$(wildcard tests/*/*.cu))))
support_objects := $(call object,$(support_sources))
# The program with the CUDA kernels' twins in their place, for histories where there is no GPU.
twins_sources := $(sort $(wildcard tests/twins/*.c))
twins_objects := $(call object,$(main_source) $(twins_sources) $(addprefix tests/spmv/,cuda_twins.c \
                     merge_twin.c reference.c rode_twin.c rounded.c segscan_twin.c))
bench_sources := $(sort $(wildcard bench/*.c) $(if $(cuda_on),$(wildcard bench/*.cu)))
bench_support := $(call object,$(sort $(wildcard bench/support/*.c) \
                                      $(if $(cuda_on),$(wildcard bench/support/*.cu))))

# What other libraries bring to bench/products.sh, each built if its library is there. Asked for only
# when it is wanted: nothing else needs them.
peers := petsc librsb eigen mkl
packages_petsc := petsc mpi-c
packages_librsb := librsb
packages_eigen := eigen3
packages_mkl := mkl-static-lp64-gomp
ifneq ($(filter bench-peers,$(MAKECMDGOALS)),)
    peers_here := $(foreach p,$(peers),$(if $(shell $(pkg_config) --exists $(packages_$p) && echo 1),$p))
    peer_cflags = $(patsubst -I%,-isystem %,$(filter-out -I/usr/include -I/usr/include/, \
                      $(shell $(pkg_config) --cflags $(packages_$1))))
    peer_libs = $(shell $(pkg_config) --libs $(packages_$1))
endif

suites := $(test_sources:%.c=$(O)/%)
benches := $(addprefix $(O)/,$(basename $(bench_sources)))
fuzzers := $(fuzz_sources:%.c=$(O)/%)
all_objects := $(library_objects) $(program_objects) $(support_objects) \
               $(call object,$(main_source) $(test_sources) $(twins_sources) $(bench_sources) \
                             $(fuzz_sources)) \
               $(bench_support)

# Files that `make install` installs, and `make uninstall` removes: FROM:TO, where TO begins with one of these names.
directories := BINDIR LIBDIR INCLUDEDIR DATADIR MANDIR DOCDIR
ifneq ($(filter install install-lib uninstall,$(MAKECMDGOALS)),)
    $(foreach d,$(directories),$(if $(filter /%,$(firstword $($d))),,$(error $d=$($d): must begin with /)))
endif
installed_lib := $(O)/libcgsolve.a:LIBDIR/libcgsolve.a \
                 $(O)/$(so):LIBDIR/$(so) \
                 $(O)/$(so_link):LIBDIR/$(so_link) \
                 $(O)/share/cgsolve.pc:LIBDIR/pkgconfig/cgsolve.pc \
                 $(O)/share/cgsolveConfig.cmake:LIBDIR/cmake/cgsolve/cgsolveConfig.cmake \
                 $(O)/share/cgsolveConfigVersion.cmake:LIBDIR/cmake/cgsolve/cgsolveConfigVersion.cmake \
                 $(foreach f,$(wildcard include/cgsolve/*.h),$f:INCLUDEDIR/$(f:include/%=%)) \
                 $(O)/share/libcgsolve.3:MANDIR/man3/libcgsolve.3 \
                 LICENSE:DOCDIR/LICENSE
installed := $(installed_lib) \
             $(O)/cgsolve:BINDIR/cgsolve \
             $(O)/share/cgsolve.1:MANDIR/man1/cgsolve.1 \
             $(O)/share/cgsolve.cfg.5:MANDIR/man5/cgsolve.cfg.5 \
             $(O)/share/cgsolve.bash:DATADIR/bash-completion/completions/cgsolve \
             $(O)/share/_cgsolve:DATADIR/zsh/site-functions/_cgsolve \
             $(foreach f,$(wildcard CHANGELOG.md CITATION.cff README.md docs/*.md docs/*.svg docs/*.png docs/*.json \
                                    docs/example/* docs/pictures/* docs/results/*.md docs/results/*.svg docs/results/data/* \
                                    configs/*.cfg problems/plate.mtx.gz),$f:DOCDIR/$f)

# ---- targets for people ------------------------------------------------------------------------
# run, check, check-files, golden-builds, asan, tsan and lint set the machine up first (nothing happens when all is there), and
# then call make again, because only then it is known where the libraries are.

# Not in a recipe with -j already: on all processors.
parallel = $(if $(findstring jobserver,$(MAKEFLAGS)),,-j$(JOBS))
again = +@$(MAKE) --no-print-directory $(parallel)

.PHONY: build program run check check-long check-seeds check-files check-install check-python check-gpu check-no-gpu sanitize-gpu test asan tsan tsan-threads lint format bench-programs bench-peers
.PHONY: bench-article bench-article-error bench-article-cg fuzz-programs lib install install-lib uninstall wheel clean help
.PHONY: bench-bitwise bench-bitwise-cg bench-bitwise-largest bench-bitwise-prove
.PHONY: prove-bitwise golden golden-builds
.PHONY: suites objects banner need-check need-python FORCE

# This object begins first, for it takes a third of the processor's time of a build.
program suites objects: $(call object,src/spmv/symmetric/blocks/cpu_sym_blocks.c)

program: $(program)

build: program lib

lib: $(O)/libcgsolve.a $(O)/$(so)

# CUDA kernels take minutes to compile, and the first table has none of them. Without a GPU they are left out, and with
# one they are built behind the table, unless CUDA=1 asks for them or they were built before. O=DIR is one build: with
# them where there is a GPU.
first_run := $(and $(cuda_on),$(filter auto,$(CUDA)),$(if \
                   $(wildcard build/$(VARIANT)-cuda/cgsolve)$(if $(filter ./%,$(program)),,$(gpus)),,1))
quickstart = $(program) configs/quickstart.cfg $(if $(filter ./%,$(program)),,--output $(O)/quickstart)
run:
	@scripts/setup run
	$(if $(first_run),$(if $(gpus),,@echo 'CUDA $(cuda_version) is here, but no GPU: built without; make CUDA=1 builds the CUDA kernels too'))
	$(again) $(if $(first_run),CUDA=0) program
	$(quickstart)
ifneq ($(and $(first_run),$(gpus)),)
	@echo 'CUDA $(cuda_version): builds the CUDA kernels too, for minutes; ./cgsolve works meanwhile'
	$(again) build
endif

check check-long:
	@scripts/setup check
	$(again) $(if $(ONLY),,SUITES=$(if $(filter check-long,$@),long,short)) test

test: $(program) suites
	@$(call run_suites,once)

# Stopped, it goes on where it was.
check-seeds:
	@scripts/setup check
	$(again) $(program) suites
	@$(call run_suites,seeds $(N))

# In a stage of its own: nobody else needs Python and R.
check-files:
	@scripts/setup files
	$(again) $(O)/cgsolve
	@CGSOLVE="$(abspath $(O))/cgsolve" $$(scripts/find-python jsonschema pandas) -B -m unittest discover -s tests/files

# In an empty directory, by pkg-config and by CMake.
check-install:
	@scripts/setup files
	$(again) build
	+@PKG_CONFIG="$(PKG_CONFIG)" CC="$(CC)" CXX="$(CXX)" scripts/check-install "$(MAKE)"

# The package in a virtual environment of its own, which sees the system's NumPy and SciPy; PYPI=1: it gets the newest
# from PyPI.
check-python:
	@scripts/setup $(if $(PYPI),wheel,python)
	$(again) CUDA=0 build wheel
	@rm -rf build/python
	@$$(scripts/find-python ensurepip $(if $(PYPI),,cffi numpy pandas pytest scipy)) -m venv \
		$(if $(PYPI),,--system-site-packages) build/python
	@build/python/bin/pip install --quiet --disable-pip-version-check \
		$(if $(PYPI),scipy pandas pytest auditwheel,--no-index --no-deps) build/release/wheel/*.whl
	@CGSOLVE="$(CURDIR)/build/release/cgsolve" build/python/bin/python -B -m unittest discover -s python/tests

check-gpu:
	@scripts/setup check
	$(again) test ONLY=cuda

# racecheck looks at shared memory, initcheck at memory that was never written. cuSPARSE's own kernels
# write to the same shared memory from two threads, which is its affair: racecheck leaves them out.
sanitize-gpu:
	@command -v $(COMPUTE_SANITIZER) >/dev/null || \
		{ echo "sanitize-gpu: $(COMPUTE_SANITIZER) is not here: it comes with the CUDA toolkit"; exit 1; }
	@scripts/setup check
	$(again) suites
	@for tool in memcheck "racecheck --kernel-regex-exclude kns=cusparse" initcheck; do \
		CGSOLVE_TEST_SLOW=1 $(MAKE) --no-print-directory test ONLY=cuda \
			gpu_tool="$(COMPUTE_SANITIZER) --error-exitcode 9 --tool $$tool" || exit 1; \
	done

# With the ./cgsolve that is there, so that what is proved is what is used.
prove-bitwise:
	@scripts/prove-bitwise $(if $(DIR),"$(DIR)")

golden: $(O)/cgsolve-twins
	@CGSOLVE_TWINS=$(O)/cgsolve-twins scripts/golden

golden-builds:
	@scripts/setup golden-builds
	@scripts/golden-builds

bench-article bench-article-error bench-article-cg:
	@scripts/setup run
	$(again) CUDA=1 build bench-programs
	bench/article.sh $(ARTICLE) $(article_stages)

bench-article: article_stages := time
bench-article-error: article_stages := error
bench-article-cg: article_stages := cg solves

bench-bitwise bench-bitwise-cg bench-bitwise-largest bench-bitwise-prove:
	@scripts/setup run
	$(again) CUDA=1 build bench-programs
	bench/bitwise.sh $(BITWISE) $(bitwise_stages)

bench-bitwise: bitwise_stages := time
bench-bitwise-cg: bitwise_stages := cg
bench-bitwise-largest: bitwise_stages := largest
bench-bitwise-prove: bitwise_stages := prove

asan:
	@scripts/setup check
	$(again) VARIANT=asan CUDA=0 test-variant

tsan:
	@scripts/setup tsan
	$(again) VARIANT=tsan CUDA=0 test-variant

tsan-threads:
	@$(MAKE) --no-print-directory tsan ONLY="$(threaded)"

# What a build with CUDA says where there is no GPU; of lint's objects, so that device code is compiled once.
check-no-gpu:
	@scripts/setup check
	$(again) VARIANT=lint CUDA=1 test-variant ONLY="main/test_bench main/test_command_line api/test_refused api/test_study"

.PHONY: test-variant
test-variant: $(O)/cgsolve suites
	@$(call run_suites,once)

lint:
	@scripts/setup lint
	@failed=0; scripts/lint || failed=1; \
	$(MAKE) --no-print-directory $(parallel) -k VARIANT=lint unused-functions || failed=1; \
	if [ $$failed = 0 ]; then echo "lint: clean"; else echo "lint: FAILED"; exit 1; fi

format:
	@scripts/setup lint
	@find src include tests bench -name '*.[ch]' -o -name '*.cpp' -o -name '*.cu' -o -name '*.cuh' | \
		xargs $$(command -v clang-format-14 || echo clang-format) -i

# With CUDA only where that is asked for.
ifeq ($(if $(cuda_on),$(CUDA)),auto)
wheel:
	$(again) CUDA=0 wheel
else
wheel: need-python $(O)/wheel/$(so)
	@rm -f $(O)/wheel/*.whl
	@$$(scripts/find-python) python/cgsolve_build.py $(O)/wheel/$(so) "$(or $(WHEELS),$(O)/wheel)"
endif

bench-programs: $(benches)

bench-peers: bench-programs $(peers_here:%=$(O)/bench/peers/%)
	@for p in $(filter-out $(peers_here),$(peers)); do echo "bench-peers: without $$p (see docs/building.md)"; done

fuzz-programs:
	@scripts/setup fuzz
	$(again) VARIANT=fuzz CUDA=0 fuzzers

.PHONY: fuzzers run-fuzzers fuzz
fuzzers: $(fuzzers)

fuzz:
	@scripts/setup fuzz
	$(again) VARIANT=fuzz CUDA=0 run-fuzzers

run-fuzzers: $(fuzzers)
	@SUITES_AT_ONCE=$(SUITES_AT_ONCE) scripts/fuzz $(FUZZ_SECONDS) $(fuzzers)

# The loader of this system learns what libraries there are, where that may be told.
tell_loader = [ -n "$(DESTDIR)" ] || [ "$$(id -u)" != 0 ] || PATH="$$PATH:/usr/sbin:/sbin" ldconfig 2>/dev/null || :

# For the shell: `from` and `to` of $f.
define from_to
from=$${f%%:*}; to=$${f#*:}; \
		case $$to in $(foreach d,$(directories),($d/*) to="$(DESTDIR)$($d)/$${to#*/}" ;;) esac
endef

install: private listed := $(installed)
install: $(foreach f,$(installed),$(firstword $(subst :, ,$f)))
install-lib: private listed := $(installed_lib)
install-lib: $(foreach f,$(installed_lib),$(firstword $(subst :, ,$f)))
install install-lib:
	@set -e; for f in $(listed); do \
		$(from_to); mkdir -p "$${to%/*}"; \
		if [ -L "$$from" ]; then cp -Pf "$$from" "$$to"; continue; fi; \
		case $$f in *:BINDIR/*) mode=755 ;; *) mode=644 ;; esac; \
		install -m $$mode "$$from" "$$to"; \
		case $$f in *:BINDIR/* | *:LIBDIR/lib*) $(STRIP) -S "$$to" ;; esac; \
	done
	@$(tell_loader)
	@echo "$@: $(words $(listed)) files below $(DESTDIR)$(PREFIX)"

# Directories that are ours alone go too, where they are empty.
uninstall:
	@set -e --; for f in $(installed); do \
		$(from_to); rm -f "$$to"; \
		case $$f in *:INCLUDEDIR/* | *:LIBDIR/cmake/* | *:DOCDIR/*) set -- "$${to%/*}" "$$@" ;; esac; \
	done; \
	for to; do rmdir "$$to" 2>/dev/null || :; done
	@$(tell_loader)

clean:
	rm -rf build cgsolve

help:
	@echo "make                 the program ./cgsolve and build/release/libcgsolve.a"
	@echo "make run             set up the machine, build, run configs/quickstart.cfg; without CUDA kernels where there is"
	@echo "                     no GPU, and before them where there is one"
	@echo "make check           set up the machine, build, run the tests that take seconds each"
	@echo "make check-long      the others"
	@echo "make test            both without the set-up; ONLY=csr: suites with 'csr' in the name"
	@echo "make check-seeds     every suite with random inputs on N=1000 seeds, on 100 where it takes a second or more;"
	@echo "                     stopped, it goes on where it was"
	@echo "make check-files     that others can read the files: summary.json by its schema, docs/reading-files.md as it"
	@echo "                     stands there, in Python and R, the page in a browser where there is one; and that the"
	@echo "                     commands of the README and the pages run; sets up Python, R"
	@echo "make check-install   that another program finds the installed library; sets up cmake"
	@echo "make check-python    the Python package: its wheel, installed into build/python, with the system's NumPy and"
	@echo "                     SciPy; PYPI=1: with the newest of PyPI"
	@echo "make check-gpu       the suites that need a GPU; without one they say that nothing ran, and why"
	@echo "make check-no-gpu    what a build with CUDA says where there is no GPU"
	@echo "make sanitize-gpu    the same suites under compute-sanitizer"
	@echo "make prove-bitwise   that the bitwise kernels of ./cgsolve have one residual history on each problem,"
	@echo "                     and the exact ones one, and products one result; DIR=directory adds its matrices,"
	@echo "                     RUNS=100 THREADS=\"1 2 3 7 16\" say how often"
	@echo "make golden          compare tests/golden with what ./cgsolve makes; ACCEPT=1 replaces what differs"
	@echo "make golden-builds   the same by other compilers and flags, and by a cross compiler and qemu; sets them up"
	@echo "make asan            the tests under the address and undefined-behaviour sanitizers"
	@echo "make tsan            the tests under the thread sanitizer; tsan-threads: quick ones with threads"
	@echo "make lint            formatting, layers of includes, warnings as errors"
	@echo "make format          write the sources as clang-format wants them"
	@echo "make bench-programs  the programs of bench/, in build/release/bench or release-cuda/bench"
	@echo "make bench-article, bench-article-error, bench-article-cg"
	@echo "                     the data docs/results/data/article-*, into ARTICLE=results/article"
	@echo "make bench-bitwise, bench-bitwise-cg, bench-bitwise-largest, bench-bitwise-prove"
	@echo "                     what bitwise reproducible products cost, into BITWISE=results/bitwise"
	@echo "make bench-peers     the same, and the programs of bench/peers whose libraries are installed"
	@echo "make fuzz            every fuzzer of tests/fuzz for FUZZ_SECONDS, 10 (make fuzz-programs builds them)"
	@echo "make install         the program, its library, manual pages, completions for bash and zsh, documentation,"
	@echo "                     below PREFIX=/usr/local, in DESTDIR; make uninstall removes them; LIBDIR=/usr/local/lib and"
	@echo "                     BINDIR, INCLUDEDIR, DATADIR, MANDIR, DOCDIR likewise; STRIP=true keeps debug information"
	@echo "make lib             the C library alone, which needs neither libconfig nor jansson; make install-lib installs it"
	@echo "make wheel           the Python package, build/release/wheel/cgsolve-*.whl, without CUDA;"
	@echo "                     CUDA=1: with it, build/release-cuda/wheel/cgsolve-*.whl"
	@echo "make clean           remove what was built"
	@echo
	@echo "CUDA=0|1|auto  without, with (an error if there is none), as found (the default)"
	@echo "MPI=0|1|auto   likewise, for the ranks of mpirun"
	@echo "METIS=0|1|auto likewise, for problem.reorder = \"metis\""
	@echo "CUDA_ARCH=90   the GPU architectures, such as CUDA_ARCH=\"80 90\"; by default of the GPUs here, or 90"
	@echo "O=DIR          where everything is built, the program too: the sources may be read-only"
	@echo "CC, CXX, CFLAGS, CXXFLAGS, NVCCFLAGS, LDFLAGS, PKG_CONFIG as usual; V=1 shows the commands"

# ---- running the suites ------------------------------------------------------------------------
# By scripts/run-suites: as many at a time as there are processors, the longest first. A thread that waits
# leaves its processor to the others.

longest := main/test_ranks main/test_new_kernel main/test_new_method main/test_new_preconditioner \
           main/test_new_problem main/test_prove_bitwise main/test_ordinary_user spmv/test_schedules \
           spmv/test_kernels solver/test_lanczos solver/test_cg golden/test_golden spmv/test_merge \
           spmv/test_exact spmv/test_twins main/test_report main/test_cgsolve
# Those of make check-long: whole programs over and over, builds, and what holds for every size.
long := main/test_install main/test_interrupt main/test_memory main/test_new_kernel \
        main/test_new_method main/test_new_preconditioner main/test_new_problem main/test_ordinary_user \
        main/test_prove_bitwise main/test_ranks main/test_recordings precondition/multigrid/test_distribute \
        precondition/test_long_rows problem/test_stand_in solver/test_ranks spmv/test_schedules spmv/test_sym_order
# Those with threads, of every layer, that are quick under the thread sanitizer: make tsan-threads.
threaded := api/ base/test_threads io/market/test_large io/market/test_part io/test_same_file matrix/ \
            precondition/multigrid/test_coarse \
            precondition/multigrid/test_grid precondition/multigrid/test_hierarchy precondition/multigrid/test_matching \
            precondition/multigrid/test_rescale precondition/test_blocks precondition/test_passes \
            problem/test_convection3d problem/test_feature_graph problem/test_fe_mesh_random \
            problem/test_lattices problem/test_layers problem/test_network problem/test_poisson3d problem/test_rhs \
            problem/test_tied solver/test_cg_trace solver/test_lanczos_basis solver/test_minres_ends \
            solver/test_basis_products solver/test_residual space/test_cpu_exact space/test_cpu_sum \
            space/test_partition space/test_rank_vector \
            spmv/test_exact spmv/test_precision spmv/test_row_parts spmv/test_sddmm spmv/test_sym_blocks \
            spmv/test_value_dictionary spmv/test_transpose_index study/test_product_reference study/test_product_samples study/test_study
SUITES_AT_ONCE ?= $(JOBS)
FUZZ_SECONDS ?= 10
gpu_tool :=
COMPUTE_SANITIZER ?= $(or $(wildcard $(cuda_root)/bin/compute-sanitizer),compute-sanitizer)
sanitizer_common := allocator_may_return_null=1
test_target := $(if $(filter release,$(VARIANT)),test,test-variant VARIANT=$(VARIANT))
suite_environment := CGSOLVE="$(abspath $(O))/cgsolve" CGSOLVE_BUILD="$(abspath $(O))" \
                     SUITES_AT_ONCE=$(SUITES_AT_ONCE) \
                     REPEAT="make $(test_target)$(if $(filter-out auto,$(CUDA)), CUDA=$(CUDA))" \
                     AS_BUILT="CUDA=$(if $(cuda_on),1 CUDA_ARCH='$(CUDA_ARCH)',0)" \
                     GPU_TOOL="$(gpu_tool)"
ifeq ($(VARIANT),asan)
    suite_environment += CGSOLVE_TEST_SLOW=1 CK_TIMEOUT_MULTIPLIER=5 GOLDEN_THREADS=$${GOLDEN_THREADS:-3} \
        ASAN_OPTIONS=detect_leaks=1:$(sanitizer_common):$$ASAN_OPTIONS \
        UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1:$$UBSAN_OPTIONS
else ifeq ($(VARIANT),tsan)
    # Old runtimes of the thread sanitizer do not start where the kernel spreads addresses widely.
    suite_environment += CK_TIMEOUT_MULTIPLIER=20 \
        $(if $(shell setarch $$(uname -m) -R true 2>/dev/null && echo 1),SUITE_PREFIX="setarch $$(uname -m) -R") \
        TSAN_OPTIONS=halt_on_error=1:ignore_noninstrumented_modules=1:die_after_fork=0:$(sanitizer_common):$$TSAN_OPTIONS
endif

long_suites := $(long:%=$(O)/tests/%)
SUITES ?= all
suites_all := $(suites)
suites_long := $(filter $(long_suites),$(suites))
suites_short := $(filter-out $(long_suites),$(suites))
# Of the short ones those of the layers, and two that run whole programs.
suites_layers := $(filter-out $(O)/tests/main/% $(O)/tests/golden/% $(O)/tests/precondition/multigrid/test_counts, \
                     $(suites_short)) $(filter $(O)/tests/main/test_cgsolve $(O)/tests/main/test_solve,$(suites_short))
$(if $(filter all long short layers,$(SUITES)),,$(error SUITES=$(SUITES): must be all, long, short or layers))
chosen := $(if $(ONLY),$(foreach s,$(suites),$(if $(strip $(foreach o,$(ONLY),$(findstring $(o),$(s:$(O)/%=%)))),$s)),$(suites_$(SUITES)))
first := $(foreach l,$(longest),$(filter $(O)/tests/$l,$(chosen)))
run_suites = export $(suite_environment); scripts/run-suites $1 $(first) $(filter-out $(first),$(chosen))

# ---- rules -------------------------------------------------------------------------------------

# Every command is a line "[3/164] CC file", rewritten on a terminal: ended by a return, so that what a compiler says stands
# in its place. When the first one is due, a make that runs nothing is asked how many there will be; all stamps are made
# by then (banner), and it takes them as they are.

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
needs := $(if $(filter-out lib install-lib wheel %/libcgsolve.a %/$(so),$(or $(MAKECMDGOALS),build)), \
             libconfig jansson) zlib
lacks := $(shell for p in $(needs); do \
                     $(pkg_config) --exists $$p 2>/dev/null || echo $$p; done)

banner: $(O)/flags $(O)/flags-install $(O)/flags-check $(O)/flags-mpi $(O)/flags-metis $(O)/told $(O)/objects
	@echo '$(cuda_text)'
	@echo '$(mpi_text)'
	@echo '$(metis_text)'
ifneq ($(strip $(lacks)),)
	@echo 'make: pkg-config does not know $(strip $(lacks)). A build needs libconfig, jansson and zlib; all else is optional.' >&2
	@echo 'make: scripts/setup installs them; without root, scripts/setup --local (docs/building.md)' >&2; exit 1
endif

lacks_check := $(if $(check_libs),,check) $(if $(lapack),,lapack)

need-check:
ifneq ($(strip $(lacks_check)),)
	@echo 'make: no pkg-config entry for: $(strip $(lacks_check)). Call scripts/setup check, or make check.' >&2; exit 1
endif

need-python:
	@scripts/find-python >/dev/null || { echo 'make: no python3 here. Call scripts/setup wheel.' >&2; exit 1; }

# What command_version.c alone is told, so that another commit compiles little. Not of a repository that these files
# only lie in. A "+" stands behind the commit where the files differ from it.
commit = $(if $(wildcard .git),$(shell git --no-optional-locks describe --always --exclude='*' --dirty=+ 2>/dev/null))
build_told = -DCGSOLVE_COMMIT='"$(commit)"' \
             -DCGSOLVE_CUDA_BUILD='"$(if $(cuda_on),$(cuda_version)$(comma) $(cuda_archs),none)"' \
             -DCGSOLVE_MPI_BUILD='"$(if $(mpi_package),$(mpi_package) $(mpi_version),none)"' \
             -DCGSOLVE_METIS_BUILD='"$(or $(metis_version),none)"'

# Other flags, or another list of files, than at the last build: build again. Not another directory: objects do not
# name it.
stamped := $(if $(COUNTING),,FORCE)
define stamp
@mkdir -p $(@D)
$(file >$@.new,$(subst $(CURDIR)/,,$1))
@if cmp -s $@ $@.new; then rm $@.new; else mv $@.new $@; fi
endef

ifneq ($(filter-out clean help,$(or $(MAKECMDGOALS),build)),)
$(shell mkdir -p $(O))
endif

$(O)/flags: $(stamped)
	$(call stamp,$(CC) $(c_flags) : $(CXX) $(cxx_flags) : $(NVCC) $(nvcc_flags) : $(guards) $(link_flags) $(link_libs))

$(O)/flags-install: $(stamped)
	$(call stamp,$(PREFIX) : $(LIBDIR) : $(INCLUDEDIR))

# Apart, so that installing Check does not compile the library again.
$(O)/flags-check: $(stamped)
	$(call stamp,$(check_cflags) $(check_libs) $(lapack_libs))

$(O)/flags-mpi: $(stamped)
	$(call stamp,$(mpi_cflags) $(mpi_libs))

$(O)/flags-metis: $(stamped)
	$(call stamp,$(metis_libs))

$(O)/told: $(stamped)
	$(call stamp,$(build_told))

$(O)/objects: $(stamped)
	$(call stamp,$(library_objects) $(program_objects) $(support_objects))

$(O)/src/%.o: private c_flags += $(lint_source_flags)
$(O)/src/program/%.o $(O)/tests/%.o: private c_flags += $(light_flags)
$(O)/src/program/command/command_version.o: private common_more = $(build_told)
$(O)/src/program/command/command_version.o: $(O)/told
$(O)/src/program/command/exchange_mpi.o: private includes_more := $(mpi_cflags)
$(O)/src/program/command/exchange_mpi.o: $(O)/flags-mpi
$(O)/src/program/config/metis_numbering.o: private includes_more := $(if $(metis_libs),-DCGSOLVE_METIS=1)
$(O)/src/program/config/metis_numbering.o: $(O)/flags-metis
$(O)/tests/%.o: private includes_more := $(check_cflags)
$(O)/tests/%.o: private common_more := -Itests -I.
$(call object,$(test_sources)): private common_more = -Itests -I. -Dsuite=$(call suite_function,$(@:$(O)/tests/%.o=%))
$(O)/tests/suites.o: private includes_more = $(check_cflags) -I$(O)
$(O)/tests/suites.o: $(O)/suites.inc
$(O)/bench/%.o: private common_more := -I.
$(call object,$(test_sources) $(twins_sources) $(support_sources)): $(O)/flags-check | need-check

$(O)/%.o: %.c $(O)/flags | banner
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(c_flags) $(includes_more) $(common_more) -MMD -MP -c $< -o $@

# The page's style and script, each line as a text of C.
$(O)/src/program/report/page_parts.o: $(O)/src/program/report/page.css.inc $(O)/src/program/report/page.js.inc
$(O)/src/program/report/page_parts.o: private includes_more := -I$(O)/src
$(O)/%.inc: %
	@mkdir -p $(@D)
	$(Q)sed 's/[\\"]/\\&/g; s/.*/"&\\n",/' $< > $@

$(O)/%.cpp.o: %.cpp $(O)/flags | banner
	@mkdir -p $(@D)
	$(call say,CXX,$<)
	$(Q)$(CXX) $(cxx_flags) $(includes_more) $(common_more) -MMD -MP -c $< -o $@

$(O)/src/space/cuda/cuda.cu.o: private common_more := -DCGSOLVE_CUDA_ARCHS='"$(cuda_archs)"'
$(O)/%.cu.o: %.cu $(O)/flags | banner
	@mkdir -p $(@D)
	$(call say,NVCC,$<)
	$(Q)$(NVCC) $(nvcc_flags) $(common_more) -MMD -MP -MF $(@:.o=.d) -c $< -o $@

$(O)/%.device.o: %.c $(O)/flags | banner
	@mkdir -p $(@D)
	$(call say,NVCC,$<)
	$(Q)$(NVCC) -x cu $(nvcc_flags) $(common_more) -MMD -MP -MF $(@:.o=.d) -c $< -o $@

# One object, which has no name in common with the program that it is linked into.
$(O)/libcgsolve.o: $(library_objects) $(O)/objects
	$(call say,LD,$@)
	$(Q)$(LD) -r $(library_objects) -o $@ && $(make_local) $@

$(O)/libcgsolve.a: $(O)/libcgsolve.o
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) rcs $@ $<

$(O)/wheel/$(so): private shared_more := -s
$(O)/$(so) $(O)/wheel/$(so): $(library_objects) src/api/cgsolve.map $(O)/objects
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(CXX) $(so_flags) $(library_objects) $(guards) $(link_flags) $(shared_more) $(link_libs) -o $@

$(O)/cgsolve: $(O)/src/program/main.o $(program_objects) $(library_objects) $(O)/objects
	$(call say,LINK,$@)
	$(Q)$(CXX) $(O)/src/program/main.o $(program_objects) $(library_objects) $(guards) $(link_flags) $(program_libs) $(link_libs) -o $@

# Without the registry, and the kernels, that the twins' own registry stands for.
cuda_kernels := $(shell sed -n 's/^CUDA_KERNEL(\(.*\))$$/\1/p' src/spmv/kernels.def)
twins_library := $(program_objects) $(filter-out $(O)/src/spmv/registry.o $(cuda_kernels:%=$(O)/src/spmv/\%/%.cu.o), \
                                                $(library_objects))
$(O)/cgsolve-twins: $(twins_objects) $(twins_library) $(O)/objects
	$(call say,LINK,$@)
	$(Q)$(CXX) $(twins_objects) $(twins_library) $(link_flags) $(program_libs) $(link_libs) -o $@

$(O)/$(so_link):
	$(Q)ln -sfn $(so) $@

# The C++ library of this compiler.
cxx_library = -l$(if $(shell printf '\043include <cstddef>\n' | $(CXX) -dM -E -x c++ - | grep _LIBCPP_VERSION),c++,stdc++)

# What those who link to the library are told. Paths below PREFIX are relative, so that all can be moved.
$(patsubst %,$(O)/share/%,cgsolve.pc cgsolveConfig.cmake cgsolveConfigVersion.cmake): \
        $(O)/share/%: share/%.in $(O)/flags $(O)/flags-install
	@mkdir -p $(@D)
	$(Q)lib="$(LIBDIR)" include="$(INCLUDEDIR)" prefix="$(PREFIX)"; \
	case $$lib in "$(PREFIX)"/*) \
		prefix=@LIBDIR@$$(printf '%s\n' "$${lib#"$(PREFIX)"}" | sed 's|//*[^/][^/]*|/..|g') ;; esac; \
	case $$include in "$(PREFIX)"/*) include=$$prefix$${include#"$(PREFIX)"} ;; esac; \
	sed "s|@VERSION@|$(VERSION)|; s|@LIBS@|$(link_flags) $(link_libs) $(cxx_library)|; s|@PREFIX@|$$prefix|; \
		s|@INCLUDEDIR@|$$include|; s|@SO@|$(so)|; s|@SONAME@|$(so_name)|; s|@LIBDIR@|\$${$(if $(filter %.pc,$@),,_cgsolve_)libdir}|" $< > $@

# The declarations of the headers, comments left out.
page_headers := $(addprefix include/cgsolve/,cgsolve.h order.h)

$(O)/share/libcgsolve.3: share/libcgsolve.3.in $(page_headers) $(O)/flags
	@mkdir -p $(@D)
	$(Q)awk 'FILENAME ~ /[.]h$$/ { sub(/ *\/\*.*/, ""); if (sub(/^CGS_API /, "")) on = 1; sub(/^        /, ""); \
	                              if (on) text[FILENAME] = text[FILENAME] $$0 "\n"; if (/;/) on = 0; next } \
	         /^@PROTOTYPES/ { printf "%s", text[$$2]; next } { sub(/@VERSION@/, "$(VERSION)"); print }' \
		$(page_headers) $< > $@

# What is generated from the program's own help.
$(O)/share/%: share/%.in scripts/pages $(O)/cgsolve
	@mkdir -p $(@D)
	$(call say,PAGE,$@)
	$(Q)scripts/pages $(O)/cgsolve $< > $@

# Always looked at: another variant's may stand there.
cgsolve: $(O)/cgsolve FORCE
	@cmp -s $< $@ || { cp -f $< $@.new && mv -f $@.new $@; }

# The chosen suites are one program, and a suite is a hard link to it: the name says which one runs. 260 programs would
# hold the library and CUDA's libraries 260 times, in 25 GB.
suite_function = suite_$(subst /,_,$1)
$(O)/suites.inc: $(stamped)
	$(call stamp,$(foreach s,$(chosen:$(O)/tests/%=%),SUITE($(call suite_function,$s)$(comma) "$s")))

$(O)/tests/suites: $(chosen:%=%.o) $(support_objects) $(program_objects) $(library_objects) $(O)/objects
	$(call say,LINK,$@)
	$(Q)$(CXX) $(chosen:%=%.o) $(support_objects) $(program_objects) $(library_objects) $(link_flags) $(program_libs) \
		$(check_libs) $(lapack_libs) $(link_libs) -o $@

$(suites): $(O)/tests/suites
	$(Q)ln -f $< $@

$(benches): $(program_objects) $(library_objects) $(bench_support) $(O)/objects
$(addprefix $(O)/,$(patsubst %.c,%,$(filter %.c,$(bench_sources)))): $(O)/%: $(O)/%.o
	$(call say,LINK,$@)
	$(Q)$(CXX) $< $(bench_support) $(program_objects) $(library_objects) $(link_flags) $(program_libs) $(link_libs) -o $@
$(addprefix $(O)/,$(patsubst %.cu,%,$(filter %.cu,$(bench_sources)))): $(O)/%: $(O)/%.cu.o
	$(call say,LINK,$@)
	$(Q)$(CXX) $< $(bench_support) $(program_objects) $(library_objects) $(link_flags) $(program_libs) $(link_libs) -o $@

# A library that is a header is compiled as its users are told to: for this machine, without checks.
$(O)/bench/peers/%.o: private includes_more = $(call peer_cflags,$(notdir $*))
$(O)/bench/peers/eigen.cpp.o: private includes_more = $(call peer_cflags,eigen) -march=native -DNDEBUG \
                                                      -ffp-contract=fast -fopenmp
$(O)/bench/peers/eigen: private link_more := -fopenmp
peer_objects := $(call object,$(sort $(wildcard bench/peers/*.c bench/peers/*.cpp)))
$(foreach p,$(peers),$(eval $(O)/bench/peers/$p: $(filter %/$p.o %/$p.cpp.o,$(peer_objects))))
$(peers:%=$(O)/bench/peers/%): $(bench_support) $(program_objects) $(library_objects) $(O)/objects
	$(call say,LINK,$@)
	$(Q)$(CXX) $(filter $(peer_objects),$^) $(bench_support) $(program_objects) $(library_objects) $(link_flags) $(program_libs) \
		$(link_more) $(call peer_libs,$(@F)) $(link_libs) -o $@

$(fuzzers): $(O)/%: $(O)/%.o $(O)/tests/csr_check.o $(program_objects) $(library_objects) $(O)/objects
	$(call say,LINK,$@)
	$(Q)$(CXX) $< $(O)/tests/csr_check.o $(program_objects) $(library_objects) $(link_flags) -fsanitize=fuzzer $(program_libs) $(link_libs) -o $@

# What a suite may call: the programs.
suites: $(chosen) $(O)/cgsolve $(if $(twins_sources),$(O)/cgsolve-twins)

objects: $(all_objects)

.PHONY: unused-functions
unused-functions: objects
	@scripts/unused-functions $(call object,$(bench_sources)) $(bench_support) -- \
		$(call object,$(main_source)) $(program_objects) $(library_objects)

-include $(patsubst %.o,%.d,$(all_objects) $(peer_objects))
