// Whatever bytes are handed over as a firmware image: either one sentence, or an image that lies in the memory there is.
#include <cstdlib>

#include "base/error.hpp"
#include "processor/back_trace.hpp"
#include "processor/elf_image.hpp"
#include "processor/memory.hpp"

using namespace tessera;
using namespace tessera::riscv;

namespace {

constexpr ImageSpace space{.dram = {0x8000'0000, 0x4000}, .tcm = {0x4400'0000, 0x1000}};

void demand(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span file(reinterpret_cast<const std::byte*>(data), size);
  try {
    const ElfImage image("fuzz.elf", {file.begin(), file.end()}, space);
    demand(image.is_code(image.entry()));
    demand(image.end() <= space.dram.base + space.dram.bytes);
    demand(image.tcm_bytes() <= space.tcm.bytes);
    std::vector<std::byte> dram(space.dram.bytes), tcm(space.tcm.bytes);
    Memory memory;
    memory.map(space.dram.base, dram);
    memory.map(space.tcm.base, tcm);
    image.load(memory);
    demand(!image.place(image.entry()).empty());
    if (const auto object = image.object("tessera_image_layer")) demand(object->size() <= size);
    const auto trace = back_trace(image, memory, {image.entry(), image.entry() + 4, space.dram.base, space.dram.base + 64});
    demand(!trace.addresses.empty() && !trace.text(image).empty());
  } catch (const InputError& error) {
    demand(std::string_view(error.what()).starts_with("fuzz.elf: "));
  }
  return 0;
}
