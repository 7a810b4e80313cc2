# For a repository of packages of your own (`spack repo create`), as its packages/cgsolve/package.py. A release has no
# address yet: `spack develop --path` or `spack dev-build`, in a clone, takes the sources from there.
from spack_repo.builtin.build_systems.cuda import CudaPackage
from spack_repo.builtin.build_systems.makefile import MakefilePackage

from spack.package import *


class Cgsolve(MakefilePackage, CudaPackage):
    """Solves a sparse symmetric system several times, by conjugate gradients, MINRES or Lanczos, and compares the
    runs bit by bit; a library whose results have the same bits on every run."""

    license("MIT")

    version("0.1.0")

    variant("metis", default=True, description="Numberings by METIS")
    variant("mpi", default=False, description="The program on several ranks")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("jansson")
    depends_on("libconfig")
    depends_on("zlib-api")
    depends_on("metis@5:", when="+metis")
    depends_on("mpi", when="+mpi")
    depends_on("check", type="test")
    depends_on("lapack", type="test")

    def variables(self):
        chosen = [f"{name.upper()}={int(self.spec.satisfies('+' + name))}" for name in ("cuda", "metis", "mpi")]
        if self.spec.satisfies("+cuda") and not self.spec.satisfies("cuda_arch=none"):
            chosen.append("CUDA_ARCH=" + " ".join(self.spec.variants["cuda_arch"].value))
        return [f"PREFIX={self.prefix}", *chosen]

    @property
    def build_targets(self):
        return self.variables()

    @property
    def install_targets(self):
        return ["install", *self.variables()]

    # `make check` of this project installs what it needs.
    def check(self):
        make("test", "ONLY=golden/test_golden", *self.variables())
