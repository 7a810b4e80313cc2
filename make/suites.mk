# The suites of tests/: which there are, how they are built and run. scripts/run-suites runs as many at a time as there
# are processors. make/check.mk has the targets.

.PHONY: suites need-check

# ---- which suites ------------------------------------------------------------------------------

suites := $(test_sources:%.c=$(O)/%)
# Those of make check-long, the longest first: whole programs over and over, builds, and what holds for every size.
long := main/test_ranks solver/test_ranks main/test_recordings precondition/multigrid/test_distribute \
        spmv/test_schedules main/test_memory main/test_interrupt spmv/test_sym_order problem/test_stand_in \
        main/test_install main/test_ordinary_user main/test_new_kernel main/test_prove_bitwise \
        precondition/test_long_rows
# Those with threads, of every layer, that are quick under the thread sanitizer: make tsan-threads.
threaded := api/ base/test_threads io/market/test_large io/market/test_part io/test_same_file matrix/ \
            precondition/multigrid/test_coarse precondition/multigrid/test_grid \
            precondition/multigrid/test_hierarchy precondition/multigrid/test_matching \
            precondition/multigrid/test_rescale precondition/test_blocks precondition/test_passes \
            problem/test_convection3d problem/test_elasticity3d problem/test_feature_graph \
            problem/test_fe_mesh_random \
            problem/test_lattices problem/test_layers problem/test_network problem/test_poisson3d \
            problem/test_rhs problem/test_tied solver/test_cg_trace solver/test_lanczos_basis \
            solver/test_minres_ends solver/test_basis_products solver/test_residual space/test_cpu_exact \
            space/test_cpu_sum space/test_partition space/test_rank_vector spmv/test_exact \
            spmv/test_precision spmv/test_row_parts spmv/test_sddmm spmv/test_sym_blocks \
            spmv/test_value_dictionary spmv/test_transpose_index study/test_product_reference \
            study/test_product_samples study/test_study
SUITES ?= all
suites_long := $(filter $(suites),$(long:%=$(O)/tests/%))
suites_short := $(filter-out $(suites_long),$(suites))
suites_all := $(suites_long) $(suites_short)
# Of the short ones those of the layers, and two that run whole programs.
suites_layers := $(filter-out $(O)/tests/main/% $(O)/tests/golden/% $(O)/tests/precondition/multigrid/test_counts, \
                     $(suites_short)) $(filter $(O)/tests/main/test_cgsolve $(O)/tests/main/test_solve,$(suites_short))
$(if $(filter all long short layers,$(SUITES)),,$(error SUITES=$(SUITES): must be all, long, short or layers))
has = $(strip $(foreach o,$(ONLY),$(findstring $o,$(1:$(O)/%=%))))
chosen := $(if $(ONLY),$(foreach s,$(suites_all),$(if $(call has,$s),$s)),$(suites_$(SUITES)))

# ---- how they are built ------------------------------------------------------------------------

# What a suite may call: the programs.
suites: $(chosen) $(O)/cgsolve $(part) $(if $(twins_sources),$(O)/cgsolve-twins)

lacks_check := $(strip $(if $(check_libs),,check) $(if $(lapack),,lapack))
need-check:
ifneq ($(lacks_check),)
	@echo 'make: no pkg-config entry for: $(lacks_check). Call scripts/setup check, or make check.' >&2; exit 1
endif

# The chosen suites are one program, and a suite is a hard link to it: the name says which one runs. 260 programs would
# hold the library and CUDA's libraries 260 times, in 25 GB.
suite_function = suite_$(subst /,_,$1)
$(O)/suites.inc: private text = $(foreach s,$(chosen:$(O)/tests/%=%),SUITE($(call suite_function,$s)$(comma) "$s"))
$(O)/tests/%.o: private c_flags += $(light_flags) $(check_cflags)
$(O)/tests/%.o: private more += -Itests -I.
$(call object,$(test_sources)): private more += -Dsuite=$(call suite_function,$(@:$(O)/tests/%.o=%))
$(O)/tests/suites.o: private more += -I$(O)
$(O)/tests/suites.o: $(O)/suites.inc
$(call object,$(test_sources) $(twins_sources) $(support_sources)): $(O)/flags-check | need-check

$(O)/tests/suites: private more = $(check_libs) $(lapack_libs)
$(O)/tests/suites: $(chosen:%=%.o) $(support_objects)
$(suites): $(O)/tests/suites
	$(Q)ln -f $< $@

# The twins are a CUDA part, in the place of the one of CUDA.
twins := $(twins_sources) $(filter $(addprefix tests/spmv/,%twin.c %twins.c rounded.c),$(support_sources))
$(O)/cgsolve-twins: $(call object,$(main_source) $(twins)) $(program_objects) \
                    $(library_objects)

# ---- how they are run --------------------------------------------------------------------------

SUITES_AT_ONCE ?= $(JOBS)
gpu_tool :=
may_fail := allocator_may_return_null=1
suite_environment := CGSOLVE="$(abspath $(O))/cgsolve" CGSOLVE_BUILD="$(abspath $(O))" \
                     SUITES_AT_ONCE=$(SUITES_AT_ONCE) \
                     REPEAT="make test$(if $(filter-out release,$(VARIANT)), VARIANT=$(VARIANT))$(if \
                             $(filter-out auto,$(CUDA)), CUDA=$(CUDA))" \
                     AS_BUILT="CUDA=$(if $(cuda_on),1 CUDA_ARCH='$(CUDA_ARCH)',0)" \
                     GPU_TOOL="$(gpu_tool)"
ifeq ($(VARIANT),asan)
    # One process a suite: at the end of each one the leak checker reads the static data of all suites, 200 MB.
    suite_environment += CGSOLVE_TEST_SLOW=1 CK_FORK=no GOLDEN_THREADS=$${GOLDEN_THREADS:-3} \
        ASAN_OPTIONS=detect_leaks=1:$(may_fail):$$ASAN_OPTIONS \
        UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1:$$UBSAN_OPTIONS
else ifeq ($(VARIANT),tsan)
    # Old runtimes of the thread sanitizer do not start where the kernel spreads addresses widely.
    suite_environment += CGSOLVE_TEST_SLOW=1 CK_TIMEOUT_MULTIPLIER=20 \
        $(if $(shell setarch $$(uname -m) -R true 2>/dev/null && echo 1),SUITE_PREFIX="setarch $$(uname -m) -R") \
        TSAN_OPTIONS=halt_on_error=1:ignore_noninstrumented_modules=1:die_after_fork=0:$(may_fail):$$TSAN_OPTIONS
endif
run_suites = export $(suite_environment); scripts/run-suites $1 $(chosen)
