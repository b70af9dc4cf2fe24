if(NOT CMAKE_CXX_STANDARD)
  set(CMAKE_CXX_STANDARD 20)
endif()
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)

add_library(tessera_options INTERFACE)
# GCC 12 warns falsely of literal + std::string at -O3 (GCC bug 105651): -Wrestrict, and behind a precompiled header, where it has forgotten
# that the code is the library's, -Wstringop-overflow, -Wstringop-overread and -Warray-bounds as well. The suite runs under ASan.
target_compile_options(tessera_options INTERFACE
  $<BUILD_INTERFACE:-Wall;-Wextra;-Wshadow;-Wnon-virtual-dtor;-Woverloaded-virtual;-Wconversion>
  $<BUILD_INTERFACE:$<$<CXX_COMPILER_ID:GNU>:-Wno-restrict;-Wno-stringop-overflow;-Wno-stringop-overread;-Wno-array-bounds>>)
# From GCC 13 on it takes an empty optional in a coroutine's frame for uninitialised.
target_compile_options(tessera_options INTERFACE
  $<BUILD_INTERFACE:$<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_GREATER_EQUAL:$<CXX_COMPILER_VERSION>,13>>:-Wno-maybe-uninitialized>>)
# Figures are the same on processors that fuse a multiplication and an addition, and on those that do not.
target_compile_options(tessera_options INTERFACE $<BUILD_INTERFACE:-ffp-contract=off>)
# Messages name files from the root of the sources on: two folders build the same program, and share a compiler's cache.
target_compile_options(tessera_options INTERFACE $<BUILD_INTERFACE:-fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=>)
if(TESSERA_WARNINGS_ARE_ERRORS)
  target_compile_options(tessera_options INTERFACE $<BUILD_INTERFACE:$<$<CXX_COMPILER_ID:GNU>:-Werror>>)
endif()
# By the dozen a .cpp file is an included one, of which GCC thinks that others include it too: it warns of a coroutine's frame that holds a local type.
if(TESSERA_UNITY)
  target_compile_options(tessera_options INTERFACE $<BUILD_INTERFACE:$<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>>)
endif()
target_compile_features(tessera_options INTERFACE cxx_std_20)
target_include_directories(tessera_options INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/models> $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
  $<INSTALL_INTERFACE:include>)
install(TARGETS tessera_options tessera_systemc EXPORT tessera)
if(TESSERA_SANITIZE)
  # Without the vptr check, which asks for every library to be built for it.
  target_compile_options(tessera_options INTERFACE -O1 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize=vptr -fno-sanitize-recover=all)
  target_link_options(tessera_options INTERFACE -fsanitize=address,undefined)
endif()
if(TESSERA_FUZZ)
  # clang 14 cannot assemble a coroutine with coverage counters: firmware goes without.
  target_compile_options(tessera_options INTERFACE
    $<$<NOT:$<STREQUAL:$<TARGET_PROPERTY:NAME>,tessera_firmware>>:-fsanitize=fuzzer-no-link>)
endif()
if(TESSERA_COVERAGE)
  target_compile_options(tessera_options INTERFACE --coverage)
  target_link_options(tessera_options INTERFACE --coverage)
endif()

# What a shared library can take in, a Python module or a platform of somebody else's: position-independent. Names that nobody outside may
# replace cost nothing.
function(tessera_shareable name)
  target_compile_options(${name} PRIVATE -fPIC -fvisibility=hidden -fvisibility-inlines-hidden)
endfunction()

# A library of plain C++: cores, readers, firmware. Half of the time of a small file goes into the standard library's headers: they are
# precompiled, once for all of them; firmware, which is built with other options, has a header of its own.
function(tessera_core name)
  add_library(${name} STATIC ${ARGN})
  set_target_properties(${name} PROPERTIES UNITY_BUILD ${TESSERA_UNITY} UNITY_BUILD_BATCH_SIZE 12)
  target_link_libraries(${name} PUBLIC tessera_options)
  tessera_shareable(${name})
  if(name STREQUAL tessera_base)
    target_precompile_headers(${name} PRIVATE <algorithm> <array> <filesystem> <fstream> <functional> <map> <memory> <optional> <span>
                              <sstream> <string> <vector>)
  elseif(NOT name STREQUAL tessera_firmware)
    target_precompile_headers(${name} REUSE_FROM tessera_base)
  endif()
  install(TARGETS ${name} EXPORT tessera)
endfunction()

# A library of SystemC modules over such cores. <systemc> takes 3.5 s a file, so it is precompiled, once for all of them.
function(tessera_modules name)
  add_library(${name} STATIC ${ARGN})
  set_target_properties(${name} PROPERTIES UNITY_BUILD ${TESSERA_UNITY} UNITY_BUILD_BATCH_SIZE 12)
  target_link_libraries(${name} PUBLIC tessera_options tessera_systemc)
  tessera_shareable(${name})
  if(name STREQUAL tessera_base_modules)
    target_precompile_headers(${name} PRIVATE <systemc> <tlm> <algorithm> <functional> <memory> <string> <vector>)
  else()
    target_precompile_headers(${name} REUSE_FROM tessera_base_modules)
  endif()
  install(TARGETS ${name} EXPORT tessera)
endfunction()
