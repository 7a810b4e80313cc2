# What only those who change cgsolve call: lint, format, the fuzzers.

.PHONY: lint unused-functions format fuzz fuzz-programs

## make lint            formatting, layers of includes, warnings as errors
lint:
	@scripts/setup lint
	@failed=0; scripts/lint || failed=1; \
	$(MAKE) --no-print-directory $(parallel) -k VARIANT=lint unused-functions || failed=1; \
	if [ $$failed = 0 ]; then echo "lint: clean"; else echo "lint: FAILED"; exit 1; fi

unused-functions: $(if $(WERROR),$(filter-out $(call object,$(test_sources) $(twins_sources)),$(all_objects)),objects)
	@scripts/unused-functions $(call object,$(bench_sources)) $(bench_support) -- \
		$(call object,$(main_source)) $(program_objects) $(library_objects) $(cuda_objects)

## make format          write the sources as clang-format wants them
format:
	@scripts/setup lint
	@find src include tests bench interop -name '*.[ch]' -o -name '*.cpp' -o -name '*.cu' -o -name '*.cuh' | \
		xargs $$(command -v clang-format-14 || echo clang-format) -i

## make fuzz            every fuzzer of tests/fuzz for FUZZ_SECONDS, 10 (make fuzz-programs builds them)
FUZZ_SECONDS ?= 10
fuzzers := $(fuzz_sources:%.c=$(O)/%)
ifeq ($(VARIANT),fuzz)
# With -O1, clang's checks of these unrolled loops compile for a minute.
$(O)/src/spmv/symmetric/blocks/cpu_sym_blocks.o: private c_flags += -O0

fuzz-programs: $(fuzzers)

fuzz: $(fuzzers)
	@SUITES_AT_ONCE=$(SUITES_AT_ONCE) scripts/fuzz $(FUZZ_SECONDS) $(fuzzers)
else
fuzz fuzz-programs:
	@scripts/setup fuzz
	$(again) VARIANT=fuzz CUDA=0 $@
endif

$(fuzzers): private more = -fsanitize=fuzzer
$(fuzzers): $(O)/%: $(O)/%.o $(O)/tests/csr_check.o
