# Measurements: the programs of bench/, those of other libraries, and the data of docs/results/.

.PHONY: bench-programs bench-peers

## make bench-programs  the programs of bench/, in build/release/bench or release-cuda/bench
benches := $(addprefix $(O)/,$(basename $(bench_sources)))
bench-programs: $(benches)
$(benches): $(bench_support)
$(foreach s,$(bench_sources),$(eval $(O)/$(basename $s): $(call object,$s)))
$(O)/bench/%.o: private more += -I.

## make bench-article, bench-article-error, bench-article-cg
##                      the data docs/results/data/article-*, into ARTICLE=results/article
## make bench-bitwise, bench-bitwise-cg, bench-bitwise-largest, bench-bitwise-prove
##                      what bitwise reproducible products cost, into BITWISE=results/bitwise
# bench-SCRIPT-STAGE: that stage of bench/SCRIPT.sh; without one, its stage `time`.
ARTICLE ?= results/article
BITWISE ?= results/bitwise
article := bench-article bench-article-error bench-article-cg
bitwise := bench-bitwise bench-bitwise-cg bench-bitwise-largest bench-bitwise-prove
bench-article-cg: more_stages := solves
.PHONY: $(article) $(bitwise)
$(article) $(bitwise):
	@scripts/setup run
	$(again) CUDA=1 build bench-programs
	bench/$(word 2,$(subst -, ,$@)).sh $(if $(filter $@,$(article)),$(ARTICLE),$(BITWISE)) \
		$(or $(word 3,$(subst -, ,$@)),time) $(more_stages)

# ---- other libraries, for bench/products.sh ----------------------------------------------------
# Each program is built if its library is there. Asked for only when it is wanted: nothing else needs them.

packages_petsc := petsc mpi-c
packages_librsb := librsb
packages_eigen := eigen3
packages_mkl := mkl-static-lp64-gomp
peer_sources := $(sort $(wildcard bench/peers/*.c bench/peers/*.cpp))
peer_objects := $(call object,$(peer_sources))
peers := $(basename $(notdir $(peer_sources)))
peer_programs := $(addprefix $(O)/,$(basename $(peer_sources)))
ifneq ($(filter bench-peers,$(MAKECMDGOALS)),)
    peers_here := $(foreach p,$(peers),$(if $(shell $(pkg_config) --exists $(packages_$p) && echo 1),$p))
    peer_cflags = $(patsubst -I%,-isystem %,$(filter-out -I/usr/include -I/usr/include/, \
                      $(call cflags_of,$(packages_$(firstword $(subst ., ,$1))))))
endif

## make bench-peers     the same, and the programs of bench/peers whose libraries are installed
bench-peers: bench-programs $(peers_here:%=$(O)/bench/peers/%)
	@for p in $(filter-out $(peers_here),$(peers)); do echo "bench-peers: without $$p (see docs/building.md)"; done

# A library that is a header is compiled as its users are told to: for this machine, without checks.
$(O)/bench/peers/%.o: private more += $(call peer_cflags,$(notdir $*))
$(O)/bench/peers/eigen.cpp.o: private more += -march=native -DNDEBUG -ffp-contract=fast -fopenmp
$(foreach s,$(peer_sources),$(eval $(O)/$(basename $s): $(call object,$s)))
$(peer_programs): private more = $(call libs_of,$(packages_$(@F)))
$(O)/bench/peers/eigen: private more += -fopenmp
$(peer_programs): $(bench_support)
