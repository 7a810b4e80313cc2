# Files made from the templates in share/: manual pages, completions, and what pkg-config and CMake ask for.

# The C++ library of this compiler.
libcxx = $(shell printf '\043include <cstddef>\n' | $(CXX) -dM -E -x c++ - | grep _LIBCPP_VERSION)
cxx_library = -l$(if $(libcxx),c++,stdc++)

# What those who link to the library are told. Paths below PREFIX are relative, so that all can be moved.
$(patsubst %,$(O)/share/%,cgsolve.pc cgsolveConfig.cmake cgsolveConfigVersion.cmake): \
        $(O)/share/%: share/%.in $(O)/flags $(O)/flags-install
	@mkdir -p $(@D)
	$(Q)lib="$(LIBDIR)" include="$(INCLUDEDIR)" prefix="$(PREFIX)"; \
	case $$lib in "$(PREFIX)"/*) \
		prefix=@LIBDIR@$$(printf '%s\n' "$${lib#"$(PREFIX)"}" | sed 's|//*[^/][^/]*|/..|g') ;; esac; \
	case $$include in "$(PREFIX)"/*) include=$$prefix$${include#"$(PREFIX)"} ;; esac; \
	sed "s|@VERSION@|$(VERSION)|; s|@LIBS@|$(link_flags) $(link_libs) $(cxx_library)|; s|@PREFIX@|$$prefix|; \
		s|@INCLUDEDIR@|$$include|; s|@SO@|$(so)|; s|@SONAME@|$(so_name)|; \
		s|@LIBDIR@|\$${$(if $(filter %.pc,$@),,_cgsolve_)libdir}|" $< > $@

# The declarations of the headers, comments left out.
public_headers := $(sort $(wildcard include/cgsolve/*.h))
$(O)/share/libcgsolve.3: share/libcgsolve.3.in $(public_headers) $(O)/flags
	@mkdir -p $(@D)
	$(Q)awk 'FILENAME ~ /[.]h$$/ { sub(/ *\/\*.*/, ""); if (sub(/^CGS_API /, "")) on = 1; sub(/^        /, ""); \
	                              if (on) text[FILENAME] = text[FILENAME] $$0 "\n"; if (/;/) on = 0; next } \
	         /^@PROTOTYPES/ { printf "%s", text[$$2]; next } { sub(/@VERSION@/, "$(VERSION)"); print }' \
		$(public_headers) $< > $@

# What is generated from the program's own help.
$(O)/share/%: share/%.in scripts/pages $(O)/cgsolve
	@mkdir -p $(@D)
	$(call say,PAGE,$@)
	$(Q)scripts/pages $(O)/cgsolve $< > $@
