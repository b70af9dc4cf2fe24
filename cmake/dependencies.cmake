# SystemC: Debian ships no CMake package, and a stray one in ~/.cmake/packages would win over the system's; so pkg-config only.
find_package(PkgConfig REQUIRED)
pkg_check_modules(SYSTEMC_PC REQUIRED IMPORTED_TARGET systemc tlm)
add_library(tessera_systemc INTERFACE)
target_link_libraries(tessera_systemc INTERFACE PkgConfig::SYSTEMC_PC)
# The library is built as C++17 and checks at link time that its users were as well; C++20 is compatible with it.
target_compile_definitions(tessera_systemc INTERFACE SC_CPLUSPLUS=201703L)

find_package(Boost 1.81 REQUIRED COMPONENTS iostreams json)
find_package(tomlplusplus REQUIRED)
find_package(CLI11 REQUIRED)
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)
