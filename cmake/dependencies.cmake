find_package(PkgConfig REQUIRED)
include(${CMAKE_CURRENT_LIST_DIR}/systemc.cmake)
tessera_find_systemc()
add_library(tessera_systemc INTERFACE)
target_link_libraries(tessera_systemc INTERFACE ${TESSERA_SYSTEMC_TARGET})
# Debian's library is built as C++17 and checks at link time that its users were as well; C++20 is compatible with it.
if(TESSERA_SYSTEMC_FOUND_BY STREQUAL pkg-config)
  target_compile_definitions(tessera_systemc INTERFACE SC_CPLUSPLUS=201703L)
endif()

find_package(Boost 1.81 REQUIRED COMPONENTS iostreams json)
find_package(tomlplusplus REQUIRED)
find_package(CLI11 REQUIRED)
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)
