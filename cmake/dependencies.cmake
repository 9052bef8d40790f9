# SPDX-License-Identifier: Apache-2.0
# What the library and the command need. Tests, benchmarks and fuzzers ask for their own, each with
# polytrace_needs.

# polytrace_needs(<what for> <package> <Debian's name> [<version>]): finds it, or stops with a
# sentence that says how to go on.
macro(polytrace_needs purpose package debian)
  find_package(${package} ${ARGN} QUIET)
  if(NOT ${package}_FOUND)
    message(FATAL_ERROR "${purpose} need ${package} (Debian: apt-get install ${debian}). "
                        "The program alone is built without: ./dev build")
  endif()
endmacro()

find_package(Threads REQUIRED)
find_package(fmt 9 REQUIRED)
find_package(tl-expected REQUIRED)
find_package(tsl-robin-map REQUIRED)
find_package(ZLIB REQUIRED)
find_package(EXPAT 2.4 REQUIRED)
find_package(simdjson 3 REQUIRED)
find_package(CLI11 2.1 REQUIRED)
find_package(SQLite3 3.40 REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(zstd REQUIRED IMPORTED_TARGET libzstd>=1.5)
pkg_check_modules(xxhash REQUIRED IMPORTED_TARGET libxxhash>=0.8)
pkg_check_modules(isal REQUIRED IMPORTED_TARGET libisal>=2.30)
pkg_check_modules(archive REQUIRED IMPORTED_TARGET libarchive>=3.6)
# Lines with history and completion (libedit).
find_path(POLYTRACE_EDIT_HEADER editline/readline.h REQUIRED)
find_library(POLYTRACE_EDIT edit REQUIRED)
# Headers only, and no package file of its own.
find_path(POLYTRACE_PROTOZERO protozero/pbf_writer.hpp REQUIRED)

if(POLYTRACE_UI OR POLYTRACE_FLEET)
  # Its headers: the library is found when a program needs it.
  find_path(POLYTRACE_CURL curl/curl.h REQUIRED)
  # TLS of what they listen on.
  find_package(OpenSSL 3 REQUIRED)
  # Headers only, of http alone.
  find_package(Boost 1.81 REQUIRED)
endif()
if(POLYTRACE_FLEET)
  find_path(POLYTRACE_TOML toml++/toml.h REQUIRED)
  # NATS JetStream between edges and hubs. Without it the collector refuses [bus].
  pkg_check_modules(nats IMPORTED_TARGET libnats>=3.4)
endif()
