# SPDX-License-Identifier: Apache-2.0
# Agents: shared libraries that other programs load. They bring their own C++ library, export their
# entry points only, use nothing but libc, and are never unloaded.

set(POLYTRACE_AGENT_OPTIONS -fno-exceptions -fno-rtti -fvisibility=hidden
    -fvisibility-inlines-hidden -ftls-model=initial-exec)

# The room that agents share; also in the tests, and in the command, which reads what it leaves.
polytrace_room(agent FOLDERS agent/common agent/control DEPENDS Threads::Threads)
get_target_property(kind polytrace_agent TYPE)
if(NOT kind STREQUAL "INTERFACE_LIBRARY")
  set_target_properties(polytrace_agent PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_compile_options(polytrace_agent PRIVATE ${POLYTRACE_AGENT_OPTIONS})
  target_compile_definitions(polytrace_agent PRIVATE POLYTRACE_VERSION="${PROJECT_VERSION}")
endif()

# polytrace_agent(<name> EXPORTS <symbol>... [OUTPUT <file name>] [SYSTEM_INCLUDES <folder>...]
#                 [EXCEPT <folder>...] [DEPENDS <target>...])
# src/agent/<name>/*.cpp and below, without folders of libraries of their own, become
# lib<output>.so at the top of the build folder; output is polytrace-<name> where none is told. The
# target is polytrace_agent_<name>; a library of the same
# sources for tests is polytrace_agent_<name>_parts. Nothing is made where there are no sources.
function(polytrace_agent name)
  cmake_parse_arguments(arg "" "OUTPUT" "EXPORTS;SYSTEM_INCLUDES;EXCEPT;DEPENDS" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/src/agent/${name}/*.cpp")
  foreach(folder IN LISTS arg_EXCEPT)
    list(FILTER sources EXCLUDE REGEX "/src/${folder}/")
  endforeach()
  if(NOT sources)
    return()
  endif()
  if(NOT arg_OUTPUT)
    set(arg_OUTPUT polytrace-${name})
  endif()
  set(parts polytrace_agent_${name}_parts)
  add_library(${parts} OBJECT ${sources})
  set_target_properties(${parts} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_compile_options(${parts} PRIVATE ${POLYTRACE_AGENT_OPTIONS})
  target_compile_definitions(${parts} PRIVATE POLYTRACE_VERSION="${PROJECT_VERSION}")
  target_include_directories(${parts} SYSTEM PUBLIC ${arg_SYSTEM_INCLUDES})
  target_link_libraries(${parts} PUBLIC polytrace_agent ${arg_DEPENDS})

  set(target polytrace_agent_${name})
  string(REPLACE ";" "; " exports "${arg_EXPORTS};")
  set(script "${CMAKE_BINARY_DIR}/${target}.map")
  file(CONFIGURE OUTPUT "${script}" CONTENT "{ global: ${exports} local: *; };\n" @ONLY)
  add_library(${target} SHARED $<TARGET_OBJECTS:${parts}>)
  target_link_libraries(${target} PRIVATE polytrace_agent ${arg_DEPENDS})
  target_link_options(${target} PRIVATE -static-libstdc++ -static-libgcc -Wl,-z,nodelete
    -Wl,--exclude-libs,ALL -Wl,--version-script,${script})
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ${arg_OUTPUT} LINK_DEPENDS "${script}"
    LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}" LINKER_LANGUAGE CXX)
  install(TARGETS ${target} LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT runtime)
endfunction()

# The rewriter of Java's class files needs no JDK, so that its tests run everywhere.
polytrace_room(agent_jvm_rewriter FOLDERS agent/jvm/rewriter)
set_target_properties(polytrace_agent_jvm_rewriter PROPERTIES POSITION_INDEPENDENT_CODE ON)
target_compile_options(polytrace_agent_jvm_rewriter PRIVATE ${POLYTRACE_AGENT_OPTIONS})
