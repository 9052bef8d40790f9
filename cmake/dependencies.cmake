# SPDX-License-Identifier: Apache-2.0
# What the library and the command need. Tests, benchmarks and fuzzers find their own.

find_package(Threads REQUIRED)
find_package(fmt 9 REQUIRED)
find_package(tl-expected REQUIRED)
find_package(tsl-robin-map REQUIRED)
find_package(ZLIB REQUIRED)
find_package(EXPAT 2.4 REQUIRED)
find_package(simdjson 3 REQUIRED)
find_package(CLI11 2.1 REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(zstd REQUIRED IMPORTED_TARGET libzstd>=1.5)
pkg_check_modules(xxhash REQUIRED IMPORTED_TARGET libxxhash>=0.8)
pkg_check_modules(isal REQUIRED IMPORTED_TARGET libisal>=2.30)
# Headers only, and no package file of its own.
find_path(POLYTRACE_PROTOZERO protozero/pbf_writer.hpp REQUIRED)
