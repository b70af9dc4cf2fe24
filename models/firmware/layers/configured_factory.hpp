#pragma once
// What the factories of layers have in common: a name, a summary, and a configuration that the layer is made of.
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "firmware/defects/faulty_writes.hpp"
#include "firmware/translation_layer.hpp"

namespace tessera {

/// Whether a layer's tracks overlap: then a write that stops has destroyed more than the sector that stopped it.
enum class Tracks : std::uint8_t { apart, overlapped };

/// `Config` describes its own parameters; `Layer` is made of ports, configuration, geometry and plan.
template <class Layer, class Config, Tracks tracks = Tracks::overlapped>
class ConfiguredFactory : public LayerFactory {
 public:
  ConfiguredFactory(std::string name, std::string summary, Config config = {})
      : config_(std::move(config)), name_(std::move(name)), summary_(std::move(summary)) {}

  [[nodiscard]] std::string name() const final { return name_; }
  [[nodiscard]] std::string summary() const final { return summary_; }
  void describe(ParameterVisitor& visitor) final { config_.describe(visitor); }

  [[nodiscard]] std::unique_ptr<TranslationLayer> make(const Ports& ports, const DriveGeometry& geometry,
                                                       const FormatPlan& plan) const override {
    return std::make_unique<Layer>(ports, config_, geometry, plan);
  }
  [[nodiscard]] std::unique_ptr<MediaSupervisor> without_spares([[maybe_unused]] MediaPort& media) const final {
    if constexpr (tracks == Tracks::overlapped)
      return std::make_unique<FaultyWrites>(media);
    else
      return nullptr;
  }

 protected:
  Config config_;

 private:
  std::string name_;
  std::string summary_;
};

}  // namespace tessera
