#include "media/media_device.hpp"

#include <algorithm>
#include <string>

#include "base/check.hpp"
#include "base/error.hpp"
#include "media/sparing.hpp"

namespace tessera {

namespace {

/// The description, once it and the plan are known to be good.
const MediaConfig& checked(const MediaConfig& config, const FormatPlan& plan) {
  std::string message;
  for (const std::string& problem : check_plan(geometry_of(config), plan)) message += (message.empty() ? "format: " : "; ") + problem;
  if (!message.empty()) throw InputError(message);
  return config;
}

SectorShape shape_of(const MediaConfig& config, ContentMode content) {
  return {static_cast<std::uint32_t>(config.sector_size.value()), content};
}

}  // namespace

/// The distance policies ask each arm by itself.
class MediaDevice::Directory final : public Positioning {
 public:
  explicit Directory(const MediaDevice& device) : device_(device) {}
  [[nodiscard]] PhysicalTrack head() const override { return arm(0).head(); }
  [[nodiscard]] Picoseconds positioning_time(const PhysicalRun& run, bool write, Picoseconds now) const override {
    return arm(arm_of(run.track)).positioning_time(run, write, now);
  }
  [[nodiscard]] Picoseconds least_positioning(std::uint32_t radii) const override { return arm(0).least_positioning(radii); }
  [[nodiscard]] std::uint32_t arms() const override { return device_.arms(); }
  [[nodiscard]] std::uint32_t arm_of(PhysicalTrack track) const override { return device_.arm_of(track); }
  [[nodiscard]] const Positioning& arm(std::uint32_t number) const override { return device_.arms_[number].mechanics(); }
  [[nodiscard]] std::uint32_t at_once() const override {
    const std::uint32_t limit = device_.platters_.config.actuators_at_once;
    return limit == 0 ? arms() : limit;
  }
  [[nodiscard]] Picoseconds revolution() const override { return arm(0).revolution(); }

 private:
  const MediaDevice& device_;
};

MediaDevice::MediaDevice(const MediaConfig& config, const FormatPlan& plan, ContentMode content, std::uint64_t seed)
    : platters_{.config = checked(config, plan),
                .geometry = TrackGeometry(config, plan),
                .store = ContentStore(tessera::shape_of(config, content), platters_.geometry.tracks(), platters_.geometry.most_sectors()),
                .powerfail = RandomStream(seed, "media.powerfail"),
                .faults = MediaFaults(config, platters_.geometry, seed),
                .slow = FailSlow(config, platters_.geometry.revolution(), seed),
                .interference = TrackInterference(config.interference_limit, platters_.geometry.most_sectors()),
                .power = PowerConditions(config.power_conditions, signals_),
                .wear = HeadWear(config)},
      arm_map_(arms_of(config)) {
  platters_.spares_used = !Sparing(config).remaps().empty();
  platters_.statistics.regions.resize(platters_.geometry.regions().size());
  platters_.statistics.arms.resize(arm_map_.arms());
  platters_.statistics.heads.resize(platters_.geometry.surfaces());
  for (const ArmSurfaces& arm : arms_of(config)) {
    const auto number = static_cast<std::uint32_t>(arms_.size());
    arms_.emplace_back(platters_, number, arm.first, number == 0 ? signals_ : signals_.part("arm" + std::to_string(number)));
  }
  spindle_index_.emplace(signals_, platters_.geometry, platters_.power);
  if (arms() > 1) directory_ = std::make_unique<Directory>(*this);
}

const Positioning& MediaDevice::positioning() const {
  if (directory_ != nullptr) return *directory_;
  return arms_.front().mechanics();
}

/// By what moves now; who begins to move later does not disturb who is under way.
ArmDisturbance MediaDevice::disturbance(std::uint32_t arm) const {
  ArmDisturbance by{.until = {}, .settle = platters_.config.actuator_settle};
  if (by.settle == Picoseconds()) return by;
  for (std::uint32_t other = 0; other < arms(); ++other)
    if (other != arm) by.until = std::max(by.until, arms_[other].moves_until());
  return by;
}

MediaTiming MediaDevice::start(const MediaStep& step, Picoseconds now) {
  TESSERA_CHECK(powered_, "a media step without power");
  const std::uint32_t arm = arm_of(step.run.track);
  spindle_index_->pass(now);  // what the step changes of the spindle's speed comes after that
  const Picoseconds recovery = platters_.power.any() ? recover(now) : Picoseconds();
  return arms_[arm].start(step, now, directory_ == nullptr ? ArmDisturbance{} : disturbance(arm), recovery);
}

bool MediaDevice::at_work() const {
  return std::ranges::any_of(arms_, [](const MediaArm& arm) { return arm.busy(); });
}

/// What a step that begins now waits for spindle and ramp.
Picoseconds MediaDevice::recover(Picoseconds now) {
  const PowerConditions::Recovery recovery = platters_.power.begin(now, !at_work());
  if (recovery.from_ramp)
    for (MediaArm& arm : arms_) arm.park();
  return recovery.wait;
}

Status MediaDevice::finish(std::uint32_t arm) {
  const Picoseconds end = arms_[arm].timing().end;
  const Status status = arms_[arm].finish();
  spindle_index_->pass(end);
  if (platters_.power.any() && !at_work()) platters_.power.end(end);
  return status;
}

Picoseconds MediaDevice::give_up(Picoseconds now, std::uint32_t arm) { return arms_[arm].give_up(now); }

void MediaDevice::cut(Picoseconds now) {
  TESSERA_CHECK(powered_, "a power cut without power");
  platters_.torn.clear();
  spindle_index_->cut(now);
  for (MediaArm& arm : arms_) arm.cut(now);
  if (platters_.power.any()) platters_.power.cut(now);
  powered_ = false;
  platters_.statistics.off_since = now;
}

void MediaDevice::stop_spindle(Picoseconds now) {
  if (!powered_) return;
  spindle_index_->pass(now);
  if (!platters_.power.any()) {
    platters_.power.obey(at_work());
    for (MediaArm& arm : arms_) arm.wait_for(platters_.power);
  }
  platters_.power.stop(now);
}

void MediaDevice::start_spindle(Picoseconds now) {
  if (!powered_ || !platters_.power.any()) return;
  spindle_index_->pass(now);
  if (!platters_.power.start(now)) return;
  for (MediaArm& arm : arms_) arm.park();
}

void MediaDevice::restore(Picoseconds now) {
  TESSERA_CHECK(!powered_, "the media already has power");
  powered_ = true;
  platters_.statistics.off_time += now - platters_.statistics.off_since;
  for (MediaArm& arm : arms_) arm.restore(now);
  spindle_index_->restore(now);
  if (platters_.power.any()) platters_.power.restore(now);
}

void MediaDevice::report(MetricSet& metrics, Picoseconds now) const {
  platters_.statistics.report(metrics, platters_.config, platters_.geometry.regions(), now, powered_,
                              platters_.power.any() ? platters_.power.totals(now) : PowerConditions::Totals());
  platters_.wear.report(metrics);
}

}  // namespace tessera
