# What `make install` installs, the wheel, and Debian's packages.

.PHONY: install install-lib uninstall wheel need-python deb

STRIP ?= strip
PREFIX ?= /usr/local
BINDIR ?= $(PREFIX)/bin
LIBDIR ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include
DATADIR ?= $(PREFIX)/share
MANDIR ?= $(DATADIR)/man
DOCDIR ?= $(DATADIR)/doc/cgsolve
directories := BINDIR LIBDIR INCLUDEDIR DATADIR MANDIR DOCDIR
ifneq ($(filter install install-lib uninstall,$(MAKECMDGOALS)),)
    $(foreach d,$(directories),$(if $(filter /%,$(firstword $($d))),,$(error $d=$($d): must begin with /)))
endif

# Files that `make install` installs, and `make uninstall` removes: FROM:TO, where TO begins with one of these names.
installed_lib := $(O)/libcgsolve.a:LIBDIR/libcgsolve.a \
                 $(O)/$(so):LIBDIR/$(so) \
                 $(O)/$(so_link):LIBDIR/$(so_link) \
                 $(if $(part),$(part):LIBDIR/$(notdir $(part))) \
                 $(O)/share/cgsolve.pc:LIBDIR/pkgconfig/cgsolve.pc \
                 $(O)/share/cgsolveConfig.cmake:LIBDIR/cmake/cgsolve/cgsolveConfig.cmake \
                 $(O)/share/cgsolveConfigVersion.cmake:LIBDIR/cmake/cgsolve/cgsolveConfigVersion.cmake \
                 $(foreach f,$(public_headers),$f:INCLUDEDIR/$(f:include/%=%)) \
                 $(O)/share/libcgsolve.3:MANDIR/man3/libcgsolve.3 \
                 LICENSE:DOCDIR/LICENSE
documents := $(filter-out %.gp,$(wildcard CHANGELOG.md CITATION.cff README.md docs/*.* docs/*/*.* docs/*/*/*.* \
                                          configs/*.cfg problems/plate.mtx.gz))
installed := $(installed_lib) \
             $(O)/cgsolve:BINDIR/cgsolve \
             $(O)/share/cgsolve.1:MANDIR/man1/cgsolve.1 \
             $(O)/share/cgsolve.cfg.5:MANDIR/man5/cgsolve.cfg.5 \
             $(O)/share/cgsolve.bash:DATADIR/bash-completion/completions/cgsolve \
             $(O)/share/_cgsolve:DATADIR/zsh/site-functions/_cgsolve \
             $(foreach f,$(documents),$f:DOCDIR/$f)

# The loader of this system learns what libraries there are, where that may be told.
tell_loader = [ -n "$(DESTDIR)" ] || [ "$$(id -u)" != 0 ] || PATH="$$PATH:/usr/sbin:/sbin" ldconfig 2>/dev/null || :

# For the shell: `from` and `to` of $f.
define from_to
from=$${f%%:*}; to=$${f#*:}; \
		case $$to in $(foreach d,$(directories),($d/*) to="$(DESTDIR)$($d)/$${to#*/}" ;;) esac
endef

## make install         the program, its library, manual pages, completions for bash and zsh, documentation,
##                      below PREFIX=/usr/local, in DESTDIR; make uninstall removes them; LIBDIR=/usr/local/lib and
##                      BINDIR, INCLUDEDIR, DATADIR, MANDIR, DOCDIR likewise; STRIP=true keeps debug information
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

# ---- the Python package ------------------------------------------------------------------------

need-python:
	@scripts/find-python >/dev/null || { echo 'make: no python3 here. Call scripts/setup wheel.' >&2; exit 1; }

## make wheel           the Python package, build/release/wheel/cgsolve-*.whl, without the CUDA part;
##                      CUDA=1: with it, build/release-cuda/wheel/cgsolve-*.whl
ifeq ($(if $(cuda_on),$(CUDA)),auto)
wheel:
	$(again) CUDA=0 wheel
else
part_in_wheel := $(part:$(O)/%=$(O)/wheel/%)
wheel: need-python $(O)/wheel/$(so) $(part_in_wheel)
	@rm -f $(O)/wheel/*.whl
	@$$(scripts/find-python) python/cgsolve_build.py $(O)/wheel/$(so) "$(or $(WHEELS),$(O)/wheel)" \
		$(part_in_wheel)
endif

# ---- Debian's packages -------------------------------------------------------------------------

# As one would upload them: the sources are the files that git knows, as they are now.
## make deb             Debian's packages, into build/deb, by packaging/debian
debian_source := build/deb/cgsolve-$(VERSION)
debian_tar := build/deb/cgsolve_$(VERSION).orig.tar.gz
deb:
	@rm -rf build/deb && mkdir -p build/deb
	@git ls-files >build/deb/files
	@tar -czf $(debian_tar) --transform 's|^|cgsolve-$(VERSION)/|' -T build/deb/files
	@tar -C build/deb -xzf $(debian_tar) && cp -R packaging/debian $(debian_source)
	cd $(debian_source) && env -u MAKEFLAGS dpkg-buildpackage -us -uc
