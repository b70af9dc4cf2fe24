# The module tessera._kernel for Python, and tessera_python-VERSION.so, which runs layers in Python. They are left out, with a word on why, where this
# machine cannot build them; their targets are there all the same. Without another choice they are made for the Python that ./dev takes.
if(NOT SKBUILD AND NOT DEFINED Python_EXECUTABLE AND EXISTS /usr/bin/python3)
  set(Python_EXECUTABLE /usr/bin/python3)
endif()
find_package(Python 3.11 QUIET COMPONENTS Interpreter Development.Module)
set(PYBIND11_FINDPYTHON ON)
find_package(pybind11 2.10 CONFIG QUIET)
if(TESSERA_SANITIZE OR TESSERA_COVERAGE)
  set(without_kernel "the sanitizers and gcov would have to be in Python, too")
elseif(NOT Python_Development.Module_FOUND)
  set(without_kernel "Python's headers are missing: install python3-dev")
elseif(NOT pybind11_FOUND)
  set(without_kernel "pybind11 is missing: install pybind11-dev, or pybind11 with pip")
endif()
if(without_kernel)
  message(STATUS "No module tessera.kernel for Python and no layers in it: ${without_kernel}")
  add_custom_target(tessera_kernel COMMAND ${CMAKE_COMMAND} -E echo "no module tessera.kernel: ${without_kernel}" VERBATIM)
  add_custom_target(tessera_python COMMAND ${CMAKE_COMMAND} -E echo "no layers in Python: ${without_kernel}" VERBATIM)
  return()
endif()
pybind11_add_module(tessera_kernel MODULE NO_EXTRAS ${PROJECT_SOURCE_DIR}/platforms/kernel/python_module.cpp)
set_target_properties(tessera_kernel PROPERTIES OUTPUT_NAME _kernel LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
target_link_libraries(tessera_kernel PRIVATE tessera_live)
# Nothing but what Python and libsystemc.so look for leaves it.
target_link_options(tessera_kernel PRIVATE -Wl,--exclude-libs,ALL)

# Layers and policies see the texts of tessera/layer.py and policy.py, which this library holds: an installed module may be of another version.
set(layer_module ${PROJECT_SOURCE_DIR}/analysis/tessera/layer.py)
set(policy_module ${PROJECT_SOURCE_DIR}/analysis/tessera/policy.py)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${layer_module} ${policy_module})
file(READ ${layer_module} layer_module_text)
file(READ ${policy_module} policy_module_text)
configure_file(${PROJECT_SOURCE_DIR}/platforms/plugin/python_module_text.cpp.in ${PROJECT_BINARY_DIR}/python_module_text.cpp @ONLY)
pybind11_add_module(tessera_python MODULE NO_EXTRAS ${PROJECT_SOURCE_DIR}/platforms/plugin/python_layers.cpp
                    ${PROJECT_SOURCE_DIR}/platforms/plugin/python_machine.cpp ${PROJECT_SOURCE_DIR}/platforms/plugin/python_offer.cpp
                    ${PROJECT_SOURCE_DIR}/platforms/plugin/python_policies.cpp ${PROJECT_BINARY_DIR}/python_module_text.cpp)
set_target_properties(tessera_python PROPERTIES OUTPUT_NAME tessera_python-${Python_VERSION_MAJOR}.${Python_VERSION_MINOR} SUFFIX .so
                      LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
target_link_libraries(tessera_python PRIVATE tessera_options)
add_dependencies(tessera-sim tessera_python)
