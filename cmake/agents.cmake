# SPDX-License-Identifier: Apache-2.0
# Agents: shared libraries that other programs load. They bring their own C++ library, export their
# entry points only, use nothing but libc, and are never unloaded.

set(POLYTRACE_AGENT_OPTIONS -fno-exceptions -fno-rtti -fvisibility=hidden
    -fvisibility-inlines-hidden -ftls-model=initial-exec
    $<$<CXX_COMPILER_ID:Clang>:-fconstexpr-steps=100000000>)  # a table of two million bytes

# Runtimes load agents as they are installed, also when the rest has sanitizers. ON: so have agents,
# and the runtime needs LD_PRELOAD=$(g++ -print-file-name=libasan.so).
option(POLYTRACE_SANITIZE_AGENTS "Sanitizers in agents, too" OFF)
if(POLYTRACE_SANITIZE AND NOT POLYTRACE_SANITIZE_AGENTS)
  set(POLYTRACE_PLAIN_AGENTS ON)
  set(POLYTRACE_AGENT_PLAIN -fno-sanitize=all -U_GLIBCXX_ASSERTIONS)
endif()

function(polytrace_agent_flags target)
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_compile_options(${target} PRIVATE ${POLYTRACE_AGENT_OPTIONS} ${ARGN})
  target_compile_definitions(${target} PRIVATE POLYTRACE_VERSION="${PROJECT_VERSION}")
endfunction()

# polytrace_agent_room(<name> FOLDERS <folder of src>... [DEPENDS <target>...]): a room that agents
# are made of; for tests and the command as polytrace_<name>, for agents as polytrace_<name>_inside.
function(polytrace_agent_room name)
  cmake_parse_arguments(arg "" "" "FOLDERS;DEPENDS" ${ARGN})
  polytrace_room(${name} FOLDERS ${arg_FOLDERS} DEPENDS ${arg_DEPENDS})
  polytrace_agent_flags(polytrace_${name})
  if(POLYTRACE_PLAIN_AGENTS)
    get_target_property(sources polytrace_${name} SOURCES)
    add_library(polytrace_${name}_inside STATIC EXCLUDE_FROM_ALL ${sources})
    polytrace_agent_flags(polytrace_${name}_inside ${POLYTRACE_AGENT_PLAIN})
    polytrace_compile_in_bulk(polytrace_${name}_inside)
    target_include_directories(polytrace_${name}_inside PUBLIC "${CMAKE_SOURCE_DIR}/src")
    target_link_libraries(polytrace_${name}_inside PUBLIC ${arg_DEPENDS})
  else()
    add_library(polytrace_${name}_inside ALIAS polytrace_${name})
  endif()
endfunction()

# All of them: who builds the program builds them, too.
add_custom_target(polytrace_agents)

# What agents share; the command reads what it leaves.
polytrace_agent_room(agent FOLDERS agent/common agent/control DEPENDS Threads::Threads)
# The rewriter of Java's class files, by itself for its tests.
polytrace_agent_room(agent_jvm_rewriter FOLDERS agent/jvm/rewriter)
# What the module for Mono has that needs nothing of the runtime, likewise.
polytrace_agent_room(agent_mono_plain FOLDERS agent/mono/plain)
# How .NET names things, likewise.
polytrace_agent_room(agent_coreclr_names FOLDERS agent/coreclr/names)

# polytrace_agent(<name> EXPORTS <symbol>... [OUTPUT <file name>] [EXCEPT <folder>...]
#                 [DEPENDS <target>...])
# src/agent/<name>/*.cpp and below, but for EXCEPT (rooms of their own), and base's errors become
# lib<output>.so at the top of the build folder; output is polytrace-<name> where none is given. The
# target is polytrace_agent_<name>. Nothing is made where there are no sources.
function(polytrace_agent name)
  cmake_parse_arguments(arg "" "OUTPUT" "EXPORTS;EXCEPT;DEPENDS" ${ARGN})
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
  set(target polytrace_agent_${name})
  string(REPLACE ";" "; " exports "${arg_EXPORTS};")
  set(script "${CMAKE_BINARY_DIR}/${target}.map")
  file(CONFIGURE OUTPUT "${script}" CONTENT "{ global: ${exports} local: *; };\n" @ONLY)
  add_library(${target} SHARED ${sources} "${CMAKE_SOURCE_DIR}/src/base/result.cpp")
  polytrace_agent_flags(${target} ${POLYTRACE_AGENT_PLAIN})
  polytrace_compile_in_bulk(${target})
  target_link_libraries(${target} PRIVATE ${arg_DEPENDS} polytrace_agent_inside)
  target_link_options(${target} PRIVATE -static-libstdc++ -static-libgcc -Wl,-z,nodelete
    -Wl,--exclude-libs,ALL -Wl,--version-script,${script})
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ${arg_OUTPUT} LINK_DEPENDS "${script}"
    LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}" LINKER_LANGUAGE CXX)
  if(POLYTRACE_PLAIN_AGENTS)
    target_link_options(${target} PRIVATE -fno-sanitize=all)
  endif()
  add_dependencies(polytrace_agents ${target})
  # No other program links them.
  install(TARGETS ${target} LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}/polytrace"
          COMPONENT runtime)
endfunction()
