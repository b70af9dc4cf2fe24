# An installed Tessera: the program with its descriptions, and the platform as a library for find_package(tessera).
include(CMakePackageConfigHelpers)
# The program with its descriptions is a component of its own: what a Python wheel takes (pyproject.toml), into the package, so that both stay together
# wherever that lies.
if(SKBUILD)
  set(program_place ${SKBUILD_PLATLIB_DIR}/tessera/bin)
  set(share_place ${SKBUILD_PLATLIB_DIR}/tessera/share)
else()
  set(program_place bin)
  set(share_place share)
endif()
install(TARGETS tessera-sim DESTINATION ${program_place} COMPONENT program)
if(SKBUILD AND NOT without_kernel)
  install(TARGETS tessera_kernel LIBRARY DESTINATION ${SKBUILD_PLATLIB_DIR}/tessera COMPONENT program)
endif()
install(DIRECTORY platforms/drives platforms/arrays DESTINATION ${share_place}/tessera COMPONENT program FILES_MATCHING PATTERN "*.toml")
install(DIRECTORY stimuli/traces DESTINATION ${share_place}/tessera COMPONENT program FILES_MATCHING PATTERN "*.xz")
install(DIRECTORY stimuli/workloads DESTINATION ${share_place}/tessera COMPONENT program FILES_MATCHING PATTERN "*.toml")
# For layers as shared libraries: `tessera new-layer --include`, `--examples` and `--baselines` name these folders (analysis/tessera/new_layer/places.py).
set(interface_headers platforms/plugin/tessera_firmware.h platforms/plugin/tessera_coroutine.h platforms/plugin/tessera_parts.h)
install(FILES ${interface_headers} DESTINATION ${share_place}/tessera/firmware COMPONENT program)
install(DIRECTORY examples/firmware/ DESTINATION ${share_place}/tessera/firmware/examples COMPONENT program)
install(DIRECTORY examples/baselines/ DESTINATION ${share_place}/tessera/firmware/baselines COMPONENT program PATTERN "*.so" EXCLUDE)
install(CODE "
  set(SOURCE \"${PROJECT_SOURCE_DIR}\")
  set(DESTINATION \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/include/tessera\")
  include(\"${CMAKE_CURRENT_LIST_DIR}/install_headers.cmake\")
")
install(FILES ${interface_headers} docs/reference/tessera_registers.h DESTINATION include)
# What an image is made with: its header, linker script and start-up.
install(FILES docs/reference/tessera_registers.h docs/reference/tessera.svd images/image.ld images/in_dram/places.ld images/start_riscv.S
        DESTINATION ${share_place}/tessera/firmware COMPONENT program)
install(EXPORT tessera NAMESPACE tessera:: FILE tesseraTargets.cmake DESTINATION lib/cmake/tessera)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/tesseraConfigVersion.cmake COMPATIBILITY SameMinorVersion)
set(firmware_place ${share_place}/tessera/firmware)
configure_package_config_file(cmake/tesseraConfig.cmake.in ${PROJECT_BINARY_DIR}/tesseraConfig.cmake INSTALL_DESTINATION lib/cmake/tessera
                              PATH_VARS firmware_place NO_CHECK_REQUIRED_COMPONENTS_MACRO)
install(FILES ${PROJECT_BINARY_DIR}/tesseraConfig.cmake cmake/systemc.cmake cmake/firmware_images.cmake ${PROJECT_BINARY_DIR}/tesseraConfigVersion.cmake DESTINATION lib/cmake/tessera)
install(FILES LICENSE NOTICE THIRD_PARTY_NOTICES.md DESTINATION ${share_place}/doc/tessera COMPONENT program)
