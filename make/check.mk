# The targets that test.

.PHONY: test check check-long check-seeds check-files check-install check-python check-python-gpu check-recipes
.PHONY: check-wheel-aarch64 check-gpu check-no-gpu
.PHONY: sanitize-gpu prove-bitwise golden golden-builds asan tsan tsan-threads

## make check           set up the machine, build, run the tests that take seconds each
## make check-long      the others
check check-long:
	@scripts/setup check
	$(again) $(if $(ONLY),,SUITES=$(if $(filter check-long,$@),long,short)) test

## make test            both without the set-up; ONLY=csr: suites with 'csr' in the name
test: $(if $(filter release,$(VARIANT)),$(program)) suites
	@$(call run_suites,once)

## make check-seeds     every suite with random inputs on N=1000 seeds, on 100 where it takes a second or more;
##                      stopped, it goes on where it was
N ?= 1000
check-seeds:
	@scripts/setup check
	$(again) $(program) suites
	@$(call run_suites,seeds $(N))

## make check-files     that others can read the files: summary.json by its schema, docs/reading-files.md as it
##                      stands there, in Python and R, the page in a browser where there is one; and that the
##                      commands of the README and the pages run; sets up Python, R
check-files:
	@scripts/setup files
	$(again) $(O)/cgsolve
	@CGSOLVE="$(abspath $(O))/cgsolve" $$(scripts/find-python jsonschema pandas) -B -m unittest discover -s tests/files

# In an empty directory, by pkg-config and by CMake.
## make check-install   that another program finds the installed library; sets up cmake
check-install:
	@scripts/setup files
	$(again) build
	+@PKG_CONFIG="$(PKG_CONFIG)" CC="$(CC)" CXX="$(CXX)" scripts/check-install "$(MAKE)"

## make check-python    the Python package: its wheel, installed into build/python, with the system's NumPy and
##                      SciPy; PYPI=1: with the newest of PyPI; PYPI="NAME...": and with these packages alone
check-python:
	@scripts/setup $(if $(PYPI),wheel,python)
	$(again) CUDA=0 build wheel
	@rm -rf build/python
	@$$(scripts/find-python ensurepip $(if $(PYPI),,cffi numpy pandas pytest scipy)) -m venv \
		$(if $(PYPI),,--system-site-packages) build/python
	@build/python/bin/pip install --quiet --disable-pip-version-check \
		$(if $(PYPI),scipy $(PYPI:1=pandas pytest auditwheel torch jax $(recipes)),--no-index --no-deps) \
		build/release/wheel/*.whl
	@CGSOLVE="$(CURDIR)/build/release/cgsolve" build/python/bin/python -B -m unittest discover -s python/tests \
		$(if $(CASES),-p "$(CASES)")

# Not in an environment of its own, which would not see what another one has.
## make check-python-gpu  the Python package on a GPU, with the CuPy, torch and JAX that PYTHON (python3) has
check-python-gpu:
	$(again) CUDA=1 build wheel
	@rm -rf build/python-gpu
	@python=$$(scripts/find-python cffi numpy pip scipy) && $$python -m pip install --quiet \
		--disable-pip-version-check --no-index --no-deps --target build/python-gpu build/release-cuda/wheel/*.whl && \
	CGSOLVE="$(CURDIR)/build/release-cuda/cgsolve" PYTHONPATH="$(CURDIR)/build/python-gpu:$$PYTHONPATH" \
		$$python -B -m unittest discover -s python/tests -p "$(or $(CASES),test_[dgjt]*.py)"

## make check-recipes   that the blocks of docs/python.md run with scikit-fem, PyAMG and scikit-learn of PyPI
recipes := scikit-fem pyamg scikit-learn
check-recipes:
	@$(MAKE) --no-print-directory check-python PYPI="$(recipes)" CASES=test_docs.py

## make check-wheel-aarch64  the wheel for aarch64, by a cross compiler, and tests of it under qemu; sets them up
check-wheel-aarch64:
	@scripts/setup golden-builds
	@scripts/check-wheel-aarch64

## make check-gpu       the suites that need a GPU; without one they say that nothing ran, and why
check-gpu:
	@scripts/setup check
	$(again) test ONLY=cuda

# Of lint's objects, so that device code is compiled once.
## make check-no-gpu    what a build with CUDA says where there is no GPU
check-no-gpu:
	@scripts/setup check
	$(again) VARIANT=lint CUDA=1 test ONLY="main/test_bench main/test_command_line api/test_refused api/test_study"

# racecheck looks at shared memory, initcheck at memory that was never written. cuSPARSE's own kernels
# write to the same shared memory from two threads, which is its affair: racecheck leaves them out.
## make sanitize-gpu    the same suites under compute-sanitizer
COMPUTE_SANITIZER ?= $(or $(wildcard $(cuda_root)/bin/compute-sanitizer),compute-sanitizer)
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
## make prove-bitwise   that the bitwise kernels of ./cgsolve have one residual history on each problem,
##                      and the exact ones one, and products one result; DIR=directory adds its matrices,
##                      RUNS=100 THREADS="1 2 3 7 16" say how often
prove-bitwise:
	@scripts/prove-bitwise $(if $(DIR),"$(DIR)")

## make golden          compare tests/golden with what ./cgsolve makes; ACCEPT=1 replaces what differs
golden: $(O)/cgsolve-twins
	@CGSOLVE_TWINS=$(O)/cgsolve-twins scripts/golden

## make golden-builds   the same by other compilers and flags, and by a cross compiler and qemu; sets them up
golden-builds:
	@scripts/setup golden-builds
	@scripts/golden-builds

## make asan            the tests under the address and undefined-behaviour sanitizers
asan:
	@scripts/setup check
	$(again) VARIANT=asan CUDA=0 test

## make tsan            the tests under the thread sanitizer; tsan-threads: quick ones with threads
tsan:
	@scripts/setup tsan
	$(again) VARIANT=tsan CUDA=0 test

tsan-threads:
	@$(MAKE) --no-print-directory tsan ONLY="$(threaded)"
