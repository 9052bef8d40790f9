# SPDX-License-Identifier: Apache-2.0
# cmake --install <build> --prefix P: the command with its page, agents, manual and examples
# (component runtime), the collector and the questions to a store (component fleet), the library
# with its headers and its CMake package (component dev), the licence (component licence: Debian has
# it once for all packages); the C library (component clib), its header and its pkg-config file are
# of dev, too. What is installed is what the target
# "product" makes. The Python package is installed only where it is asked for by name, as Debian has
# such (component python): others have pip.

include(CMakePackageConfigHelpers)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/polytrace")
set(include_dir "${CMAKE_INSTALL_INCLUDEDIR}/polytrace")
set(POLYTRACE_ROOMS base event format history transform slice store analysis sql exports agent
    service)

add_custom_target(product)
foreach(room IN LISTS POLYTRACE_ROOMS)
  add_dependencies(product polytrace_${room})
endforeach()
add_dependencies(product polytrace polytrace_agents)

install(TARGETS polytrace RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT runtime)
if(POLYTRACE_UI)
  add_dependencies(product polytrace-ui)
  install(TARGETS polytrace-ui RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT runtime)
endif()
if(POLYTRACE_FLEET)
  add_dependencies(product polytrace-fleet)
  install(TARGETS polytrace-fleet RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT fleet)
endif()
install(FILES "${CMAKE_SOURCE_DIR}/LICENSE"
        DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT licence)
include(companions)

foreach(room IN LISTS POLYTRACE_ROOMS)
  install(TARGETS polytrace_${room} EXPORT polytrace
    ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT dev
    FILE_SET headers DESTINATION "${include_dir}" COMPONENT dev
    FILE_SET lone_headers DESTINATION "${include_dir}" COMPONENT dev
    FILE_SET tables DESTINATION "${include_dir}" COMPONENT dev
    INCLUDES DESTINATION "${include_dir}")
endforeach()
install(TARGETS polytrace_library EXPORT polytrace)
install(EXPORT polytrace NAMESPACE polytrace:: FILE polytraceTargets.cmake
        DESTINATION "${package_dir}" COMPONENT dev)

if(TARGET polytrace_c)
  add_dependencies(product polytrace_c)
  install(TARGETS polytrace_c LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT clib
          NAMELINK_COMPONENT dev)
  install(FILES src/capi/polytrace.h DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT dev)
  # Wherever the folder is that all of it was put in. Where those look who compile for others, too.
  set(pkgconfig_dir "${CMAKE_INSTALL_DATADIR}/pkgconfig")
  file(RELATIVE_PATH lib_from_pc "/${pkgconfig_dir}" "/${CMAKE_INSTALL_LIBDIR}")
  file(RELATIVE_PATH include_from_pc "/${pkgconfig_dir}" "/${CMAKE_INSTALL_INCLUDEDIR}")
  configure_file(cmake/polytrace.pc.in "${CMAKE_BINARY_DIR}/polytrace.pc" @ONLY)
  install(FILES "${CMAKE_BINARY_DIR}/polytrace.pc"
          DESTINATION "${pkgconfig_dir}" COMPONENT dev)
  set(modules_dir lib/python3/dist-packages)
  configure_file(cmake/package/METADATA.in "${CMAKE_BINARY_DIR}/METADATA" @ONLY)
  install(DIRECTORY python/polytrace DESTINATION "${modules_dir}" COMPONENT python EXCLUDE_FROM_ALL
          FILES_MATCHING PATTERN "*.py" PATTERN py.typed PATTERN __pycache__ EXCLUDE)
  install(FILES "${CMAKE_BINARY_DIR}/METADATA" COMPONENT python EXCLUDE_FROM_ALL
          DESTINATION "${modules_dir}/polytrace-${PROJECT_VERSION}.dist-info")
endif()

configure_package_config_file("${CMAKE_SOURCE_DIR}/cmake/polytraceConfig.cmake.in"
  "${CMAKE_BINARY_DIR}/polytraceConfig.cmake" INSTALL_DESTINATION "${package_dir}")
write_basic_package_version_file("${CMAKE_BINARY_DIR}/polytraceConfigVersion.cmake"
  COMPATIBILITY SameMajorVersion)
install(FILES "${CMAKE_BINARY_DIR}/polytraceConfig.cmake"
              "${CMAKE_BINARY_DIR}/polytraceConfigVersion.cmake"
        DESTINATION "${package_dir}" COMPONENT dev)
include(packages)
