from spack.package import *


class Bullet3(CMakePackage):
    """Collision detection of Bullet. Scree needs it in double precision."""

    homepage = "https://pybullet.org"
    git = "https://github.com/bulletphysics/bullet3.git"
    license("Zlib")

    version("3.25", tag="3.25")
    version("3.24", tag="3.24")

    variant("double", default=True, description="Double precision")
    variant("shared", default=True, description="Shared libraries")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.5:", type="build")

    def cmake_args(self):
        return [
            self.define_from_variant("USE_DOUBLE_PRECISION", "double"),
            self.define_from_variant("BUILD_SHARED_LIBS", "shared"),
            *(self.define(name, False) for name in (
                "BUILD_BULLET2_DEMOS", "BUILD_CPU_DEMOS", "BUILD_OPENGL3_DEMOS", "BUILD_EXTRAS", "BUILD_UNIT_TESTS",
                "BUILD_PYBULLET", "USE_GRAPHICAL_BENCHMARK", "ENABLE_VHACD")),
            self.define("INSTALL_LIBS", True),
        ]
