# SPDX-License-Identifier: Apache-2.0
# Language level, warnings, sanitizers and speed-ups for every target below this file.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_INTERPROCEDURAL_OPTIMIZATION ${POLYTRACE_LTO})
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE RelWithDebInfo)
endif()
# -g1 keeps function names and lines for profilers and backtraces at a tenth of -g's size.
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O2 -g1 -DNDEBUG -D_FORTIFY_SOURCE=3")
# For any x86-64, but small structs are cleared by vector stores: g++'s generic choice, "rep stos",
# takes longer to start than a whole event may cost.
if(CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
  string(APPEND CMAKE_CXX_FLAGS_RELWITHDEBINFO " -mtune=skylake")
endif()

# In bulk g++ 12 inlines otherwise and warns of accesses that cannot happen; and who builds once
# does not wait for warnings, which take a twelfth of the time.
if(NOT POLYTRACE_BULK)
  add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion)
  if(POLYTRACE_WERROR)
    add_compile_options(-Werror)
  endif()
endif()
# clang 19 blames std::stable_sort of libstdc++ 12 on its caller.
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  add_compile_options(-Wno-deprecated-declarations)
endif()
if(POLYTRACE_BULK AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  # What a compiler cache keeps of precompiled headers is used with newer files of the same content.
  add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:SHELL:-Xclang -fno-pch-timestamp>")
endif()
if(POLYTRACE_BULK AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options(--param=ggc-min-heapsize=524288)  # KiB: more memory, a twentieth less time
  # A group shall not stop inlining because it is large: its sources alone would not.
  add_compile_options(--param=inline-unit-growth=400)
endif()

# The same bytes wherever the checkout lies, and short paths in failure messages.
add_compile_options(-ffile-prefix-map=${CMAKE_SOURCE_DIR}/=)

if(POLYTRACE_SANITIZE)
  # The checks left out cost a third of the compile time; AddressSanitizer stops on what they find.
  add_compile_options(-fsanitize=${POLYTRACE_SANITIZE} -fno-sanitize-recover=all
    -fno-sanitize=null,vptr,object-size,nonnull-attribute,returns-nonnull-attribute
    -fno-omit-frame-pointer)
  add_compile_definitions(_GLIBCXX_ASSERTIONS)
  add_link_options(-fsanitize=${POLYTRACE_SANITIZE} -fno-sanitize-recover=all)
  if(POLYTRACE_SANITIZE MATCHES "address" AND CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
    # AddressSanitizer's tables have 1.6 million pointers; relocating them is half of what a program
    # takes to start, and tests start thousands.
    add_link_options("$<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-no-pie>")
  endif()
else()
  # What costs nothing that can be measured. The assertions of the standard library would cost a
  # twenty-fifth of a conversion and a sixth of a report: tests have them.
  add_compile_options(-fstack-protector-strong -fstack-clash-protection)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
    add_compile_options(-fcf-protection=full)
  endif()
  add_link_options(-Wl,-z,relro,-z,now)
endif()

# The program and libpolytrace.so are made of the same objects. That symbols are hidden keeps this
# free: what a room calls of another is called directly, what it calls of itself can be inlined.
# With sanitizers there is no such library: its users would have to bring theirs.
if(POLYTRACE_CAPI AND NOT POLYTRACE_SANITIZE)
  set(CMAKE_POSITION_INDEPENDENT_CODE ON)
  set(CMAKE_CXX_VISIBILITY_PRESET hidden)
  set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
endif()

# A build folder keeps what it found first: another command line would compile everything again.
if(NOT DEFINED CACHE{POLYTRACE_CCACHE})
  find_program(POLYTRACE_CCACHE ccache)
endif()
if(POLYTRACE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${POLYTRACE_CCACHE}")
endif()
if(NOT DEFINED CACHE{POLYTRACE_MOLD})
  find_program(POLYTRACE_MOLD mold)
endif()
if(POLYTRACE_MOLD AND NOT POLYTRACE_LTO)
  add_link_options(-fuse-ld=mold)
endif()
