#include "bus/interconnect.hpp"

#include <algorithm>
#include <optional>
#include <string>

namespace tessera {

namespace {

std::vector<SharedResource::Party> parties_of(const BusConfig& config, std::uint32_t flash_channels) {
  const auto party = [&](std::uint32_t BusRanks::*who) {
    SharedResource::Party rank;
    if (config.arbitration == BusArbitration::weighted) rank.weight = config.weights.*who;
    if (config.arbitration == BusArbitration::fixed_priority) rank.priority = config.priorities.*who;
    return rank;
  };
  // The CPU's accesses slip in and reserve nothing; it keeps its place in the order of initiators.
  std::vector<SharedResource::Party> parties{{}, party(&BusRanks::copy), party(&BusRanks::host), party(&BusRanks::disk)};
  parties.insert(parties.end(), flash_channels, party(&BusRanks::flash));
  return parties;
}

}  // namespace

Interconnect::Interconnect(const BusConfig& config, std::uint32_t flash_channels)
    : width_(config.width),
      period_(config.clock == Hertz(0) ? Picoseconds(0) : period(config.clock)),
      crossing_(period_ * config.crossing),
      burst_(period_ * config.burst),
      shared_(parties_of(config, flash_channels)) {
  std::vector<std::string> names{"cpu", "copy", "host", "disk"};
  for (std::uint32_t channel = 0; channel < flash_channels; ++channel) names.push_back("flash_" + std::to_string(channel));
  for (const std::string& name : names) {
    SignalScope& part = signals_.part(name);
    uses_.push_back({part.state("use", {"idle", "moving"}), part.number("bytes", 32)});
  }
}

void Interconnect::show(BusInitiator who, Bytes bytes, Picoseconds begin, Picoseconds end) const {
  const UseSignals& use = uses_[static_cast<std::size_t>(who)];
  use.busy.set(1, begin);
  use.bytes.set(bytes.value(), begin);
  use.busy.set(0, end);
}

DmaGrant Interconnect::transfer(const DmaTransfer& transfer, Picoseconds at) {
  const Picoseconds work = beats(transfer.bytes);
  const Picoseconds begin = at - transfer.since;
  const auto [end, behind] = shared_.reserve(static_cast<std::size_t>(transfer.engine), begin, work, transfer.pace);
  Counters& counters = counters_[kind_of(transfer.engine)];
  counters.bytes += transfer.bytes;
  counters.busy += work;
  counters.waited += end - begin - std::max(work, transfer.pace);
  if (Signal::anyone_watches()) [[unlikely]]
    show(transfer.engine, transfer.bytes, begin, end);
  return {end + crossing_, behind == Picoseconds(0) ? Bytes(0) : Bytes(scale_rounded(behind.value(), width_, period_.value()))};
}

Picoseconds Interconnect::access(Bytes bytes, Picoseconds at) {
  const Picoseconds work = beats(bytes);
  const Picoseconds begin = shared_.slip_in(at, work, burst_);
  Counters& counters = counters_[kind_of(BusInitiator::cpu)];
  counters.bytes += bytes;
  counters.busy += work;
  counters.waited += begin - at;
  if (Signal::anyone_watches()) [[unlikely]]
    show(BusInitiator::cpu, bytes, begin, begin + work);
  return begin + crossing_;
}

void Interconnect::report(MetricSet& metrics, Picoseconds now) const {
  static constexpr std::array<const char*, kinds> names{"cpu", "copy", "host", "disk", "flash"};
  static constexpr std::array<const char*, kinds> who{"the CPU's single accesses", "copies between buffers", "DMA of the host interface",
                                                      "DMA of the disk channel", "DMA of the flash channels"};
  Picoseconds busy;
  for (const Counters& counters : counters_) busy += counters.busy;
  metrics.add("bus.utilisation", share_of(busy, now), "1", "share of time in which the bus moved data");
  for (std::size_t i = 0; i < kinds; ++i) {
    const std::string name = std::string("bus.") + names[i];
    const std::string of = who[i];
    metrics.count(name + ".bytes", static_cast<double>(counters_[i].bytes.value()), "B", "bytes over the bus: " + of);
    metrics.add(name + ".utilisation", share_of(counters_[i].busy, now), "1", "share of time in which the bus moved data: " + of);
    metrics.count(name + ".waiting", counters_[i].waited, "time lost to other initiators on the bus: " + of);
  }
}

}  // namespace tessera
