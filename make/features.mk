# What is found here of CUDA, MPI, METIS and other libraries. The first lines of a build say it.

#= CUDA=0|1|auto  without, with (an error if there is no toolkit), with where there are a toolkit and a GPU (the default)
#= MPI=0|1|auto   without, with (an error if there is none), as found (the default): for the ranks of mpirun
#= METIS=0|1|auto likewise, for problem.reorder = "metis"
CUDA ?= auto
MPI ?= auto
METIS ?= auto
$(foreach f,CUDA MPI METIS,$(if $(filter-out 0 1 auto,$($f))$(word 2,$($f)),$(error $f=$($f): must be 0, 1 or auto)))

# $(call line_of,NAME,WHAT): the line that says so. With NAME=1 nothing is an error.
line_of = $1: $(or $2,$(if $(filter 1,$($1)),$(error $1=1, but $(no_$1))),$(if $(filter 0,$($1)),off ($1=0)),$(absent))
absent := not found, building without
no_CUDA := there is no nvcc on PATH, in CUDA_HOME or in /usr/local/cuda
no_MPI := pkg-config knows neither ompi-c (Open MPI) nor mpich
no_METIS = $(CC) finds no metis.h, or no libmetis

# ---- CUDA --------------------------------------------------------------------------------------

#= CUDA_ARCH=90   the GPU architectures, such as CUDA_ARCH="80 90"; by default of the GPUs here, or 90
DEVICES ?= /dev
NVCC := $(if $(filter 0,$(CUDA)),,$(firstword $(wildcard $(addsuffix /bin/nvcc,$(CUDA_HOME) $(CUDA_PATH))) \
                                              $(shell command -v nvcc 2>/dev/null) \
                                              $(wildcard /usr/local/cuda/bin/nvcc /opt/cuda/bin/nvcc)))
cuda_root := $(if $(filter 0,$(CUDA)),,$(patsubst %/bin/nvcc,%,$(NVCC)))
ifneq ($(cuda_root),)
    cuda_version := $(shell $(NVCC) --version | sed -n 's/.*release \([0-9.]*\).*/\1/p')
    cuda_known := $(patsubst compute_%,%,$(shell $(NVCC) --list-gpu-arch))
    gpu_archs := $(shell nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | \
                         sed -n 's/^\([0-9]*\)\.\([0-9]\)$$/\1\2/p' | sort -nu)
    gpus := $(or $(gpu_archs),$(wildcard $(DEVICES)/nvidia[0-9]*))
    # CUDA kernels take minutes to compile: without a GPU only who asks for them has them, and lint, which reads all.
    cuda_on := $(if $(filter 1,$(CUDA))$(gpus)$(filter lint,$(VARIANT)),1)
    # The GPUs of this machine, where the toolkit knows them; else sm_90, or the newest that it knows.
    CUDA_ARCH ?= $(or $(filter $(gpu_archs),$(cuda_known)),$(filter 90,$(cuda_known)),$(lastword $(cuda_known)))
    ifneq ($(if $(cuda_known),$(filter-out $(foreach a,$(cuda_known),$a $aa $af),$(CUDA_ARCH))),)
        $(error CUDA_ARCH=$(CUDA_ARCH): nvcc $(cuda_version) knows $(cuda_known))
    endif
    cuda_archs := $(patsubst %,sm_%,$(CUDA_ARCH))
    cuda_found := $(cuda_version) at $(cuda_root), $(if \
                      $(cuda_on),$(cuda_archs),but no GPU is here: building without; CUDA=1 builds with it)
    cuda_lib := $(if $(cuda_on),$(patsubst %/,%,$(firstword $(dir $(wildcard $(foreach place, \
                    lib64 targets/$(shell uname -m)-linux/lib lib lib/*,$(cuda_root)/$(place)/libcudart_static.a))))))
    # lint stops at PTX: what assembles it, a fifth of the time, has nothing to say of the sources.
    cuda_targets := $(if $(filter-out lint,$(VARIANT)), \
                        $(foreach a,$(CUDA_ARCH),-gencode arch=compute_$a,code=sm_$a)) \
                    $(foreach a,$(lastword $(CUDA_ARCH)),-gencode arch=compute_$a,code=compute_$a)
endif

cuda_text := $(call line_of,CUDA,$(cuda_found))

# ---- libraries: by pkg-config, and METIS by the compiler ---------------------------------------

PKG_CONFIG ?= pkg-config
# The libraries of `scripts/setup --local` come first. The command has the variable in it, because $(shell) of GNU
# make before 4.4 does not see what make exports.
local := $(firstword $(wildcard .local/usr/lib/*/pkgconfig))
pkg_config := PKG_CONFIG_PATH='$(if $(local),$(CURDIR)/$(local):)$(PKG_CONFIG_PATH)' $(PKG_CONFIG)
known = $(shell for p in $1; do $(pkg_config) --exists $$p 2>/dev/null && echo $$p; done)
cflags_of = $(shell $(pkg_config) --cflags $1 2>/dev/null)
libs_of = $(shell $(pkg_config) --libs $1 2>/dev/null)

mpi := $(if $(filter 0,$(MPI)),,$(firstword $(call known,ompi-c mpich)))
mpi_found := $(if $(mpi),$(mpi) $(shell $(pkg_config) --modversion $(mpi)))
mpi_cflags := $(if $(mpi),-DCGSOLVE_MPI=1 \
                  $(patsubst -I%,-isystem %,$(shell $(pkg_config) --cflags-only-I $(mpi))))
mpi_libs := $(if $(mpi),$(call libs_of,$(mpi)))
mpi_text := $(call line_of,MPI,$(mpi_found))

metis_try = printf '\043include <metis.h>\n$1\n' | $(CC) $(CFLAGS) $(LDFLAGS) -x c - $2 2>/dev/null
metis_found := $(if $(filter 0,$(METIS)),,$(shell \
                   $(call metis_try,int main(void) { return METIS_Free(0); },-lmetis -o /dev/null) && \
                   $(call metis_try,METIS_VER_MAJOR.METIS_VER_MINOR.METIS_VER_SUBMINOR,-E -P) | \
                   sed -n '$$ { s/ //g; p; }'))
metis_libs := $(if $(metis_found),-lmetis)
metis_text := $(call line_of,METIS,$(metis_found))

library_cflags := $(call cflags_of,zlib)
library_libs := $(call libs_of,zlib)
config_cflags := $(call cflags_of,libconfig jansson)
config_libs := $(call libs_of,libconfig jansson)
check_cflags := $(call cflags_of,check)
check_libs := $(call libs_of,check)
# The tests alone: eigenvalues to compare with. OpenBLAS brings LAPACK too.
lapack := $(firstword $(call known,lapack openblas))
lapack_libs := $(if $(lapack),$(call libs_of,$(lapack)))
