# SPDX-License-Identifier: Apache-2.0
# A room is a folder of src/ and the target polytrace_<room> made of every file in it. Files are
# picked up as they appear; nobody edits a list.

# Sources of a target that are compiled as one: those of neighbouring folders, up to so many bytes,
# about 8,000 lines, for which clang takes some 600 MiB; g++ takes 1.1 GiB for a third of them. A
# folder that fits is not split, so a new source changes one group, but for the rare one that its
# group has no room for.
set(group_bytes 250000)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(group_bytes 90000)
endif()
set(POLYTRACE_GROUP_BYTES ${group_bytes} CACHE STRING "Bytes of sources that are compiled as one")
function(polytrace_group_by_folder target)
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "\\.cpp$")
  list(SORT sources)
  set(folders)
  foreach(source IN LISTS sources)
    cmake_path(GET source PARENT_PATH folder)
    file(SIZE "${source}" bytes_of_${source})
    list(APPEND folders "${folder}")
    list(APPEND in_${folder} "${source}")
    math(EXPR bytes_of_${folder} "0${bytes_of_${folder}} + ${bytes_of_${source}}")
  endforeach()
  list(REMOVE_DUPLICATES folders)
  set(group 0)
  set(bytes 0)
  foreach(folder IN LISTS folders)
    set(more ${bytes_of_${folder}})  # the whole folder first, or one source of a large one
    foreach(source IN LISTS in_${folder})
      if(more EQUAL 0)
        set(more ${bytes_of_${source}})
      endif()
      math(EXPR both "${bytes} + ${more}")
      if(bytes GREATER 0 AND both GREATER POLYTRACE_GROUP_BYTES)
        math(EXPR group "${group} + 1")
        set(bytes 0)
      endif()
      math(EXPR bytes "${bytes} + ${bytes_of_${source}}")
      set(more 0)
      set_source_files_properties("${source}" PROPERTIES UNITY_GROUP "${target}_${group}")
    endforeach()
  endforeach()
endfunction()

# Where it is wanted, sources of a target are compiled several at a time. Unnamed namespaces of one
# target are then one: what they hold must have names of its own.
function(polytrace_compile_in_bulk target)
  if(POLYTRACE_BULK)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
    polytrace_group_by_folder(${target})
  endif()
endfunction()

