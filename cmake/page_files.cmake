# SPDX-License-Identifier: Apache-2.0
# The files of the page as a table for src/server/assets.cpp: which of ui/dist stands for which
# address, packed or not, and by which tag a browser knows it. Nothing is built here: ui/dist is
# committed, ./dev page makes it.

# polytrace_page_files(<target>): the target includes page_files.inc.
function(polytrace_page_files target)
  set(dist "${CMAKE_SOURCE_DIR}/ui/dist")
  set(table "// Made by cmake/page_files.cmake.\n")
  foreach(row "index|/|index.html|text/html; charset=utf-8"
              "script|/page.js|page.js|text/javascript; charset=utf-8"
              "style|/page.css|page.css|text/css; charset=utf-8"
              "icon|/icon.svg|icon.svg|image/svg+xml")
    string(REGEX MATCH "^([^|]+)\\|([^|]+)\\|([^|]+)\\|(.+)$" all "${row}")
    set(name "${CMAKE_MATCH_1}")
    set(address "${CMAKE_MATCH_2}")
    set(file "${dist}/${CMAKE_MATCH_3}")
    set(type "${CMAKE_MATCH_4}")
    set(packing plain)
    if(NOT EXISTS "${file}")
      set(file "${file}.gz")
      set(packing gzip)
    endif()
    if(NOT EXISTS "${file}")
      message(FATAL_ERROR "${file} is missing: ./dev page makes it")
    endif()
    set_property(DIRECTORY "${CMAKE_SOURCE_DIR}" APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
    file(SHA256 "${file}" hash)
    string(SUBSTRING "${hash}" 0 16 tag)
    string(APPEND table
           "PAGE_FILE(${name}, \"${address}\", \"${file}\", ${packing}, \"${type}\", \"${tag}\")\n")
  endforeach()
  file(READ "${dist}/manifest.json" manifest)
  string(JSON sources GET "${manifest}" sources)
  string(APPEND table "#define PAGE_SOURCES \"${sources}\"\n")
  file(CONFIGURE OUTPUT "${CMAKE_BINARY_DIR}/page/page_files.inc" CONTENT "${table}" @ONLY)
  target_include_directories(${target} PRIVATE "${CMAKE_BINARY_DIR}/page")
endfunction()
