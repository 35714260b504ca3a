"""Conan 2 recipe: conan create packaging/conan, from a checkout of the repository."""
import os

from conan import ConanFile
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout
from conan.tools.files import copy


class Tact(ConanFile):
    name = "tact"
    version = "0.1.0"
    license = "MIT"
    description = "Collision detection: where and exactly when things touch"
    topics = ("collision-detection", "ccd", "physics", "geometry")
    settings = "os", "compiler", "build_type", "arch"
    options = {"shared": [True, False], "fPIC": [True, False], "openmp": [True, False]}
    default_options = {"shared": False, "fPIC": True, "openmp": False}
    package_type = "library"

    def export_sources(self):
        root = os.path.join(self.recipe_folder, "..", "..")
        for pattern in ("CMakeLists.txt", "LICENSE", "cmake/*", "include/*", "src/*", "compat/*"):
            copy(self, pattern, root, self.export_sources_folder)

    def requirements(self):
        if self.settings.arch not in ("x86", "x86_64"):
            self.requires("simde/0.8.2", visible=False)

    def layout(self):
        cmake_layout(self)

    def generate(self):
        toolchain = CMakeToolchain(self)
        for name in ("TOOL", "TESTS"):
            toolchain.variables[f"TACT_{name}"] = False
        toolchain.variables["TACT_INSTALL"] = True
        toolchain.variables["TACT_OPENMP"] = bool(self.options.openmp)
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))

    def package_info(self):
        self.cpp_info.set_property("cmake_file_name", "tact")
        solid2 = self.cpp_info.components["tact_solid2"]
        solid2.libs = ["tact_solid2"]
        solid2.requires = ["tact_core"]
        solid2.set_property("cmake_target_name", "tact::solid2")
        core = self.cpp_info.components["tact_core"]
        core.libs = ["tact"]
        core.set_property("cmake_target_name", "tact::tact")
        core.set_property("pkg_config_name", "tact")
        if self.options.shared:
            core.defines = ["TACT_SHARED"]
        if self.settings.os in ("Linux", "FreeBSD"):
            core.system_libs = ["m"]
