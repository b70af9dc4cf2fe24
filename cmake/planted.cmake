# Builds a copy of the sources with one bug of tests/planted/bugs in it (docs/developers/testing.md). The copy lies where the binary folder,
# TREE/build/release, sees it as that of the release build sees the sources, so that the two share the compiler's cache. From one bug to
# the next only the files that differ are written, and only what depends on them is built.
set(tree ${PROJECT_SOURCE_DIR}/build/planted)
find_package(Python3 3.11 REQUIRED COMPONENTS Interpreter)
execute_process(COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/planted/plant.py ${TESSERA_PLANTED} ${tree}
                RESULT_VARIABLE failed ERROR_VARIABLE message)
if(failed)
  message(FATAL_ERROR "${message}")
endif()
file(GLOB bugs CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/planted/bugs/*.toml)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${bugs})
set(TESSERA_SOURCES ${tree})
