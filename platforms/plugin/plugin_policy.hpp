#pragma once
// Policies of cleaning whose code lies in a shared library or a Python file, behind the policy interface (tessera_policy.h). An answer that
// is none, or a call that breaks a rule, is a fault of the policy: the layer's own decides from then on, so that the drive ends well.
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "firmware/translation_layer.hpp"
#include "platforms/plugin/plugin_parameters.hpp"
#include "platforms/plugin/tessera_policy.h"

namespace tessera {

class PluginPolicies final : public PolicyFactory {
 public:
  /// InputError where `code` is of another version of the interface, or incomplete. `code` lives as long as the process.
  PluginPolicies(const std::string& library, const tessera_policy& code);

  [[nodiscard]] std::string name() const override { return code_.name; }
  [[nodiscard]] std::string summary() const { return code_.summary == nullptr ? "" : code_.summary; }
  /// Its library and itself, as messages name them.
  [[nodiscard]] const std::string& firmware() const { return firmware_; }
  void describe(ParameterVisitor& visitor) { parameters_->describe(visitor); }
  [[nodiscard]] std::unique_ptr<GuestPolicy> make(const Ports& ports) const override;

  /// Who is told of the first fault, with its sentence; where there is nobody, a fault is thrown as FirmwareFault.
  void on_fault(std::function<void(const std::string&)> listener) { listener_ = std::move(listener); }
  void fault(const std::string& sentence) const;

 private:
  std::string firmware_;
  const tessera_policy& code_;
  std::optional<PluginParameters> parameters_;
  std::function<void(const std::string&)> listener_;
};

}  // namespace tessera
