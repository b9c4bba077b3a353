from spack.package import *


class Scree(CMakePackage):
    """Rigid bodies in contact, distributed over MPI: every time step is one large cone-constrained problem for the contact
    impulses, solved in parallel."""

    # Scree has no public place of its own yet: build a checkout by `spack develop --path <checkout> scree@main`.
    homepage = "file:."
    git = "file:."
    license("Apache-2.0")

    version("main", branch="main")

    variant("parmetis", default=True, description="Partition by ParMETIS, which has a licence of its own")
    variant("int64", default=False, description="64-bit indices in PETSc and ParMETIS, for assembled matrices of more than 2^31 rows")
    variant("native", default=True, description="Compile for the processor of the build machine")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.24:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")

    depends_on("mpi@3:")
    depends_on("petsc@3.18:+mpi+hypre+mumps+suite-sparse~complex+double")
    depends_on("petsc+int64", when="+int64")
    depends_on("petsc~int64", when="~int64")
    depends_on("hdf5@1.10:+mpi")
    depends_on("parmetis@4:", when="+parmetis")
    depends_on("metis+int64", when="+parmetis+int64")
    depends_on("bullet3+double")
    depends_on("eigen@3.4:")
    depends_on("yaml-cpp@0.7:")
    depends_on("cli11@2.1:")
    depends_on("fmt@9:")
    depends_on("spdlog@1.10:+fmt_external")
    depends_on("boost@1.74:+test", type="test")
    depends_on("python@3.9:", type="run")
    depends_on("py-numpy", type="run")
    depends_on("py-h5py", type="run")
    depends_on("py-matplotlib", type="run")

    conflicts("%gcc@:11", msg="Scree is C++20")
    conflicts("%clang@:14", msg="Scree is C++20")

    generator("ninja")

    def cmake_args(self):
        return [
            self.define_from_variant("SCREE_WITH_PARMETIS", "parmetis"),
            self.define_from_variant("SCREE_NATIVE", "native"),
            self.define("SCREE_BUILD_TESTS", self.run_tests),
            self.define("CMAKE_C_COMPILER", self.spec["mpi"].mpicc),
            self.define("CMAKE_CXX_COMPILER", self.spec["mpi"].mpicxx),
        ]

    def setup_run_environment(self, env):
        env.set("SCREE_BIN", self.prefix.bin)
        env.set("OPENBLAS_NUM_THREADS", "1")
