// Every layer of the tree as a shared library: the proof that the firmware interface suffices (tests/python/test_plugins.py).
#include <vector>

#include "offered_layer.hpp"

[[gnu::visibility("default")]] const tessera_layer* tessera_firmware_layer(std::uint32_t abi, std::uint32_t index) {
  static const auto layers = [] {
    std::vector<std::unique_ptr<tessera::OfferedLayer>> offered;
    for (auto& factory : tessera::all_layers()) offered.push_back(std::make_unique<tessera::OfferedLayer>(std::move(factory)));
    return offered;
  }();
  return abi == TESSERA_FIRMWARE_ABI && index < layers.size() ? layers[index]->table() : nullptr;
}
