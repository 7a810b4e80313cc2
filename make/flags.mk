# Compilers and flags, of each variant.
#
# The bits of the results hang on -ffp-contract=off and --fmad=false: they stand behind what the
# user passes, and a fused multiply-add is written fma() in the sources.

#= WERROR=1       a warning of the compiler is an error; make lint then leaves out the tests, which were compiled so
#= CC, CXX, CFLAGS, CXXFLAGS, NVCCFLAGS, LDFLAGS, PKG_CONFIG as usual; V=1 shows the commands
ifeq ($(origin CC),default)
    CC := gcc
endif
ifeq ($(origin CXX),default)
    CXX := g++
endif
CLANG ?= clang
comma := ,
OPTIMIZE := -O1 -g1

# What this compiler takes of these: a fault in what reads files ends the program, and cannot be used.
taken = $(shell for f in $1; do printf 'int main(void) { return 0; }' | \
                    $(CC) $$f -Werror -x c - -o /dev/null 2>/dev/null && echo $$f; done)

sanitizers_asan := address,undefined -fno-sanitize-recover=all
sanitizers_tsan := thread
sanitizers_fuzz := fuzzer-no-link,$(sanitizers_asan)
ifeq ($(VARIANT),release)
    variant_flags := $(if $(WERROR),-Werror)
    OPTIMIZE := -O3 -g1 -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2 \
                $(call taken,-fstack-protector-strong -fstack-clash-protection -fcf-protection)
    guards := $(call taken,-Wl$(comma)-z$(comma)relro$(comma)-z$(comma)now)
else ifeq ($(VARIANT),lint)
    OPTIMIZE := -O2
    variant_flags := -Werror -DCGSOLVE_NO_CLONES -ffunction-sections
    lint_source_flags := -Wconversion -Wno-sign-conversion -fno-inline
    nvcc_variant_flags := -Werror all-warnings -Xcompiler -ffunction-sections
else ifneq ($(sanitizers_$(VARIANT)),)
    variant_flags := -fsanitize=$(sanitizers_$(VARIANT)) -fno-omit-frame-pointer -DCGSOLVE_NO_CLONES
    ifneq ($(VARIANT),asan)
        CC := $(CLANG)
        CXX := $(CLANG)++
    endif
else
    $(error VARIANT=$(VARIANT): must be release, asan, tsan, fuzz or lint)
endif

# src/program and the tests have no hot loops: -O1 compiles them in two thirds of the time, and with a
# sanitizer -O0 in half.
light_flags := $(if $(filter undefined,$(origin CFLAGS)),$(if $(filter release lint,$(VARIANT)),-O1, \
                   $(if $(filter asan tsan,$(VARIANT)),-O0)))
CFLAGS ?= $(OPTIMIZE)
CXXFLAGS ?= $(OPTIMIZE)
# Not -lineinfo: with it the driver loads twice as much at the first launch of a kernel.
NVCCFLAGS ?= -O3

# What lets a compiler reorder sums, or flush what is subnormal, is refused, in whichever way it comes. A compiler
# that hides it, as a script may, tells by a macro, and space/sum/sum_order.h refuses.
unsafe := -ffast-math -Ofast -funsafe-math-optimizations -fassociative-math -freciprocal-math -ffinite-math-only \
          -fno-signed-zeros -ffp-model=fast -fapprox-func -fno-honor -fdenormal-fp-math -mdaz-ftz \
          -use_fast_math -ftz=true -prec-div=false -prec-sqrt=false
$(if $(builds),$(foreach v,CC CXX CFLAGS CXXFLAGS NVCC NVCCFLAGS LDFLAGS,$(foreach f,$(unsafe), \
    $(if $(findstring $f,$($v)),$(error $v has $f, which changes sums: their bits are what this program is for)))))

warnings := -Wall -Wextra -Wpedantic -Wshadow -Wvla -Wwrite-strings -Wformat=2 -Wno-format-nonliteral
c_warnings := $(warnings) -Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition

# A shared library shows what cgsolve/cgsolve.h declares, and to plug-ins src/component/names.h, and nothing else.
defines = -D_GNU_SOURCE -DCGSOLVE_VERSION='"$(VERSION)"' -Iinclude -Isrc
common = $(defines) $(library_cflags) $(config_cflags) -fopenmp-simd $(variant_flags) -fPIC -fvisibility=hidden \
         '-ffile-prefix-map=$(CURDIR)/=' -ffp-contract=off
c_flags = -std=c11 $(CFLAGS) $(c_warnings) $(common) $(visible)
cxx_flags = -std=c++17 $(CXXFLAGS) $(warnings) $(common)
nvcc_flags = -std=c++20 $(NVCCFLAGS) $(cuda_targets) $(defines) $(nvcc_variant_flags) \
             -Xcompiler -Wall,-fopenmp-simd,-ffp-contract=off,-fPIC,-fvisibility=hidden --fmad=false

link_flags = $(variant_flags) $(LDFLAGS)
link_libs = $(library_libs) -ldl -lpthread -lm
# The CUDA runtime is linked in and looks for the driver when it is first called, so the part loads where there is none.
cuda_libs = $(if $(cuda_lib),-L$(cuda_lib) -Wl$(comma)-rpath$(comma)$(cuda_lib)) \
             -lcublas -lcusparse -lcudart_static $(CUDA_LIBS) -ldl -lpthread -lrt -lm
program_libs = $(mpi_libs) $(metis_libs) $(config_libs)

# The shared library. Apple's linker has other options, and its -r makes hidden names local.
OBJCOPY ?= objcopy
ifeq ($(filter darwin% macos%,$(lastword $(subst -, ,$(shell $(CC) -dumpmachine 2>/dev/null)))),)
    so := libcgsolve.so.0
    so_link := libcgsolve.so
    so_name := $(so)
    so_flags := -shared -Wl,-soname,$(so_name),--no-undefined,--version-script,src/api/cgsolve.map
    make_local = $(OBJCOPY) --wildcard --keep-global-symbol='cgs_*'
    # For plug-ins the linker gives functions of the library second names, which it cannot give hidden ones.
    visible := -fvisibility=default $(call taken,-fno-semantic-interposition)
    plug_names = -Wl,@$(O)/plug-names
    program_flags = $(plug_names) -Wl,--dynamic-list=src/component/names.list
else
    so := libcgsolve.0.dylib
    so_link := libcgsolve.dylib
    so_name := @rpath/$(so)
    so_flags := -dynamiclib -Wl,-install_name,$(so_name)
    make_local := :
endif
