#include "power/dump_engine.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "base/error.hpp"
#include "base/random.hpp"

namespace tessera {

namespace {

/// What passes at `rate` in `time`, rounded down.
Bytes passed(Picoseconds time, BytesPerSecond rate) {
  return Bytes(static_cast<std::uint64_t>(static_cast<unsigned __int128>(time.value()) * rate.value() / ps_per_second));
}

}  // namespace

void DumpEngine::reserve(Bytes size, std::string_view what) {
  if (next_ < regions_.size()) {
    TESSERA_CHECK(regions_[next_].what == what && regions_[next_].size == size, "dumped regions changed from one boot to the next");
    ++next_;
    return;
  }
  const std::uint64_t pieces = pieces_ + pieces_of(size);
  const Bytes total = size_ + size;
  const std::string who = "power: dumping '" + std::string(what) + "' (" + std::to_string(size.value()) + " B) at a power cut ";
  if (total > config_.dump_area)
    throw InputError(who + "does not fit the dump area: " + std::to_string((config_.dump_area - size_).value()) +
                     " B are left of power.dump_area, " + std::to_string(config_.dump_area.value()) + " B");
  const Picojoules needed = energy(config_.dump_power, transfer_time(image_of(pieces), config_.dump_rate));
  if (needed > config_.hold_up_energy)
    throw InputError(who + "needs more energy than is left then: " + std::to_string(needed.value()) + " pJ for " +
                     std::to_string(image_of(pieces).value()) + " B in all at power.dump_rate; power.hold_up_energy is " +
                     std::to_string(config_.hold_up_energy.value()) + " pJ");
  size_ = total;
  pieces_ = pieces;
  regions_.push_back({std::string(what), size});
  ++next_;
}

Picoseconds DumpEngine::lasts(Picojoules store) const {
  return Picoseconds(scale_rounded(store.value(), 1'000'000, config_.dump_power.value()));  // 1 pJ at 1 uW is 1 us
}

/// Of the image, up to the instant at which the dump ends. What is drawn depends on the instant of the cut alone, so that one cut of a run
/// can be repeated without those before it.
Bytes DumpEngine::written_by_dump(Picoseconds now) const {
  const Bytes image = image_size();
  Bytes written = image;
  const Picojoules store(scale_rounded(config_.hold_up_energy.value(), config_.hold_up_left, 100));
  if (dump_energy() > store) written = std::min(written, passed(lasts(store), config_.dump_rate));
  for (const NumberRow& row : config_.torn_dumps)
    if (row[0] == static_cast<double>(dumps_)) written = std::min(written, Bytes(static_cast<std::uint64_t>(row[1])));
  RandomStream random(seed_ ^ now.value(), "power.dump_failures");
  if (random.below(1'000'000) < config_.dump_failures && image.value() != 0)
    written = std::min(written, Bytes(random.below(image.value())));
  return written;
}

std::uint64_t DumpEngine::dump(Picoseconds now) {
  ++dumps_;
  const Bytes written = written_by_dump(now);
  energy_spent_ += energy(config_.dump_power, transfer_time(written, config_.dump_rate));
  failed_last_ = written < image_size();
  if (!failed_last_) return pieces_;
  ++failures_;
  const std::uint64_t whole = written.value() / (piece + piece_check).value();
  unsaved_ += piece * (pieces_ - whole);
  return whole;
}

void DumpEngine::report(MetricSet& metrics) const {
  metrics.add("power.dump.region", static_cast<double>(size_.value()), "B", "DRAM that is dumped at a power cut");
  metrics.add("power.dump.time", dump_time(), "time that the dump takes, with the checks of its pieces");
  metrics.add("power.dump.energy", static_cast<double>(dump_energy().value()) * 1e-9, "mJ", "energy that one dump takes");
  metrics.add("power.dump.count", static_cast<double>(dumps_), "1", "dumps made");
  metrics.add("power.dumps_failed", static_cast<double>(failures_), "1", "dumps that ended before they were whole");
  metrics.add("power.dump.unsaved", static_cast<double>(unsaved_.value()), "B", "DRAM that failed dumps did not save, in whole pieces");
  metrics.add("power.restore.time", restore_time(), "time that the restore at boot takes");
  metrics.add("power.hold_up", hold_up_time(), "time that the hold-up energy lasts at the dump's power");
}

}  // namespace tessera
