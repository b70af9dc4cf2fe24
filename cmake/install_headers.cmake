# Installs the headers under include/tessera/, and has them name each other by that folder: a consumer may have folders called base, host or bus.
# Run by `cmake --install` with SOURCE and DESTINATION.
file(GLOB_RECURSE headers RELATIVE ${SOURCE} ${SOURCE}/models/*.hpp ${SOURCE}/models/*.def ${SOURCE}/stimuli/*.hpp ${SOURCE}/platforms/*.hpp)
file(REMOVE_RECURSE ${DESTINATION})
foreach(header ${headers})
  string(REGEX REPLACE "^models/" "" name ${header})
  file(READ ${SOURCE}/${header} text)
  string(REGEX REPLACE "(#[ \t]*include \")([a-z_0-9]+/)" "\\1tessera/\\2" text "${text}")
  file(WRITE ${DESTINATION}/${name} "${text}")
endforeach()
