# What a file of the firmware needs to be linked: the files that implement the headers that it includes, and so on. A file implements the
# header of its name; one without such a header implements those of its folder that it includes. In a layer's folder any file does.
# Headers without such a file are templates or interfaces.

# The files of the firmware as they were looked at: `includes_FILE` and `implementations_HEADER` in the caller's scope, paths under `models`.
macro(read_firmware models)
  file(GLOB_RECURSE firmware RELATIVE ${models} CONFIGURE_DEPENDS ${models}/firmware/*.hpp ${models}/firmware/*.cpp)
  foreach(file ${firmware})
    file(STRINGS ${models}/${file} lines REGEX "^#include \"firmware/[^\"]+\"")
    list(TRANSFORM lines REPLACE "^#include \"([^\"]+)\".*" "\\1" OUTPUT_VARIABLE includes_${file})
    if(NOT file MATCHES "[.]cpp$" OR file STREQUAL firmware/layer_list.cpp)  # which names every layer
      continue()
    endif()
    get_filename_component(folder ${file} DIRECTORY)
    get_filename_component(name ${file} NAME_WE)
    foreach(header ${includes_${file}})
      get_filename_component(header_folder ${header} DIRECTORY)
      get_filename_component(header_name ${header} NAME_WE)
      if(header_folder STREQUAL folder AND
         (name STREQUAL header_name OR folder MATCHES "^firmware/layers/" OR NOT EXISTS ${models}/${folder}/${name}.hpp))
        list(APPEND implementations_${header} ${file})
      endif()
    endforeach()
  endforeach()
endmacro()

# The .cpp files that `files` need, themselves among them.
function(sources_of result)
  set(todo ${ARGN})
  set(sources "")
  while(todo)
    list(POP_FRONT todo file)
    if(seen_${file})
      continue()
    endif()
    set(seen_${file} TRUE)
    if(file MATCHES "[.]cpp$")
      list(APPEND sources ${file})
    endif()
    list(APPEND todo ${includes_${file}} ${implementations_${file}})
  endwhile()
  set(${result} ${sources} PARENT_SCOPE)
endfunction()
