#pragma once
// What the factories of layers have in common: a name, a summary, and a configuration that the layer is made of.
#include <memory>
#include <string>
#include <utility>

#include "firmware/translation_layer.hpp"

namespace tessera {

/// `Config` describes its own parameters; `Layer` is made of ports, configuration, geometry and plan.
template <class Layer, class Config>
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

 protected:
  Config config_;

 private:
  std::string name_;
  std::string summary_;
};

}  // namespace tessera
