#include "controller/firmware_signals.hpp"

#include <string_view>

namespace tessera {

std::array<FirmwareSignals::Lane, FirmwareSignals::lanes> FirmwareSignals::make_lanes() {
  std::array<Lane, lanes> made;
  for (std::size_t i = 0; i < lanes; ++i) {
    SignalScope& scope = signals_.part("work_" + std::to_string(i));
    made[i].kind = scope.text("kind", "none");
    made[i].subject = scope.number("subject", 40);
  }
  return made;
}

/// The lane that shows the piece of work that ends, or a free one for what begins.
FirmwareSignals::Lane* FirmwareSignals::lane_of(const FirmwareEvent& event) {
  for (Lane& lane : lanes_) {
    const bool free = lane.open == nullptr;
    if (event.edge == FirmwareEvent::Edge::begin ? free
                                                 : !free && event.subject == lane.open_subject && std::string_view(lane.open) == event.kind)
      return &lane;
  }
  return nullptr;
}

void FirmwareSignals::event(const FirmwareEvent& event, Picoseconds at) {
  if (event.edge == FirmwareEvent::Edge::instant) return;
  const bool begins = event.edge == FirmwareEvent::Edge::begin;
  if (begins) ++open_;
  if (!begins && open_ > 0) --open_;
  under_way_.set(open_, at);
  Lane* const lane = lane_of(event);
  if (lane == nullptr) return;
  lane->open = begins ? event.kind : nullptr;
  lane->open_subject = event.subject;
  if (begins) lane->subject.set(event.subject, at);
  lane->kind.show(begins ? event.kind : "none", at);
}

std::uint32_t FirmwareSignals::declare_gauge(const GaugeInfo& info) {
  for (std::size_t i = 0; i < gauges_.size(); ++i) {
    GaugeState& known = gauges_[i];
    if (std::string_view(known.info.name) != info.name) continue;
    if (known.declared) model_bug(__FILE__, __LINE__, (std::string("the firmware declares the gauge ") + info.name + " twice").c_str());
    known.declared = true;
    return static_cast<std::uint32_t>(i);
  }
  std::string name = info.name;
  for (char& c : name)
    if (c == '.') c = '_';
  gauges_.push_back({info, {}, signals_.level(name, 40)});
  return static_cast<std::uint32_t>(gauges_.size() - 1);
}

void FirmwareSignals::check_gauges() const {
  for (const GaugeState& gauge : gauges_)
    if (gauge.declared && !gauge.set)
      model_bug(__FILE__, __LINE__, (std::string("the firmware declared the gauge ") + gauge.info.name + " and did not set it").c_str());
}

void FirmwareSignals::power_off(Picoseconds at) {
  open_ = 0;
  under_way_.replace(0, at);
  for (Lane& lane : lanes_)
    if (lane.open != nullptr) {
      lane.open = nullptr;
      lane.kind.replace(0, at);
    }
  for (GaugeState& gauge : gauges_) gauge.declared = gauge.set = false;
}

void FirmwareSignals::report(MetricSet& metrics, Picoseconds now) const {
  for (const GaugeState& gauge : gauges_) {
    const std::string name = std::string("gauge.") + gauge.info.name;
    const std::string what = gauge.info.what;
    metrics.add(name + ".mean", gauge.level.mean(now), gauge.info.unit, what + ", weighted by time");
    metrics.add(name + ".peak", static_cast<double>(gauge.level.peak()), gauge.info.unit, "most at once: " + what);
    metrics.add(name + ".last", static_cast<double>(gauge.level.level()), gauge.info.unit, "at the end: " + what);
  }
}

void FirmwareSignals::reset_statistics(Picoseconds now) {
  for (GaugeState& gauge : gauges_) gauge.level.restart(now);
}

}  // namespace tessera
