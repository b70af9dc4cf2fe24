#pragma once
// In-place shingled drives with a static mapping: W. He and D. H. C. Du, "Novel Address Mappings for Shingled Write Disks",
// HotStorage 2014.
#include <memory>

#include "firmware/translation_layer.hpp"

namespace tessera {

[[nodiscard]] std::unique_ptr<LayerFactory> make_static_1234_factory();
[[nodiscard]] std::unique_ptr<LayerFactory> make_static_r4123_factory();
[[nodiscard]] std::unique_ptr<LayerFactory> make_static_124r3_factory();
[[nodiscard]] std::unique_ptr<LayerFactory> make_static_14r23_factory();

}  // namespace tessera