# polytrace_embeds(<source> <file>...): the source holds the content of files. Alone it is compiled
# anew when one of them changes; and caches of compilations refuse whatever embeds files, with all
# that is compiled with it.
function(polytrace_embeds source)
  set_source_files_properties("${source}" PROPERTIES OBJECT_DEPENDS "${ARGN}"
                              SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# Then, too, headers that nearly every source includes, and further ones, are precompiled.
function(polytrace_precompile target)
  if(POLYTRACE_BULK)
    target_precompile_headers(${target} PRIVATE <algorithm> <array> <functional> <map> <memory>
      <optional> <span> <string> <string_view> <unordered_map> <vector> <fmt/format.h> ${ARGN})
  endif()
endfunction()

# Rooms share what is precompiled: base's, event's, or store's, which has the headers of store and
# analysis that rooms above them include: to parse those takes half of the time of a group.
function(polytrace_precompile_room room)
  set(src "${CMAKE_SOURCE_DIR}/src")
  if(room STREQUAL "base")
    polytrace_precompile(polytrace_base)
  elseif(room STREQUAL "event")
    polytrace_precompile(polytrace_event "${src}/event/batch.hpp" "${src}/event/fields.hpp"
      "${src}/event/reader.hpp")
  elseif(room STREQUAL "store")
    polytrace_precompile(polytrace_store <deque> <mutex> <ostream> <variant>
      "${src}/base/text/json_writer.hpp" "${src}/format/rewriter.hpp" "${src}/store/store.hpp"
      "${src}/analysis/calls/calltree.hpp" "${src}/analysis/diff/run.hpp"
      "${src}/analysis/heap/study.hpp" "${src}/analysis/profile/profile.hpp")
  elseif(POLYTRACE_BULK)
    set(from polytrace_store)
    if(room MATCHES "^(history|warehouse|http)$")
      set(from polytrace_base)
    elseif(room MATCHES "^(format|transform|slice)$")
      set(from polytrace_event)
    endif()
    target_precompile_headers(polytrace_${room} REUSE_FROM ${from})
  endif()
endfunction()

# How much a room is optimised. To inline functions of up to 225 instructions, as clang does, is a
# fifth of what a group takes to compile: for HOT rooms, where each event passes, alone. A COLD room
# has no loops that are worth what -O2 takes to compile.
function(polytrace_optimise target hot cold)
  if(hot)
    return()
  endif()
  set(inlined 75)
  if(cold)
    target_compile_options(${target} PRIVATE $<$<CONFIG:RelWithDebInfo>:-O1>)
    set(inlined 25)
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    target_compile_options(${target} PRIVATE
      "$<$<CONFIG:RelWithDebInfo>:SHELL:-mllvm -inline-threshold=${inlined}>")
  endif()
endfunction()

# polytrace_room(<name> [HOT | COLD] [FOLDERS <folder of src>...] [EXCEPT <folder of src>...]
#                [DEPENDS <target>...])
# Is made of the folder of its name, or of FOLDERS; EXCEPT are rooms of their own. HOT and COLD say
# how much it is optimised.
function(polytrace_room room)
  cmake_parse_arguments(arg "HOT;COLD" "" "FOLDERS;EXCEPT;DEPENDS" ${ARGN})
  set(src "${CMAKE_SOURCE_DIR}/src")
  if(NOT arg_FOLDERS)
    set(arg_FOLDERS ${room})
  endif()
  list(TRANSFORM arg_FOLDERS PREPEND "${src}/")
  foreach(kind cpp hpp def)
    set(patterns ${arg_FOLDERS})
    list(TRANSFORM patterns APPEND "/*.${kind}")
    file(GLOB_RECURSE ${kind}_files CONFIGURE_DEPENDS ${patterns})
    foreach(folder IN LISTS arg_EXCEPT)
      list(FILTER ${kind}_files EXCLUDE REGEX "^${src}/${folder}/")
    endforeach()
  endforeach()
  set(sources ${cpp_files})
  set(headers ${hpp_files})
  set(tables ${def_files})
  list(FILTER sources EXCLUDE REGEX "/main\\.cpp$")

  set(target polytrace_${room})
  if(sources)
    add_library(${target} STATIC ${sources})
    set(scope PUBLIC)
    polytrace_compile_in_bulk(${target})
    if(NOT room MATCHES "^agent")  # they see no library, and are small
      polytrace_optimise(${target} ${arg_HOT} ${arg_COLD})
      polytrace_precompile_room(${room})
    endif()
  else()
    add_library(${target} INTERFACE)
    set(scope INTERFACE)
  endif()
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${room})
  target_compile_features(${target} ${scope} cxx_std_20)
  target_link_libraries(${target} ${scope} ${arg_DEPENDS})
  # Lone headers are those that no source file of the same name includes first: only they need a
  # compilation of their own to prove that they stand alone. Tables (*.def) never do.
  set(lone ${headers})
  list(TRANSFORM sources REPLACE "\\.cpp$" ".hpp" OUTPUT_VARIABLE led)
  list(REMOVE_ITEM lone ${led})
  list(REMOVE_ITEM headers ${lone})
  target_sources(${target} ${scope}
    FILE_SET headers TYPE HEADERS BASE_DIRS "${src}" FILES ${headers}
    FILE_SET lone_headers TYPE HEADERS BASE_DIRS "${src}" FILES ${lone}
    FILE_SET tables TYPE HEADERS BASE_DIRS "${src}" FILES ${tables})
  set_target_properties(${target} PROPERTIES
    VERIFY_INTERFACE_HEADER_SETS ON INTERFACE_HEADER_SETS_TO_VERIFY lone_headers)
  target_include_directories(${target} ${scope} "$<BUILD_INTERFACE:${src}>")
endfunction()

# polytrace_program(<name> <program of src/cli/commands.def> <room>): at the top of the build
# folder.
function(polytrace_program name program room)
  add_executable(${name} "${CMAKE_SOURCE_DIR}/src/cli/main.cpp")
  target_compile_definitions(${name} PRIVATE POLYTRACE_PROGRAM=${program})
  target_link_libraries(${name} PRIVATE ${room})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}")
endfunction()
