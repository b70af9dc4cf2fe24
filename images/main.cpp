// A firmware image: one layer with the command server and the caches in front of it, on the machine's registers.
#include "firmware/hal/cpu.hpp"
#include "firmware/hal/runtime.hpp"
#include "firmware/layers/layer_factories.hpp"
#include "images/target.hpp"

// For the loader, which refuses an image of another layer than the drive's or for another register map.
extern "C" {
[[gnu::section(".rodata.tessera_image"), gnu::used]] extern const char tessera_image_layer[] = TESSERA_IMAGE_LAYER;
[[gnu::section(".rodata.tessera_image"), gnu::used]] extern const char tessera_image_version[] = {
    static_cast<char>('0' + tessera::hal::map_version), 0};
}
static_assert(tessera::hal::map_version < 10);

tessera::hal::Runtime* tessera::image::runtime = nullptr;

extern "C" [[noreturn]] void firmware_main() {
  tessera::image::Registers registers;
  const auto factory = tessera::TESSERA_IMAGE_FACTORY();
  tessera::hal::Cpu cpu(registers);
  tessera::hal::Runtime runtime(registers, cpu, *factory, TESSERA_IMAGE_FLASH);
  tessera::image::runtime = &runtime;
  while (true) {
    tessera::image::wait_for_interrupt();
    runtime.round();
  }
}
