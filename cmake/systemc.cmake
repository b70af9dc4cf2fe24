# SystemC, for the build and for who uses an installation. Debian has it for pkg-config only, and a stray build in ~/.cmake/packages would win
# over the system's; so its CMake package is taken where pkg-config does not know SystemC, or where -DTESSERA_SYSTEMC=cmake asks for it.
set(TESSERA_SYSTEMC "auto" CACHE STRING "Where SystemC is found: pkg-config, cmake (its package SystemCLanguage), or auto: the first that has it")
set_property(CACHE TESSERA_SYSTEMC PROPERTY STRINGS auto pkg-config cmake)

# Sets TESSERA_SYSTEMC_TARGET and TESSERA_SYSTEMC_FOUND_BY (pkg-config or cmake) in the caller.
macro(tessera_find_systemc)
  if(NOT TESSERA_SYSTEMC MATCHES "^(auto|pkg-config|cmake)$")
    message(FATAL_ERROR "TESSERA_SYSTEMC is '${TESSERA_SYSTEMC}'; it is auto, pkg-config or cmake")
  endif()
  if(NOT TESSERA_SYSTEMC STREQUAL "cmake")
    pkg_check_modules(SYSTEMC_PC QUIET IMPORTED_TARGET systemc tlm)
  endif()
  if(TARGET PkgConfig::SYSTEMC_PC)
    set(TESSERA_SYSTEMC_TARGET PkgConfig::SYSTEMC_PC)
    set(TESSERA_SYSTEMC_FOUND_BY pkg-config)
  elseif(TESSERA_SYSTEMC STREQUAL "pkg-config")
    message(FATAL_ERROR "pkg-config knows no systemc and tlm: install libsystemc-dev, or take -DTESSERA_SYSTEMC=cmake")
  else()
    find_package(SystemCLanguage CONFIG REQUIRED)
    set(TESSERA_SYSTEMC_TARGET SystemC::systemc)
    set(TESSERA_SYSTEMC_FOUND_BY cmake)
  endif()
endmacro()
