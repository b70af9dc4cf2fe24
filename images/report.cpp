// What an image tells the simulator of itself.
#include "images/target.hpp"

/// Hands over the firmware's figures. The simulator calls it at any instruction of the firmware's, on a processor of its own: memory is as
/// the firmware has left it, nothing that is stored stays, and `room` is there for the call alone.
extern "C" [[gnu::section(".text.tessera_image"), gnu::used]] void tessera_image_report(std::byte* room, std::size_t bytes) {
  tessera::image::take_heap_from(room, bytes);
  tessera::image::runtime->report();
}
