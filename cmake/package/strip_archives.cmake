# SPDX-License-Identifier: Apache-2.0
# What users of a static library need is its symbols, not how it was compiled.
file(GLOB_RECURSE archives "${CPACK_TEMPORARY_INSTALL_DIRECTORY}/*.a")
foreach(archive IN LISTS archives)
  execute_process(COMMAND strip --strip-debug --enable-deterministic-archives "${archive}"
                  COMMAND_ERROR_IS_FATAL ANY)
endforeach()
