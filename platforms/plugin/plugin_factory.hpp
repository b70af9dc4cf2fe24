#pragma once
// The entry in the list of layers of one whose code lies in a shared library.
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "firmware/translation_layer.hpp"
#include "platforms/plugin/plugin_parameters.hpp"

namespace tessera {

class PluginFactory final : public LayerFactory {
 public:
  /// InputError where `code` is of another version of the interface, or incomplete.
  PluginFactory(const std::string& library, const tessera_layer& code);

  [[nodiscard]] std::string name() const override { return code_.name; }
  /// Its library and itself, as messages name them.
  [[nodiscard]] const std::string& firmware() const { return firmware_; }
  [[nodiscard]] std::string summary() const override { return code_.summary == nullptr ? "" : code_.summary; }
  [[nodiscard]] bool needs_flash() const override { return code_.needs_flash != 0; }
  /// The library is told of both, and nobody knows what it makes of them.
  [[nodiscard]] SpaceBounds bounds() const override { return {.reserved = true, .exported = true}; }
  void describe(ParameterVisitor& visitor) override { parameters_->describe(visitor); }
  [[nodiscard]] bool promises_flushed_only() const override;
  [[nodiscard]] Picoseconds longest_wait() const override;
  [[nodiscard]] FormatPlan plan(const DriveGeometry& geometry, std::string& problem) const override;
  [[nodiscard]] std::string check_flash(const FlashShape& shape) const override;
  [[nodiscard]] std::vector<std::string> warnings(const FlashShape& shape) const override;
  [[nodiscard]] std::unique_ptr<TranslationLayer> make(const Ports& ports, const DriveGeometry& geometry,
                                                       const FormatPlan& plan) const override;
  /// As of a layer whose tracks overlap: it costs nothing where they do not.
  [[nodiscard]] std::unique_ptr<MediaSupervisor> without_spares(MediaPort& media) const override;

 private:
  std::string firmware_;  ///< library and layer, for messages
  const tessera_layer& code_;
  std::optional<PluginParameters> parameters_;
};

}  // namespace tessera
