# SPDX-License-Identifier: Apache-2.0
# What is installed beside the program: manual pages, completions, documents, examples, changelog.
#
# Manual pages are those in docs/man: what was read and checked there is what is installed, and
# `./dev docs --check` holds them to the program. Completions are in no folder: the program that
# was just built writes them.

find_program(POLYTRACE_GZIP gzip REQUIRED)
set(companions "${CMAKE_BINARY_DIR}/companions")

# polytrace_packed(<file> <packed>): a rule for the same bytes on every day. Pages that are gone
# from docs/man must not be installed from an old build: names are told one by one.
function(polytrace_packed file packed)
  cmake_path(GET packed PARENT_PATH folder)
  file(MAKE_DIRECTORY "${folder}")
  add_custom_command(OUTPUT "${packed}" DEPENDS "${file}" VERBATIM
    COMMAND sh -c "'${POLYTRACE_GZIP}' -9nc '${file}' > '${packed}'")
endfunction()

file(GLOB pages CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/docs/man/*.1")
set(made)
foreach(page IN LISTS pages)
  cmake_path(GET page FILENAME name)
  set(packed "${companions}/man/${name}.gz")
  polytrace_packed("${page}" "${packed}")
  list(APPEND made "${packed}")
  set(component runtime)
  if(name MATCHES "^polytrace-(fleet|collect|push)[-.]")
    set(component fleet)
  endif()
  install(FILES "${packed}" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1" COMPONENT ${component})
endforeach()

# polytrace_completion(<shell> <file> <folder>)
set(programs polytrace $<TARGET_NAME_IF_EXISTS:polytrace-ui>
             $<TARGET_NAME_IF_EXISTS:polytrace-fleet>)
function(polytrace_completion shell file folder)
  set(script "${companions}/${shell}/${file}")
  file(MAKE_DIRECTORY "${companions}/${shell}")
  add_custom_command(OUTPUT "${script}" DEPENDS ${programs} VERBATIM
    COMMAND sh -c "'$<TARGET_FILE:polytrace>' completion ${shell} > '${script}'")
  install(FILES "${script}" DESTINATION "${CMAKE_INSTALL_DATADIR}/${folder}" COMPONENT runtime)
  set(made ${made} "${script}" PARENT_SCOPE)
endfunction()
polytrace_completion(bash polytrace bash-completion/completions)
polytrace_completion(zsh _polytrace zsh/vendor-completions)
polytrace_completion(fish polytrace.fish fish/vendor_completions.d)

# Dated by SOURCE_DATE_EPOCH where that is set, so that packages can be made again bit by bit.
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
set(packages polytrace libpolytrace-dev)
if(POLYTRACE_FLEET)
  list(APPEND packages polytrace-fleet)
endif()
if(TARGET polytrace_c)
  list(APPEND packages libpolytrace1 python3-polytrace)
endif()
foreach(package IN LISTS packages)
  set(text "${companions}/${package}/changelog")
  configure_file("${CMAKE_SOURCE_DIR}/cmake/package/changelog.in" "${text}" @ONLY)
  polytrace_packed("${text}" "${text}.gz")
  list(APPEND made "${text}.gz")
  set(component runtime)
  if(package STREQUAL "libpolytrace-dev")
    set(component dev)
  elseif(package STREQUAL "polytrace-fleet")
    set(component fleet)
  elseif(package STREQUAL "libpolytrace1")
    set(component clib)
  elseif(package STREQUAL "python3-polytrace")
    set(component python EXCLUDE_FROM_ALL)
  endif()
  install(FILES "${text}.gz" "${CMAKE_SOURCE_DIR}/cmake/package/copyright"
          DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/${package}" COMPONENT ${component})
endforeach()

# As they lie in the project, so that links between pages and to examples hold.
install(DIRECTORY "${CMAKE_SOURCE_DIR}/examples" DESTINATION "${CMAKE_INSTALL_DOCDIR}"
        COMPONENT runtime)
install(DIRECTORY "${CMAKE_SOURCE_DIR}/share/systemd" "${CMAKE_SOURCE_DIR}/share/grafana"
                  "${CMAKE_SOURCE_DIR}/share/clickhouse"
        COMPONENT fleet DESTINATION "${CMAKE_INSTALL_DOCDIR}/examples")
install(FILES "${CMAKE_SOURCE_DIR}/README.md" DESTINATION "${CMAKE_INSTALL_DOCDIR}"
        COMPONENT runtime)
install(DIRECTORY "${CMAKE_SOURCE_DIR}/docs" DESTINATION "${CMAKE_INSTALL_DOCDIR}"
        COMPONENT runtime PATTERN man EXCLUDE)

add_custom_target(companions DEPENDS ${made})
add_dependencies(product companions)
