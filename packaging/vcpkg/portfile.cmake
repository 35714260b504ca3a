# An overlay port: vcpkg install tact --overlay-ports=PATH/packaging/vcpkg, from a checkout of the repository. For the
# registry of vcpkg, replace the next line by vcpkg_from_git with the commit of a release.
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)

vcpkg_check_features(OUT_FEATURE_OPTIONS options FEATURES tool TACT_TOOL)
vcpkg_cmake_configure(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS ${options} -DTACT_TESTS=OFF -DTACT_INSTALL=ON -DTACT_ASSIMP=OFF -DTACT_CAD=OFF -DTACT_EXPAT=OFF -DTACT_SERVER=OFF)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(PACKAGE_NAME tact CONFIG_PATH lib/cmake/tact)
vcpkg_fixup_pkgconfig()
if("tool" IN_LIST FEATURES)
  vcpkg_copy_tools(TOOL_NAMES tact AUTO_CLEAN)
endif()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
