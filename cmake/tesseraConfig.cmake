# find_package(tessera): link tessera::tessera_drive and bind DriveModule::host_socket() (docs/models/bus.md).
include(CMakeFindDependencyMacro)
find_dependency(PkgConfig)
pkg_check_modules(SYSTEMC_PC REQUIRED IMPORTED_TARGET systemc tlm)
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)
find_dependency(Boost 1.81 COMPONENTS iostreams json)
find_dependency(tomlplusplus)
find_dependency(CLI11)
include(${CMAKE_CURRENT_LIST_DIR}/tesseraTargets.cmake)
