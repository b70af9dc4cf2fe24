# An installed Tessera: the program with its descriptions, and the platform as a library for find_package(tessera).
include(CMakePackageConfigHelpers)
install(TARGETS tessera-sim)
install(DIRECTORY platforms/drives DESTINATION share/tessera FILES_MATCHING PATTERN "*.toml")
install(DIRECTORY stimuli/workloads DESTINATION share/tessera FILES_MATCHING PATTERN "*.toml")
install(DIRECTORY models stimuli platforms DESTINATION include/tessera FILES_MATCHING PATTERN "*.hpp")
install(EXPORT tessera NAMESPACE tessera:: FILE tesseraTargets.cmake DESTINATION lib/cmake/tessera)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/tesseraConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES cmake/tesseraConfig.cmake ${PROJECT_BINARY_DIR}/tesseraConfigVersion.cmake DESTINATION lib/cmake/tessera)
