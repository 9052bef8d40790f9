# SPDX-License-Identifier: Apache-2.0
# libpolytrace.so.1: the room capi and all below it as one library, of which nothing is seen but
# what polytrace.h declares.

polytrace_room(capi COLD DEPENDS polytrace_service)
target_compile_definitions(polytrace_capi PRIVATE POLYTRACE_VERSION="${PROJECT_VERSION}")

# With sanitizers it is linked into its tests.
if(NOT POLYTRACE_SANITIZE)
  set(map "${CMAKE_SOURCE_DIR}/src/capi/polytrace.map")
  add_library(polytrace_c SHARED src/capi/polytrace.h)
  set_target_properties(polytrace_c PROPERTIES OUTPUT_NAME polytrace LINKER_LANGUAGE CXX
    VERSION 1.0 SOVERSION 1 LINK_DEPENDS "${map}" LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}")
  target_link_libraries(polytrace_c PRIVATE "$<LINK_LIBRARY:WHOLE_ARCHIVE,polytrace_capi>")
  target_link_options(polytrace_c PRIVATE "-Wl,--version-script=${map}" -Wl,-z,defs)
  target_include_directories(polytrace_c INTERFACE
    "$<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/src/capi>")
endif()
