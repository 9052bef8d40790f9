# SPDX-License-Identifier: Apache-2.0
# Debian packages of what is installed: `./dev package` runs cpack. polytrace is the component
# runtime, polytrace-fleet the component fleet, libpolytrace1 the component clib, libpolytrace-dev
# the component dev, python3-polytrace the component python.

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME polytrace)
set(CPACK_PACKAGE_CONTACT "${POLYTRACE_MAINTAINER}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")  # would stand before each package's own
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_COMPONENTS_ALL runtime dev)
if(POLYTRACE_FLEET)
  list(APPEND CPACK_COMPONENTS_ALL fleet)
endif()
if(TARGET polytrace_c)
  list(APPEND CPACK_COMPONENTS_ALL clib python)
endif()
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_STRIP_FILES ON)
# Only programs and shared libraries are stripped by that.
set(CPACK_PRE_BUILD_SCRIPTS "${CMAKE_SOURCE_DIR}/cmake/package/strip_archives.cmake")
# umask of whoever builds must not show.
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE
    GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)  # lintian of Debian 12 knows no other

set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME polytrace)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_RECOMMENDS "libcurl4 (>= 7.88)")  # loaded when it is needed
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SUGGESTS
    "default-jdk-headless, mono-runtime, libpolytrace-dev, polytrace-fleet")
set(CPACK_DEBIAN_RUNTIME_DESCRIPTION
"${PROJECT_DESCRIPTION}
Records Java, Mono and .NET programs, reads and writes the traces of their
profilers, and tells where time, memory and pauses went. Holds the command,
its page for a browser, its agents for the three runtimes, manual pages and
examples.")

set(CPACK_DEBIAN_FLEET_PACKAGE_NAME polytrace-fleet)
set(CPACK_DEBIAN_FLEET_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_FLEET_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_FLEET_PACKAGE_DEPENDS "polytrace (>= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_FLEET_PACKAGE_RECOMMENDS "libcurl4 (>= 7.88)")
set(CPACK_DEBIAN_FLEET_DESCRIPTION
"Profiles of many processes in one store (collector and questions)
Collects what the agents of polytrace record in many processes, adds it up in a
store (ClickHouse), and tells which services, versions and hosts are slow.")

set(CPACK_DEBIAN_CLIB_PACKAGE_NAME libpolytrace1)
set(CPACK_DEBIAN_CLIB_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_CLIB_PACKAGE_SHLIBDEPS ON)
# What loads shared libraries is told that there is one more, and who links it what to depend on.
set(CPACK_DEBIAN_CLIB_PACKAGE_CONTROL_EXTRA "${CMAKE_SOURCE_DIR}/cmake/package/triggers"
    "${CMAKE_SOURCE_DIR}/cmake/package/shlibs")
set(CPACK_DEBIAN_CLIB_DESCRIPTION
"Library that reads and explains profiler traces (C interface)
Opens traces of Java, Mono and .NET profilers and answers questions in SQL, in
columns or as Arrow streams.")

set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-polytrace)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
set(CPACK_DEBIAN_PYTHON_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS
    "python3 (>= 3.9), libpolytrace1 (>= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_PYTHON_PACKAGE_SUGGESTS "python3-numpy, python3-pandas")
# What the interpreter makes of the modules is made, and goes, with them.
set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA "${CMAKE_SOURCE_DIR}/cmake/package/python/postinst"
    "${CMAKE_SOURCE_DIR}/cmake/package/python/prerm")
set(CPACK_DEBIAN_PYTHON_DESCRIPTION
"Library that reads and explains profiler traces (Python 3)
Asks traces of Java, Mono and .NET profilers in SQL: rows, or columns for
NumPy, pandas, polars and whatever else takes Arrow streams.")

# What polytraceConfig.cmake looks for.
set(CPACK_DEBIAN_DEV_PACKAGE_NAME libpolytrace-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
string(JOIN ", " CPACK_DEBIAN_DEV_PACKAGE_DEPENDS libfmt-dev libexpected-dev robin-map-dev
  libxxhash-dev libzstd-dev zlib1g-dev libexpat1-dev libsimdjson-dev libisal-dev
  libarchive-dev libsqlite3-dev pkgconf)
if(TARGET polytrace_c)
  string(APPEND CPACK_DEBIAN_DEV_PACKAGE_DEPENDS ", libpolytrace1 (>= ${PROJECT_VERSION})")
endif()
set(CPACK_DEBIAN_DEV_PACKAGE_SUGGESTS cmake)
set(CPACK_DEBIAN_DEV_DESCRIPTION
"Library that reads and writes profiler traces (development files)
Headers, static libraries and the CMake package of polytrace: readers and
writers of the traces of Java, Mono and .NET profilers, analyses and exports.")

include(CPack)
