#include "platforms/plugin/plugin_factory.hpp"

#include "base/error.hpp"
#include "firmware/defects/faulty_writes.hpp"
#include "platforms/plugin/plugin_guard.hpp"
#include "platforms/plugin/plugin_layer.hpp"
#include "platforms/plugin/plugin_names.hpp"

namespace tessera {

namespace {

/// What plan() and check_flash() said.
struct Answer {
  FormatPlan plan;
  std::string refusal;
  std::vector<std::string> warnings;

  [[nodiscard]] tessera_planner planner() {
    return {.context = this,
            .region = [](void* context, const tessera_region* region) { static_cast<Answer*>(context)->plan.push_back(from_c(*region)); },
            .refuse = [](void* context, const char* sentence) { static_cast<Answer*>(context)->refusal = sentence; },
            .warn = [](void* context, const char* sentence) { static_cast<Answer*>(context)->warnings.emplace_back(sentence); }};
  }
};

/// What a layer says of this flash.
Answer asked_of_flash(const tessera_layer& code, const std::string& firmware, const std::vector<tessera_value>& values,
                      const FlashShape& shape) {
  Answer answer;
  if (code.check_flash == nullptr) return answer;
  const tessera_planner planner = answer.planner();
  const tessera_flash_shape flash = to_c(shape);
  const PluginGuard guard(firmware, "check_flash");
  code.check_flash(&code, &flash, values.data(), &planner);
  return answer;
}

/// What a layer must have whatever it does.
std::string missing(const tessera_layer& code) {
  if (code.plan == nullptr) return "plan";
  if (code.create == nullptr) return "create";
  if (code.user_sectors == nullptr) return "user_sectors";
  if (code.boot == nullptr) return "boot";
  if (code.command == nullptr) return "command";
  if (code.event == nullptr) return "event";
  if (code.idle == nullptr) return "idle";
  if (code.destroy == nullptr) return "destroy";
  return {};
}

/// A plan that the platform could not even look at.
std::string nonsense(const FormatPlan& plan, std::uint32_t radii) {
  if (plan.empty()) return "plan() names no region: nothing could be stored";
  for (const Region& region : plan) {
    const std::string name = "plan(): region '" + region.name + "' ";
    if (const std::string fault = fault_of_name(region.name); !fault.empty()) return "plan(): a region " + fault;
    if (region.count == 0) return name + "is empty";
    if (static_cast<std::uint32_t>(region.format) > TESSERA_WAVE)
      return name + "has recording format " + std::to_string(static_cast<std::uint32_t>(region.format)) + ", which is none";
    if (region.first >= radii || region.count > radii - region.first)
      return name + "takes " + std::to_string(region.count) + " radii from " + std::to_string(region.first) + " on; the drive has " +
             std::to_string(radii);
  }
  return {};
}

}  // namespace

PluginFactory::PluginFactory(const std::string& library, const tessera_layer& code) : firmware_(library), code_(code) {
  if (code.abi != TESSERA_FIRMWARE_ABI || code.size != sizeof(tessera_layer))
    throw InputError("firmware " + library + ": made for version " + std::to_string(code.abi) + " of the firmware interface (" +
                     std::to_string(code.size) + " B a layer); this program has version " + std::to_string(TESSERA_FIRMWARE_ABI) + " (" +
                     std::to_string(sizeof(tessera_layer)) + " B): compile it with this program's tessera_firmware.h");
  if (code.name == nullptr || *code.name == '\0') throw InputError("firmware " + library + ": a layer without a name");
  if (const std::string fault = fault_of_layer_name(code.name); !fault.empty())
    throw InputError("firmware " + library + ": a layer " + fault);
  firmware_ += " (" + name() + ")";
  if (const std::string lacks = missing(code); !lacks.empty()) throw InputError("firmware " + firmware_ + ": it lacks " + lacks);
  parameters_.emplace(firmware_, code.parameters, code.parameter_count);
}

bool PluginFactory::promises_flushed_only() const {
  const PluginGuard guard(firmware_, "flushed_only");
  return code_.flushed_only != nullptr && code_.flushed_only(&code_, parameters_->values().data()) != 0;
}

Picoseconds PluginFactory::longest_wait() const {
  const PluginGuard guard(firmware_, "longest_wait");
  return Picoseconds(code_.longest_wait == nullptr ? 0 : code_.longest_wait(&code_, parameters_->values().data()));
}

FormatPlan PluginFactory::plan(const DriveGeometry& geometry, std::string& problem) const {
  const PluginGeometry shape(geometry);
  Answer answer;
  const tessera_planner planner = answer.planner();
  {
    const PluginGuard guard(firmware_, "plan");
    code_.plan(&code_, &shape.value, parameters_->values().data(), &planner);
  }
  problem = answer.refusal.empty() ? nonsense(answer.plan, geometry.radii()) : answer.refusal;
  return answer.plan;
}

std::string PluginFactory::check_flash(const FlashShape& shape) const {
  return asked_of_flash(code_, firmware_, parameters_->values(), shape).refusal;
}

std::vector<std::string> PluginFactory::warnings(const FlashShape& shape) const {
  return asked_of_flash(code_, firmware_, parameters_->values(), shape).warnings;
}

std::unique_ptr<TranslationLayer> PluginFactory::make(const Ports& ports, const DriveGeometry& geometry, const FormatPlan& plan) const {
  return std::make_unique<PluginLayer>(code_, firmware_, ports, geometry, plan, parameters_->values());
}

std::unique_ptr<MediaSupervisor> PluginFactory::without_spares(MediaPort& media) const { return std::make_unique<FaultyWrites>(media); }

}  // namespace tessera
