# tessera_add_firmware_image(NAME SOURCES FILE... [ARCH rv64imac|rv32imac] [STACK BYTES]): builds NAME.elf in the binary folder with the target NAME, from
# C and assembler files, with the start-up. The image's code has firmware_main(), and names its layer in `const char tessera_image_layer[]`.
# A cross compiler is asked for here alone: TESSERA_FIRMWARE_COMPILER.
function(tessera_add_firmware_image name)
  cmake_parse_arguments(IMAGE "" "ARCH;STACK" "SOURCES" ${ARGN})
  if(NOT IMAGE_ARCH)
    set(IMAGE_ARCH rv64imac)
  endif()
  if(IMAGE_ARCH STREQUAL rv64imac)
    set(abi lp64)
  elseif(IMAGE_ARCH STREQUAL rv32imac)
    set(abi ilp32)
  else()
    message(FATAL_ERROR "tessera_add_firmware_image(${name}): unknown ARCH '${IMAGE_ARCH}'; known: rv64imac rv32imac")
  endif()
  if(IMAGE_UNPARSED_ARGUMENTS OR NOT IMAGE_SOURCES)
    message(FATAL_ERROR "tessera_add_firmware_image(${name}): expected SOURCES FILE... [ARCH ARCHITECTURE] [STACK BYTES], found '${ARGN}'")
  endif()
  find_program(TESSERA_FIRMWARE_COMPILER riscv64-unknown-elf-gcc DOC "C compiler for firmware images")
  if(NOT TESSERA_FIRMWARE_COMPILER)
    message(FATAL_ERROR "tessera_add_firmware_image(${name}): no riscv64-unknown-elf-gcc; install gcc-riscv64-unknown-elf, or set TESSERA_FIRMWARE_COMPILER")
  endif()
  # The compiler knows its library by the architecture without Zicsr.
  execute_process(COMMAND ${TESSERA_FIRMWARE_COMPILER} -march=${IMAGE_ARCH} -mabi=${abi} -print-libgcc-file-name OUTPUT_VARIABLE library
                  OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  list(TRANSFORM IMAGE_SOURCES REPLACE "^([^/].*)$" "${CMAKE_CURRENT_SOURCE_DIR}/\\1")
  set(stack "")
  if(IMAGE_STACK)
    set(stack -Wl,--defsym=stack_bytes=${IMAGE_STACK})
  endif()
  set(image ${CMAKE_CURRENT_BINARY_DIR}/${name}.elf)
  add_custom_command(OUTPUT ${image}
    COMMAND ${TESSERA_FIRMWARE_COMPILER} -march=${IMAGE_ARCH}_zicsr -mabi=${abi} -mcmodel=medany -O2 -g -ffreestanding -DTESSERA_START -I${Tessera_FIRMWARE_DIR}
            -nostdlib -Wl,--no-warn-rwx-segments ${stack} -T ${Tessera_FIRMWARE_DIR}/image.ld -L${Tessera_FIRMWARE_DIR}
            ${Tessera_FIRMWARE_DIR}/start_riscv.S ${IMAGE_SOURCES} ${library} -o ${image}
    DEPENDS ${IMAGE_SOURCES} ${Tessera_FIRMWARE_DIR}/image.ld ${Tessera_FIRMWARE_DIR}/start_riscv.S ${Tessera_FIRMWARE_DIR}/tessera_registers.h
    COMMENT "Firmware image ${name}.elf" VERBATIM)
  add_custom_target(${name} ALL DEPENDS ${image})
endfunction()
