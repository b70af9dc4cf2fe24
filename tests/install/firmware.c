/* A firmware for the start-up and linker script of an installation, by the header of one. */
#include "../images/plain_firmware.c"
#include "tessera_registers.h"

_Static_assert(TESSERA_HOST_RING == 0x40000000u + HOST_RING && TESSERA_PROBE_FIGURE == 0x40000000u + PROBE_FIGURE, "the registers");
