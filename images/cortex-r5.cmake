# Debian's gcc-arm-none-eabi with newlib.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR cortex-r5)
set(CMAKE_CXX_COMPILER arm-none-eabi-g++)
set(CMAKE_ASM_COMPILER arm-none-eabi-gcc)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
set(CMAKE_ASM_FLAGS_INIT "-mcpu=cortex-r5 -mthumb")
set(CMAKE_CXX_FLAGS_INIT "-mcpu=cortex-r5 -mthumb --specs=nano.specs")
