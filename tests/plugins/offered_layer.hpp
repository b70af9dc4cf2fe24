#pragma once
// A translation layer in C++, offered through the firmware interface: what a shared library that is written against the model's own headers
// exports. The other side of PluginLayer.
#include <memory>
#include <string>

#include "firmware/translation_layer.hpp"
#include "offered_parameters.hpp"

namespace tessera {

class OfferedLayer {
 public:
  explicit OfferedLayer(std::unique_ptr<LayerFactory> factory);
  OfferedLayer(const OfferedLayer&) = delete;
  OfferedLayer& operator=(const OfferedLayer&) = delete;

  /// What tessera_firmware_layer() gives; lives as long as this.
  [[nodiscard]] const tessera_layer* table() const { return &table_; }
  /// The factory with its parameters set to `values`.
  [[nodiscard]] const LayerFactory& with(const tessera_value* values) const;

 private:
  std::unique_ptr<LayerFactory> factory_;
  std::string name_, summary_;
  OfferedParameters parameters_;
  tessera_layer table_{};
};

}  // namespace tessera
