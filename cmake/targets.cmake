set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)

add_library(tessera_options INTERFACE)
# -Wno-restrict: GCC 12 warns falsely of literal + std::string at -O3 (GCC bug 105651).
target_compile_options(tessera_options INTERFACE
  $<BUILD_INTERFACE:-Wall;-Wextra;-Wshadow;-Wnon-virtual-dtor;-Woverloaded-virtual;-Wconversion;-Wno-restrict>)
target_compile_features(tessera_options INTERFACE cxx_std_20)
target_include_directories(tessera_options INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/models> $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
  $<INSTALL_INTERFACE:include/tessera/models> $<INSTALL_INTERFACE:include/tessera>)
install(TARGETS tessera_options tessera_systemc EXPORT tessera)
if(TESSERA_SANITIZE)
  # The vptr check needs the run-time type information that firmware does without.
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

# A library of plain C++: cores, firmware, readers.
function(tessera_core name)
  add_library(${name} STATIC ${ARGN})
  target_link_libraries(${name} PUBLIC tessera_options)
  install(TARGETS ${name} EXPORT tessera)
endfunction()

# A library of SystemC modules over such cores. <systemc> takes 3.5 s a file, so it is precompiled.
function(tessera_modules name)
  add_library(${name} STATIC ${ARGN})
  target_link_libraries(${name} PUBLIC tessera_options tessera_systemc)
  target_precompile_headers(${name} PRIVATE <systemc> <tlm>)
  install(TARGETS ${name} EXPORT tessera)
endfunction()
