# The CUDA part, libcgsolve_cuda.so: src/base/cuda_part.h. The program and the library load it.

# The version of all that the two sides of the part share: a part of other headers is not taken.
part_version := $(VERSION)-$(if $(builds),$(firstword $(shell cat $(call sources,h) include/cgsolve/*.h | cksum)))
$(O)/src/base/cuda_part.o $(part_object): private more += -DCUDA_PART_VERSION='"$(part_version)"'
$(part_object): private more += -DCGSOLVE_CUDA_BUILD='"$(cuda_version), $(cuda_archs)"'
$(O)/src/base/cuda_part.o $(part_object): $(O)/part-version

# It has copies of the functions of the library that its files call, but for those with a state: part.c has them of the
# host, and others it must not call. scripts/part-state looks whether that is all.
with_state := $(addprefix $(O)/src/,api/%.o base/cuda_part.o base/memory.o base/processors.o base/threads.o \
                                    component/%.o spmv/registry.o)
$(O)/stateless.a: $(library_objects)
	$(Q)rm -f $@ && $(AR) qcsT $@ $(filter-out $(with_state),$^)

$(O)/libcgsolve_cuda.so: private more :=
# In a wheel it takes the libraries of NVIDIA's wheels, which lie beside the package.
in_wheels := cu$(basename $(cuda_version)) cublas cusparse nvjitlink
$(O)/wheel/libcgsolve_cuda.so: private more := -s -Wl,--disable-new-dtags \
                                               $(in_wheels:%='-Wl,-rpath,$$ORIGIN/../nvidia/%/lib')
$(O)/libcgsolve_cuda.so $(O)/wheel/libcgsolve_cuda.so: $(cuda_objects) $(part_object) $(O)/stateless.a src/part/part.map
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(CXX) -shared -Wl,-soname,$(@F),--no-undefined,--version-script,src/part/part.map,--trace \
	    $(filter %.o %.a,$^) $(guards) $(link_flags) $(more) $(cuda_libs) -o $@ >$(O)/part-files
	$(Q)scripts/part-state $(O)/part-files || { rm -f $@; exit 1; }
