#include "platforms/state/state_facts.hpp"

#include <algorithm>
#include <array>

#include "platforms/description/listing.hpp"

namespace tessera {

namespace {

// A drive has some hundreds; a library may bring more.
constexpr std::size_t most_parameters = 10'000;

constexpr std::array content_names{"none", "tags", "bytes"};

/// How far the model runs ahead is no matter of the drive, nor what decides when it cleans.
bool changes_nothing(const std::string& path) { return path == "simulation.quantum" || path == "layer" || path.starts_with("policies."); }

std::string differs(const std::string& what, const std::string& saved, const std::string& here) {
  return "the state is of another drive: " + what + " is " + saved + " there and " + here + " here";
}

std::string origin(const std::string& firmware) {
  return firmware.empty() ? "the simulator's own" : "of the library or image with SHA-256 " + firmware;
}

}  // namespace

const char* StateFacts::content_name() const { return content_names.at(static_cast<std::size_t>(content)); }

StateFacts StateFacts::of(DriveConfig& config) {
  StateFacts facts;
  facts.version = TESSERA_VERSION;
  facts.layer = config.layer;
  ParameterCollector collector;
  config.describe(collector);
  std::string own = "layers." + config.layer + ".";
  std::ranges::replace(own, '-', '_');
  for (const Parameter& parameter : collector.parameters()) {
    const std::string path = parameter.path();
    const bool of_others = path.starts_with("layers.") && !path.starts_with(own);
    if (parameter.kind != ParameterKind::section && !of_others && !changes_nothing(path))
      facts.parameters.emplace_back(path, parameter.value);
  }
  return facts;
}

void StateFacts::save(StateWriter& out) const {
  for (const std::string* text : {&version, &drive, &layer, &firmware}) out.text(*text);
  out.number(static_cast<std::uint64_t>(content));
  out.flag(checked);
  out.number(prefill_percent);
  out.number(seed);
  out.number(requests);
  out.number(parameters.size());
  for (const auto& [path, value] : parameters) {
    out.text(path);
    out.text(value);
  }
}

StateFacts StateFacts::load(StateReader& in) {
  StateFacts facts;
  for (std::string* text : {&facts.version, &facts.drive, &facts.layer, &facts.firmware}) *text = in.text();
  facts.content = static_cast<ContentMode>(in.number(content_names.size()));
  facts.checked = in.flag();
  facts.prefill_percent = static_cast<std::uint32_t>(in.number(101));
  facts.seed = in.number();
  facts.requests = in.number();
  for (std::size_t left = in.count(most_parameters); left > 0; --left) {
    std::string path = in.text();
    facts.parameters.emplace_back(std::move(path), in.text());
  }
  return facts;
}

std::string StateFacts::misfit(const StateFacts& run, bool any_firmware) const {
  if (version != run.version) return "the state was saved by tessera-sim " + version + " and this is " + run.version + ": save it anew";
  if (layer != run.layer) return differs("the layer", layer, run.layer);
  if (firmware != run.firmware && !any_firmware)
    return "the state was saved by other firmware: layer " + layer + " is " + origin(firmware) + " there and " + origin(run.firmware) +
           " here; load it with the firmware that saved it, or with --any-firmware where both keep their data in the same way";
  for (const auto& [path, value] : parameters) {
    const auto here = std::ranges::find(run.parameters, path, &std::pair<std::string, std::string>::first);
    if (here == run.parameters.end()) return differs(path, value, "unknown");
    if (here->second != value) return differs(path, value, here->second);
  }
  if (parameters.size() != run.parameters.size()) return "the state is of another drive: this one has parameters that it does not know";
  const auto name = [](ContentMode mode) { return std::string(content_names.at(static_cast<std::size_t>(mode))); };
  if (content != run.content)
    return "the state was saved with --content " + name(content) + " and is to be loaded with --content " + name(run.content) +
           (run.checked || checked ? " (--check keeps tags)" : "");
  if (run.checked && !checked) return "the state does not say what was written, which --check needs: save it from a run with --check";
  return "";
}

}  // namespace tessera
